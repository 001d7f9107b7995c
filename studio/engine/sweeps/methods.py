"""Samplers and pruners by their names in plans; all of them are Optuna's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from studio.engine.sweeps.plan import PrunerName, SamplerName, SweepPlan

if TYPE_CHECKING:
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler

HALVING = 3
"""One trial in so many goes on at every rung (Li et al. 2020 use 3 or 4)."""
JUDGES = 4
"""So many trials must have told of an epoch before the median judges another."""


def make_sampler(plan: SweepPlan, number: int) -> BaseSampler:
    """A sampler for one trial.

    Each trial has a sampler of its own, seeded by its number: what is chosen depends on the
    trials before and not on how often the process was killed in between.

    Args:
        plan: The sweep.
        number: The trial's number, from 0.
    """
    from optuna.exceptions import ExperimentalWarning  # noqa: PLC0415 - see the package

    seed = (plan.sampler_seed + number) % 2**32
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return _SAMPLERS[plan.sampler](plan, seed)


def make_pruner(plan: SweepPlan) -> BasePruner:
    """The pruner; its steps are epochs, from 1."""
    from optuna.exceptions import ExperimentalWarning  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return _PRUNERS[plan.pruner](plan)


def _random(_plan: SweepPlan, seed: int) -> BaseSampler:
    from optuna.samplers import RandomSampler  # noqa: PLC0415

    return RandomSampler(seed=seed)


def _tpe(_plan: SweepPlan, seed: int) -> BaseSampler:
    from optuna.samplers import TPESampler  # noqa: PLC0415

    return TPESampler(seed=seed)


def _gp(_plan: SweepPlan, seed: int) -> BaseSampler:
    from optuna.samplers import GPSampler  # noqa: PLC0415

    return GPSampler(seed=seed)


def _cmaes(_plan: SweepPlan, seed: int) -> BaseSampler:
    from optuna.samplers import CmaEsSampler  # noqa: PLC0415

    return CmaEsSampler(seed=seed, warn_independent_sampling=False)


def _quasi_random(plan: SweepPlan, seed: int) -> BaseSampler:
    from optuna.samplers import QMCSampler, RandomSampler  # noqa: PLC0415

    # One sequence for the whole sweep: its scrambling must not change from trial to trial.
    return QMCSampler(
        scramble=True,
        seed=plan.sampler_seed,
        independent_sampler=RandomSampler(seed=seed),
        warn_independent_sampling=False,
    )


def _none(_plan: SweepPlan) -> BasePruner:
    from optuna.pruners import NopPruner  # noqa: PLC0415

    return NopPruner()


def _asha(_plan: SweepPlan) -> BasePruner:
    from optuna.pruners import SuccessiveHalvingPruner  # noqa: PLC0415

    return SuccessiveHalvingPruner(min_resource=1, reduction_factor=HALVING)


def _hyperband(plan: SweepPlan) -> BasePruner:
    from optuna.pruners import HyperbandPruner  # noqa: PLC0415

    varies = any(dimension.field == "epochs" for dimension in plan.dimensions)
    longest = "auto" if varies else plan.base.epochs
    return HyperbandPruner(min_resource=1, max_resource=longest, reduction_factor=HALVING)


def _median(_plan: SweepPlan) -> BasePruner:
    from optuna.pruners import MedianPruner  # noqa: PLC0415

    return MedianPruner(n_startup_trials=JUDGES, n_min_trials=JUDGES)


_SAMPLERS: dict[SamplerName, Callable[[SweepPlan, int], BaseSampler]] = {
    "grid": _random,  # its points are given to the study one by one, see `study.py`
    "random": _random,
    "tpe": _tpe,
    "gp": _gp,
    "cmaes": _cmaes,
    "quasi_random": _quasi_random,
}
_PRUNERS: dict[PrunerName, Callable[[SweepPlan], BasePruner]] = {
    "none": _none,
    "asha": _asha,
    "hyperband": _hyperband,
    "median": _median,
}
