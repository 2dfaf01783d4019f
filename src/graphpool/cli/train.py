"""`graphpool train`: one model on one split, with everything about it in one folder."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import Root, file_name, is_path
from graphpool.cli.experiment import stopping
from graphpool.cli.output import Json, print_json, print_line, print_lines, print_status
from graphpool.config import RunConfig

if TYPE_CHECKING:
    from graphpool.models.run_folder import RunFolder
    from graphpool.tasks import TaskData

CONFIG = "config.toml"


@options.with_settings()
def train(
    data: Annotated[
        str | None,
        typer.Argument(
            help=f"A set's name, or a file or folder of graphs; by default {RunConfig.data}, or "
            "the set of the task.",
            show_default=False,
        ),
    ] = None,
    *,
    given: options.Given,
    config: options.ConfigFile = None,
    assignments: options.Assignments = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; by default runs/DATA-POOLER-SEED.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an older run.")] = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Train a model and test it.

    80 % of the graphs train, 10 % choose the epoch and 10 % test, with equal mixes of classes.

    One split says little about a method: compare methods with graphpool evaluate.

    With --task matching it learns whether two graphs match, from drawn pairs or those of --pairs;
    with --task similarity which of two graphs is nearer to a third.
    """
    given = {"data": _data(data), **given}
    run = options.settings(config, given, assignments)
    folder = out or default_folder(run)
    if resume and config is None and (folder / CONFIG).exists():
        run = options.settings(folder / CONFIG, given, assignments, written_by_us=True)
    options.check_task(run.task, given, [run.model.pooler])
    options.check_names(run)
    from graphpool.models.run_folder import RunFolder

    store = RunFolder(folder, run, resume)
    store.check_free(overwrite)
    store.check_settings()
    train_and_print(run, store, root, json)


def train_and_print(run: RunConfig, store: "RunFolder", root: Path | None, json: bool) -> None:
    """Train, and print the result; a signal ends it with a hint how to go on."""
    from graphpool.models.run import train_run

    def introduce(data: "TaskData") -> None:
        if not json:
            _introduce(data, run, store)

    path = shlex.quote(str(store.path))
    go_on = f"; go on with: graphpool train --resume --out {path}"
    try:
        with stopping(go_on):
            model, document = train_run(run, store, root=root, started=introduce)
    except KeyboardInterrupt:
        if not store.unfinished_distances:
            raise
        print_status(f"graphpool: stopped; distances computed so far are kept{go_on}")
        raise SystemExit(130) from None
    if json:
        print_json(document)
        return
    print_lines(model.task.result_lines(document))
    use = model.task.use.format(path=path)
    print_line(f"\nWritten to {store.path}. Use it with: {use}")
    print_line(f"A page about it: graphpool report {path}")


def default_folder(run: RunConfig) -> Path:
    """Return the folder of a run for which none is given."""
    data = file_name(run.data)
    if run.task != options.CLASSIFICATION and not data.startswith(run.task):
        data = f"{data}-{run.task}"
    return Path("runs") / f"{data}-{run.model.pooler}-{run.train.seed}"


def _data(data: str | None) -> str | None:
    """A file is remembered by its full path, so that a run finds it from anywhere."""
    return str(Path(data).absolute()) if data is not None and is_path(data) else data


def _introduce(data: "TaskData", run: RunConfig, store: "RunFolder") -> None:
    """Say what is trained on what, and where it goes."""
    from graphpool.tasks import TASKS

    for note in data.notes:
        print_status(note)
    summary = TASKS[run.task].methods()[run.model.pooler]
    print_status(f"{run.model.pooler} ({summary}); seed {run.train.seed}; in {store.path}")
