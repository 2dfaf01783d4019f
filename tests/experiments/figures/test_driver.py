"""Networks of figures are trained once, and pictures are drawn from the files of numbers."""

import json
from pathlib import Path

import pytest
from toy_figures import CLUSTERS, CURVES, MAPS, count_trainings, write_project

from graphpool.errors import ConfigError
from graphpool.experiments.figures import make_figures
from graphpool.experiments.pages import write_pages, write_pictures
from graphpool.experiments.records import RecordFile


def test_a_network_that_several_figures_show_is_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, CURVES, MAPS, CLUSTERS)
    trained = count_trainings(monkeypatch)
    files = make_figures("toy", tmp_path)
    assert sorted(trained) == ["hap-paper", "sum"]
    folder = tmp_path / "results" / "figures"
    assert files == [folder / f"{name}.json" for name in ("curves", "maps", "clusters")]
    accuracies = [
        json.loads(path.read_text())["sets"]["MUTAG"]["methods"]["hap-paper"]["accuracy"]
        for path in files
    ]
    assert len(set(accuracies)) == 1


def test_what_is_finished_is_trained_again_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, CURVES)
    (path,) = make_figures("toy", tmp_path)
    before, trained = path.read_bytes(), count_trainings(monkeypatch)
    make_figures("toy", tmp_path)
    assert (trained, path.read_bytes()) == ([], before)
    make_figures("toy", tmp_path, again=True)
    assert sorted(trained) == ["hap-paper", "sum"]


def test_a_method_with_other_settings_is_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, CURVES)
    make_figures("toy", tmp_path)
    write_project(tmp_path, CURVES, changes=("[3, 1]", "[4, 1]"))
    trained = count_trainings(monkeypatch)
    make_figures("toy", tmp_path)
    assert trained == ["hap-paper"]


def test_trained_networks_get_a_record_once(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    make_figures("toy", tmp_path)
    make_figures("toy", tmp_path, again=True)
    records = RecordFile(tmp_path / "results" / "toy.jsonl", "toy").read()
    assert sorted(record.method for record in records) == ["hap-paper", "sum"]


def test_pages_draw_pictures_again_without_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, CURVES, MAPS, CLUSTERS)
    make_figures("toy", tmp_path)
    pictures = [tmp_path / f"{name}.svg" for name in ("curves", "maps", "clusters")]
    assert write_pictures(tmp_path) == pictures
    before, trained = [path.read_bytes() for path in pictures], count_trainings(monkeypatch)
    for path in pictures:
        path.unlink()
    assert write_pages(tmp_path) == pictures
    assert ([path.read_bytes() for path in pictures], trained) == (before, [])


def test_a_missing_method_gives_no_picture(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    (path,) = make_figures("toy", tmp_path)
    document = json.loads(path.read_text())
    del document["sets"]["MUTAG"]["methods"]["sum"]
    path.write_text(json.dumps(document))
    assert write_pictures(tmp_path) == []
    make_figures("toy", tmp_path)
    assert write_pictures(tmp_path) == [tmp_path / "curves.svg"]


def test_an_unknown_experiment_is_named(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    with pytest.raises(ConfigError, match="no experiment 'toi'; did you mean 'toy'"):
        make_figures("toi", tmp_path)
