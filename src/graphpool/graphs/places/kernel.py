"""How the loops over places are compiled."""

from pathlib import Path

from graphpool.numba_cache import compiler

SOURCES = Path(__file__).parent, "*.py"

compiled = compiler(*SOURCES)
# Every compiled function is optimised together with all that it calls, again and again up the
# chain of calls; what is put in its caller's place adds no link to that chain.
inlined = compiler(*SOURCES, inline="always")
