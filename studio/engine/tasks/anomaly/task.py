"""Declares the task."""

from __future__ import annotations

from typing import Final

from studio.engine.tasks.anomaly.source import GoodImages
from studio.engine.tasks.metric import MetricSpec, fraction_metric
from studio.engine.tasks.outputs import ANOMALY_MAP
from studio.engine.tasks.task import WHOLE_IMAGES, Capabilities, Task, region_refusals

GOOD: Final = "good"
"""Name of the class of images, and of pixels, without a defect."""
DEFECT: Final = "defect"
"""Name of the class of defects where no kinds are known."""

AUROC = fraction_metric(
    name="auroc",
    label="AUROC",
    validation_label="Val AUROC",
    summary="Probability that an image with a defect has a higher score than a good one. During "
    "training, the defects are drawn on good images, since real ones are not needed.",
    source="Hanley, McNeil, The meaning and use of the area under a ROC curve, Radiology 1982",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean anomaly score of good images; 1 is the threshold.",
)


ANOMALY = Task(
    name="anomaly",
    target_kind="anomalies",
    label="Anomaly detection",
    metrics=(AUROC, LOSS),
    step_metrics=(LOSS.name,),
    learning="studio.engine.compute.tasks.anomaly",
    view="studio.ui.tasks.anomaly.view:VIEW",
    prediction="studio.engine.tasks.anomaly.prediction",
    activation="relu",
    answers="anomaly scores of the pixels",
    annotations="studio.engine.tasks.anomaly.targets",
    source=GoodImages(
        "studio.engine.tasks.anomaly.formats",
        "studio.engine.tasks.anomaly.good_classes",
        "studio.engine.tasks.anomaly.folders",
    ),
    regions="studio.engine.tasks.anomaly.geometry",
    audit="studio.engine.datasets.audit.defect_checks",
    report="studio.engine.tasks.anomaly.report",
    output=ANOMALY_MAP,
    head="studio.engine.networks.heads.anomaly_map",
    labeling="studio.engine.labeling.editors.defects",
    advice="studio.engine.training.advice.good_images",
    capabilities=Capabilities(
        familiarity=False,
        stored_features=False,
        missing={
            "plain_script": "it is fitted without gradients",
        },
    ),
    output_text="A map as large as the image for each class. That of good parts is 0; the others "
    "hold the anomaly score of each pixel, from 0; 1 is the threshold of the training.",
    summary="good images; defects, if any, only to measure",
    sample="textures",
    refused=region_refusals("good images are described by Gaussians, without a linear head")
    | WHOLE_IMAGES,
    min_outputs=2,
)
