"""The folder of a training run: settings, split, examples, checkpoints and the result."""

import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphpool.config import RunConfig, read_toml, resolve, to_dict, write_toml
from graphpool.config.split_spec import PUBLISHED, SCAFFOLD, parse_split
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.splits import Split, load_splits, save_splits
from graphpool.documents import read_json
from graphpool.errors import CheckpointError, ConfigError, brief
from graphpool.files import write_json, writing
from graphpool.ged.partial_results import parts_folder
from graphpool.graphs.graphset import GraphSet
from graphpool.locks import folder_lock
from graphpool.tasks import TASKS, Store
from graphpool.training.checkpoint import BEST, LAST
from graphpool.training.events import EVENTS, read_events
from graphpool.training.run_identity import check_same_run
from graphpool.training.select_place_rule import CHOICE, PILOTS

CONFIG, SPLIT, RESULT, REPORT = "config.toml", "split.json", "result.json", "report.html"
EXAMPLES, DISTANCES, LEFT_OUT = "examples.json", "distances.ged", "left-out.jsonl"
_OLD = (SPLIT, RESULT, REPORT, EXAMPLES, CHOICE, DISTANCES, LEFT_OUT)


class RunFolder(Store):
    """The folder of one run; nothing is written before its examples could be opened.

    While a run is trained, its folder is locked: another process that would train in it gets a
    `LockedError`. Use it as a context manager, or call `release`.

    Args:
        path: the folder.
        config: settings of a run that is about to be trained; None to read a finished one.
        resume: go on with the run that the folder holds.
    """

    def __init__(
        self, path: str | Path, config: RunConfig | None = None, resume: bool = False
    ) -> None:
        self.path = Path(path)
        self.resume = resume
        self._config = config
        self._begun = config is None
        self._overwrite: bool | None = None  # not asked yet
        self._lock = ExitStack()
        self._locked = False

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def lock(self) -> None:
        """Keep other processes from training in the folder."""
        if not self._locked:
            self._lock.enter_context(folder_lock(self.path))
            self._locked = True

    def release(self) -> None:
        """Let others train in the folder."""
        self._lock.close()
        self._locked = False

    # ------------------------------------------------------------------ beginning a run

    @property
    def has_work(self) -> bool:
        """Whether a run got so far that replacing it would lose something."""
        names = (LAST, BEST, RESULT, CHOICE, PILOTS, DISTANCES)
        paths = [self.path / name for name in names]
        return any(path.exists() for path in (*paths, parts_folder(self.path / DISTANCES)))

    def check_free(self, overwrite: bool = False) -> None:
        """Refuse a folder that holds another run, or no run where one should be."""
        if self.resume and overwrite:
            raise ConfigError(
                "--resume goes on with a run and --overwrite drops it; give one of them"
            )
        if self.resume and not (self.has_work or (self.path / CONFIG).exists()):
            raise CheckpointError(
                f"{self.path}: no run to go on with; leave --resume out to begin one"
            )
        self._overwrite = overwrite
        if self.path.is_dir():
            self.lock()
        if self.has_work and not (self.resume or overwrite):
            raise ConfigError(
                f"{self.path} already holds a run; go on with it with --resume, replace it with "
                "--overwrite, or choose another folder with --out"
            )

    def check_settings(self) -> None:
        """Refuse to go on with settings other than those the run was begun with."""
        if self.resume and self._config is not None and (self.path / CONFIG).exists():
            before, now = self.config(), self._config
            if not _may_be_same(before.split, now.split):
                raise self._other_split(before)
            open_ones = [key for key in ("encoder", "gate") if getattr(now.model, key) == "auto"]
            if open_ones:  # they are resolved again when the graphs are known
                known = {key: getattr(before.model, key) for key in open_ones}
                now = replace(now, model=replace(now.model, **known))
            if now.train.scoring == "auto":
                now = replace(now, train=replace(now.train, scoring=before.train.scoring))
            settings = [_settings(resolve(config)) for config in (before, now)]
            check_same_run(self.path / CONFIG, *settings)

    def begin(self) -> None:
        """Make the folder and drop what an older run left; `fit` replaces its checkpoints."""
        if self._begun:
            return
        self._begun = True
        self.lock()
        if self._overwrite is not None:  # another process may have been here since
            self.check_free(self._overwrite)
        if not self.resume:
            with writing(self.path):
                for name in _OLD:
                    (self.path / name).unlink(missing_ok=True)
            for path in (self.path / PILOTS, parts_folder(self.path / DISTANCES)):
                shutil.rmtree(path, ignore_errors=True)

    def write_settings(self, config: RunConfig, facts: dict[str, Any]) -> None:
        """Write the settings, and what the examples are; refuse others than at the beginning.

        A run that is refused must not lose the settings it was begun with.

        Args:
            config: settings, resolved for the examples.
            facts: of `graphpool.tasks.TaskData`.
        """
        self.begin()
        path = self.path / EXAMPLES
        if facts:
            if path.exists() and self.examples() != json.loads(json.dumps(facts)):
                raise CheckpointError(
                    f"{path}: the run was begun with other examples; go on with the same graphs, "
                    "pairs and distances, or start anew in another folder"
                )
            write_json(path, facts)
        write_toml(config, self.path / CONFIG)

    # ------------------------------------------------------------------ what tasks keep here

    def split(self, graphs: GraphSet, protocol: str, seed: int, make: Callable[[], Split]) -> Split:
        """Return the split of these graphs that the folder holds; make and store it first."""
        path, digest = self.path / SPLIT, content_hash(graphs)
        kept = path.exists() and (self.resume or self._begun)
        made = None if kept else make()  # a split that is refused leaves the folder as it was
        self.begin()
        if made is not None:
            save_splits(path, [made], digest, protocol, seed)
        stored = load_splits(path, digest, protocol, seed)[0]
        if kept and self._config is not None and (named := self._config.split):
            before = self.config()
            # A file that is gone is needed no more.
            gone = _is_file(named) and not Path(named).exists()
            if not (gone and named == before.split) and make() != stored:
                raise self._other_split(before)
        return stored

    def _other_split(self, before: RunConfig) -> CheckpointError:
        assert self._config is not None
        begun, now = _split_name(before), _split_name(self._config)
        what = f"it has changed since: {now}" if begun == now else f"it is to go on with {now}"
        return CheckpointError(
            f"{self.path}: the run was begun with the split {begun}, and {what}; resume with the "
            "same split, or start a new run in another folder"
        )

    def distances(self) -> Path:
        """Return the file for distances; a computation that is stopped can be gone on with."""
        self.begin()
        if self._config is not None and not self.resume:
            write_toml(self._config, self.path / CONFIG)
        return self.path / DISTANCES

    @property
    def unfinished_distances(self) -> bool:
        """Whether distances were begun to be computed and are not finished."""
        return parts_folder(self.path / DISTANCES).exists()

    # ------------------------------------------------------------------ reading a run

    def config(self) -> RunConfig:
        """Read the settings of the run."""
        if (self.path / "results.json").is_file():
            raise CheckpointError(
                f"{self.path}: the folder of a comparison, not of one run; "
                "its page is made by graphpool evaluate --report"
            )
        if not (self.path / CONFIG).is_file():
            raise CheckpointError(f"{self.path}: not a run folder ({CONFIG} is missing)")
        return read_toml(RunConfig, self.path / CONFIG, written_by_us=True)

    def examples(self) -> Any:
        """Read what the examples of the run were."""
        path = self.path / EXAMPLES
        return read_json(path, dict[str, Any], error=CheckpointError, hint="train the model anew")

    def check_examples(self, facts: dict[str, Any]) -> None:
        """Refuse examples other than those of the run.

        Args:
            facts: some of those that the run was begun with.
        """
        if facts and not _agree(json.loads(json.dumps(facts)), self.examples()):
            raise CheckpointError(
                f"{self.path}: its graphs, pairs or distances have changed since it was trained; "
                "put back those it was trained with, or train anew"
            )

    def result(self) -> dict[str, Any]:
        """Read the result of the finished run."""
        path = self.path / RESULT
        if not path.is_file():
            raise CheckpointError(
                f"{self.path}: the run is not finished; go on with it: graphpool train --resume "
                f"--out {self.path}"
            )
        document: dict[str, Any] = read_json(
            path, dict[str, Any], error=CheckpointError, hint=self._written_again
        )
        return document

    def unusable_result(self, reason: str) -> CheckpointError:
        """Make the error about a result, or a log of epochs, that no page can be made of."""
        problem = f"it or {EVENTS} does not hold what a report shows ({brief(reason)})"
        return CheckpointError.at(self.path / RESULT, problem, hint=self._written_again)

    @property
    def _written_again(self) -> str:
        return f"remove it, and graphpool train --resume --out {self.path} writes it again"

    def history(self) -> list[dict[str, Any]]:
        """Read one row per epoch."""
        return [row for row in read_events(self.path / EVENTS) if row["event"] == "epoch"]


def _is_file(split: str) -> bool:
    return bool(split) and parse_split(split).kind == "own"


def _may_be_same(before: str, now: str) -> bool:
    """Whether two names of splits may mean the same one; `split` compares what is in files."""
    if _is_file(before) and _is_file(now):
        return True
    # Without a name a set is split as it is usual for it, which the settings of the run name.
    return before == now or (now == "" and before in (PUBLISHED, SCAFFOLD))


def _split_name(config: RunConfig) -> str:
    """What a user calls the split of a run."""
    named = config.compare.split if config.task == "similarity" else "of its seed"
    return config.split or named


def _settings(config: RunConfig) -> dict[str, Any]:
    """Settings that must not change, in the form of a checkpoint header.

    Paths are left out: graphs are identified by their content.
    """
    values = to_dict(config)
    extra = {key: values[key] for key in ("task", "features", "model")}
    if TASKS[config.task].takes == "pairs":
        paths = ("pairs", "distances")
        compare = {key: value for key, value in values["compare"].items() if key not in paths}
        extra["compare"] = compare
    return {"config": values["train"], "data": {}, "extra": extra}


def _agree(facts: Any, stored: Any) -> bool:
    """Whether all that `facts` say is stored."""
    if not isinstance(facts, dict):
        return bool(facts == stored)
    return isinstance(stored, dict) and all(
        key in stored and _agree(value, stored[key]) for key, value in facts.items()
    )
