"""The event log of a run: one JSON object per line, one line per epoch, readable as it grows."""

import json
from pathlib import Path
from typing import IO, Any

from graphpool.files import atomic_write, strict_json

EVENTS = "events.jsonl"


class EventLog:
    """Appends to `events.jsonl` in a folder; without a folder it does nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / EVENTS
        self._file: IO[str] | None = None

    def write(self, event: str, **values: Any) -> None:
        """Append one line and hand it to the operating system."""
        if self.path is None:
            return
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8")
        self._file.write(json.dumps({"event": event, **strict_json(values)}) + "\n")
        self._file.flush()

    def rewind(self, epoch: int, step: int) -> None:
        """Drop what was written after this epoch and step, so that the log reads as one run."""
        self.close()
        if self.path is None or not self.path.exists():
            return
        kept = [line for line in read_events(self.path) if _is_before(line, epoch, step)]
        with atomic_write(self.path, "w") as handle:
            handle.writelines(json.dumps(line) + "\n" for line in kept)

    def clear(self) -> None:
        """Begin anew."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_events(path: str | Path) -> list[dict[str, Any]]:
    """All lines of an event log; a line that a kill cut short is left out."""
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
    # The run goes on, so it has not stopped; a resumption counts only if it came before.
    return line.get("event") == "start" or (
        line.get("event") == "resume" and bool(line["step"] < step)
    )
