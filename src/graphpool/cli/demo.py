"""`graphpool demo`: a first look at everything, in under three minutes."""

from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli.experiment import print_experiment, stopping, summary_document
from graphpool.cli.output import Json, print_json, print_line, print_status

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

    with stopping():
        made = run_demo(out, seeds=tuple(range(seeds)), tell=print_status)
    if json:
        print_json(
            {
                "report": str(made.report),
                "seconds": made.seconds,
                "results": summary_document(made.experiment),
                "pictures": made.pictures,
            }
        )
    else:
        print_experiment(made.experiment)
        print_line(f"\nReport: {made.report} ({made.seconds:.0f} s)")
    if open_page:
        import webbrowser

        webbrowser.open(made.report.absolute().as_uri())
