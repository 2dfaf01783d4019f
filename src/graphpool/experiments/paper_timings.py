"""Blocks of `docs/reproduction.md` about claims of the paper that no network is trained for."""

from typing import Any

from graphpool.experiments.text import NONE, paragraphs, table, three, where_text

Found = dict[str, Any]


def paper_sets(found: Found) -> str:
    """The data sets, measured, and in brackets what the paper prints where it differs."""
    rows = [(name, *_set_cells(row)) for name, row in found["sets"].items()]
    if "pairs" in found:
        rows.append(("the paper's pairs", *_set_cells(found["pairs"])))
    head = ("set", "graphs", "classes", "mean nodes", "most nodes", "mean edges",
            "graphs with a twin", "different graphs")  # fmt: skip
    made = f"`python benchmarks/paper_sets.py --data-root FOLDER`; {where_text(found)}."
    return paragraphs(table(head, rows), made)


def _set_cells(row: Found) -> list[str]:
    measured, printed = row["measured"], row["printed"]

    def beside(key: str, text: str) -> str:
        """What is measured, and what is printed if it is not the same rounded to its digits."""
        other = printed.get(key)
        if other is None or key not in measured:
            return text
        digits = len(other.partition(".")[2])
        rounding = 0.5 * 10.0**-digits + 1e-9
        return text if abs(measured[key] - float(other)) <= rounding else f"{text} ({other})"

    twins = measured.get("twins")
    return [
        beside("graphs", f"{measured['graphs']:,}") if "graphs" in measured else NONE,
        beside("classes", str(measured["classes"])) if "classes" in measured else NONE,
        beside("mean", f"{measured['mean']:.1f}"),
        beside("largest", str(measured["largest"])),
        f"{measured['mean edges']:,.1f}",
        NONE if twins is None else f"{100 * twins:.0f} %",
        f"{measured['distinct']:,}" if "distinct" in measured else NONE,
    ]


def paper_complexity(found: Found) -> str:
    """How time and memory of a step grow with the nodes of a graph."""
    sizes = [str(size) for size in found["sizes"]]
    least, most = sizes[0], sizes[-1]
    rows = [
        (
            f"`{name}`" if "," not in name else "`{}`,{}".format(*name.split(",")),
            *(three(row["time"][size]) for size in (least, sizes[len(sizes) // 2], most)),
            f"{row['slope of time']['larger']:.2f}",
            three(row["MiB"][most]),
            f"{row['slope of memory']['larger']:.2f}",
        )
        for name, row in found["methods"].items()
    ]
    middle = sizes[len(sizes) // 2]
    head = (
        "a training step", *(f"{int(size):,} nodes, × SumPool" for size in (least, middle, most)),
        "slope of time", f"MiB at {int(most):,}", "slope of memory",
    )  # fmt: skip
    about = (
        f"One random graph of mean degree {found['degree']}, {found['ratio']:g} clusters or kept "
        "nodes per node; slopes are those of logarithms over the larger half of the sizes. "
        f"`python benchmarks/complexity.py`; {where_text(found)}."
    )
    return paragraphs(table(head, rows), about)


def paper_invariance(found: Found) -> str:
    """What another numbering of the nodes changes; methods that it does not change are one row."""
    sets = found["sets"]
    names = list(next(iter(sets.values()))["methods"])
    bound = found["rounding"]

    def largest(name: str, data: str) -> float:
        return float(sets[data]["methods"][name]["largest"])

    same = [name for name in names if all(largest(name, data) <= bound for data in sets)]
    rows = []
    for name in (each for each in names if each not in same):
        cells = []
        for row in sets.values():
            one = row["methods"][name]
            cells += [f"{one['largest']:.2g}", f"{100 * one['trained']['any numbering']:.1f} %"]
        rows.append((_form(name), *cells))
    for text, some in (
        ("`hap-paper` with " + " or ".join(
            f"`{name.split(', ')[1]}`" for name in same if "," in name
        ), [name for name in same if "," in name]),
        (f"all {sum(',' not in name for name in same)} others",
         [name for name in same if "," not in name]),
    ):  # fmt: skip
        if some:
            most = [max(largest(name, data) for name in some) for data in sets]
            rows.append((text, *(cell for each in most for cell in (f"{each:.0e}", "0 %"))))
    head = [
        cell for data in sets for cell in (f"{data}, largest change of a vector", "classes change")
    ]
    about = (
        f"Every graph renumbered {found['copies']} times, {found['seeds']} seeds, relative to the "
        "length of the vector, untrained and in 64 bits; where there is a change, the share of "
        "test graphs that get another class by some numbering, trained. "
        f"`python benchmarks/invariance.py --data-root FOLDER`; {where_text(found)}."
    )
    return paragraphs(table(("method", *head), rows), about)


def _form(name: str) -> str:
    method, _, relaxation = name.partition(", ")
    return f"`{method}` with `{relaxation}`" if relaxation else f"`{method}`"
