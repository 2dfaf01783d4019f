"""A trained comparer in one file: written, and read back ready to use.

It is a checkpoint like that of a classifier (`graphpool.models.classifier`), and the
`best.safetensors` of a run folder is one too.
"""

from pathlib import Path

from graphpool.config import CompareConfig, ModelConfig, RunConfig, TrainConfig, from_dict
from graphpool.data.source import read_source
from graphpool.features.pipeline import FeaturePipeline
from graphpool.models.comparer import TASKS, Comparer
from graphpool.models.file import COMPARER, open_trained, reading, save_trained
from graphpool.nn.zoo.pairs import build_pair_model
from graphpool.training.checkpoint import load_model_weights
from graphpool.training.device import find_device


def save_comparer(comparer: Comparer, path: str | Path) -> Path:
    """Write the comparer as one file, atomically."""
    about, train = comparer.about(), comparer.config.train
    return save_trained(path, comparer.network, train, about, comparer.best, comparer.versions)


def load_comparer(path: str | Path, device: str = "cpu") -> Comparer:
    """Read a file of a comparer, or the best one of a run folder."""
    checkpoint, about = open_trained(path, COMPARER)
    with reading(checkpoint):
        task = about["task"]
        if task not in TASKS:
            raise ValueError(f"the task {task!r} is unknown")
        config = RunConfig(
            task=task,
            data=about["data"],
            features=about["features"]["spec"],
            model=from_dict(ModelConfig, about["model"], "model"),
            train=from_dict(TrainConfig, checkpoint.header["config"], "train"),
            compare=from_dict(CompareConfig, about["compare"], "compare"),
        )
        features = FeaturePipeline.from_state(about["features"])
        network = build_pair_model(config.model, features.channels, about["mean_nodes"])
        comparer = Comparer(
            network=network.eval(),
            config=config,
            features=features,
            mean_nodes=about["mean_nodes"],
            best=checkpoint.header.get("best", {}),
            versions=checkpoint.header["versions"],
            source=read_source(about),
        )
    load_model_weights(network, checkpoint)
    network.to(find_device(device))
    return comparer
