"""Names that people gave, inside of sentences that Studio made."""

from __future__ import annotations

import unicodedata
from typing import Final

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics

TAILS: Final = int(Qt.TextFlag.TextDontClip.value)
"""To paint a name with: letters of another script are often higher than the font's own, and
would be cut at the edges of a line that was made for these."""
_BEGIN, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_FROM_THE_RIGHT = frozenset({"R", "AL"})


def apart(name: str) -> str:
    """A name for the middle of a sentence: one that is read from the right leaves the rest alone.

    Otherwise figures and marks behind an Arabic or Hebrew name would be drawn before it.
    """
    if name.isascii() or not any(map(_is_from_the_right, name)):
        return name
    return f"{_BEGIN}{name}{_END}"


def name_height(metrics: QFontMetrics, name: str) -> int:
    """Pixels of a line with a name, which another font may have to help out with."""
    if name.isascii():
        return metrics.height()
    single = int(Qt.TextFlag.TextSingleLine.value)
    return max(metrics.height(), metrics.boundingRect(QRect(), single, name).height())


def _is_from_the_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in _FROM_THE_RIGHT
