"""Damaged and crafted variants of every file that graphpool reads, from a seed.

`FORMATS` says for each format how a valid file is made and how a variant is opened. `variants`
yields variants of one: bytes that are flipped, cut and inserted, documents of another shape, and
crafted files with right checksums.
"""

import gzip
import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import safetensors
import torch
from safetensors.torch import save as to_bytes

import graphpool as gp
from graphpool import ged
from graphpool.cli.ged_arguments import read_costs
from graphpool.config import ModelConfig, RunConfig, TrainConfig, read_toml, write_toml
from graphpool.data.formats import safetensors as set_file
from graphpool.data.pairs.distances import read_distances
from graphpool.data.pairs.pairs_csv import read_pairs
from graphpool.data.pairs.storage import open_pairs, save_pairs
from graphpool.data.splits import load_splits, save_splits
from graphpool.data.splits.split import Split
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.experiments.experiment import read_experiment
from graphpool.experiments.records import Record, RecordFile
from graphpool.ged import array_file, open_matrix
from graphpool.ged.partial_results import PartialResults
from graphpool.models.model import TrainedModel
from graphpool.models.run_folder import RunFolder
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint
from graphpool.training.events import EventLog, read_events

Draw = random.Random
LINES = (
    '{"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "s"]], "y": "x"}\n'
    '{"id": "b", "node_labels": ["C", "C", "O"], "edges": [[0, 1, "d"], [1, 2, "s"]], "y": "z"}\n'
    '{"id": "c", "node_labels": ["N"], "y": "x"}\n'
)
TU = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "0\n0\n1\n0\n1\n",
    "node_attributes": "0.5, 1\n0.1, 2\n0.2, 3\n0.3, 4\n0.4, 5\n",
}
JSON = f"[{LINES.strip().replace(chr(10), ',')}]"
NODE_LINK = json.dumps(nx.node_link_data(nx.path_graph(3), edges="links"))
EDGES = "graph,source,target,label\na,0,1,s\na,1,2,d\nb,0,1,s\n"
GEXF = """<?xml version="1.0"?><gexf><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="type" type="string"/></attributes>
<nodes><node id="0"><attvalues><attvalue for="0" value="C"/></attvalues></node>
<node id="1"><attvalues><attvalue for="0" value="N"/></attvalues></node></nodes>
<edges><edge id="0" source="0" target="1"/></edges></graph></gexf>"""
ATOMS: tuple[Any, ...] = (
    None, True, 0, -1, 5, 10**6, 10**9, 2**31, 2**63, 2**64, 10**400, -(10**30), 0.5, 1e308,
    float("nan"), float("inf"), "", "x", "\ud800", "\0", "é" * 300, "=1+1", [], {}, [[]], [None],
    [1, 2, 3], {"a": 1}, [[[[]]]], ["x"] * 3, {"x": {"y": {}}},
)  # fmt: skip
DOCUMENTS = (
    "", " ", "[]", "null", "{}", "5", '"x"', "[" * 100_000, '{"a":' * 100_000, "9" * 5000, "1e999",
    "NaN", '"\\ud800"', '{"a": 1, "a": 2}', "[" * 500 + "]" * 500, "{", '{"ids": 5}', "\ufeff{}",
    "a = " + "[" * 100_000, "a." * 50_000 + "a = 1", "a = " + "9" * 5000, 'a = "\\ud800"',
    "[" + "a." * 50_000 + "a]\n", "a = " + "{b = " * 5000,
)  # fmt: skip


@dataclass(frozen=True)
class HostileFormat:
    """How a valid file is made, how one is opened, and how crafted ones are made from it."""

    make: Callable[[Path], Path]
    open: Callable[[Path], object]
    craft: Callable[[Path, Draw], None]


# ---------------------------------------------------------------------- damage


def damage(data: bytes, draw: Draw) -> bytes:
    """Flip, cut, insert, repeat or blank some bytes."""
    if not data:
        return b"\0"
    at, length = draw.randrange(len(data)), draw.randrange(1, 40)
    changed = bytearray(data)
    match draw.randrange(7):
        case 0:
            return data[:at]
        case 1:
            for _ in range(draw.randrange(1, 9)):
                changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        case 2:
            del changed[at : at + length]
        case 3:
            changed[at:at] = draw.randbytes(length)
        case 4:
            changed[at:at] = changed[at : at + length]
        case 5:
            changed[at : at + length] = bytes(length)
        case _:
            changed[at : at + 8] = b"\xff" * 8
    return bytes(changed)


def change(value: Any, draw: Draw) -> Any:
    """Return a document with one value replaced, removed or added, anywhere in it."""
    value = deepcopy(value)
    holders = [item for item in walk(value) if isinstance(item, (dict, list)) and item]
    if not holders or draw.random() < 0.05:
        return draw.choice(ATOMS)
    holder = draw.choice(holders)
    key = draw.choice(list(holder)) if isinstance(holder, dict) else draw.randrange(len(holder))
    match draw.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[draw.choice(("unknown", "\ud800", ""))] = draw.choice(ATOMS)
        case _:
            holder[key] = draw.choice(ATOMS)
    return value


def walk(value: Any) -> Iterator[Any]:
    yield value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        yield from walk(item)


def change_array(array: np.ndarray, draw: Draw) -> np.ndarray:
    """Return an array of another type, shape or content."""
    match draw.randrange(8):
        case 0:
            return array[:-1].copy() if array.ndim else array.reshape(1)
        case 1:
            return array.reshape(1, *array.shape)
        case 2 if array.dtype.kind in "iuf":
            return array.astype(draw.choice((np.int8, np.float32, np.float64, np.int16, np.uint8)))
        case 3:
            return np.zeros((0, *array.shape[1:]), array.dtype)
        case 4:
            return np.concatenate([np.atleast_1d(array)] * 3)
        case 5:
            return np.zeros((10**12, 0), array.dtype)
        case _:
            changed = np.array(array)
            if changed.size and changed.dtype.kind in "iuf":
                small = np.iinfo(changed.dtype) if changed.dtype.kind in "iu" else None
                values = (-1, 0, 10**6, 10**9, 10**12, 2**62) if small else (np.nan, np.inf, -1.0)
                value = draw.choice(values)
                if small:
                    value = min(max(value, small.min), small.max)
                changed.reshape(-1)[draw.randrange(changed.size)] = value
            return changed


def variants(form: HostileFormat, path: Path, seed: int, count: int) -> Iterator[Path]:
    """Write `count` variants of a valid file over it, one after the other, and yield its path."""
    data, draw = path.read_bytes(), random.Random(seed)
    for number in range(count):
        path.write_bytes(data)
        if number < len(DOCUMENTS):
            path.write_text(DOCUMENTS[number], encoding="utf-8")
        elif number % 2:
            path.write_bytes(damage(data, draw))
        else:
            form.craft(path, draw)
        yield path


# ---------------------------------------------------------------------- crafted files


def craft_json(path: Path, draw: Draw) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()), draw)))


def craft_lines(path: Path, draw: Draw) -> None:
    lines = path.read_text().splitlines()
    at = draw.randrange(len(lines))
    lines[at] = json.dumps(change(json.loads(lines[at]), draw))
    path.write_text("\n".join(lines) + "\n")


def craft_text(path: Path, draw: Draw) -> None:
    """Replace one word of a text file."""
    words = path.read_text().split(" ")
    words[draw.randrange(len(words))] = str(draw.choice(ATOMS))[:500]
    path.write_bytes(" ".join(words).encode("utf-8", "replace"))


def craft_zip(path: Path, draw: Draw) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw.choice(list(members))
    match draw.randrange(4):
        case 0:
            del members[name]
        case 1:
            members[name] = damage(members[name], draw)
        case 2:
            members[name] = b"1\n" * draw.choice((1, 1000, 2_000_000))
        case _:
            words = members[name].split()
            words[draw.randrange(len(words))] = str(draw.choice(ATOMS))[:500].encode(
                "utf-8", "replace"
            )
            members[name] = b"\n".join(words)
    with zipfile.ZipFile(path, "w", draw.choice((8, 12, 14))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def craft_gzip(path: Path, draw: Draw) -> None:
    """A changed line, or lines that unpack to much."""
    text = LINES.encode()
    match draw.randrange(4):
        case 0:
            text += b" " * draw.choice((10**6, 3 * 10**7))
        case 1:
            text = b"\n" * draw.choice((10**6, 3 * 10**7)) + text
        case _:
            lines = [json.loads(line) for line in LINES.splitlines()]
            text = "\n".join(json.dumps(change(line, draw)) for line in lines).encode()
    path.write_bytes(gzip.compress(text, 1))


def craft_npz(path: Path, draw: Draw) -> None:
    with np.load(path) as archive:
        arrays = dict(archive)
    name = draw.choice(list(arrays))
    if draw.random() < 0.3:  # the header declares another shape than there is
        buffer = io.BytesIO()
        shape = draw.choice(((10**10,), (10**12, 2), (-1,), (0,), (2**40, 2**40), (7,)))
        head = {"descr": arrays[name].dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(buffer, head)
        with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive_file:
            warnings.simplefilter("ignore")  # the name is there twice, as it is meant
            archive_file.writestr(f"{name}.npy", buffer.getvalue() + arrays[name].tobytes())
        return
    arrays[name] = change_array(arrays[name], draw)
    np.savez(path, **arrays)


def craft_set(path: Path, draw: Draw) -> None:
    """A set with right checksums over changed names or tensors."""
    with safetensors.safe_open(path, framework="np") as handle:
        header = json.loads(handle.metadata()["graphpool"])
        tensors = {key: handle.get_tensor(key) for key in handle.keys()}  # noqa: SIM118
    del header["check"]
    if draw.random() < 0.5:
        header = change(header, draw)
    else:
        name = draw.choice(list(tensors))
        tensors[name] = change_array(tensors[name], draw)
    made = {key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in tensors.items()}
    if isinstance(header, dict):
        names = {key: header.get(key) for key in set_file._NAMES}
        header["content"] = set_file.hash_tensors(set_file._json(names), made)
        header["check"] = set_file._check(header)
    path.write_bytes(to_bytes(made, metadata={"graphpool": json.dumps(header)}))


def craft_checkpoint(path: Path, draw: Draw) -> None:
    _, tensors, header = read_checkpoint(path)
    tensors = {key: value.clone() for key, value in tensors.items()}
    if draw.random() < 0.8:
        header = change(header, draw)
    else:
        name = draw.choice(list(tensors))
        tensors[name] = torch.from_numpy(change_array(tensors[name].numpy(), draw))
    write_checkpoint(path, tensors, header)


def craft_arrays(kind: str) -> Callable[[Path, Draw], None]:
    def craft(path: Path, draw: Draw) -> None:
        header, arrays = array_file.read_arrays(path, kind)
        if draw.random() < 0.6:
            changed = change(header, draw)
            header = changed if isinstance(changed, dict) else {"ids": changed}
        else:
            name = draw.choice(list(arrays))
            arrays[name] = change_array(arrays[name], draw)
        array_file.write_arrays(path, kind, header, arrays)

    return craft


# ---------------------------------------------------------------------- valid files


def graphs_of(folder: Path) -> gp.GraphSet:
    path = folder / "graphs.jsonl"
    if not path.exists():
        path.write_text(LINES)
    return gp.read(path, cache=False)


def written(name: str, text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return make


def make_zip(name: str, members: dict[str, str]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in members.items():
                archive.writestr(member, text)
        return folder / name

    return make


def make_npz(folder: Path) -> Path:
    np.savez(
        folder / "PAIR.npz", ids=[7, 9], n_train=1, node_ptr=[0, 3, 5], edge_ptr=[0, 2, 3],
        edges=[[0, 1], [1, 2], [0, 1]], node_label=[0, 0, 1, 0, 1], label_names=["C", "O"],
        ged=[[0, 2], [2, -1]],
    )  # fmt: skip
    return folder / "PAIR.npz"


def make_gzip(folder: Path) -> Path:
    (folder / "g.jsonl.gz").write_bytes(gzip.compress(LINES.encode()))
    return folder / "g.jsonl.gz"


def make_graphml(folder: Path) -> Path:
    nx.write_graphml_xml(nx.path_graph(4), folder / "g.graphml")
    return folder / "g.graphml"


def make_adjacency(folder: Path) -> Path:
    one, two = np.ones((3, 3)) - np.eye(3), np.eye(2)[::-1]
    np.savez(folder / "adj.npz", adj_a=one, adj_b=two, y=[0, 1])
    return folder / "adj.npz"


def make_array(folder: Path) -> Path:
    np.save(folder / "adj.npy", np.ones((2, 3, 3), dtype=np.int8))
    return folder / "adj.npy"


def craft_array(path: Path, draw: Draw) -> None:
    np.save(path, change_array(np.load(path), draw))


def make_set(folder: Path) -> Path:
    set_file.save(graphs_of(folder), folder / "set.safetensors")
    return folder / "set.safetensors"


def make_pairs(folder: Path) -> Path:
    save_pairs(matching_pairs("paper", 5, 4, seed=0, verify=False), folder / "pairs.safetensors")
    return folder / "pairs.safetensors"


def make_model(folder: Path) -> Path:
    config = RunConfig(
        features="labels",
        model=ModelConfig(hidden_channels=4, num_layers=1),
        train=TrainConfig(epochs=1, threads=1),
    )
    return TrainedModel.fit(graphs_of(folder), None, config).save(folder / "model.safetensors")


def make_matrix(folder: Path) -> Path:
    ged.matrix(graphs_of(folder), method="label").save(folder / "mine.ged")
    return folder / "mine.ged"


def make_part(folder: Path) -> Path:
    arrays = {key: np.arange(3) for key in ("position", "lower", "upper")}
    header = {"settings": {"method": "exact"}, "seconds": 1.5}
    array_file.write_arrays(folder / "1.part", "part of distances", header, arrays)
    return folder / "1.part"


def make_split(folder: Path) -> Path:
    save_splits(folder / "split.json", [Split((0, 1), (2,), (3,))], "abc", "paper", 0)
    return folder / "split.json"


def make_config(folder: Path) -> Path:
    write_toml(RunConfig(), folder / "config.toml")
    return folder / "config.toml"


def make_records(folder: Path) -> Path:
    made = Record("classification", "MUTAG", "hap", "network", 0, 0, {"a": 1},
                  {"model": {"pooler": "hap"}, "train": {"epochs": 1}})  # fmt: skip
    RecordFile(folder / "records.jsonl", "x").append(made)
    return folder / "records.jsonl"


def use_events(path: Path) -> None:
    read_events(path)
    RunFolder(path.parent).history()
    EventLog(path.parent).rewind(1, 1)


def use_model(path: Path) -> None:
    graphs = gp.read(path.parent / "graphs.jsonl", cache=False)
    TrainedModel.load(path).prediction_rows(graphs)


def use_matrix(path: Path) -> None:
    matrix = open_matrix(path)
    repr(matrix)
    assert matrix.values.shape == matrix.optimal.shape


def use_set(path: Path) -> None:
    graphs = gp.read(path, cache=False)
    if graphs.x is not None and len(graphs):
        graphs.batch(slice(0, 1))


def use_npz(path: Path) -> None:
    gp.read(path, cache=False)
    read_distances(path)


EVENT_LINES = (
    '{"event": "start", "epochs": 3}\n{"event": "epoch", "epoch": 1, "loss": 0.5}\n'
    '{"event": "resume", "step": 4}\n{"event": "epoch", "epoch": 2, "loss": null}\n'
)
EXPERIMENT = """title = "t"\ntask = "classification"\nprotocol = "cv10"\nseeds = [0]\n[[data]]
name = "MUTAG"\n[methods.sum]\nmodel = {pooler = "sum"}\n"""
COSTS = '{"node_substitution": 2, "edge_labels": [["s", "d", 0.5]]}'
GEXF_FILE = GEXF.replace("<gexf>", '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">')
FORMATS: dict[str, HostileFormat] = {
    "adjacency.npy": HostileFormat(make_array, use_set, craft_array),
    "gexf files": HostileFormat(
        make_zip("F.zip", {"a.gexf": GEXF_FILE, "b.gexf": GEXF_FILE}), use_set, craft_zip
    ),
    "jsonl": HostileFormat(written("g.jsonl", LINES), use_set, craft_lines),
    "jsonl.gz": HostileFormat(make_gzip, use_set, craft_gzip),
    "json": HostileFormat(written("g.json", JSON), use_set, craft_json),
    "node-link": HostileFormat(written("n.json", NODE_LINK), use_set, craft_json),
    "edges.csv": HostileFormat(written("e.csv", EDGES), use_set, craft_text),
    "graphml": HostileFormat(make_graphml, use_set, craft_text),
    "adjacency": HostileFormat(make_adjacency, use_set, craft_npz),
    "npz": HostileFormat(make_npz, use_npz, craft_npz),
    "tu": HostileFormat(
        make_zip("T.zip", {f"T/T_{part}.txt": text for part, text in TU.items()}),
        use_set, craft_zip,
    ),
    "gexf": HostileFormat(
        make_zip("G.zip", {f"G/{part}/{part}.gexf": GEXF for part in ("train", "test")}),
        use_set, craft_zip,
    ),
    "set": HostileFormat(make_set, use_set, craft_set),
    "pairs": HostileFormat(make_pairs, open_pairs, lambda path, draw: None),
    "pairs.csv": HostileFormat(
        written("p.csv", "left,right,match\na,b,1\nb,c,0\n"),
        lambda path: read_pairs(path, graphs_of(path.parent)), craft_text,
    ),
    "model": HostileFormat(make_model, use_model, craft_checkpoint),
    "matrix": HostileFormat(make_matrix, use_matrix, craft_arrays("distance matrix")),
    "part": HostileFormat(
        make_part,
        lambda path: PartialResults(path.parent, {"method": "exact"}, 9, True).load(),
        craft_arrays("part of distances"),
    ),
    "split": HostileFormat(
        make_split, lambda path: load_splits(path, "abc", "paper", 0), craft_json
    ),
    "events": HostileFormat(written("events.jsonl", EVENT_LINES), use_events, craft_lines),
    "config": HostileFormat(make_config, lambda path: read_toml(RunConfig, path), craft_text),
    "experiment": HostileFormat(written("e.toml", EXPERIMENT), read_experiment, craft_text),
    "costs": HostileFormat(
        written("c.json", COSTS), lambda path: read_costs([str(path)]), craft_json
    ),
    "records": HostileFormat(make_records, lambda path: RecordFile(path).latest(), craft_lines),
    "examples": HostileFormat(
        written("examples.json", '{"graphs": "abc", "split": {"a": [1]}}'),
        lambda path: RunFolder(path.parent).examples(), craft_json,
    ),
}  # fmt: skip
