"""Cached compiled code is used as long as no source of `graphpool.ged` has changed."""

from typing import no_type_check

from graphpool.ged import isomorphism, pair
from graphpool.ged.exact import search
from graphpool.ged.kernel import FOLDER, compiled
from graphpool.ged.methods import beam, bipartite
from graphpool.numba_cache import digest


def test_kept_code_is_keyed_by_all_sources() -> None:
    """numba alone looks at a function's own file, and would keep what it calls from others."""
    loops = [search.run, pair.load_pair, beam._search_all, bipartite.match_nodes, isomorphism.group]
    for loop in loops:
        assert loop._cache._cache_file._source_stamp == digest(FOLDER, "*.py")


def test_a_changed_source_makes_another_key(tmp_path) -> None:
    (tmp_path / "kernel.py").write_text("a = 1")
    before = digest.__wrapped__(tmp_path, "*.py")
    (tmp_path / "other.py").write_text("b = 1")
    assert digest.__wrapped__(tmp_path, "*.py") != before
    assert digest.__wrapped__(tmp_path, "kernel*.py") == before


def test_a_compiled_function_computes() -> None:
    @no_type_check
    def twice(number):
        return 2 * number

    assert compiled(twice)(21) == 42
