"""Tools for annotation whose files have shapes: one file each.

To add a tool: 1. write `<name>.py` with a `DrawingTool`; 2. list it below. Boxes and masks are
both read from its shapes.
"""

from __future__ import annotations

from studio.engine.tasks.annotation_files.tools.base import DrawingTool
from studio.engine.tasks.annotation_files.tools.bdd100k import Bdd100k
from studio.engine.tasks.annotation_files.tools.coco_labels import CocoLabels
from studio.engine.tasks.annotation_files.tools.create_ml import CreateMl
from studio.engine.tasks.annotation_files.tools.cvat import Cvat
from studio.engine.tasks.annotation_files.tools.label_studio import LabelStudio
from studio.engine.tasks.annotation_files.tools.labelme import LabelMeFiles
from studio.engine.tasks.annotation_files.tools.oxford_pets import OxfordPetLists
from studio.engine.tasks.annotation_files.tools.supervisely import Supervisely
from studio.engine.tasks.annotation_files.tools.via import Via
from studio.engine.tasks.annotation_files.tools.wider_face import WiderFace

LABELME = LabelMeFiles()
COCO_LABELS = CocoLabels()
TOOLS: tuple[DrawingTool, ...] = (
    LabelStudio(),
    Cvat(),
    Via(),
    CreateMl(),
    Bdd100k(),
    Supervisely(),
    WiderFace(),
    LABELME,
)
LABEL_TOOLS: tuple[DrawingTool, ...] = (
    *(tool for tool in TOOLS if tool.labels),
    OxfordPetLists(),
    COCO_LABELS,
)
"""Those whose files may have labels of whole pictures."""
