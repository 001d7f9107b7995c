"""How an optimizer is declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.engine.plans import Plan


class OptimizerOptions(Plan):
    """Parameters that an optimizer has beside those that all have (`TrainingPlan`)."""

    def arguments(self) -> dict[str, object]:
        """What the optimizer of Keras is made with."""
        return self.model_dump()


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A rule that turns gradients into steps.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        summary: One line: what it is good for.
        keras_name: Name of its class in `keras.optimizers`.
        parameters: Plan of its own parameters.
        usual_rate: A learning rate that mostly works; others may be ten times off.
        usual_rates: Between which rates most trainings lie, fine-tuning among them.
        fails_on: Backends on which it does not work, each with the reason.
        takes_layer_rates: Whether layers may have rates of their own.
    """

    name: str
    label: str
    summary: str
    keras_name: str
    parameters: type[OptimizerOptions]
    usual_rate: float
    usual_rates: tuple[float, float]
    fails_on: Mapping[str, str] = field(default_factory=dict)
    takes_layer_rates: bool = True

    def options(self, values: Mapping[str, object]) -> OptimizerOptions:
        """Its parameters from plain data.

        Raises:
            StudioError: They do not fit.
        """
        return self.parameters.parse(dict(values))
