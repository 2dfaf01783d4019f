"""Parse one graph in GEXF, the XML format of Gephi and NetworkX.

Document types are refused: they declare entities, the way by which an XML file can make a parser
open other files or fill the memory.
"""

from typing import NamedTuple
from xml.parsers import expat

from graphpool.errors import DataError
from graphpool.graphs.vocabulary import Name

# The titles that edit-distance sets give to labels, where there are several attributes.
_TITLES = {"node": "type", "edge": "valence"}
_WHOLE = {"integer", "long", "short", "byte", "biginteger"}
_FETCH = "fetch the file again"


class GexfGraph(NamedTuple):
    """Nodes are numbered in the order of the file; labels are None where no attribute is declared.

    Args:
        edges: both ends of each edge.
        unread: attributes of nodes and edges that were not read.
    """

    nodes: int
    edges: list[tuple[int, int]]
    node_labels: list[Name] | None
    edge_labels: list[Name] | None
    unread: frozenset[str]


class _Item(NamedTuple):
    """A node or an edge as the file has it; `ends` are ids of nodes."""

    line: int
    ends: tuple[str, ...]
    values: dict[str, str]


class _Attribute(NamedTuple):
    id: str
    title: str
    whole: bool


def parse_gexf(data: bytes, where: str) -> GexfGraph:
    """Parse the graph in a GEXF file; errors name the file as `where`, and the line."""
    return _Reader(data, where).graph()


class _Reader:
    def __init__(self, data: bytes, where: str) -> None:
        self.where = where
        self.items: dict[str, list[_Item]] = {"node": [], "edge": []}
        self.declared: dict[str, list[_Attribute]] = {"node": [], "edge": []}
        self.unread: set[str] = set()
        self._kind = ""
        self._graphs = 0
        self._parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            problem = f"not whole XML: {expat.errors.messages[error.code]}"
            raise self.wrong(problem, _FETCH, error.lineno) from None
        except (LookupError, ValueError) as error:  # an unknown encoding
            raise self.wrong(f"can't be read: {error}", _FETCH) from None
        if not self._graphs:
            raise self.wrong("there is no graph in this file", _FETCH)

    def wrong(self, problem: str, hint: str = "correct this line", line: int = 0) -> DataError:
        return DataError.at(
            self.where, problem, line=line or self._parser.CurrentLineNumber, hint=hint
        )

    def _doctype(self, *_: object) -> None:
        raise self.wrong("a document type is declared, which GEXF does not need", "remove it")

    def _start(self, tag: str, given: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "attvalue":
            key = given.get("for", given.get("id", ""))
            if self.items.get(self._kind):
                self.items[self._kind][-1].values[key] = given.get("value", "")
        elif tag == "node":
            self._kind = tag
            self._add(tag, (self._needed(given, tag, "id"),))
        elif tag == "edge":
            self._kind = tag
            self._check_direction(given.get("type", ""))
            if "weight" in given:
                self.unread.add("edge weights")
            self._add(tag, (self._needed(given, tag, "source"), self._needed(given, tag, "target")))
        elif tag == "attributes":
            self._kind = given.get("class", "")
        elif tag == "attribute":
            whole = given.get("type", "string").lower() in _WHOLE
            made = _Attribute(given.get("id", ""), given.get("title", ""), whole)
            self.declared.setdefault(self._kind, []).append(made)
        elif tag == "graph":
            self._graphs += 1
            self._check_direction(given.get("defaultedgetype", ""))

    def _add(self, kind: str, ends: tuple[str, ...]) -> None:
        self.items[kind].append(_Item(self._parser.CurrentLineNumber, ends, {}))

    def _needed(self, given: dict[str, str], tag: str, key: str) -> str:
        if key not in given:
            raise self.wrong(f"this {tag} has no {key}")
        return given[key]

    def _check_direction(self, kind: str) -> None:
        if kind.lower() not in ("", "undirected"):
            raise self.wrong(
                f"edges are {kind}, and sets of GEXF files are read as undirected graphs",
                "read directed graphs with networkx.read_gexf and graphpool.from_networkx",
            )

    def graph(self) -> GexfGraph:
        position: dict[str, int] = {}
        for node in self.items["node"]:
            if node.ends[0] in position:
                raise self.wrong(f"node {node.ends[0]} appears twice", line=node.line)
            position[node.ends[0]] = len(position)
        if not position:
            raise self.wrong("a graph needs at least one node", "leave this graph out")
        edges = []
        for edge in self.items["edge"]:
            for end in edge.ends:
                if end not in position:
                    raise self.wrong(f"edge to node {end}, which does not exist", line=edge.line)
            edges.append((position[edge.ends[0]], position[edge.ends[1]]))
        labels = {kind: self._labels(kind) for kind in self.items}
        return GexfGraph(
            len(position), edges, labels["node"], labels["edge"], frozenset(self.unread)
        )

    def _labels(self, kind: str) -> list[Name] | None:
        """The label of each node or edge: its only attribute, or the one of the usual title."""
        declared = self.declared[kind]
        chosen = [item for item in declared if item.title == _TITLES[kind]] or declared
        if not chosen:
            return None
        if len(chosen) > 1:
            titles = ", ".join(item.title for item in chosen)
            raise self.wrong(
                f"which attribute is the label of a {kind}: {titles}?",
                f"keep one, or call one {_TITLES[kind]!r}",
            )
        label = chosen[0]
        others = (item.title for item in declared if item.id != label.id)
        self.unread.update(f"{kind} attribute {title!r}" for title in others)
        return [self._label(kind, item, label) for item in self.items[kind]]

    def _label(self, kind: str, item: _Item, label: _Attribute) -> Name:
        value = item.values.get(label.id)
        if value is None:
            raise self.wrong(f"this {kind} has no {label.title!r}, its label", line=item.line)
        if not label.whole:
            return value
        try:
            return int(value)
        except ValueError:
            problem = f"{label.title} {value!r} is not a whole number"
            raise self.wrong(problem, line=item.line) from None
