"""One self-contained HTML page that shows what was trained and how well it did.

`data` carries the numbers, `page` turns them into HTML; nothing here trains or evaluates a model.
"""

from graphpool.report.data import (
    Curve,
    EmbeddingPlot,
    HierarchyExample,
    Level,
    LevelHealth,
    Report,
    ResultRow,
)
from graphpool.report.draw.figure import draw_hierarchy_png
from graphpool.report.page import render, write

__all__ = [
    "Report",
    "ResultRow",
    "Curve",
    "EmbeddingPlot",
    "HierarchyExample",
    "Level",
    "LevelHealth",
    "render",
    "write",
    "draw_hierarchy_png",
]
