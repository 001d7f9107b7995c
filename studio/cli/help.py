"""`studio help`: the manual and the glossary, on the terminal."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.glossary import find_term, glossary
from studio.engine.manual import GLOSSARY, TOPICS, language_of, read_topic, title_of


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help=f"one of {', '.join(TOPICS)}")
    parser.add_argument("term", nargs="?", metavar="TERM", help="a word of the glossary")


def _help(session: Session) -> object:
    topic, term = session.options.topic, session.options.term
    language = language_of(os.environ)
    if topic is None:
        return _list(session, language)
    if term is not None:
        return _explain(session, topic, term, language)
    text = read_topic(topic, language)
    session.output.markdown(text)
    document: dict[str, object] = {"topic": topic, "title": title_of(topic, language)}
    if topic == GLOSSARY:
        return {**document, "terms": [asdict(each) for each in glossary(language)]}
    return {**document, "text": text}


def _list(session: Session, language: str) -> object:
    titles = {name: title_of(name, language) for name in TOPICS}
    session.output.table(["Topic", ""], [[name, title] for name, title in titles.items()])
    session.output.say("Read one: studio help TOPIC. One word: studio help glossary TERM.")
    return {"topics": [{"topic": name, "title": title} for name, title in titles.items()]}


def _explain(session: Session, topic: str, word: str, language: str) -> object:
    if topic != GLOSSARY:
        raise StudioError(
            f'"{word}" cannot follow the topic "{topic}".',
            f"Try: studio help {topic}, or studio help {GLOSSARY} {word}",
        )
    term = find_term(word, language)
    source = f" ({term.source})" if term.source else ""
    session.output.say(f"{term.name}: {term.meaning}{source}")
    return asdict(term)


HELP = Verb("help", "read the manual: one topic, or the glossary", _configure, _help)
