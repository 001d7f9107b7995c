"""Ready augmentation plans, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Preset:
    """A ready augmentation plan.

    Attributes:
        name: Stable name, as on the command line.
        label: Shown name.
        summary: One line: what it is good for.
        values: The fields that are not as in a new plan.
    """

    name: str
    label: str
    summary: str
    values: Mapping[str, object]

    @property
    def plan(self) -> AugmentationPlan:
        """The whole plan."""
        return AugmentationPlan.parse(dict(self.values))


PRESETS: Registry[Preset] = Registry(
    "augmentation preset",
    [
        Preset("off", "Off", "Images as they are.", {}),
        Preset(
            "light",
            "Light",
            "Small turns, moves and changes of light; safe for most pictures, also of digits.",
            {"rotation": 10.0, "zoom": 10.0, "translation": 5.0, "brightness": 10.0}
            | {"contrast": 20.0},
        ),
        Preset(
            "strong",
            "Strong",
            "For few photographs and long training: mirrors, colors, erasing.",
            {"horizontal_flip": True, "rotation": 20.0, "shear": 8.0, "zoom": 25.0}
            | {"translation": 10.0, "brightness": 20.0, "contrast": 40.0, "hue": 15.0}
            | {"saturation": 40.0, "erasing": 20.0},
        ),
    ],
)
