"""Read and write arrays with a JSON header in one safetensors file.

The header contains a checksum of itself and of every array. A file that differs from what was
written is refused with an error that names it.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as to_bytes

from graphpool.documents import read_header, read_safetensors
from graphpool.errors import DataError
from graphpool.files import atomic_write

Array = NDArray[Any]
FORMAT = 1


class _Stated(TypedDict):
    header: dict[str, Any]
    check: str


def write_arrays(
    path: str | Path, kind: str, header: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write header and arrays to `path`, atomically.

    Args:
        kind: the kind of file, which `read_arrays` checks.
    """
    tensors = {key: np.ascontiguousarray(value) for key, value in arrays.items()}
    stated = {**header, "format": FORMAT}
    text = _json({"header": stated, "check": _check(stated, tensors)})
    data = to_bytes(tensors, metadata={f"graphpool {kind}": text})
    with atomic_write(path) as handle:
        handle.write(data)


def read_arrays(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the header and the arrays of a file written by `write_arrays`."""
    path = Path(path)
    again, key = "create it again", f"graphpool {kind}"
    metadata, arrays = read_safetensors(path, "np", hint=again, what=kind)
    if key not in metadata:
        raise DataError.at(path, f"a safetensors file, but not a {kind}", hint="check the path")
    stated = read_header(metadata, key, path, _Stated, hint=again)
    header, check = stated["header"], stated["check"]
    if header.get("format") != FORMAT:
        problem = f"has format {header.get('format')!r}; this graphpool reads {FORMAT}"
        raise DataError.at(path, problem, hint=again)
    if check != _check(header, arrays):
        raise DataError.at(path, "damaged: its checksum does not match", hint=again)
    return header, arrays


def digest(*values: Any) -> str:
    """Return the SHA-256 of arrays and of values that JSON can hold."""
    result = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            result.update(f"{value.dtype.str} {value.shape}\n".encode())
            result.update(np.ascontiguousarray(value).data)
        else:
            result.update(_json(value).encode())
    return result.hexdigest()


def _check(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    named = [item for key in sorted(arrays) for item in (key, arrays[key])]
    return digest(dict(header), *named)


def _json(value: Any) -> str:
    """Encode equal values equally, so that they can be hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
