"""Draw how the time for an exact edit distance grows with the size of molecules."""

from pathlib import Path
from typing import Any

import numpy as np

INK, SOFT, LATE = "#23272c", "#6a7079", "#c2331f"


def draw_sizes(rows: list[dict[str, Any]], path: Path) -> None:
    """Seconds against nodes: every pair, the median, the 95th percentile, and those given up."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.4), layout="constrained")
    spread = np.random.default_rng(0)
    for row in rows:
        for share, tone, mark in ((row["seconds"], SOFT, "o"), (row["given up"], LATE, "x")):
            across = row["nodes"] + spread.uniform(-0.45, 0.45, len(share))
            axes.scatter(across, share, s=14, color=tone, marker=mark, alpha=0.6, linewidths=1)
    sizes, limit = [row["nodes"] for row in rows], rows[0]["limit s"]
    axes.plot(sizes, [row["median s"] for row in rows], color=INK, label="median")
    late = [row["95th percentile s"] for row in rows]
    axes.plot(sizes, late, color=INK, linestyle="--", label="95th percentile")
    axes.axhline(limit, color=LATE, linewidth=0.8)
    axes.annotate(f"limit, {limit:g} s", (sizes[0], limit), (0, 4), textcoords="offset points",
                  color=LATE, fontsize=9)  # fmt: skip
    below = axes.get_xaxis_transform()  # sizes across, a share of the height upwards
    for row in rows:
        shown = f"{row['share solved']:.0%}"
        axes.text(row["nodes"], 0.01, shown, transform=below, ha="center", fontsize=8, color=SOFT)
    axes.set_yscale("log")
    axes.set_xticks(sizes)
    axes.set_xlabel("nodes of both molecules (± 1); in grey the share solved in time")
    axes.set_ylabel("seconds for a pair, one thread")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 0.9))
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
