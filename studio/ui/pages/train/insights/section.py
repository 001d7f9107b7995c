"""A tab that shows one moment of a run: the slider above, what is to be seen below."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.training.history import InsightKept
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.insights.timeline import Timeline
from studio.ui.pages.train.insights.work import Snapshot
from studio.ui.pages.train.section import RunSection
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.moment_slider import MomentSlider
from studio.ui.widgets.page_stack import PageStack


class InsightSection(RunSection):
    """Shows what the time line is at, while it is seen.

    Whoever derives from it puts its widgets into `body`, and fills them in `show_snapshot`.

    Attributes:
        timeline: Shared with the other tabs beside it.
        moments: The slider.
        tools: A row at the right of the slider.
        body: Where the content goes.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.timeline = Timeline.of(context, parent or self)
        self._shown: Snapshot | None = None
        self.moments = MomentSlider(context.theme, self)
        # A line that cannot give way would make the page wider, and the list of runs narrower.
        self.note = ElidedLabel(parent=self)
        self.note.setProperty("role", "muted")
        self.nothing = QLabel(self)
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        content = QWidget(self)
        self.body = QHBoxLayout(content)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(SPACE.l)
        self.tools = QHBoxLayout()
        self.tools.setSpacing(SPACE.s)
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(self.moments)
        row.addWidget(self.note)
        row.addStretch(1)
        row.addLayout(self.tools)
        self._stack = PageStack(self)
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self._bar)
        column.addWidget(self._stack, 1)
        self.moments.chosen.connect(self.timeline.choose)
        self.timeline.changed.connect(self._on_changed)
        self.timeline.loaded.connect(self._on_loaded)
        self._on_changed()

    def show_run(self, entry: RunEntry) -> None:
        """Show a run, or what is new of it; also when the tab is opened."""
        self.timeline.show_run(entry)
        self._on_changed()
        self._on_loaded()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        raise NotImplementedError

    def what_is_missing(self, snapshot: Snapshot) -> str:  # noqa: ARG002
        """Why a moment has nothing to show; empty where it has."""
        return ""

    def _on_changed(self) -> None:
        if self.isHidden():
            return
        timeline = self.timeline
        self._bar.setVisible(bool(timeline.moments))
        names = [moment_name(moment) for moment in timeline.moments]
        self.moments.set_moments(names, timeline.index)
        if timeline.snapshot is None:
            self._shown = None
            self._say(self._why_nothing())

    def _on_loaded(self) -> None:
        snapshot = self.timeline.snapshot
        if self.isHidden() or snapshot is None or snapshot is self._shown:
            return
        self._shown = snapshot
        self.note.setText(note_of(snapshot))
        missing = self.what_is_missing(snapshot)
        if missing:
            self._say(missing)
        else:
            self.show_snapshot(snapshot)
            self._stack.setCurrentIndex(1)

    def _say(self, text: str) -> None:
        self.nothing.setText(text)
        self._stack.setCurrentIndex(0)

    def _why_nothing(self) -> str:
        entry = self.timeline.entry
        if entry is None or self.timeline.moments:
            return ""
        if isinstance(entry.plan, TrainingPlan) and not entry.plan.insights:
            return _tr("The plan of this run says not to keep insights.")
        if entry.history.insights:
            return _tr("The files with the insights of this run are gone.")
        if entry.state.is_finished:
            return _tr("No insights were kept of this run.")
        return _tr("Comes with the first validation.")


def moment_name(moment: InsightKept) -> str:
    """Which moment it is, such as “Epoch 3” or “Epoch 2.5”."""
    if abs(moment.epoch - round(moment.epoch)) < 1e-6:
        return _tr("Epoch {epoch}").format(epoch=count(round(moment.epoch)))
    return _tr("Epoch {epoch}").format(epoch=significant(moment.epoch, 3))


def note_of(snapshot: Snapshot) -> str:
    """How right the answers of a moment are, and of how many images they are."""
    answers, targets = snapshot.insight.answers, snapshot.insight.targets
    number = len(answers.rows)
    if targets is not None:
        number = len(targets.rows)
        pattern = (
            _tr("{number} validation images")
            if number == targets.of
            else _tr("{number} images drawn from {all} of validation")
        )
        return pattern.format(number=count(number), all=count(targets.of))
    if not number:
        return ""
    accuracy = percent(float((answers.truth == answers.predicted).mean()))
    pattern = (
        _tr("{accuracy} of {number} validation images")
        if number == answers.of
        else _tr("{accuracy} of {number} images drawn from {all} of validation")
    )
    return pattern.format(accuracy=accuracy, number=count(number), all=count(answers.of))


def _tr(text: str) -> str:
    return QCoreApplication.translate("insights", text)
