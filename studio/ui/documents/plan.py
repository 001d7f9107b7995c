"""A plan that is being edited: its values, valid or not, and the results of its checks."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from studio.engine.errors import Problem
from studio.engine.plans import Plan, inner_plan, without_effect
from studio.ui.documents.document import Document

PlanT = TypeVar("PlanT", bound=Plan)


class PlanDocument(Document[[]], Generic[PlanT]):
    """Holds the values of a plan while they are edited; forms show them.

    A field without effect, given the other fields, keeps its value here but has its default in the
    plan, so that it cannot be invalid.

    Attributes:
        plan_class: The plan.
        plan: The current plan, or None while a value is invalid.
        problems: All problems found by the plan's checks.
        without_effect: Reason by the dotted name of each field that has no effect.
        shown: Dotted names of all fields that a form shows.
    """

    def __init__(self, plan_class: type[PlanT]) -> None:
        super().__init__()
        self.plan_class = plan_class
        self.plan: PlanT | None = None
        self.problems: list[Problem] = []
        self.without_effect: dict[str, str] = {}
        self.shown: set[str] = set()
        self._data: dict[str, object] = {}
        self._varied_reason = ""
        self._varied: frozenset[str] = frozenset()
        self._refused: dict[str, str] = {}
        self._check()

    def values(self) -> dict[str, object]:
        """Return the plan as nested plain data, with defaults for fields without effect."""
        data = copy.deepcopy(self._data)
        for path in self.without_effect.keys() - self._varied:
            if get_path(data, path)[1]:
                set_path(data, path, _default(self.plan_class, path))
        return data

    def value(self, path: str) -> tuple[object, bool]:
        """Return the value at a dotted name as it was typed, and whether there is one.

        A refused field has its default.
        """
        if path in self._refused:
            return _default(self.plan_class, path), True
        return get_path(self._data, path)

    def set_values(self, values: Plan | Mapping[str, object]) -> None:
        """Set a plan, or the values of some of its fields."""
        if isinstance(values, Plan):
            self._data = values.model_dump()
        else:
            _merge(self.plan_class, self._data, copy.deepcopy(values))
        self._change()

    def put(self, path: str, value: object) -> None:
        """Set one field.

        Args:
            path: Dotted name of the field.
            value: Its new value.
        """
        set_path(self._data, path, value)
        self._change()

    def show(self, values: Mapping[str, object]) -> None:
        """Register fields that a form shows, with values for those that have none yet."""
        self.shown.update(values)
        for path, value in values.items():
            if not get_path(self._data, path)[1]:
                set_path(self._data, path, value)
        self._change()

    def vary(self, fields: Iterable[str], reason: str = "") -> None:
        """Set the fields that a sweep varies, since other fields may depend on them.

        Args:
            fields: Dotted names of the fields.
            reason: Why they cannot be edited; empty if they can.
        """
        self._varied = frozenset(fields)
        self._varied_reason = reason
        self._change()

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Set the fields that have no effect here, whatever the others are, with the reasons."""
        self._refused = dict(reasons)
        self._change()

    def _change(self) -> None:
        self._check()
        self._notify()

    def _check(self) -> None:
        idle = without_effect(self.plan_class, self._data, self._varied)
        varied = dict.fromkeys(self._varied, self._varied_reason) if self._varied_reason else {}
        self.without_effect = idle | self._refused | varied
        self.plan, self.problems = self.plan_class.check(self.values())


def _merge(plan: type[Plan], data: dict[str, object], values: Mapping[str, object]) -> None:
    """Put values over others; plans inside the plan keep what is not among the values."""
    for name, value in values.items():
        inner, before = inner_plan(plan, name), data.get(name)
        if inner is not None and isinstance(before, dict) and isinstance(value, Mapping):
            _merge(inner, before, value)
        else:
            data[name] = value


def _default(plan: type[Plan], path: str) -> object:
    name, _, rest = path.partition(".")
    inner = inner_plan(plan, name)
    if rest and inner is not None:
        return _default(inner, rest)
    return plan.model_fields[name].get_default(call_default_factory=True)


def get_path(data: Mapping[str, object], path: str) -> tuple[object, bool]:
    """Return the value at a dotted path, and True if it exists.

    Args:
        data: Nested mappings.
        path: The path.
    """
    here: object = data
    for part in path.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return None, False
        here = here[part]
    return here, True


def set_path(data: dict[str, object], path: str, value: object) -> None:
    """Set the value at a dotted path, creating mappings as needed.

    Args:
        data: Nested mappings; changed in place.
        path: The path.
        value: The value.
    """
    *groups, last = path.split(".")
    here = data
    for part in groups:
        inner = here.get(part)
        if not isinstance(inner, dict):
            inner = {}
            here[part] = inner
        here = inner
    here[last] = value
