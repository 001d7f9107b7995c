"""Features come from weights that a person put into the folder, unless weights were downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.baselines.report import BaselinePlan
from studio.engine.compute import extractors
from studio.engine.compute.extractors import choose
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import IMAGENET
from studio.engine.workspace import Workspace


class _Images:
    shape = (128, 128, 3)


def _network_of(path: Path) -> str:
    if path.name == "damaged.h5":
        raise StudioError("It is damaged.")
    return "mobilenet_v2"


def test_a_file_in_the_folder_of_weights_is_used(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setattr(extractors, "require_network_of", _network_of)
    plan = BaselinePlan(dataset="d")
    assert choose(plan, _Images(), workspace) is None
    (tmp_path / "weights").mkdir()
    for name in ("damaged.h5", "mine.h5"):
        (tmp_path / "weights" / name).touch()

    chosen = choose(plan, _Images(), workspace)

    assert chosen is not None
    assert chosen.kind == "file"
    assert chosen.training.network == "mobilenet_v2"
    assert chosen.training.weights == str(tmp_path / "weights" / "mine.h5")
    assert chosen.training.weights != IMAGENET
