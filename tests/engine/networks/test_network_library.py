"""Saved networks: their names are those of their records."""

from __future__ import annotations

from studio.engine.networks.library import load, rename, save, saved
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import Workspace


def test_a_renamed_network_has_its_name_at_once(workspace: Workspace) -> None:
    spec = ZOO["lenet"].build((28, 28, 1), 10)
    network = save(workspace, spec, "First")

    workspace.rename(network.record, "Second")

    assert saved(workspace)[0].spec.name == "Second"
    assert load(workspace, network.id).spec.name == "Second"
    assert rename(workspace, network.id, "Third").spec.name == "Third"
