"""`graphpool evaluate --model RUN DATA`: a trained model on whole sets."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from graphpool.cli.output import print_json, print_lines


def score_model(
    model: Path,
    sets: Sequence[str],
    device: str,
    root: Path | None,
    json: bool,
    files: Mapping[str, str],
) -> None:
    """Print what a trained model reaches on each set.

    Args:
        files: of pairs and distances, by the name of the option; empty where none is given.
    """
    from graphpool.models.model import TrainedModel
    from graphpool.training.device import find_device

    find_device(device, "--device")
    trained = TrainedModel.load(model, device)
    documents = []
    for name in sets:
        documents.append(trained.test_set(name, root, files))
        if not json:
            print_lines(trained.task.score_lines(documents[-1]))
    if json:
        print_json({"model": str(model), "scores": documents})
