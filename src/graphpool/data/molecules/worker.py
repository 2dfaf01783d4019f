"""A process that describes molecules: `python -m graphpool.data.molecules.worker`.

It reads chunks of SMILES from its input and answers each with a `MoleculeChunk`, in frames: the
length of the content in 8 bytes, and the content. A chunk is its lines; an answer is one line of
JSON and then the arrays, one after the other.
"""

import json
import sys
from typing import IO

import numpy as np

from graphpool.data.molecules.atoms import MoleculeChunk, featurise

_ARRAYS = ("atoms", "bonds", "atom_kind", "bond_kind", "ends")


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write one frame."""
    stream.write(len(content).to_bytes(8, "little"))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read one frame; None at the end of the stream, or if it breaks off."""
    start = stream.read(8)
    length = int.from_bytes(start, "little")
    content = stream.read(length) if len(start) == 8 else b""
    return content if len(start) == 8 and len(content) == length else None


def pack(chunk: MoleculeChunk) -> bytes:
    """Return a chunk as bytes."""
    arrays = [getattr(chunk, name) for name in _ARRAYS]
    about = {
        "sizes": [array.size for array in arrays],
        "atom_kinds": list(chunk.atom_kinds),
        "bond_kinds": list(chunk.bond_kinds),
        "bad": list(chunk.bad.items()),
    }
    return json.dumps(about).encode() + b"\n" + b"".join(array.tobytes() for array in arrays)


def unpack(content: bytes) -> MoleculeChunk:
    """Return the chunk that `pack` made bytes of."""
    line, _, data = content.partition(b"\n")
    about = json.loads(line)
    whole = np.frombuffer(data, dtype=np.int32)
    atoms, bonds, atom_kind, bond_kind, ends = np.split(whole, np.cumsum(about["sizes"])[:-1])
    kinds = {key: list(map(tuple, about[key])) for key in ("atom_kinds", "bond_kinds")}
    bad = dict(about["bad"])
    return MoleculeChunk(atoms, bonds, atom_kind, bond_kind, ends.reshape(-1, 2), **kinds, bad=bad)


def main() -> None:
    """Answer chunks until the input ends; the argument is 0 if valence is not checked."""
    check_valence = sys.argv[1:] != ["0"]
    while (content := read_frame(sys.stdin.buffer)) is not None:
        smiles = content.decode().split("\n")
        write_frame(sys.stdout.buffer, pack(featurise(smiles, check_valence)))


if __name__ == "__main__":
    main()
