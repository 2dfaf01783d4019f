"""The scaffolds of a set's molecules, worked out once and cached."""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_bytes

from graphpool.data.cache import cache_key, cached
from graphpool.data.molecules.scaffolds import murcko_scaffolds
from graphpool.errors import DataError
from graphpool.files import atomic_write
from graphpool.graphs.graphset import GraphSet

SMILES, SCAFFOLD = "smiles", "scaffold"
_VERSION = 2


def scaffolds(graphs: GraphSet) -> tuple[str, ...]:
    """Return the Bemis-Murcko scaffold of each graph: its column `scaffold`, or that of its SMILES.

    They need rdkit, and are cached like parsed sets.
    """
    if SCAFFOLD in graphs.columns:
        return graphs.columns[SCAFFOLD]
    if SMILES not in graphs.columns:
        raise DataError(
            f"{graphs.name} has no column {SMILES}, from which scaffolds are made; read molecules "
            "from a CSV file with --smiles COLUMN, or split otherwise"
        )
    smiles = graphs.columns[SMILES]
    digest = hashlib.sha256("\n".join(smiles).encode()).hexdigest()
    key = cache_key(digest, reader=SCAFFOLD, version=_VERSION)
    name = f"{graphs.name}-scaffolds"
    return cached(name, key, lambda: murcko_scaffolds(smiles), _open, _save)


def _save(values: tuple[str, ...], path: Path, *, source: str) -> None:
    content = np.frombuffer("\n".join(values).encode() + b"\n", dtype=np.uint8).copy()
    with atomic_write(path) as handle:
        handle.write(to_bytes({SCAFFOLD: torch.from_numpy(content)}, metadata={"source": source}))


def _open(path: Path, *, source: str) -> tuple[str, ...]:
    try:
        with safe_open(path, "pt") as file:
            if (file.metadata() or {}).get("source") == source:
                text: str = file.get_tensor(SCAFFOLD).numpy().tobytes().decode()
                return tuple(text.split("\n")[:-1])
    except (OSError, SafetensorError, UnicodeDecodeError) as error:
        raise DataError.at(path, f"can't be read: {error}", hint="remove it") from None
    raise DataError.at(path, "was made from something else", hint="remove it")
