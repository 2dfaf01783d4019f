"""Errors that a user can cause: what is wrong, where, and what to do next.

Every one of them is a `GraphpoolError`; the command line prints its message in one line and
exits with code 2. Anything else that escapes is a bug of ours and keeps its traceback.
"""

import difflib
from collections.abc import Iterable
from pathlib import Path


class GraphpoolError(Exception):
    """Base of all errors that a user can cause and mend."""


class DataError(GraphpoolError):
    """A file, a graph or a data set that can't be used as it is."""

    @classmethod
    def at(
        cls, path: str | Path, problem: str, *, line: int | None = None, hint: str = ""
    ) -> "DataError":
        """Name the file (and line) before the problem, and the next step after it."""
        where = f"{path}, line {line}" if line is not None else str(path)
        return cls(f"{where}: {problem}" + (f"; {hint}" if hint else ""))


class DownloadError(GraphpoolError):
    """A data set that could not be fetched."""


class ConfigError(GraphpoolError):
    """A setting that does not exist or can't have this value."""


class MissingPackageError(GraphpoolError, ImportError):
    """An optional package that is not installed."""


class CheckpointError(GraphpoolError):
    """A checkpoint or saved model that can't be read back."""


class TrainingError(GraphpoolError):
    """A training run that had to stop."""


# Short forms that people know from elsewhere; they look too little like our names to be guessed.
_SHORT = {
    "lr": "learning_rate",
    "wd": "weight_decay",
    "hidden": "hidden_channels",
    "--lr": "--learning-rate",
    "--root": "--data-root",
}


def nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean X?` for the known name closest to `word`, else a list of the known names."""
    names = sorted(known)
    section, dot, key = word.rpartition(".")
    word = f"{section}{dot}{_SHORT.get(key, key)}"
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
