"""Options that come from the fields of a plan: name, help, choices and range in one place."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable

from studio.engine.errors import StudioError
from studio.engine.plans import FieldKind, Plan, PlanField, fields_of, without_effect

OPTION_PREFIX = "plan_"


def add_plan_options(
    parser: argparse.ArgumentParser,
    plan: type[Plan],
    besides: Iterable[str] = (),
    prefix: str = OPTION_PREFIX,
) -> None:
    """Add an option per shown field of a plan: `learning_rate` becomes `--learning-rate`.

    A switch has two: `--shuffle` and `--no-shuffle`.
    Plans inside the plan have none: `--set group.field=value` reaches into them.

    Args:
        parser: Where the options go.
        plan: The plan.
        besides: Fields that have an option of another form.
        prefix: Before the names of the fields in what is parsed, where a verb takes several plans.
    """
    left_out = set(besides)
    for field in fields_of(plan):
        if field.level == "hidden" or field.kind == FieldKind.GROUP or field.name in left_out:
            continue
        name = _option(field.name)
        dest = prefix + field.name
        default = f"[{_shown_default(field.default)}]"
        text = " ".join(filter(None, (field.help, _condition(field), default)))
        text = text.replace("%", "%%")
        if field.kind == FieldKind.SWITCH:
            on_or_off = argparse.BooleanOptionalAction
            parser.add_argument(name, dest=dest, action=on_or_off, default=None, help=text)
        else:
            metavar = (
                "{" + ",".join(field.choices) + "}" if field.choices else _metavar(field.unit)
            )
            parser.add_argument(name, dest=dest, default=None, metavar=metavar, help=text)


def require_effect(options: argparse.Namespace, plan: Plan, prefix: str = OPTION_PREFIX) -> None:
    """Check that every option that was given has an effect on the plan.

    Raises:
        StudioError: One has none.
    """
    idle = without_effect(type(plan), plan.model_dump())
    for field in fields_of(type(plan)):
        if field.name in idle and field.name in given_options(options, prefix):
            option = _option(field.name)
            raise StudioError(
                f"{option} has no effect. {idle[field.name]}.",
                f"{_condition(field)} Or leave {option} out.".replace("Only", "Use it", 1),
                field.name,
            )


def _condition(field: PlanField) -> str:
    """Return the sentence that says with which other options an option has an effect."""
    condition = field.applicable_when
    if condition is None:
        return ""
    names = " or ".join(map(_option, condition.fields))
    values = " or ".join(map(str, condition.values))
    word = "without" if condition.values == ("",) else "with"
    return f"Only {word} {names} {values}".rstrip() + "."


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Add `--set a.b=value`, which reaches every field of a plan."""
    parser.add_argument(
        "--set",
        dest="assignments",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set any field of the plan, also a nested one: --set schedule_options.steps=3",
    )


def given_options(options: argparse.Namespace, prefix: str = OPTION_PREFIX) -> dict[str, object]:
    """The fields of a plan that were given as options, by name."""
    return {
        name.removeprefix(prefix): value
        for name, value in vars(options).items()
        if name.startswith(prefix) and value is not None
    }


def assignments(options: argparse.Namespace) -> dict[str, object]:
    """What `--set` gave, by dotted name; values are JSON where they can be, otherwise text.

    Raises:
        StudioError: One has no equals sign.
    """
    result: dict[str, object] = {}
    for text in options.assignments:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise StudioError(
                f'--set takes NAME=VALUE; received "{text}".', "For example --set epochs=5."
            )
        try:
            result[name.strip()] = json.loads(value)
        except ValueError:
            result[name.strip()] = value
    return result


def _shown_default(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    if default is None or default == "":
        return "none"
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default)


def _metavar(unit: str) -> str:
    return {"%": "PERCENT", "px": "PIXELS"}.get(unit, "VALUE")
