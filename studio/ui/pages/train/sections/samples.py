"""The same few pictures at every validation, and how the guesses about them change."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.pages.train.insights.guess_tiles import Guessed, GuessTiles
from studio.ui.pages.train.insights.section import InsightSection
from studio.ui.pages.train.insights.work import Snapshot
from studio.ui.tasks import view_of


class Samples(InsightSection):
    """Fixed validation pictures with their likeliest classes."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.tiles = GuessTiles(context, self)
        self.body.addWidget(self.tiles, 1)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Samples", "Samples")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Only for runs on images of one class each."""
        return cls.title() if view_of(task).has_classes else ""

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """The pictures are of the validation images."""
        if len(snapshot.insight.pictures.rows):
            return ""
        return self.tr("There are no validation images to follow.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        found, names = snapshot.insight.pictures, snapshot.names
        guesses = [
            tuple((names[index], score) for index, score in zip(classes, scores, strict=True))
            for classes, scores in zip(found.classes.tolist(), found.scores.tolist(), strict=True)
        ]
        images = [
            Guessed(row, names[truth], guess)
            for row, truth, guess in zip(
                found.rows.tolist(), found.truth.tolist(), guesses, strict=True
            )
        ]
        self.tiles.show_images(images, snapshot.pictures)
