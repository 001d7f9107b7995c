"""Parts of a training plan: what is done to gradients and weights, the loss, what is watched."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import field_validator

from studio.engine.jobs.devices import AUTO
from studio.engine.plans import Condition, Plan, expert_field, plan_field
from studio.engine.tasks import MEASURED_METRICS, load_plug_ins
from studio.engine.tasks.task import AUTO as PRIMARY

Precision = Literal["float32", "mixed_float16", "mixed_bfloat16"]
FULL: Precision = "float32"
Balance = Literal["none", "class_weights", "sampling"]

BY_GRADIENT = Condition(
    ("head_solver",), "The head is solved at once, without training steps", ("gradient",)
)
"""Condition of settings that act on the steps of a training."""
_DEVICE = "Computing"
_step_field = partial(expert_field, group="Steps", applicable_when=BY_GRADIENT)
_loss_field = partial(expert_field, group="Loss")
_validation_field = partial(expert_field, group="Validation")
_device_field = partial(expert_field, group=_DEVICE)
_log_field = partial(expert_field, group="Logging")


class StepFields(Plan):
    """What is done to gradients and weights, whichever the optimizer."""

    weight_decay: float = _step_field(
        0.0,
        label="Weight decay",
        help="Pulls weights towards zero at every step, against over-fitting.",
        why="0.0001 for SGD and 0.01 for AdamW are usual. More when training is "
        "far better than validation.",
        within=(0, 1),
        scale="log",
    )
    clip_norm: float = _step_field(
        0.0,
        label="Clip each gradient",
        help="Greatest length of the gradient of one kernel; 0 is off.",
        why="When the loss jumps: no single batch can throw the weights far.",
        within=(0, 1e6),
    )
    clip_global_norm: float = _step_field(
        0.0,
        label="Clip all gradients",
        help="Greatest length of all gradients together, whose direction stays; 0 is off.",
        why="1 is usual where the loss jumps; the direction of the step stays right.",
        within=(0, 1e6),
    )
    clip_value: float = _step_field(
        0.0,
        label="Clip numbers",
        help="Greatest size of every number of a gradient; 0 is off.",
        why="The crudest of the three: 0.5 or 1 when nothing else keeps the loss finite.",
        within=(0, 1e6),
    )
    accumulate: int = _step_field(
        1,
        label="Batches per update",
        help="Weights move by the mean gradient of so many batches.",
        why="Acts like a batch that many times as large in the memory of one.",
        within=(1, 1024),
    )
    average_weights: float = _step_field(
        0.0,
        label="Average the weights",
        help="Share of the running mean of weights kept at every batch; 0 is off, 0.99 usual.",
        why="The mean is measured and kept, and often a little better and calmer.",
        right_open=(0, 1),
    )


class LossFields(Plan):
    """What is made small, and how classes with few images count."""

    label_smoothing: float = _loss_field(
        0.0,
        label="Label smoothing",
        help="Share of every label that is spread over all classes.",
        why="0.1 keeps a network from being too sure, also where labels are wrong.",
        right_open=(0, 1),
    )
    focal_gamma: float = _loss_field(
        0.0,
        label="Focus on hard images",
        help="Gamma of the focal loss: images that are easy count less; 0 is cross-entropy.",
        why="2 is usual where most images are easy.",
        within=(0, 10),
    )
    balance: Balance = _loss_field(
        "none",
        label="Uneven classes",
        help="How to compensate for classes or labels with few images.",
        why="Where one class has ten times the images of another, the small one is soon ignored. "
        "Images with several labels are drawn by their rarest one.",
        labels={
            "none": "As they are",
            "class_weights": "Weights in the loss",
            "sampling": "All equally often",
        },
    )


RESUME_FILE = "resume.npz"
"""What a run goes on from, in its record."""


class WatchFields(Plan):
    """How often a run is measured, by which figure it is judged, and what follows."""

    validate_every: float = _validation_field(
        1.0,
        label="Validate every",
        help="Epochs from one validation to the next; 0.5 is twice in each epoch.",
        why="Below 1 when an epoch takes an hour; above 1 when validation takes "
        "longer than training.",
        unit="epochs",
        left_open=(0, 100_000),
        scale="log",
        applicable_when=BY_GRADIENT,
    )
    checkpoint_every: float = _validation_field(
        0.0,
        label="Checkpoint every",
        help="Epochs from one kept copy of the weights to the next, 0.5 is two in each; 0 is off.",
        why="A later run can start from any of them, or you can go back to one.",
        unit="epochs",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    checkpoints_to_keep: int = _validation_field(
        0,
        label="Checkpoints to keep",
        help="Number of newest checkpoints to keep; older ones are deleted. 0 keeps all.",
        why="Each one is as large as the model.",
        within=(0, 10_000),
        applicable_when=Condition(("checkpoint_every",), "No checkpoints are kept"),
    )
    resume_every: float = _validation_field(
        30.0,
        label="Save every",
        help="Seconds from one saving of everything to the next; 0 saves after every call.",
        why="A run that is killed goes on from there, exactly; it loses so many seconds at most.",
        unit="s",
        within=(0, 86_400),
    )
    watch: str = _validation_field(
        PRIMARY,
        label="Judge by",
        help="The metric that says what is best, and whether anything still gets better.",
        why="The loss notices growing doubt before the accuracy does; top-5 suits "
        "very many classes.",
        labels={
            PRIMARY: "Main metric of the task",
            **{name: spec.label for name, spec in MEASURED_METRICS.items()},
        },
    )
    insights: bool = _validation_field(
        True,
        label="Keep insights",
        help="Keeps the answers for validation images and the norms of weights, each time.",
        why="Shows later which images were mistaken in every epoch, and how each layer learned.",
    )
    least_gain: float = _validation_field(
        0.0,
        label="Least gain",
        help="Less than this is not better, for stopping early and for a lower rate.",
        why="Above 0 when tiny gains keep a run from ending: 0.001 is a tenth of "
        "a point of accuracy.",
        within=(0, 1000),
        applicable_when=Condition(
            ("stop_patience", "plateau_patience"), "Nothing waits for a gain"
        ),
    )
    stop_patience: int = _validation_field(
        0,
        label="Stop early after",
        help="Validations in a row without a gain after which training ends; 0 is never.",
        why="Spares the epochs in which a network only learns its training images by heart.",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    plateau_patience: int = _validation_field(
        0,
        label="Lower the rate after",
        help="Validations in a row without a gain after which the learning rate falls; 0 is "
        "never.",
        why="3 to 5, below the patience of stopping early: a lower rate often "
        "helps where nothing else does.",
        within=(0, 100_000),
        applicable_when=BY_GRADIENT,
    )
    plateau_factor: float = _validation_field(
        0.1,
        label="Lower it to",
        help="What the learning rate is multiplied by then.",
        why="0.1 to 0.5; closer to 1 is gentler and takes more rounds.",
        gt=0,
        lt=1,
        applicable_when=Condition(("plateau_patience",), "The learning rate is never lowered"),
    )

    @field_validator("watch")
    @classmethod
    def _check_watch(cls, name: str) -> str:
        if name not in (PRIMARY, *MEASURED_METRICS):
            load_plug_ins()
        known = (PRIMARY, *MEASURED_METRICS)
        if name not in known:
            raise ValueError(f"there is no metric {name!r}; known are {', '.join(known)}")
        return name


class DeviceFields(Plan):
    """Where and how the numbers are computed."""

    device: str = _device_field(
        AUTO,
        label="Device",
        help="What to train on: auto, cpu, gpu (any), gpu:1, gpu:0,2 together, gpus:2 (any two).",
        why="Auto takes a free GPU where there is one. The run waits until all it needs is free; "
        "cpu:2 divides every batch as two GPUs would.",
    )
    precision: Precision = _device_field(
        FULL,
        label="Precision",
        help="How exact the layers compute; weights are always kept in 32 bits.",
        why="Half the memory and twice the speed on newer GPUs; seldom faster on a CPU.",
        labels={
            "float32": "32 bits",
            "mixed_float16": "Mixed, float16",
            "mixed_bfloat16": "Mixed, bfloat16",
        },
    )
    threads: int = _device_field(
        0,
        label="CPU threads",
        help="Threads that compute; 0 takes as many as there are cores.",
        why="Fewer leave room for other work on this computer.",
        within=(0, 1024),
    )
    runs_per_device: int = plan_field(
        1,
        label="Runs per device",
        help="How many runs may share its device; a sweep of several runs at once says so.",
        why="Small networks leave most of a device idle.",
        level="hidden",
        group=_DEVICE,
        within=(1, 256),
    )
    measure_latency: bool = plan_field(
        False,
        label="Measure latency",
        help="Measure at the end how long the model takes for one image.",
        why="A sweep that looks for fast networks says so.",
        level="hidden",
        group=_DEVICE,
    )
    ray: str = _device_field(
        "",
        label="Ray cluster",
        help="Address of a Ray cluster that trains the run, as ray://HOST:10001; empty: here.",
        why="When one computer is not enough. Optional, above all on Windows: Studio needs its "
        "extra cluster for it. Ray picks a node with as many free GPUs as the device says, and as "
        "many free cores as there are CPU threads (1 for 0).",
    )
    shuffle: bool = _device_field(
        True,
        label="Shuffle",
        help="Show the images in another order in every epoch.",
        why="Without it, batches are always the same, in the order of the dataset.",
    )


class LogFields(Plan):
    """Where else than in its journal a run is told of."""

    tensorboard: bool = _log_field(
        True,
        label="TensorBoard files",
        help="Writes event files for TensorBoard into the folder of the run.",
        why="To watch and compare runs in TensorBoard; off saves some disk.",
    )
    mlflow: str = _log_field(
        "",
        label="MLflow",
        help="Address of an MLflow server, or a folder, that is told of the run; empty for none.",
        why="To see the run beside others of your team. A server that does not answer does not "
        "hold training up.",
    )
