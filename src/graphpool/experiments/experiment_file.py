"""Experiments as data: `experiments/NAME.toml` says all that decides a table, and where it stands.

A file has these parts; `read_experiment` checks every key:

    title = "…"                     task = "classification" | "matching" | "similarity"
    seeds = [0, 1, 2]               protocol = "cv10" | "published" | "holdout" | …    folds = 3
    uses = ["another"]              # experiments whose records its blocks show, too; units that
                                    # they have measured are not measured again
    networks_of = "another"         # an experiment whose networks are methods here, too, with its
                                    # [settings], unless they are given here
    remarks = ["…"]                 # what a reader of the numbers has to know

    [paper]                         # published values
    source = "…"                    unsaid = ["what the paper does not say"]
    [paper.values.HAP]              MUTAG = 95.01

    [settings]                      # of all networks
    features = "…"                  [settings.model] …    [settings.train] …

    [search]                        # settings among which validation examples choose; see `Search`
    tries = 6                       model.dropout = [0.0, 0.3]    train.learning_rate = [0.01, 0.1]

    [[data]]                        # what methods are measured on
    name = "ring-200"               set = "ring:graphs=4000,seed=1"    learn = 200
    settings.train.epochs = 300     # what these data need, the same for every method
    seeds = [0]                     # if not all seeds of the experiment

    [methods.NAME]                  # what differs from the settings, or the name of a rule
    title = "…"                     model = {pooler = "hap", units = "auto"}
    data = ["ring"]  seeds = [0]    # where it is measured, if not everywhere

    [[blocks]]                      # where the records are shown; see `Block`
    page = "README.md"              name = "reaches"

    [[figures]]                     # pictures of trained networks; see `FigureEntry`
    name = "tsne-methods"           picture = "docs/tsne_methods.svg"    kind = "map"
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from graphpool.config import from_dict
from graphpool.documents import read_toml
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.protocols import find_protocol
from graphpool.experiments.experiment import (
    FACTS,
    FOLDER,
    GAINS,
    HOLDOUT,
    Block,
    Column,
    DataEntry,
    Experiment,
    MethodEntry,
    Row,
    Settings,
)
from graphpool.experiments.figure_entry import check_figures, check_picture
from graphpool.experiments.methods import check_known
from graphpool.tasks import TASKS, find_task


def list_experiments(project: str | Path = ".") -> dict[str, Experiment]:
    """Read every experiment of a project, by name."""
    folder = Path(project) / FOLDER
    if not folder.is_dir():
        raise ConfigError(
            f"{folder}: no such folder; run this in a clone of the project, or give --project"
        )
    found = {path.stem: read_experiment(path) for path in sorted(folder.glob("*.toml"))}
    for name, experiment in found.items():
        for used in experiment.uses:
            check_known(used, found, f"{FOLDER}/{name}.toml: uses: no experiment")
    figures: dict[str, str] = {}
    for name, experiment in found.items():
        for figure in experiment.figures:
            if other := figures.get(figure.name):
                raise ConfigError(
                    f"{FOLDER}/{name}.toml: figure {figure.name}: {FOLDER}/{other}.toml has one of "
                    "this name, too; rename one of them"
                )
            figures[figure.name] = name
    return found


def read_experiment(path: str | Path) -> Experiment:
    """Read and check one file."""
    path = Path(path)
    if not path.exists():
        others = [each.stem for each in path.parent.glob("*.toml")]
        raise ConfigError(
            f"no experiment {path.stem!r} in {path.parent}; {nearest(path.stem, others)}"
        )
    values, where = read_toml(path), f"{FOLDER}/{path.name}"
    methods = values.pop("methods", {})
    if not isinstance(methods, dict):
        raise ConfigError(f"{path}: methods must be tables such as [methods.hap]")
    made = from_dict(Experiment, {"name": path.stem, **values}, where)
    entries = {
        name: from_dict(MethodEntry, method, f"{where}.methods.{name}")
        for name, method in methods.items()
    }
    made = replace(made, methods=entries)
    if made.networks_of:
        others = [each.stem for each in path.parent.glob("*.toml")]
        check_known(made.networks_of, others, f"{where}.networks_of: no experiment")
        made = _with_networks(made, path.with_stem(made.networks_of), where)
    if made.search is not None:
        made = replace(made, search=made.search.checked(f"{where}.search"))
    _check(made, where)
    return made


def _with_networks(made: Experiment, path: Path, where: str) -> Experiment:
    """Add networks and settings of another experiment; those of this one come first."""
    if path.exists() and "networks_of" in read_toml(path):
        raise ConfigError(
            f"{where}.networks_of: {path.stem} has its networks from elsewhere; name that"
        )
    other = read_experiment(path)
    networks = {name: each for name, each in other.methods.items() if not each.rule}
    theirs, ours = other.settings, made.settings
    settings: Settings = {**theirs, **ours}
    settings["model"] = {**theirs.get("model", {}), **ours.get("model", {})}
    settings["train"] = {**theirs.get("train", {}), **ours.get("train", {})}
    return replace(made, methods={**networks, **made.methods}, settings=settings)


def _check(made: Experiment, where: str) -> None:
    """Refuse what could not be run, and methods that only an alias names."""
    if not made.data and not made.uses:
        raise ConfigError(f"{where}: it has no [[data]] and uses no other experiment")
    if made.methods and not made.data:
        raise ConfigError(f"{where}: methods are measured on [[data]]; add some, or leave them out")
    if made.data and not made.seeds:
        raise ConfigError(f"{where}: give seeds, such as seeds = [0, 1, 2]")
    _check_protocol(made, where)
    _check_seeds(made.seeds, where)
    names = [entry.name for entry in made.data]
    for entry in made.data:
        if names.count(entry.name) > 1:
            raise ConfigError(f"{where}: two data are called {entry.name!r}; rename one of them")
        _check_data(made, entry, f"{where}: data {entry.name}")
    for name, method in made.methods.items():
        _check_seeds(method.seeds, f"{where}: methods.{name}")
        for data in method.data:
            check_known(data, names, f"{where}: methods.{name}: no data")
        for entry in made.data:
            if (not method.data or entry.name in method.data) and not made.seeds_of(method, entry):
                raise ConfigError(
                    f"{where}: methods.{name} and data {entry.name} have no seed in common; "
                    "change seeds of one of them, or data of the method"
                )
        _check_method(made, method, f"{where}: methods.{name}")
    for block in made.blocks:
        rows = [row.paper for row in block.rows if isinstance(row, Row) and row.paper]
        for title in (*block.paper, *rows):
            if title not in made.paper.values:
                raise ConfigError(f"{where}: block {block.name}: no paper.values.{title}")
        _check_block(block, f"{where}: block {block.name}")
    poolers = {name: each.model.get("pooler", "") for name, each in made.methods.items()}
    searched = made.search is not None
    check_figures(made.figures, where, made.task, searched, names, poolers)


def _check_protocol(made: Experiment, where: str) -> None:
    """Refuse a protocol or folds that can't be, or that the task does not have."""
    if not made.data:
        return
    if find_task(made.task).noun != "graphs":
        if made.protocol or made.folds:
            raise ConfigError(
                f"{where}: examples of the task {made.task} are drawn for each seed; leave "
                "protocol and folds out"
            )
        return
    most = 1
    if made.protocol != HOLDOUT:
        try:
            protocol = find_protocol(made.protocol)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        if protocol.kind == "own":
            raise ConfigError(
                f"{where}: protocol {made.protocol} is a file; put its parts into a column of the "
                "set, and give column:NAME"
            )
        most = made.folds if protocol.kind == "column" else protocol.folds
    if not 0 <= made.folds <= most:
        raise ConfigError(
            f"{where}: folds is {made.folds}; protocol {made.protocol} has {most}, and 0 means all"
        )


def _check_block(block: Block, where: str) -> None:
    for row in block.rows:
        if isinstance(row, Row) and row.figure in GAINS and not row.against:
            raise ConfigError(
                f"{where}: the figure {row.figure!r} of {row.method} compares two methods; give "
                "against"
            )
        if isinstance(row, Row) and (row.figure == "best") != bool(row.among):
            raise ConfigError(f"{where}: the figure 'best' and among, its methods, go together")
        if isinstance(row, Row) and not row.method and (row.figure != "best" or not row.title):
            raise ConfigError(f"{where}: a row has no method; only the figure 'best' with a title")
    if not 0 <= block.digits <= 15:
        raise ConfigError(f"{where}: digits is {block.digits}; give 0 to 15")
    if block.data_down and (block.paper or block.sort):
        raise ConfigError(f"{where}: data_down goes without paper and sort")
    metrics = [metric for task in TASKS.values() for metric in task.columns]
    for column in block.columns:
        if not isinstance(column, Column):
            continue
        if column.metric:
            check_known(column.metric, [*metrics, *FACTS], f"{where}: no metric")
        if " / " in column.data and column.metric != "parameters":
            raise ConfigError(
                f"{where}: column {column.title!r} has several data, which only the metric "
                "parameters can show; give each a column"
            )
    if block.picture:
        check_picture(block.picture, where)


def _check_seeds(seeds: Sequence[int], where: str) -> None:
    """Refuse seeds below 0, and a seed that would count twice."""
    if any(seed < 0 for seed in seeds):
        raise ConfigError(f"{where}: seed {min(seeds)} is below 0")
    if len(set(seeds)) < len(seeds):
        raise ConfigError(f"{where}: a seed is named twice")


# Keys of data that other tasks have, by what the examples of a task are.
_OTHER_KEYS = {
    "graphs": ("kind", "nodes", "hardness", "tested", "train", "valid", "test", "split"),
    "pairs": ("set", "learn", "split"),
    "triplets": ("learn", "kind", "nodes", "hardness", "tested", "test"),
}


def _check_data(made: Experiment, entry: DataEntry, where: str) -> None:
    """Refuse seeds that the experiment does not have, and keys that its task does not use."""
    _check_seeds(entry.seeds, where)
    unknown = [seed for seed in entry.seeds if seed not in made.seeds]
    if unknown:
        raise ConfigError(
            f"{where}: seed {unknown[0]} is not among the seeds of the experiment, "
            f"{', '.join(map(str, made.seeds))}"
        )
    plain = DataEntry(entry.name)
    idle = [key for key in _OTHER_KEYS[find_task(made.task).noun]
            if getattr(entry, key) != getattr(plain, key)]  # fmt: skip
    if idle:
        raise ConfigError(f"{where}: the task {made.task} has no {idle[0]}; leave it out")
    if entry.learn and made.protocol != HOLDOUT:
        raise ConfigError(f"{where}: learn is of the protocol {HOLDOUT}; leave it out")


def _check_method(made: Experiment, method: MethodEntry, where: str) -> None:
    task = find_task(made.task)
    if method.rule and (method.features or method.model or method.train):
        raise ConfigError(f"{where}: a rule has no features, model or train; leave them out")
    if method.rule:
        check_known(method.rule, task.baselines(), f"{where}: no rule")
        return
    config = made.config(method, made.data[0])
    model = config.model
    check_known(method.model.get("pooler", ""), task.methods(), f"{where}: model.pooler is")
    open_settings = {"hap": ("units",)}.get(model.pooler, ("assignment", "connect"))
    if model.pooler in ("hap", "hap-one-way", "hap-paper") and any(
        getattr(model, key) == "default" for key in open_settings
    ):
        named = " and ".join(f"model.{key}" for key in open_settings)
        raise ConfigError(
            f"{where}: {model.pooler} is an alias whose meaning may change; give {named}"
        )
    if made.search is not None:
        try:
            made.search.tries_of(config)
        except ConfigError as error:
            raise ConfigError(f"{where}: search: {error}") from None
