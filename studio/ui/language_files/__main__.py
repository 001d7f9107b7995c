"""Updates the files of the translations, and prints the number of missing translations.

Translators edit Qt's `.ts`; the window loads the `.qm` beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import PySide6

from studio.engine.assets import asset
from studio.ui.language_files.texts import TranslatableText, all_sources

Translations = Mapping[TranslatableText, tuple[str, ...]]
"""The forms of a translation, one or several for plurals; empty if it is missing."""


def read_ts(path: Path) -> dict[TranslatableText, tuple[str, ...]]:
    """Return the finished translations of a `.ts` file."""
    found: dict[TranslatableText, tuple[str, ...]] = {}
    for context in ET.parse(path).getroot().iter("context"):  # noqa: S314 - our own file
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type") == "unfinished":
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")]
            source = TranslatableText(
                context.findtext("name", ""),
                message.findtext("source", ""),
                has_plural=message.get("numerus") == "yes",
            )
            found[source] = tuple(forms) or (translation.text or "",)
    return found


def ts_text(language: str, sources: Iterable[TranslatableText], translations: Translations) -> str:
    """Return a `.ts` file: all sources, in order, with their translation or as unfinished.

    Args:
        language: Code of the language.
        sources: All texts, in order.
        translations: Known translations.
    """
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
    """Compile a `.ts` file into a `.qm`.

    Raises:
        subprocess.CalledProcessError: Qt's compiler rejects it.
    """
    program = Path(PySide6.__file__).parent / ("lrelease.exe" if os.name == "nt" else "lrelease")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "studio.ts", Path(folder) / "studio.qm"
        source.write_text(ts, encoding="utf-8")
        words = [str(program), "-silent", str(source), "-qm", str(target)]
        subprocess.run(words, check=True, capture_output=True)
        return target.read_bytes()


def _message(source: TranslatableText, forms: tuple[str, ...]) -> list[str]:
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


@dataclass(frozen=True, slots=True)
class LanguageFiles:
    """Contents of the files of all languages, by their path."""

    texts: dict[Path, str]
    binaries: dict[Path, bytes]

    def stale(self) -> list[Path]:
        """Return the files that differ or are missing."""
        changed = [
            path
            for path, text in self.texts.items()
            if not path.exists() or path.read_text(encoding="utf-8") != text
        ]
        return changed + [
            path
            for path, content in self.binaries.items()
            if not path.exists() or path.read_bytes() != content
        ]

    def write(self) -> None:
        """Write all files."""
        for path, text in self.texts.items():
            path.write_text(text, encoding="utf-8", newline="\n")
        for path, content in self.binaries.items():
            path.write_bytes(content)


def generated_files(sources: set[TranslatableText], new: Iterable[str] = ()) -> LanguageFiles:
    """Return the files for these texts, without translations of removed texts.

    Args:
        sources: Every text.
        new: Codes of languages that have no file yet.
    """
    folder = asset("translations")
    texts: dict[Path, str] = {}
    binaries: dict[Path, bytes] = {}
    paths = {*folder.glob("studio_*.ts"), *(folder / f"studio_{code}.ts" for code in new)}
    for path in sorted(paths):
        language = path.stem.removeprefix("studio_")
        known = _carried_over(sources, read_ts(path) if path.exists() else {})
        texts[path] = ts_text(language, sources, known)
        binaries[path.with_suffix(".qm")] = compiled(texts[path])
    return LanguageFiles(texts, binaries)


def _carried_over(
    sources: set[TranslatableText], known: Translations
) -> dict[TranslatableText, tuple[str, ...]]:
    """Return the translations with those of the same English text in another context added.

    A text whose class was renamed or whose module was merged keeps its translation.
    """
    by_text = {source.text: forms for source, forms in known.items()}
    missing = {source for source in sources if source not in known and source.text in by_text}
    return {**known, **{source: by_text[source.text] for source in missing}}


def main(new: Sequence[str]) -> int:
    """Write the files, also of new languages; return 1 if a translation is missing."""
    sources = all_sources()
    generated_files(sources, new).write()
    left = 0
    for path in sorted(asset("translations").glob("*.ts")):
        missing = sorted(sources - read_ts(path).keys())
        left += len(missing)
        sys.stdout.write(f"{path.name}: {len(sources)} texts, {len(missing)} not translated\n")
        for source in missing:
            sys.stdout.write(f"  {source.context}: {source.text}\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
