"""What a run asks of a cluster, and what is said where there is none; no Ray."""

from __future__ import annotations

import socket
import sys

import pytest

from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.jobs.devices import is_ray_address
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker.cluster.connection import ClusterWatch, connected, demand_of


@pytest.mark.parametrize(
    ("values", "gpus", "asked"),
    [
        ({}, 0, "1 core"),
        ({}, 4, "1 core and 1 GPU"),
        ({"device": "cpu"}, 4, "1 core"),
        ({"device": "gpu", "threads": 4}, 0, "4 cores and 1 GPU"),
        ({"device": "gpus:2"}, 4, "1 core and 2 GPUs"),
    ],
)
def test_what_is_asked_for(values: dict[str, object], gpus: int, asked: str) -> None:
    plan = TrainingPlan.parse({"dataset": "d", "backend": "torch", **values})

    demand = demand_of(plan, {"CPU": 8, "GPU": gpus})

    assert demand.text == asked
    assert demand.fits({"CPU": 4, "GPU": 2})
    assert not demand.fits({"CPU": demand.cores - 1, "GPU": 2})


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("ray://head.example:10001", True),
        ("10.0.0.1:6379", True),
        ("ray://[::1]:10001", True),
        ("head", False),
        ("http://head:8265", False),
        ("head:0", False),
        ("head:99999", False),
        ("", False),
    ],
)
def test_addresses(text: str, fits: bool) -> None:
    assert is_ray_address(text) is fits


def test_without_ray_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(StudioError) as reported, connected("127.0.0.1:6379"):
        pass

    assert reported.value.message == "Ray is not installed."
    assert install_command("cluster") in reported.value.hint
    assert reported.value.where == "ray"


def test_a_cluster_that_does_not_answer_is_reported_once_for_each_outage() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        watch = ClusterWatch(f"127.0.0.1:{port}", said.append)
        assert watch.answers()
    for outage in (1, 2):
        assert not watch.answers()
        assert not watch.answers()
        assert watch.is_away
        assert len(said) == outage
        with socket.create_server(("127.0.0.1", port)):
            assert watch.answers()
    assert f"127.0.0.1:{port} does not answer. The sweep waits for it" in said[0]
