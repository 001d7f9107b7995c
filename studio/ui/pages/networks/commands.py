"""What can be done with networks, as data; the designer's own actions among them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command, Reach
from studio.ui.navigation import ChooseNetworkFile, DrawNetwork
from studio.ui.pages.networks.designer.toolbar import ACTIONS, command_of

_PAGE: Final = "networks"

COMMANDS: Final = (
    Command(
        "networks.draw",
        str(QT_TRANSLATE_NOOP("commands", "Draw a network")),
        "networks",
        words=str(QT_TRANSLATE_NOOP("commands", "new designer layers create")),
        page=_PAGE,
        intent=DrawNetwork(),
    ),
    Command(
        "networks.open",
        str(QT_TRANSLATE_NOOP("commands", "Open a network from a file…")),
        "folder-open",
        words=str(QT_TRANSLATE_NOOP("commands", "keras json h5 model")),
        page=_PAGE,
        intent=ChooseNetworkFile(),
    ),
    *map(command_of, ACTIONS),
    Command(
        "networks.arrows",
        str(QT_TRANSLATE_NOOP("commands", "Go from layer to layer in the drawing")),
        keys="Left; Right; Up; Down",
        page=_PAGE,
        reach=Reach.FIXED,
    ),
)
