"""The file of a trained model: a checkpoint whose header holds all that is needed to use it.

The `best.safetensors` of a run folder is such a file.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_parameter_registration_hook,
)

from graphpool.config import (
    CompareConfig,
    ModelConfig,
    RunConfig,
    TrainConfig,
    from_dict,
    resolve_model,
)
from graphpool.data.formats.safetensors import open_set, save
from graphpool.errors import CheckpointError, GraphpoolError
from graphpool.features.pipeline import FeaturePipeline
from graphpool.files import atomic_write, scratch_folder
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks import TASKS, Task
from graphpool.training.checkpoint import BEST, Checkpoint, read_checkpoint, write_checkpoint

_GRAPHS = "graphs"


def open_model(
    path: str | Path, tasks: Sequence[str] | None = None
) -> tuple[Checkpoint, dict[str, Any]]:
    """Open a model file, or the best model of a run folder, and return its header too.

    Args:
        tasks: refuse models of other tasks, and say what those are used with.
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
    kind = str(about.get("kind"))
    same_kind = [task for task in TASKS.values() if task.kind == kind]
    wanted = " or ".join(dict.fromkeys(TASKS[name].kind for name in tasks or ()))
    if not same_kind:
        raise CheckpointError(f"{path}: a checkpoint, but not of a {wanted or 'trained model'}")
    if tasks is not None and not any(_holds(TASKS[name], about) for name in tasks):
        held = f"a {kind}, not a {wanted}"
        if kind == wanted:
            held = f"a {kind} for {about.get('task')}, not for {' or '.join(tasks)}"
        use = same_kind[0].use.format(path=given)
        raise CheckpointError(f"{path}: holds {held}; use it with {use}")
    return checkpoint, about


def update_header(folder: Path, about: dict[str, Any]) -> None:
    """Add to the file of a run's best model what is known of it only after the training."""
    path = folder / BEST
    if not path.is_file():
        return
    checkpoint = read_checkpoint(path)
    if checkpoint.header["extra"] != json.loads(json.dumps(about)):
        write_checkpoint(path, checkpoint.tensors, {**checkpoint.header, "extra": about})


def task_of(about: dict[str, Any]) -> type[Task]:
    """Return the task that a header names."""
    for task in TASKS.values():
        if _holds(task, about):
            return task
    raise ValueError(f"the task {about.get('task')!r} is unknown")


def read_config(task: type[Task], checkpoint: Checkpoint) -> RunConfig:
    """Return the settings that the header of a model file holds; older ones lack some."""
    about = checkpoint.header["extra"]
    return RunConfig(
        task=task.name,
        data=about["data"],
        features=about["features"]["spec"],
        model=resolve_model(from_dict(ModelConfig, about["model"], "model")),
        train=from_dict(TrainConfig, checkpoint.header["config"], "train"),
        compare=from_dict(CompareConfig, about.get("compare", {}), "compare"),
    )


def read_features(model: ModelConfig, about: dict[str, Any]) -> FeaturePipeline:
    """Return the fitted features of a header, with the parts that the settings name."""
    features = FeaturePipeline.from_state(about["features"])
    if model.parts and (features.parts is None or features.parts.digest != model.parts):
        raise CheckpointError("its parts are not those of its settings; train the model again")
    return features


@contextmanager
def bounded_build(checkpoint: Checkpoint, levels: int) -> Iterator[None]:
    """Refuse to build, in this thread, a network that is much larger than the file's weights.

    Inside, tensors are made without memory, so that settings such as a million layers are found
    out before anything is allocated.

    Args:
        levels: coarsenings of the network; those to one cluster may have no weights.
    """
    weights = checkpoint.weights.values()
    larger = ValueError("they ask for a larger network than the weights in the file")
    if levels > len(weights):
        raise larger
    # Networks may make some tensors twice; what is refused is another order of magnitude.
    tensors, numbers = 4 * len(weights) + 100, 4 * sum(map(Tensor.numel, weights)) + 100_000
    thread = threading.get_ident()

    def count(module: nn.Module, name: str, value: Tensor | None) -> None:
        nonlocal tensors, numbers
        if value is None or threading.get_ident() != thread:
            return
        tensors, numbers = tensors - 1, numbers - value.numel()
        if min(tensors, numbers) < 0:
            raise larger

    hooks = [
        register(count)
        for register in (
            register_module_parameter_registration_hook,
            register_module_buffer_registration_hook,
        )
    ]
    try:
        with torch.device("meta"):
            yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def reading(checkpoint: Checkpoint) -> Iterator[None]:
    """Turn errors about a header that can't be read into one that names the version."""
    try:
        yield
    except CheckpointError as error:
        named = str(checkpoint.path) in str(error)
        raise error if named else CheckpointError(f"{checkpoint.path}: {error}") from None
    except (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError,
            RuntimeError, TypeError, ValueError, GraphpoolError) as error:  # fmt: skip
        version = checkpoint.header.get("versions", {}).get("graphpool", "of unknown version")
        raise CheckpointError(
            f"{checkpoint.path}: written by graphpool {version}, whose settings this version "
            f"can't read ({error}); train the model again"
        ) from None


def pack_graphs(graphs: GraphSet | None) -> dict[str, Tensor]:
    """Return a set, if there is one, as the bytes of its file, which are checked when read."""
    if graphs is None:
        return {}
    with scratch_folder() as folder:
        path = folder / "graphs.safetensors"
        save(graphs, path)
        return {_GRAPHS: torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8)}


def unpack_graphs(checkpoint: Checkpoint) -> GraphSet | None:
    """Return the set that a model file holds; None if it holds none."""
    if _GRAPHS not in checkpoint.tensors:
        return None
    with scratch_folder() as folder:
        path = folder / "graphs.safetensors"
        with atomic_write(path) as handle:
            handle.write(checkpoint.tensors[_GRAPHS].numpy().tobytes())
        # A copy in memory: what is opened is mapped from the file.
        graphs = open_set(path)
        return graphs[:]


def _holds(task: type[Task], about: dict[str, Any]) -> bool:
    """Whether a header is of this task; tasks that have a kind of file to themselves need no name.

    Classifiers of version 0.1.0 don't name their task.
    """
    return task.kind == about.get("kind") and about.get("task", task.name) == task.name
