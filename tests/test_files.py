import hashlib
import json
import math
import stat
from pathlib import Path

import pytest

from graphpool.files import atomic_write, sha256_file, write_json


def test_content_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    with atomic_write(path, "w") as handle:
        handle.write("über")
        assert not path.exists()
    assert path.read_bytes() == "über".encode()


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with atomic_write(path) as handle:
            handle.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "file.bin") as handle:
        handle.write(b"x")
    assert stat.S_IMODE((tmp_path / "file.bin").stat().st_mode) == 0o644


def test_json_is_readable_and_keeps_the_order_of_keys(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": [1.5, None]})
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == {"b": 1, "a": [1.5, None]}
    assert text.index('"b"') < text.index('"a"')
    assert text.endswith("}\n")


def test_json_says_null_where_a_number_is_not_finite(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"a": (1.5, math.nan), "b": {"c": -math.inf}})
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": [1.5, None], "b": {"c": None}}


def test_hash_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "file.bin").write_bytes(content)
    assert sha256_file(tmp_path / "file.bin") == hashlib.sha256(content).hexdigest()
