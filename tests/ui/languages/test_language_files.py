"""The files of the translations: nothing is missing, nothing is stale, no place got lost."""

from __future__ import annotations

import re

import pytest

from studio.engine.assets import ENGLISH, asset, window_languages
from studio.ui.language_files.__main__ import LanguageFiles, generated_files, read_ts
from studio.ui.language_files.texts import (
    OpenTextError,
    TranslatableText,
    all_sources,
    message_texts,
    messages_in,
    texts_of,
)

UPDATE = "run: python -m studio.ui.language_files"
LANGUAGES = [language for language in window_languages() if language != ENGLISH]
# Places for values, tags and keys: what a translation may put elsewhere, but not lose or add.
_PLACEHOLDERS = re.compile(r"\{\w*(?::[^{}]*)?\}|%n|%\d|</?\w+[^>]*>|\*\.\w+")


@pytest.fixture(scope="module")
def sources() -> set[TranslatableText]:
    return all_sources()


@pytest.fixture(scope="module")
def files(sources: set[TranslatableText]) -> LanguageFiles:
    return generated_files(sources)


def _translations(language: str) -> dict[TranslatableText, tuple[str, ...]]:
    return read_ts(asset("translations") / f"studio_{language}.ts")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str, sources: set[TranslatableText]) -> None:
    known = _translations(language)
    missing = sorted(source for source in sources if not all(known.get(source, ("",))))

    assert len(sources) > 3000, "texts are no longer found"
    assert missing == [], f"translate these in studio_{language}.ts, then {UPDATE}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_translated_text_is_used(language: str, sources: set[TranslatableText]) -> None:
    assert sorted(_translations(language).keys() - sources) == [], UPDATE


def test_the_files_are_those_of_the_source(files: LanguageFiles) -> None:
    assert files.stale() == [], UPDATE


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_the_placeholders(language: str) -> None:
    lost = {
        source.text: form
        for source, forms in _translations(language).items()
        for form in forms
        if sorted(set(_PLACEHOLDERS.findall(source.text)))
        != sorted(set(_PLACEHOLDERS.findall(form)))
    }

    assert lost == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_end_and_begin_as_their_texts(language: str) -> None:
    """Spaces at the ends join texts; a colon, an ellipsis or a mnemonic means something."""
    wrong = {
        source.text: form
        for source, forms in _translations(language).items()
        for form in forms
        if (source.text != source.text.strip()) != (form != form.strip())
        or source.text.endswith("…") != form.endswith("…")
        or source.text.endswith(":") != form.endswith(":")
        or bool(re.search(r"&\w", source.text)) != bool(re.search(r"&\w", form))
    }

    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_space_stands_before_an_ellipsis(language: str) -> None:
    """A list may continue after a comma."""
    texts = {
        text for source, forms in _translations(language).items() for text in (source.text, *forms)
    }

    assert sorted(text for text in texts if re.search(r"[^,] …", text)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_a_form_for_one_and_one_for_many(language: str) -> None:
    for source, forms in _translations(language).items():
        assert len(forms) == (2 if source.plural else 1), source


WINDOW_CODE = """
tr = partial(QCoreApplication.translate, "Bound")
def _word(text):
    return QCoreApplication.translate("helped", text)
class Outer(QWidget):
    def show(self):
        self.tr("one " "line"); self.tr("yes" if x else "no"); self.tr("%n files", "", 2)
        _word("help"); tr("bound"); QCoreApplication.translate("named", "text")
class Other(Outer):
    def show(self):
        self.tr("other")
ITEMS = [QT_TRANSLATE_NOOP("marked", "later")]
part = partial(Command, page="train")
ROWS = [Command("a.b", "Do it", words="act"), part("a.c", "Undo it"), PageSpec("a", "Home")]
def late(item):
    return QCoreApplication.translate("marked", item)
"""


def test_texts_of_the_window_are_found_in_all_their_ways() -> None:
    assert texts_of(WINDOW_CODE) == {
        TranslatableText("Outer", "one line"),
        TranslatableText("Outer", "yes"),
        TranslatableText("Outer", "no"),
        TranslatableText("Outer", "%n files"),
        TranslatableText("Other", "other"),
        TranslatableText("helped", "help"),
        TranslatableText("Bound", "bound"),
        TranslatableText("named", "text"),
        TranslatableText("marked", "later"),
        TranslatableText("commands", "Do it"),
        TranslatableText("commands", "act"),
        TranslatableText("commands", "Undo it"),
        TranslatableText("commands", "Home"),
    }


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def f(self): self.tr(f'{n} images')",
        "class A:\n    def f(self, word): self.tr(word)",
        "class A:\n    def f(self, other): other.tr('Move')",
        "QCoreApplication.translate('page', label)",
    ],
)
def test_a_text_that_cannot_be_extracted_is_refused(code: str) -> None:
    with pytest.raises(OpenTextError):
        texts_of(code)


ENGINE_CODE = '''
"""What it is for."""
TABLE = [Words("Copies of an image: {count:,}.", "Keep one.")]
def check(n, name):
    """Say what is wrong."""
    if n > 3:
        raise ValueError("this is our own mistake")
    if n > 2:
        raise ValueError(message("of a plan"))
    text = message("{count} images", one="one image", count=n)
    raise StudioError(message("Yes." if n else "No."), f"no {name} sentence", hint="Check it.")
'''


def test_templates_and_constant_sentences_of_the_engine_are_found() -> None:
    errors = {
        TranslatableText("engine", "{count} images", has_plural=True),
        TranslatableText("engine", "of a plan"),
        TranslatableText("engine", "Yes."),
        TranslatableText("engine", "No."),
        TranslatableText("engine", "Check it."),
    }
    table = {
        TranslatableText("engine", "Copies of an image: {count:,}."),
        TranslatableText("engine", "Keep one."),
    }

    found = messages_in(ENGINE_CODE, takes_sentences=True)

    assert found == errors | table
    assert {source.text for source in found if source.plural} == {"{count} images"}
    assert messages_in(ENGINE_CODE, takes_sentences=False) == errors


def test_steps_of_benchmarks_are_found() -> None:
    assert TranslatableText("engine", "Operations") in message_texts()


def test_a_text_that_moves_to_another_class_keeps_its_translation() -> None:
    text = "Files left out by the import"
    written = generated_files({TranslatableText("ClassOfTomorrow", text)}).texts

    ts = next(content for path, content in written.items() if path.name == "studio_pt_BR.ts")
    assert "Arquivos deixados de fora na importação" in ts
