"""One way to change training images, as data. Free of NumPy and Pillow.

To add one in a separate package: an entry point of the group `studio.augmentations` that names an
`Operation` without fields; plans turn it on by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from studio.engine.datasets.augment.plan import AUGMENTATIONS, AugmentationPlan
from studio.engine.plug_ins import failure_of, load
from studio.engine.tasks.suited import SuitedToTargets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.arrays import Pixels
    from studio.engine.datasets.augment.draws import Draws
    from studio.engine.datasets.augment.steps import Steps

    Fractions = NDArray[np.float32]
    Change = Callable[[AugmentationPlan, Draws, Steps], None]
    Mix = Callable[[AugmentationPlan, Draws, Pixels, Fractions], tuple[Pixels, Fractions]]

NOUN: Final = AUGMENTATIONS.noun


@dataclass(frozen=True, slots=True)
class Operation(SuitedToTargets):
    """One way to change images.

    A function may be named as `package.module:name`; it is imported where images are changed.

    Attributes:
        name: Stable name; also that of its sequence of random numbers.
        change: Draws and adds what is done to one image; None without such a change.
        mix: Mixes a batch, shape (n, height, width, channels), and shares of the classes,
            float32, shape (n, classes). Both are its own to change. None where it does not mix.
        of: Fields of the plan that are its own, where that is not the one with its name.
        label: Displayed name of one without fields.
        targets: Kinds of targets that it suits, see `Task.target_kind`; empty for all.
    """

    name: str
    change: Change | str | None = None
    mix: Mix | str | None = None
    of: tuple[str, ...] = ()
    label: str = ""
    targets: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the plan that belong to the operation; none if plans name it."""
        own = (self.name,) if self.name in AugmentationPlan.model_fields else ()
        return self.of or own

    def is_on(self, plan: AugmentationPlan) -> bool:
        """Return True if a plan uses it: a field differs from its default, or names it."""
        fields = AugmentationPlan.model_fields
        if not self.fields:
            return plan.added == self.name
        return any(getattr(plan, name) != fields[name].default for name in self.fields)

    @property
    def changing(self) -> Change | None:
        """The function of `change`.

        Raises:
            StudioError: It cannot be imported.
        """
        change: Change | None = self._loaded(self.change)
        return change

    @property
    def mixing(self) -> Mix | None:
        """The function of `mix`.

        Raises:
            StudioError: It cannot be imported.
        """
        mix: Mix | None = self._loaded(self.mix)
        return mix

    def _loaded(self, function: Any) -> Any:  # noqa: ANN401 - one of two kinds of functions
        if not isinstance(function, str):
            return function
        try:
            return load(function)
        except Exception as error:
            raise failure_of(NOUN, self.name, function, error) from error
