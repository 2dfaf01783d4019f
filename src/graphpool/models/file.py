"""What files of trained networks share, whatever they answer: their kind, weights and origin.

Such a file is a checkpoint whose header holds everything that is needed to use the network. What a
classifier and a comparer say in it stands in `graphpool.models.classifier` and
`graphpool.models.comparer_file`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from graphpool.config import TrainConfig, to_dict
from graphpool.errors import CheckpointError, GraphpoolError
from graphpool.features.labels import Labels
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.training.checkpoint import BEST, Checkpoint, read_checkpoint, write_checkpoint

CLASSIFIER, COMPARER = "graph classifier", "graph comparer"
# What a user of another kind of file meant to run.
_USES = {
    CLASSIFIER: "graphpool predict {path} FILE",
    COMPARER: "graphpool match A B --model {path}",
}


def check_known(features: FeaturePipeline, graphs: GraphSet) -> None:
    """Refuse graphs of whose node labels these features know not a single one."""
    for feature in features.features or ():
        if isinstance(feature, Labels):
            feature.check_known(graphs)


def save_trained(
    path: str | Path,
    network: nn.Module,
    train: TrainConfig,
    about: dict[str, Any],
    best: dict[str, Any],
    versions: dict[str, str],
) -> Path:
    """Write a trained network as one file, atomically.

    Args:
        train: how it was trained.
        about: what else is needed to use it, as JSON; `kind` says what it is.
        best: the selected epoch and its metrics.
        versions: of what trained it.
    """
    path = Path(path)
    tensors: dict[str, Tensor] = {
        f"weights/{name}": value for name, value in network.state_dict().items()
    }
    header = {"versions": versions, "config": to_dict(train), "extra": about, "best": best}
    try:
        write_checkpoint(path, tensors, header)
    except OSError as error:
        raise CheckpointError(f"{path}: can't be written: {error.strerror}") from None
    return path


def open_trained(path: str | Path, kind: str | None = None) -> tuple[Checkpoint, dict[str, Any]]:
    """A model file, or the best model of a run folder, and what it says about itself.

    Args:
        kind: refuse a file of any other kind.
    """
    path = given = Path(path)
    if path.is_dir():
        if not (path / BEST).is_file():
            raise CheckpointError(
                f"{path}: no trained model ({BEST}) in this folder; train one with graphpool train"
            )
        path = path / BEST
    checkpoint = read_checkpoint(path)
    about: dict[str, Any] = checkpoint.header.get("extra", {})
    found = about.get("kind")
    if kind is not None and found != kind:
        if (use := _USES.get(str(found))) is None:
            raise CheckpointError(f"{path}: a checkpoint, but not of a {kind}")
        raise CheckpointError(
            f"{path}: holds a {found}, not a {kind}; use it with {use.format(path=given)}"
        )
    return checkpoint, about


@contextmanager
def reading(checkpoint: Checkpoint) -> Iterator[None]:
    """Say of a header that can't be understood which version wrote it."""
    try:
        yield
    except CheckpointError:
        raise
    except (KeyError, TypeError, ValueError, GraphpoolError) as error:
        version = checkpoint.header.get("versions", {}).get("graphpool", "of unknown version")
        raise CheckpointError(
            f"{checkpoint.path}: written by graphpool {version}, whose settings this version "
            f"can't read ({error}); train the model again"
        ) from None
