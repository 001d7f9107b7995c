"""The pages of the window, one package per noun. Pages never import each other or the shell.

To add a page: 1. a package with `page.py` (its class `View` is a `Page`); 2. one line in `PAGES`,
an icon of the same name, and its commands in `commands.py`. Navigation, palette, shortcut and the
contract tests follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.ui.commands import Command
from studio.ui.navigation import OpenPage
from studio.ui.pages.commands import PAGE_COMMANDS
from studio.ui.pages.networks.designer.toolbar import ACTIONS, command_of


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page, as data.

    Attributes:
        name: Stable name, for `OpenPage`; also that of its package.
        label: Shown word, translated in the context `pages`.
        keys: Default shortcut; empty for none.
        commands: Commands of the page, besides opening it.
        icon: Name of its icon; empty if that is the name of the page.
        in_rail: False for a page that only other pages and the command palette open.
    """

    name: str
    label: str
    keys: str = ""
    commands: tuple[Command, ...] = ()
    icon: str = ""
    in_rail: bool = True

    @property
    def module(self) -> str:
        """The module with its class `View`; imported when the page is first shown."""
        return f"studio.ui.pages.{self.name}.page"

    @property
    def command(self) -> Command:
        """The command that opens the page."""
        return Command(
            f"page.{self.name}",
            self.label,
            self.icon or self.name,
            self.keys,
            page=self.name,
            intent=OpenPage(self.name),
            context="pages",
        )


def _page(
    name: str, label: str, keys: str = "", *more: Command, icon: str = "", in_rail: bool = True
) -> PageSpec:
    return PageSpec(name, label, keys, (*PAGE_COMMANDS.get(name, ()), *more), icon, in_rail)


PAGES: tuple[PageSpec, ...] = (
    _page("home", "Home", "Ctrl+1"),
    _page("datasets", "Datasets", "Ctrl+2"),
    _page("label", "Label", "Ctrl+Shift+L"),
    _page("networks", "Networks", "Ctrl+3", *map(command_of, ACTIONS)),
    _page("train", "Train", "Ctrl+4"),
    _page("sweeps", "Sweeps", "Ctrl+5"),
    _page("evaluation", "Evaluate", "Ctrl+6", icon="evaluate"),
    _page("predict", "Predict", "Ctrl+7"),
    _page("explore", "Explore", "Ctrl+8"),
    _page("export", "Export", "Ctrl+9"),
    _page("bench", "Benchmarks", "Ctrl+0", icon="benchmarks"),
    _page("trash", "Trash", in_rail=False),
    # The last one stands at the bottom of the rail.
    _page("settings", "Settings", "Ctrl+,"),
)
