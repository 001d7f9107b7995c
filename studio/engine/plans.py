"""Plans as typed data: the one place that form, option, message, sweep and file come from.

To add a field to a plan: declare it with `plan_field`, with a label, a one-line help and its
range. The form in the window, the command-line option and the messages follow by themselves.
"""

from __future__ import annotations

import enum
import functools
import json
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from studio.engine.errors import Problem, StudioError, raise_if_serious, shortened
from studio.engine.messages import Message, as_message, message

Level = Literal["basic", "expert", "hidden"]


class FieldKind(enum.StrEnum):
    """Kind of editor of a field."""

    INTEGER = "integer"
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    TEXT = "text"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on other fields of a plan under which a field has an effect.

    Attributes:
        fields: Names of the other fields; one that meets the condition is enough.
        reason: Sentence without its period: why the field has no effect otherwise.
        values: Values that meet the condition, or a function that returns them; all but 0, False
            and empty ones when left out.
    """

    fields: tuple[str, ...]
    reason: str
    values: tuple[object, ...] | Callable[[], tuple[object, ...]] = ()

    @property
    def allowed(self) -> tuple[object, ...]:
        """The values that meet the condition; empty for all but 0, False and empty ones."""
        return self.values() if callable(self.values) else self.values

    def is_met(self, values: Mapping[str, object]) -> bool:
        """Return True if the values of a plan, by field, meet the condition."""
        others, allowed = [values.get(name) for name in self.fields], self.allowed
        return any(value in allowed if allowed else bool(value) for value in others)


def plan_field(  # noqa: PLR0913 - one keyword per thing a form shows
    default: Any = PydanticUndefined,  # noqa: ANN401 - the type is the field's annotation
    *,
    label: str,
    help: str,  # noqa: A002 - the word that forms and options use
    why: str = "",
    unit: str = "",
    level: Level = "basic",
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    within: tuple[float, float] | None = None,
    left_open: tuple[float, float] | None = None,
    right_open: tuple[float, float] | None = None,
    labels: dict[str, str] | Callable[[], dict[str, str]] | None = None,
    scale: Literal["linear", "log"] = "linear",
    group: str = "",
    applicable_when: Condition | None = None,
) -> Any:  # noqa: ANN401 - stands in for the field's value, as pydantic's Field does
    """Declare a field of a plan with everything a form, an option and a message need.

    Args:
        default: Value when none is given; required when left out.
        label: Two or three words, shown beside the field.
        help: One line: what it does.
        why: When to change it, in a sentence or two.
        unit: Unit of the value, for example `"%"` or `"px"`.
        level: `basic` is always shown, `expert` behind "More", `hidden` never in a form.
        ge: Smallest value, included.
        gt: Smallest value, excluded.
        le: Largest value, included.
        lt: Largest value, excluded.
        within: Smallest and largest value, both included: `ge` and `le` in one.
        left_open: The same with the smallest value excluded: `gt` and `le`.
        right_open: The same with the largest value excluded: `ge` and `lt`.
        labels: Shown text of each choice, by its value; or a function that returns them.
        scale: Scale of the steps of sliders and sweeps.
        group: Heading under which forms put the fields that belong together.
        applicable_when: Condition on other fields of the plan under which this one has an effect.
    """
    if within is not None:
        ge, le = within
    if left_open is not None:
        gt, le = left_open
    if right_open is not None:
        ge, lt = right_open
    extra = {
        "why": why,
        "unit": unit,
        "level": level,
        "labels": labels or {},
        "scale": scale,
        "group": group,
        "applicable_when": applicable_when,
    }
    return Field(
        default,
        title=label,
        description=help,
        json_schema_extra=extra,  # type: ignore[arg-type]  # pydantic wants JsonDict; no schema is made
        ge=ge,
        gt=gt,
        le=le,
        lt=lt,
    )


expert_field = functools.partial(plan_field, level="expert")
"""Declares a field that forms show behind "More" only, see `plan_field`."""


class Plan(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True):
    """Base of all plans: immutable, complete, checked, and refused when a key is not known.

    Attributes:
        former_names: Current names of fields by those that older versions of Studio wrote, in
            plans, sweeps, journals and command lines.
    """

    former_names: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _accept_former_names(cls, data: object) -> object:
        if not isinstance(data, Mapping) or cls.former_names.keys().isdisjoint(data):
            return data
        return {cls.current_name(name): value for name, value in data.items()}

    @classmethod
    def current_name(cls, name: str) -> str:
        """Return the present name of a field; that of a field in a nested plan is dotted."""
        first, dot, rest = name.partition(".")
        return cls.former_names.get(first, first) + dot + rest

    @classmethod
    def parse(cls, data: object) -> Self:
        """Build a plan from plain data.

        Raises:
            StudioError: Names every field that is wrong, what it received and what it takes.
        """
        plan, problems = cls.check(data)
        raise_if_serious(problems)
        if plan is None:
            raise AssertionError("a plan without problems was not built")
        return plan

    @classmethod
    def check(cls, data: object) -> tuple[Self | None, list[Problem]]:
        """Build a plan, or say everything that is wrong with the data, all at once."""
        try:
            return cls.model_validate(data), []
        except ValidationError as error:
            return None, [_problem(detail) for detail in error.errors()]

    def changed(self, /, **changes: object) -> Self:
        """Return a checked copy with some values changed; dotted names reach into nested plans.

        Raises:
            StudioError: A value does not fit, or a name reaches into something without parts.
        """
        data = self.model_dump()
        for name, value in changes.items():
            _put(data, self.current_name(name), value)
        return self.parse(data)

    def without_effect(self) -> list[Problem]:
        """Return advice about settings that were changed and have no effect beside the others."""
        return [
            Problem(
                name,
                message("{setting} has no effect.", setting=name),
                message("{reason}.", reason=as_message(reason)),
                serious=False,
            )
            for name, reason in without_effect(type(self), self.model_dump()).items()
            if "." not in name and getattr(self, name) != type(self).model_fields[name].default
        ]

    def to_json(self) -> str:
        """Return the plan as indented JSON, non-ASCII text readable."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"


def _put(data: dict[str, Any], name: str, value: object) -> None:
    *groups, last = name.split(".")
    target = data
    for group in groups:
        target = target.setdefault(group, {})
        if not isinstance(target, dict):
            raise StudioError(
                '"{name}" does not exist: "{group}" has no fields.',
                message("Set {group} directly.", group=group),
                name,
                name=name,
                group=group,
            )
    target[last] = value


# pydantic's own words are for programmers. Values such as {ge} come from the error's context.
_PLAIN = {
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_parsing": "must be on or off (true or false)",
    "bool_type": "must be on or off (true or false)",
    "string_type": "must be text",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be greater than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be one of {expected}",
    "enum": "must be one of {expected}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "model_type": "must be a group of settings",
    "dict_type": "must be a group of settings",
    "model_attributes_type": "must be a group of settings",
}


def _problem(detail: Any) -> Problem:  # noqa: ANN401 - pydantic's ErrorDetails is a TypedDict
    where = shortened(".".join(str(part) for part in detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return Problem(where, "there is no such setting.", "Check its spelling.")
    if detail["type"] == "literal_error" and detail["loc"][-1] == "version":
        return _of_another_version(where, detail)
    if detail["type"] == "missing":
        return Problem(where, "a value is needed and none was received.")
    problem = _problem_text(detail)
    received = detail.get("input")
    if isinstance(received, str | int | float | bool) and "received" not in problem:
        return Problem(
            where,
            message(
                "{problem}; received {received}.",
                problem=problem,
                received=shortened(repr(received)),
            ),
        )
    return Problem(where, message("{problem}.", problem=problem))


def _problem_text(detail: Any) -> Message:  # noqa: ANN401 - as above
    context = detail.get("ctx", {})
    plain = _PLAIN.get(detail["type"])
    if plain is not None:
        return message(plain, **{name: _limit(value) for name, value in context.items()})
    if detail["type"] == "value_error":  # a message of the plan itself
        return as_message(str(context["error"]))
    text = detail["msg"]
    return as_message(f"{text[:1].lower()}{text[1:]}" or "it does not fit")


def _limit(value: Any) -> Any:  # noqa: ANN401 - as above
    """Return a limit without needless decimals, and choices as a list."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.replace(" or ", ", ") if isinstance(value, str) else value


def _of_another_version(where: str, detail: Any) -> Problem:  # noqa: ANN401 - as above
    received, expected = detail["input"], detail["ctx"]["expected"]
    if isinstance(received, int) and received > 1:
        text = message(
            "it was written by a newer Studio (format {version}; this one reads {supported}).",
            version=received,
            supported=expected,
        )
        return Problem(where, text, "Update Studio.")
    text = message(
        "the format {received} is not supported; Studio reads {expected}.",
        received=shortened(repr(received)),
        expected=expected,
    )
    return Problem(where, text, "Restore the file from a backup.")


@dataclass(frozen=True, slots=True)
class PlanField:
    """Description of one field of a plan, for forms, options and sweeps."""

    name: str
    kind: FieldKind
    label: str
    help: str
    why: str
    unit: str
    level: Level
    default: object
    required: bool
    choices: tuple[str, ...] = ()
    choice_labels: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    minimum_excluded: bool = False
    maximum_excluded: bool = False
    optional: bool = False
    scale: str = "linear"
    group: str = ""
    applicable_when: Condition | None = None


@functools.cache
def fields_of(plan: type[Plan]) -> tuple[PlanField, ...]:
    """Return the fields of a plan class, in the order in which they are declared.

    A choice that packages can add to is hidden while none does.
    """
    fields = tuple(_plan_field(name, info) for name, info in plan.model_fields.items())
    absent = {field.name for field in fields if _is_of_packages(plan, field)}
    defaults = {field.name: field.default for field in fields}
    return tuple(
        replace(field, level="hidden") if _is_absent(field, absent, defaults) else field
        for field in fields
    )


def _is_of_packages(plan: type[Plan], field: PlanField) -> bool:
    """Return True for a computed choice while no installed package adds to it."""
    extra = plan.model_fields[field.name].json_schema_extra
    is_computed = isinstance(extra, dict) and callable(extra.get("labels"))
    return is_computed and len(field.choices) == 1


def _is_absent(field: PlanField, absent: set[str], defaults: Mapping[str, object]) -> bool:
    """Return True for a field of packages, or one that has an effect only beside such fields."""
    condition = field.applicable_when
    return field.name in absent or (
        condition is not None
        and absent.issuperset(condition.fields)
        and not condition.is_met(defaults)
    )


def _plan_field(name: str, info: FieldInfo) -> PlanField:
    annotation, optional = _without_none(info.annotation)
    raw = info.json_schema_extra
    extra: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
    stated = extra.get("labels", {})
    labels: dict[str, str] = stated() if callable(stated) else stated
    # A text with labels is checked by its plan against a table, such as that of the metrics.
    choices = _choices(annotation) or tuple(labels)
    bounds: dict[str, float] = {
        key: getattr(mark, key)
        for mark in info.metadata
        for key in ("ge", "gt", "le", "lt")
        if getattr(mark, key, None) is not None
    }
    return PlanField(
        name=name,
        kind=FieldKind.CHOICE if choices else _kind(annotation),
        label=info.title or name.replace("_", " ").capitalize(),
        help=info.description or "",
        why=extra.get("why", ""),
        unit=extra.get("unit", ""),
        level=extra.get("level", "hidden"),
        default=None if info.is_required() else info.get_default(call_default_factory=True),
        required=info.is_required(),
        choices=choices,
        choice_labels=tuple(labels.get(choice, choice) for choice in choices),
        minimum=bounds.get("ge", bounds.get("gt")),
        maximum=bounds.get("le", bounds.get("lt")),
        minimum_excluded="gt" in bounds,
        maximum_excluded="lt" in bounds,
        optional=optional,
        scale=extra.get("scale", "linear"),
        group=extra.get("group", ""),
        applicable_when=extra.get("applicable_when"),
    )


def complete_plans() -> None:
    """Build the checks of all plan classes that are imported, before their first use.

    It takes 20 ms for a large plan, which the first form that shows it would wait for.
    """
    waiting: list[type[Plan]] = [Plan]
    while waiting:
        plan = waiting.pop()
        plan.model_rebuild(raise_errors=False)
        waiting += plan.__subclasses__()


def without_effect(
    plan: type[Plan], values: Mapping[str, object], varied: Collection[str] = ()
) -> dict[str, str]:
    """Return the fields of a plan that have no effect, each with the reason.

    Args:
        plan: The plan class; fields of plans inside it have dotted names.
        values: Its values as nested plain data, valid or not; missing ones have defaults.
        varied: Fields that have several values, as in a sweep; they meet every condition.
    """
    return dict(_without_effect(plan, values, varied, ""))


def inner_plan(plan: type[Plan], name: str) -> type[Plan] | None:
    """Return the plan class of a nested field; None for other fields.

    Args:
        plan: The outer plan.
        name: Name of the field.
    """
    kind = plan.model_fields[name].annotation if name in plan.model_fields else None
    return kind if isinstance(kind, type) and issubclass(kind, Plan) else None


def _without_effect(
    plan: type[Plan], values: Mapping[str, object], varied: Collection[str], prefix: str
) -> Iterator[tuple[str, str]]:
    fields = fields_of(plan)
    whole = {field.name: values.get(field.name, field.default) for field in fields}
    for field in fields:
        condition, value = field.applicable_when, whole[field.name]
        if condition is not None and not (
            any(prefix + name in varied for name in condition.fields) or condition.is_met(whole)
        ):
            yield prefix + field.name, condition.reason
        inner = inner_plan(plan, field.name)
        if inner is not None and isinstance(value, Mapping):
            yield from _without_effect(inner, value, varied, f"{prefix}{field.name}.")


def _without_none(annotation: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any type expression
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [arg for arg in typing.get_args(annotation) if arg is not type(None)]
        if len(rest) == 1:
            return rest[0], True
    return annotation, False


def _choices(annotation: Any) -> tuple[str, ...]:  # noqa: ANN401 - any type expression
    if typing.get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in typing.get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.StrEnum):
        return tuple(member.value for member in annotation)
    return ()


def _kind(annotation: Any) -> FieldKind:  # noqa: ANN401 - any type expression
    if _choices(annotation):
        return FieldKind.CHOICE
    if isinstance(annotation, type):
        for kind_type, kind in (
            (bool, FieldKind.SWITCH),
            (int, FieldKind.INTEGER),
            (float, FieldKind.NUMBER),
            (BaseModel, FieldKind.GROUP),
        ):
            if issubclass(annotation, kind_type):
                return kind
    return FieldKind.TEXT
