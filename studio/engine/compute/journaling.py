"""Turns what happens while a network trains into the lines of a journal."""

from __future__ import annotations

import math
import time
from typing import Final

import keras

from studio.engine.compute.auxiliary import OWN_LOSS
from studio.engine.compute.backends import chosen
from studio.engine.compute.checkpoint import Checkpoint, save_checkpoint
from studio.engine.compute.loop import Follower
from studio.engine.compute.on_features import TrainingSetup
from studio.engine.compute.optimizers import RateTable
from studio.engine.compute.validation import ValidationResult, Validator
from studio.engine.errors import NotFiniteError
from studio.engine.jobs.events import Note
from studio.engine.jobs.job import EVENT_SECONDS, Ending, JobContext
from studio.engine.messages import as_message, message
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, Saved, StepsDone, ValidationDone
from studio.engine.training.plan import TrainingPlan

_ENDINGS: Final[tuple[Ending | None, ...]] = (None, "pause", "stop")


class StopAsked(Exception):  # noqa: N818 - a request that was met
    """Ends training at once.

    Attributes:
        ending: Requested ending.
    """

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class BatchMeter:
    """Gets the value of each batch back from Keras' running means.

    Keras reports the mean over all images of the epoch so far, m_n = S_n / N_n with S_n the sum
    and N_n the images of the first n batches. The batch's own value is (S_n - S_{n-1}) / b_n.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._count = 0

    def reset(self) -> None:
        """Reset for a new epoch."""
        self._sum, self._count = 0.0, 0

    @property
    def state(self) -> tuple[float, int]:
        """Sum and count of the epoch so far."""
        return self._sum, self._count

    def restore(self, state: tuple[float, int]) -> None:
        """Continue in the middle of an epoch."""
        self._sum, self._count = state

    def value(self, mean: float, size: int) -> float:
        """Return the mean of one batch from the running mean after it.

        Args:
            mean: Running mean over all images so far.
            size: Images in the batch.
        """
        before = self._sum
        self._count += size
        self._sum = mean * self._count
        return (self._sum - before) / size


class JournalFollower(Follower):
    """Writes steps (gathered, at most ten lines a second) and epochs, and obeys commands.

    Args:
        context: The running job.
        plan: Its plan, as amended.
        setup: Model, data and loss.
        rates: The learning rates, which it may cut.
        checkpoint: Checkpoint that the run resumes from, or the initial one of a new run.
        network: The whole network, whose state is saved.

    Raises:
        StopAsked: Out of training, when a stop was requested.
        NotFiniteError: Raised during training if the loss is no longer finite.
    """

    def __init__(
        self,
        context: JobContext,
        plan: TrainingPlan,
        setup: TrainingSetup,
        rates: RateTable,
        checkpoint: Checkpoint,
        network: keras.Model,
    ) -> None:
        self._context = context
        self._plan = plan
        self._batches = setup.batches
        self._steps = len(setup.batches)
        self._model = setup.model
        self._task = setup.batches.task
        self._rates = rates
        self._setup = setup
        self._network = network
        self._checkpoint: Checkpoint | None = checkpoint
        self._progress = progress = checkpoint.progress
        self._validator = Validator(
            plan, setup.validation, setup.checkpointer, self._steps, self, setup.insights
        )
        self._validator.monitor.restore(progress.monitor)
        self.is_over = progress.is_over
        self._saved_at = time.monotonic()
        self._meters = {name: BatchMeter() for name in self._task.step_metrics}
        self._unwritten: dict[str, list[float]] = {name: [] for name in self._meters}
        self._step, self._collected_at = progress.step, progress.collected_at
        self._steps_before_epoch = 0
        self._first_unwritten = progress.step + 1
        self._epoch_began = self._flushed = 0.0
        self._first_step_ended: float | None = None
        self._last_step_ended = 0.0
        self._images_since_flush = self._images_timed = 0
        self._validating = 0.0

    @property
    def _is_done(self) -> bool:
        """True if nothing is left to do, and therefore nothing to pause."""
        return self.is_over or self._step >= self._plan.epochs * self._steps

    @property
    def _is_to_be_saved(self) -> bool:
        """True if the last checkpoint has reached its maximum age."""
        return time.monotonic() - self._saved_at >= self._plan.checkpoint_interval_seconds

    def epoch_began(self, epoch: int) -> None:  # noqa: ARG002
        """Start the clocks of the epoch, or continue with one that was interrupted."""
        self._epoch_began = self._flushed = time.perf_counter()
        self._images_since_flush = self._images_timed = 0
        self._validating = 0.0
        self._first_step_ended = None
        self._steps_before_epoch = self._step
        for meter in self._meters.values():
            meter.reset()
        checkpoint, self._checkpoint = self._checkpoint, None
        if checkpoint is not None and checkpoint.progress.batch:
            checkpoint.restore_metrics(self._model)
            self._epoch_began -= checkpoint.progress.seconds
            self._steps_before_epoch -= checkpoint.progress.batch
            for meter, state in zip(self._meters.values(), checkpoint.progress.sums, strict=True):
                meter.restore(state)

    def call_ended(self, done: int, logs: dict[str, float]) -> None:
        """Record the steps of a call; they are written ten times a second.

        Args:
            done: Completed steps of the epoch.
            logs: Running means reported by Keras.
        """
        before = self._step - self._steps_before_epoch
        size = self._batches.images_in(before, done)
        self._step = self._steps_before_epoch + done
        means = _metrics(self._task, logs)
        for name, meter in self._meters.items():
            value = meter.value(means[name], size)
            # A mean of 32 bits, times the images, may lie a hair above what is possible; one of
            # pixels, of which some are ignored, on either side.
            is_fraction = self._task.spec(name).is_fraction
            self._unwritten[name].append(min(max(value, 0.0), 1.0) if is_fraction else value)
        now = time.perf_counter()
        self._images_since_flush += size
        self._last_step_ended = now
        if self._first_step_ended is None:  # of this process: an epoch may be continued
            self._first_step_ended = now
        else:
            self._images_timed += size
        # Only the last value of a line may be of fewer steps.
        is_short = done - before < self._model.steps_per_execution
        is_time = is_short or now - self._flushed >= EVENT_SECONDS
        if is_time:
            self._flush(now)
        if done < self._steps:
            if self._validator.is_due(self._collected_at, self._step):
                self._validate(means)
            self._validator.keep(self._model, self._collected_at, self._step)
            self._collected_at = self._step
            # Commands are not looked for more often than lines are written.
            (settles,) = chosen.backend().agreed(is_time or self._is_to_be_saved)
            if settles:
                self._settle()

    def epoch_ended(self, epoch: int, logs: dict[str, float]) -> None:
        """Validate if due, journal the epoch and store its weights if they are the best.

        Args:
            epoch: Number of the epoch, from 1.
            logs: Means of the epoch reported by Keras.
        """
        self._flush(self._last_step_ended)  # not now: validation lies between
        trained = _metrics(self._task, logs)
        measured = None
        if self._validator.is_due(self._collected_at, self._step):
            with self._context.doing("validating"):
                measured = self._validator.take(self._model, trained, self._step)
        else:
            self._validator.skip(self._model)
        self._context.emit(
            EpochDone(
                epoch=epoch + 1,
                step=self._step,
                metrics={**trained, **(measured.values if measured else {})},
                learning_rate=self._rates.at(self._step - 1),
                seconds=time.perf_counter() - self._epoch_began,
                images_per_second=self._images_per_second(),
                is_best=measured is not None and measured.is_best,
            ),
        )
        self._validator.keep(self._model, self._collected_at, self._step)
        self._collected_at = self._step
        if measured is not None:
            self._follow(measured)
        self._settle()

    def _settle(self) -> None:
        """Handle requests between two steps, and save a checkpoint when it is due.

        Raises:
            StopAsked: It was to end.
        """
        requests = self._context.requests()
        rates = [each.value for each in requests if each.command == "rate" and each.value]
        ending = self._context.ending()
        is_to_be_saved = bool(requests) or ending is not None or self._is_to_be_saved
        rate, saves, end = chosen.backend().agreed(
            rates[-1] if rates else 0.0, is_to_be_saved, _ENDINGS.index(ending)
        )
        if rate:
            self._change_rate(rate)
        if saves:
            self.save()
        ending = _ENDINGS[int(end)]
        if ending and not (ending == "pause" and self._is_done):
            raise StopAsked(ending)

    def _change_rate(self, rate: float) -> None:
        scheduled = self._rates.at(self._step) / self._rates.cut_so_far
        if not scheduled:
            self._context.warn("The schedule has reached a rate of zero, which no factor changes.")
            return
        if hasattr(self._model, "jax_state_sync"):
            self._model.jax_state_sync()
        self._rates.cut_to(rate / scheduled)
        self._context.emit(
            Note(
                message=message(
                    "From step {step} on the learning rate is {learning_rate:g}.",
                    step=self._step + 1,
                    learning_rate=rate,
                )
            )
        )

    def save(self) -> None:
        """Write everything that the run needs to continue from here.

        Raises:
            DiskFullError: No space was left; what was saved before is untouched.
            NotFiniteError: Some weights are no longer finite.
        """
        steps = self._steps
        self._flush(time.perf_counter())
        progress = self._progress.model_copy(
            update={
                "step": self._step,
                "epoch": self._step // steps,
                "batch": self._step % steps,
                "collected_at": self._collected_at,
                "rate_factor": self._rates.cut_so_far,
                "is_over": self.is_over,
                "sums": tuple(meter.state for meter in self._meters.values()),
                "seconds": time.perf_counter() - self._epoch_began,
                "monitor": self._validator.monitor.state,
            }
        )
        folder, snapshot = self._context.folder, self._setup.checkpointer.weights
        with self._context.doing("writing"):
            # Events of earlier steps must be on disk before the checkpoint.
            self._context.sync()
            is_saved = save_checkpoint(
                folder, progress, self._network, self._setup.model, snapshot
            )
        if not is_saved:
            raise self.not_finite("weights", self._step)
        self._context.emit(Saved(step=self._step, epoch=self._step / steps))
        self._saved_at = time.monotonic()

    def _validate(self, trained: dict[str, float]) -> None:
        """Measure in the middle of an epoch."""
        began = time.perf_counter()
        self._flush(began)
        with self._context.doing("validating"):
            measured = self._validator.take(self._model, trained, self._step)
        self._context.emit(
            ValidationDone(
                epoch=self._step / self._steps,
                step=self._step,
                metrics=measured.values,
                learning_rate=self._rates.at(self._step - 1),
                is_best=measured.is_best,
            )
        )
        self._follow(measured)
        self._flushed = time.perf_counter()
        self._validating += self._flushed - began

    def _follow(self, result: ValidationResult) -> None:
        """Do what a measurement asks for; an early stop waits for the end of its epoch."""
        plan, name = self._plan, self._validator.monitor.metric.label
        if result.cuts_rate:
            self._rates.cut(plan.plateau_factor)
            self._context.emit(
                Note(
                    message=message(
                        "{metric} did not improve {count} times in a row: the learning rate is "
                        "reduced to {learning_rate:g}.",
                        one="{metric} did not improve once: the learning rate is reduced to "
                        "{learning_rate:g}.",
                        metric=name,
                        count=plan.plateau_patience,
                        learning_rate=self._rates.at(self._step),
                    )
                )
            )
        if result.is_over and not self.is_over:
            self.is_over = True
            self._context.emit(
                Note(
                    message=message(
                        "Stopped early at step {step}: {metric} did not improve on {best:.4g} "
                        "{count} times in a row.",
                        one="Stopped early at step {step}: {metric} did not improve on "
                        "{best:.4g} once.",
                        step=self._step,
                        metric=name,
                        best=self._validator.monitor.best,
                        count=plan.early_stopping_patience,
                    )
                )
            )

    def _images_per_second(self) -> float:
        """Training images per second of this epoch; NaN when it had a single step."""
        if not self._images_timed or self._first_step_ended is None:
            return math.nan
        seconds = self._last_step_ended - self._first_step_ended - self._validating
        return self._images_timed / seconds if seconds > 0 else math.nan

    def _flush(self, now: float) -> None:
        metrics = self._unwritten
        if not metrics["loss"]:
            return
        self._unwritten = {name: [] for name in metrics}
        first, every = self._first_unwritten, self._model.steps_per_execution
        self._first_unwritten = self._step + 1
        self._context.emit(
            StepsDone(
                first=first,
                last=self._step,
                every=every,
                metrics=metrics,
                learning_rate=self._rates.at(self._step - 1),
                images_per_second=self._images_since_flush / max(now - self._flushed, 1e-9),
            )
        )
        self._flushed = now
        self._images_since_flush = 0
        bad = next(
            (at for at, value in enumerate(metrics["loss"]) if not math.isfinite(value)), None
        )
        if bad is not None:
            raise self.not_finite("loss", min(first + (bad + 1) * every - 1, self._step))

    def not_finite(self, what: str, step: int) -> NotFiniteError:
        """Return the error for a loss or weights that are not finite.

        Args:
            what: `loss` or `weights`.
            step: Number of the step.
        """
        return NotFiniteError(
            "The {loss} became infinite or undefined at step {step}.",
            message(
                "Lower the learning rate ({learning_rate:g} at that step), for example "
                "to a tenth. The best weights until then are kept.",
                learning_rate=self._rates.at(step - 1),
            ),
            "learning_rate",
            loss=as_message(what),
            step=step,
        )

    def on_batch_end(self) -> None:
        """Stop in the middle of a validation, if that was requested; a pause waits.

        Raises:
            StopAsked: It was to stop; what was saved last is from before the validation.
        """
        (stops,) = chosen.backend().agreed(self._context.stop_requested())
        if stops:
            raise StopAsked("stop")


def _metrics(task: Task, values: dict[str, float]) -> dict[str, float]:
    """Return the metrics of the task out of what Keras reports.

    The loss is that of the network's own output; the other, in training, has those of auxiliary
    outputs in it.
    """
    known = {**values, "loss": values.get(OWN_LOSS, values["loss"])}
    return {each.name: known[each.name] for each in task.all_metrics if each.name in known}
