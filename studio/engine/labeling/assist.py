"""Assistance: features in the engine host, a model that learns from the labels, and proposals.

Call `Assistant.update` again and again in a background thread: each call takes about a second at
most. Features are cached in the workspace, so that nothing is computed twice.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features
from studio.engine.baselines.cache import FeatureCache, FeatureKey
from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.predicting import predict_all
from studio.engine.inference.requests import ImagePrediction
from studio.engine.inference.sources import Picture
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.certain import PAGE, certain_limit, is_judged
from studio.engine.labeling.curve import curve_of
from studio.engine.labeling.editors.classes import SHOWN
from studio.engine.labeling.journal import Label
from studio.engine.labeling.model import Learned, Learner, Scaled, learn, targets_of
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import (
    MIN_LABELS,
    AssistStatus,
    Group,
    Proposal,
)
from studio.engine.labeling.questions import OPERATION, FeaturesAnswer, FeaturesRequest
from studio.engine.labeling.values import Value
from studio.engine.messages import as_message, message
from studio.engine.workspace import Workspace

_FIRST_PART: Final = 16
_PART_SECONDS: Final = 0.7
_LARGEST_PART: Final = 256
_SIDES: Final = (128, 160, 192, 224)
_SIDE_OF: Final = 64
"""Pictures by whose sizes the side of the pictures for the network is chosen."""
_GROWTH: Final = 1.1
"""Growth of the number of known features after which all are scaled again, which takes half a
second for ten thousand pictures."""


class Assistant:
    """Proposes labels for one open labeling.

    Thread safety: one thread at a time calls `update`; everything else may be called at any time.

    Args:
        labeling: The labeling.
        workspace: Its workspace.
        host: The engine host, which computes features.
        network: Network of the features; empty for the best available without a download.
        weights: Its weights, as in a plan of a baseline.
    """

    def __init__(
        self,
        labeling: Labeling,
        workspace: Workspace,
        host: EngineHost,
        network: str = "",
        weights: str = "",
    ) -> None:
        self.labeling = labeling
        self._workspace = workspace
        self._host = host
        self._network = network
        self._weights = weights
        self._guard = threading.Lock()
        self._cache = FeatureCache.of(workspace.root)
        self._status = AssistStatus()
        self._key: FeatureKey | None = None
        self._label = ""
        self._side = 0
        self._part = _FIRST_PART
        self._known: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.int64] = np.empty(0, np.int64)
        self._scaled: Scaled | None = None
        self._learned_at: tuple[int, int, bool] | None = None

    @property
    def status(self) -> AssistStatus:
        """Result of the last `update`."""
        return self._status

    def update(self) -> AssistStatus:
        """Compute some more features, or learn from the labels as they are now.

        Returns:
            The state; call again until `is_current`.

        Raises:
            HostDiedError: The engine host ended; the next call starts another.
            StudioError: The requested network or weights are missing.
            DiskFullError: There is no space left to keep the features.
        """
        with self._guard:
            total = len(self.labeling.items)
            missing = self._missing(total)
            if len(missing):
                self._compute(missing)
                missing = self._missing(total)
            done = total - len(missing)
            self._learn(done)
            self._status = replace(
                self._status,
                done=done,
                total=total,
                features=self._label,
                is_current=not len(missing),
            )
            return self._status

    def relearn(self) -> AssistStatus:
        """Train on the current labels with the features computed so far.

        Faster than `update`: called after each decision, so that the other proposals improve. The
        learning curve is not updated.
        """
        with self._guard:
            self._learn(len(self._rows), with_curve=False)
            return self._status

    def finish(self, is_cancelled: Callable[[], bool] = lambda: False) -> AssistStatus:
        """Call `update` until the state is current; blocks until then.

        Args:
            is_cancelled: Returns True to end earlier.
        """
        while not is_cancelled():
            if self.update().is_current:
                break
        return self._status

    def features(self) -> tuple[NDArray[np.int64], Features]:
        """Return the pictures whose features are known, and these, shape (n, D), of length 1."""
        scaled = self._scaled
        if scaled is None:
            return np.empty(0, np.int64), np.empty((0, 1), np.float32)
        return self._rows, scaled.values

    # Features.

    def _missing(self, total: int) -> NDArray[np.int64]:
        """Return pictures without features: labeled ones first, then in their order."""
        every = np.arange(total, dtype=np.int64)
        found = np.setdiff1d(every, self._known) if self._key is not None else every
        labels = self.labeling.labels
        is_labeled = np.array([index in labels for index in found.tolist()], np.bool_)
        return np.concatenate([found[is_labeled], found[~is_labeled]]) if len(found) else found

    def _compute(self, missing: NDArray[np.int64]) -> None:
        if self._key is None:
            self._ask(())
            self._read()
            missing = np.setdiff1d(missing, self._known)
        part = missing[: self._part].tolist()
        if not part:
            return
        answer = self._ask(part)
        self._read()
        seconds_each = max(answer.seconds, 1e-3) / len(part)
        self._part = int(np.clip(_PART_SECONDS / seconds_each, _FIRST_PART, _LARGEST_PART))

    def _ask(self, items: Sequence[int]) -> FeaturesAnswer:
        if not self._side:
            self._side = _side_of(self.labeling)
        request = FeaturesRequest(
            workspace=str(self._workspace.root),
            labeling=self.labeling.record.id,
            items=tuple(items),
            files=tuple(str(self.labeling.file_of(item)) for item in items),
            folder=str(self.labeling.record.folder),
            side=self._side,
            network=self._network,
            weights=self._weights,
        )
        answer = self._host.ask(OPERATION, request, FeaturesAnswer).result()
        self._key = FeatureKey.model_validate_json(answer.key)
        self._label = answer.label
        return answer

    def _read(self) -> None:
        """Read all features that are in the cache."""
        if self._key is None:
            return
        table = self._cache.open(self._key)
        total = len(self.labeling.items)
        self._known = table.rows[table.rows < total]
        is_worth_it = len(self._known) >= _GROWTH * len(self._rows) or len(self._known) == total
        if len(self._known) != len(self._rows) and is_worth_it:
            self._scaled = Scaled.of(table[self._known])
            self._rows = self._known

    # Learning.

    def _learn(self, done: int, *, with_curve: bool = True) -> None:
        self.labeling.refresh()
        state = (self.labeling.version, done, True)
        if self._learned_at in (state, (*state[:2], with_curve)):
            return
        self._learned_at = (*state[:2], with_curve)
        labels = dict(self.labeling.labels)
        usable = self._usable({item: each for item, each in labels.items() if is_judged(each)})
        learner = self.labeling.editor.learner
        reason = _reason(learner, [labels[item].value for item in usable])
        if reason or self._scaled is None or learner is None:
            self._status = AssistStatus(
                done=self._status.done,
                total=self._status.total,
                features=self._label,
                reason=reason or message("Features are computed first."),
            )
            return
        items = np.array(usable, np.int64)
        rows = np.searchsorted(self._rows, items)
        classes = len(self.labeling.names)
        targets = targets_of([labels[item].value for item in usable], classes)
        learned = learn(self._scaled, rows, targets, learner)
        values = [labels[item].value for item in self._rows[learned.rows].tolist()]
        targets = targets_of(values, classes)
        held_out = [learner.proposed(0, outputs) for outputs in learned.held_out]
        self._status = replace(
            self._status,
            reason="",
            labels=len(usable),
            proposals=self._proposals(learner, learned, labels),
            given=self._given(learner, learned, labels),
            certain=certain_limit(held_out, values),
            curve=curve_of(self._scaled, learned, targets, learner)
            if with_curve
            else self._status.curve,
        )

    def _given(
        self, learner: Learner, learned: Learned, labels: Mapping[int, Label]
    ) -> dict[int, float]:
        """Return the probability of each label by models that did not learn from it."""
        outputs = learned.outputs.copy()
        outputs[learned.rows] = learned.held_out
        items = self._usable(labels)
        values = [labels[item].value for item in items]
        targets = targets_of(values, len(self.labeling.names))
        found = outputs[np.searchsorted(self._rows, np.array(items, np.int64))]
        # Of numbers there are none.
        return dict(zip(items, learner.given(found, targets), strict=False))

    def _usable(self, labels: Mapping[int, Label]) -> list[int]:
        """Return labeled pictures with features and values for training."""
        count = len(self.labeling.names)
        return [
            item
            for item in self._rows.tolist()
            if item in labels and labels[item].value.is_usable(count)
        ]

    def _proposals(
        self, learner: Learner, learned: Learned, labels: Mapping[int, Label]
    ) -> dict[int, Proposal]:
        return {
            item: learner.proposed(item, learned.outputs[row])
            for row, item in enumerate(self._rows.tolist())
            if item not in labels
        }


def _side_of(labeling: Labeling) -> int:
    sides = [min(each.width, each.height) for each in labeling.items[:_SIDE_OF]]
    median = float(np.median(sides)) if sides else float(_SIDES[-1])
    return next((side for side in _SIDES if side >= median), _SIDES[-1])


def _reason(learner: Learner | None, values: Sequence[Value]) -> str:
    """Return why there are no proposals yet; empty if there can be some."""
    if learner is None:
        return message("Proposals of masks and boxes come from a trained run.")
    missing = MIN_LABELS - len(values)
    if missing > 0:
        return message(
            "Proposals begin after {count} more labels.",
            one="Proposals begin after one more label.",
            count=missing,
        )
    if len(set(values)) < 2:
        return message("Proposals begin when images have different labels.")
    return ""


# What is shown of the proposals.


def groups(status: AssistStatus, least: float = 0.9, most: int = PAGE) -> list[Group]:
    """Return groups of pictures with the same proposed value, the largest first.

    Args:
        status: The state of the assistance.
        least: Minimum probability of a proposal.
        most: Maximum number of pictures in a group.
    """
    by_value: defaultdict[Value, list[Proposal]] = defaultdict(list)
    for each in status.proposals.values():
        if each.value is not None and each.probability >= least:
            by_value[each.value].append(each)
    found = []
    for several in by_value.values():
        several.sort(key=lambda each: -each.probability)
        part = tuple(several[:most])
        found.append(Group(part, part[-1].probability))
    return sorted(found, key=lambda group: (-len(group.proposals), -group.probability))


# Proposals by a trained run, for every task.


def model_proposals(
    labeling: Labeling,
    host: EngineHost,
    model: ModelSource,
    items: Sequence[int],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Proposal]:
    """Yield proposals of a trained model; pictures that cannot be read are passed over.

    Classes are matched by their names, ignoring case; predictions of names that the labeling does
    not have are left out.

    Args:
        labeling: The labeling.
        host: The engine host.
        model: The model; its task must be that of the labeling.
        items: Numbers of the pictures.
        is_cancelled: Returns True to end earlier.

    Raises:
        StudioError: The model is of another task, or cannot be used.
    """
    _require_task(labeling, model)
    for at in range(0, len(items), _LARGEST_PART):
        part = items[at : at + _LARGEST_PART]
        collected = _Collected(is_cancelled)
        pictures = [Picture(labeling.file_of(item)) for item in part]
        predict_all(host, model, pictures, collected, top=SHOWN)
        for item, prediction in zip(part, collected.found, strict=False):
            editor = labeling.editor
            proposal = (
                None if prediction.error else editor.proposed(labeling, item, prediction, model)
            )
            if proposal is not None:
                yield proposal
        if is_cancelled():
            return


class _Collected:
    """Collects predictions."""

    def __init__(self, is_cancelled: Callable[[], bool]) -> None:
        self.found: list[ImagePrediction] = []
        self.is_cancelled = is_cancelled

    def received(self, predictions: Sequence[ImagePrediction]) -> None:
        self.found.extend(predictions)

    def restarted(self) -> None:
        """Do nothing: a restart of the process loses no data."""

    def advanced(self, fraction: float) -> None:
        """Do nothing: the progress is that of whole images."""


def _require_task(labeling: Labeling, model: ModelSource) -> None:
    if model.task != labeling.task.name:
        raise StudioError(
            'The model "{model}" is for another task than {task:lower}.',
            "Choose a run of the same task.",
            "model",
            model=model.name,
            task=as_message(labeling.task.label),
        )
