"""Blocks of `docs/poolers.md`: the registry of poolers, and their time and memory."""

from typing import Any

from graphpool.experiments.text import (
    NONE,
    list_text,
    names_text,
    paragraphs,
    table,
    three,
    where_text,
)

Found = dict[str, Any]


def pooler_methods(_: Found) -> str:
    """The registry of poolers."""
    from graphpool.nn.zoo.build import count_parameters
    from graphpool.nn.zoo.networks import BUILT_IN

    rows = []
    for method in BUILT_IN:
        paper = method.paper if method.year is None else f"{method.paper} {method.year}"
        count = count_parameters(method.name)
        parameters = NONE if count is None else f"{count:,}"
        name = f"`{method.name}`"
        rows.append((name, method.family, paper, method.keeps, method.cost, parameters))
    return table(("pooler", "family", "paper", "keeps", "cost", "parameters"), rows, words=5)


def _speed_table(found: Found) -> str:
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


def _pyg_table(found: Found) -> str:
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


def _group_text(found: Found) -> str:
    """Where `hap-one-way` is the fastest of the group poolers, and what is faster elsewhere."""
    first: list[str] = []
    others: list[str] = []
    for data, measured in found["sets"].items():
        rows = measured["methods"]
        if "hap-one-way" not in rows:
            continue
        faster = [
            name
            for name in rows
            if found["methods"][name]["family"] == "group"
            and "hap" not in name.split("-")
            and rows[name]["time"] < rows["hap-one-way"]["time"]
        ]
        if faster:
            verb = "take" if len(faster) > 1 else "takes"
            others.append(f"on {data} {names_text(faster)} {verb} less time than `hap-one-way`")
        else:
            first.append(data)
    fastest = (
        [f"on {list_text(first)} `hap-one-way` is the fastest of the group poolers"]
        if first
        else []
    )
    text = "; ".join(fastest + others)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


PAPER_METHODS = (
    "hap", "hap-one-way", "hap-paper", "concat", "sum", "mean", "mean-att", "set2set", "sort",
    "attpool-global", "attpool-local", "gpool", "sagpool", "diffpool", "asap", "structpool",
)  # fmt: skip


def paper_methods_speed(found: Found) -> str:
    """The same for the methods of the paper's classification table alone."""
    methods = {name: found["methods"][name] for name in PAPER_METHODS if name in found["methods"]}
    return paragraphs(
        _speed_table({**found, "methods": methods}),
        f"`python benchmarks/poolers.py --data-root FOLDER`; {where_text(found)}.",
    )


def pooler_speed(found: Found) -> str:
    """Both tables, how they came about, and where."""
    parts = [
        f"{row['graphs']:,} of {data}'s {row['of']:,} graphs"
        for data, row in found["sets"].items()
        if row["graphs"] < row["of"]
    ]
    cut = f" ({list_text(parts)})" if parts else ""
    head = (
        f"One training epoch in batches of {found['batch']}{cut}, one thread: the best of "
        "interleaved rounds in one process. Memory is the growth of the peak of a separate process "
        "in an epoch. Batches and places are prepared beforehand. " + _group_text(found)
    )
    picture = "![Time of an epoch against peak memory, one point per method](poolers_speed.png)"
    made = [head, picture, _speed_table(found)]
    if any(row["pyg"] for row in found["sets"].values()):
        made += [
            "PyG's networks of the same shape, in the same rounds; batches of the dense ones are "
            "padded beforehand. Group poolers that PyG does not have are compared with its dense "
            "DiffPool. PyG's Graph Multiset Transformer has one level and linear keys, where ours "
            "has two levels and graph convolutions, and its ASAP leaves out the weights of the "
            "coarse graph.",
            _pyg_table(found),
        ]
    made += [
        f"Not measured: {data}, `{name}`: {error}"
        for data, row in found["sets"].items()
        for name, error in row["failed"].items()
    ]
    command = "`python benchmarks/poolers.py --data-root FOLDER`"
    return paragraphs(*made, command, f"{where_text(found)}.")
