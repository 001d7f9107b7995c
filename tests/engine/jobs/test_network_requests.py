"""Questions about networks, to a real host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.inference.requests import examine, expand, read_model, write_model
from studio.engine.jobs.host import EngineHost
from studio.engine.networks.spec import HEAD
from studio.engine.networks.zoo import ZOO

SECONDS = 120


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    made = EngineHost()
    yield made
    made.close()


def test_drawings_files_and_backbones_are_answered(host: EngineHost, tmp_path: Path) -> None:
    spec = ZOO["lenet"].build((16, 16, 1), 3)
    broken = spec.model_copy(update={"nodes": spec.nodes[:-1]})

    found, unfinished = examine(host, spec), examine(host, broken)
    written = write_model(host, spec, tmp_path / "net.keras", seed=1)
    read = read_model(host, tmp_path / "net.keras")
    backbone = expand(host, ZOO["mobilenet_v2"].build((32, 32, 3), 3))

    assert found.result(SECONDS).works
    assert found.result().network.parameters == written.result(SECONDS).parameters
    assert not unfinished.result(SECONDS).works
    assert set(unfinished.result().nodes) == {node.id for node in broken.nodes}
    assert read.result(SECONDS).spec.output == HEAD
    assert all(node.layer != "backbone" for node in backbone.result(SECONDS).nodes)
    with pytest.raises(StudioError, match="no model file"):
        read_model(host, tmp_path / "gone.h5").result(SECONDS)
