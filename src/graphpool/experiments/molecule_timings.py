"""Blocks of pages that compare with chemprop: tables of `results/benchmarks/chemprop.json`."""

from typing import Any

from graphpool.experiments.text import paragraphs, table, where_text

OURS = "flat"
"""The method that is compared."""


def chemprop_table(found: dict[str, Any]) -> str:
    """Test metrics and processor time of chemprop and of ours."""
    head = (
        "set", "metric", "chemprop", "flat", "chemprop, s", "flat, s", "whole commands",
        "training alone",
    )  # fmt: skip
    rows = []
    for name, entry in found["sets"].items():
        spent = {
            key: sum(run["processor seconds"] for run in entry["runs"][key])
            / len(entry["runs"][key])
            for key in ("chemprop", OURS)
        }
        rows.append(
            (
                name,
                entry["metric"],
                f"{entry['mean']['chemprop']:.3f}",
                f"{entry['mean'][OURS]:.3f}",
                f"{spent['chemprop']:.0f}",
                f"{spent[OURS]:.0f}",
                f"{entry['chemprop / ours, whole commands'][OURS]:.1f} times",
                f"{entry['chemprop / ours, training alone'][OURS]:.1f} times",
            )
        )
    version = found["versions"]["chemprop"]
    about = (
        f"chemprop {version} with its defaults and {found['epochs of chemprop']} epochs; means "
        f"over 3 seeds of test metrics and of processor seconds, one thread. {where_text(found)}."
    )
    return paragraphs(
        table(head, rows), about, "`python benchmarks/chemprop.py CHEMPROP --data-root FOLDER`"
    )
