"""Write the measured tables of docs/arrangements.md from results/arrangements.json.

A table stands between `<!-- arrangements: NAME -->` and `<!-- end -->`; all else is left alone.

    python benchmarks/arrangements_page.py            # after python benchmarks/arrangements.py
    python benchmarks/arrangements_page.py --check    # exit 1 if the page and the results differ
"""

import argparse
import json
import re
import statistics
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ged_page import table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "arrangements.json"
PAGE = ROOT / "docs" / "arrangements.md"
_BLOCK = re.compile(r"(<!-- arrangements: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_MISSING = "*Not measured yet.*\n"


def cell(found: dict[str, Any], row: str, column: str, all_seeds: int) -> str:
    """Mean and standard deviation over the seeds, in percent; their number if some are missing."""
    values = accuracies(found, row, column)
    if not values:
        return ""
    text = f"{100 * statistics.mean(values):.1f}"
    if len(values) > 1:
        text += f" ± {100 * statistics.stdev(values):.1f}"
    return text if len(values) == all_seeds else f"{text} ({len(values)})"


def accuracies(found: dict[str, Any], row: str, column: str) -> list[float]:
    """Test accuracy of every seed."""
    chosen = (run for run in found["runs"] if (run["row"], run["set"]) == (row, column))
    return [run["accuracy"] for run in chosen]


def seeds(found: dict[str, Any], rows: Collection[str] | None = None) -> int:
    """How many seeds there are, of some rows or of all."""
    return len({run["seed"] for run in found["runs"] if rows is None or run["row"] in rows})


def rows_table(found: dict[str, Any], group: str) -> str:
    """The rows of one group, a column for each of their sets; nothing if there are none."""
    rows = {name: row for name, row in found["rows"].items() if row["group"] == group}
    if not rows:
        return ""
    used = {run["set"] for run in found["runs"] if run["row"] in rows}
    columns = {name: column for name, column in found["sets"].items() if name in used}
    count = seeds(found, rows)
    return table(
        ("accuracy, %", *(column["title"] for column in columns.values())),
        (
            (row["title"], *(cell(found, name, column, count) for column in columns))
            for name, row in rows.items()
        ),
    )


def made_text(found: dict[str, Any]) -> str:
    """How often, and where, it was measured."""
    places = []
    for made in found["made"]:
        machine, versions = made["machine"], made["versions"]
        accelerator = f", {machine['accelerator']}" if "accelerator" in machine else ""
        places.append(
            f"{machine['processor']} ({machine['cores']} cores{accelerator}), Python "
            f"{versions['python']}, torch {versions['torch']}, code `{versions['code']}`"
        )
    return f"{seeds(found)} seeds, {len(found['runs'])} runs. {'; '.join(dict.fromkeys(places))}.\n"


def block(name: str, found: dict[str, Any]) -> str:
    """The text of one block."""
    if not found:
        return _MISSING
    return made_text(found) if name == "made" else rows_table(found, name) or _MISSING


def summary(found: dict[str, Any]) -> str:
    """All tables, one after the other."""
    groups = dict.fromkeys(row["group"] for row in found["rows"].values())
    return "\n".join([*(rows_table(found, group) for group in groups), made_text(found)])


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with its tables as the results have them."""
    return _BLOCK.sub(lambda part: f"{part[1]}{block(part[2], found)}{part[4]}", text)


def main() -> None:
    """Fill in the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    found = json.loads(given.results.read_text(encoding="utf-8")) if given.results.exists() else {}
    text = given.page.read_text(encoding="utf-8")
    made = filled(text, found)
    if made == text:
        return
    if given.check:
        sys.exit(
            f"{given.page.name}: not what the results say; run benchmarks/arrangements_page.py"
        )
    given.page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
