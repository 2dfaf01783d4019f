"""Measure one call of the fault tests: seconds of work, and growth of memory at its peak."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SECONDS, MEGABYTES = 2.0, 300


class Cost:
    """What one call cost; `problem` says so if it is too much."""

    seconds = 0.0
    megabytes = 0.0

    @property
    def problem(self) -> str:
        if self.seconds > SECONDS:
            return f"took {self.seconds:.1f} s"
        return f"took {self.megabytes:.0f} MB" if self.megabytes > MEGABYTES else ""


@contextmanager
def measured() -> Iterator[Cost]:
    """Fill in what the block cost: processor time, so that a busy machine changes nothing."""
    cost = Cost()
    with suppress(OSError):  # not on Linux, or not allowed: memory is not measured
        Path("/proc/self/clear_refs").write_text("5")
    before, began = _status("VmRSS"), time.process_time()
    try:
        yield cost
    finally:
        cost.seconds = time.process_time() - began
        cost.megabytes = max(0.0, _status("VmHWM") - before)


def _status(key: str) -> float:
    """Megabytes that the system counts for this process."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0.0


class Largest:
    """The dearest of many calls, for the summary of the suite."""

    def __init__(self) -> None:
        self.slowest, self.most_memory = (0.0, ""), (0.0, "")

    def add(self, cost: Cost, what: str) -> None:
        self.slowest = max(self.slowest, (cost.seconds, what))
        self.most_memory = max(self.most_memory, (cost.megabytes, what))

    def to_dict(self) -> dict[str, tuple[float, str]]:
        return {"slowest": self.slowest, "most_memory": self.most_memory}
