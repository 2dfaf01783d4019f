"""A file and how it is read, in one string: `bbbp.csv:smiles=smiles,target=p_np`.

Settings of runs, model files and experiments name their graphs by such a string, as they name
generated sets with settings. Characters of column names that would be misread are written as in
addresses (`%2C` for a comma), and several columns are joined by `+`.

Nothing here imports torch or numpy: the command line needs names and paths before either.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from graphpool.data.paths import exists
from graphpool.data.read_options import ReadOptions

_KEYS = ("smiles", "target", "id", "skip_bad")
_PART = rf"(?:{'|'.join(_KEYS)})=[^,:=/\\]*"
_SETTINGS = re.compile(rf":({_PART}(?:,{_PART})*)$")


def split_data(data: str) -> tuple[str, ReadOptions]:
    """Return the path, or name, and how to read it."""
    match = _SETTINGS.search(data)
    if match is None or exists(Path(data)):
        return data, ReadOptions()
    given = dict(part.split("=", 1) for part in match[1].split(","))
    options = ReadOptions.of(
        unquote(given.get("smiles", "")),
        [unquote(name) for name in given.get("target", "").split("+") if name],
        unquote(given.get("id", "")),
        given.get("skip_bad", "") == "true",
    )
    return data[: match.start()], options


def plain_data(data: str) -> str:
    """Return the path, or name, alone."""
    return split_data(data)[0]


def join_data(
    data: str,
    smiles: str | None = None,
    y: Sequence[str] | None = None,
    id: str | None = None,
    skip_bad: bool = False,
) -> str:
    """Return the string for a path, or name, and how to read it; the inverse of `split_data`."""
    plain, before = split_data(data)
    values = {
        "smiles": _quoted(smiles or before.smiles),
        "target": "+".join(map(_quoted, y or before.y)),
        "id": _quoted(id or before.id),
        "skip_bad": "true" if skip_bad or before.bad.skip else "",
    }
    settings = ",".join(f"{key}={value}" for key, value in values.items() if value)
    return f"{plain}:{settings}" if settings else plain


def _quoted(name: str) -> str:
    return quote(name, safe="")
