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


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page, as data.

    Attributes:
        name: Stable name, for `OpenPage`; also that of its package.
        label: Shown word.
        keys: Default shortcut; empty for none.
        icon: Name of its icon; empty if that is the name of the page.
        in_rail: False for a page that only other pages and the command palette open.
    """

    name: str
    label: str
    keys: str = ""
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
        )

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the page, besides opening it."""
        return PAGE_COMMANDS.get(self.name, ())


PAGES: tuple[PageSpec, ...] = (
    PageSpec("home", "Home", "Ctrl+1"),
    PageSpec("datasets", "Datasets", "Ctrl+2"),
    PageSpec("label", "Label", "Ctrl+Shift+L"),
    PageSpec("networks", "Networks", "Ctrl+3"),
    PageSpec("train", "Train", "Ctrl+4"),
    PageSpec("sweeps", "Sweeps", "Ctrl+5"),
    PageSpec("evaluation", "Evaluate", "Ctrl+6", icon="evaluate"),
    PageSpec("predict", "Predict", "Ctrl+7"),
    PageSpec("explore", "Explore", "Ctrl+8"),
    PageSpec("export", "Export", "Ctrl+9"),
    PageSpec("bench", "Benchmarks", "Ctrl+0", icon="benchmarks"),
    PageSpec("trash", "Trash", in_rail=False),
    # The last one stands at the bottom of the rail.
    PageSpec("settings", "Settings", "Ctrl+,"),
)
