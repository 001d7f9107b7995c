"""Licenses of pretrained models in words."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication

from studio.engine.pretrained.licenses import Passport
from studio.ui.language import translated

_tr = partial(QCoreApplication.translate, "Passport")


def passport_text(passport: Passport) -> str:
    """Return the three licenses, each in a line with its sentence."""
    headings = {"code": _tr("Code"), "weights": _tr("Weights"), "data": _tr("Training images")}
    return "\n".join(
        f"{headings[part]}: {translated(each.label)}. {translated(each.sentence)}"
        for part, each in passport.parts()
    )
