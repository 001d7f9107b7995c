"""`studio help`: the manual and the glossary, on the terminal."""

from __future__ import annotations

import os
from dataclasses import asdict

from studio.cli.verb import Session, argument
from studio.engine import manual
from studio.engine.errors import StudioError

run_options = (
    argument("topic", nargs="?", metavar="TOPIC", help=f"one of {', '.join(manual.TOPICS)}"),
    argument("term", nargs="?", metavar="TERM", help="term of the glossary"),
)


def run(session: Session) -> object:
    """Print a topic, a term, or the list of topics, and return it as a document."""
    topic, term = session.options.topic, session.options.term
    language = manual.language_of(os.environ)
    if topic is None:
        return _list(session, language)
    if term is not None:
        return _explain(session, topic, term, language)
    text = manual.read_topic(topic, language)
    session.output.markdown(text)
    document: dict[str, object] = {"topic": topic, "title": manual.title_of(topic, language)}
    if topic == manual.GLOSSARY:
        return {**document, "terms": [asdict(each) for each in manual.glossary(language)]}
    return {**document, "text": text}


def _list(session: Session, language: str) -> object:
    titles = {name: manual.title_of(name, language) for name in manual.TOPICS}
    session.output.table(["Topic", ""], [[name, title] for name, title in titles.items()])
    session.output.say("Read one: studio help TOPIC. One word: studio help glossary TERM.")
    return {"topics": [{"topic": name, "title": title} for name, title in titles.items()]}


def _explain(session: Session, topic: str, word: str, language: str) -> object:
    if topic != manual.GLOSSARY:
        raise StudioError(
            f'"{word}" cannot follow the topic "{topic}".',
            f"Try: studio help {topic}, or studio help {manual.GLOSSARY} {word}",
        )
    term = manual.find_term(word, language)
    source = f" ({term.source})" if term.source else ""
    session.output.say(f"{term.name}: {term.meaning}{source}")
    return asdict(term)
