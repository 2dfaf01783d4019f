"""graphpool's own format: a `GraphSet` in one safetensors file, memory-mapped when opened.

The header, in the metadata of the file, is JSON: format version, names, notes and the content
hash. It has a check sum of its own, so that a file is either exactly what was saved or refused.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import torch
from safetensors.torch import save as to_bytes
from torch import Tensor

from graphpool.data.formats.base import check_sizes, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.chunked_set import ChunkedSet, Layout, Write
from graphpool.documents import parse_json, read_header, read_safetensors
from graphpool.errors import DataError
from graphpool.files import atomic_write
from graphpool.graphs.checks import check_finite
from graphpool.graphs.graphset import GraphSet
from graphpool.shapes import fit

FORMAT = 1
NAME = "safetensors"
VERSION = FORMAT
SUFFIX = ".safetensors"
_KEY = "graphpool"
_REQUIRED = {"node_ptr", "edge_ptr", "edge_index"}
_NAMES = ("name", "ids", "classes", "node_label_names", "edge_label_names")
_COLUMNS = "columns"  # JSON in a tensor of bytes: a header has little room
_OTHER = {*_NAMES, "notes", "x_from", "target_names", _COLUMNS}
_FIELDS = {item.name for item in fields(GraphSet)} - _OTHER
_OF_NODES = ("node_label", "node_attr", "x")
_NEXT_STEP = "make the file again from its source"
_BLOCK = 1 << 20

Buffer = bytes | memoryview


class _Header(TypedDict):
    format: int
    name: str
    ids: list[str]
    classes: list[int | str]
    node_label_names: list[int | str]
    edge_label_names: list[int | str]
    target_names: NotRequired[list[str]]
    notes: list[str]
    x_from: NotRequired[str]
    source: str
    content: str


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file begins with the length of a JSON header, and the header."""
    start = first_bytes(path, 9)
    length = int.from_bytes(start[:8], "little")
    return start[8:] == b"{" and 0 < length <= path.stat().st_size - 8


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Open the set at `path`, which has a name of its own; the same as `open_set`."""
    return open_set(path)


def content_hash(graphs: GraphSet) -> str:
    """Return the SHA-256 of a set's content: names, ids, classes, labels, features, all tensors.

    It depends neither on the device nor on anything derived from the tensors, nor on `notes`,
    which say where the set comes from. Equal sets have equal hashes.
    """
    ids, names = _names(graphs)
    return hash_tensors(_json(names, ids), _tensors(graphs))


def save(graphs: GraphSet, path: str | Path, *, source: str = "") -> None:
    """Write the set to `path`, atomically.

    Args:
        source: what the set was made from (a hash); `open_set` can ask for it.
    """
    check_finite(graphs)
    tensors, (ids, names) = _tensors(graphs), _names(graphs)

    def fill(write: Write) -> None:
        for key, value in tensors.items():
            write(key, 0, value)

    about = {"notes": list(graphs.notes), "source": source}
    if graphs.x_from:
        about["x_from"] = graphs.x_from
    layout = {key: (value.dtype, tuple(value.shape)) for key, value in tensors.items()}
    _write(Path(path), layout, fill, names, ids, about)


def save_chunks(parts: ChunkedSet, path: str | Path, *, source: str = "") -> None:
    """Write a set that was read in chunks, as `save` writes it; little of it is ever in memory."""
    chunks = range(parts.num_chunks)
    names: dict[str, Any] = {"name": parts.name, "ids": [], **parts.label_names()}
    if parts.target_names:
        names["target_names"] = parts.target_names
    layout = parts.layout()
    if parts.columns:
        layout[_COLUMNS] = torch.uint8, (sum(map(len, _column_text(parts))),)

    def fill(write: Write) -> None:
        at = 0
        for text in _column_text(parts) if parts.columns else ():
            write(_COLUMNS, at, torch.frombuffer(bytearray(text), dtype=torch.uint8))
            at += len(text)
        parts.fill(write)

    ids = ",".join(filter(None, (_json(parts.ids(chunk))[1:-1] for chunk in chunks)))
    about = {"notes": list(parts.notes), "source": source}
    _write(Path(path), layout, fill, names, ids, about)


def _column_text(parts: ChunkedSet) -> Iterator[bytes]:
    """Yield the text columns as the JSON that `_tensors` makes of them, piece by piece."""
    for number, name in enumerate(parts.columns):
        yield f"{',' if number else '{'}{_text(name)}:[".encode()
        comma = ""
        for chunk in range(parts.num_chunks):
            if values := parts.column(name, chunk):
                yield (comma + _text(values)[1:-1]).encode()
                comma = ","
        yield b"]"
    yield b"}"


def open_set(path: str | Path, *, verify: bool = True, source: str | None = None) -> GraphSet:
    """Map the set at `path` into memory; nothing is copied.

    Args:
        verify: compute the content hash again and refuse a damaged file, and numbers that are not
            finite. Without it, structure and codes are checked and the rest is not read.
        source: refuse a file that was not made from this.
    """
    path = Path(path)
    kind = "graphs", "graphpool.graphs writes them"
    header, check, tensors = map_file(path, _KEY, FORMAT, kind, _NEXT_STEP, _Header)
    if check != _check(header) or not _REQUIRED <= set(tensors) <= {*_FIELDS, _COLUMNS}:
        raise DataError.at(path, "damaged: its header is not the one written", hint=_NEXT_STEP)
    if source is not None and header["source"] != source:
        raise DataError.at(path, "was made from something else", hint=_NEXT_STEP)
    names = {key: header[key] for key in (*_NAMES, "target_names") if key in header}
    if verify and header["content"] != hash_tensors(_json(names), tensors):
        raise DataError.at(path, "damaged: its content hash does not fit", hint=_NEXT_STEP)
    _check_declared(path, tensors)
    made: dict[str, Any] = {key: tuple(header[key]) for key in (*_NAMES[1:], "notes")}
    made["target_names"] = tuple(header.get("target_names", ()))
    made["x_from"] = header.get("x_from", "")
    made[_COLUMNS] = _read_columns(path, tensors.pop(_COLUMNS, None))
    # A hash detects damage, not intent: a file can be written with any content and its right hash.
    # The set checks every pointer, edge and code, which compiled loops would follow anywhere.
    try:
        graphs = GraphSet(name=header["name"], **made, **tensors)  # type: ignore[arg-type]
        if verify:
            check_finite(graphs)
    except DataError as error:
        raise DataError.at(path, str(error), hint=_NEXT_STEP) from None
    return graphs


def _write(
    path: Path,
    layout: Layout,
    fill: Callable[[Write], None],
    names: dict[str, Any],
    ids: str,
    about: dict[str, Any],
) -> None:
    """Write a file of a set; the library would copy all tensors, twice, before it begins.

    As in its files, numbers of more bytes come first, so that all are aligned. The hash of the
    content is known at the end, and put in its place in the header then.

    Args:
        layout: type and shape of each tensor.
        fill: writes the tensors, in any order.
        names: as `_names` gives them, without ids; ids: those, as JSON without brackets.
        about: the rest of the header, but for the check sums.
    """
    start, starts, tensors = 0, {}, {}
    for key in sorted(layout, key=lambda key: (-layout[key][0].itemsize, key)):
        dtype, shape = layout[key]
        starts[key], start = start, start + math.prod(shape) * dtype.itemsize
        (kind,) = json.loads(to_bytes({"x": torch.empty(0, dtype=dtype)})[8:]).values()
        tensors[key] = {**kind, "shape": list(shape), "data_offsets": [starts[key], start]}

    def header(content: str) -> bytes:
        values = {"format": FORMAT, **names, **about, "content": content}
        check = hashlib.sha256(_json(values, ids).encode()).hexdigest()
        metadata = {_KEY: _json({**values, "check": check}, ids)}
        text = json.dumps({"__metadata__": metadata, **tensors}, ensure_ascii=False).encode()
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text

    with atomic_write(path, "w+b") as handle:
        first = handle.write(header("0" * 64))

        def write(key: str, at: int, rows: Tensor) -> None:
            dtype, shape = layout[key]
            pieces = [(at * math.prod(shape[1:]), rows)]
            if key == "edge_index" and rows.shape != shape:
                pieces = [(row * shape[1] + at, values) for row, values in enumerate(rows)]
            for position, values in pieces:
                handle.seek(first + starts[key] + position * dtype.itemsize)
                if values.numel():
                    handle.write(_data(values))

        def read(key: str) -> Iterator[bytes]:
            left = math.prod(layout[key][1]) * layout[key][0].itemsize
            handle.seek(first + starts[key])
            while left:
                block = handle.read(min(left, _BLOCK))
                left -= len(block)
                yield block

        fill(write)
        parts = {key: (dtype, shape, read(key)) for key, (dtype, shape) in layout.items()}
        content = header(_hash(_json(names, ids), parts))
        handle.seek(0)
        handle.write(content)


def _check_declared(path: Path, tensors: dict[str, Tensor]) -> None:
    """Compare the nodes and edges that the pointers declare with what the file holds."""
    pointers = tensors["node_ptr"], tensors["edge_ptr"]
    if any(p.dtype is not torch.long or p.ndim != 1 or not len(p) for p in pointers):
        raise DataError.at(path, "its graphs don't fit together", hint=_NEXT_STEP)
    graphs, nodes, edges = len(pointers[0]) - 1, *(int(p[-1]) for p in pointers)
    described = any(key in tensors and tensors[key].numel() for key in _OF_NODES)
    check_sizes(path, graphs=graphs, nodes=nodes, edges=edges, described=described)
    if edges != tensors["edge_index"].numel() // 2:
        raise DataError.at(path, "its graphs don't fit together", hint=_NEXT_STEP)


def map_file(
    path: Path, key: str, wanted: int, kind: tuple[str, str], hint: str, shape: Any
) -> tuple[dict[str, Any], Any, dict[str, Tensor]]:
    """Header of a safetensors file of ours, its check sum, not checked yet, and its tensors.

    Args:
        key: of the header in the metadata.
        wanted: the format that is read.
        kind: what such a file holds, and what writes it, for messages.
        hint: what to do about a damaged one.
        shape: of the header, see `graphpool.shapes`.
    """
    metadata, tensors = read_safetensors(path, hint=hint)
    if key not in metadata:
        raise DataError.at(path, f"a safetensors file, but not one of {kind[0]}", hint=kind[1])
    header = read_header(metadata, key, path, dict[str, Any], hint=hint)
    version, check = header.get("format"), header.pop("check", None)
    if version != wanted:
        raise DataError.at(
            path, f"has format {version!r}; this graphpool reads {wanted}", hint=hint
        )
    fit(shape, header, f"{path}: header", DataError)
    return header, check, tensors


def _names(graphs: GraphSet) -> tuple[str, dict[str, Any]]:
    """Return ids as JSON without brackets, and all else but tensors and notes, as JSON has it."""
    values = {key: getattr(graphs, key) for key in _NAMES}
    if graphs.target_names:  # sets without targets keep the hash that they had before
        values["target_names"] = graphs.target_names
    return _json(values["ids"])[1:-1], {**values, "ids": []}


def _tensors(graphs: GraphSet) -> dict[str, Tensor]:
    """The set's tensors on the CPU, each with memory of its own."""
    tensors: dict[str, Tensor] = {}
    taken: set[int] = set()
    for key in sorted(_FIELDS):
        value = getattr(graphs, key)
        if value is None:
            continue
        value = value.detach().cpu().contiguous()
        # Features may be the very tensor of the attributes; safetensors refuses shared memory.
        if value.data_ptr() in taken:
            value = value.clone()
        taken.add(value.data_ptr())
        tensors[key] = value
    if graphs.columns:
        text = bytearray(_text(dict(graphs.columns)).encode())
        tensors[_COLUMNS] = torch.frombuffer(text, dtype=torch.uint8)
    return tensors


def _read_columns(path: Path, data: Tensor | None) -> dict[str, tuple[str, ...]]:
    if data is None:
        return {}
    if data.dtype is not torch.uint8:
        raise DataError.at(path, "its text columns can't be read", hint=_NEXT_STEP)
    where = f"{path}: columns"
    columns = parse_json(data.numpy().tobytes(), where, dict[str, list[str]], hint=_NEXT_STEP)
    return {name: tuple(values) for name, values in columns.items()}


def hash_tensors(text: str, tensors: dict[str, Tensor]) -> str:
    """SHA-256 of a text and of names, types, shapes and values of tensors."""
    parts = {
        key: (value.dtype, tuple(value.shape), [_data(value)] if value.numel() else [])
        for key, value in tensors.items()
    }
    return _hash(text, parts)


def _hash(
    text: str, parts: Mapping[str, tuple[torch.dtype, tuple[int, ...], Iterable[Buffer]]]
) -> str:
    digest = hashlib.sha256(text.encode())
    for key in sorted(parts):
        dtype, shape, data = parts[key]
        digest.update(f"{key} {dtype} {list(shape)}\n".encode())
        for piece in data:
            digest.update(piece)
    return digest.hexdigest()


def _data(values: Tensor) -> Buffer:
    """Return the bytes of a tensor that is not empty."""
    return values.contiguous().reshape(-1).view(torch.uint8).numpy().data


def _check(header: dict[str, Any]) -> str:
    return hashlib.sha256(_json(header).encode()).hexdigest()


def _json(value: Any, ids: str | None = None) -> str:
    """One spelling for one value, so that it can be hashed.

    Args:
        ids: what belongs into the empty list under the key `ids`; many strings take much memory.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    # No text inside the value has such a quote: there it is escaped.
    return text if ids is None else text.replace('"ids":[]', f'"ids":[{ids}]', 1)


def _text(value: Any) -> str:
    """Return the JSON of text columns, or of a part of them."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
