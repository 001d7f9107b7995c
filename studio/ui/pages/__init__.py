"""The pages of the window, one package per noun. Pages never import each other or the shell.

To add a page: 1. a package with `page.py` (the view, a `Page`), `state.py` (decisions, no Qt) and
what else it needs; 2. one line in `PAGES`. Navigation, shortcut and the contract tests follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One entry of the rail.

    Attributes:
        name: Stable name, for `Desk.go`.
        label: Shown word, translated in the context `pages`.
        icon: Name of its icon.
        module: Where its class `View` is; imported when the page is first shown.
    """

    name: str
    label: str
    icon: str
    module: str


PAGES: tuple[PageSpec, ...] = (
    PageSpec("home", str(QT_TRANSLATE_NOOP("pages", "Home")), "home", "studio.ui.pages.home.page"),
    PageSpec(
        "datasets",
        str(QT_TRANSLATE_NOOP("pages", "Data")),
        "datasets",
        "studio.ui.pages.datasets.page",
    ),
    PageSpec(
        "networks",
        str(QT_TRANSLATE_NOOP("pages", "Nets")),
        "networks",
        "studio.ui.pages.networks.page",
    ),
    PageSpec(
        "train", str(QT_TRANSLATE_NOOP("pages", "Train")), "train", "studio.ui.pages.train.page"
    ),
    PageSpec(
        "sweeps",
        str(QT_TRANSLATE_NOOP("pages", "Sweep")),
        "sweeps",
        "studio.ui.pages.sweeps.page",
    ),
    PageSpec(
        "evaluation",
        str(QT_TRANSLATE_NOOP("pages", "Eval")),
        "evaluate",
        "studio.ui.pages.evaluation.page",
    ),
    PageSpec(
        "predict",
        str(QT_TRANSLATE_NOOP("pages", "Predict")),
        "predict",
        "studio.ui.pages.predict.page",
    ),
    PageSpec(
        "inside",
        str(QT_TRANSLATE_NOOP("pages", "Inside")),
        "inside",
        "studio.ui.pages.inside.page",
    ),
    PageSpec(
        "export",
        str(QT_TRANSLATE_NOOP("pages", "Export")),
        "export",
        "studio.ui.pages.export.page",
    ),
    PageSpec(
        "bench",
        str(QT_TRANSLATE_NOOP("pages", "Bench")),
        "benchmarks",
        "studio.ui.pages.bench.page",
    ),
)
