"""A run whose weights cannot be downloaded trains without them, and reports it."""

from __future__ import annotations

from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.compute import weights
from studio.engine.compute.train import weights_or_fallback
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import Amended
from studio.engine.networks.backbones import IMAGENET, WeightsDownloadError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.training.history import RunContext
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace


def test_a_failed_download_changes_the_plan_in_the_journal(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(_spec: NetworkSpec, _progress: object) -> None:
        raise WeightsDownloadError("The weights could not be downloaded: no connection.")

    monkeypatch.setattr(weights, "fetch_imagenet", fetch)
    context = Mock(workspace=workspace)
    recipe = small_recipe(picture_folder(tmp_path / "pictures"), width=32, height=32)
    dataset = do_here(workspace, recipe, "pictures").record
    plan = TrainingPlan(
        dataset=dataset.id, network="mobilenet_v2", weights=IMAGENET, offline_fallback=True
    )
    with Store.open(dataset.folder).stays_mapped():
        changed, spec = weights_or_fallback(
            cast("RunContext", context),
            plan,
            Store.open(dataset.folder),
            cast("NetworkSpec", None),
        )

    (event,) = (call.args[0] for call in context.emit.call_args_list)
    assert isinstance(event, Amended)
    assert plan.changed(**event.changes) == changed
    assert (changed.network, changed.weights) == ("small_resnet_32", "")
    assert (spec.input.height, spec.name) == (32, ZOO["small_resnet_32"].label)
    (reason,) = context.warn.call_args.args
    assert "no connection" in reason
    assert "small_resnet_32" in reason
