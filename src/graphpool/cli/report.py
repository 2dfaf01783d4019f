"""`graphpool report`: one HTML page about a trained run."""

from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli.data_arguments import Root
from graphpool.cli.output import Json, print_json, print_line


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run of graphpool train.")],
    out: Annotated[Path | None, typer.Option(help="By default report.html in the run.")] = None,
    root: Root = None,
    json: Json = False,
) -> None:
    """Write a page about a run: accuracy, curves, its test graphs or pairs, some of them drawn."""
    from graphpool.models.run import report_run

    path = report_run(run, out, root)
    if json:
        print_json({"path": str(path)})
    else:
        print_line(f"Report: {path}")
