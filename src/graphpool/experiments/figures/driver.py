"""Make the figures of an experiment: train what is missing, keep numbers, draw pictures.

`make_figures` trains the network of every method and data that a figure lacks, on the first fold of
the first seed, and keeps numbers in `results/figures/NAME.json`. The picture is drawn from that
file, together with the pages.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from graphpool.documents import expected_values, read_json
from graphpool.errors import ConfigError
from graphpool.experiments.experiment import FOLDER as EXPERIMENTS
from graphpool.experiments.experiment import Experiment
from graphpool.experiments.experiment_file import list_experiments
from graphpool.experiments.experiment_records import RESULTS, ExperimentRecords
from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures.clusters import ClusterKind
from graphpool.experiments.figures.curves import CurveKind
from graphpool.experiments.figures.kind import FigureKind, MeasuredSet
from graphpool.experiments.figures.maps import MapKind
from graphpool.experiments.figures.trained import trained_unit
from graphpool.experiments.machine import machine, provenance
from graphpool.experiments.methods import check_known
from graphpool.experiments.plan import planned_cells
from graphpool.experiments.unit import Unit
from graphpool.files import write_json
from graphpool.locks import file_lock
from graphpool.report.style import plain_style

FOLDER = "figures"
IDENTITY = ("unit", "asked")  # keys of numbers that say what they are of
KINDS: dict[str, FigureKind] = {"map": MapKind(), "curves": CurveKind(), "clusters": ClusterKind()}


class Part(NamedTuple):
    """What a figure shows of one method on some data."""

    figure: FigureEntry
    method: str
    data: str
    unit: Unit

    @property
    def identity(self) -> dict[str, Any]:
        """What decides its numbers; they are kept with it."""
        return {"unit": self.unit.key, **KINDS[self.figure.kind].request(self.figure, self.data)}


def figure_file(figure: FigureEntry, project: Path) -> Path:
    """Where the numbers of a figure are kept."""
    return project / RESULTS / FOLDER / f"{figure.name}.json"


def make_figures(
    name: str,
    project: str | Path = ".",
    *,
    root: str | Path | None = None,
    again: bool = False,
) -> list[Path]:
    """Train what the figures of an experiment need, and return the files of their numbers.

    A network that several figures show is trained once.

    Args:
        name: of the file `experiments/NAME.toml`.
        project: folder with `experiments/` and `results/`.
        root: folder of data files.
        again: train what is finished once more.
    """
    experiments, project = list_experiments(project), Path(project)
    check_known(name, experiments, "no experiment")
    own = experiments[name]
    parts = [part for figure in own.figures for part in figure_parts(own, figure)]
    if again or _missing(parts, project):
        # Another process may have added some: what is missing is known once the file is locked.
        with file_lock(ExperimentRecords(own, project).file.path):
            _measure(own, parts if again else _missing(parts, project), project, root)
    return [figure_file(figure, project) for figure in own.figures]


def _measure(
    own: Experiment, parts: Iterable[Part], project: Path, root: str | Path | None
) -> None:
    """Train each network once, and keep what the figures show of it."""
    wanted: dict[str, list[Part]] = {}
    for part in parts:
        wanted.setdefault(part.unit.key, []).append(part)
    for same in wanted.values():
        with trained_unit(own, same[0].unit, project, root) as trained:
            for part in same:
                kind = KINDS[part.figure.kind]
                facts, numbers = kind.measure(part.figure, trained)
                _keep(part, facts, numbers, project)


def figure_parts(own: Experiment, figure: FigureEntry) -> list[Part]:
    """What a figure shows, data by data, methods in the order of the figure."""
    cells = planned_cells(own)
    methods = figure.methods or tuple(name for name, each in own.methods.items() if not each.rule)
    names = figure.data or tuple(entry.name for entry in own.data)
    parts = [
        Part(figure, method, data, cells[method, data][0])
        for data in names
        for method in methods
        if (method, data) in cells
    ]
    if not parts:
        raise ConfigError(
            f"{EXPERIMENTS}/{own.name}.toml: figure {figure.name}: none of its methods is measured "
            "on its data; change one of them"
        )
    return parts


def figure_picture(own: Experiment, figure: FigureEntry, project: Path) -> str | None:
    """The picture as an SVG document; None while numbers are missing or of other settings."""
    path = figure_file(figure, project)
    measured = _read(path)["sets"]
    parts = figure_parts(own, figure)
    if not all(_is_finished(part, measured) for part in parts):
        return None
    sets = [
        MeasuredSet(data, measured[data], _titled(own, parts, data, measured))
        for data in dict.fromkeys(part.data for part in parts)
    ]
    with expected_values(path, f"graphpool experiments figures {own.name} --again"):
        drawn = KINDS[figure.kind].draw(figure, sets)
    return None if drawn is None else plain_style(drawn)


# ---------------------------------------------------------------------- the file of a figure


def _missing(parts: Iterable[Part], project: Path) -> list[Part]:
    """The parts that the files of their figures lack, or have with other settings."""
    return [
        part
        for part in parts
        if not _is_finished(part, _read(figure_file(part.figure, project))["sets"])
    ]


def _is_finished(part: Part, measured: dict[str, Any]) -> bool:
    """Whether the numbers of a part are those that would be measured."""
    numbers = _methods(measured, part.data).get(part.method, {})
    return all(numbers.get(key) == part.identity.get(key) for key in IDENTITY)


def _keep(part: Part, facts: dict[str, Any], numbers: dict[str, Any], project: Path) -> None:
    """Put the numbers of a part into the file of its figure."""
    path = figure_file(part.figure, project)
    document = _read(path)
    document["machine"], document["versions"] = machine(), provenance()
    row = document["sets"].setdefault(part.data, {})
    row |= facts
    row.setdefault("methods", {})[part.method] = {**part.identity, **numbers}
    write_json(path, document)


class _FigureFile(TypedDict):
    """Numbers of a figure: by the name of data, facts of the set and `methods`."""

    machine: NotRequired[dict[str, Any]]
    versions: NotRequired[dict[str, Any]]
    sets: dict[str, dict[str, Any]]


def _read(path: Path) -> _FigureFile:
    if not path.exists():
        return {"sets": {}}
    found: _FigureFile = read_json(path, _FigureFile, hint="remove it: networks are trained again")
    return found


def _methods(measured: dict[str, Any], data: str) -> dict[str, Any]:
    methods: dict[str, Any] = measured.get(data, {}).get("methods", {})
    return methods


def _titled(
    own: Experiment, parts: Iterable[Part], data: str, measured: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Title and numbers of the methods on some data."""
    numbers = _methods(measured, data)
    return [
        ((own.methods[part.method].title or part.method).replace("`", ""), numbers[part.method])
        for part in parts
        if part.data == data
    ]
