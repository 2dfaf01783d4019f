"""Files and folders of graphs by their names alone: suffixes, and what a set in them is called.

Nothing here imports torch or numpy: the command line needs names and paths before either.
"""

from pathlib import Path

SUFFIXES = (
    ".npz", ".zip", ".safetensors", ".jsonl", ".json", ".gz", ".graphml", ".gexf", ".csv", ".npy",
    ".smi", ".g6", ".s6",
)  # fmt: skip
"""Suffixes of files of graphs, in the order in which a set is looked for by its name."""


def exists(path: Path) -> bool:
    """Whether there is such a file or folder; a name that no file can have does not exist."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def stem(path: Path) -> str:
    """Return the name of a file without the suffixes of a format, such as `.jsonl.gz`."""
    name = path.name.removesuffix(".gz")
    return Path(name).stem if Path(name).suffix in SUFFIXES else name
