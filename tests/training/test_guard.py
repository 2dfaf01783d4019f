import math
import signal
from dataclasses import replace

import pytest
import torch
from standin import Standin, Trace, make_graphs, make_model, train
from torch import nn

from graphpool.errors import TrainingError
from graphpool.tasks.classification import ClassificationTask
from graphpool.training import Interrupted, NonFiniteError, read_checkpoint, read_events
from graphpool.training.environment import thread_count
from graphpool.training.guard import all_finite, guilty_positions
from graphpool.training.seeding import epoch_order


def spoilt(graph, value=math.nan, count=22):
    graphs = make_graphs(count)
    x = graphs.x.clone()
    x[graphs.node_ptr[graph] + 1, 2] = value
    return graphs.with_x(x)


class Plain(nn.Module):
    """Logits are `scale` times the sum of features: no graph touches another."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3, 2))

    def trace(self, batch):
        sums = batch.x.new_zeros(batch.num_graphs, 3).index_add(0, batch.batch, batch.x)
        return Trace(sums @ self.scale)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_graph_with_a_bad_feature_stops_training_and_is_named(tmp_path, value):
    place = epoch_order(0, 0, 22).tolist().index(9)
    with pytest.raises(NonFiniteError, match=r"graph of toy: g9; .*last\.safetensors") as stop:
        train(tmp_path, graphs=spoilt(9, value))
    assert stop.value.graph_ids == ("g9",)
    assert (stop.value.epoch, stop.value.step) == (1, place // 6 + 1)
    assert f"epoch 1, step {place // 6 + 1}: the loss is not finite" in str(stop.value)
    assert isinstance(stop.value, TrainingError)


def test_the_last_good_state_is_saved_buffers_included(tmp_path):
    """Batch norm takes a bad batch into its statistics before the loss shows it."""
    with pytest.raises(NonFiniteError) as stop:
        train(tmp_path, graphs=spoilt(9))
    checkpoint = read_checkpoint(tmp_path / "last.safetensors")
    assert checkpoint.header["state"]["step"] == stop.value.step - 1
    floats = [value for value in checkpoint.tensors.values() if value.is_floating_point()]
    assert all(value.isfinite().all() for value in floats)


def test_the_model_is_left_in_its_last_good_state():
    model = make_model()
    with pytest.raises(NonFiniteError):
        train(model=model, graphs=spoilt(9))
    assert all(value.isfinite().all() for value in model.state_dict().values())


def test_a_graph_that_spoils_its_batch_mates_is_singled_out():
    """Finite features that overflow: batch norm makes every loss of the batch NaN."""
    model = make_model()
    with torch.no_grad():
        model.inner.weight.mul_(100)
    with pytest.raises(NonFiniteError, match="the loss") as stop:
        train(model=model, graphs=spoilt(9, 3e38))
    assert stop.value.graph_ids == ("g9",)


def test_running_statistics_that_overflow_stop_the_run():
    """Their infinite variance would hide the layer's input for good, with a finite loss."""
    with pytest.raises(NonFiniteError, match="a weight or buffer after the step") as stop:
        train(graphs=spoilt(9, 3e38))
    assert "g9" in stop.value.graph_ids


class SpoiltGradient(ClassificationTask):
    """One graph (known by its first feature) has a finite loss and an infinite gradient."""

    def __init__(self, mark):
        super().__init__(2)
        self.mark = mark

    def losses(self, model, batch):
        hit = (batch.x[batch.ptr[:-1], 0] == self.mark).float()
        edge = torch.sqrt(model.head.bias.sum() * 0 * hit + 1 - hit)
        return super().losses(model, batch) + edge

    def step(self, model, batch):
        step = super().step(model, batch)
        return step._replace(loss=self.losses(model, batch).mean())


def test_an_infinite_gradient_is_traced_to_its_graph_before_the_step(tmp_path):
    graphs = make_graphs()
    mark = graphs.x[graphs.node_ptr[13], 0]
    step = epoch_order(0, 0, 22).tolist().index(13) // 6 + 1
    with pytest.raises(NonFiniteError, match="the gradient is not finite") as stop:
        train(tmp_path, task=SpoiltGradient(mark))
    assert stop.value.graph_ids == ("g13",)
    assert stop.value.step == step
    assert read_checkpoint(tmp_path / "last.safetensors").header["state"]["step"] == step - 1


class Unrecorded(ClassificationTask):
    """A loss that is not finite, where another one is recorded."""

    def losses(self, model, batch):
        return super().losses(model, batch) + math.nan  # with finite gradients

    def step(self, model, batch):
        step = super().step(model, batch)
        return step._replace(loss=self.losses(model, batch).mean(), recorded=step.loss.detach())


def test_a_loss_that_is_not_recorded_is_guarded_too(tmp_path):
    with pytest.raises(NonFiniteError, match="the loss is not finite"):
        train(tmp_path, task=Unrecorded(2))


def test_a_signal_never_saves_weights_that_are_not_finite(tmp_path):
    class Interrupting(SpoiltGradient):
        sent = False

        def step(self, model, batch):
            if not self.sent and (batch.x[batch.ptr[:-1], 0] == self.mark).any():
                self.sent = True
                signal.raise_signal(signal.SIGINT)
            return super().step(model, batch)

    graphs = make_graphs()
    with pytest.raises(Interrupted):
        train(tmp_path, task=Interrupting(graphs.x[graphs.node_ptr[13], 0]))
    weights = read_checkpoint(tmp_path / "last.safetensors").weights.values()
    assert all(value.isfinite().all() for value in weights)


class Explosive(ClassificationTask):
    """Pulls one weight upwards and divides by zero as soon as it has passed 5."""

    def step(self, model, batch):
        step, weight = super().step(model, batch), model.head.weight[0, 0]
        return step._replace(loss=(step.loss - 100 * weight) / (weight.detach() < 5).float())


def test_a_failure_epochs_after_the_last_good_state_is_found(tmp_path):
    """Two steps an epoch, about ten steps: the repetition runs over epoch boundaries."""
    model = make_model()
    with torch.no_grad():
        model.head.weight[0, 0] = 4.905
    with pytest.raises(NonFiniteError) as stop:
        train(tmp_path, model=model, task=Explosive(2), batch_size=11, epochs=30)
    assert (stop.value.epoch, stop.value.step) == (6, 11)
    assert model.head.weight[0, 0] >= 5
    rows = [event for event in read_events(tmp_path / "events.jsonl") if event["event"] == "epoch"]
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4, 5]


def test_a_validation_graph_that_is_not_finite_is_named():
    class Blind(Standin):
        def trace(self, batch):
            traced = super().trace(batch)
            if self.training:
                return traced
            bad = torch.arange(batch.num_graphs) == 3
            return Trace(torch.where(bad[:, None], torch.nan, traced.logits))

    with pytest.raises(NonFiniteError, match=r"the validation loss .* graph of held: g3;"):
        train(model=Blind())


def test_losses_single_out_a_graph_whose_features_are_finite():
    graphs, model = spoilt(4, 3e38), Plain()
    with torch.no_grad():
        model.scale.mul_(10)
    index = torch.tensor([2, 4, 6])
    assert guilty_positions(ClassificationTask(2), model, graphs, index).tolist() == [4]


def test_a_batch_in_which_no_graph_can_be_singled_out_is_named_whole():
    model = Plain()
    with torch.no_grad():
        model.scale.fill_(torch.nan)
    index = torch.tensor([2, 4, 6])
    task = ClassificationTask(2)
    assert guilty_positions(task, model, make_graphs(), index).tolist() == [2, 4, 6]


def test_a_bad_edge_weight_is_traced_to_its_graph():
    graphs = make_graphs()
    weight = torch.ones(graphs.num_edges)
    weight[graphs.edge_ptr[6]] = math.inf
    graphs = replace(graphs, edge_weight=weight)
    task, index = ClassificationTask(2), torch.tensor([2, 4, 6])
    assert guilty_positions(task, Plain(), graphs, index).tolist() == [6]


def test_all_finite_does_not_overflow():
    assert all_finite([torch.full((4,), 3e38)])
    assert not all_finite([torch.ones(2), torch.tensor([0.0, math.nan])])
    assert not all_finite([torch.tensor([-math.inf])])
    assert all_finite([])


def test_a_guarded_run_equals_a_plain_loop_to_the_bit():
    """Checks and snapshots must not touch what they watch (64 steps pass here)."""
    torch.manual_seed(0)
    model, result = train(epochs=20, valid=False)
    assert result.history[-1]["step"] == 80
    other = make_model()
    torch.manual_seed(0)
    adam = torch.optim.Adam(other.parameters(), lr=0.01, fused=True)
    graphs, task = make_graphs(), ClassificationTask(2)
    with thread_count(1):
        for epoch in range(20):
            for index in epoch_order(0, epoch, 22).split(6):
                adam.zero_grad()
                task.step(other, graphs.batch(index)).loss.backward()
                adam.step()
    for name, value in other.state_dict().items():
        assert torch.equal(value, model.state_dict()[name])
