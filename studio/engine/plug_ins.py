"""Objects of other installed packages, found by entry points and loaded when first asked for.

A package adds an object to a table of Studio by an entry point of the group of that table:

    [project.entry-points."studio.sources"]
    scans = "my_package.scans:SOURCE"

The name of the entry point is that of the object. The package is imported only in a process that
looks through the table, or asks it for a name that Studio does not know. A package that cannot be
loaded is left out; `studio plugins` says why.
"""

from __future__ import annotations

import functools
import importlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from studio.engine.errors import StudioError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

TABLES: Final[dict[str, str]] = {
    "studio.tasks": "studio.engine.tasks:TASKS",
    "studio.sources": "studio.engine.datasets.sources:SOURCES",
    "studio.samples": "studio.engine.datasets.samples:SAMPLES",
    "studio.mask_formats": "studio.engine.tasks.segmentation.formats:FORMATS",
    "studio.box_formats": "studio.engine.tasks.detection.formats:FORMATS",
    "studio.outline_formats": "studio.engine.tasks.instances.formats:FORMATS",
    "studio.networks": "studio.engine.networks.zoo:ZOO",
    "studio.losses": "studio.engine.tasks.losses_and_metrics:LOSSES",
    "studio.metrics": "studio.engine.tasks.losses_and_metrics:METRICS",
    "studio.augmentations": "studio.engine.datasets.augment.operations:OPERATIONS",
    "studio.recipes": "studio.engine.training.recipes:RECIPES",
    "studio.export_formats": "studio.engine.exporting.formats:FORMATS",
    "studio.loggers": "studio.engine.training.loggers:LOGGERS",
    "studio.pages": "studio.ui.pages:PAGES",
}
"""Groups of entry points, and the tables that they add to."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Requirements for the objects of a group of entry points.

    Attributes:
        group: The group of entry points.
        noun: Name of an object in messages, such as "source".
        members: Names of attributes that each has.
        comes_first: True for special ones, which are asked before the general ones of Studio.
    """

    group: str
    noun: str
    members: tuple[str, ...]
    comes_first: bool = True


@dataclass(frozen=True, slots=True)
class LoadedPlugIns:
    """Objects of a group.

    Attributes:
        objects: Those that could be loaded, by their names.
        failures: Why others could not, by their names.
    """

    objects: Mapping[str, Any]
    failures: Mapping[str, StudioError]


@functools.cache
def entry_points() -> Callable[..., EntryPoints]:
    """Return what selects among the entry points of all packages, read once in each process.

    That opens a file of every installed package: 50 to 300 ms, which the window would stand still
    for each table that it lists for the first time.
    """
    # Every command starts here, and few need it.
    import importlib.metadata  # noqa: PLC0415

    return importlib.metadata.entry_points().select


@functools.cache
def found(kind: Kind) -> LoadedPlugIns:
    """Return the objects that other packages add to a table, loaded once in each process.

    Args:
        kind: The table.
    """
    objects: dict[str, Any] = {}
    failures: dict[str, StudioError] = {}
    for entry in sorted(entry_points()(group=kind.group), key=attrgetter("name")):
        try:
            objects[entry.name] = _loaded(entry, kind)
        except StudioError as error:
            failures[entry.name] = error
    return LoadedPlugIns(objects, failures)


def _loaded(entry: EntryPoint, kind: Kind) -> object:
    """Return the object of an entry point.

    Raises:
        StudioError: Its package cannot be imported, or what it names is something else.
    """
    try:
        loaded = entry.load()
        is_right = loaded.name == entry.name and all(hasattr(loaded, m) for m in kind.members)
    except Exception as error:
        raise StudioError(
            "The {noun} {name} cannot be loaded from {entry_point}: {reason}.",
            "Install its package again, or remove it.",
            noun=kind.noun,
            name=entry.name,
            entry_point=entry.value,
            reason=error,
        ) from error
    if not is_right:
        raise StudioError(
            "{entry_point} is not a {noun} named {name}.",
            "Install its package again, or remove it.",
            noun=kind.noun,
            name=entry.name,
            entry_point=entry.value,
        )
    return loaded


def load(reference: str) -> Any:  # noqa: ANN401 - whatever it names
    """Return the object that a text such as `package.module:name` names.

    Args:
        reference: Module and name.

    Examples:
        >>> load("math:sqrt")(9.0)
        3.0
    """
    module, _, name = reference.partition(":")
    return attrgetter(name)(importlib.import_module(module))


def failure_of(kind: str, name: str, reference: str, error: Exception) -> StudioError:
    """Return the error that a function of a package failed.

    Args:
        kind: Name of the object in messages.
        name: Name of the object.
        reference: Module and name of the function.
        error: Its error.
    """
    return StudioError(
        "The {kind} “{name}” failed in {entry_point}: {reason}.",
        "Install its package again, or choose another one.",
        kind=kind,
        name=name,
        entry_point=reference,
        reason=f"{type(error).__name__}: {error}",
    )


def package_of(group: str, name: str) -> tuple[str, str] | None:
    """Return the package of an object and its version; None for an object of Studio.

    Args:
        group: The group of entry points.
        name: Name of the object.
    """
    for entry in entry_points()(group=group, name=name):
        if entry.dist is not None:
            return entry.dist.name, entry.dist.version
    return None


@dataclass(frozen=True, slots=True)
class PlugIn:
    """An object of another package.

    Attributes:
        group: Its group of entry points.
        name: Its name.
        package: The package that it comes from, with its version.
        entry_point: Module and attribute.
        problem: Why it is left out; empty if it works.
    """

    group: str
    name: str
    package: str
    entry_point: str
    problem: str


def installed_plug_ins() -> list[PlugIn]:
    """Load the objects of all groups, and return each with its state."""
    listed = []
    for group, place in TABLES.items():
        entries = entry_points()(group=group)
        failures = _failures(place) if entries else {}
        for entry in entries:
            about = entry.dist
            package = "" if about is None else f"{about.name} {about.version}"
            problem = str(failures.get(entry.name, ""))
            listed.append(PlugIn(group, entry.name, package, entry.value, problem))
    return listed


def _failures(place: str) -> Mapping[str, object]:
    """Return why objects of a table do not work, by their names."""
    module, _, attribute = place.partition(":")
    try:
        table = getattr(importlib.import_module(module), attribute)
    except ImportError as error:  # pages without the window
        reason = str(error)
        return defaultdict(lambda: reason)
    failures: Mapping[str, object] = table.failures()
    return failures
