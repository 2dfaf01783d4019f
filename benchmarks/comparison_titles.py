"""What the rows of docs/comparing.md are called, and the values that the paper prints."""

from collections.abc import Sequence

HAP, GMN = "HAP", "GMN"
SLOTS = ("hap-meanpool", "hap-meanattpool", "hap-sagpool", "hap-diffpool")
MODULES = ("hap-paper-1", "hap-paper", "hap-paper-3", "hap-1", "hap-2", "hap-3")
TITLES = {
    "hap": "`hap`",
    "hap-euclidean": "`hap`, Euclidean distance",
    "hap-half": "`hap`, Euclidean distance, half as many places as nodes",
    "hap-paper": "`hap-paper`",
    "hap-sorted": "`hap`, sorted distance",
    "flat": "`flat`: no coarsening",
    "sum": "`sum` (SumPool)",
    "gmn": "`gmn`",
    "gmn-hap": "`gmn-hap`",
    "simgnn": "`simgnn`",
    "simgnn-hap": "`simgnn-hap`",
    **{name: f"`{name}`" for name in SLOTS},
    "hap-paper-1": "`hap-paper`, 1 module",
    "hap-paper-3": "`hap-paper`, 3 modules",
    "hap-1": "`hap`, 8 clusters",
    "hap-2": "`hap`, 8 clusters, then 1",
    "hap-3": "`hap`, 8 clusters, then 4, then 1",
}
RULE_TITLES = {
    "size": "rule: numbers of nodes",
    "edges": "rule: numbers of edges",
    "degrees": "rule: sorted degrees",
    "wl": "rule: colour refinement",
    "spectrum": "rule: sorted spectrum",
    "label-edge": "rule: labels and edges counted",
    "beam1": "edit distance, Beam1",
    "beam80": "edit distance, Beam80",
    "hungarian": "edit distance, Hungarian",
    "vj": "edit distance, VJ",
}

# Liu et al. 2021, tables "graph-matching", "generalization", "ablations" and "MOA module".
PAPER: dict[str, dict[str, Sequence[float]]] = {
    "sizes": {
        GMN: (95.01, 97.82, 96.84, 99.41),
        "GMN-HAP": (98.22, 98.83, 98.41, 99.82),
        HAP: (98.42, 98.83, 99.43, 99.83),
    },
    "larger": {  # 100 and 200
        GMN: (85.22, 74.31),
        "GMN-HAP": (93.44, 84.62),
        "HAP-MeanPool": (57.22, 58.53),
        "HAP-MeanAttPool": (83.52, 87.84),
        "HAP-SAGPool": (59.01, 59.13),
        "HAP-DiffPool": (64.04, 59.22),
        HAP: (98.51, 98.53),
    },
    "slots": {
        "HAP-MeanPool": (55.81, 56.82, 56.33, 58.12, 68.62, 66.34),
        "HAP-MeanAttPool": (85.23, 84.01, 80.63, 86.62, 78.31, 89.02),
        "HAP-SAGPool": (61.55, 63.62, 60.13, 60.05, 74.42, 66.53),
        "HAP-DiffPool": (65.93, 63.04, 63.82, 61.95, 80.73, 91.30),
        HAP: (98.42, 98.81, 99.43, 99.84, 85.62, 93.11),
    },
    "modules": {
        "no module": (85.21, 84.02, 80.65, 86.63, 75.52, 67.63),
        "1 module": (99.04, 97.16, 97.61, 96.08, 83.22, 84.83),
        "2 modules": (99.72, 98.76, 99.78, 98.40, 84.11, 89.42),
        "3 modules": (97.62, 99.45, 99.35, 99.39, 85.04, 90.65),
    },
}
# The figure "graph-similarity" has no numbers; those of HAP are in the table "ablations".
PAPER_SIMILARITY = {"AIDS700nef": 85.62, "LINUX": 93.11}
