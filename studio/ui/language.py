"""The languages of the window, and the translators that are installed in the application.

Texts are those of `assets/translations/studio_<language>.qm`, which `studio.ui.language_files`
writes; Qt's own (dialogs, menus of text fields) come with PySide6. Numbers and dates follow.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication, QDateTime, QLibraryInfo, QLocale, QObject, QTranslator

from studio.engine.assets import ENGLISH, asset, closest_language, window_languages
from studio.engine.messages import COUNT, DATE, Message, Value, fill, joined

SYSTEM = "system"
"""The setting that follows the system; every other one is the code of a language."""
CONTEXT = "engine"
"""Context of all texts of the engine."""


def native_names() -> dict[str, str]:
    """Return the name of each language in itself, by its code."""
    return {language: _native_name(language) for language in window_languages()}


def _native_name(language: str) -> str:
    if language == ENGLISH:
        return "English"
    locale = QLocale(language)
    name = locale.nativeLanguageName() or language
    name = f"{name[0].upper()}{name[1:]}"
    return f"{name} ({locale.nativeTerritoryName()})" if "_" in language else name


def spoken(language: str) -> str:
    """Return the language that a setting selects."""
    if language != SYSTEM:
        return language
    return closest_language(QLocale.system().uiLanguages(), window_languages())


def locale_of(language: str) -> QLocale:
    """Return the locale for numbers and dates: that of the system unless the language differs."""
    system, chosen = QLocale.system(), QLocale(spoken(language))
    if system.language() == QLocale.Language.C:
        # No language is set (LANG=C): figures would have no separators at all.
        return chosen
    return system if language == SYSTEM or system.language() == chosen.language() else chosen


def translated(text: str) -> str:
    """Translate a message, text or label of the engine; values are written by the locale."""
    if not isinstance(text, Message):
        return _translation_of(text, -1)
    # Qt finds no translation of a text without a plural if it is given a number.
    count = text.values[COUNT] if text.one else -1
    number = math.ceil(count) if isinstance(count, int | float) else -1
    template = _translation_of(text.template, number)
    if template == text.template and text.one and count == 1:
        template = _translation_of(text.one, -1)
    return fill(template, text.values, _written)


def sentence(*texts: str) -> str:
    """Translate texts of the engine and join them, with a capital letter at the beginning."""
    text = translated(joined(texts))
    return f"{text[:1].upper()}{text[1:]}"


def _translation_of(text: str, count: int) -> str:
    """Return the translation of a text of the engine, or the text if there is none."""
    return QCoreApplication.translate(CONTEXT, text, None, count) if text else ""


def _written(value: Value, form: str) -> str:
    """Write a value of a message: names as they are, numbers with the separators of the locale."""
    if isinstance(value, str):
        return translated(value) if isinstance(value, Message) else value
    locale = QLocale()
    if form == DATE:
        time = QDateTime.fromSecsSinceEpoch(int(value))
        return locale.toString(time, QLocale.FormatType.ShortFormat)
    separators: dict[str, str | int | None] = {
        ",": locale.groupSeparator(),
        ".": locale.decimalPoint(),
    }
    return format(value, form).translate(str.maketrans(separators))


class Translation(QObject):
    """The translators that are installed in the application; they apply to widgets made later."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = QLocale()
        self._installed: list[QTranslator] = []

    def use(self, language: str) -> None:
        """Switch to a language.

        Raises:
            FileNotFoundError: Studio was installed without its translations.
        """
        self._take_off()
        QLocale.setDefault(locale_of(language))
        name = spoken(language)
        if name == ENGLISH:
            return
        own, qt = QTranslator(self), QTranslator(self)
        path = str(asset(f"translations/studio_{name}.qm"))
        if not own.load(path):
            raise FileNotFoundError(f"{path} is damaged")
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        # Qt has fewer translations than Studio may have: then its dialogs stay English.
        qt.load(QLocale(name), "qtbase", "_", folder)
        for translator in (qt, own):
            QCoreApplication.installTranslator(translator)
            self._installed.append(translator)

    def remove(self) -> None:
        """Restore the application's own language."""
        self._take_off()
        QLocale.setDefault(self._before)

    def _take_off(self) -> None:
        for translator in self._installed:
            QCoreApplication.removeTranslator(translator)
            translator.deleteLater()
        self._installed.clear()
