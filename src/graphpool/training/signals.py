"""SIGINT and SIGTERM while training: finish the step, write a checkpoint, exit 130 or 143."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """A signal asked a run to stop, and it did so in good order.

    Not an `Exception`, so that code which retries or skips failures lets it through, and not a
    `KeyboardInterrupt`, which command-line frameworks turn into an exit code of their own.
    """

    def __init__(self, signum: int, message: str = "") -> None:
        self.signum = signum
        super().__init__(message or f"stopped by {self.name}")

    @property
    def name(self) -> str:
        """SIGINT or SIGTERM."""
        return signal.Signals(self.signum).name

    @property
    def exit_code(self) -> int:
        """What a shell expects: 130 after SIGINT, 143 after SIGTERM."""
        return 128 + self.signum


class StopRequest:
    """Remembers the signal that came; a second one no longer waits."""

    def __init__(self) -> None:
        self.signum: int | None = None

    def receive(self, signum: int, frame: FrameType | None) -> None:
        """Signal handler."""
        if self.signum is not None:
            raise Interrupted(signum, "stopped at once by a second signal")
        self.signum = signum


@contextmanager
def watch_signals(active: bool = True) -> Iterator[StopRequest]:
    """Collect SIGINT and SIGTERM in the returned request, and put the old handlers back after.

    Only the main thread may install handlers; elsewhere nothing is collected.
    """
    request = StopRequest()
    if not active or threading.current_thread() is not threading.main_thread():
        yield request
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, request.receive) for number in numbers]
    try:
        yield request
    finally:
        for number, handler in zip(numbers, before, strict=True):
            # None: a handler that was not installed from Python and can't be put back from it.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def interrupts_exit() -> Iterator[None]:
    """Turn an interrupted run into the exit code of its signal, with its message on stderr."""
    try:
        yield
    except Interrupted as stop:
        sys.stderr.write(f"{stop}\n")
        sys.exit(stop.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("stopped by SIGINT\n")
        sys.exit(128 + signal.SIGINT)
