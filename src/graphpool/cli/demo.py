"""`graphpool demo`: a first look at everything, in under three minutes."""

from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli.experiment import experiment_lines, stopping
from graphpool.cli.options import Json
from graphpool.cli.output import print_result, print_status

OUT = Path("demo")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report and its numbers.")] = OUT,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of the cross-validation.")] = 1,
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the report in a browser.")
    ] = False,
    json: Json = False,
) -> None:
    """Train HAP and its baselines on MUTAG, which needs no download, and write a report."""
    from graphpool.experiments.demo import run_demo
    from graphpool.experiments.results import result_document

    with stopping():
        outcome = run_demo(out, seeds=tuple(range(seeds)), tell=print_status)
    results = result_document(outcome.experiment, out)
    del results["folder"]  # the one that was asked for
    document = {
        "report": str(outcome.report),
        "seconds": outcome.seconds,
        "results": results,
        "pictures": outcome.pictures,
    }
    lines = experiment_lines(outcome.experiment)
    print_result(json, document, [*lines, f"\nReport: {outcome.report} ({outcome.seconds:.0f} s)"])
    if open_page:
        import webbrowser

        webbrowser.open(outcome.report.absolute().as_uri())
