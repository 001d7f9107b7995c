"""The manual: one short page for each topic, in English and each language of `assets/help/`.

To add a topic: `assets/help/NAME.md`, the same in the folder of each language, one line in
`TOPICS`. The window shows the topic of a page by F1, `studio help NAME` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.glossary import glossary
from studio.engine.languages import ENGLISH, closest_language, help_file, help_languages

GLOSSARY = "glossary"
TOPICS: tuple[str, ...] = (
    "start",
    "datasets",
    "networks",
    "training",
    "sweeps",
    "evaluation",
    "predict",
    "inside",
    "export",
    "bench",
    "shortcuts",
    "files",
    "gpu",
    "troubleshooting",
    GLOSSARY,
)


def read_topic(name: str, language: str = ENGLISH) -> str:
    """A topic as Markdown, in that language.

    Raises:
        StudioError: There is no such topic; says which are like it.
    """
    if name not in TOPICS:
        raise StudioError(f'There is no help on "{name}".', did_you_mean(name, TOPICS), "topic")
    text = help_file(f"{name}.md", language).read_text("utf-8")
    return f"{text}\n{_terms(language)}" if name == GLOSSARY else text


def title_of(name: str, language: str = ENGLISH) -> str:
    """The heading of a topic.

    Raises:
        StudioError: There is no such topic.
    """
    return read_topic(name, language).partition("\n")[0].lstrip("# ").strip()


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that the variables of a terminal ask for, or English."""
    names = (environment.get(key, "") for key in ("LC_ALL", "LC_MESSAGES", "LANG"))
    wanted = next(filter(None, names), "")
    return closest_language([wanted], help_languages())


def _terms(language: str) -> str:
    lines = []
    for term in glossary(language):
        source = f" ({term.source})" if term.source else ""
        lines += [f"**{term.name}** – {term.meaning}{source}", ""]
    return "\n".join(lines)
