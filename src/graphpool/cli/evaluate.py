"""`graphpool evaluate`: methods side by side under a protocol, or one trained model on a set."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import (
    as_trained,
    file_name,
    load_model,
    open_graphs,
    short_name,
    with_columns,
    with_task,
)
from graphpool.cli.experiment import experiment_lines, stopping
from graphpool.cli.output import print_json, print_line, print_lines, print_status
from graphpool.config import RunConfig
from graphpool.errors import ConfigError, check_known
from graphpool.evaluation.format import plural

if TYPE_CHECKING:
    from graphpool.experiments.records import Record
    from graphpool.experiments.unit import Unit

FILES = ("compare.pairs", "compare.distances")


@with_columns("data")
@options.with_settings(without=("model.pooler", "train.seed"))
def evaluate(
    data: Annotated[
        list[str] | None, typer.Argument(help="Names of sets, or files or folders of graphs.")
    ] = None,
    *,
    methods: Annotated[str, typer.Option(help="Joined by commas; see graphpool list.")] = "hap,sum",
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Another name of --split; by default published where the set brings a split, "
            "else cv10.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="How many; by default 3, or what the protocol asks for."),
    ] = None,
    jobs: options.Jobs = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines/--no-baselines",
            help="Put structure-free, wl and majority, constant or prevalence beside it, or rules "
            "that compare graphs.",
        ),
    ] = True,
    metric: Annotated[
        str | None,
        typer.Option(
            help="In the table: of classification accuracy (the default), balanced_accuracy, "
            "f1_macro, matthews_corrcoef, roc_auc, average_precision; of regression mae (the "
            "default), rmse, r2, spearman; of multilabel roc_auc (the default), "
            "average_precision, f1_macro, f1_micro, accuracy. Of published sets the published "
            "one is the default.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Score this trained model instead (run folder or file).")
    ] = None,
    given: options.Given,
    config: options.ConfigFile = None,
    assignments: options.Assignments = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder; by default runs/evaluation-DATA-PROTOCOL or -TASK.")
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Write report.html too.")] = False,
    root: options.Root = None,
    json: options.Json = False,
) -> None:
    """Compare methods: every split tested once, epochs chosen on validation graphs.

    With --task matching or similarity, methods that compare graphs, on drawn pairs or in ranking.

    What is finished is kept in the folder; the same command goes on from there.
    """
    if model is None and data and not options.names_task(config, given, assignments):
        options.check_words(config, given, assignments)
        _check_metric(metric, RunConfig.task, "regression")
        given = with_task(given, data[0], root)
    run = options.settings(config, given, assignments)
    sets = data or ([run.data] if config is not None else [])
    if not sets:
        task_option = "" if run.task == RunConfig.task else f"--task {run.task} "
        raise ConfigError(
            f"name at least one data set, such as: graphpool evaluate {task_option}{run.data}"
        )
    if model is not None:
        _score(model, sets, given, root, json)
        return
    from graphpool.experiments.comparison import check_evaluation
    from graphpool.experiments.comparison import evaluate as run_methods
    from graphpool.experiments.methods import main_metric
    from graphpool.experiments.results import FILE, result_document
    from graphpool.experiments.tables import merged_table
    from graphpool.tasks import find_task
    from graphpool.tasks.epoch_text import scoring_text

    names, by_protocol = options.words(methods), find_task(run.task).noun == "graphs"
    _check(run, given, assignments, names, protocol)
    _check_metric(metric, run.task)
    check_evaluation(sets, names, protocol, run, root)
    results, documents = [], []
    with stopping():
        for name in sets:
            kind = _kind(run, protocol, name, root) if by_protocol else run.task
            folder = _folder(out, name, kind, many=len(sets) > 1)
            count = plural(len(dict.fromkeys(names)), "method")
            print_status(f"{short_name(name)}: {count}, in {folder}")
            if by_protocol and (text := scoring_text(run, main_metric(run.task, name))):
                print_status(text)
            result = run_methods(
                name, names, protocol, seeds, run, folder, baselines=baselines, jobs=jobs,
                root=root, finished=None if by_protocol else _print_unit,
            )  # fmt: skip
            results.append(result)
            documents.append(result_document(result, folder))
            if report:
                result.report(folder / "report.html")
            if not json:
                files = f"{FILE}, results.md{', report.html' * report}"
                print_lines(
                    [
                        *experiment_lines(result, metric or main_metric(run.task, name)),
                        f"\nWritten to {folder}: {files}\n",
                    ]
                )
    if json:
        print_json({"results": documents})
    elif len(results) > 1 and by_protocol:
        print_line(merged_table(results))
    if any(result.failures for result in results):
        raise typer.Exit(1)


def _check_metric(metric: str | None, *tasks: str) -> None:
    """Refuse a metric that none of the tasks has; those that compare graphs print all of theirs."""
    from graphpool.tasks import find_task

    known = [
        name
        for task in map(find_task, tasks)
        for name in (task.columns if task.noun == "graphs" else ("accuracy",))
    ]
    if metric is not None:
        check_known("metric", metric, known)


def _check(
    run: RunConfig,
    given: options.Given,
    assignments: list[str] | None,
    methods: list[str],
    protocol: str | None,
) -> None:
    """Refuse names that are not known, and options that the task has no use for."""
    from graphpool.tasks import find_task

    task = find_task(run.task)
    if any(given[key] is not None for key in FILES) and not task.files:
        raise ConfigError(
            "--pairs and --distances go with --model RUN, a trained comparer, and --distances "
            "with --task similarity"
        )
    options.check_names(run, given, methods, assignments)
    if protocol is not None and run.split:
        raise ConfigError("--split and --protocol mean the same; give one of them")
    if task.noun == "graphs":
        return
    if protocol is not None:
        raise ConfigError(
            f"--protocol is of tasks over single graphs, and --task {run.task} has one of its "
            "own; leave it out"
        )
    for name in methods:
        if name in task.baselines():
            raise ConfigError(
                f"{name} learns nothing and stands beside the methods without being named; leave "
                "it out of --methods"
            )


def _score(
    model: Path, sets: list[str], given: options.Given, root: Path | None, json: bool
) -> None:
    """Print what a trained model, which has its own settings, reaches on each set."""
    used = ("task", "train.device", *FILES)
    strange = [key for key, value in given.items() if value is not None and key not in used]
    if strange:
        raise ConfigError(
            f"--model RUN is scored as it was trained, so {', '.join(strange)} can't be set; leave "
            "such options out"
        )
    from graphpool.features.summary import features_line

    trained = load_model(model, given["train.device"] or "cpu")
    files = {key.removeprefix("compare."): given[key] or "" for key in FILES}
    documents = []
    for name in sets:
        name = as_trained(name, trained.config.data)
        documents.append(trained.test_set(name, root, files))
        if not json:
            lines = trained.task.score_lines(documents[-1])
            print_lines([*lines, features_line(documents[-1]["features"])])
    if json:
        print_json({"model": str(model), "scores": documents})


def _print_unit(unit: "Unit", record: "Record") -> None:
    from graphpool.experiments.engine import metric_line

    if record.error:
        print_status(f"{unit} failed: {record.error}")
    else:
        print_status(f"{unit}: {metric_line(record)} in {record.total_seconds:.1f} s")


def _kind(run: RunConfig, protocol: str | None, data: str, root: Path | None) -> str:
    """Return the split of a set as a part of a name."""
    from graphpool.evaluation.protocols import default_split, find_protocol

    given = protocol or run.split
    if not given:
        return default_split(open_graphs(data, root)) or "cv10"
    return "split" if find_protocol(given).kind == "own" else re.sub(r"[^\w.-]", "-", given)


def _folder(out: Path | None, data: str, kind: str, many: bool) -> Path:
    """Return the folder of a set; `kind` is the protocol or the task."""
    name = file_name(data)
    if out is not None:
        return out / name if many else out
    return Path("runs") / f"evaluation-{name if name.startswith(kind) else f'{name}-{kind}'}"
