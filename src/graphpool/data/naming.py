"""How users name graphs: by a set's name, or by a file or folder, one word for both."""

from pathlib import Path

SUFFIXES = (".jsonl", ".zip", ".npz", ".safetensors")


def is_path(data: str) -> bool:
    """Whether this is meant as a file or folder, and not as a name."""
    from graphpool.data import catalogue

    path = Path(data)
    if path.suffix in SUFFIXES or "/" in data or len(path.parts) > 1:
        return True
    return path.exists() and catalogue.resolve(data) not in catalogue.KNOWN


def short_name(data: str) -> str:
    """What a set is called, given its name or its file."""
    path = Path(data)
    return path.stem if path.suffix in SUFFIXES else path.name
