import math
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor, nn

from graphpool.errors import DataError
from graphpool.evaluation.metrics import balanced_accuracy, confusion_matrix
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.graph_task import predict_logits


@dataclass
class Trace:
    logits: Tensor
    losses: dict[str, Tensor] = field(default_factory=dict)


class FirstNode(nn.Module):
    """Logits are the features of each graph's first node, doubled by dropout when training."""

    def __init__(self, auxiliary: float | None = None) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.dropout = nn.Dropout(0.5)
        self.frozen = nn.Identity().eval()
        self.auxiliary = auxiliary

    def trace(self, batch):
        logits = self.dropout(batch.x[batch.ptr[:-1]]) * self.scale
        extra = {} if self.auxiliary is None else {"aux": torch.tensor(self.auxiliary)}
        return Trace(logits, extra)


def one_node_graphs(logits, y):
    count = len(logits)
    return GraphSet.build(
        "rows",
        torch.ones(count, dtype=torch.long),
        torch.zeros(count, dtype=torch.long),
        torch.zeros(2, 0, dtype=torch.long),
        x=torch.tensor(logits),
        y=torch.tensor(y),
    )


# Softmax of the rows: (1/2, 1/2), (3/4, 1/4), (1/5, 4/5).
ROWS = [[0.0, 0.0], [math.log(3), 0.0], [0.0, math.log(4)]]


def test_losses_are_the_negative_log_probability_of_each_graphs_class():
    graphs = one_node_graphs(ROWS, [0, 1, 1])
    losses = ClassificationTask(2).losses(FirstNode().eval(), graphs.batch())
    expected = torch.tensor([math.log(2), math.log(4), math.log(5 / 4)])
    torch.testing.assert_close(losses.detach(), expected)


def test_auxiliary_losses_are_added_once_to_the_mean():
    graphs, task = one_node_graphs(ROWS, [0, 1, 1]), ClassificationTask(2)
    expected = (math.log(2) + math.log(4) + math.log(5 / 4)) / 3 + 0.25
    losses = task.losses(FirstNode(0.25).eval(), graphs.batch())
    assert losses.mean().item() == pytest.approx(expected)
    assert task.step(FirstNode(0.25).eval(), graphs.batch()).loss.item() == pytest.approx(expected)


def test_step_counts_right_answers():
    graphs = one_node_graphs([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 0])
    assert int(ClassificationTask(2).step(FirstNode().eval(), graphs.batch()).correct) == 2


@pytest.mark.parametrize("batch_size", [1, 2, 3, 10])
def test_evaluate_does_not_depend_on_the_batch_size(batch_size):
    graphs = one_node_graphs(ROWS, [1, 0, 0])
    metrics = ClassificationTask(2).evaluate(FirstNode(), graphs, batch_size)
    assert metrics["loss"] == pytest.approx((math.log(2) + math.log(4 / 3) + math.log(5)) / 3)
    assert metrics["accuracy"] == pytest.approx(1 / 3)
    # Class 0: one of two right; class 1: none of one.
    assert metrics["balanced_accuracy"] == pytest.approx(1 / 4)


def test_evaluate_weighs_diagnostics_by_graphs():
    def diagnose(trace):
        return {"level1/size": float(len(trace.logits))}

    graphs = one_node_graphs(ROWS, [0, 1, 1])
    metrics = ClassificationTask(2, diagnose).evaluate(FirstNode(), graphs, 2)
    assert metrics["level1/size"] == pytest.approx((2 * 2 + 1 * 1) / 3)


def test_diagnostics_of_batches_that_could_not_be_measured_are_left_out():
    def diagnose(trace):
        return {
            "level1/size": math.nan if len(trace.logits) == 1 else 5.0,
            "level1/never": math.nan,
        }

    graphs = one_node_graphs(ROWS, [0, 1, 1])
    metrics = ClassificationTask(2, diagnose).evaluate(FirstNode(), graphs, 2)
    assert metrics["level1/size"] == 5.0
    assert "level1/never" not in metrics


def test_evaluate_restores_the_mode_of_every_module():
    model = FirstNode().train()
    model.frozen.eval()
    ClassificationTask(2).evaluate(model, one_node_graphs(ROWS, [0, 1, 1]), 2)
    assert model.training
    assert model.dropout.training
    assert not model.frozen.training


def test_predicted_logits_stand_in_the_order_of_the_graphs():
    graphs = one_node_graphs(ROWS, [0, 1, 1])
    logits = predict_logits(FirstNode().train(), graphs, 2)
    torch.testing.assert_close(logits, torch.tensor(ROWS))
    assert not logits.requires_grad


def test_confusion_matrix_has_actual_rows_and_predicted_columns():
    matrix = confusion_matrix(torch.tensor([0, 1, 1, 2]), torch.tensor([0, 0, 1, 1]), 3)
    assert matrix.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]


def test_balanced_accuracy_leaves_out_classes_that_do_not_occur():
    assert balanced_accuracy(torch.tensor([[3, 1, 0], [0, 1, 1], [0, 0, 0]])) == (3 / 4 + 1 / 2) / 2


def test_graphs_without_classes_are_refused():
    graphs = one_node_graphs(ROWS, [0, 1, 1])
    bare = GraphSet(graphs.name, graphs.node_ptr, graphs.edge_ptr, graphs.edge_index, graphs.ids)
    with pytest.raises(DataError, match="rows has no classes"):
        ClassificationTask(2).check(bare)


def test_a_class_that_the_model_does_not_know_is_named_with_its_graph():
    with pytest.raises(DataError, match="graph 1: class 5 is not one of the model's 2"):
        ClassificationTask(2).check(one_node_graphs(ROWS, [0, 5, 1]))
