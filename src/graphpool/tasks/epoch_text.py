"""Which epoch of a training was selected, in words."""

from typing import Any

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
        f"{noun} ({chosen}); {early}{document['seconds']:.1f} s"
    )
