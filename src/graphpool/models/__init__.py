"""Trained models: fit, predict, score, save, load, report; and the folders of training runs."""

from graphpool.models.model import TrainedModel
from graphpool.models.run import report_run, train_run
from graphpool.models.run_folder import RunFolder

__all__ = ["TrainedModel", "RunFolder", "train_run", "report_run"]
