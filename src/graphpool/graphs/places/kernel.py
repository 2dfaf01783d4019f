"""Decorators that compile the loops of the search for places."""

from pathlib import Path

from graphpool.numba_cache import compiler

SOURCES = Path(__file__).parent, "*.py"

compiled = compiler(*SOURCES)
# A compiled function is optimised together with everything it calls, again at every level of the
# call chain; inlining a function into its caller removes one level.
inlined = compiler(*SOURCES, inline="always")
