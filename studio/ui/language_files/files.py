"""The files of a translation: Qt's `.ts` for translators, and the `.qm` that the window loads."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import PySide6


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A text of the program.

    Attributes:
        context: Under which name it is looked up.
        text: In English.
        numbers: The places whose values are written as numbers in English: `{1:.2f}`. A text is
            the same whether they are known or not.
        has_plural: A number decides about its form that is not written as %n.
    """

    context: str
    text: str
    numbers: tuple[int, ...] = field(default=(), compare=False)
    has_plural: bool = field(default=False, compare=False)

    @property
    def plural(self) -> bool:
        """Whether a number decides about its form."""
        return self.has_plural or "%n" in self.text


class OpenTextError(Exception):
    """A text is translated whose words are not in the source: nobody could collect it."""


Translations = Mapping[Source, tuple[str, ...]]
"""One form of a text, or one for each number; none where it is not translated yet."""


def read_ts(path: Path) -> dict[Source, tuple[str, ...]]:
    """The finished translations of a `.ts` file."""
    found: dict[Source, tuple[str, ...]] = {}
    for context in ET.parse(path).getroot().iter("context"):  # noqa: S314 - our own file
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type") == "unfinished":
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")]
            source = Source(
                context.findtext("name", ""),
                message.findtext("source", ""),
                has_plural=message.get("numerus") == "yes",
            )
            found[source] = tuple(forms) or (translation.text or "",)
    return found


def ts_text(language: str, sources: Iterable[Source], translations: Translations) -> str:
    """A `.ts` file: every source, in order, with its translation or marked as unfinished."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
    ]
    for context, messages in groupby(sorted(sources), attrgetter("context")):
        lines += ["<context>", f"    <name>{escape(context)}</name>"]
        for source in messages:
            lines += _message(source, translations.get(source, ()))
        lines.append("</context>")
    return "\n".join([*lines, "</TS>", ""])


def compiled(ts: str) -> bytes:
    """The `.qm` of a `.ts` file.

    Raises:
        subprocess.CalledProcessError: Qt's compiler does not take it.
    """
    program = Path(PySide6.__file__).parent / ("lrelease.exe" if os.name == "nt" else "lrelease")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "studio.ts", Path(folder) / "studio.qm"
        source.write_text(ts, encoding="utf-8")
        words = [str(program), "-silent", str(source), "-qm", str(target)]
        subprocess.run(words, check=True, capture_output=True)
        return target.read_bytes()


def _message(source: Source, forms: tuple[str, ...]) -> list[str]:
    mark = "" if forms else ' type="unfinished"'
    if source.plural:
        texts = "".join(f"<numerusform>{escape(form)}</numerusform>" for form in forms or ("", ""))
    else:
        texts = escape(forms[0]) if forms else ""
    return [
        '    <message numerus="yes">' if source.plural else "    <message>",
        f"        <source>{escape(source.text)}</source>",
        f"        <translation{mark}>{texts}</translation>",
        "    </message>",
    ]
