"""`graphpool experiments`: the tables of the project, as data: list, check, run and show them."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from graphpool.cli.experiment import stopping
from graphpool.cli.options import Jobs, Json, Overwrite, Root, command_group
from graphpool.cli.output import print_json, print_line, print_result, print_status
from graphpool.evaluation.format import Table, plural
from graphpool.files import check_free

experiments_app = command_group(
    "List, check and run the experiments of a project, and fill its pages."
)
Project = Annotated[
    Path, typer.Option("--project", help="Folder with experiments/, results/ and docs/.")
]
HERE = Path()
REPRODUCTION = Path("docs/reproduction.md")


@experiments_app.command("list")
def list_all(project: Project = HERE, json: Json = False) -> None:
    """Show every experiment and the blocks of pages that it fills."""
    from graphpool.experiments.experiment_file import list_experiments

    rows = [
        {
            "name": name,
            "title": each.title,
            "task": each.task,
            "data": [entry.name for entry in each.data],
            "methods": list(each.methods),
            "blocks": [f"{block.page}: {block.name}" for block in each.blocks],
            "source": each.paper.source,
            "remarks": list(each.remarks),
        }
        for name, each in list_experiments(project).items()
    ]
    table = Table(
        ("experiment", "title", "fills"),
        [(row["name"], row["title"], "\n".join(row["blocks"])) for row in rows],
    )
    print_result(json, {"experiments": rows}, [table])


@experiments_app.command()
def validate(project: Project = HERE, json: Json = False) -> None:
    """Check every file: its settings, its units and its blocks."""
    from graphpool.experiments.project import validate as check

    units = check(project)
    counts = f"{plural(len(units), 'experiment')}, {plural(sum(units.values()), 'unit')}"
    print_result(json, {"units": units}, [f"{counts}: nothing is wrong with them"])


@experiments_app.command()
def status(project: Project = HERE, json: Json = False) -> None:
    """Show how many units of every experiment are finished."""
    from graphpool.experiments.project import status as find_status

    found = find_status(project)
    document = {"experiments": [{**asdict(each), "missing": each.missing} for each in found]}
    heads = ("units", "finished", "failed", "missing", "by other code")
    rows = [
        (each.name, each.units, each.finished, each.failed, each.missing, each.other_code)
        for each in found
    ]
    print_result(json, document, [Table(("experiment", *heads), rows, right=heads)])


@experiments_app.command()
def run(
    names: Annotated[list[str], typer.Argument(help="Names of experiments.")],
    smoke: Annotated[
        bool,
        typer.Option("--smoke", help="Run the smallest form, one epoch each, and keep nothing."),
    ] = False,
    data: Annotated[
        list[str] | None, typer.Option(help="Run only units of these data; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Run only units of these methods; may be repeated.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Begin no unit later than this.")
    ] = None,
    jobs: Jobs = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Also run units that failed before.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also run units that other code has made.")
    ] = False,
    device: Annotated[str, typer.Option(help="cpu, or cuda.")] = "cpu",
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Folder for checkpoints, so that stopped units go on where they were."),
    ] = None,
    project: Project = HERE,
    root: Root = None,
    json: Json = False,
) -> None:
    """Run what is not finished; the same command goes on after a stop.

    Records are appended to results/NAME.jsonl. A unit that fails is recorded, and the rest go on.
    """
    from graphpool.experiments.engine import metric_line
    from graphpool.experiments.machine import usable_cores
    from graphpool.experiments.project import run as run_experiment
    from graphpool.training.device import find_device

    find_device(device, "--device")
    documents, failed = {}, False
    with stopping():
        for name in names:
            outcomes = run_experiment(
                name, project, smoke=smoke, data=data or (), methods=method or (),
                minutes=minutes, jobs=jobs or usable_cores(), retry=retry, again=again,
                device=device, root=root, checkpoints=checkpoints,
            )  # fmt: skip
            for each, outcome in outcomes.items():
                failed |= bool(outcome.failures)
                documents[each] = {
                    "finished": len(outcome.records),
                    "failed": {str(unit): error for unit, error in outcome.failures.items()},
                    "missing": len(outcome.missing),
                }
                if json:
                    continue
                if smoke:
                    for record in outcome.records:
                        print_status(f"{record.data}, {record.method}: {metric_line(record)}")
                print_line(
                    f"{each}: {len(outcome.records)} finished, {len(outcome.failures)} failed, "
                    f"{len(outcome.missing)} missing"
                )
                for unit, error in outcome.failures.items():
                    print_line(f"failed: {unit}: {error}")
    if json:
        print_json({"experiments": documents})
    if failed:
        raise typer.Exit(1)


@experiments_app.command()
def figures(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of experiments; by default all with figures.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Train what is finished once more.")
    ] = False,
    project: Project = HERE,
    root: Root = None,
    json: Json = False,
) -> None:
    """Train the networks that figures show, and draw maps, learning curves and clusters.

    Numbers are kept in results/figures/, and pictures are drawn from them; what is finished is not
    trained again, and a network that several figures of an experiment show is trained once.
    """
    from graphpool.experiments.experiment_file import list_experiments
    from graphpool.experiments.figures import make_figures
    from graphpool.experiments.pages import write_pictures

    chosen = names or [name for name, each in list_experiments(project).items() if each.figures]
    with stopping():
        files = [
            path for name in chosen for path in make_figures(name, project, root=root, again=again)
        ]
    drawn = write_pictures(project)
    document = {
        "results": [path.relative_to(project).as_posix() for path in files],
        "drawn": [path.relative_to(project).as_posix() for path in drawn],
    }
    changed = ", ".join(document["drawn"]) or "no picture changed"
    print_result(json, document, [*document["results"], f"drawn: {changed}"])


@experiments_app.command()
def pages(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a page says something else.")
    ] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Fill the marked blocks of README.md and docs/*.md from the results, and draw pictures."""
    from graphpool.experiments.pages import check_blocks, write_pages

    check_blocks(project)
    different = [path.relative_to(project).as_posix() for path in write_pages(project, check)]
    document = {"written": [] if check else different, "different": different}
    verb = "differ from the results: run graphpool experiments pages" if check else "written"
    line = f"{', '.join(different)}: {verb}" if different else "all pages say what the results say"
    print_result(json, document, [line])
    if check and different:
        raise typer.Exit(1)


@experiments_app.command()
def html(
    page: Annotated[
        Path, typer.Argument(help="A Markdown page, relative to the project.")
    ] = REPRODUCTION,
    out: Annotated[
        Path | None, typer.Option(help="By default the name of the page with .html, here.")
    ] = None,
    overwrite: Overwrite = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Write a page as one HTML file: pictures inside, differences from published values coloured.

    The page is taken as it is; graphpool experiments pages fills its blocks first.
    """
    from graphpool.report.document import write_document

    path = Path(f"{page.stem}.html") if out is None else out
    check_free(path, overwrite, "--overwrite", "--out ")
    write_document(project / page, path, page.as_posix())
    print_result(json, {"path": str(path)}, [f"Page: {path}"])
