"""Optuna's part of a sweep: which trial comes next, and which one is not worth continuing.

Ask and tell, on a journal file in the folder of the sweep. Only one process may open it
(the holder of the sweep's lock), so a lock left by a killed process blocks nothing.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from studio.engine.documents import DAMAGED_CONTENT
from studio.engine.errors import StudioError
from studio.engine.files import move, quarantine, remove
from studio.engine.sweeps.plan import GRID, OBJECTIVES, Dimension, SweepPlan, Value
from studio.engine.sweeps.space import (
    Key,
    Move,
    grid_size,
    in_order,
    is_finite,
    is_whole,
    key_of,
    points_of,
)

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.study import Study
    from optuna.trial import FrozenTrial


REDUCTION_FACTOR = 3
"""One trial in this many continues at every rung (Li et al. 2020 use 3 or 4)."""
MEDIAN_TRIALS = 4
"""Minimum number of trials that reported an epoch before the median pruner prunes another."""


def make_sampler(plan: SweepPlan, number: int) -> BaseSampler:
    """Return the sampler of one trial.

    Each trial has its own sampler, seeded by its number, so that the choice depends on the earlier
    trials only, not on how often the process was killed in between.

    Args:
        plan: The sweep.
        number: Number of the trial, from 0.
    """
    from optuna import samplers  # noqa: PLC0415 - takes half a second, see the package
    from optuna.exceptions import ExperimentalWarning  # noqa: PLC0415

    seed = (plan.sampler_seed + number) % 2**32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        match plan.sampler:
            case "tpe":
                return samplers.TPESampler(seed=seed)
            case "gp":
                return samplers.GPSampler(seed=seed)
            case "cmaes":
                return samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
            case "quasi_random":
                return samplers.QMCSampler(
                    scramble=True,
                    # One sequence for the whole sweep: its scrambling must not change per trial.
                    seed=plan.sampler_seed,
                    independent_sampler=samplers.RandomSampler(seed=seed),
                    warn_independent_sampling=False,
                )
            case "random" | "grid":  # the points of a grid are enqueued one by one
                return samplers.RandomSampler(seed=seed)


def make_pruner(plan: SweepPlan) -> BasePruner:
    """Return the pruner; its steps are epochs, from 1."""
    from optuna import pruners  # noqa: PLC0415 - takes half a second, see the package
    from optuna.exceptions import ExperimentalWarning  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        match plan.pruner:
            case "none":
                return pruners.NopPruner()
            case "asha":
                return pruners.SuccessiveHalvingPruner(1, REDUCTION_FACTOR)
            case "hyperband":
                varies = any(dimension.field == "epochs" for dimension in plan.dimensions)
                longest = "auto" if varies else plan.base.epochs
                return pruners.HyperbandPruner(1, longest, REDUCTION_FACTOR)
            case "median":
                return pruners.MedianPruner(MEDIAN_TRIALS, n_min_trials=MEDIAN_TRIALS)


# The file of a study: a journal of Optuna's, opened whatever a killed process left in it.


def storage_in(path: Path) -> BaseStorage:
    """Return Optuna's storage in a file; only one process may use it."""
    from optuna.storages.journal import (  # noqa: PLC0415 - takes half a second, see the package
        JournalFileBackend,
        JournalFileOpenLock,
        JournalStorage,
    )

    class Alone(JournalFileOpenLock):
        """Lock nothing: there is one process, and a lock file would survive a kill."""

        def acquire(self) -> bool:
            return True

        def release(self) -> None:
            """Nothing was taken."""

    return JournalStorage(JournalFileBackend(str(path), Alone(str(path))))


def cut_torn_line(path: Path) -> None:
    """Cut off a line that a killed writer left: Optuna reads no file with such a line inside."""
    with contextlib.suppress(FileNotFoundError), path.open("r+b") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        if end != len(data):
            file.truncate(end)
            os.fsync(file.fileno())


# The space of a sweep in Optuna's words.


def distributions_of(plan: SweepPlan) -> dict[str, BaseDistribution]:
    """Return a distribution per dimension; a grid chooses among the points of its ranges."""
    return {
        dimension.field: _distribution(dimension, is_grid=plan.sampler == GRID)
        for dimension in plan.dimensions
    }


def fingerprint(plan: SweepPlan) -> str:
    """Return a text that changes when the space does."""
    dimensions = [dimension.model_dump(mode="json") for dimension in plan.dimensions]
    return json.dumps([plan.sampler == GRID, dimensions])


def _distribution(dimension: Dimension, *, is_grid: bool) -> BaseDistribution:
    from optuna.distributions import (  # noqa: PLC0415 - takes half a second, see the package
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    low, high, step = dimension.low, dimension.high, dimension.step
    if is_grid or low is None or high is None:
        return CategoricalDistribution(points_of(dimension))
    log = dimension.scale == "log"
    if is_whole(dimension):
        stride = round(step or 1)
        top = round(low) + (round(high) - round(low)) // stride * stride
        return IntDistribution(round(low), top, log=log, step=stride)
    if step is not None:
        # Optuna wants a range of whole steps.
        high = low + math.floor((high - low) / step + 1e-9) * step
    return FloatDistribution(low, high, log=log, step=step)


STUDY_FILE = "study.jsonl"
Outcome = Literal["complete", "pruned", "fail"]
StudyState = Literal["RUNNING", "COMPLETE", "PRUNED", "FAIL"]
_NAME = "sweep"
_SPACE, _ROW = "space", "row"
_FIXED = "fixed_params"
"""Key under which Optuna stores the values of an enqueued trial."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A trial to be run.

    Attributes:
        number: From 0, in the order of asking.
        values: Values of the varied fields, by dotted name.
    """

    number: int
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """A trial as the sweep remembers it.

    Attributes:
        number: From 0.
        values: Values of the varied fields, by dotted name.
        state: State of Optuna.
        measured: Values of the objectives, where it is complete.
    """

    number: int
    values: Mapping[str, Value]
    state: StudyState
    measured: Sequence[float] = ()


class SweepStudy:
    """The trials of one sweep as Optuna sees them.

    Args:
        plan: The current plan of the sweep.
        folder: Folder of the study; None to store nothing.
        moves: Moves of the trials of a grid, see `order`.

    Attributes:
        damaged: New path of an unreadable study file; None if there was none. The study then
            starts without its file: see `restore`.
    """

    def __init__(self, plan: SweepPlan, folder: Path | None, moves: Sequence[Move] = ()) -> None:
        import optuna  # noqa: PLC0415 - takes half a second, see the package

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._plan = plan
        self.damaged: Path | None = None
        self._distributions = distributions_of(plan)
        self._study = self._open(folder)
        self._visited = self._points_of(self._study.get_trials(deepcopy=False))
        self._unvisited = self._in_order(moves)

    def ask(self) -> Asked | None:
        """Return the next trial; None where every combination was requested."""
        waits = bool(self._trials("WAITING"))  # what a killed process put there comes first
        if not waits:
            if is_finite(self._plan) and len(self._visited) >= grid_size(self._plan):
                return None
            if self._plan.sampler == GRID:
                self._study.enqueue_trial(next(self._unvisited))
        asked = self._draw()
        if not waits and self._draws_from_lists:
            asked = self._not_twice(asked)
        self._visited.add(key_of(asked.values))
        return asked

    def reorder(self, moves: Sequence[Move]) -> None:
        """Take another order of the trials that wait; `moves` are all moves so far."""
        self._unvisited = self._in_order(moves)

    def restore(self, trials: Iterable[StoredTrial]) -> None:
        """Add trials that the study lacks because its file was lost.

        Args:
            trials: All that were requested, ascending.
        """
        known = len(self._study.get_trials(deepcopy=False))
        states = self._optuna.trial.TrialState
        for each in trials:
            while known < each.number:  # a number that no trial of the sweep has
                self._study.add_trial(self._optuna.create_trial(state=states.FAIL))
                known += 1
            if each.number < known:
                continue
            self._study.add_trial(
                self._optuna.create_trial(
                    state=states[each.state],
                    params=dict(each.values),
                    distributions=self._distributions,
                    values=list(each.measured) if each.state == "COMPLETE" else None,
                )
            )
            known += 1
            self._visited.add(key_of(each.values))

    def running(self) -> list[Asked]:
        """Return the trials without a result; incomplete ones are completed."""
        found = []
        for frozen in self._trials("RUNNING"):
            self._study.sampler = make_sampler(self._plan, frozen.number)
            trial = self._optuna.Trial(self._study, frozen._trial_id)  # noqa: SLF001 - has no name
            for name, distribution in self._distributions.items():
                trial._suggest(name, distribution)  # noqa: SLF001 - what `ask` does; same value
            asked = _asked(trial)
            earlier = self._study.get_trials(deepcopy=False)[: frozen.number]
            if self._draws_from_lists and key_of(asked.values) in self._points_of(earlier):
                self.tell(asked.number, "fail")  # drawn twice, and killed before the report
                continue
            self._visited.add(key_of(asked.values))
            found.append(asked)
        return found

    def is_running(self, number: int) -> bool:
        """Return True if no end of a trial was reported."""
        trials = self._study.get_trials(deepcopy=False)
        return number < len(trials) and not trials[number].state.is_finished()

    def report(self, number: int, epoch: int, value: float) -> bool:
        """Report an intermediate value of a trial; only the first report of an epoch counts.

        Args:
            number: Number of the trial.
            epoch: Epoch, from 1.
            value: Value of the objective.

        Returns:
            True if the trial should be pruned.
        """
        frozen = self._study.get_trials(deepcopy=False)[number]
        if frozen.state.is_finished() or epoch in frozen.intermediate_values:
            return False
        storage, trial_id = self._study._storage, frozen._trial_id  # noqa: SLF001 - no public way
        storage.set_trial_intermediate_value(trial_id, epoch, value)
        return self._study.pruner.prune(self._study, storage.get_trial(trial_id))

    def tell(self, number: int, outcome: Outcome, values: Sequence[float] = ()) -> None:
        """Report the end of a trial; only the first report counts.

        Args:
            number: Number of the trial.
            outcome: Its outcome.
            values: Values of the objectives, if it is complete.
        """
        states = self._optuna.trial.TrialState
        state = {"complete": states.COMPLETE, "pruned": states.PRUNED, "fail": states.FAIL}
        if not self.is_running(number):
            return
        self._study.sampler = make_sampler(self._plan, number)
        results = list(values) if outcome == "complete" else None
        self._study.tell(number, results, state[outcome])

    def add_rerun(
        self, number: int, values: Mapping[str, Value], results: Sequence[float]
    ) -> None:
        """Add the result of a trial that was rerun; only the first report counts.

        Args:
            number: Number of the trial.
            values: Its varied fields, by dotted name.
            results: Values of the objectives.
        """
        trials = self._study.get_trials(deepcopy=False)
        if any(each.user_attrs.get(_ROW) == number for each in trials):
            return
        self._study.add_trial(
            self._optuna.create_trial(
                params=dict(values),
                distributions=self._distributions,
                values=list(results),
                user_attrs={_ROW: number},
            )
        )

    def _trials(self, state: str) -> list[FrozenTrial]:
        requested = (self._optuna.trial.TrialState[state],)
        return self._study.get_trials(deepcopy=False, states=requested)

    @property
    def _draws_from_lists(self) -> bool:
        return is_finite(self._plan) and self._plan.sampler != GRID

    def _points_of(self, trials: Sequence[FrozenTrial]) -> set[Key]:
        """Return the points of trials, planned ones too; trials killed while created have none."""
        points = (key_of(each.system_attrs.get(_FIXED, each.params)) for each in trials)
        return {point for point in points if len(point) == len(self._distributions)}

    def _in_order(self, moves: Sequence[Move]) -> Iterator[dict[str, Value]]:
        """Return the points without a trial in their order; none for an infinite space."""
        points = in_order(self._plan, moves) if is_finite(self._plan) else iter(())
        return (each for each in points if key_of(each) not in self._visited)

    def _draw(self) -> Asked:
        number = len(self._study.get_trials(deepcopy=False))
        self._study.sampler = make_sampler(self._plan, number)
        return _asked(self._study.ask(fixed_distributions=self._distributions))

    def _not_twice(self, asked: Asked) -> Asked:
        """Return values drawn from lists, or the next combination if they were drawn before."""
        if key_of(asked.values) not in self._visited:
            return asked
        self.tell(asked.number, "fail")
        self._study.enqueue_trial(next(self._unvisited))
        return self._draw()

    def _open(self, folder: Path | None) -> Study:
        if folder is None:
            return self._create(None)
        path = folder / STUDY_FILE
        if not path.exists():
            return self._rebuild(path, [])
        cut_torn_line(path)
        try:
            return self._opened(path)
        except DAMAGED_CONTENT:
            self.damaged = quarantine(path)
            return self._rebuild(path, [])

    def _opened(self, path: Path) -> Study:
        study = self._load(path)
        self._points_of(study.get_trials(deepcopy=False))
        if study.user_attrs.get(_SPACE) == fingerprint(self._plan):
            return study
        # The space grew: Optuna rejects a study whose choices change, so it is rewritten.
        return self._rebuild(path, study.get_trials(deepcopy=False))

    def _load(self, path: Path) -> Study:
        return self._optuna.load_study(
            study_name=_NAME, storage=storage_in(path), pruner=make_pruner(self._plan)
        )

    def _rebuild(self, path: Path, trials: Sequence[FrozenTrial]) -> Study:
        partial = path.with_suffix(".partial")
        remove(partial)
        try:
            study = self._create(storage_in(partial))
            for trial in trials:
                study.add_trial(self._moved(trial))
            move(partial, path)
        except BaseException:
            remove(partial)
            raise
        return self._load(path)

    def _moved(self, trial: FrozenTrial) -> FrozenTrial:
        """Return a trial in the current space; an incomplete one keeps the values it has."""
        known = {name: self._distributions[name] for name in trial.params}
        moved = self._optuna.create_trial(
            state=trial.state,
            values=trial.values,
            params=trial.params,
            distributions=known,
            user_attrs=trial.user_attrs,
            system_attrs=trial.system_attrs,
            intermediate_values=trial.intermediate_values,
        )
        moved.datetime_start = trial.datetime_start
        moved.datetime_complete = trial.datetime_complete
        return moved

    def _create(self, storage: BaseStorage | None) -> Study:
        study = self._optuna.create_study(
            storage=storage,
            study_name=_NAME,
            pruner=make_pruner(self._plan),
            directions=[OBJECTIVES[each].direction for each in self._plan.objectives],
        )
        study.set_user_attr(_SPACE, fingerprint(self._plan))
        return study


def _asked(trial: object) -> Asked:
    from optuna import Trial  # noqa: PLC0415

    if not isinstance(trial, Trial):
        raise TypeError(f"a trial is needed; received {type(trial).__name__}")
    return Asked(trial.number, dict(trial.params))


FEWEST = 4
"""Minimum number of finished trials for an estimate."""
_TOP, _TOP_COUNT, _TOP_MOST = 0.1, 5, 0.5


class StudyRow(Protocol):
    """Protocol of a trial; the rows of a journal satisfy it."""

    @property
    def values(self) -> dict[str, Any]:
        """Varied values by dotted name."""

    @property
    def state(self) -> str:
        """Completed, or anything else."""

    @property
    def measured(self) -> tuple[float, ...]:
        """The objectives, in the order of the plan."""


def importances(plan: SweepPlan, rows: Mapping[int, StudyRow]) -> dict[str, float]:
    """Estimate the importance of each varied field for reaching the best tenth of the trials.

    By PED-ANOVA (Watanabe et al. 2023), of the first objective; of few trials, the five best
    count. It takes 0.3 s per thousand trials, and no PyTorch.
    Trials with values that are no longer in the space of the plan are left out.

    Args:
        plan: The sweep.
        rows: The last row of each trial, by its number.

    Returns:
        A share for each field by its dotted name, the largest first; they add up to 1.

    Raises:
        StudioError: Fewer than four trials are finished.
    """
    import optuna  # noqa: PLC0415 - takes half a second, see the package
    from optuna.importance import (  # noqa: PLC0415
        PedAnovaImportanceEvaluator,
        get_param_importances,
    )

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    trials = _trials(plan, rows)
    if len(trials) < FEWEST:
        raise StudioError(
            "The importance of fields needs {fewest} finished trials; there are {count}.",
            "Wait until more of them are finished.",
            fewest=FEWEST,
            count=len(trials),
        )
    study = optuna.create_study(direction=OBJECTIVES[plan.objectives[0]].direction)
    study.add_trials(trials)
    top = min(max(_TOP, _TOP_COUNT / len(trials)), _TOP_MOST)
    with warnings.catch_warnings():
        # Optuna's warning about few trials is not useful here.
        warnings.simplefilter("ignore")
        found = get_param_importances(
            study,
            evaluator=PedAnovaImportanceEvaluator(target_quantile=top),
            params=[each.field for each in plan.dimensions],
        )
    return dict(sorted(found.items(), key=itemgetter(1), reverse=True))


def _trials(plan: SweepPlan, rows: Mapping[int, StudyRow]) -> list[FrozenTrial]:
    from optuna import create_trial  # noqa: PLC0415

    space = distributions_of(plan)
    return [
        create_trial(
            value=row.measured[0],
            params={name: row.values[name] for name in space},
            distributions=space,
        )
        for row in rows.values()
        if row.state == "completed" and row.measured and math.isfinite(row.measured[0])
        if all(_fits(row.values.get(name), each) for name, each in space.items())
    ]


def _fits(value: object, distribution: BaseDistribution) -> bool:
    """Return True if a value is in the current space."""
    from optuna.distributions import CategoricalDistribution  # noqa: PLC0415

    if isinstance(distribution, CategoricalDistribution):
        return value in distribution.choices
    if not isinstance(value, int | float):
        return False
    low, high = getattr(distribution, "low", -math.inf), getattr(distribution, "high", math.inf)
    return bool(low <= value <= high)
