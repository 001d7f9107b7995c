"""Speed of networks of the library: measured on request, kept for each machine."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from helpers.presets import write_detector_network
from studio.engine.compute.speed import measure_speed
from studio.engine.errors import StudioError
from studio.engine.inference import library_speed
from studio.engine.inference.library_speed import measured_speed
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.zoo import ZOO
from studio.engine.pretrained.sources import SOURCES
from studio.engine.pretrained.speeds import read_speeds
from studio.engine.pretrained.store import PretrainedStore


class _Host(EngineHost):
    """Measures in this process."""

    def ask(self, operation: str, request: Any, answer: type[Any]) -> Future[Any]:
        assert operation == library_speed.OPERATION
        future: Future[Any] = Future()
        future.set_result(measure_speed(request))
        return future


def test_a_speed_is_kept_for_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path))
    monkeypatch.setattr("studio.engine.compute.speed._MAX_RUNS", 3)
    small = ZOO["small_cnn"].build((32, 48, 3), 2)
    monkeypatch.setattr(library_speed, "_network_of", lambda _source: small)
    assert read_speeds() == {}

    found = measured_speed(_Host(), SOURCES["mobilenet_v2"])

    assert found.milliseconds > 0
    assert (found.width, found.height) == (48, 32)
    assert read_speeds() == {"mobilenet_v2": found}
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("platform.node", lambda: "another machine")
        assert read_speeds() == {}
        measured_speed(_Host(), SOURCES["resnet50"])
    assert set(read_speeds()) == {"mobilenet_v2"}
    (tmp_path / "speeds.json").write_text("damaged", "utf-8")
    assert read_speeds() == {}


def test_every_source_is_measured_by_its_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path))
    assert library_speed._network_of(SOURCES["mobilenet_v2"]).input.width == 224
    of_texts = library_speed._network_of(SOURCES["clip_base_32_texts"])
    assert of_texts.name == library_speed._network_of(SOURCES["clip_base_32"]).name
    detector = SOURCES["dfine_nano_coco"]
    with pytest.raises(StudioError, match="no network on this machine"):
        library_speed._network_of(detector)
    write_detector_network(PretrainedStore().network_path(detector))
    assert library_speed._network_of(detector).name == "D-FINE (dfine_nano_coco)"
