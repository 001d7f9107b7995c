"""The language of the window: which there are, and how one is put on and taken off.

Texts are those of `assets/translations/studio_<language>.qm`, which `studio.ui.language_files`
writes; Qt's own (dialogs, menus of text fields) come with PySide6. Numbers and dates follow.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from studio.engine.assets import asset

Language = Literal["system", "en", "pt_BR"]
Spoken = Literal["en", "pt_BR"]

# Each by its own name, so that whoever lost the way finds back.
NATIVE_NAMES: dict[Spoken, str] = {"en": "English", "pt_BR": "Português (Brasil)"}


def spoken(language: Language) -> Spoken:
    """The language that a setting stands for; `system` is what the system prefers, or English."""
    if language != "system":
        return language
    for name in QLocale.system().uiLanguages():
        if name.startswith("pt"):
            return "pt_BR"
        if name.startswith("en"):
            return "en"
    return "en"


def locale_of(language: Language) -> QLocale:
    """How numbers and dates are written: by the system, unless another language was chosen."""
    system, chosen = QLocale.system(), QLocale(spoken(language))
    if system.language() == QLocale.Language.C:
        # No language is set (LANG=C): figures would have no separators at all.
        return chosen
    return system if language == "system" or system.language() == chosen.language() else chosen


class Translation(QObject):
    """The translators that are installed in the application. Widgets made later speak so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = QLocale()
        self._installed: list[QTranslator] = []

    def use(self, language: Language) -> None:
        """Put a language on, in place of the one before.

        Raises:
            FileNotFoundError: Studio was installed without its translations, which is our bug.
        """
        self._take_off()
        QLocale.setDefault(locale_of(language))
        name = spoken(language)
        if name == "en":
            return
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        self._install(f"{folder}/qtbase_{name}.qm")
        self._install(str(asset(f"translations/studio_{name}.qm")))

    def remove(self) -> None:
        """Leave the application as it was before."""
        self._take_off()
        QLocale.setDefault(self._before)

    def _install(self, path: str) -> None:
        translator = QTranslator(self)
        if not translator.load(path):
            raise FileNotFoundError(f"{path} is missing from this installation")
        QCoreApplication.installTranslator(translator)
        self._installed.append(translator)

    def _take_off(self) -> None:
        for translator in self._installed:
            QCoreApplication.removeTranslator(translator)
            translator.deleteLater()
        self._installed.clear()
