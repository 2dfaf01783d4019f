"""`graphpool report`: one HTML page about a trained run."""

from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli.options import Json, Overwrite, Root
from graphpool.cli.output import print_result
from graphpool.files import check_free


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run of graphpool train.")],
    out: Annotated[Path | None, typer.Option(help="By default report.html in the run.")] = None,
    overwrite: Overwrite = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Write a page about a run: accuracy, curves, its test graphs or pairs, some of them drawn."""
    from graphpool.models.run import report_run

    if out is not None:  # the page of a run itself is written again
        check_free(out, overwrite, "--overwrite", "--out ")
    path = report_run(run, out, root)
    print_result(json, {"path": str(path)}, [f"Report: {path}"])
