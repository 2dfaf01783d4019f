"""Write the measured edit-distance tables of docs/ged.md and README.md from results/benchmarks.

A table stands between `<!-- ged: NAME -->` and `<!-- end -->`; all else is left alone.

    python benchmarks/ged_page.py            # after python benchmarks/ged.py --json ...
    python benchmarks/ged_page.py --check    # exit 1 if a page and the results differ
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "ged.json"
PAGES = (ROOT / "docs" / "ged.md", ROOT / "README.md")
_BLOCK = re.compile(r"(<!-- ged: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_MISSING = "*Not measured yet.*\n"


def time_text(seconds: float) -> str:
    """Seconds with a unit that fits."""
    for least, factor, unit in ((1.0, 1, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs")):
        if seconds >= least:
            return f"{three(factor * seconds)} {unit}"
    raise ValueError(f"{seconds} seconds")


def three(value: float) -> str:
    """A number with up to three digits that mean something, and commas."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def share_text(row: dict[str, Any]) -> str:
    """The share of pairs that were solved in time."""
    return f"{three(100 * row['share solved'])} %"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns but the first are numbers."""
    rule = f"|---|{'---:|' * (len(head) - 1)}\n"
    top, *body = (f"| {' | '.join(line)} |\n" for line in (head, *rows))
    return "".join([top, rule, *body])


def machine_text(found: dict[str, Any]) -> str:
    """Where it was measured."""
    machine, versions = found["machine"], found["versions"]
    return (
        f"Measured on {machine['processor']} ({machine['cores']} cores), Python "
        f"{versions['python']}, numba {versions['numba']}, NetworkX {versions['networkx']}.\n"
    )


def sets_table(found: dict[str, Any]) -> str:
    """All pairs of whole sets."""
    return table(
        ("set", "pairs", "all of them, 2 threads", "a pair", "a pair, nothing merged"),
        (
            (
                name,
                f"{row['pairs']:,}",
                time_text(row["seconds, 2 jobs"]),
                time_text(row["µs a pair, duplicates once"] / 1e6),
                time_text(row["µs a pair, every pair"] / 1e6),
            )
            for name, row in found["sets"].items()
        ),
    )


def _times(found: dict[str, Any], way: str) -> str:
    """How much longer NetworkX takes; at least so much where it was stopped."""
    least = "at least " if found["networkx stopped after its limit"] else ""
    return f"{least}{three(found[f'networkx / ours in {way}'])}"


def networkx_table(found: dict[str, Any]) -> str:
    """NetworkX beside ours."""
    row = found["networkx"]
    stopped = row["networkx stopped after its limit"]
    limit = row["limit of networkx, seconds a pair"]
    made = table(
        (f"{row['pairs']} pairs", "time", "NetworkX / ours"),
        (
            ("NetworkX", time_text(row["networkx, seconds"]), ""),
            ("ours, one call for all", time_text(row["ours in one call, seconds"]),
             _times(row, "one call")),
            ("ours, a call a pair", time_text(row["ours in a call a pair, seconds"]),
             _times(row, "a call a pair")),
        ),
    )  # fmt: skip
    if stopped:
        made += f"\nNetworkX was stopped after {limit:g} s on {stopped} of the pairs.\n"
    return made


def random_table(found: dict[str, Any]) -> str:
    """Random graphs by size."""
    rows = found["random"]
    limit = next(iter(rows.values()))["limit s"]
    return table(
        ("nodes", "pairs", "mean", "median", "95th percentile", f"solved in {limit:g} s"),
        (
            (
                nodes,
                str(row["pairs"]),
                *(time_text(row[key] / 1e3) for key in ("mean ms", "median ms",
                                                        "95th percentile ms")),
                share_text(row),
            )
            for nodes, row in rows.items()
        ),
    )  # fmt: skip


def molecules_table(found: dict[str, Any]) -> str:
    """Molecules by size, and their picture."""
    rows = found["molecules"]
    made = table(
        (
            "nodes (± 1)",
            "pairs",
            "median",
            "95th percentile",
            f"solved in {rows[0]['limit s']:g} s",
        ),
        (
            (
                str(row["nodes"]),
                str(row["pairs"]),
                time_text(row["median s"]),
                time_text(row["95th percentile s"]),
                share_text(row),
            )
            for row in rows
        ),
    )
    if RESULTS.with_suffix(".png").exists():
        made += "\n![Seconds for a pair by the size of molecules](../results/benchmarks/ged.png)\n"
    return made


def summary_table(found: dict[str, Any]) -> str:
    """The most telling number of each part."""
    rows = [
        (f"all {row['pairs']:,} pairs of {name}, 2 threads", time_text(row["seconds, 2 jobs"]))
        for name, row in found["sets"].items()
    ]
    against = found["networkx"]
    rows.append(
        (f"NetworkX's time over ours, {against['pairs']} pairs of 8 to 10 atoms",
         _times(against, "one call"))
    )  # fmt: skip
    for row in found["molecules"]:
        if row["nodes"] in (20, 30):
            share = f"{share_text(row)} in {row['limit s']:g} s"
            text = f"{time_text(row['median s'])}, {share}"
            rows.append((f"two molecules of {row['nodes']} atoms: median, share solved", text))
    return table(("exact distances, one thread unless said", ""), rows)


BLOCKS: dict[str, tuple[Callable[[dict[str, Any]], str], tuple[str, ...]]] = {
    "machine": (machine_text, ("machine", "versions")),
    "sets": (sets_table, ("sets",)),
    "networkx": (networkx_table, ("networkx",)),
    "random": (random_table, ("random",)),
    "molecules": (molecules_table, ("molecules",)),
    "summary": (summary_table, ("sets", "networkx", "molecules")),
}


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with its tables as the results have them."""

    def fill(block: re.Match[str]) -> str:
        make, needs = BLOCKS[block[2]]
        made = make(found) if all(key in found for key in needs) else _MISSING
        return f"{block[1]}{made}{block[4]}"

    return _BLOCK.sub(fill, text)


def main() -> None:
    """Fill in the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--pages", type=Path, nargs="+", default=list(PAGES))
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    found = json.loads(given.results.read_text(encoding="utf-8")) if given.results.exists() else {}
    stale = []
    for page in given.pages:
        text = page.read_text(encoding="utf-8")
        made = filled(text, found)
        if made != text:
            stale.append(page.name)
            if not given.check:
                page.write_text(made, encoding="utf-8")
    if stale and given.check:
        sys.exit(f"{', '.join(stale)}: not what the results say; run benchmarks/ged_page.py")


if __name__ == "__main__":
    main()
