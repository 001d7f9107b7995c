"""What is wrong with a sweep, all at once, before anything starts."""

from __future__ import annotations

import importlib.util
from collections import Counter

from studio.engine.errors import Problem, did_you_mean
from studio.engine.networks.layers import LAYERS
from studio.engine.plans import FieldKind
from studio.engine.sweeps.fields import NETWORK, field_of, fields_in, layer_setting
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.parsing import outside
from studio.engine.sweeps.plan import GRID, NO_PRUNER, Dimension, SweepPlan
from studio.engine.sweeps.space import points_of


def space_problems(plan: SweepPlan) -> list[Problem]:
    """Everything that is wrong with a sweep but for its training plan, all at once."""
    names = [dimension.field for dimension in plan.dimensions]
    problems = [] if names else [Problem("vary", "a sweep needs a field that varies.")]
    problems += [
        Problem(name, "it varies twice.", "Give all its values at once.")
        for name, times in Counter(names).items()
        if times > 1
    ]
    for dimension in plan.dimensions:
        problems += _dimension_problems(plan, dimension)
    return problems + _budget_problems(plan) + _objective_problems(plan) + _package_problems(plan)


def _dimension_problems(plan: SweepPlan, dimension: Dimension) -> list[Problem]:
    name = dimension.field
    field = fields_in(plan.base.design).get(name) or field_of(name)
    if field is None:
        hint = did_you_mean(name, fields_in(plan.base.design))
        return [Problem(name, "there is no such field that can vary.", hint)]
    if dimension.is_range and field.kind not in (FieldKind.INTEGER, FieldKind.NUMBER):
        return [Problem(name, "only numbers have ranges.", "Give its values.")]
    ends = [end for end in (dimension.low, dimension.high) if end is not None]
    problems = [
        problem for value in (*dimension.values, *ends) for problem in outside(name, field, value)
    ]
    if layer_setting(name) is not None:
        problems = problems or _layer_problems(plan, dimension)
    if name == "seed" and plan.seeds > 1:
        problems.append(
            Problem(name, "it varies, and trials are repeated with other seeds, too.", "Do one.")
        )
    if plan.sampler == GRID and not points_of(dimension):
        problems.append(
            Problem(
                name,
                "a grid needs to know how many values of a range it takes.",
                "Add a step or a count, as in 0.001..0.1:log:count=5, or choose another sampler.",
            )
        )
    return problems


def _layer_problems(plan: SweepPlan, dimension: Dimension) -> list[Problem]:
    """Whether the drawn network has such a layer, and the layer such settings."""
    name, design = dimension.field, plan.base.design
    if any(each.field == NETWORK for each in plan.dimensions):
        return [
            Problem(name, "the network varies, too, and others have no such layer.", "Do one.")
        ]
    if design is None:
        return [
            Problem(
                name,
                "settings of layers vary in drawn networks only; the base is one of the gallery.",
                "Open that in the designer, save it, and take the saved one.",
            )
        ]
    node_id, parameter = layer_setting(name) or ("", "")
    known = (node for node in design.nodes if node.id == node_id and node.layer in LAYERS)
    node = next(known, None)
    if node is None:
        ids = [node.id for node in design.nodes]
        return [
            Problem(name, f'the network has no layer "{node_id}".', did_you_mean(node_id, ids))
        ]
    layer = LAYERS[node.layer]
    if parameter not in layer.parameters.model_fields:
        return [
            Problem(
                name,
                f'the layer "{node_id}" ({layer.label}) has no setting "{parameter}".',
                did_you_mean(parameter, layer.parameters.model_fields),
            )
        ]
    found = (
        problem
        for value in points_of(dimension) or (dimension.low, dimension.high)
        for problem in layer.parameters.check({**node.parameters, parameter: value})[1]
    )
    return [Problem(name, each.message, each.hint) for each in found]


def _budget_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == GRID or plan.trials is not None or plan.hours is not None:
        return []
    return [
        Problem(
            "trials",
            f"the sampler {plan.sampler} never comes to an end by itself.",
            "Say how many trials, or how many hours.",
        )
    ]


def _objective_problems(plan: SweepPlan) -> list[Problem]:
    problems = []
    if not plan.objectives or len(set(plan.objectives)) != len(plan.objectives):
        problems.append(Problem("objectives", "one or more are needed, each once."))
    ends_early = plan.pruner != NO_PRUNER
    if ends_early and len(plan.objectives) > 1:
        problems.append(
            Problem("pruner", "trials end early by one objective only; received several.")
        )
    elif ends_early and not OBJECTIVES[plan.objectives[0]].per_epoch:
        problems.append(
            Problem("pruner", f"{plan.objectives[0]} is known only at the end of a run.")
        )
    if plan.sampler == "cmaes" and len(plan.objectives) > 1:
        problems.append(Problem("sampler", "CMA-ES looks for one objective; received several."))
    return problems


def _package_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == "cmaes" and sum(each.is_range for each in plan.dimensions) < 2:
        return [
            Problem(
                "sampler",
                "CMA-ES needs two or more fields that vary over ranges.",
                "Give ranges such as 0.001..0.1, or choose tpe.",
            )
        ]
    if plan.sampler == "gp" and importlib.util.find_spec("torch") is None:
        return [
            Problem(
                "sampler",
                "Gaussian processes need PyTorch, which is not installed.",
                'Install it with pip install "studio-trainer[torch]", or choose tpe.',
            )
        ]
    return []
