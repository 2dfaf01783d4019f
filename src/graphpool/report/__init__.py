"""One self-contained HTML page about a trained model or about methods side by side.

`data` holds the numbers and `page` turns them into HTML; `sections` and `draw` are the parts of a
page. Tasks collect the numbers (`graphpool.tasks`); nothing here trains or evaluates a model.
"""

from graphpool.report.data import (
    Curve,
    EmbeddingPlot,
    FigureRow,
    FigureTable,
    HeroFigure,
    LevelHealth,
    Report,
    ResultRow,
)
from graphpool.report.draw.figure import draw_hierarchy_png
from graphpool.report.page import render, write
from graphpool.report.parts_page import parts_report
from graphpool.report.parts_picture import draw_parts
from graphpool.report.pictures import HierarchyExample, Level
from graphpool.report.set_page import set_report

__all__ = [
    "Report",
    "ResultRow",
    "HeroFigure",
    "FigureRow",
    "FigureTable",
    "Curve",
    "EmbeddingPlot",
    "HierarchyExample",
    "Level",
    "LevelHealth",
    "render",
    "write",
    "draw_hierarchy_png",
    "set_report",
    "parts_report",
    "draw_parts",
]
