"""The event log of a run: one JSON object per line, readable while it grows."""

import json
from pathlib import Path
from typing import Any

from graphpool.documents import read_json_lines
from graphpool.files import append_text, atomic_write, strict_json, writing

EVENTS = "events.jsonl"
_NUMBERED = {"epoch": "epoch", "resume": "step"}


class EventLog:
    """A log that appends to `events.jsonl` in a folder; without a folder it does nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / EVENTS

    def write(self, event: str, **values: Any) -> None:
        """Append one line."""
        if self.path is not None:
            line = json.dumps({"event": event, **strict_json(values)}) + "\n"
            append_text(self.path, line, sync=False)

    def rewind(self, epoch: int, step: int) -> None:
        """Remove the lines after this epoch and step, so that the log reads as one run."""
        if self.path is None or not self.path.exists():
            return
        lines = [line for line in read_events(self.path) if _is_before(line, epoch, step)]
        with atomic_write(self.path, "w") as handle:
            handle.writelines(json.dumps(line) + "\n" for line in lines)

    def clear(self) -> None:
        """Remove the log."""
        if self.path is not None:
            with writing(self.path):
                self.path.unlink(missing_ok=True)


def read_events(path: str | Path) -> list[dict[str, Any]]:
    """Read the lines of an event log; skip those that are no events, such as one cut by a kill."""
    lines = read_json_lines(path, damaged=lambda *_: None)
    return [event for _, event in lines if _is_event(event)]


def _is_event(value: Any) -> bool:
    """Whether this is an object with the numbers that its kind of event has."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return False
    number = _NUMBERED.get(value["event"])
    return number is None or type(value.get(number)) is int


def _is_before(line: dict[str, Any], epoch: int, step: int) -> bool:
    if line.get("event") == "epoch":
        return bool(line["epoch"] <= epoch)
    # The run continues, so a stop is removed; a resumption stays only if it came before.
    return line.get("event") == "start" or (
        line.get("event") == "resume" and bool(line["step"] < step)
    )
