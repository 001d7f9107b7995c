"""Plan of a preflight check and its results, as stored in `preflight.json`.

Never imports NumPy: the window reads this when it starts.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import AliasChoices, BaseModel, Field

from studio.engine.documents import JobReport
from studio.engine.errors import Problem
from studio.engine.messages import Text
from studio.engine.plans import Plan, plan_field
from studio.engine.training.plan import TrainingPlan


class PreflightPlan(Plan):
    """Measure what a training would take, by doing a few of its steps and no more."""

    version: Literal[1] = 1
    training: TrainingPlan = plan_field(
        label="Training", help="Subject of the benchmark.", level="hidden"
    )
    find_rate: bool = plan_field(
        False,
        label="Find the rate",
        help="Also increase the learning rate step by step to find the one with the fastest "
        "progress.",
        why="Use if you do not know a good learning rate for this network and dataset.",
    )

    @property
    def dataset(self) -> str:
        """Id of the dataset."""
        return self.training.dataset


NO_MATTER = frozenset(
    {
        "epochs",
        "learning_rate",
        "schedule",
        "schedule_options",
        "warmup_percent",
        "keep",
        "seed",
        "monitor",
        "min_delta",
        "early_stopping_patience",
        "plateau_patience",
        "plateau_factor",
        "dataset_version",
        "packages",
    }
)
"""Fields of a training plan that affect neither time and memory per step nor the rate found."""


def still_holds(measured: TrainingPlan, plan: TrainingPlan) -> bool:
    """Return True if the measurements of one plan apply to another.

    Args:
        measured: The measured plan.
        plan: The other plan.
    """
    if plan.dataset_version not in (None, measured.dataset_version):
        return False
    return measured.model_dump(exclude=set(NO_MATTER)) == plan.model_dump(exclude=set(NO_MATTER))


class Throughput(BaseModel, frozen=True):
    """Speed of a training.

    Attributes:
        step_seconds: One step of training, with the wait for its batch.
        steps: Number of timed steps, without the first call.
        images_per_second: Training images, while steps are done.
        validation_seconds: All validation images once; 0 if there are none.
        startup_seconds: From the start of the worker to the first step: libraries, dataset,
            network and its weights.
        compile_seconds: Additional time of the first calls.
        features_seconds: Computing what the frozen layers give, once before the first epoch.
        epoch_seconds: One epoch with the validations that fall into it.
        run_seconds: All of the run, from the start of its worker.
        others_share: Share of the machine's processors that other programs used meanwhile.
    """

    step_seconds: float
    steps: int
    images_per_second: float
    validation_seconds: float
    startup_seconds: float
    compile_seconds: float
    features_seconds: float = 0.0
    epoch_seconds: float
    run_seconds: float
    others_share: float = 0.0


class Memory(BaseModel, frozen=True):
    """Memory that a training needs on its device.

    Attributes:
        device: Device with the memory: the machine or the GPU.
        used_bytes: Peak of the worker with batches as the plan has them.
        image_bytes: Part of it that every image of a batch needs.
        free_bytes: Memory available to this worker, including its own; None if the device does not
            report it.
        total_bytes: Memory of the device; None if the device does not report it.
    """

    device: Literal["machine", "gpu"]
    used_bytes: int
    image_bytes: float
    free_bytes: int | None = None
    total_bytes: int | None = None


class LargestBatch(BaseModel, frozen=True):
    """The largest batch that is worth thinking of: a power of two.

    Attributes:
        size: Images per batch.
        limit: Reason for the limit; `range` is that of the plan's field.
        how: `run` where a step with such batches was done, `computed` from the memory of others.
        text: Both as a sentence.
    """

    size: int
    limit: Literal["memory", "images", "range"]
    how: Literal["run", "computed"]
    text: Text = Field(validation_alias=AliasChoices("text", "told"))


class RateCurve(BaseModel, frozen=True):
    """Losses of a learning rate search, and the suggested rate.

    The loss is taken at rates that rise from step to step (L. N. Smith, "Cyclical learning rates
    for training neural networks", WACV 2017, section 3.3).

    Attributes:
        rates: The learning rate of each step.
        losses: The loss of each step's batch.
        smoothed: The same, smoothed.
        suggestion: The learning rate that is suggested; None without a suggestion.
        steepest: Position of the steepest fall of the smoothed loss; None if it does not fall.
        tenth: A tenth of the rate where the smoothed loss is lowest.
        reason: Reason for the rate, or for none, in a sentence.
    """

    rates: tuple[float, ...]
    losses: tuple[float, ...]
    smoothed: tuple[float, ...]
    suggestion: float | None = None
    steepest: float | None = None
    tenth: float | None = None
    reason: Text


class Warned(BaseModel, frozen=True):
    """Something unwise about the plan."""

    where: str
    message: Text
    hint: Text = ""

    @classmethod
    def of(cls, problem: Problem) -> Warned:
        """Return the same as data."""
        return cls(where=problem.where, message=problem.message, hint=problem.hint)

    @property
    def sentence(self) -> str:
        """Summary in one sentence."""
        return f"{self.message[:1].upper()}{self.message[1:]} {self.hint}".strip()


class PreflightReport(JobReport, frozen=True):
    """Result of a preflight check.

    Attributes:
        fits: True if batches of the planned size fit into memory; if not, nothing is timed.
        batch_size: Images per batch, as in the plan.
        epochs: Epochs of the plan.
        steps_per_epoch: Steps of training.
        device: Description of the device.
        throughput: Measured speed; None if nothing was timed.
        memory: Required memory; None if the device does not report it.
        largest: The largest batch; None if unknown.
        rate: Result of the learning-rate search; None if it was not requested.
        warnings: Warnings about the plan.
        notes: Remarks about these figures.
        seconds: Total duration.
    """

    FILE: ClassVar[str] = "preflight.json"
    LABEL: ClassVar[str] = "preflight"
    HINT: ClassVar[str] = "Measure again."

    fits: bool = True
    batch_size: int
    epochs: int
    steps_per_epoch: int
    device: Text
    throughput: Throughput | None = Field(
        None, validation_alias=AliasChoices("throughput", "pace")
    )
    memory: Memory | None = None
    largest: LargestBatch | None = None
    rate: RateCurve | None = None
    warnings: tuple[Warned, ...] = ()
    notes: tuple[Text, ...] = ()
    seconds: float

    def run_seconds(self, epochs: int) -> float | None:
        """Return all of a run of this many epochs; None without a measured time."""
        if self.throughput is None:
            return None
        more = epochs - self.epochs
        return max(0.0, self.throughput.run_seconds + more * self.throughput.epoch_seconds)
