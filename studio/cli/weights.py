"""`studio networks weights …`: the ImageNet weights that were downloaded, and more of them."""

from __future__ import annotations

import argparse

from studio.cli.networks_inspect import engine
from studio.cli.output import Bar, Output
from studio.cli.verb import Session, Verb
from studio.engine.inference.questions import weight_source
from studio.engine.networks.pretrained import BACKBONES
from studio.engine.networks.pretrained.cache import CachedWeights, WeightCache

_MEGABYTE = 1e6


class BarProgress:
    """Shows long work of this very process; Ctrl+C ends it by itself."""

    def __init__(self, bar: Bar, output: Output) -> None:
        self._bar = bar
        self._output = output

    def advance(self, done: int, total: int, what: str) -> None:  # noqa: ARG002 - Progress has it
        """Move the bar."""
        told = f"{done / _MEGABYTE:,.1f} MB"
        self._bar.show(done / total if total else None, told)

    def warn(self, message: str) -> None:
        """Print a note."""
        self._output.note(message)

    def check(self) -> None:
        """Nothing else asks for the end."""


def _list(session: Session) -> object:
    cache = WeightCache()
    there = {entry.name: entry for entry in cache.entries()}
    rows, document = [], []
    for backbone in BACKBONES:
        entry = there.get(backbone.name)
        rows.append(
            [
                backbone.name,
                backbone.label,
                f"{backbone.parameters / 1e6:.1f} M",
                "–" if backbone.accuracy is None else f"{backbone.accuracy * 100:.1f} %",
                f"{entry.size / _MEGABYTE:,.1f} MB" if entry else "",
                f"{entry.downloaded:%Y-%m-%d}" if entry else "",
            ]
        )
        document.append(
            {
                "name": backbone.name,
                "label": backbone.label,
                "parameters": backbone.parameters,
                "accuracy": backbone.accuracy,
                "downloaded": _entry(entry) if entry else None,
            }
        )
    headers = ["name", "label", "weights", "on ImageNet", "downloaded", "on"]
    session.output.table(headers, rows)
    session.output.say(f"They are kept in {cache.folder}.")
    return document


def _download(session: Session) -> object:
    backbone = BACKBONES[session.options.name]
    with engine(session, f"Looking for {backbone.label}") as host:
        source = weight_source(host, backbone.name).result()
    cache = WeightCache()
    with session.output.bar(f"Downloading {backbone.label}") as bar:
        path = cache.fetch(source, BarProgress(bar, session.output))
    session.output.say(f"{backbone.label} is in {path}.")
    return {"name": backbone.name, "path": str(path), "size": path.stat().st_size}


def _delete(session: Session) -> object:
    name = session.options.name
    freed = WeightCache().delete(name)
    session.output.say(f"{name} is deleted: {freed / _MEGABYTE:,.1f} MB are free.")
    return {"name": name, "freed": freed}


def _entry(entry: CachedWeights) -> dict[str, object]:
    return {
        "path": str(entry.path),
        "size": entry.size,
        "date": entry.downloaded.isoformat(timespec="seconds"),
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="name of a backbone, see: list")


WEIGHTS = Verb(
    "weights",
    "ImageNet weights of published networks: list, download, delete",
    verbs=(
        Verb("list", "list what can be had, and what is there", run=_list),
        Verb("download", "download the weights of one", _configure, _download),
        Verb("delete", "delete the downloaded weights of one", _configure, _delete),
    ),
)
