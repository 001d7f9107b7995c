"""Options that several verbs have: the fields of a plan, the task, and files that are written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.cli.verb import CommandOutput, Options, Session, add_options, argument
from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.inference.foreign_models import (
    DATASET_NAMES,
    PREPROCESSING,
    UNKNOWN_SCALE,
    UNNAMED,
    UNSEEN_SCALE,
    ModelOptions,
)
from studio.engine.plans import FieldKind, Plan, PlanField, fields_of, without_effect
from studio.engine.tasks import DEFAULT_TASK, TASKS

if TYPE_CHECKING:
    from studio.engine.inference.models import ModelSource

OPTION_PREFIX = "plan_"


def plan_options(
    plan: type[Plan],
    besides: Iterable[str] = (),
    prefix: str = OPTION_PREFIX,
    ungrouped: str = "",
) -> Options:
    """Return an option per shown field of a plan: `learning_rate` becomes `--learning-rate`.

    A switch has two: `--shuffle` and `--no-shuffle`. Fields of a group are under its heading.
    Former names of fields stay as hidden options.
    Plans inside the plan have none: `--set group.field=value` reaches into them.

    Args:
        plan: The plan.
        besides: Fields that have an option of another form.
        prefix: Before the names of the fields in what is parsed, where a verb takes several plans.
        ungrouped: Title of the group of fields without one; empty for no group.
    """
    left_out = set(besides)
    former = {current: name for name, current in plan.former_names.items()}

    def add(parser: argparse.ArgumentParser) -> None:
        fields = fields_of(plan)  # packages may add to them
        defaults = {field.name: field.default for field in fields}
        for field in fields:
            if field.level == "hidden" or field.kind == FieldKind.GROUP or field.name in left_out:
                continue
            settings = {**_settings(field, defaults), "dest": prefix + field.name}
            group = option_group(parser, field.group.lower() or ungrouped)
            group.add_argument(_option(field.name), **settings)
            if field.name in former:
                settings["help"] = argparse.SUPPRESS
                parser.add_argument(_option(former[field.name]), **settings)

    return add


def _settings(field: PlanField, defaults: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of `add_argument` for a field.

    Args:
        field: The field.
        defaults: Default values of its plan; a condition that they meet is not worth a word.
    """
    is_met = field.applicable_when is None or field.applicable_when.is_met(defaults)
    condition = "" if is_met else _condition(field)
    sentences = "; ".join(map(as_phrase, filter(None, (field.help, condition))))
    text = f"{sentences} [{_shown_default(field.default)}]"
    settings: dict[str, Any] = {"default": None, "help": text.replace("%", "%%")}
    if field.kind == FieldKind.SWITCH:
        return {**settings, "action": argparse.BooleanOptionalAction}
    choices = "{" + ",".join(field.choices) + "}" if field.choices else _metavar(field.unit)
    return {**settings, "metavar": choices}


def as_phrase(sentence: str) -> str:
    """Return a sentence as argparse shows help: lower case at the start, no period at the end."""
    first, space, rest = sentence.rstrip(".").partition(" ")
    return f"{first.lower() if first[1:].islower() else first}{space}{rest}"


def grouped(title: str, *options: Options) -> Options:
    """Put options under a heading of `--help`.

    Args:
        title: The heading.
        *options: The options.
    """
    return lambda parser: add_options(option_group(parser, title), options)


FOREIGN_MODEL = grouped(
    "model files of other programs",
    argument(
        "--preprocessing",
        metavar="P",
        help="preparation of pixels that the model was trained with: "
        f"{', '.join(PREPROCESSING)} [that of its first layers]",
    ),
    argument(
        "--classes",
        default="",
        metavar="FILE|A,B",
        help="class names in the order of the outputs: a text or JSON file, or names between "
        "commas [labels.txt or a similar file beside the model]",
    ),
)
"""Options for models that Studio did not make; see `foreign_model`."""


def foreign_model(options: argparse.Namespace) -> ModelOptions:
    """Return what the options `FOREIGN_MODEL` say.

    Raises:
        StudioError: There is no such preprocessing, or the class names cannot be used.
    """
    return ModelOptions.of(options.preprocessing, options.classes)


def say_model(output: CommandOutput, model: ModelSource, warnings: Sequence[str]) -> None:
    """Print what is assumed about a model, before its predictions.

    Args:
        output: Prints it.
        model: The model.
        warnings: Warnings of its predictions.
    """
    if model.class_file:
        output.note(f"The class names are from {model.class_file} beside the model.")
    say_warnings(output, warnings)


_OPTION_OF = {
    UNKNOWN_SCALE: " (--preprocessing)",
    UNSEEN_SCALE: " (--preprocessing)",
    UNNAMED: " (--classes)",
    DATASET_NAMES: " (--classes)",
}


def say_warnings(output: CommandOutput, warnings: Sequence[str]) -> None:
    """Print warnings about a model, each with the option that makes it unnecessary.

    Args:
        output: Prints them.
        warnings: The warnings.
    """
    for warning in warnings:
        output.say(f"Warning: {warning}{_OPTION_OF.get(warning, '')}")


def option_group(parser: argparse.ArgumentParser, title: str) -> argparse._ActionsContainer:
    """Return the group of options with a title, a new one if there is none; empty: the parser.

    Args:
        parser: The parser of the command.
        title: The heading; empty for none.
    """
    if not title:
        return parser
    for group in parser._action_groups:  # noqa: SLF001 - argparse has no public way to find one
        if group.title == title:
            return group
    return parser.add_argument_group(title)


def require_effect(options: argparse.Namespace, plan: Plan, prefix: str = OPTION_PREFIX) -> None:
    """Check that every given option has an effect on the plan.

    Args:
        options: The parsed options.
        plan: The plan built from them.
        prefix: Prefix of plan fields among the options.

    Raises:
        StudioError: An option has none.
    """
    idle = without_effect(type(plan), plan.model_dump())
    for field in fields_of(type(plan)):
        if field.name in idle and field.name in given_options(options, prefix):
            option = _option(field.name)
            advice = f"{_condition(field)} Or leave {option} out.".replace("Only", "Use it", 1)
            if _has_allowed(field, plan):
                advice = f"Leave {option} out."
            raise StudioError(
                f"{option} has no effect. {idle[field.name]}.",
                advice,
                field.name,
            )


def _has_allowed(field: PlanField, plan: Plan) -> bool:
    """Return True if the other options are as they should be: something else is the reason."""
    condition = field.applicable_when
    return condition is not None and any(
        getattr(plan, name) in condition.allowed for name in condition.fields
    )


def _condition(field: PlanField) -> str:
    """Return the sentence that says with which other options an option has an effect."""
    condition = field.applicable_when
    if condition is None:
        return ""
    names = " or ".join(map(_option, condition.fields))
    values = " or ".join(map(str, condition.allowed))
    word = "without" if condition.allowed == ("",) else "with"
    return f"Only {word} {names} {values}".rstrip() + "."


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


SET = argument(
    "--set",
    dest="assignments",
    action="append",
    default=[],
    metavar="NAME=VALUE",
    help="set any field of the plan: --set schedule_options.steps=3",
)
"""`--set a.b=value`, which reaches every field of a plan."""
FORCE = argument("--force", action="store_true", help="replace existing files")
"""Of every verb that writes files for its user."""
DETACH = argument("--detach", action="store_true", help="return at once; the job continues")
NEWEST = argument("--version", type=int, metavar="V", help="version of the dataset [the newest]")


def given_options(options: argparse.Namespace, prefix: str = OPTION_PREFIX) -> dict[str, object]:
    """Return the fields of a plan that were given as options, by name.

    Args:
        options: The parsed options.
        prefix: Prefix of plan fields among the options.
    """
    return {
        name.removeprefix(prefix): value
        for name, value in vars(options).items()
        if name.startswith(prefix) and value is not None
    }


def assignments(options: argparse.Namespace) -> dict[str, object]:
    """Return the values of `--set` by dotted name: JSON if a value is valid JSON, else text.

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
        except (ValueError, RecursionError):
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


def add_task_option(parser: argparse.ArgumentParser) -> None:
    """Add `--task`; without it the option is None."""
    names = ", ".join(TASKS)
    parser.add_argument("--task", metavar="TASK", help=f"one of {names} [{DEFAULT_TASK.name}]")


def target_file(session: Session, text: str | Path, option: str) -> Path:
    """Return the absolute path of a file to write; call it before the work begins.

    Args:
        session: The call; its `--force` allows replacing.
        text: The path as typed.
        option: The option that named it, without dashes.

    Raises:
        StudioError: A file is there and `--force` is not given, or it is a folder.
    """
    path = user_path(text).absolute()
    if path.is_dir():
        raise StudioError(f"{path} is a folder.", "Name a file in it.", option)
    if path.exists() and not session.options.force:
        raise StudioError(
            f"{path} already exists.", "Choose another name, or add --force to replace it.", option
        )
    return path
