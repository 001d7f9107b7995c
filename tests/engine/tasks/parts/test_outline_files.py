"""Files of objects with outlines: each is read back, and has the same pixels."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from studio.engine.errors import BadDataError, StudioError, UnwritableError
from studio.engine.tasks.annotation_files.rle import decode
from studio.engine.tasks.parts import measured_files
from studio.engine.tasks.parts.files import PredictionWriter
from studio.engine.tasks.parts.object_files import ObjectWriter
from studio.engine.tasks.parts.objects import OUTLINE_KINDS, DetectedObject, Objects
from studio.engine.tasks.parts.outlines import filled_patch, traced
from studio.engine.tasks.parts.prediction import Prediction

NAMES, COLORS = ("cell", "debris"), ("#e69f00", "#0072b2")
LABELS = np.zeros((30, 40), np.int32)
LABELS[2:10, 3:15] = 1
LABELS[4:7, 6:9] = 0  # a hole
LABELS[12:20, 20:30] = 2
LABELS[22:28, 2:6] = 3
LABELS[22:28, 9:12] = 3  # a second part


def outlined(labels: Any = LABELS) -> Objects:
    """Return objects with the outlines of a label image."""
    objects = []
    for value, rings in traced(labels).items():
        rows, columns = np.nonzero(labels == value)
        objects.append(
            DetectedObject(
                label=NAMES[value == 3],
                score=1 - value / 10,
                left=int(columns.min()),
                top=int(rows.min()),
                right=int(columns.max()) + 1,
                bottom=int(rows.max()) + 1,
                outline=rings,
            )
        )
    return Objects(candidates=tuple(objects), size=labels.shape[::-1], has_outlines=True)


@pytest.fixture(name="written", scope="module")
def _written(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], list[Path]]:
    folder = tmp_path_factory.mktemp("outlines")
    image = folder / "plate.png"
    pixels = np.zeros((30, 40, 3), np.uint8)
    pixels[LABELS == 2] = (10, 20, 30)
    Image.fromarray(pixels).save(image)
    kinds = [kind for kind in OUTLINE_KINDS if kind != "imagej"]
    writer = PredictionWriter(folder / "out", {Objects: kinds}, NAMES, COLORS, (0.5, 0.5))
    found = writer.add(str(image), Prediction(objects=outlined()))
    return found, writer.finish()


def test_the_table_has_measurements(written: tuple[dict[str, str], list[Path]]) -> None:
    """In pixels and micrometers, with the mean of each channel."""
    table = next(path for path in written[1] if path.name == "objects.csv")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["object"] for row in rows] == ["1", "2", "3"]
    assert [row["class"] for row in rows] == ["cell", "cell", "debris"]
    assert [row["area_px"] for row in rows] == ["87", "80", "42"]
    assert [float(row["area_um2"]) for row in rows] == [21.75, 20, 10.5]
    assert [float(rows[1][f"mean_{name}"]) for name in ("red", "green", "blue")] == [10, 20, 30]
    assert (rows[1]["x"], rows[1]["y"]) == ("25.0", "16.0")


def test_annotations_are_made_only_for_coco(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("studio.engine.tasks.parts.object_files._annotation")
    writer = ObjectWriter(tmp_path, ["labels"], NAMES, COLORS)
    assert writer.add("a.png", outlined())


def test_the_label_image_has_the_numbers_of_the_table(
    written: tuple[dict[str, str], list[Path]],
) -> None:
    """The file has 16 bits; the pixels are those of the objects."""
    with Image.open(written[0]["labels"]) as image:
        assert image.mode == "I;16"
        assert (np.array(image) == LABELS).all()


def test_coco_has_polygons_and_run_lengths_of_holes(
    written: tuple[dict[str, str], list[Path]],
) -> None:
    """Polygons of COCO cannot have holes."""
    path = next(path for path in written[1] if path.name == "objects.json")
    annotations = json.loads(path.read_text("utf-8"))["annotations"]
    assert [each["area"] for each in annotations] == [87, 80, 42]
    lengths = annotations[0]["segmentation"]
    assert (decode(tuple(lengths["size"]), lengths["counts"]) == (LABELS == 1)).all()
    assert annotations[1]["segmentation"] == [[20, 12, 30, 12, 30, 20, 20, 20]]
    assert len(annotations[2]["segmentation"]) == 2
    assert annotations[1]["bbox"] == [20, 12, 10, 8]


def test_geojson_is_what_qupath_reads(written: tuple[dict[str, str], list[Path]]) -> None:
    """Detections with a class, a color and measurements; holes are rings of their polygon."""
    document = json.loads(Path(written[0]["geojson"]).read_text("utf-8"))
    first, second, third = document["features"]
    assert [len(ring) for ring in first["geometry"]["coordinates"]] == [5, 5]
    assert second["geometry"]["coordinates"][0][0] == second["geometry"]["coordinates"][0][-1]
    assert third["geometry"]["type"] == "MultiPolygon"
    assert third["properties"]["classification"] == {"name": "debris", "color": [0, 114, 178]}
    assert second["properties"]["objectType"] == "detection"
    assert second["properties"]["measurements"]["Area px^2"] == 80


def test_yolo_has_one_ring_with_the_same_pixels(
    written: tuple[dict[str, str], list[Path]],
) -> None:
    """Parts and holes are joined by lines without an area."""
    lines = Path(written[0]["yolo"]).read_text("utf-8").splitlines()
    for value, line in enumerate(lines, 1):
        label, *numbers = line.split()
        assert int(label) == (value == 3)
        points = np.array(numbers, np.float64).reshape(-1, 2) * (40, 30)
        ring = tuple((round(x, 3), round(y, 3)) for x, y in points.tolist())
        assert (filled_patch([ring], (40, 30)).whole((40, 30)) == (value == LABELS)).all()


def test_regions_of_imagej_have_the_same_corners(tmp_path: Path) -> None:
    """A region with several rings is a compound one."""
    roifile = pytest.importorskip("roifile")
    writer = ObjectWriter(tmp_path, ("imagej",), NAMES, COLORS)
    found = writer.add("plate.png", outlined())
    with zipfile.ZipFile(io.BytesIO(Path(found["imagej"]).read_bytes())) as archive:
        regions = [roifile.ImagejRoi.frombytes(archive.read(each)) for each in archive.namelist()]
    assert [each.name for each in regions] == ["00001-cell", "00002-cell", "00003-debris"]
    assert regions[1].coordinates().tolist() == [[20, 12], [30, 12], [30, 20], [20, 20]]
    assert [len(each) for each in regions[0].coordinates(multi=True)] == [5, 5]
    assert regions[2].composite


def test_more_objects_than_16_bits_make_32(tmp_path: Path) -> None:
    """No number is cut off."""
    count = 65_537
    rings = [
        (((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)),)
        for y, x in (divmod(number, 300) for number in range(count))
    ]
    objects = tuple(
        DetectedObject(label="cell", score=1, left=0, top=0, right=1, bottom=1, outline=each)
        for each in rings
    )
    part = Objects(candidates=objects, size=(300, 220), has_outlines=True)
    found = ObjectWriter(tmp_path, ("labels",), NAMES, COLORS).add("a.png", part)
    with Image.open(found["labels"]) as image:
        assert np.array(image).max() == count


def test_boxes_have_no_label_image(tmp_path: Path) -> None:
    """The error says why."""
    box = DetectedObject(label="cell", score=1, left=0, top=0, right=1, bottom=1)
    writer = ObjectWriter(tmp_path, ("labels",), NAMES, COLORS)
    with pytest.raises(StudioError, match="predicts boxes"):
        writer.add("a.png", Objects(candidates=(box,), size=(9, 9)))


def test_data_names_objects_and_rings() -> None:
    """JSON data of objects with outlines."""
    document: Any = outlined().document()["objects"]
    assert document[1]["outline"] == [[[20, 12], [30, 12], [30, 20], [20, 20]]]
    assert [len(each["outline"]) for each in document] == [2, 1, 2]
    assert outlined().cells() == {"objects": 3, "count cell": 2, "count debris": 1}


@pytest.mark.parametrize(("kind", "last"), [("labels", 40), ("imagej", 32_768)])
def test_pictures_that_are_too_large_for_a_kind_are_refused_alone(
    tmp_path: Path, kind: str, last: int
) -> None:
    if kind == "imagej":
        pytest.importorskip("roifile")
    ring = ((0.0, 0.0), (last, 0.0), (last, 9.0))
    each = DetectedObject(
        label="cell", score=1, left=0, top=0, right=last, bottom=9, outline=(ring,)
    )
    part = Objects(candidates=(each,), size=(65_536, 65_536), has_outlines=True)
    writer = ObjectWriter(tmp_path, (kind,), NAMES, COLORS)
    with pytest.raises(UnwritableError, match=r"^large\.tif: "):
        writer.add("large.tif", part)
    assert writer.add("a.png", outlined()).keys() == {kind}


def test_the_pixel_size_of_a_file_that_cannot_be_decoded_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class File:
        info = SimpleNamespace(pixel_size_um=(0.5, 0.5))

        def plane(self, number: int) -> None:
            raise BadDataError(f"plane {number} is too large for memory")

    monkeypatch.setattr(measured_files, "open_picture", lambda _path: nullcontext(File()))
    writer = ObjectWriter(tmp_path, ("csv",), NAMES, COLORS)
    writer.add("large.tif", outlined())
    assert "area_um2" in writer.finish()[0].read_text()
    assert [each[:10] for each in writer.warnings] == ["large.tif:"]
