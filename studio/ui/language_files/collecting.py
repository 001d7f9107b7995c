"""All texts, and what the files made of them should hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from studio.engine.assets import asset
from studio.ui.engine_text import CONTEXT, FILE
from studio.ui.language_files.engine_texts import engine_texts
from studio.ui.language_files.files import Source, Translations, compiled, read_ts, ts_text
from studio.ui.language_files.message_texts import message_texts
from studio.ui.language_files.window_texts import table_texts, window_texts


@dataclass(frozen=True, slots=True)
class Files:
    """What should be written: the files of all languages by their path."""

    texts: dict[Path, str]
    binaries: dict[Path, bytes]

    def stale(self) -> list[Path]:
        """The files that hold something else, or are not there."""
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
        """Write all of them."""
        for path, text in self.texts.items():
            path.write_text(text, encoding="utf-8", newline="\n")
        for path, content in self.binaries.items():
            path.write_bytes(content)


def all_sources() -> set[Source]:
    """Every text that the window can show."""
    tables = table_texts()
    known = {source.text for source in tables}
    # Of two equal sources a set keeps the first one, which knows whether it has a plural.
    return message_texts() | window_texts() | tables | engine_texts(known)


def wanted_files(sources: set[Source], new: Iterable[str] = ()) -> Files:
    """The files for these texts; translations are kept, those without a text are dropped.

    Args:
        sources: Every text.
        new: Codes of languages that have no file yet.
    """
    folder = asset("translations")
    engine = sorted(source for source in sources if source.context == CONTEXT)
    places = {source.text: " ".join(map(str, source.numbers)) for source in engine}
    patterns = json.dumps(places, ensure_ascii=False, indent=0)
    texts = {folder.parent / FILE: f"{patterns}\n"}
    binaries: dict[Path, bytes] = {}
    paths = {*folder.glob("studio_*.ts"), *(folder / f"studio_{code}.ts" for code in new)}
    for path in sorted(paths):
        language = path.stem.removeprefix("studio_")
        known = _carried_over(sources, read_ts(path) if path.exists() else {})
        texts[path] = ts_text(language, sources, known)
        binaries[path.with_suffix(".qm")] = compiled(texts[path])
    return Files(texts, binaries)


def _carried_over(sources: set[Source], known: Translations) -> dict[Source, tuple[str, ...]]:
    """Return the translations with those of the same English text in another context added.

    A text whose class was renamed or whose module was merged keeps its translation.
    """
    by_text = {source.text: forms for source, forms in known.items()}
    missing = {source for source in sources if source not in known and source.text in by_text}
    return {**known, **{source: by_text[source.text] for source in missing}}
