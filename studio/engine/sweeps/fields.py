"""Which fields can vary in a sweep: found from the declarations of the plans.

Those of the training plan with the parts inside it; those of the recipe of its dataset, as
`dataset.width`; and the settings of the layers of a drawn network, as `network.conv1.filters`.

Of the recipe, what says where images are, which classes there are and which images measure cannot
vary: the results of such trials could not be compared. Its seed can, for exactly that question.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import FieldKind, PlanField, fields_of
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.parts import LogFields
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES

PARTS = {
    "augmentation": (AugmentationPlan,),
    "optimizer_options": tuple(each.parameters for each in OPTIMIZERS),
    "schedule_options": tuple(each.parameters for each in SCHEDULES),
}
"""Plans inside the plan; of the options, those of every optimizer and schedule."""

NETWORK, DATASET = "network", "dataset"
IMAGE_FIELDS = (
    "width",
    "height",
    "color",
    "resize",
    "border",
    "background",
    "encoding",
    "jpeg_quality",
)
"""Fields of a recipe that say how an image looks, and leave each in its row and its split."""
DEALING_FIELDS = ("max_per_class", "seed")
"""Fields of a recipe by which images are dealt otherwise."""


@functools.cache
def sweepable() -> dict[str, PlanField]:
    """Every field that can vary, by dotted name; one shared by several parts has the first's.

    The settings of layers are not among them: `fields_in` knows those of a network.
    """
    found: dict[str, PlanField] = {}
    for field in fields_of(TrainingPlan):
        if field.name in PARTS:
            for part in PARTS[field.name]:
                for inner in fields_of(part):
                    if inner.kind != FieldKind.GROUP and inner.level != "hidden":
                        found.setdefault(f"{field.name}.{inner.name}", inner)
        elif field.name == NETWORK or _can_vary(field):
            found[field.name] = field
    for field in fields_of(DatasetRecipe):
        if field.name in (*IMAGE_FIELDS, *DEALING_FIELDS):
            found[f"{DATASET}.{field.name}"] = field
    return found


def fields_in(design: NetworkSpec | None) -> dict[str, PlanField]:
    """Every field that can vary where the network is that drawn one, by dotted name."""
    found = dict(sweepable())
    for node in design.nodes if design is not None else ():
        for field in fields_of(LAYERS[node.layer].parameters) if node.layer in LAYERS else ():
            found[f"{NETWORK}.{node.id}.{field.name}"] = field
    return found


def field_of(name: str) -> PlanField | None:
    """The field of a dotted name; that of a layer as the first kind of layer with it has it."""
    setting = layer_setting(name)
    return sweepable().get(name) if setting is None else _layer_fields().get(setting[1])


def layer_setting(name: str) -> tuple[str, str] | None:
    """The layer and the setting that a dotted name means; None where it is of no layer."""
    parts = name.split(".")
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == NETWORK else None


def recipe_changes(values: Mapping[str, object]) -> dict[str, object]:
    """What the values of a trial change in the recipe of the dataset, by the fields' own names."""
    prefix = f"{DATASET}."
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix)
    }


@functools.cache
def _layer_fields() -> dict[str, PlanField]:
    found: dict[str, PlanField] = {}
    for layer in LAYERS:
        for field in fields_of(layer.parameters):
            found.setdefault(field.name, field)
    return found


def _can_vary(field: PlanField) -> bool:
    is_log = field.name in LogFields.model_fields
    return field.level != "hidden" and field.kind != FieldKind.GROUP and not is_log
