"""What a sweep can look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from studio.engine.errors import did_you_mean
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import VALIDATION

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True)
class Objective:
    """A figure of a run that a sweep makes as good as it can.

    Attributes:
        name: As in plans and on the command line.
        label: Two or three words.
        direction: Which way is better.
        per_epoch: Whether every epoch tells it, so that a pruner has something to go by.
        unit: Of its values.
    """

    name: str
    label: str
    direction: Direction
    per_epoch: bool = True
    unit: str = ""

    @property
    def needs_validation(self) -> bool:
        """Whether the dataset must have validation images."""
        return self.name.startswith(VALIDATION)


OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        *(
            Objective(each.name, each.label, "maximize" if each.higher_is_better else "minimize")
            for each in MEASURED_METRICS.values()
        ),
        Objective("parameters", "Parameters", "minimize", per_epoch=False),
        Objective("size", "Size of the model", "minimize", per_epoch=False, unit="B"),
        Objective("seconds", "Training time", "minimize", per_epoch=False, unit="s"),
        Objective("latency", "Latency of an image", "minimize", per_epoch=False, unit="ms"),
    )
}


def _known(name: str) -> str:
    if name not in OBJECTIVES:
        raise ValueError(f'there is no objective "{name}". {did_you_mean(name, OBJECTIVES)}')
    return name


ObjectiveName = Annotated[str, AfterValidator(_known)]
"""The name of one of them, in plans."""
