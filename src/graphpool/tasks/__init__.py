"""Tasks: what can be learned about graphs, by name."""

from graphpool.errors import ConfigError, nearest
from graphpool.tasks.base import Store, Task, TaskData
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.matching import MatchingTask
from graphpool.tasks.regression import RegressionTask
from graphpool.tasks.similarity import SimilarityTask

__all__ = [
    "Task",
    "TaskData",
    "Store",
    "ClassificationTask",
    "RegressionTask",
    "MatchingTask",
    "SimilarityTask",
    "TASKS",
    "find_task",
]

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (ClassificationTask, RegressionTask, MatchingTask, SimilarityTask)
}


def find_task(name: str) -> type[Task]:
    """Return the task of this name; an unknown one is an error that names the nearest."""
    if name not in TASKS:
        raise ConfigError(f"there is no task {name!r}; {nearest(name, TASKS)}")
    return TASKS[name]
