"""The validation images that the network was surest and wrong about, at every validation."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.pages.train.insights.guess_tiles import Guessed, GuessTiles
from studio.ui.pages.train.insights.section import InsightSection
from studio.ui.pages.train.insights.work import Snapshot
from studio.ui.tasks import view_of


class Mistakes(InsightSection):
    """The worst mistakes as pictures, the surest first."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.tiles = GuessTiles(context, self)
        self.body.addWidget(self.tiles, 1)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Mistakes", "Mistakes")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Only for runs on images of one class each."""
        return cls.title() if view_of(task).has_classes else ""

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """Where there is nothing wrong, or nothing to be wrong about."""
        answers = snapshot.insight.answers
        if not len(answers.rows):
            return self.tr("There are no validation images to be wrong about.")
        return "" if len(answers.mistakes(1)) else self.tr("No mistake: every answer is right.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        answers, names = snapshot.insight.answers, snapshot.names
        images = []
        for place in answers.mistakes().tolist():
            guess = names[answers.predicted[place]], float(answers.scores[place])
            images.append(Guessed(int(answers.rows[place]), names[answers.truth[place]], (guess,)))
        self.tiles.show_images(images, snapshot.pictures)
