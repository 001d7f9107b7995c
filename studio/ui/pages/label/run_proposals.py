"""Proposals of a trained run: labels, numbers, boxes or masks of the pictures that come next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.models import model_of_run
from studio.engine.labeling.assist import model_proposals
from studio.engine.labeling.proposals import Proposal
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.request import PartSender, Request
from studio.ui.bridge.run_choices import RunChoice, RunChoices
from studio.ui.language import translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.widgets.figures import counted
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.tips import explain

_AT_ONCE: Final = 16
"""Pictures of one request, so that the first answers come soon."""
_DRAWN_AHEAD: Final = 3
"""Pictures with boxes or masks that are requested: the shown one and those after it."""
_DRAWN_KEPT: Final = 12
"""Pictures whose proposals are kept in memory: masks of photographs are large."""


class RunProposals(QObject):
    """Asks a trained run for proposals of the pictures that are not labeled yet.

    Of boxes and masks only the shown picture and the next ones are requested, of other values all.

    Args:
        session: The labeling; gets the proposals.

    Attributes:
        run: The chosen run; None if a model learns from the labels here.

    Signals:
        changed: Another run was chosen, or its answers came; see `text`.
    """

    changed = Signal()

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self.run: RunChoice | None = None
        self._requested: set[int] = set()
        self._request = Request(session.context.background, self)
        self._is_stopped = False
        self._problem = ""
        session.shown.connect(self._ask)
        session.items_changed.connect(self._ask)

    @property
    def text(self) -> str:
        """State of the run, for people."""
        if self.run is None:
            return ""
        if self._problem:
            return self._problem
        if self._request.is_running:
            return self.tr("The run predicts…")
        found = len(self._session.open_status().proposals)
        one, many = self.tr("1 proposal of the run"), self.tr("{n} proposals of the run")
        return counted(found, one, many)

    def choose(self, run: RunChoice | None) -> None:
        """Use proposals of a run; None for the model trained on these labels."""
        self._request.drop()
        self._problem, self._is_stopped = "", False
        self.run, self._requested = run, set()
        self._session.use_run(run is not None)
        self._ask()
        self.changed.emit()

    def stop(self) -> None:
        """Ask for no more."""
        self._is_stopped = True
        self._request.drop()

    def _ask(self, _shown: object = None) -> None:
        run = self.run
        if run is None or self._is_stopped or self._request.is_running:
            return
        session = self._session
        most = _DRAWN_AHEAD if session.is_drawn else len(session.labeling.items)
        wanted = [item for item in session.upcoming(most) if item not in self._requested]
        part = wanted[:_AT_ONCE]
        if not part:
            return
        self._requested.update(part)
        work = partial(_predicted, session, run, part)
        self._request.stream(work, self._on_proposals, self._on_done, self._on_failed)

    def _on_proposals(self, found: list[Proposal]) -> None:
        kept = _DRAWN_KEPT if self._session.is_drawn else 0
        # What was dropped is requested again when it is shown.
        self._requested.difference_update(self._session.add_proposals(found, kept))

    def _on_done(self, _nothing: object) -> None:
        self._ask()
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._is_stopped = True
        if isinstance(error, StudioError):
            self._problem = translated(error.text)
        else:
            self._session.context.navigator.show_failure(error)
        self.changed.emit()


class ProposerBox(ComboBox):
    """Chooses who proposes: the model that learns from the labels here, or a run of the same task.

    Args:
        session: The labeling.
        proposals: Gets the choice.
        parent: Parent widget.
    """

    def __init__(self, session: LabelSession, proposals: RunProposals, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._proposals = proposals
        self._runs: dict[str, RunChoice] = {}
        self.setAccessibleName(self.tr("Proposals by"))
        tip = self.tr(
            "Source of the proposals: a model trained on the labels of this labeling, or a "
            "trained run of the same task. Classes are matched by their names."
        )
        explain(self, tip)
        self._fill()
        self.activated.connect(self._on_activated)
        session.context.jobs.listed.connect(self._fill)

    def _fill(self, _kinds: object = None) -> None:
        jobs = self._session.context.jobs
        task = self._session.labeling.task.name
        every = RunChoices.of(jobs).find("", _MOST_RUNS)[0] if jobs.is_loaded else []
        runs = [each for each in every if each.recipe is not None and each.recipe.task == task]
        self._runs = {run.id: run for run in runs}
        own = self.tr("Proposals from these labels")
        first = self.tr("No proposals") if self._session.is_drawn else own
        text = self.tr("Run {name}")
        names = [(text.format(name=describe.model(run)), run.id) for run in runs]
        self.set_entries([(first, ""), *names])
        chosen = self._proposals.run
        if chosen is not None and chosen.id not in self._runs:
            self._proposals.choose(None)

    def _on_activated(self) -> None:
        run = self._runs.get(self.currentData())
        if run != self._proposals.run:
            self._proposals.choose(run)


_MOST_RUNS: Final = 50


def _predicted(
    session: LabelSession,
    run: RunChoice,
    items: Sequence[int],
    sender: PartSender[list[Proposal]],
) -> None:
    """Report the proposals of a run for some pictures; in another thread."""
    context = session.context
    model = model_of_run(context.workspace, Record(RecordKind.RUN, run.folder))
    found = model_proposals(session.labeling, context.engine, model, items, sender.is_cancelled)
    sender.send(list(found))
