"""The library: every source has its licenses, addresses that can be asked, and its own folder."""

from __future__ import annotations

import pytest

from studio.engine.networks.backbones import BACKBONES
from studio.engine.pretrained.licenses import LICENSES, Use
from studio.engine.pretrained.places import web_address
from studio.engine.pretrained.sources import SOURCES, PretrainedSource, passport_of


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_source_has_a_passport_and_files(source: PretrainedSource) -> None:
    parts = source.passport.to_json()
    assert set(parts) == {"code", "weights", "data"}
    for each in parts.values():
        assert each["license"] in LICENSES
        assert each["sentence"].endswith(".")
    assert source.files
    assert all(not file.address or "://" in web_address(file.address) for file in source.files)
    assert not source.figure or source.figure_source.startswith("https://")


def test_every_backbone_has_a_source() -> None:
    assert {backbone.name for backbone in BACKBONES} == {
        source.backbone for source in SOURCES if source.backbone
    }


def test_a_source_without_a_license_is_an_error() -> None:
    with pytest.raises(KeyError):
        passport_of({"code": "mit", "weights": "mit"})


def test_commercial_use_is_decided_by_code_and_weights() -> None:
    free = passport_of({"code": "mit", "weights": "apache-2.0", "data": "imagenet"})
    assert free.is_commercial
    for name in ("cc-by-nc-4.0", "agpl-3.0", "dinov3", "not-stated"):
        assert LICENSES[name].use != Use.COMMERCIAL
        assert not passport_of({"code": "mit", "weights": name, "data": "imagenet"}).is_commercial


def test_mirrors_take_the_place_of_publishers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example.org/")
    assert web_address("hf://owner/repo/a/b.onnx") == (
        "https://hub.example.org/owner/repo/resolve/main/a/b.onnx"
    )
    assert web_address("kaggle://keras/dinov2/keras/small/1/config.json") == (
        "https://www.kaggle.com/api/v1/models/keras/dinov2/keras/small/1/download/config.json"
    )
