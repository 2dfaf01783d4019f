"""Warnings about levels of a trained hierarchy that have collapsed or have no coarse graph."""

import re
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value", bound=float | None)
RANK_LIMIT = 1.2
OFF_IDENTITY_LIMIT = 0.05


def by_level(metrics: Mapping[str, Value]) -> dict[int, dict[str, Value]]:
    """Return the metrics named `level1/effective_rank` and so on, by level and name."""
    levels: dict[int, dict[str, Value]] = {}
    for key, value in metrics.items():
        if match := re.fullmatch(r"level(\d+)/(.*)", key):
            levels.setdefault(int(match[1]), {})[match[2]] = value
    return dict(sorted(levels.items()))


def health_warnings(metrics: Mapping[str, float]) -> list[str]:
    """Return a sentence for each level that collapsed or whose coarse graph is switched off.

    Args:
        metrics: with `level1/effective_rank`, `level1/off_identity` and so on, as computed by
            `graphpool.nn.coarsen.health`. Levels of one cluster are not in them, because they
            can't collapse any further; the same holds for levels with hardly more than one
            cluster per graph.
    """
    warnings = []
    for level, values in by_level(metrics).items():
        problems = []
        rank = values.get("effective_rank")
        several = values.get("clusters", RANK_LIMIT) >= RANK_LIMIT
        if rank is not None and rank < RANK_LIMIT and several:
            problems.append(
                f"has collapsed: every node gets nearly the same clusters (effective rank "
                f"{rank:.2f}, limit {RANK_LIMIT})"
            )
        off = values.get("off_identity")
        if off is not None and off < OFF_IDENTITY_LIMIT:
            problems.append(
                f"has its coarse graph switched off: it is nearly the identity (distance "
                f"{off:.3f}, limit {OFF_IDENTITY_LIMIT})"
            )
        if problems:
            warnings.append(f"level {level} {' and '.join(problems)}")
    return warnings
