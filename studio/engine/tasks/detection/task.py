"""Declares the task."""

from __future__ import annotations

from studio.engine.tasks.annotation_source import AnnotationFiles
from studio.engine.tasks.detection.script import SCRIPT
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.outputs import POSITIONS
from studio.engine.tasks.task import WHOLE_IMAGES, Capabilities, Task, region_refusals

_COCO_PAPER = "Lin et al., Microsoft COCO: common objects in context, ECCV 2014"
MAP = fraction_metric(
    name="map",
    label="mAP",
    validation_label="Val mAP",
    summary="Mean over the classes and over ten overlaps from 50 to 95 % of the average precision "
    "of the boxes. During training it is approximate; evaluations compute it exactly.",
    source=_COCO_PAPER,
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Sum of the loss of the classes and the loss of the boxes.",
)
AP50 = fraction_metric(
    name="ap50",
    label="AP50",
    validation_label="Val AP50",
    summary="Mean over the classes of the average precision of boxes that overlap their object by "
    "at least 50 %. During training it is approximate.",
    source="Everingham et al., The Pascal Visual Object Classes Challenge, IJCV 2010",
)
CLASS_LOSS = MetricSpec(
    name="class_loss",
    label="Class loss",
    validation_label="Val class loss",
    higher_is_better=False,
    summary="Cross-entropy between the scores and the overlaps of the boxes with their objects.",
    source="Zhang et al., VarifocalNet: an IoU-aware dense object detector, CVPR 2021",
    beside=LOSS.name,
)
BOX_LOSS = MetricSpec(
    name="box_loss",
    label="Box loss",
    validation_label="Val box loss",
    higher_is_better=False,
    summary="Generalized IoU loss of the boxes that are assigned to an object.",
    source="Rezatofighi et al., Generalized intersection over union, CVPR 2019",
    beside=LOSS.name,
)

_LABELS = "labels are the overlaps of boxes with their objects"

DETECTION = Task(
    name="detection",
    target_kind="boxes",
    label="Detection",
    metrics=(MAP, LOSS, AP50, CLASS_LOSS, BOX_LOSS),
    step_metrics=(LOSS.name,),
    learning="studio.engine.compute.tasks.detection",
    view="studio.ui.tasks.detection.view:VIEW",
    prediction="studio.engine.tasks.detection.prediction",
    activation="sigmoid",
    answers="scores of the classes and sides of boxes",
    annotations="studio.engine.tasks.detection.targets",
    source=AnnotationFiles(
        "studio.engine.tasks.detection.formats",
        headings=("path", "class", "xmin", "ymin", "xmax", "ymax"),
    ),
    regions="studio.engine.tasks.detection.geometry",
    audit="studio.engine.datasets.audit.box_checks",
    import_fields=("keep_empty", "least_visible"),
    report="studio.engine.tasks.detection.report",
    output=POSITIONS,
    head="studio.engine.networks.heads.boxes",
    labeling="studio.engine.labeling.editors.boxes",
    advice="studio.engine.training.advice.boxes",
    special_fields=(
        "augmentation.mosaic",
        "augmentation.object_crop",
        "augmentation.least_visible",
    ),
    capabilities=Capabilities(decoding=True, stored_features=False, detector_features=True),
    script=SCRIPT,
    score_metric=AP50.name,
    output_text="For each of many positions of the image: a score per class, and the distances to "
    "the four sides of a box.",
    summary="boxes of objects with classes",
    sample="shapes_detection",
    refused=region_refusals("a head that predicts boxes is trained by gradient descent")
    | WHOLE_IMAGES
    | {"label_smoothing": _LABELS},
    min_outputs=1,
)
