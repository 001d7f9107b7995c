"""What is known of a model file: from the card of its export, or from nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.exporting.formats import FORMATS, ExportFormat
from studio.engine.files import write_atomically
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import CARD, ImageCard, ModelCard, ModelSource, read_source
from studio.engine.tasks import TASKS

RECIPE = DatasetRecipe(
    source="/pictures", width=48, height=32, color="gray", resize="fill", border="reflect"
)

ONNX = b"\x08\x08\x12\x01x\x3a\x02\x0a\x00"
"""The beginning of an ONNX file: version, producer and a graph."""


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    card = ModelCard(
        run="naïve", model="m.keras", classes=("gato", "cão"), image=ImageCard.of(RECIPE)
    )
    write_atomically(tmp_path / CARD, card.model_dump_json())
    (tmp_path / "m.keras").touch()
    return tmp_path


@pytest.mark.parametrize("path", [".", "m.keras"])
def test_an_export_says_what_its_model_takes(exported: Path, path: str) -> None:
    source = read_source(exported / path)
    assert source.file == str(exported / "m.keras")
    assert (source.name, source.classes) == ("naïve", ("gato", "cão"))
    assert source.recipe is not None
    again = ImageCard.of(source.recipe)
    assert again == ImageCard.of(RECIPE)


def test_a_file_alone_says_nothing(exported: Path, tmp_path: Path) -> None:
    other = exported / "other.keras"
    other.touch()
    assert read_source(other) == ModelSource(file=str(other), name="other")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"model": "m.keras", "classes": ["a"], "image": {"width": -1, "height": 2}}',
        '{"model": "m.keras", "classes": 3, "image": {"width": 1, "height": 2}}',
        '{"model": "m.keras", "classes": ["a"], "image": {"width": 1, "height": "two"}}',
        (
            '{"model": "m.keras", "classes": ["a"], "image": '
            '{"width": 1, "height": 2, "background": "red; rm"}}'
        ),
    ],
)
def test_a_damaged_card_is_reported(exported: Path, text: str) -> None:
    (exported / CARD).write_text(text)
    with pytest.raises(BadDataError, match="card"):
        read_source(exported)


def test_a_card_cannot_lead_out_of_its_folder(exported: Path, tmp_path: Path) -> None:
    card = ModelCard(model="../../m.keras", classes=("a",), image=ImageCard.of(RECIPE))
    (exported / CARD).write_text(card.model_dump_json())
    source = read_source(exported)
    assert Path(source.file).parent == exported
    assert source.classes == ()


def test_missing_items_are_reported(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="no model file"):
        read_source(tmp_path / "gone.keras")
    with pytest.raises(BadDataError, match="no exported model"):
        read_source(tmp_path)


@pytest.fixture
def exported_onnx(tmp_path: Path) -> Path:
    """A folder with the card of an export in another format."""
    card = ModelCard(
        run="naïve",
        model="model.onnx",
        format="onnx",
        decoded=True,
        classes=("gato", "cão"),
        image=ImageCard.of(RECIPE),
    )
    folder = tmp_path / "exported"
    folder.mkdir()
    write_atomically(folder / CARD, card.model_dump_json())
    (folder / "network.json").write_text("{}")
    (folder / "model.onnx").write_bytes(ONNX)
    return folder


@pytest.mark.parametrize("name", [".", "model.onnx"])
def test_an_export_in_another_format_is_only_good_for_predictions(
    exported_onnx: Path, name: str
) -> None:
    source = read_source(exported_onnx / name, any_format=True)
    assert (source.file, source.member) == (str(exported_onnx / "model.onnx"), "")
    assert (source.name, source.format, source.decoded) == ("naïve", "onnx", True)
    with pytest.raises(StudioError, match=r"onnx|ONNX"):
        read_source(exported_onnx / name)


def test_a_packed_export_is_read_without_unpacking(exported_onnx: Path, tmp_path: Path) -> None:
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", exported_onnx))
    source = read_source(packed, any_format=True)
    assert (source.file, source.member, source.format) == (str(packed), "model.onnx", "onnx")
    assert source.classes == ("gato", "cão")

    (exported_onnx / "model.keras").touch()
    packed = Path(shutil.make_archive(str(tmp_path / "both"), "zip", exported_onnx))
    source = read_source(packed, any_format=True)
    assert (source.member, source.format, source.decoded) == ("model.keras", "keras", False)

    (exported_onnx / CARD).write_text("[]")
    packed = Path(shutil.make_archive(str(tmp_path / "damaged"), "zip", exported_onnx))
    with pytest.raises(BadDataError, match="card"):
        read_source(packed, any_format=True)


def test_a_file_of_another_program_has_no_description(exported_onnx: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "model.onnx", exported_onnx / "other.onnx"):
        path.write_bytes(ONNX)
        options = ModelOptions.of("0..1", ("a", "b"))
        source = read_source(path, any_format=True, options=options)
        assert (source.is_foreign, source.format, source.classes) == (True, "onnx", ("a", "b"))
        assert source.preprocessing == "0..1"
        with pytest.raises(StudioError, match=r"ONNX model, whose layers cannot be read"):
            read_source(path)


@pytest.mark.parametrize("task", list(TASKS))
@pytest.mark.parametrize("form", [each for each in FORMATS if not each.is_archive])
def test_every_file_of_an_export_is_read_with_its_description(
    tmp_path: Path, form: ExportFormat, task: str
) -> None:
    card = ModelCard(
        run="ours",
        model=form.file,
        format=form.name,
        task=task,
        classes=("gato", "cão"),
        image=ImageCard.of(RECIPE),
    )
    model = tmp_path / "exported" / form.file
    model.parent.mkdir()
    write_atomically(model.parent / CARD, card.model_dump_json())
    is_folder = not model.suffix
    names = ("model.xml", "model.bin") if form.name == "openvino" else ("saved_model.pb",)
    files = [model / name for name in names] if is_folder else [model]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.touch()

    for path in (model.parent, model, *files):
        source = read_source(path, any_format=True)

        assert (source.file, source.format) == (str(model), form.name)
        assert (source.task, source.classes) == (task, ("gato", "cão"))
        assert source.recipe is not None


def test_a_model_in_a_folder_of_its_own_is_of_no_export(exported_onnx: Path) -> None:
    """The card beside the folder names another model."""
    for name in ("model.xml", "model.bin"):
        (exported_onnx / "other" / name).parent.mkdir(exist_ok=True)
        (exported_onnx / "other" / name).write_text('<?xml version="1.0"?><net version="11"/>')
        source = read_source(exported_onnx / "other" / "model.xml", any_format=True)
        assert (source.is_foreign, source.format) == (True, "openvino")
