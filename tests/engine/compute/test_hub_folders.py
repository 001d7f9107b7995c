"""Folders of KerasHub are looked through before anything is made of them; KerasHub is not used."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from studio.engine.compute.hub import import_preset
from studio.engine.errors import StudioError
from studio.engine.networks.layers.foreign import ForeignCodeError, refuse_foreign_code
from studio.engine.networks.spec import PresetRequest


def _object(name: str, **config: object) -> dict[str, Any]:
    module = f"keras_hub.src.models.{name.lower()}"
    return {
        "module": module,
        "class_name": name,
        "config": config,
        "registered_name": f"keras_hub>{name}",
    }


def _reason(folder: Path, config: object, converter: object) -> str:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "image_converter.json").write_text(json.dumps(converter), encoding="utf-8")
    with pytest.raises(StudioError) as caught:
        import_preset(PresetRequest(preset=str(folder), path=str(folder / "out.zip")))
    return caught.value.message


BUILT = "it was built"


@pytest.fixture(autouse=True)
def _hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A KerasHub that says when it makes something."""

    class Built:
        @staticmethod
        def from_preset(_name: str) -> None:
            raise ValueError(BUILT)

    hub, models = ModuleType("keras_hub"), ModuleType("models")
    hub.models = models  # type: ignore[attr-defined]
    models.Backbone = Built  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keras_hub", hub)


CONVERTER = _object("RetinaNetImageConverter", scale=1.0)


def test_a_preset_whose_names_agree_is_made(tmp_path: Path) -> None:
    config = _object("RetinaNetBackbone", image_encoder=_object("ResNetBackbone"))
    assert BUILT in _reason(tmp_path, config, CONVERTER)


@pytest.mark.parametrize("registered", ["keras_hub>GemmaBackbone", "evil>Own", "Lambda", None, 3])
@pytest.mark.parametrize("where", ["top", "inside", "converter"])
def test_a_registered_name_of_another_class_is_refused(
    tmp_path: Path, registered: object, where: str
) -> None:
    encoder, converter = _object("ResNetBackbone"), dict(CONVERTER)
    config = _object("RetinaNetBackbone", image_encoder=encoder)
    {"top": config, "inside": encoder, "converter": converter}[where]["registered_name"] = (
        registered
    )

    reason = _reason(tmp_path, config, converter)

    assert "is registered as" in reason
    assert repr(registered) in reason


@pytest.mark.parametrize("where", ["top", "inside"])
def test_a_class_of_another_package_with_the_same_name_is_refused(
    tmp_path: Path, where: str
) -> None:
    encoder = _object("ResNetBackbone")
    config = _object("RetinaNetBackbone", image_encoder=encoder)
    named = {"top": config, "inside": encoder}[where]
    named["registered_name"] = f"evil>{named['class_name']}"
    assert "is registered as" in _reason(tmp_path, config, CONVERTER)


def test_classes_in_lists_are_refused(tmp_path: Path) -> None:
    inside = [_object("GemmaTokenizer", proto="/etc/passwd")]
    config = _object("RetinaNetBackbone", image_encoder=_object("ResNetBackbone", parts=inside))
    reason = _reason(tmp_path, config, CONVERTER)
    assert BUILT not in reason
    assert "GemmaTokenizer" in reason


@pytest.mark.parametrize("name", ["GemmaTokenizer", "GemmaCausalLM", "BackboneTask"])
def test_other_classes_of_kerashub_are_refused(tmp_path: Path, name: str) -> None:
    """A tokenizer reads the files that its configuration names."""
    inside = _object(name, proto="/etc/passwd")
    config = _object("RetinaNetBackbone", image_encoder=inside)
    reason = _reason(tmp_path, config, CONVERTER)
    assert BUILT not in reason
    assert name in reason


def test_the_converter_must_be_that_of_the_detector(tmp_path: Path) -> None:
    config = _object("RetinaNetBackbone")
    other = _object("DFineImageConverter")
    assert "image_converter.json is not that of its detector" in _reason(tmp_path, config, other)
    layer = {"module": "keras.layers", "class_name": "Rescaling", "registered_name": None}
    assert "is not that of its detector" in _reason(tmp_path, config, layer)
    assert "is a GemmaBackbone" in _reason(tmp_path, _object("GemmaBackbone"), CONVERTER)


@pytest.mark.parametrize("registered", ["Lambda", "keras_hub>X", ["Dense"]])
def test_a_layer_registered_as_another_is_refused_in_any_model(registered: object) -> None:
    layer = {"module": "keras.layers", "class_name": "Dense", "config": {"units": 1}}
    refuse_foreign_code({**layer, "registered_name": None})
    refuse_foreign_code({**layer, "registered_name": "Dense"})
    with pytest.raises(ForeignCodeError):
        refuse_foreign_code({"config": {"layers": [{**layer, "registered_name": registered}]}})
