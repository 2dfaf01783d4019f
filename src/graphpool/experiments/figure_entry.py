"""Figures of an experiment as its file has them, `[[figures]]`, and what is wrong with one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from graphpool.errors import ConfigError
from graphpool.experiments.methods import check_known, family_of

FigureName = Literal["map", "curves", "clusters"]
# How many graphs of a set are drawn, if a figure does not say so.
GRAPHS: dict[str, int] = {"map": 1000, "clusters": 2}


@dataclass(frozen=True)
class FigureEntry:
    """A picture of trained networks, those of the first seed and fold.

    `graphpool experiments figures` trains them.

    Args:
        name: of the file `results/figures/NAME.json`, which the picture is drawn from.
        picture: an SVG file, relative to the project.
        kind: `map` has the graph vectors laid out by t-SNE, a row for each of the data and a map
            for each method. `curves` has the loss and the accuracy of every epoch, a row for each
            of the data and a line for each method. `clusters` has test graphs whose nodes show
            their clusters on the first level, a row for each graph and a column for each method.
        methods, data: of the experiment; by default all.
        graphs: how many graphs of a set are drawn at most, by default 1000 of a map and 2 of
            clusters. Of a map test graphs come first. Of clusters they are the first test graphs
            that all networks classify correctly, those first whose number of nodes is nearest to
            the median.
        ids: of clusters: the test graphs that are drawn instead, by data, such as
            `ids = {MUTAG = ["17", "42"]}`.
    """

    name: str
    picture: str
    kind: FigureName = "map"
    title: str = ""
    methods: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    graphs: int = 0
    ids: dict = field(default_factory=dict, hash=False)  # type: ignore[type-arg]

    @property
    def most_graphs(self) -> int:
        """How many graphs of a set are drawn at most."""
        return self.graphs or GRAPHS.get(self.kind, 0)


def check_figures(
    figures: Sequence[FigureEntry],
    where: str,
    task: str,
    searched: bool,
    data: Sequence[str],
    poolers: Mapping[str, str],
) -> None:
    """Refuse figures that can't be drawn.

    Args:
        where: the file.
        task: of the networks; only those that classify graphs are drawn.
        searched: whether the settings of networks are searched, which figures don't do.
        data: names in the experiment.
        poolers: of every method, by its name; empty for a rule.
    """
    names = [figure.name for figure in figures]
    for figure in figures:
        own = f"{where}: figure {figure.name}"
        if task != "classification":
            raise ConfigError(
                f"{own}: figures are of networks that classify graphs, not of the task {task}; "
                "leave it out"
            )
        if searched:
            raise ConfigError(
                f"{own}: figures are of networks whose settings are not searched; move it to an "
                "experiment without [search]"
            )
        if names.count(figure.name) > 1:
            raise ConfigError(f"{own}: two figures have this name; rename one of them")
        for name in figure.data:
            check_known(name, data, f"{own}: no data")
        for name in figure.methods:
            check_known(name, poolers, f"{own}: no method")
            if not poolers[name]:
                raise ConfigError(
                    f"{own}: {name} is a rule; figures are of networks, so leave it out"
                )
        _check_kind(figure, own, data, poolers)
        check_picture(figure.picture, own)


def check_picture(path: str, where: str) -> None:
    """Refuse a picture that is not an SVG file inside the project."""
    picture = PurePosixPath(path)
    if picture.suffix != ".svg":
        raise ConfigError(f"{where}: picture {path} is drawn as SVG; end it with .svg")
    if picture.is_absolute() or ".." in picture.parts:
        raise ConfigError(
            f"{where}: picture {path} is outside of the project; give a path in it, such "
            f"as docs/{picture.name}"
        )


def _check_kind(
    figure: FigureEntry, where: str, data: Sequence[str], poolers: Mapping[str, str]
) -> None:
    """Refuse settings that the kind of a figure does not have, and methods without clusters."""
    if figure.graphs and figure.kind not in GRAPHS:
        raise ConfigError(f"{where}: a figure of {figure.kind} draws no graphs; leave out graphs")
    if figure.graphs < 0:
        raise ConfigError(f"{where}: graphs is {figure.graphs}; give the most that are drawn")
    if figure.kind != "clusters":
        if figure.ids:
            raise ConfigError(f'{where}: ids go with kind = "clusters"; leave them out')
        return
    for name, ids in figure.ids.items():
        check_known(name, figure.data or data, f"{where}: ids: no data")
        if not isinstance(ids, list) or not ids or not all(isinstance(each, str) for each in ids):
            raise ConfigError(f'{where}: ids.{name} is no list of graphs; write it as ["17", "42"]')
    for name in figure.methods or [name for name, pooler in poolers.items() if pooler]:
        family = family_of(poolers[name])
        if family != "group":
            raise ConfigError(
                f"{where}: {name} has no clusters, its pooler is {family}; name methods that "
                "group nodes in methods"
            )
