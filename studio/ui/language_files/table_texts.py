"""The texts of the engine that stand in tables: fields of plans, presets, layers and so on.

The window shows them through `plan_text`, those of layers and blocks through `word` of the
designer. Here the same tables are read that the window reads.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import studio.engine
from studio.engine.networks.blocks import BLOCKS, Block
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import FAMILY_LABELS, Layer
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.tasks import TASKS
from studio.ui.language_files.source import Source
from studio.ui.pages.networks.designer.palette import BLOCK_GROUP

# Rooms with Keras, whose processes are not the window's.
_ELSEWHERE = ("compute", "worker")
_SHOWN = ("label", "title", "summary", "description")
# What these are called are names; their summaries are sentences of the engine.
_NETWORKS = ("ZooNetwork", "Backbone", "LibraryEntry")


def table_texts() -> set[Source]:
    """The texts of all tables, by the context in which each is looked up."""
    modules = list(_modules())
    plans = {*_plan_words(), *_words_of_tables(modules), *_words_of_tasks(), "on", "off"}
    layers = {BLOCK_GROUP, *FAMILY_LABELS.values(), *_words_of(LAYERS), *_words_of(BLOCKS)}
    return {Source("plans", text) for text in plans} | {Source("layers", text) for text in layers}


def _modules() -> Iterator[ModuleType]:
    folder = Path(studio.engine.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        rooms = path.relative_to(folder).with_suffix("").parts
        if rooms[0] not in _ELSEWHERE:
            name = ".".join(("studio.engine", *rooms))
            yield importlib.import_module(name.removesuffix(".__init__"))


def _plan_words() -> Iterator[str]:
    """What a form shows of every plan that there is."""
    for plan in _below(Plan):
        if plan.__module__.startswith("studio.engine."):
            for field in fields_of(plan):
                words = (field.label, field.help, field.why, field.group, *field.choice_labels)
                yield from filter(None, words)
                if field.applicable_when is not None:
                    yield field.applicable_when.reason
                if field.unit.isalpha():
                    yield field.unit


def _words_of_tasks() -> Iterator[str]:
    """What a report of each task shows."""
    for task in TASKS.values():
        yield from task.output_names
        if task.reporter is not None:
            yield from _words_of((*task.reporter.whole, *task.reporter.outputs))


def _below(plan: type[Plan]) -> Iterator[type[Plan]]:
    for each in plan.__subclasses__():
        yield each
        yield from _below(each)


def _words_of_tables(modules: Iterable[ModuleType]) -> Iterator[str]:
    for module in modules:
        for value in vars(module).values():
            entries = value.values() if isinstance(value, Mapping) else value
            if isinstance(entries, Iterable) and isinstance(
                value, Registry | tuple | list | Mapping
            ):
                yield from _words_of(
                    each for each in entries if not isinstance(each, Layer | Block)
                )


def _words_of(entries: Iterable[object]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, type) or not type(entry).__module__.startswith("studio.engine."):
            continue
        if dataclasses.is_dataclass(entry) and not _is_network(entry):
            texts = (getattr(entry, name, "") for name in _SHOWN)
            yield from (text for text in texts if isinstance(text, str) and text)


def _is_network(entry: object) -> bool:
    return any(kind.__name__ in _NETWORKS for kind in type(entry).__mro__)
