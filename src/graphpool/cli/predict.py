"""`graphpool predict`: what a trained model predicts for each graph of a file."""

import csv
import io
import json as json_text
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from graphpool.cli.data_arguments import load_model, open_graphs, with_columns
from graphpool.cli.options import Device, Json, Overwrite, Root
from graphpool.cli.output import print_json, print_status
from graphpool.data.bad_rows import BadRow, collect_bad_rows
from graphpool.errors import ConfigError
from graphpool.evaluation.format import csv_cell, plural
from graphpool.files import atomic_write, check_free

LEFT_OUT = "left out"


@with_columns("data", without=["target"])
def predict(
    model: Annotated[Path, typer.Argument(help="A run folder, or a model file.")],
    data: Annotated[str, typer.Argument(help="A file or folder of graphs, or a set's name.")],
    out: Annotated[str, typer.Option(help="FILE.csv or FILE.jsonl; - for stdout.")] = "-",
    overwrite: Overwrite = False,
    device: Device = "cpu",
    root: Root = None,
    json: Json = False,
) -> None:
    """Predict the class of every graph, with the probability of each class; or its numbers.

    SMILES are read from the column that the model was trained with, unless --smiles names another.
    With --skip-bad, a line that can't be read has no prediction, and a note that says why.

    In CSV, text that a spreadsheet would take for a formula (it begins with = + - @) has a ' before
    it; numbers, --out FILE.jsonl and --json are left as they are.
    """
    if out != "-" and Path(out).suffix not in (".csv", ".jsonl"):
        raise ConfigError(f"--out {out}: end it with .csv or .jsonl, or give - for stdout")
    if out != "-":
        check_free(out, overwrite, "--overwrite", "--out ")
    from graphpool.features.summary import features_line

    trained = load_model(model, device, takes="graphs")
    with collect_bad_rows() as bad:
        graphs = open_graphs(data, root, trained.config.data)
    rows = _with_bad(trained.prediction_rows(graphs), bad)
    if out != "-":
        text = _csv(rows) if Path(out).suffix == ".csv" else _jsonl(rows)
        with atomic_write(out, "w") as handle:
            handle.write(text)
    features = trained.features.about()
    if json:
        document = {"model": str(model), "data": graphs.name, "features": features}
        print_json({**document, "predictions": rows})
    elif out == "-":
        sys.stdout.write(_csv(rows))
    else:
        without = f", {plural(len(bad), 'line')} left out without a prediction" if bad else ""
        print_status(f"{out}: {plural(len(graphs), 'graph')}{without}\n{features_line(features)}")


def _with_bad(rows: list[dict[str, Any]], bad: Sequence[BadRow]) -> list[dict[str, Any]]:
    """Return the rows in the order of the file, with those that were left out among them."""
    if not bad:
        return rows
    left_out = {each.row: each for each in bad}
    good = iter(rows)
    known = dict.fromkeys(rows[0])
    return [
        {**next(good), LEFT_OUT: None}
        if (each := left_out.get(row)) is None
        else {**known, **_known_of(each, known), LEFT_OUT: each.reason}
        for row in range(len(rows) + len(bad))
    ]


def _known_of(row: BadRow, columns: Collection[str]) -> dict[str, str]:
    """What a line that was left out says for the columns of the answers."""
    return {"id": row.id, **({"smiles": row.text} if "smiles" in columns else {})}


def _number(value: Any) -> Any:
    """A predicted number with six digits; anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else value


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    # A cell for each value; of several values by name, such as probabilities, one for each name.
    names = next((list(row["probabilities"]) for row in rows if row.get("probabilities")), [])
    for number, row in enumerate(rows):
        shares = row.get("probabilities") or {}
        plain = {key: value for key, value in row.items() if key != "probabilities"}
        if not number:
            writer.writerow(map(csv_cell, [*plain, *(f"p({name})" for name in names)]))
        cells = ["" if value is None else _number(value) for value in plain.values()]
        cells += [f"{shares[name]:.6f}" if name in shares else "" for name in names]
        writer.writerow(map(csv_cell, cells))
    return text.getvalue()


def _jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json_text.dumps(row, ensure_ascii=False) + "\n" for row in rows)
