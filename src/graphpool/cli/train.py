"""`graphpool train`: one model on one split, with everything about it in one folder."""

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli import options as options
from graphpool.cli.data_arguments import Root, file_name, is_path, open_training
from graphpool.cli.experiment import same_answer, stopping
from graphpool.cli.output import Json, percent, plural, print_json, print_line, print_status
from graphpool.cli.places import choice_lines, counts_text, place_counts, plan_text
from graphpool.cli.run_folder import (
    CONFIG,
    RESULT,
    check_free,
    check_settings,
    prepare,
    split_of,
)
from graphpool.config import RunConfig, to_dict, write_toml
from graphpool.files import write_json

if TYPE_CHECKING:
    from graphpool.data.splits import Split
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.classifier import TrainedModel
    from graphpool.training.loop import FitResult


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
    check_free(folder, resume, overwrite)
    if resume:
        check_settings(folder, run)
    if run.task == options.CLASSIFICATION:
        _train_classifier(run, folder, resume, root, json)
    else:
        from graphpool.cli.train_compared import train_compared

        train_compared(run, folder, resume, root, json)


def _train_classifier(
    run: RunConfig, folder: Path, resume: bool, root: Path | None, json: bool
) -> None:
    graphs = open_training(run.data, root)
    prepare(folder, resume)
    split = split_of(folder, graphs, run.train.seed)
    # Written last: a run that is refused must not lose the settings it was begun with.
    write_toml(run, folder / CONFIG)
    if not json:
        _introduce(graphs, split, run, folder)
    document = _run(graphs, split, run, folder, resume)
    write_json(folder / RESULT, document)
    if json:
        print_json(document)
    else:
        print_result(document)
        place = shlex.quote(str(folder))
        print_line(f"\nWritten to {folder}. Use it with: graphpool predict {place} FILE")
        print_line(f"A page about it: graphpool report {place}")


def default_folder(run: RunConfig) -> Path:
    """Where a run goes when nothing is said."""
    data = file_name(run.data)
    if run.task != options.CLASSIFICATION and not data.startswith(run.task):
        data = f"{data}-{run.task}"
    return Path("runs") / f"{data}-{run.model.pooler}-{run.train.seed}"


def _data(data: str | None) -> str | None:
    """A file is remembered by its full path, so that a run finds it from anywhere."""
    return str(Path(data).absolute()) if data is not None and is_path(data) else data


def _introduce(graphs: "GraphSet", split: "Split", run: RunConfig, folder: Path) -> None:
    from graphpool.nn.zoo.build import METHODS

    print_status(
        f"{graphs.name}: {plural(len(graphs), 'graph')}, {len(graphs.classes)} classes; "
        f"{len(split.train)} train, {len(split.valid)} choose the epoch, {len(split.test)} test"
    )
    method = METHODS[run.model.pooler]
    print_status(f"{method.name} ({method.summary}); seed {run.train.seed}; in {folder}")
    if places := plan_text(graphs, run):
        print_status(places)


def _run(
    graphs: "GraphSet", split: "Split", run: RunConfig, folder: Path, resume: bool
) -> dict[str, Any]:
    """Train and test; a signal ends it with a hint how to go on."""
    from graphpool.data.source import Source, set_digest
    from graphpool.models.classifier import train_model
    from graphpool.training.select_place_rule import place_rules

    # Found for the whole set: its parts then have them.
    for rule in place_rules(run.model):
        graphs.places(rule)
    place = shlex.quote(str(folder))
    with stopping(f"; go on with: graphpool train --resume --out {place}"):
        model, result = train_model(
            graphs[split.train],
            graphs[split.valid],
            run,
            source=Source(set_digest(graphs), split.test),
            folder=folder,
            resume=resume,
        )
    return result_document(graphs, split, model, result)


def result_document(
    graphs: "GraphSet", split: "Split", model: "TrainedModel", result: "FitResult"
) -> dict[str, Any]:
    """What `result.json` says of a finished run."""
    from graphpool.evaluation.baselines.kernel import majority
    from graphpool.evaluation.prediction import accuracy
    from graphpool.evaluation.statistics import wilson
    from graphpool.training.health_warnings import health_warnings

    assert graphs.y is not None
    test, classes = graphs[split.test], graphs.y.cpu().numpy()
    metrics = model.score(test)
    correct = round(metrics["accuracy"] * len(split.test))
    return {
        "data": graphs.name,
        "graphs": {name: len(part) for name, part in asdict(split).items()},
        "test": {
            **{name: metrics[name] for name in ("accuracy", "balanced_accuracy", "loss")},
            "correct": correct,
            "interval": wilson(correct, len(split.test)),
        },
        "majority": accuracy(majority(classes, split).predicted, classes[list(split.test)]),
        "valid": result.best_metrics,
        "best_epoch": result.best_epoch,
        "epochs": len(result.history),
        "stopped": result.stopped,
        "seconds": sum(row["seconds"] for row in result.history),
        "health": {name: value for name, value in metrics.items() if "/" in name},
        "places": place_counts(graphs, model.config),
        "choice": None if model.choice is None else to_dict(model.choice),
        "warnings": [*same_answer(model.only_answer(test, metrics)), *health_warnings(metrics)],
        "config": to_dict(model.config),
        "versions": model.versions,
    }


def print_result(document: dict[str, Any]) -> None:
    """Accuracy beside the majority class, then how the levels fare."""
    test, count = document["test"], document["graphs"]["test"]
    low, high = (100 * end for end in test["interval"])
    print_line(
        f"Test accuracy   {percent(test['accuracy']):>7}  {test['correct']} of "
        f"{plural(count, 'graph')}, 95 % interval {low:.0f} to {high:.0f}"
    )
    print_line(f"Balanced        {percent(test['balanced_accuracy']):>7}  mean over the classes")
    print_line(f"Majority class  {percent(document['majority']):>7}")
    print_line(
        f"Best epoch {document['best_epoch']} of {document['epochs']}, chosen on validation "
        f"graphs ({percent(document['valid']['accuracy'])}); {document['seconds']:.1f} s"
    )
    if document["choice"]:
        print_line("\n".join(choice_lines(document["choice"])))
    print_health(document["health"], document["places"])
    for warning in document["warnings"]:
        print_line(f"warning: {warning}")
    if count < 100:
        print_line(
            f"One of {count} test graphs is {100 / count:.1f} points: too few to compare methods "
            "with; graphpool evaluate does."
        )


def print_health(health: dict[str, float], places: dict[str, int | float] | None) -> None:
    """One line for each level that keeps nodes or has more than one cluster, on test graphs.

    Args:
        places: of the whole set, whose first level has them for clusters.
    """
    levels = sorted({name.partition("/")[0] for name in health})
    for level in levels:
        if (kept := health.get(f"{level}/kept")) is not None:
            print_line(
                f"Level {level.removeprefix('level')}: {kept:.1f} nodes of a test graph are kept"
            )
            continue
        own = {
            name: health.get(f"{level}/{name}", float("nan"))
            for name in ("clusters", "effective_rank", "clusters_used", "entropy", "off_identity")
        }
        called = f"{own['clusters']:.0f} clusters"
        if places and level == "level1":
            called = counts_text(places)
        print_line(
            f"Level {level.removeprefix('level')}: {called}; test graphs use "
            f"{own['clusters_used']:.1f}, effective rank {own['effective_rank']:.2f}, "
            f"entropy {own['entropy']:.2f}, {percent(own['off_identity'])} of the coarse weight "
            "between clusters"
        )
