"""One-hot labels of nodes or of edges."""

from collections.abc import Sequence
from typing import ClassVar

import torch

from graphpool.errors import DataError, FeatureWarning, warn
from graphpool.features.base import Feature, fitted
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.typing import Float, Tensor

ONE_HOT = 128
"""Labels that have a column each, as many as degrees have at most; more of them are codes."""


class Labels(Feature):
    """One column for each label that a fitted graph has; of more than `ONE_HOT`, one of codes.

    The column of codes holds 1, 2, … for the labels and 0 for any other, and the network begins
    with a learned vector for each of them (`graphpool.nn.label_embedding`), so that memory grows
    with nodes and with labels, and not with their product. Codes up to 2²⁴ are exact in float32.

    Labels are matched by name, because another set may number them differently. A row with a label
    that was not seen in `fit` gets a row of zeros; `unknown` counts them in the last transform,
    and the first time there are any a warning says so.
    """

    kind = "labels"
    summary = f"node labels, matched by name: one-hot, or learned vectors of more than {ONE_HOT}"
    stored = ("labels",)
    prefix: ClassVar[str] = "label"
    instead: ClassVar[str] = "use features='degree', 'bindegree' or 'auto'"

    def __init__(self) -> None:
        self.labels: tuple[Name, ...] | None = None
        self.unknown = 0
        self._warned = False

    def fit(self, graphs: GraphSet) -> "Labels":
        """Find the labels that occur in `graphs`."""
        codes, names = self._codes(graphs), self._names(graphs)
        seen = torch.bincount(codes[codes >= 0], minlength=len(names)) > 0
        self.labels = tuple(names[code] for code in seen.nonzero().flatten())
        self._warned = False
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "rows channels"]:
        """Set one column of each row, or none for an unknown label."""
        labels = fitted(self.kind, self.labels)
        codes, names = self._codes(graphs), self._names(graphs)
        column = {_key(label): number for number, label in enumerate(labels)}
        # One entry per code and a last one, which a code of -1 (no label) reads too.
        own = [column.get(_key(name), -1) for name in names]
        table = torch.tensor([*own, -1], device=graphs.device)
        missing = table < 0
        self.unknown = int(missing[codes].sum())
        if self.unknown and not self._warned:
            self._warned = True
            warn(
                f"{graphs.name}: {self.unknown} of {len(codes)} {self.of}s have labels that were "
                f"not seen in training, such as {_example(names, codes, missing)!r}; their label "
                "features are zero",
                FeatureWarning,
            )
        where = table[codes]
        if self.lookup is not None:
            return (where + 1).float().unsqueeze(1)
        rows = torch.eye(len(labels) + 1, len(labels), device=graphs.device)
        return rows[where]

    @property
    def lookup(self) -> int | None:
        """Number of codes that the column holds, 0 among them; None for one-hot columns."""
        count = len(fitted(self.kind, self.labels))
        return count + 1 if count > ONE_HOT else None

    def check_known(self, graphs: GraphSet) -> None:
        """Refuse graphs none of whose labels was seen in `fit`."""
        known = fitted(self.kind, self.labels)
        codes, names = self._codes(graphs), self._names(graphs)
        found = [names[code] for code in torch.unique(codes[codes >= 0]).tolist()]
        if len(codes) and not {_key(name) for name in known} & {_key(name) for name in found}:
            raise DataError(
                f"{graphs.name}: the model knows none of the {self.of} labels; its labels are "
                f"{_some(known)}, those found are {_some(found)}; write them as in the training "
                "graphs"
            )

    def _codes(self, graphs: GraphSet) -> Tensor:
        codes = self._labels(graphs)
        if codes is None:
            hint = (
                self.instead
                if self.labels is None
                else "the model was trained on graphs with them: label these graphs too"
            )
            raise DataError(f"{graphs.name} has no {self.of} labels; {hint}")
        return codes.long()

    def _labels(self, graphs: GraphSet) -> Tensor | None:
        return graphs.node_label

    def _names(self, graphs: GraphSet) -> tuple[Name, ...]:
        return graphs.node_label_names

    @property
    def names(self) -> tuple[str, ...]:
        """`label=NAME` for each column, or `label` for a column of codes."""
        if self.lookup is not None:
            return (self.prefix,)
        return tuple(f"{self.prefix}={label}" for label in fitted(self.kind, self.labels))


class EdgeLabels(Labels):
    """The same for labels of edges; both directions of an edge have one of their own."""

    of = "edge"
    kind = "edge_labels"
    summary = f"edge labels, matched by name: one-hot, or learned vectors of more than {ONE_HOT}"
    prefix = "edge label"
    instead = "use features='auto'"

    def _labels(self, graphs: GraphSet) -> Tensor | None:
        if graphs.edge_label is None and self.labels is not None and not graphs.num_edges:
            return graphs.edge_index[0]  # graphs without edges lack nothing
        return graphs.edge_label

    def _names(self, graphs: GraphSet) -> tuple[Name, ...]:
        return graphs.edge_label_names


def _key(name: Name) -> tuple[bool, Name]:
    """Keep the label 1 and the label "1" apart in a dict."""
    return isinstance(name, str), name


def _some(names: Sequence[Name], most: int = 5) -> str:
    """List a few names, with quotes around words."""
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown}, …" if len(names) > most else shown or "none"


def _example(names: Sequence[Name], codes: Tensor, missing: Tensor) -> Name | None:
    code = int(codes[missing[codes]][0])
    return names[code] if code >= 0 else None
