"""Proposals of a trained run or of texts: values of the pictures that come next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.inference.models import model_of_run
from studio.engine.labeling.assist import model_proposals
from studio.engine.labeling.prompts import (
    Prompts,
    PromptsMeasure,
    measured,
    prompts_of,
    text_proposals,
    text_sources,
)
from studio.engine.labeling.proposals import Proposal
from studio.engine.pretrained.sources import PretrainedSource
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.request import PartSender, Request
from studio.ui.bridge.run_choices import RunChoice, RunChoices
from studio.ui.language import translated
from studio.ui.pages.label.session import LabelSession
from studio.ui.widgets.figures import counted
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.tips import explain

_PAUSE_MS: Final = 700
"""After a decision, until texts are measured again."""
_AT_ONCE: Final = 16
"""Pictures of one request, so that the first answers come soon."""
_DRAWN_AHEAD: Final = 3
"""Pictures with boxes or masks that are requested: the shown one and those after it."""
_DRAWN_KEPT: Final = 12
"""Pictures whose proposals are kept in memory: masks of photographs are large."""


Chosen = RunChoice | PretrainedSource


class RunProposals(QObject):
    """Asks a trained run, or texts about the classes, for proposals of unlabeled pictures.

    Texts are measured on the labels whenever these change. Of boxes and masks only the shown
    picture and the next ones are requested, of other values all.

    Args:
        session: The labeling; gets the proposals.

    Attributes:
        chosen: The chosen run or source of texts; None if a model learns from the labels here.

    Signals:
        changed: Another one was chosen, or its answers came; see `text`.
    """

    changed = Signal()

    def __init__(self, session: LabelSession) -> None:
        super().__init__(session)
        self._session = session
        self.chosen: Chosen | None = None
        self._measure: PromptsMeasure | None = None
        self._prompts: Prompts | None = None
        self._measuring = Request(session.context.background, self)
        self._pause = Debounce(_PAUSE_MS, self._measure_texts, self)
        self._requested: set[int] = set()
        self._request = Request(session.context.background, self)
        self._is_stopped = False
        self._problem = ""
        session.shown.connect(self._ask)
        session.items_changed.connect(self._ask)
        session.labels_changed.connect(self._pause.start)
        session.classes_changed.connect(self._start_over)
        session.context.background.closing.connect(self.stop)

    @property
    def text(self) -> str:
        """State of the run or the texts, for people."""
        if self.chosen is None:
            return ""
        if self._problem:
            return self._problem
        if isinstance(self.chosen, PretrainedSource):
            return self._text_of_texts()
        if self._request.is_running:
            return self.tr("The run predicts…")
        found = len(self._session.open_status().proposals)
        one, many = self.tr("1 proposal of the run"), self.tr("{n} proposals of the run")
        return counted(found, one, many)

    def _text_of_texts(self) -> str:
        found = len(self._session.open_status().proposals)
        one, many = self.tr("1 proposal"), self.tr("{n} proposals")
        lines = [counted(found, one, many)]
        names = self._session.labeling.names
        if self._prompts is not None and names:
            several = "”, “".join(self._prompts.texts(names[:1])[0])
            lines.append(self.tr("Texts: “{texts}”").format(texts=several))
        if self._measure is not None:
            lines.append(translated(self._measure.sentence))
        return "\n".join(lines)

    def choose(self, chosen: Chosen | None) -> None:
        """Use proposals of a run or of texts; None for the model trained on these labels."""
        self._request.drop()
        self._measuring.drop()
        self._problem, self._is_stopped = "", False
        self.chosen, self._requested = chosen, set()
        self._measure = self._prompts = None
        is_text = isinstance(chosen, PretrainedSource)
        self._session.use_run(chosen is not None, is_measured=is_text)
        self._measure_texts()
        self._ask()
        self.changed.emit()

    def stop(self) -> None:
        """Ask for no more."""
        self._is_stopped = True
        self._pause.stop()
        self._request.drop()
        self._measuring.drop()

    def _start_over(self) -> None:
        """Ask texts again, which depend on the names of all classes."""
        if isinstance(self.chosen, PretrainedSource):
            self.choose(self.chosen)

    def _measure_texts(self) -> None:
        source = self.chosen
        if not isinstance(source, PretrainedSource) or self._is_stopped:
            return
        if self._measuring.is_running:
            self._pause.start()
            return
        work = partial(_measured, self._session, source)
        self._measuring.run(work, self._on_measured, self._on_failed)

    def _on_measured(self, found: tuple[Prompts, PromptsMeasure]) -> None:
        self._prompts, self._measure = found
        self._session.set_limit(found[1].limit)
        self.changed.emit()

    def _ask(self, _shown: object = None) -> None:
        run = self.chosen
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
    """Chooses who proposes: the model that learns here, a run of the same task, or texts.

    Args:
        session: The labeling.
        proposals: Gets the choice.
        parent: Parent widget.
    """

    def __init__(self, session: LabelSession, proposals: RunProposals, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._proposals = proposals
        self._choices: dict[str, Chosen] = {}
        self.setAccessibleName(self.tr("Proposals by"))
        tip = self.tr(
            "Source of the proposals: a model trained on the labels of this labeling, a trained "
            "run of the same task, whose classes are matched by their names, or texts about the "
            "classes, which need no label. Texts are in the library of networks."
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
        self._choices = {run.id: run for run in runs}
        own = self.tr("Proposals from these labels")
        first = self.tr("No proposals") if self._session.is_drawn else own
        text = self.tr("Run {name}")
        names = [(text.format(name=describe.model(run)), run.id) for run in runs]
        if self._session.labeling.editor.takes_texts:
            sources = text_sources()
            self._choices |= {source.name: source for source in sources}
            names += [(translated(source.label), source.name) for source in sources]
        self.set_entries([(first, ""), *names])
        chosen = self._proposals.chosen
        if chosen is not None and _key(chosen) not in self._choices:
            self._proposals.choose(None)

    def _on_activated(self) -> None:
        chosen = self._choices.get(self.currentData())
        if chosen != self._proposals.chosen:
            self._proposals.choose(chosen)


_MOST_RUNS: Final = 50


def _key(chosen: Chosen) -> str:
    return chosen.id if isinstance(chosen, RunChoice) else chosen.name


def _measured(session: LabelSession, source: PretrainedSource) -> tuple[Prompts, PromptsMeasure]:
    """Return texts and how often they are right; in another thread."""
    prompts, context = prompts_of(source.name), session.context
    found = measured(session.labeling, context.workspace.root, context.engine, prompts)
    return prompts, found


def _predicted(
    session: LabelSession,
    run: Chosen,
    items: Sequence[int],
    sender: PartSender[list[Proposal]],
) -> None:
    """Report the proposals of a run or of texts for some pictures; in another thread."""
    context = session.context
    if isinstance(run, PretrainedSource):
        texts = text_proposals(
            session.labeling,
            context.workspace.root,
            context.engine,
            prompts_of(run.name),
            items,
            sender.is_cancelled,
        )
        sender.send(list(texts))
        return
    model = model_of_run(context.workspace, Record(RecordKind.RUN, run.folder))
    found = model_proposals(session.labeling, context.engine, model, items, sender.is_cancelled)
    sender.send(list(found))
