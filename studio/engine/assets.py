"""The files of `assets/`, and the languages that they are in: English, and those translated.

To add a language: `python -m studio.ui.language_files CODE` writes `assets/translations/
studio_CODE.ts` to translate, and the pages of the manual go into `assets/help/CODE/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import studio


def asset(name: str) -> Path:
    """Return the path of a file in `assets/`.

    The folder lies in the installed package, or beside it in a checkout.

    Args:
        name: Path below `assets/`, with forward slashes.

    Raises:
        FileNotFoundError: Studio was installed without it, which is our bug.
    """
    package = Path(studio.__file__).resolve().parent
    for folder in (package / "assets", package.parent / "assets"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"assets/{name} is missing from this installation")


ENGLISH = "en"


def window_languages() -> list[str]:
    """Codes of the languages of the window, English first."""
    files = asset("translations").glob("studio_*.qm")
    return [ENGLISH, *sorted(path.stem.removeprefix("studio_") for path in files)]


def help_languages() -> list[str]:
    """Codes of the languages of the manual, English first."""
    return [ENGLISH, *sorted(path.parent.name for path in asset("help").glob("*/glossary.json"))]


def help_file(name: str, language: str) -> Path:
    """Return a file of the manual, in English where it is not translated.

    Args:
        name: Its name with the ending.
        language: Code of the language.
    """
    english = asset(f"help/{name}")
    translated = english.parent / language / name
    return translated if translated.is_file() else english


def closest_language(preferred: Iterable[str], known: Iterable[str]) -> str:
    """Return the first known language, if necessary of another region, or English.

    Args:
        preferred: Names such as `pt_BR.UTF-8`, `pt-BR` or `pt`, the preferred one first.
        known: Codes of languages.
    """
    codes = {code: code.casefold().split("_") for code in known}
    for name in preferred:
        parts = re.split(r"[-_.@]", name.casefold())
        same = [code for code, words in codes.items() if words[0] == parts[0]]
        if same:
            return max(same, key=lambda code: len({*codes[code]} & {*parts}) - len(codes[code]))
    return ENGLISH
