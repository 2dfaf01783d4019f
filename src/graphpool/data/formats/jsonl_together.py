"""Check that the graphs of a file fit together: the same keys, one kind of names, equal widths."""

from graphpool.data.formats.jsonl_row import LABELS, NUMBERS, Row
from graphpool.data.targets import is_target
from graphpool.errors import DataError

_TABLES = (*NUMBERS, "graph_attributes")


class Together:
    """What the graphs so far have in common; `check` takes one after the other."""

    def __init__(self) -> None:
        self._first: Row | None = None
        self._with: dict[str, Row] = {}
        self._without: dict[str, Row] = {}
        self._kinds: dict[str, type] = {}
        self._widths: dict[str, tuple[int, ...]] = {}
        self._numbers = self._targets = self._classes = False
        self._problem: DataError | None = None  # of classes, if y turns out to be these

    def check(self, row: Row) -> None:
        """Refuse a graph that does not fit to those before."""
        about = Row(row.path, row.line, row.id)  # without what takes memory
        if self._first is None:
            self._first, self._classes = about, row.y is not None
        for key in (*LABELS, *_TABLES):
            if key in row.parts:
                self._with.setdefault(key, about)
            elif row.edges.shape[1] or not key.startswith("edge"):
                self._without.setdefault(key, about)
            if key in self._with and key in self._without:
                problem = f"no {key}, but graph {self._with[key].id!r} has them"
                raise self._without[key].wrong(problem, "give them for all graphs or for none")
        for key in LABELS.keys() & row.parts.keys():
            for kind in set(map(type, row.parts[key])):
                if self._kinds.setdefault(key, kind) is not kind:
                    raise _mixed(row, key)
        for key in row.parts.keys() & set(_TABLES):
            width = row.parts[key].shape[1:]
            if len(row.parts[key]) and self._widths.setdefault(key, width) != width:
                before = self._widths[key][0]
                raise row.wrong(
                    f"{width[0]} numbers in each item of {key}, {before} in the graphs before"
                )
        self._check_answer(row)

    def _check_answer(self, row: Row) -> None:
        assert self._first is not None
        has_y = row.y is not None
        self._numbers |= is_target([row.y])
        self._targets |= row.targets is not None
        if self._problem is None and has_y != self._classes:
            problem = f"{'has a' if has_y else 'no'} y, unlike graph {self._first.id!r}"
            self._problem = row.wrong(problem, "give y for all graphs or for none")
        elif self._problem is None and has_y:
            kind = str if isinstance(row.y, str) else int
            if self._kinds.setdefault("y", kind) is not kind:
                self._problem = _mixed(row, "y")

    def target_key(self) -> str | None:
        """Return the key of the numbers to predict; None if there are none."""
        if self._numbers and self._targets:
            assert self._first is not None
            hint = "give them once, in targets"
            raise self._first.wrong("numbers both in y and in targets", hint)
        return "y" if self._numbers else "targets" if self._targets else None

    def has_classes(self) -> bool:
        """Whether y names classes; an error if those don't fit together."""
        if not self._numbers and self._problem is not None:
            raise self._problem
        return self._classes and not self._numbers


def _mixed(row: Row, key: str) -> DataError:
    return row.wrong(f"{key} mixes words and numbers", "write all of them as words")
