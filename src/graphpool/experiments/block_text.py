"""What fills a block of a page: its table, how the numbers came about, and its picture."""

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath, PurePosixPath

from graphpool.evaluation.protocols import find_protocol
from graphpool.experiments.cells import Grid
from graphpool.experiments.experiment import MEAN_RANK, Block, Experiment
from graphpool.experiments.experiment_records import ExperimentRecords
from graphpool.experiments.rankings import P_VALUES
from graphpool.experiments.records import Record, completed
from graphpool.experiments.text import names_text, paragraphs, where_text
from graphpool.tasks import find_task

# Kinds of protocols that a caption describes; folds and seeds say the rest.
SHOWN_SPLITS = ("published", "scaffold", "column", "group", "time")


def block_text(own: Experiment, block: Block, measured: Mapping[str, ExperimentRecords]) -> str:
    """The text of a block: its table, how it came about, and the command that repeats it."""
    grid = Grid(own, block, measured)
    parts = [grid.table()]
    if block.floor:
        low = {
            column.title: names_text([row.method for row in rows])
            for column in grid.columns
            if (rows := grid.low(column))
        }
        named = "; ".join(f"{title}: {names}" for title, names in low.items())
        floor = own.methods[block.floor].title or f"`{block.floor}`"
        parts.append(f"↓ is not above {floor} ({named})." if named else
                     f"Every method is above {floor} on every set.")  # fmt: skip
    parts += _statistics(grid)
    if block.caption:
        parts += _captions(grid)
    parts.append(f"`graphpool experiments run {' '.join(grid.experiments)}`")
    return paragraphs(block.intro, *parts)


def block_picture(
    own: Experiment, block: Block, measured: Mapping[str, ExperimentRecords]
) -> str | None:
    """The picture of a block as an SVG document; None while too few results are there."""
    return Grid(own, block, measured).ranking.picture()


def _statistics(grid: Grid) -> list[str]:
    """What p-values and mean ranks of the table are, and its picture."""
    block, parts = grid.block, []
    if any(row.figure == "p" for row in grid.rows):
        parts.append(P_VALUES)
    if block.picture:
        parts.append(grid.ranking.test_text())
    if block.picture or any(column.metric == MEAN_RANK for column in grid.columns):
        parts.append(grid.ranking.left_out_text())
    if block.picture and grid.ranking.can_be_tested:
        path = os.path.relpath(block.picture, PurePosixPath(block.page).parent)
        parts.append(f"![Critical differences of mean ranks]({PurePath(path).as_posix()})")
    return parts


def _captions(grid: Grid) -> list[str]:
    """How units were trained, and where."""
    trained: dict[str, dict[str, None]] = {}  # columns, by title, and what is said of them
    splits: dict[str, str] = {}
    records: list[Record] = []
    for column in grid.columns:
        cells = [
            [each for each in grid.records(row, column) if each.kind == "network"]
            for row in grid.rows
        ]
        for found in filter(None, cells):
            trained.setdefault(column.title, {})[_training(found)] = None
            records += found
        if any(cells):
            splits[column.title] = _splits([each for found in cells for each in found])
    if not records:
        return []
    alike = len(set(splits.values())) == 1
    kinds: dict[str, dict[str, None]] = {}
    for title, said in trained.items():
        for each in said:
            kinds.setdefault(each if alike else f"{each}; {splits[title]}", {})[title] = None
    texts = [
        f"{' / '.join(titles)}: {text}" if len(kinds) > 1 else text
        for text, titles in kinds.items()
    ]
    own = f"; {_splits(records)}" if alike else ""
    return [f"{'; '.join(texts)}{own}. {_origins(records)}."]


def _training(records: Sequence[Record]) -> str:
    """How many examples, steps and seeds there were."""
    record = records[0]
    train, facts = completed(record.settings)["train"], record.facts
    steps = (
        f"{train['epochs']} epochs in batches of {train['batch_size']} at a learning rate of "
        f"{train['learning_rate']:g}"
    )
    if tries := record.settings.get("search"):
        steps += f", or one of {len(tries) - 1} other settings, whichever is best on validation"
    if facts.get("kind") in SHOWN_SPLITS:
        steps += f"; {find_protocol(facts['protocol']).summary}"
    if "train" not in facts:
        return steps
    what = find_task(record.task).noun
    test = f", {facts['test']:,} of each size test" if "test" in facts else ""
    return f"{facts['train']:,} {what} train, {facts['valid']:,} choose the epoch{test}; {steps}"


def _splits(records: Sequence[Record]) -> str:
    """How many folds and seeds there were."""
    seeds = len({record.seed for record in records})
    folds = len({record.fold for record in records})
    many = f"{folds} folds, " if folds > 1 else ""
    return f"{many}{seeds} seed{'s' if seeds > 1 else ''}"


def _origins(records: Sequence[Record]) -> str:
    """Machines with versions and code."""
    codes: dict[str, dict[str, None]] = {}
    for record in records:
        versions = {key: value for key, value in record.versions.items() if key != "code"}
        where = where_text({"machine": record.machine, "versions": versions})
        codes.setdefault(where, {})[f"`{record.versions.get('code', 'not recorded')}`"] = None
    return "; ".join(f"{where}, code {', '.join(each)}" for where, each in codes.items())
