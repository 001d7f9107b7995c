"""Sources of pretrained weights: what they are for, their licenses and files.

To add one: an entry in `assets/pretrained/sources.toml`. Backbones of `BACKBONES` are sources by
themselves; those of `keras.applications` have their files in `assets/pretrained/keras.json`.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from studio.engine.assets import asset
from studio.engine.networks.backbones import BACKBONES, Backbone
from studio.engine.pretrained.licenses import LICENSES, Passport
from studio.engine.registry import Registry

Kind = Literal["backbone", "detector", "texts"]
"""Purpose of a source: features of images, a COCO detector, or texts about images."""

KIND_PURPOSES: dict[Kind, str] = {
    "backbone": "Features of images, for every task",
    "detector": "Features for boxes and objects",
    "texts": "Texts that propose classes in a labeling",
}
"""Purpose of each kind, in a few words."""

_TABLE = "pretrained/sources.toml"
_KERAS = "pretrained/keras.json"
_KERAS_PAGE = "https://keras.io/api/applications/"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a source.

    Attributes:
        name: Name of the file on this machine.
        address: Where it is published: `https://…`, `hf://owner/repository/file` or
            `kaggle://owner/model/framework/variation/version/file`, see `places`.
        size: Bytes; 0 if they are not known.
        digest: Its SHA-256 or MD5, hexadecimal; empty for files without a published one.
    """

    name: str
    address: str
    size: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PretrainedSource:
    """A source of pretrained weights.

    Attributes:
        name: Stable name; also that of its folder.
        label: Shown name.
        kind: What it is.
        width: Width of the images that the weights saw, in pixels.
        height: Height of these images.
        parameters: Number of weights; 0 if it is not stated.
        figure: Published figure, for example "76.0 % on ImageNet"; may be empty.
        figure_source: Where it is published.
        passport: Its licenses.
        files: What to fetch.
        backbone: Name of the backbone that it fills; empty for none.
        folder: Folder below that of the library; empty for the library itself.
        weights: Of texts, name of the source with the weights; empty if they are among its files.
        languages: Of texts, the languages that the weights know.
    """

    name: str
    label: str
    kind: Kind
    width: int
    height: int
    parameters: int
    figure: str
    figure_source: str
    passport: Passport
    files: tuple[SourceFile, ...]
    backbone: str = ""
    folder: str = ""
    weights: str = ""
    languages: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its files; 0 if the size of one is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else 0


def passport_of(names: Mapping[str, str]) -> Passport:
    """Return the passport with these names of licenses.

    Args:
        names: The license of `code`, `weights` and `data`.

    Raises:
        StudioError: There is no such license.
        KeyError: One is missing.
    """
    return Passport(*(LICENSES[names[part]] for part in ("code", "weights", "data")))


def _sources() -> Iterator[PretrainedSource]:
    keras_files: dict[str, dict[str, Any]] = json.loads(asset(_KERAS).read_text("utf-8"))
    for backbone in BACKBONES:
        if backbone.name in keras_files:
            yield _of_keras(backbone, keras_files[backbone.name])
    yield from map(_listed, _table()["source"])


@functools.cache
def _table() -> dict[str, Any]:
    return tomllib.loads(asset(_TABLE).read_text("utf-8"))


def _of_keras(backbone: Backbone, file: dict[str, Any]) -> PretrainedSource:
    return PretrainedSource(
        name=backbone.name,
        label=backbone.label,
        kind="backbone",
        width=backbone.usual,
        height=backbone.usual,
        parameters=backbone.parameters,
        figure=""
        if backbone.accuracy is None
        else f"{backbone.accuracy * 100:.1f} % ImageNet top-1",
        figure_source=_KERAS_PAGE,
        passport=passport_of(
            {"code": "apache-2.0", "weights": backbone.license, "data": backbone.data}
        ),
        files=(SourceFile(**file),),
        backbone=backbone.name,
    )


def _listed(entry: dict[str, Any]) -> PretrainedSource:
    values = dict(entry)
    files = tuple(SourceFile(**file) for file in values.pop("files"))
    passport = passport_of(values.pop("license"))
    values.setdefault("folder", entry["name"])
    values["languages"] = tuple(values.get("languages", ()))
    return PretrainedSource(**values, files=files, passport=passport)


TEMPLATES: Mapping[str, tuple[str, ...]] = {
    language: tuple(texts) for language, texts in _table()["templates"].items()
}
"""Texts about a class by language, with `{name}` for its name."""

SOURCES: Registry[PretrainedSource] = Registry("pretrained source", list(_sources()))
"""All sources that Studio knows; files that a person brings come besides, see `store`."""


def source_of_backbone(name: str) -> PretrainedSource | None:
    """Return the source of the published weights of a backbone; None if there is none."""
    return next((source for source in SOURCES if source.backbone == name), None)
