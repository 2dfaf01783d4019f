"""Write the measured figures of docs/places.md from results/benchmarks.

A table stands between `<!-- places: NAME -->` and `<!-- end -->`; all else is left alone.

    python benchmarks/places_page.py            # after places_pictures.py or places.py --json ...
    python benchmarks/places_page.py --check    # exit 1 if the page and the results differ
"""

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

from ged_page import table, three, time_text

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "benchmarks"
PAGE = ROOT / "docs" / "places.md"
_BLOCK = re.compile(r"(<!-- places: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_MISSING = "*Not measured yet.*\n"


def ring_table(found: dict[str, Any]) -> str:
    """What the models of the picture reached, and what became of their clusters."""
    train = found["config"]["train"]
    head = textwrap.fill(
        f"Each model learnt from {found['graphs']:,} graphs of `ring` with the settings of "
        f"`graphpool train` and a cosine schedule, {train['epochs']} epochs, seed "
        f"{train['seed']}. Means over {found['graphs']:,} unseen graphs; chance is 50 %:",
        width=100,
    )
    rows = (
        (
            f"`{name}`",
            f"{100 * row['accuracy']:.1f} %",
            f"{row['level1/clusters']:.1f}",
            f"{row['level1/clusters_used']:.1f}",
            f"{row['level1/effective_rank']:.2f}",
        )
        for name, row in found["models"].items()
    )
    named = ("model", "accuracy", "clusters", "strongest for some node", "effective rank of M")
    return f"{head}\n\n{table(named, rows)}"


def growth_table(found: dict[str, Any]) -> str:
    """Seconds and memory of one large graph, by its kind."""
    rows = []
    for kind, row in found["growth"].items():
        largest = max(row["seconds"], key=int)
        rows.append(
            (
                kind,
                *(time_text(row["seconds"][size]) for size in _ends(row)),
                f"{row['slope']:.2f}",
                f"{three(row['peak GiB'][largest])} GiB",
            )
        )
    sizes = [f"{int(size):,} nodes" for size in _ends(next(iter(found["growth"].values())))]
    return table(("kind of graph", *sizes, "log-log slope", "peak of the process"), rows)


def _ends(row: dict[str, Any]) -> list[str]:
    """The smallest and the largest size."""
    sizes = sorted(row["seconds"], key=int)
    return [sizes[0], sizes[-1]]


def sets_table(found: dict[str, Any]) -> str:
    """Seconds for all graphs of a set, once."""
    rows = found["sets"].items()
    return table(
        ("places of a whole set", *(name for name, _ in rows)),
        (
            ("graphs", *(f"{row['graphs']:,}" for _, row in rows)),
            ("time, one thread", *(time_text(row["seconds"]) for _, row in rows)),
            ("clusters a graph", *(f"{row['clusters a graph']:.1f}" for _, row in rows)),
        ),
    )


BLOCKS = {
    "ring": ("places_ring.json", ring_table),
    "growth": ("places.json", growth_table),
    "sets": ("places.json", sets_table),
}


def block(name: str, results: Path) -> str:
    """The text of one block."""
    file, text = BLOCKS[name]
    if not (results / file).exists():
        return _MISSING
    return text(json.loads((results / file).read_text(encoding="utf-8")))


def main() -> None:
    """Fill in the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    text = given.page.read_text(encoding="utf-8")
    made = _BLOCK.sub(lambda part: f"{part[1]}{block(part[2], given.results)}{part[4]}", text)
    if made == text:
        return
    if given.check:
        sys.exit(f"{given.page.name}: not what the results say; run benchmarks/places_page.py")
    given.page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
