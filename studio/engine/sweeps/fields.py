"""Fields that can vary in a sweep, from the declarations of plans; ranges and lists as text.

These are the fields of the training plan and its nested plans; those of the dataset's recipe, as
`dataset.width`; and the settings of the layers of a drawn network, as `network.conv1.filters`.

Fields of the recipe about sources, classes and evaluation images cannot vary, because the results
of such trials could not be compared. Its seed can, to measure how much depends on the split.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import Problem, did_you_mean, raise_if_serious
from studio.engine.messages import message
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import FieldKind, PlanField, fields_of
from studio.engine.sweeps.plan import Dimension, Value
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
"""Fields of a recipe that change the assignment of images to splits."""


@functools.cache
def sweepable() -> dict[str, PlanField]:
    """Return every field that can vary, by dotted name; a shared field is that of the first plan.

    It leaves out the settings of layers: `fields_in` returns those of a network.
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
    """Return every field that can vary where the network is that drawn one, by dotted name."""
    found = dict(sweepable())
    for node in design.nodes if design is not None else ():
        for field in fields_of(LAYERS[node.layer].parameters) if node.layer in LAYERS else ():
            found[f"{NETWORK}.{node.id}.{field.name}"] = field
    return found


def field_of(name: str) -> PlanField | None:
    """Return the field of a dotted name; for layers that of the first kind of layer with it."""
    setting = layer_setting(name)
    return sweepable().get(name) if setting is None else _layer_fields().get(setting[1])


def layer_setting(name: str) -> tuple[str, str] | None:
    """Return the layer and the setting that a dotted name means; None where it is of no layer."""
    parts = name.split(".")
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == NETWORK else None


def recipe_changes(values: Mapping[str, object]) -> dict[str, object]:
    """Return the changes of a trial to the recipe of the dataset, by the fields' own names."""
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


_SWITCHES = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_RANGE_HELP = "A range is LOW..HIGH, and after it :log, :linear, :step=S or :count=N."


def parse_dimensions(
    texts: Iterable[str], design: NetworkSpec | None = None
) -> tuple[Dimension, ...]:
    """Return the dimensions that texts such as `batch_size=32,64` ask for.

    Args:
        texts: One for each field.
        design: The drawn network whose settings may vary, too.

    Raises:
        StudioError: Names everything that is wrong with any of them.
    """
    dimensions: list[Dimension] = []
    problems: list[Problem] = []
    for text in texts:
        name, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not name:
            problems.append(
                Problem(
                    "vary",
                    message('a field and its values are required; received "{text}".', text=text),
                    "For example learning_rate=0.1,0.01.",
                )
            )
            continue
        dimension, found = parse_dimension(name, values, design)
        problems += found
        if dimension is not None:
            dimensions.append(dimension)
    raise_if_serious(problems)
    return tuple(dimensions)


def parse_dimension(
    name: str, text: str, design: NetworkSpec | None = None
) -> tuple[Dimension | None, list[Problem]]:
    """Parse one dimension; return it, or its problems.

    Args:
        name: Dotted name of the field.
        text: A comma list, in brackets or not, or a range.
        design: The drawn network whose settings may vary, too.
    """
    known = fields_in(design)
    field = known.get(name) or field_of(name)
    if field is None:
        hint = did_you_mean(name, known)
        return None, [Problem(name, "there is no such field that can vary.", hint)]
    is_number = field.kind in (FieldKind.INTEGER, FieldKind.NUMBER)
    if is_number and ".." in text:
        return _parse_range(name, field, text)
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    problems: list[Problem] = []
    values: dict[Value, None] = {}
    for word in bare.split(","):
        value = _value(field, word.strip())
        if isinstance(value, Problem):
            problems.append(Problem(name, value.message, value.hint))
        else:
            problems += outside(name, field, value)
            values.setdefault(value)
    if problems:
        return None, problems
    return Dimension.check({"field": name, "values": tuple(values)})


def outside(name: str, field: PlanField, value: Value) -> list[Problem]:
    """Return a problem if a number lies outside the range of its field.

    Args:
        name: Dotted name of the field.
        field: Range of the field.
        value: Value to check.
    """
    if isinstance(value, bool | str):
        return []
    low, high = field.minimum, field.maximum
    if low is not None and (value < low or (field.minimum_excluded and value == low)):
        text = message(
            "a number above {limit:g} is needed; received {received:g}."
            if field.minimum_excluded
            else "a number of at least {limit:g} is needed; received {received:g}.",
            limit=low,
            received=value,
        )
        return [Problem(name, text)]
    if high is not None and (value > high or (field.maximum_excluded and value == high)):
        text = message(
            "a number below {limit:g} is needed; received {received:g}."
            if field.maximum_excluded
            else "a number of at most {limit:g} is needed; received {received:g}.",
            limit=high,
            received=value,
        )
        return [Problem(name, text)]
    return []


def _value(field: PlanField, word: str) -> Value | Problem:
    if field.kind == FieldKind.SWITCH:
        on = _SWITCHES.get(word.lower())
        return (
            Problem("", message('on or off is required; received "{value}".', value=word))
            if on is None
            else on
        )
    if field.kind == FieldKind.CHOICE:
        if word in field.choices:
            return word
        return Problem(
            "",
            message('"{value}" is not a valid choice.', value=word),
            did_you_mean(word, field.choices),
        )
    if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER):
        return _number(word, is_whole=field.kind == FieldKind.INTEGER)
    return word or Problem("", "a value is needed between the commas.")


def _number(word: str, *, is_whole: bool) -> int | float | Problem:
    text = message(
        'a whole number is needed; received "{received}".'
        if is_whole
        else 'a finite number is required; received "{received}".',
        received=word,
    )
    refusal = Problem("", text)
    try:
        value = float(word)
    except ValueError:
        return refusal
    if not math.isfinite(value) or (is_whole and not value.is_integer()):
        return refusal
    return int(value) if is_whole else value


def _parse_range(name: str, field: PlanField, text: str) -> tuple[Dimension | None, list[Problem]]:
    ends, *options = (part.strip() for part in text.split(":"))
    data: dict[str, object] = {"field": name, "scale": field.scale}
    problems: list[Problem] = []
    is_whole = field.kind == FieldKind.INTEGER
    for key, word in zip(("low", "high"), ends.split("..", 1), strict=True):
        value = _number(word.strip(), is_whole=is_whole)
        if isinstance(value, Problem):
            problems.append(Problem(name, value.message, value.hint))
        else:
            problems += outside(name, field, value)
            data[key] = value
    for option in options:
        key, sign, word = (part.strip() for part in option.partition("="))
        if not sign and key in ("log", "linear"):
            data["scale"] = key
        elif sign and key in ("step", "count"):
            value = _number(word, is_whole=is_whole or key == "count")
            if isinstance(value, Problem):
                problems.append(Problem(name, value.message))
            else:
                data[key] = value
        else:
            problems.append(
                Problem(
                    name,
                    message('"{option}" does not apply to a range.', option=option),
                    _RANGE_HELP,
                )
            )
    if "step" in data and not {"log", "linear"} & set(options):
        data["scale"] = "linear"  # a step belongs to a linear range, whatever the field's sliders
    if problems:
        return None, problems
    dimension, found = Dimension.check(data)
    return dimension, [Problem(name, each.message, each.hint) for each in found]
