"""What experiments cost: seconds of a unit, and hours of all units on CPUs and on a GPU.

A record says on which machine it was made; it names an accelerator only if the unit was trained on
it. Times are those of the unit's process, training and test together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.text import NONE, list_text, paragraphs, table, three

COST_BLOCK = "reproduction: cost"
_HOUR = 3600.0
_NOTHING = "*No unit is finished yet.*\n"


def on_gpu(record: Record) -> bool:
    """Whether a unit was trained on a GPU."""
    return bool(record.machine.get("accelerator"))


def unit_seconds(records: Iterable[Record]) -> list[float]:
    """Seconds of units on a CPU or, if there are none, on a GPU: the two are not mixed."""
    return [record.total_seconds for record in _one_kind(records)]


def cost_text(records: Iterable[Record]) -> str:
    """The mean seconds of a unit, marked where they are those of a GPU."""
    chosen = _one_kind(records)
    if not chosen:
        return NONE
    seconds = three(sum(record.total_seconds for record in chosen) / len(chosen))
    return f"{seconds} GPU" if on_gpu(chosen[0]) else seconds


def _one_kind(records: Iterable[Record]) -> list[Record]:
    timed = [record for record in records if record.seconds]
    return [record for record in timed if not on_gpu(record)] or timed


@dataclass(frozen=True)
class Cost:
    """What the finished units of an experiment took.

    Attributes:
        core_hours: of units made on a CPU.
        gpu_hours: hours of the processes of units trained on a GPU; processes that share it count
            in full.
        accelerators: names of the GPUs.
    """

    units: int
    core_hours: float
    gpu_hours: float
    accelerators: frozenset[str] = frozenset()

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.units + other.units,
            self.core_hours + other.core_hours,
            self.gpu_hours + other.gpu_hours,
            self.accelerators | other.accelerators,
        )


def total_cost(records: Iterable[Record]) -> Cost:
    """Sum the times of finished units; those that failed are left out."""
    done = [record for record in records if not record.error]
    gpu = [record for record in done if on_gpu(record)]
    cpu = [record for record in done if not on_gpu(record)]
    return Cost(
        len(done),
        sum(record.total_seconds for record in cpu) / _HOUR,
        sum(record.total_seconds for record in gpu) / _HOUR,
        frozenset(str(record.machine["accelerator"]) for record in gpu),
    )


def cost_block(files: Mapping[str, RecordFile]) -> str:
    """The text of the block `reproduction: cost`.

    Args:
        files: record file of every experiment, by its name. Units that an experiment uses of
            another one are counted there alone.
    """
    costs = {name: total_cost(file.latest().values()) for name, file in sorted(files.items())}
    costs = {name: cost for name, cost in costs.items() if cost.units}
    if not costs:
        return _NOTHING
    total = sum(costs.values(), Cost(0, 0.0, 0.0))
    rows = [[f"`{name}`", *_cells(cost)] for name, cost in costs.items()]
    rows.append([f"**{cell}**" for cell in ("all", *_cells(total))])
    head = ("experiment", "finished units", "core hours", "process hours on a GPU")
    words = (
        "Training and test of finished units, each in the file of the experiment that measured it; "
        "what was stopped, failed or was replaced by a later run is not counted. Core hours are "
        "those of units made on CPUs, one core each."
    )
    if total.accelerators:
        names = list_text(sorted(total.accelerators))
        words += (
            " Process hours are those of units trained on a GPU "
            f"({names}): several processes shared it, so it was in use for fewer hours."
        )
    return paragraphs(table(head, rows), words)


def _cells(cost: Cost) -> tuple[str, str, str]:
    return f"{cost.units:,}", _hours(cost.core_hours), _hours(cost.gpu_hours)


def _hours(hours: float) -> str:
    """Hours with two decimals, and a dash for none at all."""
    if not hours:
        return NONE
    return f"{hours:,.2f}" if hours >= 0.005 else "< 0.01"
