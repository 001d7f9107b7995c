"""The plan of a labeling: task, and the names that labels are given by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from studio.engine.errors import StudioError
from studio.engine.files import one_form
from studio.engine.labeling.editors import editor_of
from studio.engine.messages import as_message, message
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks import DEFAULT_TASK, TASKS, installed_task, named_task
from studio.engine.tasks.annotations import MAX_CLASSES, default_colors
from studio.engine.tasks.task import Task

LONGEST_CLASS = 200


class LabelClass(BaseModel, frozen=True, extra="forbid"):
    """A class, label or quantity of a labeling.

    Attributes:
        name: Its name.
        color: Its color as "#rrggbb"; empty for one that is chosen by its index.
        unit: Unit of a quantity.
    """

    name: str
    color: str = Field("", pattern=r"^(#[0-9a-fA-F]{6})?$")
    unit: str = ""

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        return checked_class(name)


def checked_class(name: str) -> str:
    """Return the name of a class as a person typed it, trimmed.

    Raises:
        ValueError: It is empty, too long, or contains a character that cannot be shown.
    """
    word = " ".join(one_form(name).split())
    if not word:
        raise ValueError(message("a class needs a name"))
    if len(word) > LONGEST_CLASS or not word.isprintable():
        raise ValueError(
            message(
                "the name of a class has at most {limit} printable characters; received {name}",
                limit=LONGEST_CLASS,
                name=repr(word[:60]),
            )
        )
    return word


class LabelingPlan(Plan):
    """Give pictures labels. Classes that are added later are lines of the journal.

    The plan never changes; `Labeling.classes` are the classes as they are now.
    """

    version: Literal[1] = 1
    task: str = plan_field(
        DEFAULT_TASK.name,
        label="Task",
        help="Kind of labels that the images get.",
        level="hidden",
    )
    classes: list[LabelClass] = plan_field(
        [],
        label="Classes",
        help="Names of the classes, labels or quantities.",
        level="hidden",
    )

    @field_validator("task")
    @classmethod
    def _check_task(cls, name: str) -> str:
        return installed_task(name)

    @model_validator(mode="after")
    def _check_classes(self) -> Self:
        require_distinct([each.name for each in self.classes])
        return self

    @property
    def task_type(self) -> Task:
        """The task."""
        return TASKS[self.task]


def require_distinct(names: list[str]) -> None:
    """Refuse classes of the same name, ignoring case, or too many.

    Raises:
        ValueError: There are some.
    """
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise ValueError(message('the class "{name}" is named twice', name=name))
        seen.add(name.casefold())
    if len(names) > MAX_CLASSES:
        raise ValueError(
            message(
                "there are {count} classes; at most {limit} are possible",
                count=len(names),
                limit=MAX_CLASSES,
            )
        )


def with_colors(classes: list[LabelClass]) -> tuple[LabelClass, ...]:
    """Return classes that all have a color."""
    colors = default_colors([each.name for each in classes], [each.color for each in classes])
    return tuple(
        each.model_copy(update={"color": color})
        for each, color in zip(classes, colors, strict=True)
    )


def parsed_class(text: str, *, has_units: bool) -> LabelClass:
    """Return the class of `NAME`, `NAME #rrggbb` or, of a quantity, `NAME [UNIT]`.

    Args:
        text: The text that a person typed.
        has_units: True for a quantity.

    Raises:
        StudioError: The name is empty or cannot be used.
    """
    name, color, unit = text.strip(), "", ""
    head, _, last = name.rpartition(" ")
    if head and len(last) == 7 and last.startswith("#"):
        name, color = head, last
    if has_units and name.endswith("]") and "[" in name:
        name, _, unit = name[:-1].rpartition("[")
    try:
        return LabelClass(name=name, color=color.lower(), unit=unit.strip())
    except ValueError as error:
        raise StudioError(
            "{text} is not the name of a class.",
            "Use one to 200 printable characters; a color has the form #rrggbb.",
            "classes",
            text=repr(text),
        ) from error


def planned(task: str, classes: Iterable[str]) -> LabelingPlan:
    """Return a plan as a person typed it.

    Args:
        task: Name of the task.
        classes: Classes, labels or quantities; see `parsed_class`.

    Raises:
        StudioError: The task is unknown or has no labeling, or a name cannot be used.
    """
    editor = editor_of(named_task(task))
    made = [parsed_class(text, has_units=editor.has_units) for text in classes]
    if made and not editor.names_classes:
        raise StudioError(
            "The classes of {task:lower} are fixed; received {names}.",
            "Leave the classes out.",
            "classes",
            task=as_message(TASKS[task].label),
            names=", ".join(each.name for each in made),
        )
    return LabelingPlan.parse({"task": task, "classes": editor.first_classes(made)})
