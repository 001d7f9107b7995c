"""Does a preflight: a few steps of a training, measured, and perhaps a search for its rate."""

from __future__ import annotations

import copy
import gc
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.engine.compute.train import prepared
from studio.engine.datasets.splits import SKIPPED, SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.documents import REPORT
from studio.engine.jobs.events import Event, ProgressMade
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import Message, message
from studio.engine.networks.parts import NONE
from studio.engine.networks.spec import NetworkSpec
from studio.engine.timing import BUSY, ProcessorLoad
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import (
    PreflightPlan,
    PreflightReport,
    RateCurve,
    Throughput,
    Warned,
)
from studio.engine.training.requests import training_problems
from studio.engine.training.trainers import trainer_of

# What a preflight knows beside its measurements: features, fewer images.

FEATURED = 256
"""Images whose features are computed where the frozen layers go through them once, at least."""
FEATURED_BATCHES = 10


class FeatureTime:
    """Hears how fast features are computed."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None
        self._last = (0.0, 0)

    def observe(self, event: Event) -> None:
        """Handle an event of the journal."""
        if isinstance(event, ProgressMade) and event.what == "Computing features":
            self._last = (event.t, event.done)
            self._first = self._first or self._last

    @property
    def seconds(self) -> float:
        """Seconds spent on the features."""
        return 0.0 if self._first is None else self._last[0] - self._first[0]

    @property
    def image_seconds(self) -> float:
        """Seconds of each image; 0 where all were kept from before."""
        if self._first is None or self._last[1] <= self._first[1]:
            return 0.0
        return self.seconds / (self._last[1] - self._first[1])


def some_of(store: Store, batch_size: int) -> Store:
    """Return a dataset with fewer, evenly spread images, so that features are computed quickly.

    Args:
        store: The dataset.
        batch_size: Images per batch.
    """
    some, split = copy.copy(store), np.full_like(store.split, SKIPPED)
    for name in SPLIT_NAMES[:2]:
        rows = store.rows(name)
        most = max(FEATURED, FEATURED_BATCHES * batch_size) if name == "train" else FEATURED
        if len(rows) > most:
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]
        split[rows] = store.split[rows]
    some.split = split
    return some


if TYPE_CHECKING:
    from studio.engine.compute.measuring import Measuring, Timed
    from studio.engine.compute.on_features import TrainingSetup
    from studio.engine.compute.optimizers import RateTable

_PARTS = 100
_MEASURED = 40
"""Parts of the progress bar of a preflight check that also searches for a rate."""


def preflight(context: JobContext) -> State:
    """Do a preflight job; the report is written beside the plan, and its figures are the result.

    Raises:
        StudioError: The network does not fit the images, or the weights are missing.
        BadDataError: The dataset cannot be read.
        Cancelled: The job was asked to end.
    """
    began = time.perf_counter()
    asked = context.job.plan(PreflightPlan)
    plan = asked.training
    store, spec = prepared(context, plan)
    work = _Preflight(context, asked, store, spec, began)
    with store.stays_mapped():
        note = trainer_of(plan).note(plan)
        report = work.measured() if note is None else work.unmeasured(note)
    context.artifact(REPORT, report.write(context.folder))
    context.result(report.model_dump(mode="json", exclude={"version", "created"}))
    return State.COMPLETED


@dataclass(frozen=True, slots=True)
class _Preflight:
    """The work, once dataset, network and backend are there.

    Attributes:
        began: Start of the worker, by `time.perf_counter`.
    """

    context: JobContext
    asked: PreflightPlan
    store: Store
    spec: NetworkSpec
    began: float

    @property
    def plan(self) -> TrainingPlan:
        """The training."""
        return self.asked.training

    def unmeasured(self, note: Message) -> PreflightReport:
        """Return a report without measurements: no step is done."""
        return self._report(notes=(note,))

    def measured(self) -> PreflightReport:
        """Measure, and search for a learning rate if requested."""
        from studio.engine.compute.measuring import Measuring  # noqa: PLC0415 - it needs Keras

        features = FeatureTime()
        self.context.add_listener(features.observe)
        self._advance(0, "Building the network")
        setup = self._setup(None)
        startup = time.perf_counter() - self.began - features.seconds
        images = len(self.store.rows("train"))
        measuring = Measuring(self.context, self.plan, setup, images, self.store.shape)
        load = ProcessorLoad()
        report = self._measure(measuring)
        if report.throughput is not None:
            share = features.image_seconds * (len(self.store.rows("val")) + images)
            times = {
                "startup_seconds": startup,
                "features_seconds": share,
                "run_seconds": report.throughput.run_seconds + startup + share,
                "others_share": load.of_others(),
            }
            throughput = report.throughput.model_copy(update=times)
            report = report.model_copy(
                update={"throughput": throughput, "notes": _notes(report, throughput)}
            )
        if not self.asked.find_rate or report.throughput is None:
            return self._timed(report)
        del setup, measuring
        gc.collect()
        rate = self._search(report.throughput.step_seconds)
        return self._timed(report.model_copy(update={"rate": rate}))

    def _measure(self, measuring: Measuring) -> PreflightReport:
        """Measure memory and throughput, from small batches to larger ones."""
        self._advance(20, "Warming up")
        timed: Timed | None = None
        if measuring.does_fit():
            self._advance(40, "Timing steps")
            timed = measuring.timing()
        if timed is None:
            report = self._report(fits=False)
        else:
            self._advance(60, "Timing the validation")
            throughput = self._throughput(
                timed, measuring.validation_image(), measuring.compile_seconds
            )
            report = self._report(throughput=throughput)
            if not math.isfinite(timed.loss):
                lost = "The loss became infinite within the first steps: lower the learning rate."
                report = report.model_copy(update={"notes": (lost,)})
        self._advance(80, "Trying larger batches")
        largest = measuring.largest()
        return report.model_copy(update={"memory": measuring.memory(), "largest": largest})

    def _throughput(self, timed: Timed, validation_image: float, compiling: float) -> Throughput:
        """Estimate the duration of a whole run, without the time before its first step."""
        plan, count = self.plan, len(self.store.rows("train"))
        steps = math.ceil(count / plan.batch_size)
        validation = validation_image * len(self.store.rows("val"))
        # However rarely it is done, the last step is followed by one.
        validations = max(1.0, plan.epochs / plan.validation_interval_epochs)
        training = steps * timed.step_seconds
        return Throughput(
            step_seconds=timed.step_seconds,
            steps=timed.steps,
            images_per_second=count / training,
            validation_seconds=validation,
            startup_seconds=0.0,
            compile_seconds=compiling,
            epoch_seconds=training + validation * validations / plan.epochs,
            run_seconds=plan.epochs * training + validations * validation + compiling,
        )

    def _search(self, step_seconds: float) -> RateCurve:
        """Look for a rate with weights as they are at the start of the run."""
        # Each needs Keras.
        from studio.engine.compute.rate_finder import (  # noqa: PLC0415
            find_rate,
            rising_table,
            steps_to_try,
        )

        plan = self.plan.model_copy(update={"ema_momentum": 0.0})
        steps = steps_to_try(plan, step_seconds)
        setup = self._setup(rising_table(plan, steps))

        def on_batch(done: int, total: int) -> None:
            self.context.check()
            part = _MEASURED + (_PARTS - _MEASURED) * done // total
            self.context.advance(min(part, _PARTS - 1), _PARTS, "Searching for the learning rate")

        return find_rate(plan, setup, steps, on_batch)

    def _setup(self, rates: RateTable | None) -> TrainingSetup:
        """Build the training setup of the run's start, with the given rates if any."""
        # Each needs Keras.
        from studio.engine.compute.build import build, computing_in  # noqa: PLC0415
        from studio.engine.compute.fit import compile_setup, training_setup  # noqa: PLC0415
        from studio.engine.compute.on_features import FeatureBatches  # noqa: PLC0415
        from studio.engine.compute.optimizers import rates_of  # noqa: PLC0415
        from studio.engine.compute.weights import start_from  # noqa: PLC0415

        plan = self.plan
        with computing_in(plan.precision):
            network = build(self.spec, seed=plan.seed, auxiliary=True)
        start_from(self.context, plan, network, self.spec)
        self.context.check()
        some = self.store if plan.freeze == NONE else some_of(self.store, plan.batch_size)
        setup = training_setup(self.context, plan, some, self.spec, network)
        if some is not self.store and not isinstance(setup.batches, FeatureBatches):
            setup = training_setup(self.context, plan, self.store, self.spec, network)
        if rates is None:
            rates = rates_of(plan, plan.epochs * len(setup.batches))
        compile_setup(plan, self.store, self.spec, setup, rates)
        return setup

    def _report(
        self,
        *,
        fits: bool = True,
        throughput: Throughput | None = None,
        notes: tuple[str, ...] = (),
    ) -> PreflightReport:
        from studio.engine.compute.distribution import device_name  # noqa: PLC0415 - it needs Keras

        problems = training_problems(self.context.workspace, self.plan)
        return PreflightReport(
            fits=fits,
            batch_size=self.plan.batch_size,
            epochs=self.plan.epochs,
            steps_per_epoch=math.ceil(len(self.store.rows("train")) / self.plan.batch_size),
            device=device_name(self.plan.device),
            throughput=throughput,
            warnings=tuple(Warned.of(problem) for problem in problems),
            notes=notes,
            seconds=time.perf_counter() - self.began,
        )

    def _timed(self, report: PreflightReport) -> PreflightReport:
        seconds = time.perf_counter() - self.began
        return report.model_copy(update={"seconds": seconds})

    def _advance(self, part: int, what: str) -> None:
        self.context.check()
        if self.asked.find_rate:
            part = part * _MEASURED // _PARTS
        # Not `advance`, which leaves out what follows too soon: the words change with every part.
        self.context.emit(ProgressMade(done=part, total=_PARTS, what=what))


def _notes(report: PreflightReport, throughput: Throughput) -> tuple[str, ...]:
    notes = list(report.notes)
    if throughput.others_share > BUSY:
        notes.append(
            message(
                "Other programs used {share:.0%} of the processors during the measurement: "
                "without them, training is faster.",
                share=throughput.others_share,
            )
        )
    if throughput.features_seconds:
        notes.append(
            "The frozen layers process all images once, before the first epoch; the features "
            "computed here are reused by the run."
        )
    return tuple(notes)
