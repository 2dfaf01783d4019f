"""Tasks: what can be learned about graphs, by name."""

from typing import Literal

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.vocabulary import is_labels
from graphpool.tasks.base import Store, Task, TaskData
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.matching import MatchingTask
from graphpool.tasks.multilabel import MultiLabelTask
from graphpool.tasks.regression import RegressionTask
from graphpool.tasks.similarity import SimilarityTask

__all__ = [
    "Task",
    "TaskData",
    "Store",
    "ClassificationTask",
    "RegressionTask",
    "MultiLabelTask",
    "MatchingTask",
    "SimilarityTask",
    "TASKS",
    "find_task",
    "task_of_graphs",
]

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (
        ClassificationTask,
        RegressionTask,
        MultiLabelTask,
        MatchingTask,
        SimilarityTask,
    )
}


def task_of_graphs(graphs: GraphSet) -> Literal["classification", "regression", "multilabel"]:
    """Return the task that a set poses by what its graphs have: classes, numbers or labels.

    Targets whose known values are all 0 or 1 are labels.
    """
    if graphs.y is not None or graphs.target is None:
        return "classification"
    return "multilabel" if is_labels(graphs.target) else "regression"


def find_task(name: str) -> type[Task]:
    """Return the task of this name; an unknown one is an error that names the nearest."""
    if name not in TASKS:
        raise ConfigError(f"there is no task {name!r}; {nearest(name, TASKS)}")
    return TASKS[name]
