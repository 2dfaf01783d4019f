"""A `PairSet` on disk: its graphs in one safetensors file, the pairs in another beside it.

The file of graphs is like any other of `graphpool.data.formats.safetensors`. It holds the check
sum of its pairs, so that pairs are never read with other graphs than those they were saved with.
"""

import json
from pathlib import Path
from typing import Any, TypedDict

import torch
from safetensors.torch import save as to_bytes
from torch import Tensor

from graphpool.data.formats.safetensors import content_hash, hash_tensors, map_file, open_set, save
from graphpool.data.pairs.pairset import PairSet
from graphpool.errors import DataError
from graphpool.files import atomic_write

FORMAT = 1
_KEY = "graphpool pairs"
_TENSORS = {"left": torch.int64, "right": torch.int64, "y": torch.float32}
_NEXT_STEP = "make the pairs again from their source"


class _Header(TypedDict):
    format: int
    source: str
    graphs: str


def graphs_path(path: str | Path) -> Path:
    """Return the path of the graphs: `x.graphs.safetensors` beside the pairs in `x.safetensors`."""
    path = Path(path)
    return path.with_name(f"{path.stem}.graphs{path.suffix}")


def save_pairs(pairs: PairSet, path: str | Path, *, source: str = "") -> None:
    """Write the pairs to `path` and their graphs beside it, each atomically.

    Args:
        source: what the pairs were made from (a hash); `open_pairs` can ask for it.
    """
    # The whole columns are written, also where they are views of larger ones.
    tensors = {key: getattr(pairs, key).detach().cpu().clone() for key in _TENSORS}
    header: dict[str, Any] = {
        "format": FORMAT,
        "source": source,
        "graphs": content_hash(pairs.graphs),
    }
    header["check"] = _check(header, tensors)
    data = to_bytes(tensors, metadata={_KEY: json.dumps(header)})
    # The pairs come last: where they exist, so do their graphs.
    save(pairs.graphs, graphs_path(path), source=header["check"])
    with atomic_write(path) as handle:
        handle.write(data)


def open_pairs(path: str | Path, *, verify: bool = True, source: str | None = None) -> PairSet:
    """Map the pairs at `path` and their graphs into memory.

    Args:
        verify: read all of the graphs and refuse damaged ones; see `formats.open_set`. The pairs
            themselves are always checked.
        source: refuse pairs that were not made from this.
    """
    path = Path(path)
    kind = "pairs", "save_pairs writes them"
    header, check, tensors = map_file(path, _KEY, FORMAT, kind, _NEXT_STEP, _Header)
    dtypes = {key: value.dtype for key, value in tensors.items()}
    if check != _check(header, tensors) or dtypes != _TENSORS:
        raise DataError.at(path, "damaged: its check sum does not fit", hint=_NEXT_STEP)
    if source is not None and header["source"] != source:
        raise DataError.at(path, "was made from something else", hint=_NEXT_STEP)
    graphs = open_set(graphs_path(path), verify=verify, source=check)
    try:
        return PairSet(graphs, **tensors)
    except DataError as error:
        raise DataError.at(path, str(error), hint=_NEXT_STEP) from None


def _check(header: dict[str, Any], tensors: dict[str, Tensor]) -> str:
    return hash_tensors(json.dumps(header, sort_keys=True), tensors)
