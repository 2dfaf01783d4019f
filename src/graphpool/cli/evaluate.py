"""`graphpool evaluate`: methods side by side under a protocol, or one trained model on a set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import Root, file_name, short_name
from graphpool.cli.experiment import print_experiment, stopping
from graphpool.cli.output import Json, plural, print_json, print_line, print_status
from graphpool.cli.score import score_model
from graphpool.errors import ConfigError

if TYPE_CHECKING:
    from graphpool.config import RunConfig
    from graphpool.experiments.records import Record
    from graphpool.experiments.unit import Unit


@options.with_settings(without=("model.pooler", "train.seed"))
def evaluate(
    data: Annotated[
        list[str] | None, typer.Argument(help="Names of sets, or files or folders of graphs.")
    ] = None,
    *,
    methods: Annotated[str, typer.Option(help="Joined by commas; see graphpool list.")] = "hap,sum",
    protocol: Annotated[
        str | None,
        typer.Option(help="Of classification: cv10 (the default) or paper.", show_default=False),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="How many; by default 3, or what the protocol asks for."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one per core.")
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines/--no-baselines",
            help="Put structure-free, wl and majority beside it, or rules that compare graphs.",
        ),
    ] = True,
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
    root: Root = None,
    json: Json = False,
) -> None:
    """Compare methods: every split tested once, epochs chosen on validation graphs.

    With --task matching or similarity, methods that compare graphs, on drawn pairs or in ranking.

    What is finished is kept in the folder; the same command goes on from there.
    """
    run = options.settings(config, given, assignments)
    sets = data or ([run.data] if config is not None else [])
    if not sets:
        raise ConfigError(_no_set(run))
    if model is not None:
        _check_scoring(given)
        files = {name: given[f"compare.{name}"] or "" for name in ("pairs", "distances")}
        score_model(model, sets, given["train.device"] or "cpu", root, json, files)
        return
    from graphpool.tasks import find_task

    task = find_task(run.task)
    files_given = any(given[f"compare.{name}"] is not None for name in ("pairs", "distances"))
    if files_given and not task.files:
        raise ConfigError(
            "--pairs and --distances go with --model RUN, a trained comparer, and --distances "
            "with --task similarity"
        )
    options.check_task(run.task, given, options.words(methods))
    options.check_names(run)
    if protocol is not None and task.noun != "graphs":
        raise ConfigError(
            f"--protocol is of classification, and --task {run.task} has one of its own; leave it "
            "out"
        )
    compare_methods(
        run, sets, options.words(methods), protocol or "cv10", seeds=seeds, jobs=jobs,
        baselines=baselines, out=out, root=root, report=report, json=json,
    )  # fmt: skip


def compare_methods(
    run: "RunConfig",
    sets: Sequence[str],
    methods: Sequence[str],
    protocol: str,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    baselines: bool = True,
    out: Path | None = None,
    root: Path | None = None,
    report: bool = False,
    json: bool = False,
) -> None:
    """Compare methods on every set; print the results and write them."""
    from graphpool.experiments.comparison import check_evaluation
    from graphpool.experiments.comparison import evaluate as run_methods
    from graphpool.experiments.results import FILE, result_document
    from graphpool.tasks import find_task

    task = find_task(run.task)
    by_protocol = task.noun == "graphs"
    for name in () if by_protocol else methods:
        if name in task.baselines():
            raise ConfigError(
                f"{name} learns nothing and stands beside the methods without being named; leave "
                "it out of --methods"
            )
    check_evaluation(sets, methods, protocol, run, root)
    results, documents = [], []
    with stopping():
        for name in sets:
            kind = protocol if by_protocol else run.task
            folder = _folder(out, name, kind, many=len(sets) > 1)
            print_status(
                f"{short_name(name)}: {plural(len(dict.fromkeys(methods)), 'method')}, in {folder}"
            )
            result = run_methods(
                name, methods, protocol, seeds, run, folder, baselines=baselines, jobs=jobs,
                root=root, finished=None if by_protocol else _print_unit,
            )  # fmt: skip
            results.append(result)
            documents.append(result_document(result, folder))
            if report:
                result.report(folder / "report.html")
            if not json:
                print_experiment(result)
                print_line(f"\nWritten to {folder}: {FILE}, results.md"
                    f"{', report.html' if report else ''}\n")  # fmt: skip
    if json:
        print_json({"results": documents})
    elif len(results) > 1 and by_protocol:
        from graphpool.experiments.tables import merged_table

        print_line(merged_table(results))
    if any(result.failures for result in results):
        raise typer.Exit(1)


def _print_unit(unit: "Unit", record: "Record") -> None:
    from graphpool.experiments.engine import accuracy_text

    if record.error:
        print_status(f"{unit} failed: {record.error}")
    else:
        print_status(f"{unit}: {accuracy_text(record)} in {record.total_seconds:.1f} s")


def _check_scoring(given: Mapping[str, Any]) -> None:
    """Refuse settings with a trained model, which has its own."""
    used = ("task", "train.device", "compare.pairs", "compare.distances")
    strange = [key for key, value in given.items() if value is not None and key not in used]
    if strange:
        raise ConfigError(
            f"--model RUN is scored as it was trained, so {', '.join(strange)} can't be set; leave "
            "such options out"
        )


def _no_set(run: "RunConfig") -> str:
    """What to say when no set is named."""
    task = "" if run.task == options.CLASSIFICATION else f"--task {run.task} "
    return f"name at least one data set, such as: graphpool evaluate {task}{run.data}"


def _folder(out: Path | None, data: str, kind: str, many: bool) -> Path:
    """Return the folder of a set; `kind` is the protocol or the task."""
    name = file_name(data)
    if out is not None:
        return out / name if many else out
    return Path("runs") / f"evaluation-{name if name.startswith(kind) else f'{name}-{kind}'}"
