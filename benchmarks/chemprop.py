"""Train on molecules as chemprop does and as graphpool does: test metric and processor time.

chemprop has an environment of its own (`python -m venv X; X/bin/pip install chemprop==2.3.1`).
Both read the same CSV file, have the same published split and one thread, and run one after the
other, seed by seed; chemprop with its defaults for 50 epochs, graphpool with the settings of
`experiments/molecules-classes.toml` and `molecules-numbers.toml`. Counted is the processor time of
whole commands: start, reading, training and test. Training alone is what a command takes beyond the
same command with 3 epochs, scaled to all epochs.

    python benchmarks/chemprop.py X/bin/chemprop --data-root FOLDER [--sets BBBP] [--seeds 0 1 2]
"""

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from common import measured_here
from sklearn.metrics import roc_auc_score

from graphpool.data.molecules.published import FOLDER, MOLECULES, SPLITS
from graphpool.files import write_json

ROOT = Path(__file__).resolve().parents[1]
SETS = ("BBBP", "BACE", "ESOL", "FreeSolv")
EXPERIMENTS = {"classification": "molecules-classes", "regression": "molecules-numbers"}
EPOCHS = 50
SHORT = 3  # epochs, the fewest that chemprop takes
OURS = "from graphpool.cli.main import run; run()"


def timed(command: list[str], log: Path) -> float:
    """Run a command with one thread; return its processor seconds."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(command)}: {log.read_text()[-2000:]}")
    return used.ru_utime + used.ru_stime


def run_chemprop(
    program: str, name: str, root: Path, seed: int, folder: Path, epochs: int
) -> dict[str, float]:
    """Train with chemprop; return the test metric and processor seconds."""
    about = MOLECULES[name]
    source = root / FOLDER / about.file
    parts = json.loads(gzip.decompress((root / FOLDER / SPLITS).read_bytes()))[about.key]
    (folder / "split.json").write_text(json.dumps([parts]))
    kind = about.task
    out = folder / "chemprop"
    command = [
        program, "train", "--data-path", str(source), "--smiles-columns", about.smiles,
        "--target-columns", *about.targets, "--task-type", kind, "--epochs", str(epochs),
        "--splits-file", str(folder / "split.json"), "--output-dir", str(out),
        "--accelerator", "cpu", "--data-seed", str(seed), "--pytorch-seed", str(seed),
        "--metric", "roc" if kind == "classification" else "rmse",
    ]  # fmt: skip
    seconds = timed(command, folder / "chemprop.log")
    with source.open() as rows:
        truth = np.array([float(row[about.targets[0]]) for row in csv.DictReader(rows)])
    (found,) = out.glob("**/test_predictions.csv")
    with found.open() as rows:
        said = np.array([float(row[about.targets[0]]) for row in csv.DictReader(rows)])
    actual = truth[parts["test"]]
    metric = (
        roc_auc_score(actual, said)
        if kind == "classification"
        else np.sqrt(np.mean((actual - said) ** 2))
    )
    return {"test": float(metric), "processor seconds": seconds}


def settings_of(task: str, method: str) -> str:
    """Return the settings of a method in its experiment, as a config file for `graphpool train`."""
    path = ROOT / "experiments" / f"{EXPERIMENTS[task]}.toml"
    given = tomllib.loads(path.read_text())
    model = {**given["settings"]["model"], **given["methods"][method]["model"]}
    lines = [f'task = "{task}"']
    for table, values in (("model", model), ("train", given["settings"]["train"])):
        lines += [f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def run_ours(
    name: str, root: Path, seed: int, folder: Path, method: str, epochs: int
) -> dict[str, float]:
    """Train with graphpool; return the test metric and processor seconds."""
    about = MOLECULES[name]
    (folder / "config.toml").write_text(settings_of(about.task, method))
    data = f"{root / FOLDER / about.file}"
    targets = ["--smiles", about.smiles, "--target", ",".join(about.targets)]
    parts = json.loads(gzip.decompress((root / FOLDER / SPLITS).read_bytes()))[about.key]
    names = {"train": "train", "val": "valid", "test": "test"}
    own = {names[part]: rows for part, rows in parts.items()}
    (folder / "own.json").write_text(json.dumps(own))
    command = [
        sys.executable, "-c", OURS, "train", data, *targets, "--split", str(folder / "own.json"),
        "--config", str(folder / "config.toml"), "--seed", str(seed), "--out", str(folder / "ours"),
        "--epochs", str(epochs),
    ]  # fmt: skip
    seconds = timed(command, folder / "ours.log")
    result = json.loads((folder / "ours" / "result.json").read_text())
    return {"test": result["test"][about.metric], "processor seconds": seconds}


def epochs_of(name: str) -> int:
    """Return how many epochs graphpool trains on a set."""
    path = ROOT / "experiments" / f"{EXPERIMENTS[MOLECULES[name].task]}.toml"
    return int(tomllib.loads(path.read_text())["settings"]["train"]["epochs"])


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chemprop", help="its program")
    parser.add_argument("--data-root", type=Path, required=True, help="folder of data files")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--methods", nargs="+", default=["flat", "hap-one-way"])
    results = ROOT / "results" / "benchmarks" / "chemprop.json"
    parser.add_argument("--json", type=Path, default=results)
    given = parser.parse_args()
    version = subprocess.run([given.chemprop, "--version"], capture_output=True, text=True).stdout
    found: dict[str, Any] = {**measured_here(), "epochs of chemprop": EPOCHS, "sets": {}}
    if given.json.exists():  # with other sets, perhaps
        found["sets"] = json.loads(given.json.read_text())["sets"]
    found["versions"]["chemprop"] = re.sub(r"[^\d.]", "", version) or version.strip()
    for name in given.sets:
        epochs = {"chemprop": EPOCHS, **dict.fromkeys(given.methods, epochs_of(name))}
        rows: dict[str, list[dict[str, float]]] = {}
        start: dict[str, float] = {}

        def run(program: str, seed: int, epochs: int, name: str = name) -> dict[str, float]:
            with tempfile.TemporaryDirectory() as place:
                where = (name, given.data_root, seed, Path(place))
                if program == "chemprop":
                    return run_chemprop(given.chemprop, *where, epochs)
                return run_ours(*where, program, epochs)

        for program in epochs:
            start[program] = run(program, given.seeds[0], SHORT)["processor seconds"]
        for seed in given.seeds:
            for program, count in epochs.items():
                rows.setdefault(program, []).append(run(program, seed, count))
            print(name, seed, {key: value[-1] for key, value in rows.items()}, flush=True)
        whole = {key: mean(row["processor seconds"] for row in each) for key, each in rows.items()}
        train = {key: (whole[key] - start[key]) * n / (n - SHORT) for key, n in epochs.items()}
        found["sets"][name] = {
            "metric": MOLECULES[name].metric,
            "epochs": epochs,
            "runs": rows,
            "mean": {key: mean(row["test"] for row in each) for key, each in rows.items()},
            f"processor seconds of {SHORT} epochs": start,
            "training alone": train,
            "chemprop / ours, whole commands": _ratios(whole),
            "chemprop / ours, training alone": _ratios(train),
        }
        write_json(given.json, found)


def _ratios(seconds: dict[str, float]) -> dict[str, float]:
    return {key: seconds["chemprop"] / value for key, value in seconds.items() if key != "chemprop"}


if __name__ == "__main__":
    main()
