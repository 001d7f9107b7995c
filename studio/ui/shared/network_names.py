"""Names of networks in the user's language; those that users gave stay as they are."""

from __future__ import annotations

from studio.engine.networks.catalog import Entry
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label
from studio.ui.engine_text import engine_text


def entry_name(entry: Entry) -> str:
    """Return the name of a network of the gallery."""
    return engine_text(entry.label) if entry.drawing is None else entry.label


def planned_network(plan: TrainingPlan) -> str:
    """Return the name of the network of a run."""
    label = network_label(plan)
    return engine_text(label) if plan.design is None else label
