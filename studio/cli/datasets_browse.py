"""`studio datasets browse|versions|export`: what a dataset holds, held, and hands out."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from studio.cli.datasets_select import SPLITS, add_selection, chosen_images, completed_dataset
from studio.cli.verb import BarProgress, Session, Verb
from studio.engine.datasets.edits import EditLine, read_edits
from studio.engine.files import user_path

SHOWN = 50


def _configure_browse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="N", help="name of the dataset")
    add_selection(parser)
    parser.add_argument("--version", type=int, metavar="V", help="which version [the newest]")


def _browse(session: Session) -> object:
    record = completed_dataset(session, "browsing")
    chosen = chosen_images(session, record, [], session.options.version)
    store, rows = chosen.store, chosen.rows
    if rows is None:
        rows = (store.split >= 0).nonzero()[0]
    split = store.split if store.overlay is None else store.overlay.dealt
    # A million lines would help nobody on a screen.
    shown = rows if session.output.as_json else rows[:SHOWN]
    images = [
        {
            "path": store.paths[row],
            **store.annotation_document(row),
            "split": SPLITS[int(split[row])],
            "row": row,
        }
        for row in shown.tolist()
    ]
    session.output.say(f"{record.name}, version {store.version}: {len(rows):,} images")
    session.output.table(
        ["path", store.task.output_names[int(store.task.has_targets)], "split"],
        [
            [str(entry["path"]), store.annotation(row), str(entry["split"])]
            for row, entry in zip(shown[:SHOWN].tolist(), images, strict=False)
        ],
    )
    if len(rows) > len(images):
        session.output.say(f"… and {len(rows) - len(images):,} more; --json lists all")
    return {
        "name": record.name,
        "version": store.version,
        "count": len(rows),
        "images": images,
    }


def _configure_versions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="N", help="name of the dataset")
    parser.add_argument(
        "--compare", nargs=2, type=int, metavar=("A", "B"), help="what changed from A to B"
    )


def _versions(session: Session) -> object:
    record = completed_dataset(session, "its versions")
    lines = read_edits(record.folder)
    if session.options.compare is not None:
        return _compare(session, record.folder, *session.options.compare)
    document = [_version(number, line) for number, line in enumerate(lines, 1)]
    session.output.say(f"{record.name}: version 0 is the dataset as imported")
    if document:
        session.output.table(
            ["version", "when", "what"],
            [[str(entry[key]) for key in ("version", "when", "what")] for entry in document],
        )
    return {"name": record.name, "version": len(lines), "versions": document}


def _version(number: int, line: EditLine) -> dict[str, object]:
    kinds = ", ".join(edit.kind.replace("_", " ") for edit in line.edits)
    what = line.action if line.action != "edit" else kinds
    when = datetime.fromtimestamp(line.t, UTC).isoformat(timespec="seconds")
    told = f"{what} ({line.note})" if line.note else what
    return {"version": number, "when": when, "what": told, "action": line.action}


def _compare(session: Session, folder: Path, before: int, after: int) -> object:
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s
    from studio.engine.datasets.versions import compare_versions  # noqa: PLC0415

    store = Store.open(folder, before)
    change = compare_versions(store, Store.open(folder, after))
    document: dict[str, object] = {"before": before, "after": after}
    for key in ("excluded", "included", "relabeled", "moved"):
        paths = [store.paths[row] for row in getattr(change, key).tolist()]
        document[key] = paths
        session.output.say(f"{key}: {len(paths):,}")
    document |= {
        "added_classes": list(change.added_classes),
        "removed_classes": list(change.removed_classes),
        "renamed_classes": [list(pair) for pair in change.renamed_classes],
    }
    for old, new in change.renamed_classes:
        session.output.say(f'"{old}" is called "{new}"')
    return document


def _configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="N", help="name of the dataset")
    parser.add_argument(
        "--format", default="folders", metavar="FORMAT", help="folders, csv or npz [folders]"
    )
    parser.add_argument("--split", choices=SPLITS, help="only one split [all]")
    parser.add_argument("--version", type=int, metavar="V", help="which version [the newest]")
    parser.add_argument("--to", required=True, metavar="DIR", help="where the new one is put")


def _export(session: Session) -> object:
    from studio.engine.datasets.export import all_splits, export_dataset  # noqa: PLC0415
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    options = session.options
    record = completed_dataset(session, "an export")
    store = Store.open(record.folder, options.version)
    splits = [options.split] if options.split else all_splits(store)
    name = f"{record.name}-{options.split}" if options.split else record.name
    to = user_path(options.to).absolute()
    with session.output.bar(f"Exporting {record.name}") as bar:
        path = export_dataset(
            store, options.format, splits, to, name, BarProgress(session.output, bar)
        )
    count = sum(len(store.rows(split)) for split in splits)
    session.output.say(f"{count:,} images are in {path}")
    return {"path": str(path), "count": count, "version": store.version, "format": options.format}


BROWSE = Verb(
    "browse", "list images by class, label, split, finding or name", _configure_browse, _browse
)
VERSIONS = Verb(
    "versions", "list the edits of a dataset, or compare two", _configure_versions, _versions
)
EXPORT_DATASET = Verb(
    "export", "write class folders, a table or arrays", _configure_export, _export
)
