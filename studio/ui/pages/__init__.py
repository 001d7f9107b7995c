"""The pages of the window, one package per noun. Pages never import each other or the shell.

To add a page: 1. a package with `page.py` (its class `View` is a `Page`); 2. one line in `PAGES`,
an icon of the same name, and its commands in `commands.py`. Navigation, palette, shortcut and the
contract tests follow. Other packages add pages by entry points of the group `studio.pages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry
from studio.ui.commands import Command
from studio.ui.navigation import OpenPage
from studio.ui.pages.commands import PAGE_COMMANDS
from studio.ui.theme.icons import GLYPHS

_OF_PACKAGES: Final = "plug-in"
"""Icon of pages of other packages that name none."""


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page, as data.

    Attributes:
        name: Stable name, for `OpenPage`.
        label: Shown word.
        keys: Default shortcut; empty for none.
        icon: One of `GLYPHS`; empty for that with the name of the page.
        topic: Topic of the manual that F1 shows.
        in_rail: False for a page that only other pages and the command palette open.
        is_lowest: True for the page at the bottom of the rail.
        package: Module of another package with its class `View`; empty for a page of Studio.

    Raises:
        ValueError: There is no such icon.
    """

    name: str
    label: str
    keys: str = ""
    icon: str = ""
    topic: str = "start"
    in_rail: bool = True
    is_lowest: bool = False
    package: str = ""

    def __post_init__(self) -> None:
        if self.shown_icon not in GLYPHS:
            raise ValueError(f"there is no icon {self.shown_icon}")

    @property
    def shown_icon(self) -> str:
        """Name of its icon."""
        return self.icon or (_OF_PACKAGES if self.package else self.name)

    @property
    def module(self) -> str:
        """The module with its class `View`; imported when the page is first shown."""
        return self.package or f"studio.ui.pages.{self.name}.page"

    @property
    def command(self) -> Command:
        """The command that opens the page."""
        return Command(
            f"page.{self.name}",
            self.label,
            self.shown_icon,
            self.keys,
            page=self.name,
            intent=OpenPage(self.name),
        )

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the page, besides opening it."""
        return PAGE_COMMANDS.get(self.name, ())


PAGES: Registry[PageSpec] = Registry(
    "page",
    [
        PageSpec("home", "Home", "Ctrl+1"),
        PageSpec("datasets", "Datasets", "Ctrl+2", topic="datasets"),
        PageSpec("label", "Label", "Ctrl+Shift+L", topic="label"),
        PageSpec("networks", "Networks", "Ctrl+3", topic="networks"),
        PageSpec("train", "Train", "Ctrl+4", topic="training"),
        PageSpec("sweeps", "Sweeps", "Ctrl+5", topic="sweeps"),
        PageSpec("evaluation", "Evaluate", "Ctrl+6", "evaluate", topic="evaluation"),
        PageSpec("predict", "Predict", "Ctrl+7", topic="predict"),
        PageSpec("explore", "Explore", "Ctrl+8", topic="explore"),
        PageSpec("export", "Export", "Ctrl+9", topic="export"),
        PageSpec("bench", "Benchmarks", "Ctrl+0", "benchmarks", topic="bench"),
        PageSpec("trash", "Trash", topic="files", in_rail=False),
        PageSpec("settings", "Settings", "Ctrl+,", topic="shortcuts", is_lowest=True),
    ],
    Kind("studio.pages", "page", ("label", "module", "command"), comes_first=False),
)
"""Pages by their names, in the order of the rail."""
