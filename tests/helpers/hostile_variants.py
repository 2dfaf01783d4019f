"""Damaged and crafted variants of a file, from a seed.

`variants` yields them: bytes that are flipped, cut and inserted, documents of another shape, and
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

import numpy as np
import safetensors
import torch
from safetensors.torch import save as to_bytes

from graphpool.data.formats import safetensors as set_file
from graphpool.ged import array_file
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint

Draw = random.Random
LINES = (
    '{"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "s"]], "y": "x"}\n'
    '{"id": "b", "node_labels": ["C", "C", "O"], "edges": [[0, 1, "d"], [1, 2, "s"]], "y": "z"}\n'
    '{"id": "c", "node_labels": ["N"], "y": "x"}\n'
)
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
        changed = change(header, draw)
        header = changed if isinstance(changed, dict) else {"extra": changed}
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
