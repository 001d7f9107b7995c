"""Detectors of KerasHub: what a preset gives, training on it, and what is refused."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from helpers.box_datasets import import_shapes
from helpers.command_line import caller
from helpers.digits import do_here, go_on_here
from helpers.presets import DEVIATION, MEAN, small_retinanet
from helpers.resuming import assert_same
from studio.engine.compute.build import build
from studio.engine.compute.hub import import_preset
from studio.engine.compute.weights import load_weights
from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.jobs import control
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.fitting import fitted, head_of
from studio.engine.networks.library import ExportedNetwork, read_export
from studio.engine.networks.spec import NetworkSpec, PresetRequest
from studio.engine.progress import SilentProgress
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace


def _d_fine(hub: Any) -> Any:
    encoder = hub.models.HGNetV2Backbone(
        depths=[1, 1, 2, 1],
        embedding_size=8,
        hidden_sizes=[16, 16, 16, 16],
        stem_channels=[3, 8, 8],
        hidden_act="relu",
        use_learnable_affine_block=True,
        stackwise_stage_filters=[
            [8, 8, 16, 1, 2, 3],
            [16, 8, 16, 1, 2, 3],
            [16, 8, 16, 2, 2, 5],
            [16, 8, 16, 1, 2, 5],
        ],
        apply_downsample=[False, True, True, True],
        use_lightweight_conv_block=[False, False, True, True],
        out_features=["stage3", "stage4"],
    )
    backbone = hub.models.DFineBackbone(
        backbone=encoder,
        decoder_in_channels=[16, 16],
        encoder_hidden_dim=16,
        num_labels=3,
        num_denoising=0,
        learn_initial_query=False,
        num_queries=10,
        anchor_image_size=(64, 64),
        feat_strides=[16, 32],
        num_feature_levels=2,
        hidden_dim=16,
        encoder_in_channels=[16, 16],
        encode_proj_layers=[1],
        num_attention_heads=2,
        encoder_ffn_dim=16,
        num_encoder_layers=1,
        hidden_expansion=0.34,
        depth_multiplier=0.5,
        eval_idx=-1,
        num_decoder_layers=1,
        decoder_attention_heads=2,
        decoder_ffn_dim=16,
        decoder_n_points=[2, 2],
        lqe_hidden_dim=8,
        num_lqe_layers=2,
        out_features=["stage3", "stage4"],
        seed=0,
    )
    converter = hub.layers.DFineImageConverter(image_size=(64, 64), scale=1 / 255)
    return hub.models.DFineObjectDetector(
        backbone,
        num_classes=3,
        bounding_box_format="xyxy",
        preprocessor=hub.models.DFineObjectDetectorPreprocessor(converter),
    )


def _unlike_new(detector: Any) -> None:
    """Move scales and offsets, which are 1 and 0 at first and would hide mistakes."""
    random = np.random.default_rng(0)
    for weight in detector.backbone.weights:
        if len(weight.shape) < 2 and "seed" not in weight.name:
            weight.assign(weight + np.abs(random.normal(0, 0.1, weight.shape)))


@pytest.fixture(scope="module")
def presets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny detectors that KerasHub wrote, by their name."""
    hub = pytest.importorskip("keras_hub", minversion="0.32")
    found = {}
    makers: dict[str, Callable[[Any], Any]] = {"retinanet": small_retinanet, "d_fine": _d_fine}
    for name, make in makers.items():
        keras.utils.set_random_seed(0)
        detector = make(hub)
        _unlike_new(detector)
        found[name] = tmp_path_factory.mktemp(name)
        detector.save_to_preset(str(found[name]))
    return found


@pytest.fixture(scope="module")
def imported(
    presets: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, ExportedNetwork]:
    folder = tmp_path_factory.mktemp("imported")
    return {name: _imported(preset, folder / f"{name}.zip") for name, preset in presets.items()}


def _imported(preset: Path, target: Path) -> ExportedNetwork:
    import_preset(PresetRequest(preset=str(preset), path=str(target)))
    return read_export(target)


def _refused(preset: object, folder: Path) -> StudioError:
    target = folder / "refused.zip"
    with pytest.raises(StudioError) as caught:
        import_preset(PresetRequest(preset=str(preset), path=str(target)))
    assert not target.exists()
    return caught.value


def _levels(spec: NetworkSpec) -> list[str]:
    """Ids of the nodes that the new layers read."""
    head = head_of(spec)
    read = (source for node in spec.nodes if node.id in head for source in node.inputs)
    return sorted({source for source in read if source not in head})


def _filled(network: ExportedNetwork, workspace: Workspace) -> keras.Model:
    model = build(network.spec, seed=1)
    load_weights(model, network.spec, network.weights, workspace, SilentProgress())
    return model


@pytest.mark.parametrize("name", ["retinanet", "d_fine"])
def test_features_are_those_of_keras_hub(
    presets: dict[str, Path],
    imported: dict[str, ExportedNetwork],
    name: str,
    workspace: Workspace,
) -> None:
    hub = pytest.importorskip("keras_hub")
    network = imported[name]
    model = _filled(network, workspace)
    side = network.spec.input.height
    pixels = np.random.default_rng(0).integers(0, 256, (1, side, side, 3)).astype(np.float32)

    backbone = hub.models.Backbone.from_preset(str(presets[name]))
    if name == "retinanet":
        expected = list(backbone((pixels / 255 - MEAN) / DEVIATION).values())
    else:
        stages = backbone.backbone
        expected = stages.encoder_layer(stages.embedder_layer(pixels / 255))[-3:]

    levels = [model.get_layer(level).output for level in _levels(network.spec)]
    found = keras.Model(model.inputs, levels).predict_on_batch(pixels)
    given = {values.shape: np.asarray(values) for values in found}
    assert len(given) == len(expected)
    for values in map(np.asarray, expected):
        np.testing.assert_allclose(given[values.shape], values, atol=1e-4 * abs(values).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retinanet", "d_fine"])
def test_a_detector_is_trained_and_resumed_without_keras_hub(
    imported: dict[str, ExportedNetwork],
    name: str,
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = imported[name]
    assert not any(node.layer == "keras" for node in network.spec.nodes)
    last = {"retinanet": "stack3", "d_fine": "stage_3"}[name]
    assert last in {node.block for node in network.spec.nodes}
    dataset = import_shapes(workspace, tmp_path / "in", 16)
    plan = TrainingPlan(dataset=dataset.record.id).changed(
        network=network.spec.name,
        design=network.spec,
        weights=network.weights,
        epochs=2,
        batch_size=4,
        deterministic=True,
    )
    monkeypatch.setitem(sys.modules, "keras_hub", None)

    run = do_here(workspace, plan, "run")
    other = JobQueue(workspace).submit(plan, "paused").with_history(RunHistory)
    go_on_here(workspace, other, lambda history: history.step_count >= 2, _pause)
    paused = other.history.state
    go_on_here(workspace, other)

    assert run.history.state == State.COMPLETED, run.history.detail
    assert paused == State.PAUSED
    assert_same(run, other)


def _pause(_queue: JobQueue, job: RunJob) -> None:
    if job.history.state.has_worker:
        control.pause(job)


def test_the_command_line_imports_a_preset(
    presets: dict[str, Path],
    tmp_path: Path,
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = caller(capsys, workspace.root)
    target = tmp_path / "net.zip"
    words = ("networks", "import", presets["retinanet"], "--to", target)
    written = call(*words, "--json").document
    assert written["path"] == str(target)
    assert "already exists" in call(*words).mistake
    shown = call("networks", "show", target, "--json").document
    assert shown["name"].startswith("RetinaNet")


def test_images_may_have_any_size(imported: dict[str, ExportedNetwork]) -> None:
    for network in imported.values():
        model = build(fitted(network.spec, (150, 200, 3), 5), seed=0)
        assert model.output.shape[-1] == 9


def test_the_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keras_hub", None)
    error = _refused("dfine_small_coco", tmp_path)
    assert "keras-hub, which cannot be imported" in error.message
    assert error.hint == f"Install it: {install_command('hub')}"


def test_an_unknown_name_gets_a_suggestion(tmp_path: Path) -> None:
    pytest.importorskip("keras_hub")
    error = _refused("dfine_smal_coco", tmp_path)
    assert "dfine_smal_coco" in error.message
    assert "dfine_small_coco" in error.hint


def test_a_refused_download_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("keras_hub")

    def refuse(_preset: str) -> None:
        raise ConnectionError("Failed to resolve 'api.kaggle.com'")

    monkeypatch.setattr(hub.models.Backbone, "from_preset", refuse)
    error = _refused("dfine_small_coco", tmp_path)
    assert "dfine_small_coco could not be downloaded: there is no connection" in error.message
    assert "name its folder" in error.hint


def test_other_folders_are_refused(presets: dict[str, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "config.json is missing" in _refused(empty, tmp_path).message

    def changed(name: str, **changes: object) -> Path:
        folder = tmp_path / name
        shutil.copytree(presets["retinanet"], folder)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        (folder / "config.json").write_text(json.dumps(config | changes), "utf-8")
        return folder

    bare = changed("bare")
    (bare / "image_converter.json").unlink()
    assert "image_converter.json is missing" in _refused(bare, tmp_path).message

    other = changed("other", class_name="ResNetBackbone")
    assert "ResNetBackbone" in _refused(other, tmp_path).message

    code = {"class_name": "Lambda", "module": "keras.layers", "config": {}}
    assert "code" in _refused(changed("code", config=code), tmp_path).message

    torn = changed("torn")
    weights = torn / "model.weights.h5"
    weights.write_bytes(weights.read_bytes()[:1000])
    assert "cannot be used" in _refused(torn, tmp_path).message
