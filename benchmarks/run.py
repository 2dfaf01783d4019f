"""All benchmarks that need no GPU, one after the other; results go to `results/benchmarks/`.

python benchmarks/run.py --data-root FOLDER
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "results" / "benchmarks"


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-root", default=None)
    arguments = parser.parse_args()
    root = ["--data-root", arguments.data_root] if arguments.data_root else []
    OUT.mkdir(parents=True, exist_ok=True)
    each = {
        "first_answer": [],
        "layers": root,
        "epoch": root,
        "batching": root,
        "scaling": [],
        "ged": root,
        "places": root,
        "rings": root,
        "poolers": root,
    }
    for name, options in each.items():
        print(f"== {name}", flush=True)
        command = [sys.executable, "-W", "ignore", str(HERE / f"{name}.py"), *options]
        subprocess.run([*command, "--json", str(OUT / f"{name}.json")], check=True)


if __name__ == "__main__":
    main()
