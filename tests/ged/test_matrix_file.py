import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from graphpool import ged
from graphpool.errors import DataError
from graphpool.ged import open_matrix
from graphpool.ged.array_file import digest, read_arrays, write_arrays

GRAPHS = [(["C"], []), (["C", "N"], [(0, 1)]), (["N", "C"], [(0, 1)]), (3, [(0, 1), (1, 2)])]


@pytest.fixture
def path(tmp_path):
    ged.matrix(GRAPHS).save(tmp_path / "mine.ged")
    return tmp_path / "mine.ged"


@pytest.mark.parametrize("method", ["exact", "label"])
def test_everything_comes_back(tmp_path, method):
    made = ged.matrix(GRAPHS, method=method, pairs=[[0, 1], [3, 2]])
    made.save(tmp_path / "mine.ged")
    found = open_matrix(tmp_path / "mine.ged")
    assert found.ids == made.ids
    assert found.header == made.header
    for name in ("values", "lower", "upper", "optimal", "classes", "pairs", "bounds"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name))


def test_distances_are_small_numbers_in_the_file(tmp_path):
    made = ged.matrix([(n, []) for n in range(1, 100)])
    made.save(tmp_path / "mine.ged")
    assert (tmp_path / "mine.ged").stat().st_size < 5 * len(made.pairs) + 3000


def test_a_large_distance_survives(tmp_path):
    costs = ged.Costs(node_insertion=70000.0, node_deletion=70000.0)
    made = ged.matrix([(1, []), (2, [])], costs=costs)
    made.save(tmp_path / "mine.ged")
    assert open_matrix(tmp_path / "mine.ged").values[0, 1] == 70000


def test_numpy_takes_it_for_its_values():
    made = ged.matrix(GRAPHS)
    assert np.asarray(made).tolist() == [[0, 2, 2, 5], [2, 0, 0, 4], [2, 0, 0, 4], [5, 4, 4, 0]]
    assert np.asarray(made, dtype=np.float32).dtype == np.float32
    assert len(made) == 4
    assert "pairs=6" in repr(made)


@pytest.mark.parametrize("place", [10, 200, -1])
def test_a_changed_byte_is_noticed(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"mine\.ged: .*create it again|check the path"):
        open_matrix(path)


def test_half_a_file_is_refused(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match="not a distance matrix"):
        open_matrix(path)


def test_a_file_of_something_else_is_refused(tmp_path):
    save_file({"x": np.zeros(3)}, tmp_path / "other.ged")
    with pytest.raises(DataError, match="but not a distance matrix"):
        open_matrix(tmp_path / "other.ged")
    with pytest.raises(DataError, match="no such file"):
        open_matrix(tmp_path / "none.ged")


@pytest.mark.parametrize(
    "change",
    [
        {"first": np.array([0, 0, 7], dtype=np.int8)},
        {"classes": np.array([0, 1, -1, 2], dtype=np.int8)},
        {"classes": np.array([0, 1], dtype=np.int8)},
        {"lower": np.array([0, 0], dtype=np.int8)},
    ],
)
def test_a_file_whose_numbers_lead_nowhere_is_refused(path, change):
    header, arrays = read_arrays(path, "distance matrix")
    write_arrays(path, "distance matrix", header, {**arrays, **change})
    with pytest.raises(DataError, match="don't fit together"):
        open_matrix(path)


def test_unsigned_numbers_in_a_file_are_read(path):
    header, arrays = read_arrays(path, "distance matrix")
    unsigned = {key: array.astype(np.uint8) for key, array in arrays.items()}
    before = open_matrix(path).values
    write_arrays(path, "distance matrix", header, unsigned)
    np.testing.assert_array_equal(open_matrix(path).values, before)


def test_a_file_of_a_later_format_is_refused(path, monkeypatch):
    monkeypatch.setattr("graphpool.ged.array_file.FORMAT", 2)
    header, arrays = read_arrays_of(path)
    write_arrays(path, "distance matrix", header, arrays)
    monkeypatch.undo()
    with pytest.raises(DataError, match="has format 2; this graphpool reads 1"):
        open_matrix(path)


def read_arrays_of(path):
    from safetensors import safe_open

    with safe_open(path, framework="np") as handle:
        text = handle.metadata()["graphpool distance matrix"]
        return json.loads(text)["header"], {key: handle.get_tensor(key) for key in handle.keys()}  # noqa: SIM118


def test_a_digest_tells_types_and_shapes_apart():
    row = np.arange(6, dtype=np.int32)
    others = [row.reshape(2, 3), row.astype(np.int64), row[::-1]]
    assert len({digest(value) for value in [row, *others]}) == 4
