"""The pages of the window, one package per noun. Pages never import each other or the shell.

To add a page: 1. a package with `page.py` (the view, a `Page`), `state.py` (decisions, no Qt) and
what else it needs; 2. one line in `PAGES`, and its commands in `commands.py`.
Navigation, palette, shortcut and the contract tests follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP

from studio.ui.commands import Command
from studio.ui.navigation import OpenPage
from studio.ui.pages.commands import (
    BENCH_COMMANDS,
    DATASET_COMMANDS,
    NETWORK_COMMANDS,
    PREDICT_COMMANDS,
    SETTINGS_COMMANDS,
    SWEEP_COMMANDS,
    TRAIN_COMMANDS,
)
from studio.ui.pages.networks.designer.toolbar import ACTIONS, command_of


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One entry of the rail.

    Attributes:
        name: Stable name, for `OpenPage`.
        label: Shown word, translated in the context `pages`.
        icon: Name of its icon.
        module: Where its class `View` is; imported when the page is first shown.
        commands: What can be done there, besides going there.
        keys: Its usual shortcut.
        is_last: Whether it stands at the bottom of the rail, apart from the others.
        in_rail: False for a page that other pages and the command palette open.
    """

    name: str
    label: str
    icon: str
    module: str
    keys: str
    commands: tuple[Command, ...] = ()
    is_last: bool = False
    in_rail: bool = True

    @property
    def command(self) -> Command:
        """Going there, as a command."""
        return Command(
            f"page.{self.name}",
            self.label,
            self.icon,
            self.keys,
            page=self.name,
            intent=OpenPage(self.name),
            context="pages",
        )


PAGES: tuple[PageSpec, ...] = (
    PageSpec(
        "home",
        str(QT_TRANSLATE_NOOP("pages", "Home")),
        "home",
        "studio.ui.pages.home.page",
        "Ctrl+1",
    ),
    PageSpec(
        "datasets",
        str(QT_TRANSLATE_NOOP("pages", "Data")),
        "datasets",
        "studio.ui.pages.datasets.page",
        "Ctrl+2",
        DATASET_COMMANDS,
    ),
    PageSpec(
        "networks",
        str(QT_TRANSLATE_NOOP("pages", "Nets")),
        "networks",
        "studio.ui.pages.networks.page",
        "Ctrl+3",
        (*NETWORK_COMMANDS, *map(command_of, ACTIONS)),
    ),
    PageSpec(
        "train",
        str(QT_TRANSLATE_NOOP("pages", "Train")),
        "train",
        "studio.ui.pages.train.page",
        "Ctrl+4",
        TRAIN_COMMANDS,
    ),
    PageSpec(
        "sweeps",
        str(QT_TRANSLATE_NOOP("pages", "Sweep")),
        "sweeps",
        "studio.ui.pages.sweeps.page",
        "Ctrl+5",
        SWEEP_COMMANDS,
    ),
    PageSpec(
        "evaluation",
        str(QT_TRANSLATE_NOOP("pages", "Eval")),
        "evaluate",
        "studio.ui.pages.evaluation.page",
        "Ctrl+6",
    ),
    PageSpec(
        "predict",
        str(QT_TRANSLATE_NOOP("pages", "Predict")),
        "predict",
        "studio.ui.pages.predict.page",
        "Ctrl+7",
        PREDICT_COMMANDS,
    ),
    PageSpec(
        "inside",
        str(QT_TRANSLATE_NOOP("pages", "Inside")),
        "inside",
        "studio.ui.pages.inside.page",
        "Ctrl+8",
    ),
    PageSpec(
        "export",
        str(QT_TRANSLATE_NOOP("pages", "Export")),
        "export",
        "studio.ui.pages.export.page",
        "Ctrl+9",
    ),
    PageSpec(
        "bench",
        str(QT_TRANSLATE_NOOP("pages", "Bench")),
        "benchmarks",
        "studio.ui.pages.bench.page",
        "Ctrl+0",
        BENCH_COMMANDS,
    ),
    PageSpec(
        "settings",
        str(QT_TRANSLATE_NOOP("pages", "Settings")),
        "settings",
        "studio.ui.pages.settings.page",
        "Ctrl+,",
        SETTINGS_COMMANDS,
        is_last=True,
    ),
    PageSpec(
        "trash",
        str(QT_TRANSLATE_NOOP("pages", "Trash")),
        "trash",
        "studio.ui.pages.trash.page",
        "",
        in_rail=False,
    ),
)
