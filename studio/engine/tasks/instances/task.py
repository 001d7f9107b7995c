"""Declares the task."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from studio.engine.tasks.annotation_source import AnnotationFiles
from studio.engine.tasks.detection.task import BOX_LOSS
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.outputs import OBJECT_MASKS, STARS
from studio.engine.tasks.task import Capabilities, NetworkFamily, Task, region_refusals

_COCO_PAPER: Final = "Lin et al., Microsoft COCO: common objects in context, ECCV 2014"
_MASK_PAPER: Final = "Bolya et al., YOLACT: real-time instance segmentation, ICCV 2019"
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
    summary="Sum of the losses of the scores and the outlines, or of the scores, the boxes and "
    "the masks.",
)
SCORE_LOSS = MetricSpec(
    name="score_loss",
    label="Score loss",
    validation_label="Val score loss",
    higher_is_better=False,
    summary="Cross-entropy between the scores of positions and how far inside of their object "
    "they are, or how well their box fits.",
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
    outputs=(STARS.name,),
    beside=LOSS.name,
)

_BOX_LOSS = replace(BOX_LOSS, outputs=(OBJECT_MASKS.name,))
MASK_LOSS = MetricSpec(
    name="mask_loss",
    label="Mask loss",
    validation_label="Val mask loss",
    higher_is_better=False,
    summary="Cross-entropy and Dice loss of the predicted masks; of networks for masks.",
    source=_MASK_PAPER,
    outputs=(OBJECT_MASKS.name,),
    beside=LOSS.name,
)

_LABELS: Final = "labels are how far inside of their object positions are"
_MASKS = NetworkFamily(
    output=OBJECT_MASKS,
    head="studio.engine.networks.heads.object_masks",
    learning="studio.engine.compute.tasks.instance_masks",
    output_text="For each position of several grids over the image: a score per class, and the "
    "distances to the four sides of a box with 28 coefficients of its mask. The finest grid has "
    "the maps instead that the coefficients weigh.",
)

INSTANCES = Task(
    name="instances",
    target_kind="outlines",
    label="Instance segmentation",
    metrics=(MASK_AP, LOSS, MASK_AP50, SCORE_LOSS, DISTANCE_LOSS, _BOX_LOSS, MASK_LOSS),
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
    other_families=(_MASKS,),
    summary="objects with classes, each with its own mask",
    sample="touching_cells",
    refused=region_refusals("a head that predicts outlines is trained by gradient descent")
    | {"label_smoothing": _LABELS},
    min_outputs=1,
)
