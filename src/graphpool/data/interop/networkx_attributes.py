"""Which attributes of NetworkX graphs are labels, numbers and classes: as named, or by guess."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.interop.common import named_codes
from graphpool.errors import DataError, brief, nearest, shortened
from graphpool.graphs.vocabulary import Name

AUTO = "auto"

Items = Sequence[tuple[int, dict[str, Any]]]
"""The graph of each node, edge or graph, and its attributes."""

# Names under which labels and classes are common; the first is that of `to_networkx`.
_LABELS = {
    "nodes": ("label", "node_label", "atom", "element", "symbol", "atom_type", "type"),
    "edges": ("label", "edge_label", "bond", "bond_type", "order", "valence", "type"),
    "graphs": ("y", "class", "label"),
}  # fmt: skip
_NUMBERS = "attr"
# What counts nodes and edges, or what readers of NetworkX add to a graph, describes nothing.
_IDENTITIES = {"id", "index", "idx", "name"}
_OF_READERS = {"id", "name", "node_default", "edge_default", "mode", "start", "end", "graphics"}


@dataclass(frozen=True)
class Attributes:
    """The attributes of all nodes, all edges or all graphs of some graphs.

    Args:
        kind: `nodes`, `edges` or `graphs`.
        set_name: named in errors.
        names: of the nodes in NetworkX, or both ends of each edge.
    """

    items: Items
    kind: str
    set_name: str
    names: Sequence[Any] = ()

    def counts(self) -> Counter[str]:
        """Return how many items have each attribute."""
        return Counter(key for _, values in self.items for key in values)

    def label_key(self, wanted: str | None, taken: Sequence[str | None] = ()) -> str | None:
        """Return the attribute that holds labels or classes; None if there is none."""
        counts = self.counts()
        usual = _LABELS[self.kind]
        if wanted != AUTO:
            return self._checked(wanted, usual[0], counts)
        if usual[0] in counts and not self._repeats_identity(usual[0]):
            return usual[0]
        complete = [key for key in counts if counts[key] == len(self.items) and key not in taken]
        for key in usual[1:]:
            if key in complete and all(_is_name(values[key]) for _, values in self.items):
                return key
        if self.kind == "graphs":
            return None
        words = [
            key
            for key in complete
            if key not in (*_IDENTITIES, usual[0])
            and all(isinstance(values[key], str) for _, values in self.items)
        ]
        return words[0] if len(words) == 1 else None

    def number_keys(
        self, wanted: str | Sequence[str] | None, taken: Sequence[str | None]
    ) -> list[str]:
        """Return the attributes that hold numbers, in the order of their channels."""
        counts = self.counts()
        if wanted is None:
            return []
        if isinstance(wanted, str) and wanted != AUTO:
            wanted = [wanted]
        if not isinstance(wanted, str):
            return [key for key in wanted if self._checked(key, _NUMBERS, counts)]
        found = [_NUMBERS] if _NUMBERS in counts else []
        for key in sorted(map(str, counts)):
            if key in (_NUMBERS, *taken, *_IDENTITIES) or counts[key] < len(self.items):
                continue
            if self._table(key, [values[key] for _, values in self.items]) is not None:
                found.append(key)
        return found

    def text(self, taken: Sequence[str | None]) -> dict[str, tuple[str, ...]]:
        """Return the attributes that hold text everywhere, such as a date or a SMILES."""
        keys = [str(key) for key in self.counts() if key not in {*taken, *_OF_READERS}]
        columns = {key: tuple(values.get(key) for _, values in self.items) for key in keys}
        return {key: text for key, text in columns.items() if set(map(type, text)) == {str}}

    def unused(self, used: Sequence[str | None]) -> set[str]:
        """Return the attributes that are not used, and that say something."""
        usual = _LABELS[self.kind][0]
        empty = {usual} if self._repeats_identity(usual) else set()
        return {str(key) for key in self.counts()} - {*used, *_OF_READERS, *empty}

    def column(self, key: str | None, default: float | None = None) -> list[Any] | None:
        """Return an attribute of all items, or None where no item has it.

        An item without it gets the `default`; without a default that is an error.
        """
        having = [key in values for _, values in self.items]
        if key is None or not any(having):
            return None
        if default is None and not all(having):
            graph = self.items[having.index(False)][0]
            raise DataError(
                f"{self.set_name}, graph {graph}: {key!r} is missing on a node, an edge or the "
                "graph, and others have it; give it to all, or choose another key"
            )
        return [values.get(key, default) for _, values in self.items]

    def codes(self, key: str | None) -> tuple[Tensor | None, tuple[Name, ...]]:
        """Return labels as codes, and what the codes mean."""
        return named_codes(self.column(key), key, self.set_name)

    def numbers(self, keys: Sequence[str], default: float | None = None) -> Tensor | None:
        """Return attributes as numbers, `[items, channels]`; None where no item has them."""
        tables = []
        for key in keys:
            if (values := self.column(key, default)) is not None:
                if (table := self._table(key, values)) is None:
                    raise DataError(f"{self.set_name}: {key} must hold numbers, as many everywhere")
                tables.append(table)
        return torch.from_numpy(np.concatenate(tables, axis=1)) if tables else None

    def _table(self, key: str, values: Sequence[Any]) -> NDArray[np.float32] | None:
        """Return finite numbers as `[items, channels]`; None if they are none."""
        table = _numbers(values)
        if table is None:
            return None
        wrong = ~(np.abs(table) <= np.finfo(np.float32).max).all(axis=1)
        if wrong.any():
            at = int(wrong.argmax())
            raise DataError(
                f"{self.set_name}, graph {self.items[at][0]}: {key!r} of {self._item(at)} is "
                f"{brief(values[at])}, which is not finite; correct it, or remove {key!r} from all "
                f"{self.kind}"
            )
        return table.astype(np.float32)

    def _item(self, at: int) -> str:
        """Name one of the items, such as `edge 0-3`."""
        if self.kind == "graphs":
            return "the graph"
        name = self.names[at]
        named = "-".join(map(str, name)) if self.kind == "edges" else shortened(str(name), 80)
        return f"{self.kind[:-1]} {named}"

    def _checked(self, key: str | None, usual: str, counts: Counter[str]) -> str | None:
        """Refuse an attribute that nothing has; the usual one may be absent."""
        if key is not None and key != usual and self.items and key not in counts:
            known = nearest(key, map(str, counts)) if counts else "they have no attributes"
            raise DataError(
                f"{self.set_name}: none of the {self.kind} has the attribute {key!r}; {known}"
            )
        return key

    def _repeats_identity(self, key: str) -> bool:
        """Whether labels only repeat the ids of nodes, as `networkx.read_gexf` makes them."""
        return bool(self.names) and all(
            isinstance(name, str) and values.get(key) == name
            for name, (_, values) in zip(self.names, self.items, strict=True)
        )


def _is_name(value: Any) -> bool:
    return isinstance(value, (str, Integral))


def _numbers(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return numbers as `[values, channels]`; None if they are none, or not as many everywhere."""
    if any(value is None or isinstance(value, (str, bytes)) for value in values):
        return None  # NumPy takes None for NaN
    try:
        plain = [value.tolist() if isinstance(value, Tensor) else value for value in values]
        table = np.array(plain, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    return table.reshape(len(values), -1) if table.size else None
