"""Training scripts: a run as plain Keras code that names its differences from the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.code import one_line
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks.losses_and_metrics import OF_TASK
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import AUTO, Task
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.packages import package_text
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import FULL
from studio.engine.training.trainers import trainer_of

# The texts of a training script, into which the values of a plan are put.

HEAD = """
import argparse
import json

import keras
import numpy as np

EPOCHS = {epochs}
BATCH_SIZE = {batch_size}
SEED = {seed}
"""
RATES = '''

class Rates(keras.optimizers.schedules.LearningRateSchedule):
    """The learning rate of every step, as in Studio, from learning_rates.npy."""

    def __init__(self):
        self.rates = np.load("learning_rates.npy")

    def __call__(self, step):
        at = keras.ops.minimum(keras.ops.cast(step, "int32") // {stride}, len(self.rates) - 1)
        return keras.ops.take(keras.ops.convert_to_tensor(self.rates, "float32"), at)

    def get_config(self):
        return {{}}
'''
LOSS = '''

def loss(labels, scores):
    """Cross-entropy with label smoothing, the focal factor and weights of classes."""
    ops, classes = keras.ops, scores.shape[-1]
    shares = ops.one_hot(ops.cast(ops.reshape(labels, (-1,)), "int32"), classes)
    weight = ops.sum(shares * ops.convert_to_tensor({weights}, "float32"), axis=-1)
    shares = shares * (1 - {smoothing}) + {smoothing} / classes
    sure = ops.clip(scores, 1e-7, 1 - 1e-7)
    return weight * ops.sum(-shares * ops.log(sure) * (1 - sure) ** {gamma}, axis=-1)
'''
MAIN = """

def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--check", action="store_true", help="one step only")
    words = parser.parse_args()
    keras.utils.set_random_seed(SEED)
{before}    import network  # the start weights are drawn here

    model, trained = network.model, {trained}
    data = np.load("data.npz")
    trained.compile(
        optimizer={optimizer},
        loss={loss},{loss_weights}
        metrics={metrics},
        auto_scale_loss=False,
    )
    images, labels = data["train_images"], data["train_{answers}"]
    if words.check:
        batch = images[:BATCH_SIZE], labels[:BATCH_SIZE]
        found = trained.train_on_batch(batch[0], {one_step}, return_dict=True)
        print(json.dumps({{"loss": float(found["loss"]), "parameters": model.count_params()}}))
        return
    validation = {validation}
    trained.fit(
        images,
        {targets},
        batch_size=BATCH_SIZE,
        epochs=words.epochs,
        validation_data=validation,
        shuffle={shuffle},
        callbacks={callbacks},
    )
{after}    model.save("trained.keras")
    model.compile(loss={plain_loss}, metrics={metrics})
    for split in ("val", "test"):
        if f"{{split}}_images" in data:
            images, labels = data[f"{{split}}_images"], data[f"{{split}}_{answers}"]
            found = model.evaluate(images, labels, verbose=0, return_dict=True)
            told = (f"{{name}} {{value:.4f}}" for name, value in sorted(found.items()))
            print(f"{{split}}: {{', '.join(told)}}")


if __name__ == "__main__":
    main()
"""


RATES_FILE = "learning_rates.npy"


def training_script(
    plan: TrainingPlan,
    spec: NetworkSpec,
    task: Task,
    *,
    run: str,
    splits: Mapping[str, int],
    weights: list[float] | None,
    stride: int | None,
) -> str:
    """Write the script of a run, for a folder with `network.py`, the images and the rates.

    Args:
        plan: Plan of the run.
        spec: The network.
        task: Task of the dataset.
        run: Name of the run.
        splits: Images per split.
        weights: Weight of each class or label in the loss; None for 1.
        stride: Steps that share a number in `RATES_FILE`; None if the rate is constant.

    Raises:
        StudioError: The head was not trained by gradient descent.
    """
    require_epochs(plan)
    parts = task.script
    reason = task.capabilities.reason("plain_script")
    if parts is None and reason:
        raise StudioError(
            "There is no training script for {task:lower}: {reason}.",
            "Export it as weights or keras.",
            "format",
            task=as_message(task.label),
            reason=as_message(reason),
        )
    head = HEAD.format(epochs=plan.epochs, batch_size=plan.batch_size, seed=plan.seed)
    rates = "" if stride is None else RATES.format(stride=stride)
    own = parts is not None or _has_own_loss(plan)
    loss = ""
    if own:
        loss = (LOSS if parts is None else f"\n{parts.loss}").format(
            weights=[round(each, 6) for each in weights or [1.0] * spec.classes],
            smoothing=plan.label_smoothing,
            gamma=plan.focal_gamma,
            dice=plan.dice_weight,
            size=(spec.input.height, spec.input.width),
        )
    rate = repr(plan.learning_rate) if stride is None else "Rates()"
    heads = 1 + len(spec.auxiliary)
    all_heads = "[{0}] * " + str(heads)
    has_val = bool(splits.get("val"))
    answers = "labels" if parts is None else parts.answers
    val = f'data["val_{answers}"]'
    plain = '"sparse_categorical_crossentropy"'
    measured = {name for each in task.metrics for name in (each.name, each.on_validation.name)}
    monitored = task.monitored(plan.monitor if plan.monitor in measured else AUTO)
    main = MAIN.format(
        before=_before(plan),
        trained="network.model" if heads == 1 else "network.training_model",
        optimizer=_optimizer(plan, rate),
        loss="loss" if own else plain,
        plain_loss=plain if parts is None else "loss",
        metrics='["accuracy"]' if parts is None else parts.metrics,
        answers=answers,
        loss_weights=_loss_weights(spec),
        one_step="batch[1]" if heads == 1 else all_heads.format("batch[1]"),
        targets="labels" if heads == 1 else all_heads.format("labels"),
        validation=_validation(val, all_heads, heads) if has_val else "None",
        shuffle=plan.shuffle,
        callbacks=_callbacks(plan, monitored, has_val=has_val, heads=heads),
        after=_after(plan, monitored, has_val=has_val, heads=heads),
    )
    return "\n".join(_docstring(plan, spec, run)) + "\n" + head + rates + loss + main


def require_epochs(plan: TrainingPlan) -> None:
    """Check that a run has epochs that a script can repeat.

    Raises:
        StudioError: Its head was fitted directly, without epochs.
    """
    if not trainer_of(plan).steps(plan, 1):
        raise StudioError(
            "The head of this run was fitted directly, not by gradient descent, so there are no "
            "epochs that a script could repeat.",
            "Export it as weights or keras.",
            "format",
        )


def differences(plan: TrainingPlan, spec: NetworkSpec) -> Iterator[str]:
    """Yield the differences between the script and the run, as sentences.

    Args:
        plan: Plan of the run.
        spec: Network of the run.
    """
    yield "Keras draws initial weights and the order of images from the same seed: results are"
    yield "  similar, not equal."
    if plan.weights:
        yield message(
            "The run started from weights ({weights}); the script starts at random.",
            weights=plan.weights,
        )
    if plan.packages:
        yield message(
            "The run needed packages that the script does not use: {packages}.",
            packages=package_text(plan.packages),
        )
    if plan.loss != OF_TASK:
        yield message(
            "The run minimized the loss {loss} of a package; the script minimizes that of the "
            "task.",
            loss=plan.loss,
        )
    if plan.metrics != OF_TASK:
        yield message(
            "The run measured the metrics {metrics} of a package; the script measures those of "
            "the task.",
            metrics=plan.metrics,
        )
    inside = {"subtract_mean", "whitening", "run_on", "added_strength"}
    varied = [
        plan.augmentation.added if name == "added" else name
        for name, value in plan.augmentation
        if name not in inside and value != AugmentationPlan.model_fields[name].default
    ]
    if varied:
        names = ", ".join(varied)
        yield message(
            "Training images were augmented ({operations}); the script does not augment them.",
            operations=names,
        )
    if plan.class_balancing == "sampling":
        yield (
            "Classes or labels were sampled equally often; the script uses every image once per "
            "epoch."
        )
    rates = {plan.backbone_rate, plan.head_rate, *(node.rate for node in spec.nodes)}
    if rates != {1.0}:
        yield "Layers had individual learning rates; the script uses one for all."
    if plan.plateau_patience:
        yield "The learning rate dropped on plateaus; the script follows its table."
    if plan.validation_interval_epochs != 1:
        interval = plan.validation_interval_epochs
        yield message(
            "The run was validated every {epochs:g} epochs; the script validates after each "
            "epoch.",
            epochs=interval,
        )


def _docstring(plan: TrainingPlan, spec: NetworkSpec, run: str) -> Iterator[str]:
    name, title = one_line(run), one_line(spec.name)
    yield f'"""Trains {title} as the run "{name}" of Studio, without Studio.'
    yield ""
    yield "    python train.py"
    yield ""
    yield "Needs Keras 3 with a backend, and NumPy; run it in its own folder. Images, splits,"
    yield "network, optimizer, learning rate of every step, loss and saved weights are those of"
    yield "the run. Differences:"
    yield ""
    for line in differences(plan, spec):
        yield f"  {line[1:]}" if line.startswith("  ") else f"* {one_line(line)}"
    yield '"""'


def _has_own_loss(plan: TrainingPlan) -> bool:
    return bool(
        plan.label_smoothing or plan.focal_gamma or plan.class_balancing == "class_weights"
    )


def _before(plan: TrainingPlan) -> str:
    if plan.precision == FULL:
        return ""
    return f'    keras.config.set_dtype_policy("{plan.precision}")\n'


def _optimizer(plan: TrainingPlan, rate: str) -> str:
    chosen = OPTIMIZERS[plan.optimizer]
    decay = plan.weight_decay if plan.optimizer == "adamw" else plan.weight_decay or None
    arguments: dict[str, object] = chosen.options(plan.optimizer_options).arguments()
    arguments["weight_decay"] = decay
    if plan.optimizer == "muon":
        arguments["adam_weight_decay"] = decay
    arguments |= plan.optimizer_arguments
    # None is the default of Keras, except for the weight decay of some optimizers.
    said = {
        name: value
        for name, value in arguments.items()
        if value is not None or name.endswith("weight_decay")
    }
    rest = "".join(f"            {name}={value!r},\n" for name, value in said.items())
    first = f"            learning_rate={rate},\n"
    made = f"keras.optimizers.{chosen.keras_name}(\n{first}{rest}        )"
    if plan.precision == "mixed_float16":
        return f"keras.optimizers.LossScaleOptimizer({made})"
    return made


def _loss_weights(spec: NetworkSpec) -> str:
    if not spec.auxiliary:
        return ""
    weights = [1.0, *(head.weight for head in spec.auxiliary)]
    return f"\n        loss_weights={weights},"


def _validation(labels: str, all_heads: str, heads: int) -> str:
    targets = labels if heads == 1 else all_heads.format(labels)
    return f'data["val_images"], {targets}'


def _callbacks(plan: TrainingPlan, monitored: MetricSpec, *, has_val: bool, heads: int) -> str:
    lines = []
    if plan.ema_momentum:
        lines.append("keras.callbacks.SwapEMAWeights(swap_on_epoch=True)")
    monitor = monitored.name.replace("top_5", "accuracy")
    usable = heads == 1 and (has_val or not monitored.is_validation)
    mode = "max" if monitored.higher_is_better else "min"
    if plan.keep == "best" and usable:
        lines.append(
            f'keras.callbacks.ModelCheckpoint(\n                "best.weights.h5",\n'
            f'                monitor="{monitor}",\n                mode="{mode}",\n'
            "                save_best_only=True,\n                save_weights_only=True,\n"
            "            )"
        )
    if plan.early_stopping_patience and usable:
        lines.append(
            f'keras.callbacks.EarlyStopping(\n                "{monitor}",\n'
            f"                min_delta={plan.min_delta!r},\n"
            f"                patience={plan.early_stopping_patience},\n"
            f'                mode="{mode}",\n'
            "            )"
        )
    return (
        "[" + "".join(f"\n            {line}," for line in lines) + "\n        ]"
        if lines
        else "[]"
    )


def _after(plan: TrainingPlan, monitored: MetricSpec, *, has_val: bool, heads: int) -> str:
    usable = heads == 1 and (has_val or not monitored.is_validation)
    return '    model.load_weights("best.weights.h5")\n' if plan.keep == "best" and usable else ""
