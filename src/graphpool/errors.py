"""Errors that a user can cause: what is wrong, where, and what to do next.

Every one of them is a `GraphpoolError`; the command line prints its message in one line and
exits with code 2. Any other exception is a bug and shows its traceback. What is no error but should
be known is a `GraphpoolWarning`, which Python's `warnings` shows, collects, or turns into an error.
"""

import difflib
import inspect
import math
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

# A message is meant to be read: an id of a megabyte in it is not.
_LONGEST = 2000

E = TypeVar("E", bound="GraphpoolError")


class GraphpoolError(Exception):
    """Base class of the errors that a user can cause and fix."""

    def __init__(self, message: object = "") -> None:
        super().__init__(shortened(str(message)))

    @classmethod
    def at(
        cls: type[E], path: str | Path, problem: str, *, line: int | None = None, hint: str = ""
    ) -> E:
        """Make an error that names the file (and line), the problem and the next step."""
        where = f"{path}, line {line}" if line is not None else str(path)
        return cls(f"{where}: {problem}" + (f"; {hint}" if hint else ""))


class DataError(GraphpoolError):
    """A file, graph or data set that can't be used."""


class InputError(DataError, ValueError):
    """Tensors that a module can't use: a wrong shape, type, device or value."""


class SelectionError(DataError, IndexError):
    """Positions of graphs, pairs or triplets that don't exist."""


class DownloadError(GraphpoolError):
    """A data set that could not be downloaded."""


class ConfigError(GraphpoolError):
    """A setting that does not exist or has an invalid value."""


class WriteError(GraphpoolError, OSError):
    """A file or folder that can't be written: a full disk, no permission, a name too long."""


class LockedError(GraphpoolError):
    """A folder or file that another process is writing to."""


class MissingPackageError(GraphpoolError, ImportError):
    """An optional package that is not installed."""


class CheckpointError(GraphpoolError):
    """A checkpoint or saved model that can't be read."""


class TrainingError(GraphpoolError):
    """A training run that had to stop."""


class GraphpoolWarning(UserWarning):
    """Base class of the warnings that a user should read."""


class FeatureWarning(GraphpoolWarning):
    """Something that graphs have and a model does not use or does not know."""


class TrainingWarning(GraphpoolWarning):
    """A trained model that should not be relied on."""


def warn(message: str, category: type[GraphpoolWarning] = GraphpoolWarning) -> None:
    """Warn the user; the warning names the line that called graphpool, not one inside it."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "graphpool":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def redirect_warnings(
    category: type[GraphpoolWarning], take: Callable[[str], object]
) -> Iterator[None]:
    """Hand the text of each warning of a category to `take` instead of showing it."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", category)
        show = warnings.showwarning

        def redirect(message: Warning | str, kind: type[Warning], *where: Any) -> None:
            if issubclass(kind, category):
                take(str(message))
            else:
                show(message, kind, *where)

        warnings.showwarning = redirect  # type: ignore[assignment]
        yield


@contextmanager
def collect_warnings(category: type[GraphpoolWarning]) -> Iterator[list[str]]:
    """Collect the texts of warnings of a category instead of showing them."""
    texts: list[str] = []
    with redirect_warnings(category, texts.append):
        yield texts


def plural(count: int, word: str, words: str = "") -> str:
    """`1 graph`, `2 graphs`; `words` is a plural that does not only add an s."""
    return f"{count:,} {word if count == 1 else words or f'{word}s'}"


def shortened(text: str, most: int = _LONGEST) -> str:
    """Return a text with its middle left out if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} … {text[-half:]}"


def was(count: int) -> str:
    """The verb after `plural`."""
    return "was" if count == 1 else "were"


# Common short forms that are too different from our names to be found by similarity.
_SHORT = {
    "lr": "learning_rate",
    "wd": "weight_decay",
    "hidden": "hidden_channels",
    "--lr": "--learning-rate",
    "--root": "--data-root",
}


def nearest(word: object, known: Iterable[str]) -> str:
    """Return `did you mean X?` for the known name closest to `word`, or a list of known names."""
    names = sorted(known)
    word = word[:100] if isinstance(word, str) else brief(word)
    section, dot, key = word.rpartition(".")
    word = f"{section}{dot}{_SHORT.get(key, key)}"
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def check_known(what: str, name: object, known: Collection[str]) -> None:
    """Raise an error that names the nearest known name unless `name` is one of them."""
    if not isinstance(name, str) or name not in known:
        raise ConfigError(f"unknown {what} {brief(name)}; {nearest(name, known)}")


def check_whole(what: str, value: Any, least: int, most: int = 2**62) -> None:
    """Raise an error unless `value` is a whole number from `least` to `most`."""
    kind = type(value)
    if kind is bool or not issubclass(kind, Integral) or not least <= value <= most:
        limit = f"of {least} or more" if most == 2**62 else f"from {least} to {most}"
        raise ConfigError(f"{what} is {brief(value)}; give a whole number {limit}")


def check_real(what: str, value: Any, least: float, most: float = math.inf) -> None:
    """Raise an error unless `value` is a number from `least` to `most`."""
    kind = type(value)
    if kind is bool or not issubclass(kind, Real) or not least <= value <= most:
        limit = f"of {least:g} or more" if most == math.inf else f"from {least:g} to {most:g}"
        raise ConfigError(f"{what} is {brief(value)}; give a number {limit}")


def check_type(what: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise an error unless `value` is of this type; `wanted` says what to give."""
    if not isinstance(value, kind):
        raise ConfigError(f"{what} is a {type(value).__name__}; give {wanted}")


def brief(value: object) -> str:
    """The value as Python writes it, cut where it is long."""
    try:
        text = f"a number of {value.bit_length()} bits" if _long(value) else repr(value)
    except ValueError:  # Python does not write numbers of thousands of digits
        text = f"a {type(value).__name__} with a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:60]}…"


def _long(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and value.bit_length() > 200
