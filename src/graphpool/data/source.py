"""Provenance of examples: digests that identify sets."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

import torch
from torch import Tensor

from graphpool.data.formats.safetensors import content_hash
from graphpool.graphs.graphset import GraphSet


@dataclass(frozen=True)
class Source:
    """The set that a model's graphs were taken from, and which of them it has not seen.

    `digest` is that of `set_digest`; `held_out` are the positions of graphs that neither trained
    the model nor chose its epoch.
    """

    digest: str
    held_out: tuple[int, ...] = ()


def set_digest(graphs: GraphSet) -> str:
    """Return a digest of a set that does not depend on its name, features and text columns."""
    return content_hash(replace(graphs, name="", x=None, edge_x=None, columns={}))


def source_values(source: Source | None) -> dict[str, Any]:
    """Return the header fields for a source; none if it is unknown."""
    return {} if source is None else {"source": asdict(source)}


def read_source(about: dict[str, Any]) -> Source | None:
    """Read the source from the header fields of `source_values`."""
    stored = about.get("source")
    return None if stored is None else Source(stored["digest"], tuple(stored["held_out"]))


def data_digest(examples: Any) -> str:
    """Return the SHA-256 of ids, structure, features and targets; empty without examples."""
    if examples is None:
        return ""
    digest = hashlib.sha256(json.dumps(examples.ids).encode())
    for name, value in _tensors(examples):
        digest.update(f"\n{name} {value.dtype} {tuple(value.shape)}\n".encode())
        digest.update(value.cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _tensors(holder: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield all tensors of a set, and of the set of graphs inside it, if there is one."""
    for item in fields(holder):
        value = getattr(holder, item.name)
        if isinstance(value, Tensor):
            yield item.name, value
        elif is_dataclass(value):
            yield from _tensors(value)
