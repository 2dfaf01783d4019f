"""Write the measured tables of docs/poolers.md from results, and draw its picture.

A table stands between `<!-- poolers: NAME -->` and `<!-- end -->`; all else is left alone. The
picture, poolers_speed.png, goes beside the page.

    python benchmarks/poolers_page.py            # after poolers.py --accuracy and --speed
    python benchmarks/poolers_page.py --check    # exit 1 if the page and the results differ
"""

import argparse
import json
import re
import statistics
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ged_page import table, three

ROOT = Path(__file__).resolve().parents[1]
ACCURACY = ROOT / "results" / "poolers.json"
SPEED = ROOT / "results" / "benchmarks" / "poolers.json"
PAGE = ROOT / "docs" / "poolers.md"
PICTURE = "poolers_speed.png"
_BLOCK = re.compile(r"(<!-- poolers: (accuracy|speed) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_MISSING = "*Not measured yet.*\n"
NONE = "–"

Found = dict[str, Any]


# ---------------------------------------------------------------------- accuracy


def accuracies(found: Found, method: str, data: str) -> list[float]:
    """Test accuracy of every fold."""
    runs = (run for run in found["runs"] if (run["method"], run["set"]) == (method, data))
    return [run["accuracy"] for run in runs]


def not_above_majority(found: Found) -> dict[str, list[str]]:
    """For every set, the methods whose mean is not above that of the majority class."""
    low = {}
    for data in _sets(found):
        least = statistics.mean(accuracies(found, "majority", data))
        names = (name for name in found["methods"] if name != "majority")
        means = {name: values for name in names if (values := accuracies(found, name, data))}
        low[data] = [name for name, values in means.items() if statistics.mean(values) <= least]
    return low


def _sets(found: Found) -> list[str]:
    return list(dict.fromkeys(run["set"] for run in found["runs"]))


def accuracy_table(found: Found) -> str:
    """Mean and standard deviation over the folds, in percent."""
    sets, low = _sets(found), not_above_majority(found)
    folds = {data: len(accuracies(found, "majority", data)) for data in sets}

    def cell(method: str, data: str) -> str:
        values = accuracies(found, method, data)
        if not values:
            return NONE
        text = f"{100 * statistics.mean(values):.1f}"
        if len(values) > 1:
            text += f" ± {100 * statistics.stdev(values):.1f}"
        if len(values) < folds[data]:
            text += f" ({len(values)})"
        return f"{text} ↓" if method in low[data] else text

    def fields(method: str) -> list[str]:
        runs = [run for run in found["runs"] if run["method"] == method]
        parameters = [
            max((r["parameters"] for r in runs if r["set"] == d), default=0) for d in sets
        ]
        counts = " / ".join(f"{count:,}" for count in parameters) if any(parameters) else NONE
        return [found["methods"][method]["family"], *(cell(method, data) for data in sets), counts]

    return table(
        ("accuracy, %", "family", *sets, "parameters"),
        ((f"`{name}`", *fields(name)) for name in found["methods"]),
    )


def accuracy_text(found: Found) -> str:
    """The table, how it came about, and who is not above the majority class."""
    folds = len({run["fold"] for run in found["runs"]})
    epochs = found["settings"]["train"]["epochs"]
    head = (
        f"Mean ± standard deviation over the first {folds} folds of `{found['protocol']}`, seed "
        f"{found['seed']}, {epochs} epochs, settings of `graphpool train` for all, nothing "
        "searched. So few graphs rank no methods: it shows that each of them learns."
    )
    low = not_above_majority(found)
    named = "; ".join(f"{data}: {_names(names)}" for data, names in low.items() if names)
    tail = f"↓ is not above the majority class ({named})." if named else (
        "Every method is above the majority class on every set."
    )  # fmt: skip
    made = "; ".join(dict.fromkeys(_where(made) for made in found["made"]))
    return _blocks(head, accuracy_table(found), tail, f"`{found['command']}`", f"{made}.")


# ---------------------------------------------------------------------- speed


def speed_table(found: Found) -> str:
    """Epoch time and peak memory of every method, as multiples of SumPool's; MiB in brackets."""
    sets = found["sets"]

    def cells(name: str) -> list[str]:
        made = []
        for measured in sets.values():
            row = measured["methods"].get(name)
            memory = f"{three(row['memory'])} ({three(row['MiB'])})" if row else NONE
            made += [three(row["time"]) if row else NONE, memory]
        return made

    heads = (head for data in sets for head in (f"{data}, time", "memory (MiB)"))
    return table(
        ("× SumPool", "family", *heads),
        (
            (f"`{name}`", method["family"], *cells(name))
            for name, method in found["methods"].items()
        ),
    )


def pyg_table(found: Found) -> str:
    """How many times longer PyG's form takes."""
    sets = {data: row["pyg"] for data, row in found["sets"].items() if row["pyg"]}
    names = [name for name in found["methods"] if any(name in row for row in sets.values())]
    forms = {name: row[name]["form"] for row in sets.values() for name in row}

    def cell(row: Found, name: str) -> str:
        return three(row[name]["pyg / ours"]) if name in row else NONE

    return table(
        ("PyG's time / ours", "PyG's form", *sets),
        (
            (f"`{name}`", f"`{forms[name]}`", *(cell(row, name) for row in sets.values()))
            for name in names
        ),
    )


def faster_groups(measured: Found, methods: Found) -> list[str] | None:
    """Group poolers that take less time than `hap`; `None` if it was not measured."""
    rows = measured["methods"]
    if "hap" not in rows:
        return None
    names = (name for name in rows if methods[name]["family"] == "group")
    return [
        name
        for name in names
        if "hap" not in name.split("-") and rows[name]["time"] < rows["hap"]["time"]
    ]


def _group_text(found: Found) -> str:
    first, others = [], []
    for data, measured in found["sets"].items():
        faster = faster_groups(measured, found["methods"])
        if faster:
            verb = "take" if len(faster) > 1 else "takes"
            others.append(f"on {data} {_names(faster)} {verb} less time than `hap`")
        elif faster is not None:
            first.append(data)
    said = [f"on {_list(first)} `hap` is the fastest of the group poolers"] if first else []
    text = "; ".join(said + others)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def speed_text(found: Found) -> str:
    """Both tables, how they came about, and where."""
    parts = [f"{row['graphs']:,} of {data}'s {row['of']:,} graphs" for data, row in
             found["sets"].items() if row["graphs"] < row["of"]]  # fmt: skip
    cut = f" ({_list(parts)})" if parts else ""
    head = (
        f"One training epoch in batches of {found['batch']}{cut}, one thread: the best of "
        "interleaved rounds in one process. Memory is the most by which an epoch makes a process "
        "of its own grow. Batches and places are made beforehand. " + _group_text(found)
    )
    picture = f"![Time of an epoch against peak memory, a point a method]({PICTURE})"
    made = [head, picture, speed_table(found)]
    if any(row["pyg"] for row in found["sets"].values()):
        made += [
            "PyG's networks of the same shape, in the same rounds; batches of the dense ones are "
            "padded beforehand. A group pooler that PyG has no form of stands beside its dense "
            "DiffPool; its Graph Multiset Transformer has one level and linear keys, where ours "
            "has two levels and graph convolutions, and its ASAP leaves out the weights of the "
            "coarse graph.",
            pyg_table(found),
        ]
    failed = [f"{data}, `{name}`: {error}" for data, row in found["sets"].items()
              for name, error in row["failed"].items()]  # fmt: skip
    made += [f"Not measured: {line}" for line in failed]
    return _blocks(*made, f"`{found['command']}`", f"{_where(found)}.")


# ---------------------------------------------------------------------- the page


def _names(names: Sequence[str]) -> str:
    return _list([f"`{name}`" for name in names])


def _list(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _where(made: Found) -> str:
    machine, versions = made["machine"], made["versions"]
    pyg = f", PyG {versions['torch_geometric']}" if "torch_geometric" in versions else ""
    return (
        f"{machine['processor']} ({machine['cores']} cores), Python {versions['python']}, torch "
        f"{versions['torch']}{pyg}, code `{versions['code']}`"
    )


def _blocks(*parts: str) -> str:
    """Paragraphs, filled to the width of the page; tables and commands as they are."""
    made = []
    for part in parts:
        plain = textwrap.fill(part, 100, break_long_words=False, break_on_hyphens=False)
        made.append(part.rstrip("\n") if part.startswith(("|", "`", "!")) else plain)
    return "\n\n".join(made) + "\n"


def filled(text: str, accuracy: Found, speed: Found) -> str:
    """A page with its tables as the results have them."""
    made = {
        "accuracy": accuracy_text(accuracy) if accuracy else _MISSING,
        "speed": speed_text(speed) if speed else _MISSING,
    }
    return _BLOCK.sub(lambda part: f"{part[1]}{made[part[2]]}{part[4]}", text)


def read(path: Path) -> Found:
    """A result file; empty if it is not there."""
    found: Found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def main() -> None:
    """Fill in the page and draw the picture, or check the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accuracy", type=Path, default=ACCURACY, help="result file")
    parser.add_argument("--speed", type=Path, default=SPEED, help="result file")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    speed, text = read(given.speed), given.page.read_text(encoding="utf-8")
    made = filled(text, read(given.accuracy), speed)
    if given.check:
        if made != text:
            sys.exit(f"{given.page.name}: not what the results say; run benchmarks/poolers_page.py")
        return
    if made != text:
        given.page.write_text(made, encoding="utf-8")
    if speed:
        from poolers_picture import draw_speed

        draw_speed(speed, given.page.with_name(PICTURE))


if __name__ == "__main__":
    main()
