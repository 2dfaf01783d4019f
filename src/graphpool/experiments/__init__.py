"""Experiments as data: compare methods, run the project's experiments, fill its pages.

The tree: `experiment_file` (reads TOML) → `experiment` → `plan` (its units) → `engine` (what is not
finished runs through an `executor`) → `records` (one line a unit) → `cells`, `block_text` and
`pages` (tables). `comparison` is the same engine for one set and any methods.
"""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.experiments.comparison import evaluate as evaluate
    from graphpool.experiments.engine import RunOutcome as RunOutcome
    from graphpool.experiments.engine import run_units as run_units
    from graphpool.experiments.executor import Executor as Executor
    from graphpool.experiments.executor import LocalExecutor as LocalExecutor
    from graphpool.experiments.experiment import Experiment as Experiment
    from graphpool.experiments.experiment_file import list_experiments as list_experiments
    from graphpool.experiments.experiment_file import read_experiment as read_experiment
    from graphpool.experiments.pages import write_pages as write_pages
    from graphpool.experiments.plan import plan_units as plan_units
    from graphpool.experiments.project import run as run
    from graphpool.experiments.project import status as status
    from graphpool.experiments.project import validate as validate
    from graphpool.experiments.records import Record as Record
    from graphpool.experiments.records import RecordFile as RecordFile
    from graphpool.experiments.results import ExperimentResult as ExperimentResult
    from graphpool.experiments.unit import Unit as Unit

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "experiment": ("Experiment",),
        "experiment_file": ("list_experiments", "read_experiment"),
        "unit": ("Unit",),
        "plan": ("plan_units",),
        "executor": ("Executor", "LocalExecutor"),
        "engine": ("RunOutcome", "run_units"),
        "records": ("Record", "RecordFile"),
        "results": ("ExperimentResult",),
        "comparison": ("evaluate",),
        "project": ("run", "status", "validate"),
        "pages": ("write_pages",),
    },
)
