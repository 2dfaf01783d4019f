"""Error messages of the command line: one line on stderr, and an exit code.

Errors that a user can cause exit with code 2. Everything else is a bug and keeps its traceback.
"""

import errno
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from graphpool.errors import GraphpoolWarning, nearest, redirect_warnings

USER_ERROR = 2

# Typer bundles click or depends on it, according to its version; in both cases the common class of
# usage errors is a base of typer's own.
ClickError: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

_ENVIRONMENT = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR,
    errno.EISDIR, errno.EEXIST, errno.ENOENT, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL,
    errno.EIO, errno.ENXIO, errno.ENODEV,
}  # fmt: skip

_CHECK_PATH = "check the path and its permissions"


def report_error(message: object) -> int:
    """Print an error as one line on stderr, and return the exit code."""
    sys.stderr.write(f"graphpool: error: {' '.join(str(message).split())}\n")
    return USER_ERROR


def usage_message(error: Any) -> str:
    """Describe a misspelt or missing option, argument or command, with the nearest name."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "graphpool")
    if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
        return f"no such option {option!r}; {_nearest_option(str(option), context)}"
    text = " ".join(error.format_message().split()).rstrip(".")
    if found := re.match(r"No such command '(.*?)'", text):
        names = getattr(context.command, "commands", ()) if context is not None else ()
        return f"no such command {found[1]!r}; {nearest(found[1], names)}"
    return f"{text[:1].lower()}{text[1:]}; see {command} --help"


def _nearest_option(option: str, context: Any) -> str:
    parameters = context.command.params if context is not None else ()
    known = [name for item in parameters for name in (*item.opts, *item.secondary_opts)]
    hint = nearest(option, [name for name in known if name.startswith("--")] or ["--help"])
    return hint if hint.startswith("did") else f"see {context.command_path} --help"


def environment_message(error: OSError) -> str | None:
    """Describe a folder that can't be written to, a full disk and the like; else return None."""
    if error.filename is None:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            return None
        _discard_output()
        return f"standard output can't be written: {error.strerror}; send it to another file"
    path = Path(str(error.filename))
    if path.suffix == ".tmp":  # of an atomic write; the user knows its folder
        path = path.parent
        return f"{path}: {error.strerror}; choose another folder with --out"
    if error.errno not in _ENVIRONMENT:
        return None
    advice = "choose a shorter name" if error.errno == errno.ENAMETOOLONG else _CHECK_PATH
    return f"{path}: {error.strerror}; {advice}"


def _discard_output() -> None:
    """Drop what stdout still holds, which Python would try to write again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Stderr(logging.StreamHandler[Any]):
    """A handler that writes to the current stderr, also while a progress bar replaces it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self, logging.WARNING)
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop repeated messages."""
        text = record.getMessage()
        new = text not in self._seen
        self._seen.add(text)
        return new and bool(super().filter(record))

    def format(self, record: logging.LogRecord) -> str:
        text = " ".join(record.getMessage().split())
        return f"graphpool: {record.levelname.lower()}: {text}"

    @property
    def stream(self) -> Any:
        return sys.stderr


@contextmanager
def showing_warnings() -> Iterator[None]:
    """Print the library's warnings on stderr, each once and on one line."""
    logger, handler = logging.getLogger("graphpool"), _Stderr()
    logger.addHandler(handler)
    try:
        with redirect_warnings(GraphpoolWarning, logger.warning):
            yield
    finally:
        logger.removeHandler(handler)
