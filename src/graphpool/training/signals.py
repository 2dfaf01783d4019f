"""Handle SIGINT and SIGTERM: finish the step, write a checkpoint, exit with 130 or 143."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """A run was stopped by a signal, after it saved its state.

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
        """The exit code that a shell expects: 130 after SIGINT, 143 after SIGTERM."""
        return 128 + self.signum


class StopRequest:
    """Stores the signal that was received; a second one stops the run at once."""

    def __init__(self) -> None:
        self.signum: int | None = None

    def receive(self, signum: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if self.signum is not None:
            raise Interrupted(signum, "stopped at once by a second signal")
        self.signum = signum


@contextmanager
def watch_signals(active: bool = True) -> Iterator[StopRequest]:
    """Record SIGINT and SIGTERM in the returned request, and restore the old handlers afterwards.

    Only the main thread may install handlers; in other threads nothing is recorded.
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
            # None: a handler that was not installed from Python and can't be restored from it.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def interrupts_exit() -> Iterator[None]:
    """Exit with the code of the signal that stopped a run, and print its message on stderr."""
    try:
        yield
    except Interrupted as stop:
        sys.stderr.write(f"{stop}\n")
        sys.exit(stop.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("stopped by SIGINT\n")
        sys.exit(128 + signal.SIGINT)
