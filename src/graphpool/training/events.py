"""The event log of a run: one JSON object per line, readable while it grows."""

import json
from pathlib import Path
from typing import Any

from graphpool.files import append_text, atomic_write, strict_json, writing

EVENTS = "events.jsonl"


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
    """Read the lines of an event log; skip a line that a kill cut short."""
    events = []
    for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def _is_before(line: dict[str, Any], epoch: int, step: int) -> bool:
    if line.get("event") == "epoch":
        return bool(line["epoch"] <= epoch)
    # The run continues, so a stop is removed; a resumption stays only if it came before.
    return line.get("event") == "start" or (
        line.get("event") == "resume" and bool(line["step"] < step)
    )
