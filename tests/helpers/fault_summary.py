"""Totals of the fault tests, which pytest prints at the end of a run.

Tests record them with `record_property`: the counts below, `faults` (neither an answer nor one of
our errors), `crashes` (processes that died of themselves), and the dearest call (`Largest`).
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

_COUNTS = {"calls": "calls", "files": "files", "kills": "kills", "commands": "other commands"}


def summary_lines(reports: Iterable[Any]) -> list[str]:
    """Add up what tests recorded; no lines if none of them did.

    Args:
        reports: of pytest, of all phases of all tests.
    """
    totals: Counter[str] = Counter()
    dearest: dict[str, tuple[float, str]] = {}
    failed, killed = set(), set()
    for report in reports:
        given = dict(report.user_properties)
        if report.failed:
            failed.add(report.nodeid)
        if report.when != "teardown":  # the report that has all of them
            continue
        if given.get("kills"):
            killed.add(report.nodeid)
        for key, value in given.items():
            if key in (*_COUNTS, "faults", "crashes", "tracebacks"):
                totals[key] += value
            elif key in ("slowest", "most_memory"):
                seconds, what = value
                dearest[key] = max(dearest.get(key, (0.0, "")), (seconds, what))
    if not totals:
        return []
    counts = [f"{totals[key]:,} {name}" for key, name in _COUNTS.items() if totals[key]]
    failures = [
        f"{totals['crashes']} crashes of the interpreter",
        f"{totals['tracebacks']} tracebacks of commands",
        f"{totals['faults']} answers that are no error of ours, or over the limits",
        f"{len(failed & killed)} tests with kills that lost files",
    ]
    lines = [f"made: {', '.join(counts)}", f"found: {', '.join(failures)}"]
    if "slowest" in dearest:
        seconds, call = dearest["slowest"]
        megabytes, larger = dearest["most_memory"]
        lines.append(f"slowest: {seconds:.2f} s ({call})")
        lines.append(f"largest growth of memory: {megabytes:.0f} MB ({larger})")
    return lines
