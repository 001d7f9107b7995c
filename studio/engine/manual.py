"""The manual: one short page for each topic, in every language that it was translated into.

To add a topic: `assets/help/NAME.md`, the same in the folder of each language, one line in
`TOPICS`. The window shows the topic of a page by F1, `studio help NAME` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.assets import asset
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.glossary import ENGLISH, glossary

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
LANGUAGES: tuple[str, ...] = (ENGLISH, "pt_BR")
_GLOSSARY_TITLES = {ENGLISH: "Glossary", "pt_BR": "Glossário"}


def read_topic(name: str, language: str = ENGLISH) -> str:
    """A topic as Markdown, in that language.

    Raises:
        StudioError: There is no such topic; says which are like it.
    """
    if name not in TOPICS:
        raise StudioError(f'There is no help on "{name}".', did_you_mean(name, TOPICS), "topic")
    if name == GLOSSARY:
        return _glossary(language)
    folder = "" if language == ENGLISH else f"{language}/"
    return asset(f"help/{folder}{name}.md").read_text("utf-8")


def title_of(name: str, language: str = ENGLISH) -> str:
    """The heading of a topic.

    Raises:
        StudioError: There is no such topic.
    """
    return read_topic(name, language).partition("\n")[0].lstrip("# ").strip()


def language_of(environment: Mapping[str, str]) -> str:
    """The language that the variables of a terminal ask for; English where there is no other."""
    names = (environment.get(key, "") for key in ("LC_ALL", "LC_MESSAGES", "LANG"))
    wanted = next(filter(None, names), "")
    return "pt_BR" if wanted.casefold().startswith("pt") else ENGLISH


def _glossary(language: str) -> str:
    lines = [f"# {_GLOSSARY_TITLES[language]}", ""]
    for term in glossary(language):
        source = f" ({term.source})" if term.source else ""
        lines += [f"**{term.name}** – {term.meaning}{source}", ""]
    return "\n".join(lines)
