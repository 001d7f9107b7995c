"""Pages as they are first shown; one of another package that cannot be made says why."""

from __future__ import annotations

import importlib
import logging

from PySide6.QtWidgets import QWidget

from studio.engine.messages import message
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages import PageSpec
from studio.ui.pages.page import Page
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.pages import EmptyState

_log = logging.getLogger(__name__)


class FailedPage(Page):
    """A page in the place of one that could not be made.

    Args:
        context: The parts of the application.
        label: Shown name of the other page.
        error: What went wrong.
        parent: Owner.
    """

    def __init__(
        self, context: AppContext, label: str, error: BaseException, parent: QWidget
    ) -> None:
        super().__init__(context, parent)
        title = self.tr("“{page}” cannot be shown").format(page=label)
        reason = message(
            "Its package failed: {reason}. Install it again, or remove it; all else works.",
            reason=str(error).rstrip(".") or type(error).__name__,
        )
        self.empty = EmptyState(context.theme, "error", title, translated(reason), self)
        vbox(self.empty, owner=self)


def new_page(page: PageSpec, context: AppContext, parent: QWidget) -> Page:
    """Make a page.

    Args:
        page: The page.
        context: The parts of the application.
        parent: Owner.
    """
    try:
        view: type[QWidget] = importlib.import_module(page.module).View
        return _made(view, context, parent)
    except Exception as error:
        if not page.package:
            raise
        _log.exception("The page %s cannot be made", page.name)
        return FailedPage(context, page.label, error, parent)


def _made(view: type[QWidget], context: AppContext, parent: QWidget) -> Page:
    if not issubclass(view, Page):
        raise TypeError(f"{view.__qualname__} is not a Page")
    return view(context, parent)
