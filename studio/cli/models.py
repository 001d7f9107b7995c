"""`studio models …`: the library of pretrained sources, their licenses and files."""

from __future__ import annotations

import contextlib

from studio.cli.verb import BarProgress, Session, Verb, argument
from studio.engine.files import user_path
from studio.engine.inference.detectors import fetch_source
from studio.engine.inference.library_speed import measured_speed
from studio.engine.installation import install_command
from studio.engine.jobs.host import EngineHost
from studio.engine.pretrained.licenses import USE_LABELS
from studio.engine.pretrained.sources import KIND_PURPOSES, SOURCES, PretrainedSource
from studio.engine.pretrained.speeds import MeasuredSpeed, read_speeds
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.training.own_models import OwnModel, own_models

_MEGABYTE = 1e6
_MOST_OWN = 50
"""Rows of own runs in the table."""
_STATES = {"here": "here", "downloadable": "downloadable", "needs_file": "needs a file"}

_commercial = argument(
    "--commercial",
    action="store_true",
    help="only those whose code and weights may be used commercially",
)
_name = argument("name", metavar="NAME", help="name of a source, see: list")


class _Download(BarProgress):
    """Shows the progress of a download in megabytes."""

    def advance(self, done: int, total: int, what: str) -> None:  # noqa: ARG002 - Progress has it
        """Move the bar."""
        self.bar.show(done / total if total else None, f"{done / _MEGABYTE:,.1f} MB")


def _card(source: PretrainedSource, store: PretrainedStore) -> dict[str, object]:
    speed = read_speeds().get(source.name)
    return {
        "name": source.name,
        "label": source.label,
        "task": source.kind,
        "input": [source.height, source.width],
        "parameters": source.parameters,
        "figure": source.figure,
        "figure_source": source.figure_source,
        "license": source.passport.to_json(),
        "commercial": source.passport.is_commercial,
        "state": store.state(source),
        "milliseconds": None if speed is None else speed.milliseconds,
        "files": [
            {
                "name": file.name,
                "path": str(store.path(source, file.name)),
                "size": file.size,
                "digest": file.digest,
            }
            for file in source.files
        ],
        "missing": [
            {"address": each.address, "path": str(each.path)} for each in store.missing(source)
        ],
    }


def _own_card(model: OwnModel) -> dict[str, object]:
    return {
        "name": model.source,
        "label": model.run.info.name,
        "task": model.run.task,
        "network": model.run.network,
        "dataset": model.dataset,
        "figure": model.figure,
        "license": model.passport.to_json(),
        "commercial": model.passport.is_commercial,
        "state": "here",
    }


def _list(session: Session) -> object:
    store, is_filtered = PretrainedStore(), session.options.commercial
    speeds = read_speeds()
    shown = [each for each in SOURCES if each.passport.is_commercial or not is_filtered]
    own = [
        each
        for each in own_models(session.workspace)
        if each.passport.is_commercial or not is_filtered
    ]
    session.output.table(
        ["name", "label", "for", "images", "weights", "published", "here", "use", "state"],
        [
            [
                source.name,
                source.label,
                source.kind,
                f"{source.width}x{source.height}",
                f"{source.parameters / 1e6:.1f} M" if source.parameters else "–",
                source.figure or "–",
                _speed_text(speeds.get(source.name)),
                USE_LABELS[source.passport.weights.use],
                _STATES[store.state(source)],
            ]
            for source in shown
        ],
    )
    session.output.say(f"They are stored in {store.folder}.")
    if own:
        session.output.table(
            ["own run", "network", "for", "dataset", "measured", "use"],
            [
                [
                    model.source,
                    model.run.network,
                    model.run.task,
                    model.dataset,
                    model.figure or "–",
                    USE_LABELS[model.passport.weights.use],
                ]
                for model in own[:_MOST_OWN]
            ],
        )
        if len(own) > _MOST_OWN:
            session.output.note(f"The newest {_MOST_OWN} of {len(own):,} runs. For all: --json")
        session.output.say("Start from one: studio train --weights run:NAME …")
    return {
        "folder": str(store.folder),
        "models": [_card(source, store) for source in shown],
        "own": [_own_card(model) for model in own],
    }


def _speed_text(speed: MeasuredSpeed | None) -> str:
    return "–" if speed is None else f"{speed.milliseconds:,.0f} ms"


def _speed(session: Session) -> object:
    source, output = SOURCES[session.options.name], session.output
    with contextlib.closing(EngineHost()) as host, output.bar(f"Measuring {source.label}"):
        found = measured_speed(host, source)
    output.say(
        f"{source.label}: {found.milliseconds:,.1f} ms for one image of "
        f"{found.width}x{found.height} on this machine ({found.backend})."
    )
    return {"name": source.name, **found.model_dump(mode="json")}


def _show(session: Session) -> object:
    source, store, output = SOURCES[session.options.name], PretrainedStore(), session.output
    output.say(f"{source.label}: {KIND_PURPOSES[source.kind]}")
    if source.figure:
        output.say(f"Published: {source.figure} ({source.figure_source})")
    for part, each in source.passport.parts():
        output.say(f"License of the {_PARTS[part]}: {each.label}. {each.sentence}")
    _say_files(session, source, store)
    return _card(source, store)


_PARTS = {"code": "code", "weights": "weights", "data": "training images"}


def _say_files(session: Session, source: PretrainedSource, store: PretrainedStore) -> None:
    missing = {each.path: each for each in store.missing(source)}
    for file in source.files:
        path = store.path(source, file.name)
        if path in missing:
            address = missing[path].address or "a file that you bring"
            session.output.say(f"Missing: {address}, as {path}")
        else:
            session.output.say(f"Here: {path}")


def _get(session: Session) -> object:
    source, store = SOURCES[session.options.name], PretrainedStore()
    with session.output.bar(f"Downloading {source.label}") as bar:
        progress = _Download(session.output, bar)
        with contextlib.closing(EngineHost()) as host:
            folder = fetch_source(host, source, progress)
    session.output.say(f"{source.label} is in {folder}.")
    if source.kind == "detector" and store.network_path(source).is_file():
        session.output.say("It is recommended for boxes: studio train --dataset NAME …")
    elif source.kind == "detector":
        session.output.say(f"Its network needs KerasHub. Install it: {install_command('hub')}")
    return _card(source, store)


def _add(session: Session) -> object:
    store = PretrainedStore()
    added = store.add(user_path(session.options.path).absolute())
    for source in added:
        session.output.say(f"{source.label} is here.")
    if not added:
        session.output.say("The files were imported, but other files are still missing.")
    return {"models": [_card(source, store) for source in added]}


def _remove(session: Session) -> object:
    source = SOURCES[session.options.name]
    freed = PretrainedStore().remove(source)
    session.output.say(f"{source.name} was removed: {freed / _MEGABYTE:,.1f} MB freed.")
    return {"name": source.name, "freed": freed}


_path = argument("path", metavar="FILE|FOLDER", help="file, or folder with files of sources")

VERBS = (
    Verb("list", "list pretrained models and own runs with their licenses", _commercial, _list),
    Verb("show", "show licenses and files of one", _name, _show),
    Verb("get", "download what is missing of one", _name, _get),
    Verb(
        "add",
        "import files that were downloaded elsewhere",
        _path,
        _add,
    ),
    Verb("speed", "measure the time for one image on this machine", _name, _speed),
    Verb("remove", "remove the files of one from this machine", _name, _remove),
    Verb("fetch", "another name of: get", _name, _get),
    Verb("import", "another name of: add", _path, _add),
)
