"""Every format that graphpool reads: how a valid file is made, and how a variant is opened."""

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
from hostile_variants import (
    LINES,
    Draw,
    HostileFormat,
    change_array,
    craft_arrays,
    craft_checkpoint,
    craft_gzip,
    craft_json,
    craft_lines,
    craft_npz,
    craft_set,
    craft_text,
    craft_zip,
)

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
from graphpool.experiments.experiment_file import read_experiment
from graphpool.experiments.records import Record, RecordFile
from graphpool.ged import array_file, open_matrix
from graphpool.ged.partial_results import PartialResults
from graphpool.models.model import TrainedModel
from graphpool.models.run_folder import RunFolder
from graphpool.training.events import EventLog, read_events

TU = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "0\n0\n1\n0\n1\n",
    "node_attributes": "0.5, 1\n0.1, 2\n0.2, 3\n0.3, 4\n0.4, 5\n",
}
JSON = f"[{LINES.strip().replace(chr(10), ',')}]"
NODE_LINK = json.dumps(nx.node_link_data(nx.path_graph(3), edges="links"))
MOLECULES = "smiles,name,y\nCCO,a,1\nc1ccccc1,b,0\nC[C@H](N)C(=O)O,c,1\n"
GRAPH6 = ">>graph6<<DQc\n:DaG_\n~?@?" + "?" * 336 + "\n"
EDGES = "graph,source,target,label\na,0,1,s\na,1,2,d\nb,0,1,s\n"
GEXF = """<?xml version="1.0"?><gexf><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="type" type="string"/></attributes>
<nodes><node id="0"><attvalues><attvalue for="0" value="C"/></attvalues></node>
<node id="1"><attvalues><attvalue for="0" value="N"/></attvalues></node></nodes>
<edges><edge id="0" source="0" target="1"/></edges></graph></gexf>"""


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
name = "MUTAG"\n[methods.sum]\nmodel = {pooler = "sum", encoder = "gcn"}\n"""
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
    "molecules.csv": HostileFormat(written("m.csv", MOLECULES), use_set, craft_text),
    "graph6": HostileFormat(written("g.g6", GRAPH6), use_set, craft_text),
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
