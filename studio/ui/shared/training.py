"""Training on several pages: network names, defaults of new runs, weights, a first model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.networks.catalog import Entry
from studio.engine.plans import fields_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.navigation import OpenPage
from studio.ui.settings import Settings
from studio.ui.shared.file_dialogs import choose_file
from studio.ui.widgets.figures import estimated_duration
from studio.ui.widgets.pages import EmptyState

if TYPE_CHECKING:  # the window starts without estimates
    from studio.engine.training.expected_time import ExpectedTime

_tr = partial(QCoreApplication.translate, "weights_file")


def entry_name(entry: Entry) -> str:
    """Return the name of a network of the gallery."""
    return translated(entry.label) if entry.drawing is None else entry.label


def planned_network(plan: TrainingPlan) -> str:
    """Return the name of the network of a run."""
    label = network_label(plan)
    return translated(label) if plan.design is None else label


def own_default_names(settings: Settings) -> list[str]:
    """Return the fields of new runs that the user has set, except for where they train."""
    usual, own = TrainingPlan(dataset=""), own_defaults(settings)
    place = ("device", "machine")
    names = (field.name for field in fields_of(TrainingPlan) if field.name not in place)
    return [name for name in names if getattr(usual, name) != getattr(own, name)]


def own_defaults(settings: Settings) -> TrainingPlan:
    """Return a plan without a dataset; what another Studio kept and does not fit is left out."""
    usual = TrainingPlan(dataset="")
    names = {field.name for field in fields_of(TrainingPlan)}
    defaults = {name: value for name, value in settings.run_defaults.items() if name in names}
    whole, problems = TrainingPlan.check({**usual.model_dump(), **defaults})
    if whole is not None:
        return whole
    wrong = {problem.where.partition(".")[0] for problem in problems}
    rest = {name: value for name, value in defaults.items() if name not in wrong}
    fitting, _ = TrainingPlan.check({**usual.model_dump(), **rest})
    return usual if fitting is None else fitting


def expected_text(expected: ExpectedTime) -> str:
    """Return the expected time of a training for a sentence: about 30 min, or a range."""
    return estimated_duration(*expected.range)


def ask_weights_file(parent: QWidget) -> Path | None:
    """Let the user pick a file of weights or a model; return None if nothing was picked."""
    kinds = _tr("Weights (*.h5 *.hdf5 *.keras *.zip)")
    return choose_file(parent, _tr("Weights or a model"), kinds=kinds)


def train_first(context: AppContext, icon: str, text: str, parent: QWidget) -> EmptyState:
    """Return the way to a network.

    Args:
        context: Context of the window.
        icon: Icon of the page.
        text: Explanation of the empty page.
        parent: The page.
    """
    tr = partial(QCoreApplication.translate, "TrainFirst")
    empty = EmptyState(context.theme, icon, tr("Train a network first"), text, parent)
    train = empty.add_action(tr("Train a network"), kind="primary")
    data = empty.add_action(tr("Import images"))
    tour = empty.add_action(tr("Try the handwritten digits"))
    train.clicked.connect(partial(_open, context, "train"))
    data.clicked.connect(partial(_open, context, "datasets"))
    tour.clicked.connect(context.navigator.start_tour)
    return empty


def _open(context: AppContext, page: str, _checked: bool = False) -> None:
    context.navigator.open(OpenPage(page))
