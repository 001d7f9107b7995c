"""Licenses of starting weights: those of the library for its own files, of no others."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import h5py
import pytest

from helpers.weights import hdf5_bytes
from studio.engine.pretrained.sources import SOURCES, SourceFile
from studio.engine.training.passports import passport_of_weights
from studio.engine.workspace import Workspace


@pytest.fixture(autouse=True)
def _library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "library"))
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path / "none"))


def _license(path: Path, workspace: Workspace) -> str:
    return passport_of_weights(str(path), path, "dinov2_base", workspace)["weights"]["license"]


def test_a_file_has_the_licenses_of_the_same_file_in_the_library(
    tmp_path: Path, workspace: Workspace
) -> None:
    own = tmp_path / "library" / "dinov2_base" / "model.weights.h5"
    own.parent.mkdir(parents=True)
    own.write_bytes(hdf5_bytes())
    copy = tmp_path / "weights.h5"
    copy.write_bytes(hdf5_bytes())
    assert _license(copy, workspace) == "apache-2.0"

    with h5py.File(copy, "r+") as file:  # trained further: the same shapes, other values
        file["layers/dense/vars/0"][0] = 1
    assert copy.stat().st_size == own.stat().st_size
    assert _license(copy, workspace) == "not-stated"


def test_a_checksum_counts_and_a_name_does_not(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = hashlib.md5(hdf5_bytes(), usedforsecurity=False).hexdigest()
    source = replace(SOURCES["vgg16"], files=(SourceFile("vgg16.h5", "", 0, digest),))
    monkeypatch.setitem(SOURCES._ours, "vgg16", source)
    copy = tmp_path / "any name.h5"
    copy.write_bytes(hdf5_bytes())
    assert _license(copy, workspace) == source.passport.weights.name
    named = tmp_path / "vgg16.h5"
    named.write_bytes(b"other")
    assert _license(named, workspace) == "not-stated"
