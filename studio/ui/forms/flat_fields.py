"""The fields of a plan and of the plans inside it as one flat list of dotted names. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from studio.engine.plans import FieldKind, Plan, PlanField, fields_of, inner_plan


@dataclass(frozen=True, slots=True)
class FlatField:
    """A field that can be edited, and its heading.

    The heading is the label of the field's plan, or the group that the field names.
    """

    path: str
    field: PlanField
    group: str = ""

    @property
    def is_expert(self) -> bool:
        """True if it is shown under "More"."""
        return self.field.level == "expert"

    @property
    def is_nested(self) -> bool:
        """True for a field of a nested plan."""
        return "." in self.path


def flat_fields(plan: type[Plan], names: Sequence[str] | None = None) -> list[FlatField]:
    """Return all visible fields, in order, with the fields of groups.

    Args:
        plan: The plan class.
        names: Only these, in this order: fields, groups, or dotted names inside groups. A hidden
            field that is named is shown.

    Raises:
        ValueError: A name is not a field of the plan.
    """
    everything = _open(plan, "", "", expert=False)
    if names is None:
        return [flat for flat in everything if flat.field.level != "hidden"]
    chosen: list[FlatField] = []
    for name in names:
        inside = [flat for flat in everything if flat.path.startswith(f"{name}.")]
        found = [flat for flat in everything if flat.path == name]
        found += [flat for flat in inside if flat.field.level != "hidden"]
        if not found:
            raise ValueError(f"{plan.__name__} has no field {name!r}")
        chosen += found
    return chosen


def _open(plan: type[Plan], prefix: str, group: str, *, expert: bool) -> list[FlatField]:
    flats: list[FlatField] = []
    for field in fields_of(plan):
        path = f"{prefix}{field.name}"
        shown = replace(field, level="expert") if expert and field.level == "basic" else field
        if field.kind != FieldKind.GROUP:
            flats.append(FlatField(path, shown, group or field.group))
            continue
        inner = inner_plan(plan, field.name)
        # A group that may be None is kept as it is: a form cannot say "none" for it.
        if field.level == "hidden" or inner is None:
            continue
        is_expert = expert or field.level == "expert"
        flats += _open(inner, f"{path}.", field.label, expert=is_expert)
    return flats


def gathered(flats: Iterable[FlatField]) -> list[FlatField]:
    """Return the fields of a heading together; headings in the order of their first fields."""
    groups: dict[str, list[FlatField]] = {}
    for flat in flats:
        groups.setdefault(flat.group, []).append(flat)
    return [flat for group in groups.values() for flat in group]


def closest_path(where: str, paths: Iterable[str]) -> str | None:
    """Return the field that a problem belongs to: the longest path that is a prefix.

    Args:
        where: Dotted name in the problem.
        paths: Fields of the form.
    """
    fitting = [path for path in paths if where == path or where.startswith(f"{path}.")]
    return max(fitting, key=len, default=None)
