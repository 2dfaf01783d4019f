"""Checkpoints: safetensors files with a JSON header and a digest; never pickle.

The folder of a run holds `last.safetensors`, from which it resumes to the bit, and
`best.safetensors`, the weights of the selected epoch. Both are replaced atomically.
"""

import hashlib
import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors.torch
import torch
from torch import Tensor, nn

import graphpool
from graphpool.config import current_header
from graphpool.documents import read_header, read_safetensors
from graphpool.errors import CheckpointError
from graphpool.files import atomic_write
from graphpool.shapes import fit
from graphpool.training.state import load_weights, part

LAST = "last.safetensors"
BEST = "best.safetensors"
_FORMAT = "graphpool-checkpoint"
_VERSION = "1"
_SECTIONS = {"versions", "config", "data", "extra", "best", "state", "rng"}


class Checkpoint(NamedTuple):
    """The content of a checkpoint file: tensors by name, and the JSON header."""

    path: Path
    tensors: dict[str, Tensor]
    header: dict[str, Any]

    @property
    def weights(self) -> dict[str, Tensor]:
        """The model's weights and buffers."""
        return part(self.tensors, "weights")


def versions() -> dict[str, str]:
    """Return the versions of graphpool, torch and Python."""
    return {
        "graphpool": graphpool.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def write_checkpoint(path: Path, tensors: Mapping[str, Tensor], header: dict[str, Any]) -> None:
    """Write tensors and header to one file, atomically."""
    flat = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    text = json.dumps(header)
    metadata = {
        "format": _FORMAT,
        "version": _VERSION,
        "header": text,
        "digest": _digest(flat, text),
    }
    content = safetensors.torch.save(flat, metadata)
    with atomic_write(path) as handle:
        handle.write(content)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint and verify its digest."""
    path = Path(path)
    if not path.is_file():
        raise CheckpointError(f"{path}: no such checkpoint")
    hint = _next_step(path)
    metadata, tensors = read_safetensors(
        path, error=CheckpointError, hint=hint, what="checkpoint or model file"
    )
    if metadata.get("format") != _FORMAT:
        raise CheckpointError(
            f"{path}: a safetensors file, but not a checkpoint of graphpool; "
            "give the folder of a training run"
        )
    if metadata.get("version") != _VERSION:
        raise CheckpointError(
            f"{path}: has version {metadata.get('version')} of the checkpoint format; this "
            f"version of graphpool ({graphpool.__version__}) reads version {_VERSION}"
        )
    text = metadata.get("header", "")
    if _digest(tensors, text) != metadata.get("digest"):
        raise CheckpointError.at(path, "damaged (its content does not match its digest)", hint=hint)
    header = read_header(metadata, "header", path, dict[str, Any], error=CheckpointError, hint=hint)
    for key in _SECTIONS & header.keys():
        fit(dict[str, Any], header[key], f"{path}: {key}", CheckpointError)
    return Checkpoint(path, tensors, current_header(header))


def check_weights(model: nn.Module, checkpoint: Checkpoint) -> None:
    """Raise a `CheckpointError` that names the first tensor that does not fit the model."""
    ours, theirs = model.state_dict(), checkpoint.weights
    for name, value in ours.items():
        if name not in theirs:
            _refuse(checkpoint.path, f"the model's tensor {name!r} is not in the file")
        if value.shape != theirs[name].shape or value.dtype != theirs[name].dtype:
            _refuse(
                checkpoint.path,
                f"tensor {name!r} is {_describe(theirs[name])} in the file and "
                f"{_describe(value)} in the model",
            )
    for name, value in theirs.items():
        if value.is_floating_point() and not bool(value.isfinite().all()):
            raise CheckpointError(
                f"{checkpoint.path}: the weights {name!r} hold numbers that are not finite; train "
                "the model again"
            )
        if name not in ours:
            _refuse(checkpoint.path, f"the file's tensor {name!r} is not in the model")


def load_model_weights(model: nn.Module, checkpoint: Checkpoint) -> None:
    """Copy the weights of a checkpoint into the model; on a mismatch the model is unchanged."""
    check_weights(model, checkpoint)
    load_weights(model, checkpoint.weights)


def _digest(tensors: Mapping[str, Tensor], text: str) -> str:
    """Return the SHA-256 of the header and of the name, type, shape and bytes of every tensor."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        value = tensors[name]
        digest.update(f"\n{name} {value.dtype} {tuple(value.shape)}\n".encode())
        if value.numel():
            digest.update(value.flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _next_step(path: Path) -> str:
    """Return what to do about a damaged file."""
    if path.name not in (LAST, BEST):  # given by a user: it may be any file
        return "give a model file or run folder"
    best = path.with_name(BEST)
    if path.name == BEST:  # a resumed run writes it again
        if path.with_name(LAST).is_file():
            return f"graphpool train --resume --out {path.parent} writes it again"
        return "train the model again"
    if best.is_file():
        return f"{best} still holds the best weights; remove {path.name} to start again"
    return "remove it to start again"


def _refuse(path: Path, problem: str) -> None:
    raise CheckpointError(f"{path}: {problem}; build the model with the settings of that run")


def _describe(value: Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
