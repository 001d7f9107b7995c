"""The settings of runs as a flat list: which differ, and their values as displayed."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence

from pydantic.fields import FieldInfo

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import Plan, PlanField, fields_of
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES

AUGMENTATION, OPTIMIZER, SCHEDULE = "augmentation", "optimizer_options", "schedule_options"
_NOT_SETTINGS = ("version", "design")

Settings = Mapping[str, object]
"""Settings of a run by dotted name; all values can be compared and hashed."""


def settings_of(plan: TrainingPlan, changes: Mapping[str, object] | None = None) -> Settings:
    """Return every setting of a run by dotted name, flat.

    Options of the optimizer and the schedule are left out where they are as they come, so that a
    plan that spells them out is the same as one that does not.

    Args:
        plan: The requested plan.
        changes: Later changes of the plan (`JobHistory.changes`), by dotted name.
    """
    flat: dict[str, object] = {}
    for name, value in plan.__dict__.items():
        if name in _NOT_SETTINGS:
            continue
        if isinstance(value, Plan):
            flat.update((f"{name}.{inner}", each) for inner, each in value.__dict__.items())
        elif isinstance(value, dict):
            for inner, each in value.items():
                if _hashable(each) != _usual(plan.optimizer, plan.schedule, name, inner):
                    flat[f"{name}.{inner}"] = _hashable(each)
        else:
            flat[name] = _hashable(value)
    if plan.design is not None:
        flat["network"] = _drawn(plan.design)
    for name, value in (changes or {}).items():
        flat[name] = _hashable(value)
    return flat


def differing(settings: Sequence[Settings]) -> list[str]:
    """Return the names of the settings that differ between runs, in the order of the plan."""
    if len(settings) < 2:
        return []
    first, *rest = settings
    names: set[str] = set()
    for other in rest:
        if other != first:
            names.update(name for name, _ in first.items() ^ other.items())
    order = {name: index for index, name in enumerate(_fields())}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def setting_value(plan: TrainingPlan, changes: Mapping[str, object], name: str) -> object:
    """Return one setting of a run without computing all of them; see `settings_of`.

    An option left at its default has the default's value; None for a setting that the run lacks.

    Args:
        plan: Plan of the run.
        changes: Later changes, by dotted name.
        name: Dotted name of the setting.
    """
    if name in changes:
        return _hashable(changes[name])
    if name == "network" and plan.design is not None:
        return _drawn(plan.design)
    part, _, inner = name.partition(".")
    value = getattr(plan, part, None)
    if not inner:
        return _hashable(value)
    if isinstance(value, Plan):
        return _hashable(getattr(value, inner, None))
    if isinstance(value, dict) and inner in value:
        return _hashable(value[inner])
    return _usual(plan.optimizer, plan.schedule, part, inner)


def value_in(settings: Settings, name: str) -> object:
    """Return one setting of all of a run; an option left at its default has its value.

    Args:
        settings: All settings, see `settings_of`.
        name: Dotted name of the setting.
    """
    if name in settings:
        return settings[name]
    part, _, inner = name.partition(".")
    optimizer, schedule = settings.get("optimizer"), settings.get("schedule")
    return _usual(str(optimizer), str(schedule), part, inner)


def settings_from_json(text: str) -> Settings:
    """Return settings that were stored as JSON; all values can be compared and hashed."""
    return {name: _hashable(value) for name, value in json.loads(text).items()}


def setting_field(name: str) -> PlanField | None:
    """Return the label, choices and unit of a setting; None for one that no plan has."""
    return _fields().get(name)


def setting_label(name: str) -> str:
    """Two or three words for a setting."""
    field = setting_field(name)
    return field.label if field else name.rpartition(".")[2].replace("_", " ").capitalize()


def setting_text(name: str, value: object) -> str:
    """Format the value of a setting for display, with a decimal point.

    Args:
        name: Dotted name of the setting.
        value: The value.
    """
    field = setting_field(name)
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return ", ".join(setting_text(name, each) for each in value)
    if field is not None and value in field.choices:
        return field.choice_labels[field.choices.index(str(value))]
    return ZOO[str(value)].label if name == "network" and value in ZOO else str(value)


def _usual(optimizer: str, schedule: str, part: str, option: str) -> object:
    """Return the default of an option of an optimizer or a schedule."""
    fields: dict[str, FieldInfo] = {}
    if part == OPTIMIZER and optimizer in OPTIMIZERS:
        fields = OPTIMIZERS[optimizer].parameters.model_fields
    elif part == SCHEDULE and schedule in SCHEDULES:
        fields = SCHEDULES[schedule].parameters.model_fields
    return _hashable(fields[option].get_default()) if option in fields else None


def _hashable(value: object) -> object:
    if isinstance(value, list | tuple):
        return tuple(_hashable(each) for each in value)
    if isinstance(value, dict):
        return tuple((key, _hashable(inside)) for key, inside in value.items())
    return value


def _drawn(design: NetworkSpec) -> str:
    """Return a drawn network by its name and a mark that differs where the drawing does."""
    mark = hashlib.sha256(design.model_dump_json().encode()).hexdigest()[:6]
    return f"{design.name} ({mark})"


@functools.cache
def _fields() -> dict[str, PlanField]:
    """Return every field of a plan by dotted name, its own before those of its parts."""
    found: dict[str, PlanField] = {}
    parts = {
        AUGMENTATION: fields_of(AugmentationPlan),
        OPTIMIZER: [f for each in OPTIMIZERS for f in fields_of(each.parameters)],
        SCHEDULE: [f for each in SCHEDULES for f in fields_of(each.parameters)],
    }
    own = TrainingPlan.__annotations__
    for field in sorted(fields_of(TrainingPlan), key=lambda field: field.name not in own):
        if field.name in parts:
            for inner in parts[field.name]:
                found.setdefault(f"{field.name}.{inner.name}", inner)
        elif field.name not in _NOT_SETTINGS:
            found[field.name] = field
    return found
