"""A project of one small experiment on MUTAG with figures, for the tests of figures."""

from pathlib import Path

import pytest

from graphpool.experiments.figures import trained

TOY = """
title = "Toy"
task = "classification"
protocol = "cv10"
seeds = [0]
folds = 1

[settings]
features = "auto"
[settings.model]
encoder = "gcn"
hidden_channels = 8
[settings.train]
epochs = 3

[[data]]
name = "MUTAG"

[methods.hap-paper]
title = "as `printed`"
model = {pooler = "hap-paper", assignment = "static", connect = "gumbel", clusters = [3, 1]}
[methods.sum]
model = {pooler = "sum"}
[methods.majority]
rule = "majority"
"""
CURVES = '[[figures]]\nname = "curves"\nkind = "curves"\npicture = "curves.svg"\n'
MAPS = '[[figures]]\nname = "maps"\npicture = "maps.svg"\ngraphs = 40\n'
CLUSTERS = (
    '[[figures]]\nname = "clusters"\nkind = "clusters"\npicture = "clusters.svg"\n'
    'methods = ["hap-paper"]\n'
)


def write_project(folder: Path, *figures: str, changes: tuple[str, str] = ("", "")) -> Path:
    """Write `experiments/toy.toml` with these figures, and return its path."""
    path = folder / "experiments" / "toy.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TOY.replace(*changes) + "\n" + "\n".join(figures), encoding="utf-8")
    return path


def count_trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the method of every unit that is trained from now on."""
    methods: list[str] = []
    fit = trained.fit_unit

    def counted(unit, *args):  # type: ignore[no-untyped-def]
        methods.append(unit.method)
        return fit(unit, *args)

    monkeypatch.setattr(trained, "fit_unit", counted)
    return methods
