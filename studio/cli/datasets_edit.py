"""`studio datasets edit`: exclude, relabel, confirm, set targets, move, split, fix, undo, redo."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from studio.cli.datasets_browse import (
    ChosenImages,
    chosen_images,
    class_index,
    completed_dataset,
    selection_options,
)
from studio.cli.options import given_options, plan_options, require_effect
from studio.cli.verb import Session, argument
from studio.engine.datasets import versions
from studio.engine.datasets.audit.findings import Action
from studio.engine.datasets.audit.fixes import fix_finding
from studio.engine.datasets.edits import (
    AddClass,
    Confirm,
    Edit,
    Exclude,
    Include,
    Move,
    Relabel,
    RenameClass,
    SetTarget,
    current_version,
)
from studio.engine.datasets.overlay import rows_text
from studio.engine.datasets.split_plan import SplitPlan
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.workspace import Record


def run(session: Session) -> object:
    """Edit a dataset, and print what changed."""
    action = session.options.action
    if action not in _ACTIONS:
        raise StudioError(
            f'There is no edit called "{action}".', did_you_mean(action, _ACTIONS), "action"
        )
    _refuse_unused(session, action)
    record = completed_dataset(session, "an edit")
    version = _ACTIONS[action](session, record)
    after = Store.open(record.folder, version)
    change = versions.compare_versions(Store.open(record.folder, version - 1), after)
    changed = {key: len(getattr(change, key)) for key in versions.CHANGES}
    words = {"relabeled": after.task.edited}
    changes = [f"{count:,} {words.get(key, key)}" for key, count in changed.items() if count]
    changes += [f'"{name}" added' for name in change.added_classes]
    changes += [f'"{name}" removed' for name in change.removed_classes]
    changes += [f'"{old}" renamed to "{new}"' for old, new in change.renamed_classes]
    counts = after.counts()
    session.output.say(
        f"{record.name} is at version {version}: {', '.join(changes) or 'no change'}."
    )
    session.output.say(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    return {
        "name": record.name,
        "version": version,
        "changed": changed,
        "count": counts,
        "classes": after.classes,
    }


def _refuse_unused(session: Session, action: str) -> None:
    """No option is silently ignored."""
    plan_only = given_options(session.options)
    if plan_only and action != "split":
        name = next(iter(plan_only)).replace("_", "-")
        raise StudioError(f'--{name} is for the edit "split", not for "{action}".', where=name)
    if session.options.fix is not None and action != "fix":
        raise StudioError(f'--fix is for the edit "fix", not for "{action}".', where="fix")
    chooses = action in ("exclude", "include", "relabel", "confirm", "set", "move", "fix")
    if session.options.images and not chooses:
        raise StudioError(
            f'"{action}" takes no images; received {", ".join(session.options.images[:3])}.',
            "Name a class with --class." if action == "rename-class" else "",
            "images",
        )
    for option in ("class_name", "where", "split", "finding", "search", "excluded"):
        meant = chooses or (option, action) == ("class_name", "rename-class")
        if getattr(session.options, option) and not meant:
            name = option.removesuffix("_name")
            raise StudioError(f'"{action}" takes no --{name}.', where=name)
    targeted = ("relabel", "set", "move", "add-class", "rename-class", "fix", "restore")
    takes_target = action in targeted
    if session.options.to is not None and not takes_target:
        raise StudioError(f'"{action}" takes no --to.', where="to")


def _on_images(
    make: Callable[[Session, ChosenImages, str], Edit],
) -> Callable[[Session, Record], int]:
    def edit(session: Session, record: Record) -> int:
        if session.options.action == "include":
            session.options.excluded = True
        chosen = chosen_images(session, record, session.options.images)
        if chosen.rows is None:
            raise StudioError(
                "No images were named.",
                "Name their paths, or use --class, --where, --split, --finding or --search.",
                "images",
            )
        edits = [make(session, chosen, rows_text(chosen.rows))]
        return versions.edit_dataset(record.folder, edits, session.options.note)

    return edit


def _relabel(session: Session, chosen: ChosenImages, rows: str) -> Edit:
    return Relabel(rows=rows, label=class_index(chosen.store, _target(session, "class")))


def _set(session: Session, chosen: ChosenImages, rows: str) -> Edit:
    text = _target(session, "label or quantity, and its value,")
    name, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        name, value = "", math.nan
    if not name or not math.isfinite(value):
        raise StudioError(f'"{text}" is no NAME=VALUE.', "For example mass=2.5 or cat=1.", "to")
    return SetTarget(rows=rows, output=class_index(chosen.store, name), value=value)


def _move(session: Session, _chosen: ChosenImages, rows: str) -> Edit:
    requested = _target(session, "split")
    for split in ("train", "val", "test"):
        if requested == split:
            return Move(rows=rows, split=split)
    raise StudioError(
        f'There is no split called "{requested}".', did_you_mean(requested, SPLIT_NAMES), "to"
    )


def _split(session: Session, record: Record) -> int:
    plan = SplitPlan.parse(given_options(session.options))
    require_effect(session.options, plan)
    return versions.resplit_dataset(record.folder, plan, session.options.note)


def _add_class(session: Session, record: Record) -> int:
    return _edit_classes(record.folder, AddClass(name=_target(session, "class")), session)


def _rename_class(session: Session, record: Record) -> int:
    if session.options.class_name is None:
        raise StudioError("No class was named.", "Name it with --class.", "class")
    label = class_index(_opened(record), session.options.class_name)
    return _edit_classes(
        record.folder, RenameClass(label=label, name=_target(session, "class")), session
    )


def _edit_classes(folder: Path, edit: Edit, session: Session) -> int:
    return versions.edit_dataset(folder, [edit], session.options.note)


def _fix(session: Session, record: Record) -> int:
    options = session.options
    if options.finding is None or options.fix not in get_args(Action):
        raise StudioError(
            "A fix needs --finding and --fix.",
            f"For example --finding leakage --fix move; fixes are {_FIXES}.",
            "fix",
        )
    chosen = chosen_images(session, record, options.images)
    label = None if options.to is None else class_index(chosen.store, options.to)
    rows = None if chosen.rows is None else chosen.rows.tolist()
    return fix_finding(record.folder, options.finding, options.fix, rows, label)


def _restore(session: Session, record: Record) -> int:
    requested = _target(session, "version")
    if not requested.isdecimal():
        raise StudioError(f'A version is a number; received "{requested}".', where="to")
    return versions.restore(record.folder, int(requested), session.options.note)


def _undo(_session: Session, record: Record) -> int:
    return versions.undo(record.folder)


def _redo(_session: Session, record: Record) -> int:
    return versions.redo(record.folder)


def _target(session: Session, what: str) -> str:
    if session.options.to is None:
        raise StudioError(f"No {what} was given.", "Name it with --to.", "to")
    return str(session.options.to)


def _opened(record: Record) -> Store:
    return Store.open(record.folder, current_version(record.folder))


_FIXES = ", ".join(get_args(Action))
_ACTIONS: dict[str, Callable[[Session, Record], int]] = {
    "exclude": _on_images(lambda _session, _chosen, rows: Exclude(rows=rows)),
    "include": _on_images(lambda _session, _chosen, rows: Include(rows=rows)),
    "relabel": _on_images(_relabel),
    "confirm": _on_images(lambda _session, _chosen, rows: Confirm(rows=rows)),
    "set": _on_images(_set),
    "move": _on_images(_move),
    "split": _split,
    "add-class": _add_class,
    "rename-class": _rename_class,
    "fix": _fix,
    "restore": _restore,
    "undo": _undo,
    "redo": _redo,
}


run_options = (
    argument("name", metavar="N", help="name of the dataset"),
    argument("action", metavar="ACTION", help=", ".join(_ACTIONS)),
    argument("images", nargs="*", metavar="IMAGE", help="paths of images as `browse` lists them"),
    selection_options,
    argument(
        "--to",
        metavar="TARGET",
        help="the new class (relabel, add-class, rename-class), NAME=VALUE (set), split, or "
        "version (restore)",
    ),
    argument("--fix", default=None, metavar="HOW", help=f"with fix: {_FIXES}"),
    argument("--note", default="", metavar="TEXT", help="note stored with the version"),
    plan_options(SplitPlan),
)
