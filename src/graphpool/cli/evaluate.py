"""`graphpool evaluate`: methods side by side under a protocol, or one trained model on a set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import Root, file_name, open_training, short_name
from graphpool.cli.experiment import print_experiment, stopping
from graphpool.cli.output import Json, plural, print_json, print_line, print_status
from graphpool.cli.score import score_model
from graphpool.errors import ConfigError, nearest

if TYPE_CHECKING:
    from graphpool.config import RunConfig
    from graphpool.experiments.records import Record
    from graphpool.experiments.results import ExperimentResult
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
    files_given = any(given[f"compare.{name}"] is not None for name in ("pairs", "distances"))
    if run.task == options.CLASSIFICATION and files_given:
        raise ConfigError(
            "--pairs and --distances go with --model RUN, a trained comparer, and --distances "
            "with --task similarity"
        )
    options.check_task(run.task, given, options.words(methods))
    options.check_names(run)
    names = options.words(methods)
    if run.task == options.CLASSIFICATION:
        _refuse_pair_networks(names)
    elif protocol is not None:
        raise ConfigError(
            f"--protocol is of classification, and --task {run.task} has one of its own; leave it "
            "out"
        )
    compare_methods(
        run, sets, names, protocol or "cv10", seeds=seeds, jobs=jobs, baselines=baselines, out=out,
        root=root, report=report, json=json,
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
    from graphpool.evaluation.protocols import find_protocol
    from graphpool.experiments.comparison import evaluate as run_methods
    from graphpool.experiments.methods import check_methods
    from graphpool.experiments.results import FILE, result_document

    if run.task == options.CLASSIFICATION:
        find_protocol(protocol)
        check_methods(methods)
    else:
        _check_compared(run, methods, sets, root)
    results, documents = [], []
    with stopping():
        for name in sets:
            folder = _folder(out, name, run.task, protocol, many=len(sets) > 1)
            graphs = open_training(name, root) if run.task == options.CLASSIFICATION else name
            print_status(
                f"{short_name(name)}: {plural(len(dict.fromkeys(methods)), 'method')}, in {folder}"
            )
            result = run_methods(
                graphs, methods, protocol, seeds, run, folder, baselines=baselines, jobs=jobs,
                root=root, finished=None if run.task == options.CLASSIFICATION else _tell_unit,
            )  # fmt: skip
            results.append(result)
            documents.append(result_document(result, folder))
            if report:
                _write_report(result, documents[-1], run, folder)
            if not json:
                print_experiment(result)
                print_line(f"\nWritten to {folder}: {FILE}, results.md"
                    f"{', report.html' if report else ''}\n")  # fmt: skip
    if json:
        print_json({"results": documents})
    elif len(results) > 1 and run.task == options.CLASSIFICATION:
        from graphpool.experiments.tables import merged_table

        print_line(merged_table(results))
    if any(result.failures for result in results):
        raise typer.Exit(1)


def _tell_unit(unit: "Unit", record: "Record") -> None:
    from graphpool.experiments.engine import accuracy_text

    if record.error:
        print_status(f"{unit} failed: {record.error}")
    else:
        print_status(f"{unit}: {accuracy_text(record)} in {record.total_seconds:.1f} s")


def _check_compared(
    run: "RunConfig", methods: Sequence[str], sets: Sequence[str], root: Path | None
) -> None:
    """Refuse a misspelt method or set before hours are spent on those before it."""
    from dataclasses import replace

    from graphpool.data.true_distances import known_distances, open_similar
    from graphpool.experiments.comparison import drawn_pairs
    from graphpool.experiments.unit import rules_of
    from graphpool.nn.zoo.build import METHODS
    from graphpool.nn.zoo.pairs import PAIR_METHODS

    known = (*METHODS, *PAIR_METHODS)
    for name in methods:
        if name not in known and name in rules_of(run.task):
            raise ConfigError(
                f"{name} learns nothing and stands beside the methods without being named; leave "
                "it out of --methods"
            )
        if name not in known:
            raise ConfigError(f"unknown method {name!r}; {nearest(name, known)}")
    for data in sets:
        if run.task == "matching":
            drawn_pairs(replace(run, data=data), [0])
        else:
            known_distances(open_similar(data, root), data, run.compare.distances, root)


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


def _refuse_pair_networks(methods: Sequence[str]) -> None:
    """Say which task a network for pairs is of."""
    from graphpool.nn.zoo.pairs import PAIR_METHODS

    for name in methods:
        if name in PAIR_METHODS:
            raise ConfigError(
                f"{name} is a network for pairs of graphs; evaluate it with --task matching or "
                "--task similarity"
            )


def _folder(out: Path | None, data: str, task: str, protocol: str, many: bool) -> Path:
    """One set, one folder."""
    name = file_name(data)
    if out is not None:
        return out / name if many else out
    if task == options.CLASSIFICATION:
        return Path("runs") / f"evaluation-{name}-{protocol}"
    return Path("runs") / f"evaluation-{name if name.startswith(task) else f'{name}-{task}'}"


def _write_report(
    result: "ExperimentResult", document: dict[str, Any], config: "RunConfig", folder: Path
) -> None:
    if result.task != options.CLASSIFICATION:
        from graphpool.experiments.tables import METRICS
        from graphpool.report import write
        from graphpool.report.methods import methods_report

        about = methods_report(document, METRICS[result.task], _cell, result.command)
        write(about, folder / "report.html")
        return
    from graphpool.experiments.methods import model_of
    from graphpool.experiments.report_rows import result_rows
    from graphpool.report import Report, write
    from graphpool.tasks.pages.levels import health_rows
    from graphpool.training.select_place_rule import place_rules

    assert result.facts is not None
    assert result.protocol is not None
    first = result.methods[0]
    page = Report(
        title=f"{first} on {result.data}",
        subtitle=f"{result.protocol.summary}; {len(result.seeds)} seeds.",
        command=result.command,
        dataset={"graphs": result.facts.graphs, "classes": len(result.facts.classes)},
        results=result_rows(result),
        health=health_rows(result.health(first), bool(place_rules(model_of(first, config.model)))),
        warnings=[f"{each.method}, seed {each.seed}, fold {each.fold}: {each.error}"
                  for each in result.failures],
        environment={**result.versions, **result.machine},
    )  # fmt: skip
    write(page, folder / "report.html")


def _cell(value: dict[str, float | None] | None, metric: str) -> str:
    """A mean and its deviation, as the printed table has it."""
    from graphpool.evaluation.statistics import Summary
    from graphpool.experiments.tables import metric_text

    if value is None or value["mean"] is None:
        return metric_text(None)
    return metric_text(Summary(value["mean"], value["deviation"], None, None, 0), metric)
