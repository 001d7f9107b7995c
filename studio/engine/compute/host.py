"""The engine host: Keras kept warm, short questions answered, one JSON object per line.

Standard output carries answers only; whatever libraries print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.inference import library_speed, requests
from studio.engine.jobs.answering import Operation, refusal, reply, write_answer
from studio.engine.jobs.host import HOST_PROTOCOL
from studio.engine.labeling import questions as labeling
from studio.engine.networks.spec import (
    NetworkSpec,
    PresetRequest,
    ReadModelRequest,
    WriteModelRequest,
)
from studio.engine.training.backends import default_backend, installed_backend


def main() -> int:
    """Answer questions from standard input until it is closed."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        backend = installed_backend(os.environ.get("KERAS_BACKEND", default_backend()))
        prepare_backend(backend, deterministic=False, seed=0, threads=None)
    except StudioError as error:
        for line in sys.stdin.buffer:
            write_answer(answers, refusal(json.loads(line)["id"], error))
        return 0
    operations = _operations()
    write_answer(answers, {"protocol": HOST_PROTOCOL, "backend": backend})
    for line in sys.stdin.buffer:
        write_answer(answers, reply(operations, line))
    return 0


def _operations() -> dict[str, Operation]:
    # Only now: Keras is imported by these, after its backend was chosen.
    from studio.engine.compute.explain import Explainer  # noqa: PLC0415
    from studio.engine.compute.forward import Outliner  # noqa: PLC0415
    from studio.engine.compute.hub import import_preset  # noqa: PLC0415
    from studio.engine.compute.inspection import Examiner  # noqa: PLC0415
    from studio.engine.compute.labeling import LabelFeatures  # noqa: PLC0415
    from studio.engine.compute.layer_views import LayerViewer  # noqa: PLC0415
    from studio.engine.compute.model_files import read, write  # noqa: PLC0415
    from studio.engine.compute.nearest import NeighborFinder  # noqa: PLC0415
    from studio.engine.compute.predict import PicturePredictor  # noqa: PLC0415
    from studio.engine.compute.prompts.scoring import PromptScorer  # noqa: PLC0415
    from studio.engine.compute.read import expand  # noqa: PLC0415
    from studio.engine.compute.speed import measure_speed  # noqa: PLC0415
    from studio.engine.compute.warm_models import WarmModels  # noqa: PLC0415

    models = WarmModels()
    outliner = Outliner(models)
    return {
        "predict": (requests.PredictRequest, PicturePredictor(models).predict),
        "explain": (requests.ExplainRequest, Explainer(models, outliner).answer),
        "outline": (requests.OutlineRequest, outliner.answer),
        "layers": (requests.LayersRequest, LayerViewer(models).answer),
        labeling.OPERATION: (labeling.FeaturesRequest, LabelFeatures().answer),
        labeling.PROMPTS_OPERATION: (labeling.PromptsRequest, PromptScorer().answer),
        "neighbors": (requests.NeighborsRequest, NeighborFinder(models, outliner).answer),
        "examine": (NetworkSpec, Examiner().examine),
        "expand": (NetworkSpec, expand),
        "read_model": (ReadModelRequest, read),
        "write_model": (WriteModelRequest, write),
        "import_preset": (PresetRequest, import_preset),
        library_speed.OPERATION: (library_speed.SpeedRequest, measure_speed),
    }
