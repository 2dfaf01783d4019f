"""What identifies a run, and whether a checkpoint is of the same: settings and examples."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

from graphpool.config import TrainConfig, completed_model, current_header, to_dict
from graphpool.data.source import data_digest
from graphpool.errors import CheckpointError
from graphpool.training.objective import Examples

# Settings that don't change what is learned, or (epochs) only for how long, and texts about it.
FREE = frozenset({"epochs", "device", "threads", "checkpoint_seconds", "tensorboard",
                  "replay", "used", "unused"})  # fmt: skip


class RunHeader(TypedDict):
    """What identifies a run in a file, by the keys of `run_header`."""

    config: dict[str, Any]
    data: dict[str, Any]
    extra: dict[str, Any]


def run_header(
    config: TrainConfig, train: Examples, valid: Examples | None, extra: dict[str, Any]
) -> dict[str, Any]:
    """Return what identifies a run: its settings, its examples, and `extra` as JSON."""
    return {
        "config": to_dict(config),
        "data": {"train": data_digest(train), "valid": data_digest(valid)},
        "extra": json.loads(json.dumps(extra)),
    }


def check_same_run(path: Path, stored: dict[str, Any], current: dict[str, Any]) -> None:
    """Raise a `CheckpointError` that names the first difference of two headers.

    Compares `config`, `data` and `extra`. More epochs are allowed, except with the cosine
    schedule, in which every step depends on their number.
    """
    stored = current_header(stored)  # of a run that was begun with 0.1.0
    # Settings that are newer than the run were at their defaults.
    before, now = {**to_dict(TrainConfig()), **stored["config"]}, current["config"]
    if type(stored["config"].get("epochs")) is not int:
        raise CheckpointError.at(path, "damaged: it names no number of epochs", hint=_RESTART)
    stored = {**stored, "config": before}
    models = stored["extra"].get("model"), current["extra"].get("model")
    if all(isinstance(model, dict) for model in models):
        whole = completed_model(models[0])
        newer = {key: whole[key] for key in models[1] if key in whole}
        stored["extra"] = {**stored["extra"], "model": {**newer, **models[0]}}
    cosine = now.get("schedule") == "cosine"
    if now["epochs"] != before["epochs"] and (cosine or now["epochs"] < before["epochs"]):
        why = "the cosine schedule depends on it" if cosine else "it can only be raised"
        raise CheckpointError(
            f"{path}: config.epochs is {before['epochs']} in the checkpoint and {now['epochs']} "
            f"now; {why}"
        )
    for section in ("config", "data", "extra"):
        for key, old, new in _differences(section, stored[section], current[section]):
            if section == "data":
                raise CheckpointError(
                    f"{path}: the {key.partition('.')[2]} graphs are not those of the checkpoint; "
                    "resume with the same data and split, or start a new run in another folder"
                )
            setting = key.removeprefix("extra.")
            raise CheckpointError(
                f"{path}: {setting} is {_short(old)} in the checkpoint and {_short(new)} now; "
                "resume with the same settings, or start a new run in another folder"
            )


_ABSENT = "absent"
_RESTART = "start a new run in another folder"


def _differences(where: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in FREE:
                yield from _differences(
                    f"{where}.{key}", old.get(key, _ABSENT), new.get(key, _ABSENT)
                )
    elif old != new:
        yield where, old, new


def _short(value: Any) -> str:
    text = value if value is _ABSENT else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
