"""How a file is read, where its format leaves a choice: which columns, and what of bad lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from graphpool.data.bad_rows import BadRows
from graphpool.errors import ConfigError, check_type

_OPTIONS = {"smiles": "--smiles (smiles=)", "y": "--target (y=)", "id": "--id (id=)",
            "skip_bad": "--skip-bad (skip_bad=)"}  # fmt: skip


@dataclass(frozen=True)
class ReadOptions:
    """What a user says about a file.

    Args:
        smiles: column of SMILES; by default the one that is called so.
        y: columns of the values to predict; by default the one called `y`, if there is one.
        id: column of the ids; by default graphs are numbered.
        strict: whether a file without these columns is an error, and one that has none of any kind.
        check_valence: whether a molecule beyond rdkit's rules of valence can't be read.
        bad: what becomes of lines that can't be read.
    """

    smiles: str = ""
    y: tuple[str, ...] = ()
    id: str = ""
    strict: bool = True
    check_valence: bool = True
    bad: BadRows = field(default_factory=BadRows, compare=False)

    @classmethod
    def of(
        cls,
        smiles: str | None = None,
        y: str | Sequence[str] | None = None,
        id: str | None = None,
        skip_bad: bool = False,
    ) -> "ReadOptions":
        """Check the arguments of a user."""
        check_type("skip_bad", skip_bad, bool, "True or False")
        check_type("y", y, (str, list, tuple, NoneType), "a column, or a list of columns")
        names = (y,) if isinstance(y, str) else tuple(y or ())
        for what, name in (("smiles", smiles), ("id", id), *(("y", name) for name in names)):
            check_type(what, name, (str, NoneType), "the name of a column")
        if len(set(names)) < len(names):
            raise ConfigError(f"y: {', '.join(map(str, names))} names a column twice")
        return cls(smiles or "", tuple(filter(None, names)), id or "", bad=BadRows(skip_bad))

    @property
    def is_default(self) -> bool:
        """Whether no column is named."""
        return self == ReadOptions()

    def key(self) -> dict[str, Any]:
        """Return what a cached set depends on; nothing by default."""
        values = {"smiles": self.smiles, "y": list(self.y), "id": self.id}
        given = {key: value for key, value in values.items() if value}
        return given if self.strict else {**given, "strict": False}

    def check_used(self, where: object, known: Iterable[str]) -> None:
        """Refuse what a format has no use for."""
        if not self.strict:
            return
        given = {"smiles": self.smiles, "y": self.y, "id": self.id, "skip_bad": self.bad.skip}
        for name, value in given.items():
            if value and name not in set(known):
                raise ConfigError(
                    f"{where}: {_OPTIONS[name]} has no use here; it is for CSV files with a "
                    "column of SMILES" + (" and JSON lines" if name == "skip_bad" else "")
                )
