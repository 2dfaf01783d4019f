"""How the loops of this room are compiled."""

from pathlib import Path

from graphpool.numba_cache import compiler

ROOM = Path(__file__).parent

compiled = compiler(ROOM)
# The loops of the exact search only read and write arrays that they are given. Without numba's
# runtime they can't allocate, and don't count references, which costs as much as their work.
kernel = compiler(ROOM, _nrt=False)
# A call copies every field of the tuples it passes, so what is called once is put in its place.
inlined = compiler(ROOM, _nrt=False, inline="always")
