"""What lies in the folder of a training run, and how a run finds its graphs there again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.cli.data_arguments import open_classes
from graphpool.cli.options import CLASSIFICATION
from graphpool.config import RunConfig, read_toml, to_dict
from graphpool.errors import CheckpointError, ConfigError
from graphpool.files import write_json

if TYPE_CHECKING:
    from graphpool.data.splits import Split
    from graphpool.graphs.graphset import GraphSet

CONFIG, SPLIT, RESULT, REPORT = "config.toml", "split.json", "result.json", "report.html"
EXAMPLES, DISTANCES = "examples.json", "distances.ged"
_OLD = (SPLIT, RESULT, REPORT, EXAMPLES)
PROTOCOL = "holdout"
FOLDS = 10


def has_run(folder: Path) -> bool:
    """Whether a run was begun here."""
    return (folder / CONFIG).exists() or has_work(folder)


def has_work(folder: Path) -> bool:
    """Whether a run got so far that replacing it would lose something."""
    from graphpool.training.select_place_rule import CHOICE, PILOTS

    names = ("last.safetensors", "best.safetensors", RESULT, CHOICE, PILOTS)
    return any(path.exists() for path in (*(folder / name for name in names), *_distances(folder)))


def _distances(folder: Path) -> tuple[Path, Path]:
    """Where a run keeps distances that it computes, and those of an unfinished computation.

    The latter is `graphpool.ged.partial_results.parts_folder`, which would take long to import.
    """
    return folder / DISTANCES, folder / f"{DISTANCES}.parts"


def check_free(folder: Path, resume: bool, overwrite: bool) -> None:
    """Refuse a folder that holds another run, or no run where one should be."""
    if resume and overwrite:
        raise ConfigError("--resume goes on with a run and --overwrite drops it; give one of them")
    if resume and not has_run(folder):
        raise CheckpointError(f"{folder}: no run to go on with; leave --resume out to begin one")
    if has_work(folder) and not (resume or overwrite):
        raise ConfigError(
            f"{folder} already holds a run; go on with it with --resume, replace it with "
            "--overwrite, or choose another folder with --out"
        )


def check_settings(folder: Path, run: RunConfig) -> None:
    """Refuse to go on with settings other than those the run was begun with."""
    from graphpool.training.run_identity import check_same_run

    if (folder / CONFIG).exists():
        before, now = _settings(read_config(folder)), _settings(run)
        check_same_run(folder / CONFIG, before, now)


def _settings(run: RunConfig) -> dict[str, Any]:
    """What may not change, as checkpoints say it; graphs are told by content, not by place."""
    values = to_dict(run)
    extra = {key: values[key] for key in ("task", "features", "model")}
    if run.task != CLASSIFICATION:
        places = ("pairs", "distances")
        compare = {key: value for key, value in values["compare"].items() if key not in places}
        extra["compare"] = compare
    return {"config": values["train"], "data": {}, "extra": extra}


def prepare(folder: Path, resume: bool) -> None:
    """Make the folder, and drop what an older run left there; `fit` replaces its checkpoints."""
    from graphpool.training.select_place_rule import CHOICE, PILOTS

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{folder}: can't be made: {error.strerror}; choose another folder with --out"
        ) from None
    if not resume:
        distances, unfinished = _distances(folder)
        for path in (*(folder / name for name in _OLD), folder / CHOICE, distances):
            path.unlink(missing_ok=True)
        for path in (folder / PILOTS, unfinished):
            shutil.rmtree(path, ignore_errors=True)


def read_config(folder: Path) -> RunConfig:
    """The settings of a run."""
    if (folder / "results.json").is_file():
        raise CheckpointError(
            f"{folder}: the folder of a comparison, not of one run; "
            "its page is made by graphpool evaluate --report, for classification"
        )
    if not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder}: not a run folder ({CONFIG} is missing)")
    return read_toml(RunConfig, folder / CONFIG, written_by_us=True)


def split_of(folder: Path, graphs: "GraphSet", seed: int) -> "Split":
    """The stored split of a run; made and stored if there is none.

    80 % of the graphs train, 10 % choose the epoch, 10 % test, each with the same mix of
    classes: the first fold of ten-fold cross-validation with the run's seed.
    """
    from graphpool.data.splits import cv_splits

    def make() -> "Split":
        assert graphs.y is not None
        return cv_splits(graphs.y, FOLDS, seed)[0]

    return kept_split(folder, graphs, PROTOCOL, seed, make)


def kept_split(
    folder: Path, graphs: "GraphSet", protocol: str, seed: int, make: "Callable[[], Split]"
) -> "Split":
    """The split that the folder holds of these graphs; made and stored if there is none."""
    from graphpool.data.formats.safetensors import content_hash
    from graphpool.data.splits import load_splits, save_splits

    path, digest = folder / SPLIT, content_hash(graphs)
    if not path.exists():
        save_splits(path, [make()], digest, protocol, seed)
    return load_splits(path, digest, protocol, seed)[0]


def keep_examples(folder: Path, facts: dict[str, Any]) -> None:
    """Write down what a run's pairs or triplets are; refuse others than those it was begun with."""
    path = folder / EXAMPLES
    if path.exists():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise CheckpointError(f"{path}: damaged; start anew in another folder") from None
        if before != json.loads(json.dumps(facts)):
            raise CheckpointError(
                f"{path}: the run was begun with other examples; go on with the same graphs, "
                "pairs and distances, or start anew in another folder"
            )
    write_json(path, facts)


def graphs_of(folder: Path, root: Path | None = None) -> "tuple[GraphSet, Split]":
    """The graphs that a run was made with, and how they were split."""
    config = read_config(folder)
    if config.task != CLASSIFICATION:
        raise CheckpointError(
            f"{folder}: a run that compares graphs and has no classes; its figures are in "
            f"{folder / RESULT}"
        )
    graphs = open_classes(config.data, root)
    return graphs, split_of(folder, graphs, config.train.seed)
