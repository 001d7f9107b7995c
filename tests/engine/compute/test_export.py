"""Exports in every format, used as their receiver will, and the certificates they carry."""

from __future__ import annotations

import json
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from helpers.digits import Digits, copy_of, do_here
from helpers.exports import script_answers, snippet_answer
from helpers.processes import run_without
from studio.engine.compute import exporters, measuring_process
from studio.engine.compute.build import build, in_full_precision
from studio.engine.compute.exporters.keras_formats import write_tflite
from studio.engine.compute.exporters.source import ExportSource, not_expressible
from studio.engine.compute.model_files import load_model
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.compute.weights import load_weights
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.formats import Precision, every_variant
from studio.engine.exporting.plan import ArchiveFormat, ExportPlan, Tolerance
from studio.engine.exporting.requests import MEASURED, save_measured
from studio.engine.inference.models import model_of_run, read_source
from studio.engine.inference.requests import PredictRequest
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.networks.library import is_export, read_export
from studio.engine.progress import SilentProgress
from studio.engine.tasks.parts.scores import ClassScore

pytestmark = pytest.mark.slow

COMPANIONS = {
    "README.md",
    "certificate.json",
    "example.png",
    "labels.json",
    "network.json",
    "pixels.py",
    "predict.py",
    "runtime.py",
}
LARGE = {"tensorflow", "keras", "jax", "torch", "studio"}


@dataclass(frozen=True)
class Everything:
    """One export of all formats at once."""

    digits: Digits
    job: Job
    to: Path
    files: dict[str, ExportedFile]

    def folder(self, name: str) -> Path:
        return Path(self.files[name].path)

    def certificate(self, name: str) -> Any:
        return self.files[name].certificate


@pytest.fixture(scope="module")
def everything(digits: Digits, tmp_path_factory: pytest.TempPathFactory) -> Everything:
    """All variants of the shared run, beside a folder that has a name already."""
    root = tmp_path_factory.mktemp("exported")
    own = copy_of(digits, root / "own", with_run=True)
    to = root / "a new folder ü"
    (to / "lenet-keras").mkdir(parents=True)
    (to / "lenet-keras" / "model.keras").write_bytes(b"mine")
    names = [each.name for each in every_variant(installed=True)]
    plan = ExportPlan(run=own.run.record.id, variants=names, to=str(to))
    job = do_here(own.workspace, plan, "export")
    files = {each.name: each for each in files_of(job.history.result)}
    assert [each.problem for each in files.values() if each.problem] == []
    return Everything(own, job, to, files)


def predicted(folder: Path, without: set[str], *words: str | Path) -> str:
    """What the script of an export prints where those modules cannot be imported."""
    return run_without(without, folder / "predict.py", *words, cwd=folder)


@pytest.mark.thorough
def test_every_format_is_a_whole_folder_with_a_certificate(everything: Everything) -> None:
    assert everything.job.history.state == State.COMPLETED, everything.job.history
    assert len(everything.files) == len(every_variant(installed=True))
    assert everything.folder("keras:float32").name == "lenet-keras-2"
    assert everything.folder("tflite:int8").name == "lenet-tflite-int8"
    assert (everything.to / "lenet-keras" / "model.keras").read_bytes() == b"mine"
    classes = Store.open(everything.digits.dataset.record.folder).classes
    for name, file in everything.files.items():
        folder, made = Path(file.path), file.certificate
        assert made is not None, name
        card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        assert COMPANIONS | {card["model"]} <= {path.name for path in folder.iterdir()}
        assert (card["classes"], card["run"]) == (classes, "lenet")
        assert f"{card['format']}:{card['precision']}" == name
        assert len(card["self_test"]["scores"]) == 10
        written = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        assert written == made.model_dump(mode="json")
        text = (folder / "README.md").read_text(encoding="utf-8")
        assert "0 to 255" in text
        assert card["input_type"] in text
        assert "Not certified" not in text
    taken = [path.name for path in everything.to.iterdir()]
    assert len(taken) == len(everything.files) + 1
    assert not [name for name in taken if name.startswith(".")]


@pytest.mark.thorough
def test_certificates_report_the_loss_of_a_precision(everything: Everything) -> None:
    base = everything.certificate("keras:float32")
    for name, file in everything.files.items():
        made = file.certificate
        assert made is not None
        assert (made.split, made.count, made.certified) == ("test", 180, True), name
        assert made.script_checked
        assert made.latency_p95_ms is not None
        assert 0 < made.latency_ms <= made.latency_p95_ms
        assert made.cpu_ms is not None
        assert made.cpu_ms > 0
        assert made.relative_latency is not None
        assert made.others_share is not None
        assert made.images_per_second is not None
        assert made.images_per_second > 0
        assert len(made.disagreeing) == made.disagreements
        assert made.accuracy is not None
        assert made.accuracy_change is not None
        assert made.accuracy - made.accuracy_change == pytest.approx(base.accuracy)
        exact = {"float32": 1e-4, "float16": 0.03, "dynamic": 0.2, "int8": 0.6}[made.precision]
        assert made.largest_difference < exact, name
        if made.precision == "float32":
            assert made.disagreements == 0
        path = Path(file.path) / json.loads((Path(file.path) / "labels.json").read_text())["model"]
        if path.is_file():
            assert made.size_bytes == path.stat().st_size
    for name in ("tflite", "onnx"):
        sizes = [
            everything.certificate(f"{name}:{each}").size_bytes
            for each in ("float32", "float16", "int8")
        ]
        assert sizes[1] < 0.6 * sizes[0]
        assert sizes[2] < 0.5 * sizes[0]


@pytest.mark.thorough
def test_each_was_run_by_its_own_small_runtime(everything: Everything) -> None:
    loaded = {name: set(everything.certificate(name).loaded) for name in everything.files}
    assert loaded["onnx:int8"] == {"onnxruntime"}
    assert loaded["openvino:float16"] == {"openvino"}
    assert loaded["tflite:int8"] == {"ai_edge_litert"}
    if "torch:float32" in loaded:
        assert loaded["torch:float32"] == {"torch"}
    assert "tensorflow" in loaded["savedmodel:float32"]
    assert all("studio" not in each for each in loaded.values())
    assert everything.certificate("onnx:float32").runtime.startswith("onnxruntime 1.")


@pytest.mark.thorough
def test_int8_is_calibrated_and_takes_raw_bytes(everything: Everything) -> None:
    from ai_edge_litert.interpreter import Interpreter

    path = everything.folder("tflite:int8") / "model.tflite"
    interpreter = Interpreter(model_path=str(path))
    offset = interpreter.get_input_details()[0]
    assert offset["dtype"] == np.uint8
    assert offset["quantization"] == (pytest.approx(1.0, rel=1e-5), 0)
    kinds = [each["dtype"] for each in interpreter.get_tensor_details()]
    assert kinds.count(np.float32) <= 2  # the scores, and what they are made of
    import onnx

    graph = onnx.load(str(everything.folder("onnx:int8") / "model.onnx")).graph
    from_8_bits = {n.output[0] for n in graph.node if n.op_type == "DequantizeLinear"}
    heavy = [n for n in graph.node if n.op_type in {"Conv", "MatMul", "Gemm"}]
    assert heavy
    assert all(set(node.input[:2]) <= from_8_bits for node in heavy)
    assert {node.domain for node in graph.node} <= {"", "ai.onnx"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["tflite:int8", "tflite:float32", "onnx:float32", "openvino:float32"]
)
def test_the_script_needs_its_small_runtime_only(
    everything: Everything, digits: Digits, name: str
) -> None:
    folder = everything.folder(name)
    assert "Self-test passed" in predicted(folder, LARGE | {"h5py"}, "--self-test")


@pytest.mark.thorough
def test_script_and_snippet_of_the_readme_answer_as_studio(
    everything: Everything, digits: Digits, tmp_path: Path
) -> None:
    pictures = [next(digits.pictures.glob(f"{label}/*.png")) for label in (3, 8)]
    request = PredictRequest(
        model=model_of_run(digits.workspace, digits.run.record),
        images=tuple(map(str, pictures)),
        top=10,
    )
    ours = PicturePredictor(WarmModels()).predict(request).predictions

    folder = everything.folder("onnx:float32")
    said = script_answers(folder, [str(each) for each in pictures], LARGE)
    snippet = snippet_answer(everything.folder("keras:float32"), str(pictures[0]), tmp_path)

    for theirs, our in zip(said, ours, strict=True):
        assert theirs["image"] == our.image
        _assert_scores(theirs["predictions"], our.class_scores)
    _assert_scores(snippet["predictions"], ours[0].class_scores[:5])


def _assert_scores(theirs: list[dict[str, Any]], ours: Sequence[ClassScore]) -> None:
    for their, our in zip(theirs, ours, strict=True):
        assert their["class"] == our.label
        assert their["score"] == pytest.approx(our.score, abs=1e-4)


def _disturbed(source: ExportSource, path: Path, precision: Precision) -> None:
    """Write other weights than those of the model, as a bad converter would."""
    before = source.model.get_weights()
    random = np.random.default_rng(0)
    source.model.set_weights([each + random.normal(0, 0.3, each.shape) for each in before])
    try:
        write_tflite(source, path, precision)
    finally:
        source.model.set_weights(before)


def test_a_certificate_that_must_fail_does(
    own_run: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporters, "writer_of", lambda name: _disturbed)
    plan = ExportPlan(
        run=own_run.run.record.id, variants=["tflite:float32"], to=str(tmp_path / "out")
    )

    job = do_here(own_run.workspace, plan, "export")

    assert (job.history.state, job.history.category) == (State.FAILED, "user")
    assert "Not certified: tflite float32: Its accuracy is" in job.history.reason
    folder = tmp_path / "out" / "lenet-tflite-not-certified"
    assert str(folder) in job.history.hint
    made = json.loads((folder / "certificate.json").read_text())
    assert made["certified"] is False
    assert made["accuracy_change"] < -0.01
    assert len(made["shortcomings"]) == 2
    assert "**Not certified.**" in (folder / "README.md").read_text(encoding="utf-8")
    (file,) = files_of(job.history.result)
    assert file.certificate is not None
    assert not file.certificate.certified
    assert file.certificate.disagreeing[0].path


@pytest.mark.thorough
def test_what_is_tolerated_is_certified(
    own_run: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporters, "writer_of", lambda name: _disturbed)
    plan = ExportPlan(
        run=own_run.run.record.id,
        variants=["tflite:float32"],
        to=str(tmp_path / "out"),
        tolerance=Tolerance(points=100, agreement=0),
    )

    assert do_here(own_run.workspace, plan, "export").history.state == State.COMPLETED


@pytest.mark.thorough
def test_what_was_measured_only_can_be_kept(own_run: Digits, tmp_path: Path) -> None:
    plan = ExportPlan(run=own_run.run.record.id, variants=["tflite:dynamic"])

    job = do_here(own_run.workspace, plan, "export")

    files = files_of(job.history.result)
    assert Path(files[0].path).parent == job.record.folder / MEASURED
    (folder,) = save_measured(job.record.folder, files, tmp_path / "new")
    assert "Self-test passed" in predicted(folder, LARGE, "--self-test")
    (archive,) = save_measured(job.record.folder, files, tmp_path / "new", archive="zip")
    assert archive.name == "lenet-tflite-dynamic.zip"
    with zipfile.ZipFile(archive) as packed:
        assert set(packed.namelist()) == {"model.tflite", "unlike.py", *COMPANIONS}
    assert len(list((tmp_path / "new").iterdir())) == 2
    tars: tuple[ArchiveFormat, ...] = ("tar", "tar.gz", "tar.bz2")
    for kind in tars:
        first, second = (
            save_measured(job.record.folder, files, tmp_path / kind / name, archive=kind)[0]
            for name in "ab"
        )
        assert first.name == f"lenet-tflite-dynamic.{kind}"
        assert first.read_bytes() == second.read_bytes()
        with tarfile.open(first) as unpacked:
            assert set(unpacked.getnames()) == {"model.tflite", "unlike.py", *COMPANIONS}


def test_the_switch_for_zip_of_older_plans_is_read() -> None:
    plans = [ExportPlan.parse({"run": "r", "archive": value}) for value in (True, False, "tar")]

    assert [plan.archive for plan in plans] == ["zip", "", "tar"]


@pytest.mark.thorough
def test_a_script_trains_without_studio(own_run: Digits, tmp_path: Path) -> None:
    plan = ExportPlan(run=own_run.run.record.id, variants=["script"], to=str(tmp_path / "out"))

    job = do_here(own_run.workspace, plan, "export")

    assert job.history.state == State.COMPLETED, job.history.reason
    folder = Path(job.history.result["path"])
    assert {"train.py", "network.py", "data.npz", "model.weights.h5"} <= {
        path.name for path in folder.iterdir()
    }
    out = run_without({"studio", "PIL"}, Path("train.py"), "--epochs", "2", cwd=folder)
    reported = next(line for line in out.splitlines() if line.startswith("test: accuracy"))
    assert float(reported.split()[2].rstrip(",")) > 0.8
    assert (folder / "trained.keras").is_file()


@pytest.mark.thorough
def test_a_bundle_opens_again_as_a_pretrained_network(own_run: Digits, tmp_path: Path) -> None:
    plan = ExportPlan(run=own_run.run.record.id, variants=["bundle:int8"], to=str(tmp_path))

    job = do_here(own_run.workspace, plan, "export")

    archive = Path(job.history.result["path"])
    assert archive.name == "lenet-bundle-int8.zip"
    assert is_export(archive)
    read = read_export(archive)
    assert read.weights == str(archive)
    model = build(read.spec, seed=1)
    found = load_weights(model, read.spec, read.weights, own_run.workspace, SilentProgress())
    trained = load_model(own_run.run.record.folder / "model.keras")
    assert len(found.loaded) >= 3
    for name in found.loaded:
        for ours, theirs in zip(
            model.get_layer(name).get_weights(), trained.get_layer(name).get_weights(), strict=True
        ):
            assert (ours == theirs).all()

    with pytest.raises(StudioError, match="packed export"):
        read_source(archive)
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    assert read_export(folder).weights == str(folder / "model.keras")
    source = read_source(folder)
    assert (source.file, source.name) == (str(folder / "model.keras"), "lenet")
    assert len(source.classes) == 10
    (folder / "model.keras").unlink()
    assert read_export(folder).weights == ""
    with pytest.raises(StudioError, match="contains no Keras model"):
        read_source(folder)
    with pytest.raises(StudioError, match="is not an export"):
        read_export(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("import sys; print('I0000 00:00:1 a log line', file=sys.stderr); sys.exit(3)", "nothing"),
        ("raise ValueError('no such layer.')", "exit code 1: ValueError: no such layer"),
    ],
)
def test_an_export_that_cannot_be_run_is_not_a_model(
    own_run: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, expected: str
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(script)
    monkeypatch.setattr(measuring_process, "asset", lambda name: broken)
    to = tmp_path / "out"

    job = do_here(own_run.workspace, ExportPlan(run=own_run.run.record.id, to=str(to)), "export")

    assert job.history.state == State.FAILED
    assert expected in job.history.reason
    assert list(to.iterdir()) == []


@pytest.mark.thorough
def test_one_format_that_cannot_be_written_does_not_stop_the_others(
    own_run: Digits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = exporters.writer_of

    def refused(source: ExportSource, path: Path, precision: Precision) -> None:
        raise StudioError("No such operation.")

    monkeypatch.setattr(
        exporters, "writer_of", lambda name: refused if name == "onnx" else right(name)
    )
    names = ["onnx:float32", "tflite:float32"]
    plan = ExportPlan(run=own_run.run.record.id, variants=names, to=str(tmp_path))

    job = do_here(own_run.workspace, plan, "export")

    assert job.history.state == State.COMPLETED
    first, second = files_of(job.history.result)
    assert (first.problem, first.path) == ("No such operation.", "")
    assert second.certificate is not None
    assert [path.name for path in tmp_path.iterdir() if "lenet" in path.name] == ["lenet-tflite"]


def test_unsupported_operations_of_a_converter_are_reported_in_a_line() -> None:
    reported = "loc(x): error: 'tf.TensorListReserve' op requires\nloc: error: 'tf.While' op y"
    error = not_expressible("LiteRT float32", ValueError(reported))
    assert error.message.endswith("LiteRT float32: it has no TensorListReserve, While.")
    assert not_expressible("ONNX", KeyError()).message.endswith("ONNX: KeyError.")


@pytest.mark.parametrize("location", ["file", "file/below", "/proc"])
def test_a_folder_that_cannot_be_written_is_a_user_error(
    own_run: Digits, tmp_path: Path, location: str
) -> None:
    (tmp_path / "file").write_text("mine")
    to = tmp_path / location
    if location == "/proc" and not Path("/proc/self").exists():
        pytest.skip("/proc is a thing of Linux")

    job = do_here(own_run.workspace, ExportPlan(run=own_run.run.record.id, to=str(to)), "export")

    assert job.history.state == State.FAILED
    assert job.history.category == "user", job.history
    assert str(to) in job.history.reason
    assert "can write" in job.history.hint
    assert (tmp_path / "file").read_text() == "mine"


def test_a_stop_leaves_nothing_behind(own_run: Digits, tmp_path: Path) -> None:
    to = tmp_path / "out"

    job = do_here(
        own_run.workspace,
        ExportPlan(run=own_run.run.record.id, to=str(to)),
        "export",
        stop_when=lambda history: True,
    )

    assert job.history.state == State.STOPPED
    assert not to.exists() or list(to.iterdir()) == []


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision_is_rebuilt_in_full(policy: str) -> None:
    keras.config.set_dtype_policy(policy)
    try:
        inputs = keras.Input((8, 8, 1))
        x = keras.layers.Conv2D(4, 3, activation="relu")(inputs)
        x = keras.layers.BatchNormalization()(x)
        outputs = keras.layers.Dense(3, activation="softmax", dtype="float32")(
            keras.layers.Flatten()(x)
        )
        mixed = keras.Model(inputs, outputs)
    finally:
        keras.config.set_dtype_policy("float32")

    full = in_full_precision(mixed)

    assert {layer.compute_dtype for layer in full.layers} == {"float32"}
    images = np.random.default_rng(0).uniform(0, 1, (4, 8, 8, 1)).astype("float32")
    given, requested = full.predict_on_batch(images), mixed.predict_on_batch(images)
    assert np.abs(np.asarray(given) - np.asarray(requested)).max() < 0.02
    assert in_full_precision(full) is full
