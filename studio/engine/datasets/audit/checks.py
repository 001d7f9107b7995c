"""The checks of an audit. They use measures only, never files or the clock.

To add a check: 1. write a function that gives a `Finding`; 2. list it in `CHECKS`, worst things
first. Every check receives a `Subject`. Checks of names are in `name_checks`, those of masks in
`mask_checks`, those of boxes in `box_checks`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.box_errors import BoxErrors
from studio.engine.datasets.audit.duplicates import Duplicates
from studio.engine.datasets.audit.findings import Action, AuditPlan, Finding, NotChecked, Severity
from studio.engine.datasets.audit.label_errors import KIND, label_errors, target_errors
from studio.engine.datasets.audit.label_noise import LabelSuspects
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.predictions import OutOfFoldPredictions
from studio.engine.datasets.origins.counts import origin_facts, rows_with_common_origin
from studio.engine.datasets.origins.kinds import UNNAMED_KINDS
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.splits import HELD_OUT
from studio.engine.datasets.store import Store
from studio.engine.messages import as_message, joined, message
from studio.engine.progress import Progress
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Words:
    """Texts of a finding.

    Attributes:
        template: One sentence with `{count}` for the number, and the other values.
        suggestion: What to do.
        values: The other values of the template.
    """

    template: str
    suggestion: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A dataset under audit.

    Attributes:
        store: The dataset, in the version under audit.
        plan: Thresholds of the audit.
        measures: Measures of every image that the store shows.
        duplicates: Images that show the same.
        skipped: Files that the import left out.
        sides: Width and height of the original file of each measured image in pixels, M x 2, 0
            where it could not be read; None if there are no files.
        predictions: Predictions of models that were not trained on the image, or for boxes the
            errors that they show, or the reason why there are none; for classes the suspect
            labels, None if no label is suspicious.
        progress: Receives the progress and may cancel.
    """

    store: Store
    plan: AuditPlan
    measures: Measures
    duplicates: Duplicates
    skipped: list[Skipped]
    sides: NDArray[np.int32] | None
    predictions: OutOfFoldPredictions | LabelSuspects | BoxErrors | str | None
    progress: Progress

    def images(
        self,
        kind: str,
        which: NDArray[np.bool_],
        words: Words,
        severity: Severity = "warning",
        actions: tuple[Action, ...] = ("exclude",),
    ) -> Finding | None:
        """Return a finding about images; None if there is none.

        Args:
            kind: Name of the check.
            which: Indices of the affected images among the measured ones, M.
            words: Its texts.
            severity: Severity of the finding.
            actions: Fixes that are offered.
        """
        rows = self.measures.rows[which].tolist()
        if not rows:
            return None
        return Finding(
            kind=kind,
            severity=severity,
            message=message(words.template, **words.values, count=len(rows)),
            suggestion=words.suggestion,
            count=len(rows),
            rows=rows,
            paths=self.paths(rows),
            actions=actions,
        )

    def pairs(
        self,
        kind: str,
        pairs: NDArray[np.int64],
        similarity: NDArray[np.float64],
        words: Words,
        severity: Severity,
        actions: tuple[Action, ...],
    ) -> Finding | None:
        """Return a finding about pairs of images; None without pairs.

        Args:
            kind: Name of the finding.
            pairs: Rows of each pair, shape (K, 2).
            similarity: Similarity of each pair, 0 to 1, shape (K,).
            words: Texts of the finding.
            severity: Its severity.
            actions: Fixes to offer.
        """
        if not len(pairs):
            return None
        rows = np.unique(pairs).tolist()
        return Finding(
            kind=kind,
            severity=severity,
            message=message(words.template, **words.values, count=len(pairs)),
            suggestion=words.suggestion,
            count=len(pairs),
            rows=rows,
            paths=self.paths(rows),
            pairs=[(first, second) for first, second in pairs.tolist()],
            similarity=[round(value, 4) for value in similarity.tolist()],
            actions=actions,
        )

    def files(
        self,
        kind: str,
        words: Words,
        severity: Severity,
        *,
        is_annotation: bool,
        is_partial: bool = False,
        is_expected: Callable[[str], bool] = lambda reason: False,  # noqa: ARG005
    ) -> Finding | None:
        """Return a finding about files that the import left out; None without any.

        Args:
            kind: Name of the finding.
            words: Its texts, with places for `{count}`, `{path}` and `{reason}`.
            severity: Its severity.
            is_annotation: The files of which to report; see `Skipped.is_annotation`.
            is_partial: The files of which to report; see `Skipped.is_partial`.
            is_expected: True for reasons that need no correction.
        """
        files = [
            each
            for each in self.skipped
            if each.is_annotation == is_annotation
            and each.is_partial == is_partial
            and not is_expected(each.reason)
        ]
        if not files:
            return None
        first = files[0]
        return Finding(
            kind=kind,
            severity=severity,
            message=message(
                words.template,
                count=len(files),
                path=first.path,
                reason=as_message(first.reason),
            ),
            suggestion=words.suggestion,
            count=len(files),
            paths=[each.path for each in files],
        )

    def rare_classes(self, kind: str, words: Words) -> Finding | None:
        """Return a finding about classes with few objects to learn from; None without any.

        Args:
            kind: Name of the finding.
            words: Its texts, with places for `{limit}`, `{count}`, `{class_name}`, `{objects}`.
        """
        store, limit = self.store, self.plan.few_boxes
        objects = store.targets[store.rows("train")].sum(axis=0, dtype=np.int64)
        few = np.flatnonzero(objects <= limit)
        if not len(few):
            return None
        fewest = int(few[objects[few].argmin()])
        return Finding(
            kind=kind,
            severity="warning",
            message=message(
                words.template,
                limit=limit,
                count=len(few),
                class_name=store.classes[fewest],
                objects=int(objects[fewest]),
            ),
            suggestion=words.suggestion,
            count=len(few),
            classes=[store.classes[index] for index in few.tolist()],
        )

    def paths(self, rows: list[int]) -> list[str]:
        """Return the paths that images came from."""
        return [self.store.paths[row] for row in rows]


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: Stable name; the `kind` of its finding.
        label: Name as shown to a person.
        find: Looks, and says what it found, that it cannot know, or None where all is well.
    """

    name: str
    label: str
    find: Callable[[Subject], Finding | NotChecked | None]


_LEAKAGE_WORDS = Words(
    "Pairs of duplicates or near-duplicates in two splits: {count:,}. Accuracy measured on them "
    "is too high.",
    "Move them to the training images, or leave them out.",
)


def _find_leakage(subject: Subject) -> Finding | None:
    """Return the same picture in two splits: results on it are memorized."""
    pairs, split = subject.duplicates.all, subject.store.split
    across = split[pairs[:, 0]] != split[pairs[:, 1]]
    return subject.pairs(
        "leakage",
        pairs[across],
        subject.duplicates.similarity[across],
        _LEAKAGE_WORDS,
        "serious",
        ("move", "exclude"),
    )


_COMMON_ORIGINS_WORDS = Words(
    "Validation and test images with an origin that training images have, too: {count:,} "
    "({origins}). Metrics measured on them are too high for images of new origins.",
    "Split again and keep origins together.",
)


def _find_common_origins(subject: Subject) -> Finding | None:
    """Return images to measure on with origins, such as films, that training images have."""
    store = subject.store
    facts = origin_facts(store.origins, store.split)
    if facts.kind in UNNAMED_KINDS:
        return None  # duplicates are leakage
    held_out = np.concatenate([store.rows(name) for name in HELD_OUT])
    rows = rows_with_common_origin(store.origins, store.rows("train"), held_out)
    words = dataclasses.replace(_COMMON_ORIGINS_WORDS, values={"origins": facts.text})
    which = np.isin(subject.measures.rows, rows)
    return subject.images("common_origins", which, words, "serious", ())


_CONFLICTING_TARGETS_WORDS = Words(
    "Pairs of the same image with different targets: {count:,}.",
    "Correct the targets, or exclude the images.",
)


def _find_conflicting_targets(subject: Subject) -> Finding | None:
    """Return the same picture with two targets: one of them is wrong."""
    pairs, similarity = subject.duplicates.all, subject.duplicates.similarity
    # What is only nearly the same may well have other labels or a little more of something.
    across = subject.store.differ(pairs) & (similarity >= 1)
    words = _CONFLICTING_TARGETS_WORDS
    return subject.pairs(
        CONFLICTS, pairs[across], similarity[across], words, "serious", ("exclude",)
    )


def _find_label_errors(subject: Subject) -> Finding | NotChecked | None:
    """Find labels and targets that predictions out of fold contradict; see `label_errors.py`."""
    predictions = subject.predictions
    if isinstance(predictions, BoxErrors):
        return None  # they have checks of their own
    if isinstance(predictions, str):
        return NotChecked(
            kind=KIND,
            reason=message(
                "Wrong labels cannot be found: {reason}.", reason=as_message(predictions)
            ),
        )
    if predictions is None:
        return None
    if isinstance(predictions, LabelSuspects):
        return label_errors(subject.store, predictions)
    return target_errors(subject.store, predictions.rows, predictions.probabilities)


def _find_missing_classes(subject: Subject) -> Finding | None:
    """Return the classes without images in a used split: never trained or never evaluated."""
    names = subject.store.classes
    missing = {
        split: [names[index] for index, count in enumerate(counts) if not count]
        for split, counts in subject.store.class_counts().items()
        if any(counts)
    }
    missing = {split: classes for split, classes in missing.items() if classes}
    if not missing:
        return None
    listed = joined(
        [
            message(
                "without {split} images: {classes}",
                split=split,
                classes=", ".join(classes[:5]) + (", …" if len(classes) > 5 else ""),
            )
            for split, classes in missing.items()
        ],
        "; ",
    )
    classes = sorted({name for found in missing.values() for name in found}, key=names.index)
    return Finding(
        kind="missing_classes",
        severity="serious" if "train" in missing else "warning",
        message=message(
            "Without images in a split: {count:,} ({classes}).", count=len(classes), classes=listed
        ),
        suggestion="Split the dataset again, stratified, or add images.",
        count=len(classes),
        classes=classes,
    )


def _find_exact_duplicates(subject: Subject) -> Finding | None:
    """Return the images with identical pixels."""
    pairs = subject.duplicates.exact
    hashes = subject.store.hashes
    same_file = int((hashes[pairs[:, 0]] == hashes[pairs[:, 1]]).all(axis=1).sum())
    words = Words(
        "Exact duplicates: {count:,}, of these identical files: {same:,}.",
        "Keep one of each.",
        {"same": same_file},
    )
    similarity = np.ones(len(pairs))
    return subject.pairs("exact_duplicates", pairs, similarity, words, "warning", ("exclude",))


def _find_near_duplicates(subject: Subject) -> Finding | None:
    """Return images that differ only in compression, brightness or a slight crop."""
    words = Words(
        "Pairs of near-duplicate images: at least {count:,}."
        if subject.duplicates.is_cut
        else "Pairs of near-duplicate images: {count:,}.",
        "Inspect them, and keep one of each duplicate.",
    )
    return subject.pairs(
        "near_duplicates",
        subject.duplicates.near,
        subject.duplicates.near_similarity,
        words,
        "warning",
        ("exclude",),
    )


def _find_unreadable(subject: Subject) -> Finding | None:
    """Find files that the import left out, except those with an unusable annotation."""
    words = Words(
        "Files left out by the import: {count:,}; the first is {path} ({reason}).",
        "Repair or remove the files, then import again.",
    )
    return subject.files("unreadable", words, "info", is_annotation=False)


def _find_blank(subject: Subject) -> Finding | None:
    """Return the images of one color."""
    return subject.images(
        "blank",
        subject.measures.contrast < subject.plan.blank_contrast,
        Words("Blank images: {count:,}.", "Leave them out."),
    )


def _find_dark(subject: Subject) -> Finding | None:
    """Find images in which nothing is bright; blank ones are a separate finding."""
    measures, plan = subject.measures, subject.plan
    dark = (measures.bright_end < plan.dark_level) & (measures.contrast >= plan.blank_contrast)
    return subject.images(
        "dark",
        dark,
        Words("Very dark images: {count:,}.", "Inspect them, and exclude unrecognizable images."),
    )


_BRIGHT_WORDS = Words(
    "Very bright images: {count:,}.", "Inspect them, and exclude unrecognizable images."
)


def _find_bright(subject: Subject) -> Finding | None:
    """Find images without dark pixels; blank images are a separate finding."""
    measures, plan = subject.measures, subject.plan
    bright = (measures.dark_end > plan.bright_level) & (measures.contrast >= plan.blank_contrast)
    return subject.images("bright", bright, _BRIGHT_WORDS)


def _find_blurred(subject: Subject) -> Finding | None:
    """Return blurred images: far less variance of the Laplacian than the rest of the dataset.

    The measure is that of Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy"
    (2000), over the variance of the image itself, so that low contrast does not count as blur. It
    is compared with the median of the dataset, because how sharp images are depends on their size.
    """
    sharpness = subject.measures.sharpness
    known = ~np.isnan(sharpness)
    if not known.any():
        return None
    limit = float(np.median(sharpness[known])) * subject.plan.blur_percent / 100
    return subject.images(
        "blurred",
        known & (sharpness < limit),
        Words(
            "Blurred images: {count:,}.",
            "Inspect them and exclude unrecognizable images.",
        ),
    )


def _find_tiny(subject: Subject) -> Finding | NotChecked | None:
    """Original files that are much smaller than the others: little is left to learn from."""
    if subject.sides is None:
        return NotChecked(
            kind="tiny",
            reason="The size of the original files is unknown: they were moved, not inspected, or "
            "are in an archive.",
        )
    sides = np.sqrt(subject.sides.astype(np.float64).prod(axis=1))
    known = sides > 0
    usual = float(np.median(sides[known])) if known.any() else 0.0
    limit = usual * subject.plan.tiny_percent / 100
    words = Words(
        "Files with a side below {limit:.0f} pixels, where {usual:.0f} are usual: {count:,}.",
        "Find larger versions, or exclude them.",
        {"limit": limit, "usual": usual},
    )
    return subject.images("tiny", known & (sides < limit), words)


def _find_class_imbalance(subject: Subject) -> Finding | None:
    """Return classes with far fewer training images than others: networks learn them last.

    Not for masks, which are compared by pixels: nearly every image shows the background.
    """
    counts = subject.store.class_counts()["train"]
    largest = max(counts, default=0)
    smallest = min((count for count in counts if count), default=0)
    if not smallest or largest / smallest < subject.plan.imbalance_ratio:
        return None
    names = subject.store.classes
    small = [
        index
        for index, count in enumerate(counts)
        if count and largest / count >= subject.plan.imbalance_ratio
    ]
    fewest = min(small, key=lambda index: counts[index])
    return Finding(
        kind=CLASS_IMBALANCE,
        severity="warning",
        message=message(
            'Far fewer training images than others: {count:,}; "{class_name}" has '
            '{fewest:,}, "{largest_class}" has {most:,}.',
            count=len(small),
            class_name=names[fewest],
            fewest=counts[fewest],
            largest_class=names[counts.index(largest)],
            most=largest,
        ),
        suggestion="Collect more images of these classes, or balance the classes in training.",
        count=len(small),
        classes=[names[index] for index in small],
    )


CLASS_IMBALANCE = "class_imbalance"
CONFLICTS = "conflicting_labels"
CHECKS: Registry[Check] = Registry(
    "check",
    [
        Check("leakage", "Leakage", _find_leakage),
        Check("common_origins", "Common origins", _find_common_origins),
        Check(CONFLICTS, "Conflicting labels", _find_conflicting_targets),
        Check(KIND, "Doubtful labels", _find_label_errors),
        Check("missing_classes", "Missing from a split", _find_missing_classes),
        Check("exact_duplicates", "Exact duplicates", _find_exact_duplicates),
        Check("near_duplicates", "Near duplicates", _find_near_duplicates),
        Check("unreadable", "Files left out", _find_unreadable),
        Check("blank", "Blank", _find_blank),
        Check("dark", "Very dark", _find_dark),
        Check("bright", "Very bright", _find_bright),
        Check("blurred", "Blurred", _find_blurred),
        Check("tiny", "Tiny", _find_tiny),
        Check(CLASS_IMBALANCE, "Imbalance", _find_class_imbalance),
    ],
)
