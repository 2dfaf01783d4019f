"""The one page writer: marked regions of README.md and docs/*.md are filled from results.

A block stands between `<!-- NAME -->` and `<!-- end -->`; all else on a page is left alone. Blocks
of experiments and of their cost come from record files, blocks of timings from
`results/benchmarks`. A block of an experiment may have a picture, which is a file of its own; so
are figures.
"""

import re
from collections.abc import Callable
from pathlib import Path

from graphpool.documents import unreadable
from graphpool.errors import ConfigError, DataError
from graphpool.experiments.block_text import block_picture, block_text
from graphpool.experiments.costs import COST_BLOCK, cost_block
from graphpool.experiments.experiment_file import list_experiments
from graphpool.experiments.experiment_records import RESULTS, ExperimentRecords
from graphpool.experiments.figures import figure_picture
from graphpool.experiments.timings import TIMINGS, timing_text
from graphpool.files import atomic_write

_BLOCK = re.compile(r"<!-- (?P<name>[\w:\- ]+?) -->\n(?P<text>.*?)<!-- end -->", re.DOTALL)


def write_pages(project: str | Path = ".", check: bool = False) -> list[Path]:
    """Fill the blocks of all pages, and draw their pictures.

    Args:
        project: folder with `experiments/`, `results/`, `docs/` and README.md.
        check: write nothing.

    Returns:
        Pages and pictures that did not say what the results say.
    """
    project = Path(project)
    blocks = page_blocks(project)
    wanted: list[tuple[Path, str]] = []
    for page in find_pages(project):
        before = _read(page)
        wanted.append((page, _BLOCK.sub(lambda found: _filled(found, blocks), before)))
    return _written([*wanted, *_drawn(project)], check)


def write_pictures(project: str | Path = ".") -> list[Path]:
    """Draw the pictures of blocks and figures alone; return those that changed."""
    return _written(_drawn(Path(project)), check=False)


def _drawn(project: Path) -> list[tuple[Path, str]]:
    drawn = ((path, draw()) for path, draw in page_pictures(project).items())
    return [(path, picture) for path, picture in drawn if picture is not None]


def _written(wanted: list[tuple[Path, str]], check: bool) -> list[Path]:
    """Write files that have another text, unless they are only checked; return these."""
    different = []
    for path, text in wanted:
        if not path.exists() or path.read_bytes() != text.encode():
            different.append(path)
            if not check:
                with atomic_write(path, "w") as handle:
                    handle.write(text)
    return different


def check_blocks(project: str | Path = ".") -> None:
    """Raise an error if a block of an experiment is not on the page that it names."""
    project = Path(project)
    places: dict[str, list[str]] = {}
    for page in find_pages(project):
        for found in _BLOCK.finditer(_read(page)):
            relative = page.relative_to(project).as_posix()
            places.setdefault(found["name"], []).append(relative)
    for name, experiment in list_experiments(project).items():
        for block in experiment.blocks:
            pages = places.get(block.name, [])
            if block.page not in pages:
                elsewhere = f" (it is in {', '.join(pages)})" if pages else ""
                raise ConfigError(
                    f"experiments/{name}.toml: {block.page} has no block <!-- {block.name} -->"
                    f"{elsewhere}; add it, with <!-- end --> after it, or change the page"
                )


def page_blocks(project: Path) -> dict[str, Callable[[], str]]:
    """What fills each block, by its name."""
    measured = _measured(project)
    blocks: dict[str, Callable[[], str]] = {}
    for each in measured.values():
        for block in each.experiment.blocks:
            if block.name in blocks or block.name in (COST_BLOCK, *TIMINGS):
                raise ConfigError(f"two blocks are called {block.name!r}; rename one of them")
            blocks[block.name] = lambda own=each.experiment, block=block: block_text(
                own, block, measured
            )
    for name in TIMINGS:
        blocks[name] = lambda name=name: timing_text(name, project / RESULTS / "benchmarks")
    blocks[COST_BLOCK] = lambda: cost_block({name: each.file for name, each in measured.items()})
    return blocks


def page_pictures(project: Path) -> dict[Path, Callable[[], str | None]]:
    """What draws each picture, by its path; None is drawn of too few results."""
    measured = _measured(project)
    pictures: dict[Path, Callable[[], str | None]] = {}
    for each in measured.values():
        for figure in each.experiment.figures:
            path = project / figure.picture
            if path in pictures:
                raise ConfigError(f"two figures draw {figure.picture!r}; rename one of them")
            pictures[path] = lambda own=each.experiment, figure=figure: figure_picture(
                own, figure, project
            )
        for block in filter(lambda block: block.picture, each.experiment.blocks):
            path = project / block.picture
            if path in pictures:
                raise ConfigError(f"two blocks draw {block.picture!r}; rename one of the pictures")
            pictures[path] = lambda own=each.experiment, block=block: block_picture(
                own, block, measured
            )
    return pictures


def _measured(project: Path) -> dict[str, ExperimentRecords]:
    return {
        name: ExperimentRecords(each, project) for name, each in list_experiments(project).items()
    }


def find_pages(project: Path) -> list[Path]:
    """README.md and all pages of docs/."""
    pages = [project / "README.md", *sorted((project / "docs").glob("*.md"))]
    return [page for page in pages if page.exists()]


def _read(page: Path) -> str:
    try:
        return page.read_bytes().decode()
    except UnicodeDecodeError:
        raise DataError.at(page, "is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise unreadable(page, error) from None


def _filled(found: re.Match[str], blocks: dict[str, Callable[[], str]]) -> str:
    name = found["name"]
    if name not in blocks:
        raise DataError(f"no results fill the block <!-- {name} -->; is it misspelt?")
    return f"<!-- {name} -->\n{blocks[name]()}<!-- end -->"
