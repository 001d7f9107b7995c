"""Declares the task."""

from __future__ import annotations

from typing import Final

from studio.engine.tasks.annotation_source import AnnotationFiles
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.outputs import STARS
from studio.engine.tasks.task import Capabilities, Task, region_refusals

_COCO_PAPER: Final = "Lin et al., Microsoft COCO: common objects in context, ECCV 2014"
STAR_PAPER: Final = "Schmidt et al., Cell detection with star-convex polygons, MICCAI 2018"
MASK_AP = fraction_metric(
    name="mask_ap",
    label="Mask AP",
    validation_label="Val mask AP",
    summary="Mean over the classes and over ten overlaps from 50 to 95 % of the average precision "
    "of the masks. During training it is approximate; evaluations compute it exactly.",
    source=_COCO_PAPER,
)
MASK_AP50 = fraction_metric(
    name="mask_ap50",
    label="Mask AP50",
    validation_label="Val mask AP50",
    summary="Mean over the classes of the average precision of masks that overlap their object by "
    "at least 50 %. During training it is approximate.",
    source=_COCO_PAPER,
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Sum of the loss of the scores and the loss of the distances.",
)
SCORE_LOSS = MetricSpec(
    name="score_loss",
    label="Score loss",
    validation_label="Val score loss",
    higher_is_better=False,
    summary="Cross-entropy between the scores of positions and how far inside of their object "
    "they are.",
    source=STAR_PAPER,
    beside=LOSS.name,
)
DISTANCE_LOSS = MetricSpec(
    name="distance_loss",
    label="Distance loss",
    validation_label="Val distance loss",
    higher_is_better=False,
    summary="Difference between the predicted and true distances to the outlines of the objects.",
    source=STAR_PAPER,
    beside=LOSS.name,
)

_LABELS: Final = "labels are how far inside of their object positions are"

INSTANCES = Task(
    name="instances",
    target_kind="outlines",
    label="Instance segmentation",
    metrics=(MASK_AP, LOSS, MASK_AP50, SCORE_LOSS, DISTANCE_LOSS),
    step_metrics=(LOSS.name,),
    learning="studio.engine.compute.tasks.instances",
    view="studio.ui.tasks.instances.view:VIEW",
    prediction="studio.engine.tasks.instances.prediction",
    activation="sigmoid",
    answers="scores of the classes and distances to outlines",
    annotations="studio.engine.tasks.instances.targets",
    source=AnnotationFiles("studio.engine.tasks.instances.formats"),
    regions="studio.engine.tasks.instances.geometry",
    report="studio.engine.tasks.instances.report",
    audit="studio.engine.datasets.audit.instance_checks",
    import_fields=("keep_empty", "least_visible"),
    output=STARS,
    head="studio.engine.networks.heads.stars",
    labeling="studio.engine.labeling.editors.instances",
    advice="studio.engine.training.advice.instances",
    capabilities=Capabilities(
        stored_features=False,
        decoding=True,
        missing={
            "plain_script": "its loss measures distances to outlines in every step",
        },
    ),
    score_metric=MASK_AP50.name,
    output_text="For each position of a grid over the image: a score per class, and the distances "
    "to the outline of its object in 32 directions.",
    summary="objects with classes, each with its own mask",
    sample="touching_cells",
    refused=region_refusals("a head that predicts outlines is trained by gradient descent")
    | {"label_smoothing": _LABELS},
    min_outputs=1,
)
