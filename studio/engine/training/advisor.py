"""Recommends how to train, from what is known of a dataset, and says why with the figures.

The rules are those of the course CS231n, "Transfer learning": how many images there are, and how
like those that the weights were trained on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.engine.baselines.report import BaselineReport
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.messages import as_message, message
from studio.engine.tasks import TASKS
from studio.engine.training import recipes

FEW, SOME, MANY = 50, 300, 2000
"""Training images of a class: below the first hardly anything can be fine-tuned, from the last on
a network can learn everything from them alone."""

ENOUGH = 0.97
"""Score of a linear head above which further training gains little."""

EASY = 0.95
"""Score on tiny pictures, or on colors and edges, from which on no pretraining is needed."""

SIMILAR = 0.6
DIFFERENT = 0.25
AHEAD_OF_PIXELS = 0.2
"""Fraction of the errors of tiny pictures that features of similar images avoid."""

SMALL_SIDE = 64
"""Pretrained weights saw images of about 224 pixels; much smaller ones they hardly recognize."""

Similarity = Literal["similar", "between", "different", "unknown"]


@dataclass(frozen=True, slots=True)
class TrainingAdvice:
    """Recommendation for a training.

    Attributes:
        recipe: The way to train.
        reasons: Sentences with the figures that led there, the most important first.
        hints: Further suggestions.
        similarity: Similarity of the dataset to the images of the pretrained weights.
    """

    recipe: recipes.Recipe
    reasons: tuple[str, ...]
    hints: tuple[str, ...]
    similarity: Similarity

    @property
    def text(self) -> str:
        """The complete text."""
        return " ".join((f"{self.recipe.label}.", *self.reasons, *self.hints))


def advise(
    dataset: DatasetSummary, baseline: BaselineReport | None = None, *, has_weights: bool = True
) -> TrainingAdvice:
    """Recommend a recipe.

    Args:
        dataset: Summary of the dataset.
        baseline: The baseline of the dataset, if there is one.
        has_weights: True if there are pretrained weights, or a network to download them.
    """
    each = images_per_class(dataset)
    similarity, seen = _similarity(baseline)
    if not has_weights:
        reason = "There are no pretrained weights to start from."
        return TrainingAdvice(recipes.FROM_SCRATCH, (reason, _counted(dataset)), (), "unknown")
    recipe, reason = _chosen(each, similarity, baseline)
    small = min(dataset.height, dataset.width) < SMALL_SIDE
    if small and each >= MANY and similarity != "similar":
        recipe = recipes.FROM_SCRATCH
        reason = message(
            "Images of {width}x{height} pixels are much smaller than those of pretrained weights, "
            "and there are enough to train from scratch.",
            width=dataset.width,
            height=dataset.height,
        )
    reasons = tuple(part for part in (reason, _counted(dataset), seen) if part)
    hints = _hints(dataset, baseline) if recipe.is_pretrained else ()
    return TrainingAdvice(recipe, reasons, hints, similarity)


def _chosen(
    each: float, similarity: Similarity, baseline: BaselineReport | None
) -> tuple[recipes.Recipe, str]:
    """Return the recipe, and the rule that chose it."""
    known = _enough_without_training(each, baseline)
    if known is not None:
        return known
    if each < FEW:
        return recipes.LINEAR_HEAD, "With so few images, training more layers would overfit."
    if each < SOME:
        if similarity == "different":
            return recipes.FINE_TUNE_ALL, (
                "The images are unlike those of the weights, so early layers have to change, too, "
                "but slowly, because there are few images."
            )
        return recipes.FINE_TUNE_TOP, (
            "There are enough images for the upper layers, and too few for all of them."
        )
    if each >= MANY and similarity == "different":
        return recipes.FROM_SCRATCH, (
            "There are many images, unlike those of the weights, which then help little."
        )
    return recipes.FINE_TUNE_ALL, "There are enough images to train all layers slowly."


def _enough_without_training(
    each: float, baseline: BaselineReport | None
) -> tuple[recipes.Recipe, str] | None:
    """Return the recipe that is enough if simple methods are nearly always right already."""
    if baseline is None:
        return None
    if baseline.features.is_pretrained and baseline.low >= ENOUGH:
        return recipes.LINEAR_HEAD, (
            message(
                "A linear head already reaches at least {accuracy}, so training more layers can "
                "add little.",
                accuracy=baseline.text(baseline.low),
            )
        )
    plain = _without_learning(baseline)
    if plain >= EASY and each >= FEW:
        return recipes.FROM_SCRATCH, (
            message(
                "Handcrafted features already reach {accuracy}, so a small network can learn this "
                "from scratch.",
                accuracy=baseline.text(plain),
            )
        )
    return None


def _without_learning(baseline: BaselineReport) -> float:
    """Return the score on features without training."""
    by_hand = 0.0 if baseline.features.is_pretrained else baseline.score
    return max(baseline.pixels_score, by_hand)


def images_per_class(dataset: DatasetSummary) -> float:
    """Return mean number of training images of the classes that have any."""
    counts = [count for count in dataset.class_counts["train"] if count]
    return sum(counts) / len(counts) if counts else 0.0


def counted_images(dataset: DatasetSummary) -> str:
    """Return the number of training images, per output if that is more informative."""
    each = images_per_class(dataset)
    if each == dataset.count["train"]:
        return message("{number:,.0f} training images", number=each)
    return message(
        "{number:,.0f} training images per {output}",
        number=each,
        output=as_message(TASKS[dataset.task].output_names[0]),
    )


def _similarity(baseline: BaselineReport | None) -> tuple[Similarity, str]:
    """Return the similarity of the images to those of the weights, and the reason."""
    if baseline is None or not baseline.features.is_pretrained:
        return "unknown", ""
    room = max(1 - baseline.chance, 1e-6)
    by_features = (baseline.score - baseline.chance) / room
    by_pixels = (baseline.pixels_score - baseline.chance) / room
    text = baseline.metric.text
    seen = message(
        "A linear model reaches {score} on the features and {pixels_score} on tiny images; "
        "chance is {chance}.",
        score=baseline.text(baseline.score),
        pixels_score=text(baseline.pixels_score),
        chance=text(baseline.chance),
    )
    if by_features < DIFFERENT or by_features - by_pixels < AHEAD_OF_PIXELS * (1 - by_pixels):
        return "different", seen
    return ("similar" if by_features >= SIMILAR else "between"), seen


def _hints(dataset: DatasetSummary, baseline: BaselineReport | None) -> tuple[str, ...]:
    """Return hints that would improve pretrained weights."""
    hints: list[str] = []
    if min(dataset.height, dataset.width) < SMALL_SIDE:
        hints.append(
            message(
                "These images have {width}x{height} pixels. Import them again at 128 "
                "to 224 pixels, the size that pretrained networks expect.",
                width=dataset.width,
                height=dataset.height,
            )
        )
    if baseline is None and not TASKS[dataset.task].no_baseline:
        hints.append("A baseline would show how well the features fit.")
    return tuple(hints)


def _counted(dataset: DatasetSummary) -> str:
    return message("There are about {images}.", images=counted_images(dataset))
