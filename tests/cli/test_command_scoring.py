"""`train` on a set with a published metric, which chooses the epoch unless one is named."""

from dataclasses import replace

import torch

import graphpool as gp
from graphpool.config import RunConfig, read_toml


def labelled() -> gp.GraphSet:
    """Molecules with labels, as a set with a published metric."""
    graphs = gp.load("MUTAG", features=None)[:60]
    target = torch.stack([(graphs.node_counts > 17), (graphs.edge_counts > 40)], 1).float()
    graphs = replace(graphs, y=None, classes=(), notes=("published metric: average_precision",))
    return graphs.with_target(target, ("large", "dense"))


def test_commands_say_it_and_keep_it(cli) -> None:
    gp.save(labelled(), "peptides.safetensors")
    quick = ("--pooler", "sum", "--epochs", "2", "--hidden", "4", "--threads", "1")
    done = cli("train", "peptides.safetensors", *quick, "--out", "run")
    assert done.code == 0, done.err
    assert "Validation average_precision, the set's published metric, chooses the epoch" in done.err
    assert "(average_precision 0." in done.out
    assert read_toml(RunConfig, "run/config.toml").train.scoring == "average_precision"
    done = cli("train", "--resume", "--out", "run")
    assert done.code == 0, done.err
    done = cli("train", "peptides.safetensors", *quick, "--resume", "--out", "run")
    assert done.code == 0, done.err
    done = cli("train", "--resume", "--out", "run", "--scoring", "loss")
    assert done.code == 2
    assert "scoring" in done.err
    done = cli("train", "peptides.safetensors", *quick, "--scoring", "roc_auc", "--out", "other")
    assert "published metric, chooses" not in done.err
    assert read_toml(RunConfig, "other/config.toml").train.scoring == "roc_auc"
