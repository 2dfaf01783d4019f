"""Which epoch of a training was selected, in words."""

from pathlib import Path
from typing import Any

from graphpool.config import RunConfig, resolve_scoring
from graphpool.config.split_spec import parse_split
from graphpool.evaluation.format import decimal, percent


def epoch_line(document: dict[str, Any], noun: str) -> str:
    """Say which epoch was selected, and how long the training took."""
    train, valid = document["config"]["train"], document["valid"]
    scoring = train.get("scoring", "accuracy")
    if "accuracy" in valid:
        chosen = percent(valid["accuracy"])
    else:
        chosen = f"{scoring} {decimal(valid[scoring])}"
    if scoring != "accuracy" and "accuracy" in valid:
        chosen = f"{scoring} {decimal(valid[scoring])}, accuracy {chosen}"
    early = ""
    if document["stopped"] == "patience":
        early = (
            f"stopped early after epoch {document['epochs']} of at most {train['epochs']}, "
            f"{train['patience']} without improvement; "
        )
    return (
        f"Best epoch {document['best_epoch']} of {document['epochs']}, chosen on validation "
        f"{noun} ({chosen}); {early}{document['seconds']:.1f} s{_split(document)}"
    )


def scoring_text(config: RunConfig, metric: str) -> str:
    """Say that the published metric of a set chooses the epoch, if nobody asked for another."""
    chosen = resolve_scoring(config, metric)
    if chosen == resolve_scoring(config):
        return ""
    return (
        f"Validation {chosen}, the set's published metric, chooses the epoch; --scoring changes it"
    )


def split_facts(document: dict[str, Any]) -> dict[str, str | int | float]:
    """Return how the set was split, if the settings name it."""
    name = split_name(document["config"].get("split", ""))
    return {"split": name} if name else {}


def split_name(split: str) -> str:
    """Return what a user calls a split: that of a file by the file's name."""
    return Path(split).name if split and parse_split(split).kind == "own" else split


def _split(document: dict[str, Any]) -> str:
    return "".join(f"; split {name}" for name in split_facts(document).values())
