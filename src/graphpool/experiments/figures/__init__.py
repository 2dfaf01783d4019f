"""Figures of experiments, drawn of trained networks: one module a kind, and one driver.

The tree: `driver` (which networks are missing) → `trained` (train one) → `maps`, `curves` and
`clusters` (what a figure keeps of it, and how it is drawn).
"""

from graphpool.experiments.figures.driver import figure_file as figure_file
from graphpool.experiments.figures.driver import figure_picture as figure_picture
from graphpool.experiments.figures.driver import make_figures as make_figures
