"""Networks of figures are trained once, and pictures are drawn from the files of numbers."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from toy_figures import CLUSTERS, CURVES, MAPS, count_trainings, write_project

from graphpool.errors import ConfigError, DataError, LockedError
from graphpool.experiments import run_unit
from graphpool.experiments.figures import make_figures
from graphpool.experiments.figures import trained as trained_module
from graphpool.experiments.pages import write_pages, write_pictures
from graphpool.experiments.project import run
from graphpool.experiments.records import RecordFile
from graphpool.locks import file_lock


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


def test_numbers_of_other_settings_give_no_picture(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    make_figures("toy", tmp_path)
    write_project(tmp_path, CURVES, changes=("[3, 1]", "[4, 1]"))
    assert write_pictures(tmp_path) == []
    make_figures("toy", tmp_path)
    assert write_pictures(tmp_path) == [tmp_path / "curves.svg"]


def test_a_map_of_more_or_fewer_graphs_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, MAPS)
    (path,) = make_figures("toy", tmp_path)
    trained = count_trainings(monkeypatch)
    for graphs, drawn in ("graphs = 30", 30), ("", 188), ("graphs = 1000", 188):
        write_project(tmp_path, MAPS.replace("graphs = 40", graphs))
        make_figures("toy", tmp_path)
        measured = json.loads(path.read_text())["sets"]["MUTAG"]
        assert len(measured["class"].split()) == drawn
        for numbers in measured["methods"].values():
            assert len(numbers["points"].split()) == 2 * drawn
    assert sorted(trained) == 2 * ["hap-paper"] + 2 * ["sum"]  # 1000 is the usual number


def test_only_one_process_adds_records_and_numbers(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    records = tmp_path / "results" / "toy.jsonl"
    with file_lock(records), pytest.raises(LockedError, match=r"toy\.jsonl: in use by"):
        make_figures("toy", tmp_path)
    assert not records.exists()
    make_figures("toy", tmp_path)
    with file_lock(records):
        make_figures("toy", tmp_path)  # nothing is missing


def test_a_record_is_the_one_that_a_run_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place of one that says that the unit has failed; with warnings about its levels."""
    for module in (run_unit, trained_module):
        monkeypatch.setattr(module, "health_warnings", lambda health: [f"{len(health)} numbers"])
    write_project(tmp_path, CURVES)
    (made,) = run("toy", tmp_path, methods=["hap-paper"], progress=False)["toy"].records
    records = tmp_path / "results" / "toy.jsonl"
    records.unlink()
    failed = replace(made, metrics={}, error="out of memory")
    RecordFile(records, "toy").append(failed)
    make_figures("toy", tmp_path)
    found = RecordFile(records, "toy").latest()[made.key]
    changed = {"seconds": {}, "command": "", "versions": {}}
    assert replace(found, **changed) == replace(made, **changed)
    assert any(each.endswith(" numbers") for each in found.warnings)


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


@pytest.mark.parametrize(
    ("key", "message"),
    [('"sets"', "the key 'sets' is missing|unknown key"), ('"chosen"', "'chosen'")],
)
def test_a_damaged_file_of_numbers_is_named(tmp_path: Path, key: str, message: str) -> None:
    write_project(tmp_path, CURVES)
    (path,) = make_figures("toy", tmp_path)
    text = path.read_text()
    assert key in text
    path.write_text(text.replace(key, '"else"', 1))
    with pytest.raises(DataError, match=rf"curves\.json.*({message})"):
        write_pictures(tmp_path)


def test_a_figure_of_nothing_is_refused(tmp_path: Path) -> None:
    more = '[methods.sum]\ndata = ["OTHER"]'
    path = write_project(tmp_path, MAPS + 'methods = ["sum"]\ndata = ["MUTAG"]\n')
    text = path.read_text(encoding="utf-8").replace("[methods.sum]", more)
    path.write_text(text.replace("[[data]]", '[[data]]\nname = "OTHER"\n[[data]]'), "utf-8")
    for call in (write_pictures, partial(make_figures, "toy")):
        with pytest.raises(ConfigError, match="figure maps: none of its methods is measured on"):
            call(tmp_path)


def test_an_unknown_experiment_is_named(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    with pytest.raises(ConfigError, match="no experiment 'toi'; did you mean 'toy'"):
        make_figures("toi", tmp_path)
