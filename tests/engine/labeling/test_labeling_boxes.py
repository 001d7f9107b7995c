"""Boxes of a labeling become annotation files of every format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from labeling_pictures import color_labeling

from studio.engine.datasets.sources.annotated import FoundFiles
from studio.engine.labeling.output import export_labels, label_forms
from studio.engine.labeling.values import BoxesValue
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import AnnotationOptions, BoxAnnotations
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.workspace import Workspace


@pytest.mark.parametrize("form", label_forms(DETECTION))
def test_boxes_are_read_back(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setitem(TASKS, DETECTION.name, DETECTION)
    labeling = color_labeling(workspace, tmp_path / "in", 4, DETECTION.name)
    assert labeling.editor.kind == "boxes"
    boxes = BoxesValue(boxes=((1, 2, 3, 12, 9, 0), (2, 0, 0, 24, 16, 0)))
    labeling.label(0, boxes, "drawn")
    labeling.label(1, BoxesValue(), "drawn")
    labeling.label(2, BoxesValue(boxes=((0, 1, 1, 5, 6, 0),)), "drawn")
    folder = export_labels(labeling, form, tmp_path / "out")

    files = FoundFiles(folder, "").annotated
    reader = next(each for each in DETECTION.source.export_formats if each.export == form)
    found = reader.read(files, AnnotationOptions(), SilentProgress())
    assert isinstance(found, BoxAnnotations)
    by_stem = {Path(each.path).stem: each for each in found.pictures}
    assert set(by_stem) == {"0000", "0001", "0002"}
    read, reasons = found.boxes(by_stem["0000"].annotation, (24, 16))
    assert reasons == []
    names = [found.names[int(index)] for index in read[:, 0]]
    order = np.argsort(names)
    assert [names[row] for row in order] == ["blue", "green"]
    np.testing.assert_allclose(read[order, 1:5], [[0, 0, 24, 16], [2, 3, 12, 9]], atol=0.01)
    assert labeling.counts() == [1, 1, 1]
