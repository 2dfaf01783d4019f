import signal
from dataclasses import replace

import pytest
import torch
from standin import SignallingTask, make_graphs, make_model, train

from graphpool.errors import CheckpointError
from graphpool.training import Interrupted, read_checkpoint, read_events
from graphpool.training.checkpoint import write_checkpoint


def without_time(rows):
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def assert_same_run(left, right):
    (model, result), (other, expected) = left, right
    for name, value in other.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name
    assert without_time(result.history) == without_time(expected.history)
    assert result.best_metrics == expected.best_metrics
    assert (result.best_epoch, result.stopped) == (expected.best_epoch, expected.stopped)


def interrupt(folder, at, **changes):
    with pytest.raises(Interrupted):
        train(folder, task=SignallingTask(signal.SIGINT, at), **changes)


SETTINGS = {
    "plateau": {"schedule": "plateau", "plateau_epochs": 1, "clip_norm": 0.5},
    "cosine": {"schedule": "cosine", "weight_decay": 0.01},
    "patience": {"patience": 1, "learning_rate": 0.5},
    "no validation": {"valid": False},
}


@pytest.mark.parametrize("at", [1, 2, 4, 5, 7, 16])
def test_resumed_at_any_step_equals_the_uninterrupted_run(tmp_path, at):
    """Step 4 ends an epoch of four steps, step 16 the run."""
    interrupt(tmp_path, at)
    assert_same_run(train(tmp_path, model=make_model(8), resume=True), train())


@pytest.mark.parametrize("name", SETTINGS)
def test_resumed_equals_uninterrupted_under_every_setting(tmp_path, name):
    interrupt(tmp_path, 3, **SETTINGS[name])
    resumed = train(tmp_path, model=make_model(8), resume=True, **SETTINGS[name])
    assert_same_run(resumed, train(**SETTINGS[name]))


class Declining(SignallingTask):
    """Every epoch is worse than the one before, by what the model itself has counted."""

    def evaluate(self, model, graphs, batch_size):
        steps = float(model.norm.num_batches_tracked)
        return {"accuracy": 1 / (1 + steps), "loss": steps}


def test_a_best_epoch_and_a_lowered_rate_from_before_the_interruption_are_kept(tmp_path):
    rates = {"schedule": "plateau", "plateau_epochs": 1}
    with pytest.raises(Interrupted):
        train(tmp_path, task=Declining(signal.SIGINT, 11), **rates)
    resumed = train(tmp_path, task=Declining(signal.SIGINT, 0), resume=True, **rates)
    assert [row["lr"] for row in resumed[1].history] == [0.01, 0.01, 0.005, 0.0025]
    assert resumed[1].best_epoch == 1
    assert_same_run(resumed, train(task=Declining(signal.SIGINT, 0), **rates))


def test_a_run_interrupted_again_and_again_equals_the_uninterrupted_one(tmp_path):
    interrupt(tmp_path, 3)
    for _ in range(4):
        interrupt(tmp_path, 2, resume=True)
    assert_same_run(train(tmp_path, resume=True), train())


def test_the_final_checkpoints_are_those_of_the_uninterrupted_run(tmp_path):
    interrupt(tmp_path / "a", 6)
    train(tmp_path / "a", resume=True)
    train(tmp_path / "b")
    for name in ("last.safetensors", "best.safetensors"):
        mine, theirs = (read_checkpoint(tmp_path / run / name).tensors for run in "ab")
        assert mine.keys() == theirs.keys()
        assert all(torch.equal(mine[key], theirs[key]) for key in mine)


def test_more_epochs_continue_a_finished_run(tmp_path):
    train(tmp_path, epochs=2)
    assert_same_run(train(tmp_path, resume=True, epochs=4), train(epochs=4))


def test_a_finished_run_is_not_trained_again(tmp_path):
    first = train(tmp_path)
    log = (tmp_path / "events.jsonl").read_bytes()
    assert_same_run(train(tmp_path, model=make_model(8), resume=True), first)
    assert (tmp_path / "events.jsonl").read_bytes() == log


def test_resume_without_a_checkpoint_starts_anew(tmp_path):
    assert_same_run(train(tmp_path / "new", resume=True), train())


def test_without_resume_the_earlier_run_is_replaced(tmp_path):
    interrupt(tmp_path, 6, seed=3)
    assert_same_run(train(tmp_path), train())
    assert [event["event"] for event in read_events(tmp_path / "events.jsonl")].count("start") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 0.02}, r"config\.learning_rate is 0\.01 in the checkpoint and 0\.02"),
        ({"batch_size": 5}, r"config\.batch_size is 6"),
        ({"seed": 7}, r"config\.seed"),
        ({"epochs": 3}, r"config\.epochs is 4 in the checkpoint and 3 now; it can only be raised"),
        ({"graphs": make_graphs(seed=6)}, "the train graphs are not those of the checkpoint"),
        ({"valid": False}, "the valid graphs are not those of the checkpoint"),
        ({"extra": {"model": {"hidden": 2}}}, r"model\.hidden is 1 .* and 2 now"),
        ({"extra": {}}, r"model is \{\"hidden\": 1\} in the checkpoint and absent now"),
    ],
)
def test_another_run_is_refused_by_the_name_of_the_difference(tmp_path, change, message):
    extra = {"extra": {"model": {"hidden": 1}}}
    interrupt(tmp_path, 2, **extra)
    with pytest.raises(CheckpointError, match=message):
        train(tmp_path, resume=True, **{**extra, **change})


def test_a_graph_with_another_id_is_another_data_set(tmp_path):
    interrupt(tmp_path, 2)
    graphs = make_graphs()
    renamed = replace(graphs, ids=("other", *graphs.ids[1:]))
    with pytest.raises(CheckpointError, match="train graphs"):
        train(tmp_path, resume=True, graphs=renamed)


def test_more_epochs_are_refused_where_the_schedule_depends_on_them(tmp_path):
    interrupt(tmp_path, 2, schedule="cosine")
    with pytest.raises(CheckpointError, match=r"config\.epochs .* cosine schedule depends on it"):
        train(tmp_path, resume=True, schedule="cosine", epochs=5)


def test_settings_that_do_not_change_the_result_may_differ(tmp_path):
    interrupt(tmp_path, 2)
    assert_same_run(train(tmp_path, resume=True, checkpoint_seconds=0.0), train())


def test_the_number_of_threads_may_differ_though_it_changes_rounding(tmp_path):
    interrupt(tmp_path, 2)
    resumed, whole = train(tmp_path, resume=True, threads=2), train()
    assert len(resumed[1].history) == len(whole[1].history)
    assert resumed[1].history[-1]["train"]["loss"] == pytest.approx(
        whole[1].history[-1]["train"]["loss"], rel=1e-3
    )


def test_a_refused_resume_leaves_the_checkpoint_and_the_model_alone(tmp_path):
    interrupt(tmp_path, 2)
    before = (tmp_path / "last.safetensors").read_bytes()
    model = make_model(8)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(CheckpointError):
        train(tmp_path, model=model, resume=True, clip_norm=1.0)
    assert (tmp_path / "last.safetensors").read_bytes() == before
    assert all(torch.equal(weights[name], value) for name, value in model.state_dict().items())


def test_another_model_is_refused_by_the_name_of_the_tensor(tmp_path):
    interrupt(tmp_path, 2)
    with pytest.raises(CheckpointError, match=r"last\.safetensors: tensor 'inner\.weight'"):
        train(tmp_path, model=make_model(hidden=4), resume=True)


def test_the_event_log_reads_as_one_run(tmp_path):
    interrupt(tmp_path / "a", 6)
    # An earlier process may have gone on for an epoch after its last checkpoint, and been cut.
    with (tmp_path / "a" / "events.jsonl").open("a") as log:
        log.write('{"event": "epoch", "epoch": 2, "stray": true}\n{"event": "ep')
    train(tmp_path / "a", resume=True)
    train(tmp_path / "b")
    mine, theirs = (read_events(tmp_path / run / "events.jsonl") for run in "ab")
    assert [event["event"] for event in mine] == [
        "start",
        "epoch",
        "resume",
        *["epoch"] * 3,
        "stop",
    ]
    assert without_time(event for event in mine if event["event"] != "resume") == without_time(
        theirs
    )


def test_the_checkpoint_says_what_wrote_it(tmp_path):
    train(tmp_path, extra={"features": {"labels": [1, 2]}})
    for name in ("last.safetensors", "best.safetensors"):
        header = read_checkpoint(tmp_path / name).header
        assert header["extra"] == {"features": {"labels": [1, 2]}}
        assert header["config"]["batch_size"] == 6
        assert header["versions"]["torch"] == torch.__version__


def test_a_checkpoint_of_version_0_1_0_resumes_to_the_bit(tmp_path):
    """It also holds the states of Python's and NumPy's generators, which are not used."""
    interrupt(tmp_path, 5)
    path = tmp_path / "last.safetensors"
    stored = read_checkpoint(path)
    others = {"python": [3, [1, 2], None], "numpy": {"bit_generator": "MT19937"}}
    write_checkpoint(path, stored.tensors, {**stored.header, "rng": others})
    assert_same_run(train(tmp_path, model=make_model(8), resume=True), train())
