"""Damaged and crafted files are read or refused by an error of ours: no traceback, no crash."""

import logging
import sys
import warnings

import pytest
from hostile_files import FORMATS
from hostile_variants import DOCUMENTS, variants
from hostile_worker import record_faults, run_worker

from graphpool.errors import GraphpoolError


@pytest.mark.parametrize("name", FORMATS)
def test_a_hostile_file_is_refused_by_an_error_of_ours(name, tmp_path, caplog):
    caplog.set_level(logging.CRITICAL)
    form = FORMATS[name]
    path = form.make(tmp_path)
    form.open(path)
    for number, variant in enumerate(variants(form, path, seed=1, count=len(DOCUMENTS) + 40)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                form.open(variant)
            except GraphpoolError as error:
                too_long = len(str(error)) > 5000
            except Exception as error:
                raise AssertionError(f"variant {number} of {name}: {error!r}") from error
            else:
                too_long = False
        assert not too_long, f"variant {number} of {name}"


@pytest.mark.faults
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FORMATS)
def test_hostile_files_take_little_time_and_memory(name, seed, tmp_path, record_property):
    *faults, said = run_worker(name, seed, 350, tmp_path)
    record_faults(record_property, faults, said)
    assert faults == []
