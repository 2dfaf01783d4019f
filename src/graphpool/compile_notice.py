"""Say that a function is being compiled, and how long it takes: a line on terminals, else a log."""

import logging
import sys
import time
from functools import cache
from typing import Any

from numba.core import event

logger = logging.getLogger(__name__)

CURE = "set NUMBA_CACHE_DIR to a folder that you can write"
NOT_CACHED = (
    "no folder for compiled code can be written: every process compiles its loops again, for up "
    f"to a minute; {CURE}"
)
# Seconds of CPU time for the functions that take longest, by benchmarks/first_answer.py.
_SECONDS = {
    "graphpool.ged": 19,
    "graphpool.graphs": 12,
    "graphpool.nn": 3,
    "graphpool.data": 3,
}


class CompileNotice(event.Listener):
    """Shows what is compiled on stderr if that is a terminal, and logs it."""

    def __init__(self) -> None:
        self._outer = ""  # the function that was called; it compiles those that it calls
        self._depth, self._count, self._since, self._width = 0, 0, 0.0, 0

    def on_start(self, event: Any) -> None:
        """Note the start of a compilation."""
        function = event.data["dispatcher"].py_func
        if not self._depth:
            if not function.__module__.startswith("graphpool."):
                return
            self._outer, self._since, self._count = function.__module__, time.monotonic(), 0
            logger.info("compiling %s.%s, %s", self._outer, function.__name__, self._expected())
            if event.data["dispatcher"]._cache.cache_path is None:
                warn_once(NOT_CACHED)
        self._depth += 1
        self._show()

    def on_end(self, event: Any) -> None:
        """Note the end of a compilation."""
        if not self._depth:
            return
        self._depth -= 1
        self._count += 1
        self._show()
        if not self._depth:
            self._write("")
            seconds = time.monotonic() - self._since
            logger.info("compiled %d functions in %.1f s", self._count, seconds)

    def _expected(self) -> str:
        package = ".".join(self._outer.split(".")[:2])
        return f"about {_SECONDS.get(package, 3)} s the first time"

    def _show(self) -> None:
        seconds = time.monotonic() - self._since
        self._write(
            f"compiling {self._outer}, {self._expected()}: {self._count} functions, {seconds:.0f} s"
        )

    def _write(self, text: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            sys.stderr.flush()
            self._width = len(text)


@cache
def warn_once(message: str) -> None:
    """Log a warning, the first time only."""
    logger.warning("%s", message)


@cache
def announce_compilation() -> None:
    """Announce compilations from now on."""
    event.register("numba:compile", CompileNotice())
