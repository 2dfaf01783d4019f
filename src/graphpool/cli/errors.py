"""What a user sees when something goes wrong: one line on stderr and an exit code.

Errors that a user can cause end with code 2. Everything else is a bug and keeps its traceback.
"""

import errno
import logging
import re
import sys
from pathlib import Path
from typing import Any

import typer

from graphpool.errors import nearest

USER_ERROR = 2

# Typer carries a copy of click or depends on it, as its version will have it; in both cases the
# class that usage errors have in common is a base of typer's own.
ClickError: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

_ENVIRONMENT = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR,
    errno.EISDIR, errno.EEXIST,
}  # fmt: skip


def complain(message: object) -> None:
    """One line on stderr."""
    sys.stderr.write(f"graphpool: error: {' '.join(str(message).split())}\n")


def usage_message(error: Any) -> str:
    """A misspelt or missing option, argument or command in one line, with the nearest name."""
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
    """A folder that can't be written to, a full disk and the like; None for anything else."""
    if error.filename is None:
        return None
    place = Path(str(error.filename))
    if place.suffix == ".tmp":  # of an atomic write; the user knows its folder
        place = place.parent
    elif error.errno not in _ENVIRONMENT:
        return None
    return f"{place}: {error.strerror}; choose another place with --out"


class _Stderr(logging.StreamHandler[Any]):
    """Writes to whatever stderr is at that moment, also while a progress bar holds it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self._told: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say the same thing once."""
        text = record.getMessage()
        new = text not in self._told
        self._told.add(text)
        return new and bool(super().filter(record))

    @property
    def stream(self) -> Any:
        return sys.stderr


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"graphpool: {record.levelname.lower()}: {record.getMessage()}"


def show_warnings() -> None:
    """Let the library's warnings reach stderr."""
    logger = logging.getLogger("graphpool")
    if not any(isinstance(handler, _Stderr) for handler in logger.handlers):
        handler = _Stderr()
        handler.setLevel(logging.WARNING)
        handler.setFormatter(_Line())
        logger.addHandler(handler)
