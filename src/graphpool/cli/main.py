"""The `graphpool` command: its subcommands and their error handling."""

import os
import sys
from typing import Annotated, NoReturn

import typer

from graphpool import __version__
from graphpool.cli import errors
from graphpool.cli.data import data_app
from graphpool.cli.demo import demo
from graphpool.cli.doctor import doctor
from graphpool.cli.evaluate import evaluate
from graphpool.cli.experiments import experiments_app
from graphpool.cli.ged import ged_app
from graphpool.cli.list import list_methods
from graphpool.cli.match import match
from graphpool.cli.output import accept_any_text
from graphpool.cli.predict import predict
from graphpool.cli.report import report
from graphpool.cli.tell_apart import tell_apart
from graphpool.cli.train import train
from graphpool.errors import GraphpoolError
from graphpool.limits import VARIABLE, Limits

app = typer.Typer(
    name="graphpool",
    help="Learn from whole graphs with hierarchical adaptive pooling (HAP).",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command()(train)
app.command()(evaluate)
app.command()(predict)
app.command()(match)
app.command("tell-apart")(tell_apart)
app.command()(report)
app.add_typer(data_app, name="data")
app.add_typer(ged_app, name="ged")
app.add_typer(experiments_app, name="experiments")
app.command("list")(list_methods)
app.command()(doctor)


def _print_version(wanted: bool) -> bool:
    if wanted:
        typer.echo(f"graphpool {__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    limits: Annotated[
        str | None,
        typer.Option(
            "--limits",
            metavar="NAME=NUMBER,…",
            help="Raise limits on what a file may hold, such as nodes=1e9; see docs/formats.md.",
        ),
    ] = None,
) -> None:
    """Learn from whole graphs with hierarchical adaptive pooling (HAP)."""
    if limits is not None:
        Limits().with_settings(limits, "--limits")
        # For this process and for those that it starts.
        os.environ[VARIABLE] = ",".join(filter(None, (os.environ.get(VARIABLE), limits)))


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    accept_any_text()
    command = typer.main.get_command(app)
    try:
        with errors.showing_warnings():
            code = command.main(arguments, prog_name="graphpool", standalone_mode=False)
            sys.stdout.flush()  # here, where a full disk is an error that can be reported
    except GraphpoolError as error:
        code = errors.report_error(error)
    except errors.ClickError as error:
        # A command with nothing after it has printed its help by now.
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.exit(0)
        code = errors.report_error(errors.usage_message(error))
    except OSError as error:
        if (message := errors.environment_message(error)) is None:
            raise
        code = errors.report_error(message)
    except typer.Abort:
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    run()
