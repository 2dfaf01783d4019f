"""`graphpool evaluate`: methods side by side under a protocol, or one trained model on a set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import Root, file_name, open_classes, open_training, short_name
from graphpool.cli.experiment import (
    print_experiment,
    print_score,
    same_answer,
    stopping,
    summary_document,
)
from graphpool.cli.output import Json, print_json, print_line, print_status
from graphpool.errors import ConfigError

if TYPE_CHECKING:
    from graphpool.config import RunConfig
    from graphpool.experiments.results import ExperimentResult
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.classifier import TrainedModel

BASELINES = ("structure-free", "wl", "majority")


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
        files = given["compare.pairs"] or "", given["compare.distances"] or ""
        _score(model, sets, given["train.device"] or "cpu", root, json, files)
        return
    files_given = any(given[f"compare.{name}"] is not None for name in ("pairs", "distances"))
    if run.task == options.CLASSIFICATION and files_given:
        raise ConfigError(
            "--pairs and --distances go with --model RUN, a trained comparer, and --distances "
            "with --task similarity"
        )
    options.check_task(run.task, given, options.words(methods))
    options.check_names(run)
    if run.task != options.CLASSIFICATION:
        from graphpool.cli.evaluate_task import evaluate_task

        if protocol is not None:
            raise ConfigError(
                f"--protocol is of classification, and --task {run.task} has one of its own; "
                "leave it out"
            )
        evaluate_task(run, sets, options.words(methods), seeds=seeds, jobs=jobs, out=out,
                      baselines=baselines, root=root, report=report, json=json)  # fmt: skip
        return
    protocol = protocol or "cv10"
    _refuse_pair_networks(options.words(methods))
    names = [*options.words(methods), *(BASELINES if baselines else ())]
    results, places = [], []
    with stopping():
        for name in sets:
            folder = _folder(out, name, protocol, many=len(sets) > 1)
            results.append(_experiment(name, names, protocol, seeds, run, folder, jobs, root))
            places.append(folder)
            if report:
                _write_report(results[-1], run, folder)
            if not json:
                print_experiment(results[-1])
                print_line(
                    f"\nWritten to {folder}: results.json, results.md"
                    f"{', report.html' if report else ''}\n"
                )
    if json:
        documents = [
            {**summary_document(result), "folder": str(place)}
            for result, place in zip(results, places, strict=True)
        ]
        print_json({"results": documents})
    elif len(results) > 1:
        from graphpool.experiments.tables import merged_table

        print_line(merged_table(results))
    if any(result.failures for result in results):
        raise typer.Exit(1)


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


def _folder(out: Path | None, data: str, protocol: str, many: bool) -> Path:
    """One set, one folder."""
    if out is None:
        return Path("runs") / f"evaluation-{file_name(data)}-{protocol}"
    return out / file_name(data) if many else out


def _experiment(
    data: str,
    methods: Sequence[str],
    protocol: str,
    seeds: int | None,
    config: "RunConfig",
    folder: Path,
    jobs: int | None,
    root: Path | None,
) -> "ExperimentResult":
    from graphpool.evaluation.protocols import find_protocol
    from graphpool.experiments.engine import run_experiment
    from graphpool.experiments.methods import check_methods

    names, chosen = check_methods(methods), find_protocol(protocol)
    graphs = open_training(data, root)
    numbers = chosen.seeds if seeds is None else tuple(range(seeds))
    splits = chosen.folds * len(numbers)
    print_status(f"{graphs.name}: {len(names)} methods on {splits} splits, in {folder}")
    return run_experiment(graphs, names, chosen, numbers, config, folder, jobs=jobs)


def _write_report(result: "ExperimentResult", config: "RunConfig", folder: Path) -> None:
    from graphpool.experiments.methods import model_of
    from graphpool.models import classifier_report as model_report
    from graphpool.report import Report, write

    first = result.methods[0]
    page = Report(
        title=f"{first} on {result.facts.name}",
        subtitle=f"{result.protocol.summary}; {len(result.seeds)} seeds.",
        command=result.command,
        dataset={"graphs": result.facts.graphs, "classes": len(result.facts.classes)},
        results=model_report.result_rows(result),
        health=model_report.health_rows(result.health(first), model_of(first, config.model)),
        warnings=[f"{each.method}, seed {each.seed}, fold {each.fold}: {each.error}"
                  for each in result.failures],
        environment={**result.versions, **result.machine},
    )  # fmt: skip
    write(page, folder / "report.html")


def _score(
    model: Path,
    sets: Sequence[str],
    device: str,
    root: Path | None,
    json: bool,
    files: tuple[str, str] = ("", ""),
) -> None:
    """Accuracy of a trained model on whole sets; `files` are of pairs and distances, if any."""
    from graphpool.models.classifier import load_model
    from graphpool.models.file import COMPARER, open_trained
    from graphpool.training.device import find_device

    find_device(device, "--device")
    if open_trained(model)[1].get("kind") == COMPARER:
        from graphpool.cli.score_compared import score_compared

        score_compared(model, sets, device, root, json, *files)
        return
    if any(files):
        raise ConfigError(
            f"{model} is a classifier, which needs no --pairs and no --distances; leave them out"
        )
    trained = load_model(model, device)
    documents = []
    for name in sets:
        documents.append(score_document(trained, open_classes(name, root)))
        if not json:
            print_score(documents[-1])
    if json:
        print_json({"model": str(model), "scores": documents})


def score_document(model: "TrainedModel", graphs: "GraphSet") -> dict[str, Any]:
    """Figures of a set; for the model's own set also those of the graphs it has not seen.

    `trained_on` counts the graphs that trained the model or chose its epoch. It is None, which
    is to say unknown, for any set but the very one the model was made from.
    """
    from graphpool.data.source import set_digest

    assert graphs.y is not None
    model.check_labels(graphs)
    metrics = model.score(graphs)
    source = model.source
    own = source is not None and source.digest == set_digest(graphs)
    unseen = source.held_out if source is not None and own else ()
    document: dict[str, Any] = {
        "data": graphs.name,
        "graphs": len(graphs),
        **metrics,
        "majority": float(graphs.y.bincount().max()) / len(graphs),
        "trained_on": len(graphs) - len(unseen) if own else None,
        "warnings": same_answer(model.only_answer(graphs, metrics)),
    }
    if not own and graphs.name == short_name(model.config.data):
        document["warnings"].append(
            "the model was trained on a set of the same name; if these are graphs of it, this is "
            "no test accuracy"
        )
    if unseen:
        document["held_out"] = {"graphs": len(unseen), **model.score(graphs[unseen])}
    return document
