"""Which fields of a training plan can vary: found from the plan's own declarations."""

from __future__ import annotations

import functools

from studio.engine.datasets.augment.plan import AugmentationPlan
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

NETWORK = "network"


@functools.cache
def sweepable() -> dict[str, PlanField]:
    """Every field that can vary, by dotted name; one shared by several parts has the first's."""
    found: dict[str, PlanField] = {}
    for field in fields_of(TrainingPlan):
        if field.name in PARTS:
            for part in PARTS[field.name]:
                for inner in fields_of(part):
                    if inner.kind != FieldKind.GROUP and inner.level != "hidden":
                        found.setdefault(f"{field.name}.{inner.name}", inner)
        elif field.name == NETWORK or _can_vary(field):
            found[field.name] = field
    return found


def _can_vary(field: PlanField) -> bool:
    is_log = field.name in LogFields.model_fields
    return field.level != "hidden" and field.kind != FieldKind.GROUP and not is_log
