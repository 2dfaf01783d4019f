"""`graphpool train`: one model on one split, with everything about it in one folder."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import file_name, is_path, with_columns, with_task
from graphpool.cli.experiment import stopping
from graphpool.cli.output import print_result, print_status
from graphpool.config import RunConfig
from graphpool.errors import plural

CONFIG = "config.toml"


@with_columns("data")
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
    root: options.Root = None,
    json: options.Json = False,
) -> None:
    """Train a model and test it.

    A set that brings a split is split by it. Of others 80 % of the graphs train, 10 % choose the
    epoch and 10 % test, with equal mixes of classes; --split takes another one.

    Graphs with classes are classified. With --task regression it learns numbers, with --task
    multilabel several labels of 0 and 1; that is assumed of graphs that have them and no classes.

    One split says little about a method: compare methods with graphpool evaluate.

    With --task matching it learns whether two graphs match, from drawn pairs or those of --pairs;
    with --task similarity which of two graphs is nearer to a third.
    """
    # A file is remembered by its full path, so that a run finds it from anywhere.
    path = None if data is None or not is_path(data) else options.absolute(Path(data))
    given = {"data": path or data, **given}
    if not options.names_task(config, given, assignments) and not resume:
        options.check_words(config, given, assignments)
        given = with_task(given, path or data, root)
    run = options.settings(config, given, assignments)
    folder = out or _default_folder(run)
    if resume and config is None and (folder / CONFIG).exists():
        run = options.settings(folder / CONFIG, given, assignments, written_by_us=True)
    options.check_names(run, given, [run.model.pooler], assignments)
    from graphpool.features.summary import features_line
    from graphpool.models.run import train_run
    from graphpool.models.run_folder import LEFT_OUT, RunFolder
    from graphpool.tasks import TASKS, TaskData

    store = RunFolder(folder, run, resume)

    def introduce(examples: TaskData, config: RunConfig) -> None:
        model = config.model
        about = (
            f"{model.pooler} ({TASKS[run.task].methods()[model.pooler]}); encoder {model.encoder}, "
            f"{plural(model.num_layers, 'layer')}; seed {run.train.seed}; in {folder}"
        )
        left_out = [f"Lines that were left out are listed in {folder / LEFT_OUT}"]
        shown = left_out if (folder / LEFT_OUT).exists() else []
        for line in () if json else (*examples.notes, *shown, about):
            print_status(line)

    quoted = shlex.quote(str(folder))
    go_on = f"; go on with: graphpool train --resume --out {quoted}"
    try:
        with stopping(go_on), store:
            store.check_free(overwrite)
            store.check_settings()
            model, document = train_run(run, store, root=root, started=introduce)
    except KeyboardInterrupt:
        if not store.unfinished_distances:
            raise
        print_status(f"graphpool: stopped; distances computed so far are kept{go_on}")
        raise SystemExit(130) from None
    lines = [
        *model.task.result_lines(document),
        features_line(document["features"]),
        f"\nWritten to {folder}. Use it with: {model.task.use.format(path=quoted)}",
        f"A page about it: graphpool report {quoted}",
    ]
    print_result(json, document, lines)


def _default_folder(run: RunConfig) -> Path:
    data = file_name(run.data)
    if run.task != RunConfig.task and not data.startswith(run.task):
        data = f"{data}-{run.task}"
    return Path("runs") / f"{data}-{run.model.pooler}-{run.train.seed}"
