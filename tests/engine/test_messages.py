"""A message keeps its template and values on every way to the display."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from pydantic import BaseModel

from studio.engine.errors import LONGEST_MESSAGE, Problem, StudioError, raise_if_serious
from studio.engine.jobs.answering import refusal
from studio.engine.jobs.events import Note, StateChanged, decoder, encode
from studio.engine.jobs.states import State
from studio.engine.messages import (
    Message,
    Text,
    as_message,
    english,
    from_json,
    joined,
    message,
    to_json,
)

IMAGES = message("{count:,} images", one="one image", count=1234)
SENTENCE = message("“{name}” has {share:.1%} of {images}.", name="cats", share=0.5, images=IMAGES)


def _same(text: str) -> bool:
    return (
        isinstance(text, Message)
        and text == SENTENCE
        and text.template == SENTENCE.template
        and text.values == SENTENCE.values
        and isinstance(text.values["images"], Message)
        and text.values["images"].one == IMAGES.one
    )


def test_its_text_is_the_english_sentence() -> None:
    assert SENTENCE == "“cats” has 50.0% of 1,234 images."
    assert message("{count:,} images", one="one image", count=1) == "one image"


@pytest.mark.parametrize(
    ("value", "stored"),
    [(np.int64(3), 3), (np.float32(0.5), 0.5), (True, "True"), (State.FAILED, "failed")],
)
def test_numbers_stay_numbers(value: object, stored: object) -> None:
    kept = message("{value}", value=value).values["value"]

    assert kept == stored
    assert type(kept) is type(stored)


def test_it_survives_copies_and_pickling() -> None:
    assert _same(pickle.loads(pickle.dumps(SENTENCE)))
    assert _same(copy.deepcopy(SENTENCE))


def test_it_survives_a_journal() -> None:
    event = StateChanged(state=State.FAILED, reason=SENTENCE, hint="Try again.")
    read = decoder()(encode(event))

    assert isinstance(read, StateChanged)
    assert _same(read.reason)
    assert read.hint == "Try again."


def test_journals_with_finished_sentences_open() -> None:
    line = json.dumps({"event": "note", "message": "Images were left out: 3."}).encode()
    read = decoder()(line)

    assert isinstance(read, Note)
    assert type(read.message) is str


def test_it_survives_a_document() -> None:
    class Document(BaseModel, frozen=True):
        notes: tuple[Text, ...]

    read = Document.model_validate_json(Document(notes=(SENTENCE, "x")).model_dump_json())

    assert _same(read.notes[0])
    assert read.notes[1] == "x"


def test_it_survives_a_reply_of_the_engine_host() -> None:
    reply = json.loads(json.dumps(refusal(1, StudioError(SENTENCE, SENTENCE))))["error"]

    assert _same(from_json(reply["message"]))
    assert _same(from_json(reply["hint"]))


def test_programs_read_english() -> None:
    assert english({"notes": [to_json(SENTENCE)]}) == {"notes": [str(SENTENCE)]}


@pytest.mark.parametrize(
    "change",
    [
        {"template": "{name"},
        {"template": "{other}"},
        {"template": "{name:>1000000000}"},
        {"template": "{name.__class__}"},
        {"values": None},
        {"one": "x"},
    ],
)
def test_a_damaged_template_is_shown_as_its_text(change: dict[str, object]) -> None:
    form = {"text": "“a” is here.", "template": "“{name}” is here.", "values": {"name": "a"}}

    assert from_json({**form, **change}) == "“a” is here."


def test_not_a_number_is_stored_as_text() -> None:
    assert to_json(message("loss {loss:.2f}", loss=float("nan"))) == "loss nan"


def test_errors_clean_the_values_and_keep_the_template() -> None:
    error = StudioError("No “{name}”.", name="a\nb\x1b" + "x" * 9000)

    assert isinstance(error.message, Message)
    assert error.message.startswith("No “a b\\x1bx")
    assert len(error.message) <= LONGEST_MESSAGE
    assert error.message.template == "No “{name}”."


def test_many_problems_are_one_message() -> None:
    problems = [Problem("epochs", "must be a number."), Problem("", SENTENCE, "Choose one.")]

    with pytest.raises(StudioError) as raised:
        raise_if_serious(problems)

    text = raised.value.message
    assert text == f"epochs: must be a number. {SENTENCE}"
    assert isinstance(text, Message)
    assert SENTENCE in text.values.values()


def test_joining_leaves_out_empty_parts() -> None:
    assert joined(("", SENTENCE, "")) is SENTENCE
    assert joined(()) == ""
    assert joined(("a", "b"), ", ") == "a, b"


def test_words_within_a_message_stay_messages_when_they_are_stored() -> None:
    read = from_json(to_json(message("{what}: {name}", what=message("memory"), name="memory")))

    assert isinstance(read, Message)
    assert isinstance(read.values["what"], Message)
    assert type(read.values["name"]) is str


def test_exceptions_keep_their_message() -> None:
    assert _same(str(StudioError(SENTENCE)))
    assert _same(str(ValueError(SENTENCE)))
    assert _same(str(message("{reason}", reason=ValueError(SENTENCE)).values["reason"]))


def test_a_label_within_a_sentence_is_small() -> None:
    label = message("Validation mAP")

    assert message("its {metric:lower}", metric=label) == "its validation mAP"


def test_a_sentence_within_a_sentence_ends_once() -> None:
    reason = message("It is gone.")

    assert (
        message("No file: {reason}. Try again.", reason=reason)
        == "No file: It is gone. Try again."
    )
    assert message("{name}.", name="a.") == "a.."


def test_any_text_can_be_a_message() -> None:
    assert as_message("100 % of {x}") == "100 % of {x}"
    assert as_message(SENTENCE) is SENTENCE
    assert joined(("a {b}", "", SENTENCE)) == f"a {{b}} {SENTENCE}"


def test_words_within_a_message_are_cleaned_like_names() -> None:
    error = StudioError("{reason}!", reason=as_message("two\nlines"))

    assert error.message == "two lines!"
