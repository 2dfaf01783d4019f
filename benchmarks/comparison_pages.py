"""Write the measured tables of docs/comparing.md and the README from results.

A table stands between `<!-- comparing: NAME -->` and `<!-- end -->`; all else is left alone.

    python benchmarks/comparison_pages.py            # after matching.py and similarity.py
    python benchmarks/comparison_pages.py --check    # exit 1 if the page and the results differ
"""

import argparse
import json
import re
import statistics
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from comparison_titles import GMN, HAP, MODULES, PAPER, PAPER_SIMILARITY, RULE_TITLES, SLOTS, TITLES
from ged_page import table, three

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "matching": ROOT / "results" / "matching.json",
    "similarity": ROOT / "results" / "similarity.json",
    "throughput": ROOT / "results" / "benchmarks" / "triplets.json",
}
PAGES = (ROOT / "docs" / "comparing.md", ROOT / "README.md")
_BLOCK = re.compile(r"(<!-- comparing: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_MISSING = "*Not measured yet.*\n"
NONE = "–"
SIZES, LARGE = ("20", "30", "40", "50"), ("100", "101", "200", "201")
SETS = {"AIDS700nef": "AIDS700nef", "LINUX": "LINUX"}
ALL_SIZES = "paper-20-30-40-50"

Found = dict[str, Any]
Column = tuple[str, str, str]
"""File, data and what is tested of it."""


class Results:
    """All result files."""

    def __init__(self, files: Mapping[str, Found]) -> None:
        self.files = files

    def units(self, file: str, data: str | None = None, method: str | None = None) -> list[Found]:
        """Units of a file, of some data and of one method."""
        every = self.files.get(file, {}).get("units", [])
        return [
            unit
            for unit in every
            if data in (None, unit["data"]) and method in (None, unit["method"])
        ]

    def values(self, column: Column, method: str, metric: str = "accuracy") -> list[float]:
        """A number of every seed."""
        file, data, tested = column
        found = (unit["metrics"].get(tested, {}) for unit in self.units(file, data, method))
        return [metrics[metric] for metrics in found if metrics.get(metric) is not None]

    def seeds(self, column: Column) -> int:
        """From how many seeds networks were trained."""
        file, data, _ = column
        return len({unit["seed"] for unit in self.units(file, data) if unit["kind"] == "network"})


# ---------------------------------------------------------------------- cells and rows


def cell(values: Sequence[float], seeds: int, percent: bool = True) -> str:
    """Mean and standard deviation; how many there are, if some are missing."""
    if not values:
        return NONE
    scale, digits = (100, 2) if percent else (1, 3)
    text = f"{scale * statistics.mean(values):.{digits}f}"
    if len(values) > 1:
        text += f" ± {scale * statistics.stdev(values):.{digits}f}"
    return text if len(values) in (1, seeds) else f"{text} ({len(values)})"


def rows_table(
    results: Results,
    columns: Mapping[str, Column],
    methods: Mapping[str, str],
    printed: Iterable[tuple[str, Sequence[float | None]]] = (),
) -> str:
    """One row a method, the best mean of every column in bold, the paper's own rows below."""
    names = [
        name for name in methods if any(results.values(column, name) for column in columns.values())
    ]
    if not names:
        return ""
    best = {
        title: max(_mean(results.values(column, name)) for name in names)
        for title, column in columns.items()
    }

    def shown(name: str, title: str, column: Column) -> str:
        values = results.values(column, name)
        text = cell(values, results.seeds(column))
        return f"**{text}**" if values and _mean(values) == best[title] else text

    rows = [
        (methods[name], *(shown(name, title, column) for title, column in columns.items()))
        for name in names
    ]
    theirs = [
        (title, *(NONE if value is None else f"{value:.2f}" for value in values))
        for title, values in printed
    ]
    return table(("accuracy, %", *columns), [*rows, *theirs])


def _mean(values: Sequence[float]) -> float:
    return statistics.mean(values) if values else float("-inf")


def _sizes(sizes: Sequence[str]) -> dict[str, Column]:
    return {f"\\|V\\| = {size}": ("matching", f"paper-{size}", size) for size in sizes}


def _similarity() -> dict[str, Column]:
    return {title: ("similarity", data, "ranking") for data, title in SETS.items()}


# ---------------------------------------------------------------------- the blocks


def paper_text(results: Results) -> str:
    """The paper's pairs, each size by itself."""
    chosen = {name: TITLES[name] for name in ("hap", "hap-paper", "gmn", "gmn-hap", "sum")}
    printed = [(f"*{name}, as printed*", PAPER["sizes"][name]) for name in (HAP, GMN, "GMN-HAP")]
    made = rows_table(results, _sizes(SIZES), {**chosen, **RULE_TITLES}, printed)
    return _blocks(made, _training(results, "matching", "paper-20"))


def generalise_text(results: Results) -> str:
    """Trained on small graphs, tested on large ones."""
    columns = {f"\\|V\\| = {size}": ("matching", ALL_SIZES, size) for size in LARGE}
    names = ("hap", "hap-half", "hap-euclidean", "hap-paper", "gmn", "gmn-hap", *SLOTS)
    chosen = {name: TITLES[name] for name in names}
    printed = [
        (f"*{name}, as printed*", (hundred, None, two_hundred, None))
        for name, (hundred, two_hundred) in PAPER["larger"].items()
    ]
    made = rows_table(results, columns, {**chosen, **RULE_TITLES}, printed)
    return _blocks(made, _training(results, "matching", ALL_SIZES))


def balanced_text(results: Results) -> str:
    """Pairs that sizes don't tell apart."""
    columns: dict[str, Column] = {
        f"{hardness}, {size}": ("matching", f"balanced-{hardness}-{size}", size)
        for size in ("20", "50")
        for hardness in ("easy", "medium", "hard")
    }
    names = ("hap", "hap-sorted", "hap-euclidean", "hap-paper", "flat", "sum", "gmn", "gmn-hap")
    chosen = {name: TITLES[name] for name in names}
    made = rows_table(results, columns, {**chosen, **RULE_TITLES})
    below = [
        f"\\|V\\| = {size}: {said}"
        for size in ("20", "50")
        if (said := _training(results, "matching", f"balanced-hard-{size}"))
    ]
    return _blocks(made, *below)


def summary_text(results: Results) -> str:
    """A few columns of both tasks, for the README."""
    pairs: dict[str, Column] = {
        f"pairs, {hardness}": ("matching", f"balanced-{hardness}-20", "20")
        for hardness in ("easy", "medium", "hard")
    }
    names = ("hap", "flat", "gmn", "gmn-hap", "simgnn", "sum")
    shown = {**{name: TITLES[name] for name in names}, "spectrum": RULE_TITLES["spectrum"],
             "label-edge": RULE_TITLES["label-edge"]}  # fmt: skip
    return _blocks(rows_table(results, {**pairs, **_similarity()}, shown))


def ablation_text(results: Results) -> str:
    """Other poolers in HAP's slot, on both tasks."""
    chosen = {name: TITLES[name] for name in ("hap", "hap-paper", *SLOTS)}
    printed = [
        (f"*{name}, as printed*", [*values[:4], None, *values[4:]])
        for name, values in PAPER["slots"].items()
    ]
    return _blocks(rows_table(results, _both(), chosen, printed))


def modules_text(results: Results) -> str:
    """One to three coarsenings, on both tasks."""
    chosen = {name: TITLES[name] for name in MODULES}
    printed = [
        (f"*{name}, as printed*", [*values[:4], None, *values[4:]])
        for name, values in PAPER["modules"].items()
    ]
    return _blocks(rows_table(results, _both(), chosen, printed))


def _both() -> dict[str, Column]:
    hard: dict[str, Column] = {"balanced, hard, 20": ("matching", "balanced-hard-20", "20")}
    return {**_sizes(SIZES), **hard, **_similarity()}


def ranking_text(data: str) -> Callable[[Results], str]:
    """Everything about one set of triplets."""
    metrics = {
        "accuracy": "triplets, %", "spearman": "Spearman", "kendall": "Kendall",
        "precision@10": "p@10", "precision@20": "p@20",
    }  # fmt: skip

    def text(results: Results) -> str:
        column = ("similarity", data, "ranking")
        names = dict.fromkeys(unit["method"] for unit in results.units("similarity", data))
        ranked = sorted(names, key=lambda name: -_mean(results.values(column, name)))
        seeds = results.seeds(column)

        def fields(name: str) -> list[str]:
            numbers = [
                cell(results.values(column, name, key), seeds, percent=key == "accuracy")
                for key in metrics
            ]
            units = results.units("similarity", data, name)
            return [*numbers, three(_mean([unit["seconds"]["test"] for unit in units]))]

        titles = {**TITLES, **{name: f"*{title}*" for name, title in RULE_TITLES.items()}}
        rows = [(titles.get(name, f"`{name}`"), *fields(name)) for name in ranked]
        if data in PAPER_SIMILARITY:
            printed = f"{PAPER_SIMILARITY[data]:.2f}"
            rows.append((f"*{HAP}, as printed*", printed, *[NONE] * len(metrics)))
        made = table((data, *metrics.values(), "seconds"), rows) if names else ""
        return _blocks(made, _training(results, "similarity", data))

    return text


def throughput_text(results: Results) -> str:
    """An epoch both ways."""
    found = results.files.get("throughput", {})
    if not found:
        return _MISSING
    rows = [
        (
            f"`{row['method']}`", f"{row['batch']:,}", f"{row['graphs']['once']:.0f}",
            f"{row['graphs']['thrice']:,}", three(row["seconds"]["once"]),
            three(row["seconds"]["thrice"]), f"{row['thrice / once']:.1f}",
        )
        for row in found["rows"]
    ]  # fmt: skip
    head = ("method", "triplets a batch", "its graphs, once", "three a triplet", "s", "s, three",
            "ratio")  # fmt: skip
    return _blocks(table(head, rows), f"{_where(found)}.")


def _training(results: Results, file: str, data: str) -> str:
    """How many examples and steps there were, as the results say."""
    found = results.files.get(file, {})
    units = [unit for unit in results.units(file, data) if unit["kind"] == "network"]
    if not units:
        return ""
    facts = found["examples"][units[0]["facts"]]
    kinds = {
        (train["epochs"], train["batch_size"], train["learning_rate"])
        for unit in units
        if (train := found["settings"][unit["settings"]]["train"])
    }
    steps = " or ".join(
        f"{epochs} epochs in batches of {batch} at a learning rate of {rate:g}"
        for epochs, batch, rate in sorted(kinds)
    )
    what = "pairs" if file == "matching" else "triplets"
    test = f", {facts['test']:,} of each size test" if "test" in facts else ""
    seeds = results.seeds((file, data, ""))
    places = dict.fromkeys(_where(found["made"][unit["made"]]) for unit in units)
    return (
        f"{facts['train']:,} {what} train, {facts['valid']:,} choose the epoch{test}; {steps}; "
        f"{seeds} seed{'s' if seeds > 1 else ''}. {'; '.join(places)}."
    )


BLOCKS: dict[str, Callable[[Results], str]] = {
    "summary": summary_text,
    "paper": paper_text,
    "generalise": generalise_text,
    "balanced": balanced_text,
    "ablation": ablation_text,
    "modules": modules_text,
    "aids": ranking_text("AIDS700nef"),
    "linux": ranking_text("LINUX"),
    "linux-classes": ranking_text("LINUX-classes"),
    "throughput": throughput_text,
}


# ---------------------------------------------------------------------- the page


def _where(made: Found) -> str:
    machine, versions = made["machine"], made["versions"]
    accelerator = f", {machine['accelerator']}" if "accelerator" in machine else ""
    return (
        f"{machine['processor']} ({machine['cores']} cores{accelerator}), Python "
        f"{versions['python']}, torch {versions['torch']}, code `{versions['code']}`"
    )


def _blocks(*parts: str) -> str:
    """Paragraphs, filled to the width of the page; tables as they are; nothing without any."""
    made = []
    for part in filter(None, parts):
        plain = textwrap.fill(part, 100, break_long_words=False, break_on_hyphens=False)
        made.append(part.rstrip("\n") if part.startswith("|") else plain)
    return "\n\n".join(made) + "\n" if made else _MISSING


def filled(text: str, files: Mapping[str, Found]) -> str:
    """A page with its tables as the results have them."""
    results = Results(files)
    return _BLOCK.sub(lambda part: f"{part[1]}{BLOCKS[part[2]](results)}{part[4]}", text)


def read(path: Path) -> Found:
    """A result file; empty if it is not there."""
    found: Found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def main() -> None:
    """Fill in the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, path in FILES.items():
        parser.add_argument(f"--{name}", type=Path, default=path, help="result file")
    parser.add_argument("--pages", type=Path, nargs="+", default=PAGES)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    files = {name: read(getattr(given, name)) for name in FILES}
    for page in given.pages:
        text = page.read_text(encoding="utf-8")
        made = filled(text, files)
        if made != text and given.check:
            sys.exit(f"{page.name}: not what the results say; run benchmarks/comparison_pages.py")
        if made != text:
            page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
