"""Where a result was measured, and by what: machine, versions, the code itself."""

import functools
import hashlib
import os
import platform
from pathlib import Path

import torch

import graphpool
from graphpool.training.checkpoint import versions

# Code that decides what a result is; how it is scheduled or printed does not.
_DECISIVE = (
    *(f"{room}/**/*.py" for room in ("graphs", "features", "ged", "nn", "tasks", "training")),
    *(f"evaluation/{name}.py" for name in ("baselines", "protocols", "run", "wl")),
    *(f"evaluation/{name}.py" for name in ("classical", "comparing", "ranking")),
    *(f"evaluation/comparison_{name}.py" for name in ("data", "unit")),
)


def machine(device: str = "cpu") -> dict[str, str | int]:
    """Processor, cores and, if it is used, the accelerator."""
    found: dict[str, str | int] = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": usable_cores(),
    }
    if torch.device(device).type == "cuda" and torch.cuda.is_available():
        found["accelerator"] = torch.cuda.get_device_name(device)
    return found


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def provenance() -> dict[str, str]:
    """Versions, and a short hash of the code that makes results."""
    return {**versions(), "code": code_digest()}


@functools.cache
def code_digest() -> str:
    """A hash of graphpool's own source; two results with the same one come from the same code."""
    root = Path(graphpool.__file__).parent
    digest = hashlib.sha256()
    for pattern in _DECISIVE:
        for path in sorted(root.glob(pattern)):
            digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")
