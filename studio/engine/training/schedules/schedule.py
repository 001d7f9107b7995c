"""How a learning-rate policy is declared."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from studio.engine.plans import Plan

ROUNDING = 1e-9
"""Share of training by which a jump may come early, so that 33 % of 100 steps is step 33."""


class Policy(Plan):
    """Parameters of a policy, and its formula.

    Progress runs from 0, before the first step, to 1, after the last: policies are measured in
    shares of training, as in DIGITS, so that they keep their shape when training gets longer.
    """

    @abstractmethod
    def factor(self, progress: float) -> float:
        """What the base rate is multiplied by, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A learning-rate policy.

    Attributes:
        name: Stable name, as in files and on the command line.
        label: Shown name.
        summary: One line: how the rate goes.
        parameters: Plan of its parameters, with its formula.
    """

    name: str
    label: str
    summary: str
    parameters: type[Policy]

    def rate(self, parameters: Policy, base_rate: float, progress: float) -> float:
        """The learning rate at a point of training.

        Args:
            parameters: Parameters of this policy.
            base_rate: Rate at the start.
            progress: Share of training that is done, 0 to 1.

        Raises:
            TypeError: The parameters are those of another policy.
        """
        if not isinstance(parameters, self.parameters):
            raise TypeError(
                f"{self.name} takes {self.parameters.__name__}, "
                f"received {type(parameters).__name__}."
            )
        return base_rate * parameters.factor(progress)
