"""Readers of what another Studio, or a user with an editor, may have written."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from source_cases import as_dataset, pictures

from fuzz.mutations import spoiled_bytes, spoiled_json, spoiled_lines
from fuzz.readers import Reader
from helpers.evaluations import learned, report_of
from helpers.runs import fake_run
from studio.engine.datasets.edits import Exclude, Relabel, read_edits
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.datasets.versions import edit_dataset, undo, version_summary
from studio.engine.embeddings.embedding import Embedding, read_embedding, write_embedding
from studio.engine.errors import raise_if_serious
from studio.engine.evaluation.class_layout import CLASSES_FILE
from studio.engine.evaluation.evaluated_classes import (
    Predictions,
    open_probabilities,
    read_answers,
    read_predictions,
    write_predictions,
)
from studio.engine.evaluation.opened import OpenedEvaluation
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.inference.models import CARD, ImageCard, ModelCard, read_card
from studio.engine.jobs.commands import COMMANDS_FILE, CommandReader, JobCommand
from studio.engine.jobs.events import (
    Amended,
    Note,
    ProgressMade,
    RequestsHandled,
    Result,
    UsageSampled,
    encode,
)
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.networks.checks import check
from studio.engine.networks.code import keras_code
from studio.engine.networks.fitting import fitted
from studio.engine.networks.library import is_export, read_export, read_network
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import Plan
from studio.engine.review.corrections import ReviewQueue
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged, TrialMoved, TrialRun
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import space_problems
from studio.engine.sweeps.space import grid_size
from studio.engine.sweeps.study import STUDY_FILE, StoredTrial, SweepStudy
from studio.engine.training.comparison import csv_text, epoch_rows, step_rows
from studio.engine.training.doctor import TrainingHistory, diagnose
from studio.engine.training.history import (
    ComparedMethod,
    InsightStored,
    MethodsCompared,
    RunJob,
    Saved,
    ValidationDone,
)
from studio.engine.training.insights import (
    Insight,
    LayerNorm,
    PicturePredictions,
    ValidationPredictions,
    read_insight,
    read_norms,
    write_insight,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.engine.workspace.records import PLAN_FILE, RECORD_FILE

Seeds = Callable[[Path], Sequence[bytes]]


def _plan_seed(plan: Callable[[], Plan]) -> Seeds:
    return lambda _folder: [plan().to_json().encode()]


def _training() -> TrainingPlan:
    return TrainingPlan.parse({"dataset": "d", "epochs": 3, "design": _spec().model_dump()})


def _sweep() -> SweepPlan:
    varied = ("learning_rate=0.1..0.3:count=4", "batch_size=2,4,8", "dropout=0..0.5:step=0.1")
    dimensions = [each.model_dump() for each in parse_dimensions(varied[:2])]
    base = {"dataset": "d", "network": "mlp"}
    return SweepPlan.parse({"base": base, "dimensions": dimensions})


def _read_plan(kind: RecordKind) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        plan = read_plan(Record(kind, folder))
        if isinstance(plan, SweepPlan):
            raise_if_serious(space_problems(plan))
            grid_size(plan)
        if isinstance(plan, TrainingPlan) and plan.design is not None:
            raise_if_serious(check(plan.design))
        return plan.to_json()

    return read


def _recipe_seed(folder: Path) -> list[bytes]:
    from dataset_pictures import recipe

    return [recipe("/pictures", only_classes=["a", "b"]).to_json().encode()]


def _info_seed(folder: Path) -> list[bytes]:
    record = fake_run(Workspace.open(folder / "w"), "größe قط 🐈", [0.5])
    return [(record.folder / RECORD_FILE).read_bytes()]


def _marker_seed(folder: Path) -> list[bytes]:
    return [(Workspace.open(folder).root / "studio.json").read_bytes()]


def _journal_seed(folder: Path) -> list[bytes]:
    record = fake_run(Workspace.open(folder / "w"), "run", [0.5, 0.7, 0.6])
    run = TrialRun(name="r", id="x-1", measured=(0.5,))
    method = ComparedMethod(name="a Gaussian", maps="fine", score=0.9)
    more = [
        Amended(changes={"learning_rate": 0.1}),
        ProgressMade(done=3, total=9, what="x"),
        ValidationDone(epoch=0.5, step=2, metrics={"val_loss": 0.5}, learning_rate=0.1),
        Saved(step=4, epoch=1),
        UsageSampled(seconds=2, waiting=1),
        InsightStored(epoch=1, step=4, path="insights/step-000004.npz"),
        MethodsCompared(methods=(method,), chosen=0, rows=(1,), good=(0.5,), drawn=(2.0,)),
        Note(message="قط"),
        TrialChanged(number=1, values={"batch_size": 2}, state=State.COMPLETED, runs=(run,)),
        TrialMoved(values={"batch_size": 2}, before={"batch_size": 4}),
        RequestsHandled(offset=10),
        Result(values={"accuracy": 0.5}),
    ]
    text = (record.folder / JOURNAL_FILE).read_bytes() + b"".join(map(encode, more))
    return [text]


def _read_journal(folder: Path) -> object:
    job = RunJob(Record(RecordKind.RUN, folder))
    job.refresh()
    history = job.history
    reported = history.fraction, history.best, history.best_epoch, history.seconds_left(1e9)
    csv_text(epoch_rows(history)), csv_text(step_rows(history))
    plan = TrainingPlan.parse({"dataset": "d"})
    diagnose(TrainingHistory.of(history, plan))
    assert len(history.steps_of("loss")) < 10_000_000
    return reported


def _commands_seed(folder: Path) -> list[bytes]:
    requests = [
        JobCommand(command="rate", attempt=1, value=0.5),
        JobCommand(command="amend", attempt=1, changes={"values": {"batch_size": 2}}),
        JobCommand(command="stop", attempt=1),
    ]
    return [b"".join(b"\n" + each.model_dump_json().encode() + b"\n" for each in requests)]


def _read_commands(folder: Path) -> object:
    return CommandReader(folder, 1, since=0).poll(at_once=True)


def _spec() -> NetworkSpec:
    return ZOO["lenet"].build((28, 28, 1), 10)


def _network_seed(folder: Path) -> list[bytes]:
    return [_spec().to_json().encode(), ZOO["resnet18"].build((64, 64, 3), 3).to_json().encode()]


def _read_network(folder: Path) -> object:
    spec = read_network(folder / "network.json")
    raise_if_serious(check(spec))
    fitted(spec, (32, 32, 3), 5)
    return keras_code(spec)


def _card_seed(folder: Path) -> list[bytes]:
    image = ImageCard(width=8, height=8)
    card = ModelCard(model="model.keras", classes=("a", "قط"), image=image)
    return [card.model_dump_json().encode()]


def _export_seed(folder: Path) -> list[bytes]:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("labels.json", _card_seed(folder)[0])
        archive.writestr("network.json", _spec().to_json())
        archive.writestr("model.keras", b"x" * 300)
    return [file.getvalue()]


def _read_export(folder: Path) -> object:
    is_export(folder / "export.zip")
    return read_export(folder / "export.zip")


def _review_seed(folder: Path) -> list[bytes]:
    queue = ReviewQueue(folder)
    for number, picture in enumerate(pictures(["a"], 3)):
        (folder / "p.png").write_bytes(picture.data)
        queue.add(folder / "p.png", f"قط {number}", "r", ("a", 0.5), "b")
    return [(queue.folder / "queue.jsonl").read_bytes()]


def _read_review(folder: Path) -> object:
    queue = ReviewQueue(folder)
    return [queue.picture(each) for each in queue.corrections()]


def _edits_seed(folder: Path) -> list[bytes]:
    made = as_dataset(folder, pictures(["a", "b"], 6))
    edit_dataset(made, [Exclude(rows="0-2")])
    edit_dataset(made, [Relabel(rows="3", label=1)], "قط")
    undo(made)
    return [(made / "edits.jsonl").read_bytes()]


def _read_edits(folder: Path) -> object:
    read_edits(folder / "dataset")
    version_summary(folder / "dataset")
    return Store.open(folder / "dataset").class_counts()


def _study_seed(folder: Path) -> list[bytes]:
    study = SweepStudy(_sweep(), folder)
    for ending in ("complete", "pruned", "fail"):
        asked = study.ask()
        assert asked is not None
        study.report(asked.number, 1, 0.5)
        study.tell(asked.number, ending, (0.5,))
    study.ask()
    return [(folder / STUDY_FILE).read_bytes()]


def _read_study(folder: Path) -> object:
    """What the leader of a sweep does with it at its start, and again when it is resumed."""
    rows = [StoredTrial(0, {"learning_rate": 0.1, "batch_size": 2}, "COMPLETE", (0.5,))]
    for _ in range(2):
        study = SweepStudy(_sweep(), folder)
        study.restore(rows)
        study.running()
        asked = study.ask()
        if asked is not None:
            study.tell(asked.number, "complete", (0.7,))
    return study


def _answers() -> ValidationPredictions:
    rows, labels = np.arange(5), np.arange(5, dtype=np.int32) % 2
    return ValidationPredictions(
        rows.astype(np.int64), labels, 1 - labels, np.full(5, 0.5, np.float32), 5
    )


def _insight_seed(folder: Path) -> list[bytes]:
    answers = _answers()
    two = np.zeros((5, 2), np.int32)
    predictions = PicturePredictions(answers.rows, answers.truth, two, two.astype(np.float32))
    norms = (LayerNorm("dense", 1.0, 2.0, 3.0),)
    path = write_insight(folder, Insight(1.0, 4, 2, answers, predictions, norms))
    return [path.read_bytes()]


def _read_insight(folder: Path) -> object:
    path = folder / "insights" / "step-000004.npz"
    read_norms(path)
    insight = read_insight(path)
    return insight.confusion(), insight.answers.mistakes()


def _predictions_seed(folder: Path) -> list[bytes]:
    answers = _answers()
    predictions = Predictions(answers.rows, answers.predicted, answers.scores)
    return [write_predictions(folder, predictions, answers.truth).read_bytes()]


def _read_predictions(folder: Path) -> object:
    return read_predictions(folder), read_answers(folder)


def _open_evaluation(folder: Path) -> object:
    return OpenedEvaluation.open(Workspace(folder.parent), folder)


def _report_seed(folder: Path) -> list[bytes]:
    probabilities, labels = learned(40, 3, 0)
    report = report_of(probabilities, labels)
    _predictions_seed(folder)
    return [report.model_dump_json().encode()]


def _table_seed(folder: Path) -> list[bytes]:
    file = io.BytesIO()
    np.save(file, np.full((5, 2), 0.5, np.float32))
    return [file.getvalue()]


def _embedding_seed(folder: Path) -> list[bytes]:
    answers = _answers()
    floats = np.zeros((5, 2), np.float32)
    embedding = Embedding(
        answers.rows,
        floats,
        floats,
        answers.truth,
        answers.truth.astype(np.int8),
        answers.predicted,
        answers.scores,
        ("a", "قط"),
        ("a", "قط"),
        ("1", "2", "3", "4", "5"),
        "layer",
        "pca",
        (0.5, 0.4),
    )
    path = folder / "embedding.npz"
    write_embedding(path, embedding)
    return [path.read_bytes()]


def _with_code(names: Sequence[str]) -> Callable[[Path], list[bytes]]:
    """Arrays of Python objects in the place of each column."""
    from fuzz.pictures_read import payloads

    def made(canary: Path) -> list[bytes]:
        found = []
        for name in names:
            for payload in payloads(canary):
                file = io.BytesIO()
                columns = {each: np.zeros(5, np.int32) for each in names}
                np.savez(file, **{**columns, name: np.array([payload] * 5, object)})  # type: ignore[arg-type]
                found.append(file.getvalue())
        return found

    return made


READERS = [
    Reader(
        "training plan",
        PLAN_FILE,
        _plan_seed(_training),
        _read_plan(RecordKind.RUN),
        300,
        spoiled_json,
    ),
    Reader("recipe", PLAN_FILE, _recipe_seed, _read_plan(RecordKind.DATASET), 150, spoiled_json),
    Reader(
        "sweep", PLAN_FILE, _plan_seed(_sweep), _read_plan(RecordKind.SWEEP), 200, spoiled_json
    ),
    Reader(
        "evaluation plan",
        PLAN_FILE,
        _plan_seed(lambda: EvaluationPlan.parse({"run": "r"})),
        _read_plan(RecordKind.EVALUATION),
        60,
        spoiled_json,
    ),
    Reader(
        "record",
        RECORD_FILE,
        _info_seed,
        lambda folder: Record(RecordKind.RUN, folder).info(),
        150,
        spoiled_json,
    ),
    Reader("workspace", "studio.json", _marker_seed, Workspace.open, 100, spoiled_json),
    Reader("journal", JOURNAL_FILE, _journal_seed, _read_journal, 700, spoiled_lines),
    Reader("commands", COMMANDS_FILE, _commands_seed, _read_commands, 200, spoiled_lines),
    Reader("network", "network.json", _network_seed, _read_network, 250, spoiled_json),
    Reader("model card", CARD, _card_seed, read_card, 120, spoiled_json),
    Reader("export", "export.zip", _export_seed, _read_export, 150),
    Reader("study", STUDY_FILE, _study_seed, _read_study, 120, spoiled_lines),
    Reader("review queue", "review/queue.jsonl", _review_seed, _read_review, 150, spoiled_lines),
    Reader("edits", "dataset/edits.jsonl", _edits_seed, _read_edits, 120, spoiled_lines),
    Reader(
        "summary",
        "dataset/summary.json",
        lambda folder: _edits_seed(folder) and [(folder / "dataset/summary.json").read_bytes()],
        lambda folder: version_summary(folder / "dataset", 0),
        60,
        spoiled_json,
    ),
    Reader(
        "skipped",
        "skipped.json",
        lambda _folder: [json.dumps([{"path": "a", "reason": "b", "line": 3}]).encode()],
        read_skipped,
        60,
        spoiled_json,
    ),
    Reader(
        "insight",
        "insights/step-000004.npz",
        _insight_seed,
        _read_insight,
        150,
        spoiled_bytes,
        _with_code(("head", "rows", "norm_names", "norms")),
    ),
    Reader(
        "predictions",
        "predictions.npz",
        _predictions_seed,
        _read_predictions,
        120,
        spoiled_bytes,
        _with_code(("rows", "truth", "classes", "scores")),
    ),
    Reader("probabilities", "probabilities.npy", _table_seed, open_probabilities, 80),
    Reader(
        "map",
        "embedding.npz",
        _embedding_seed,
        lambda folder: read_embedding(folder / "embedding.npz").right(),
        120,
        spoiled_bytes,
        _with_code(("rows", "paths", "about")),
    ),
    Reader("evaluation", CLASSES_FILE, _report_seed, _open_evaluation, 120, spoiled_json),
]
