"""The engine host seen from outside: questions, answers, bad pictures, and its death."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from helpers.digits import Digits
from helpers.hostile_models import crashing_file, hostile_files
from helpers.processes import clean_environment, is_alive, kill_and_wait
from helpers.waiting import wait_until
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import PredictReply, PredictRequest, read_model
from studio.engine.jobs import host as host_module
from studio.engine.jobs.host import EngineHost, HostDiedError
from studio.engine.jobs.launch import launch_host

SECONDS = 60
MERELY_ODD = {"dense", "sizes", "outside", "pickled", "bomb"}
LONGEST_LINE = 900


@pytest.fixture(scope="module")
def host() -> Iterator[EngineHost]:
    """One warm host for all questions that leave it alive."""
    made = EngineHost()
    made.warm_up()
    yield made
    made.close()


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Hosts that are small scripts; each start takes the next, the last again and again."""
    scripts: list[str] = []
    started: list[subprocess.Popen[bytes]] = []

    def launch() -> subprocess.Popen[bytes]:
        code = scripts[min(len(started), len(scripts) - 1)]
        started.append(
            subprocess.Popen(
                [sys.executable, "-u", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=clean_environment(),
            )
        )
        return started[-1]

    monkeypatch.setattr(host_module, "launch_host", launch)
    yield scripts
    for process in started:
        process.kill()
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()


ECHO = """
import json, sys
print(json.dumps({"protocol": 1, "backend": "none"}))
for line in sys.stdin:
    question = json.loads(line)
    predictions = [{"image": name} for name in question["body"]["images"]]
    print(json.dumps({"id": question["id"], "body": {"predictions": predictions}}))
"""
DIES_OVER_ITS_WORDS = """
import os, sys
sys.stdin.readline()
sys.stdout.write('{"id": 1, "bo')
sys.stdout.flush()
os._exit(1)
"""
NEVER_ANSWERS = "import sys; sys.stdin.readlines()"
ANSWERS_ODDLY = """
import sys
sys.stdin.readline()
print('{"id": 77, "body": {}}')
print('{"id": 1, "body": {"predictions": 3}}')
sys.stdin.read()
"""


def _request(digits: Digits, *pictures: Path, top: int = 5) -> PredictRequest:
    return PredictRequest(
        model=model_of_run(digits.workspace, digits.run.record),
        images=tuple(str(picture) for picture in pictures),
        top=top,
    )


def _ask(host: EngineHost, *names: str) -> Future[PredictReply]:
    question = PredictRequest(model=ModelSource(file="", name=""), images=names)
    return host.ask("predict", question, PredictReply)


def test_pictures_are_classified(host: EngineHost, digits: Digits) -> None:
    store = Store.open(digits.dataset.record.folder)
    rows = store.rows("test")[:20]
    pictures = [digits.pictures / store.paths[row] for row in rows]

    future = host.ask("predict", _request(digits, *pictures, top=3), PredictReply)
    answer = future.result(SECONDS)

    assert [prediction.image for prediction in answer.predictions] == list(map(str, pictures))
    right = 0
    for row, prediction in zip(rows, answer.predictions, strict=True):
        scores = [score.score for score in prediction.class_scores]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)
        assert sum(scores) <= 1 + 1e-5
        assert prediction.error == ""
        right += prediction.class_scores[0].label == store.classes[store.labels[row]]
    assert right >= 17


def test_a_bad_picture_is_answered_with_its_reason_and_the_others_with_scores(
    host: EngineHost, digits: Digits, tmp_path: Path
) -> None:
    good = tmp_path / "guté Zähl.png"
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(good)
    text, empty = tmp_path / "text.png", tmp_path / "empty.png"
    text.write_text("no picture")
    empty.touch()
    odd = tmp_path / os.fsdecode(b"caf\xe9.png")
    odd.write_bytes(good.read_bytes())
    pictures = [text, good, empty, tmp_path / "none.png", tmp_path, odd]

    future = host.ask("predict", _request(digits, *pictures), PredictReply)
    answer = future.result(SECONDS)

    assert [bool(prediction.error) for prediction in answer.predictions] == [
        True,
        False,
        True,
        True,
        True,
        False,
    ]
    assert [len(prediction.class_scores) for prediction in answer.predictions] == [
        0,
        5,
        0,
        0,
        0,
        5,
    ]


def test_a_run_without_a_model_is_the_users_matter(
    host: EngineHost, digits: Digits, tmp_path: Path
) -> None:
    request = _request(digits, Path("x"))
    gone = request.model.model_copy(update={"file": str(tmp_path / "model.keras")})
    request = request.model_copy(update={"model": gone})

    with pytest.raises(StudioError, match="no model"):
        host.ask("predict", request, PredictReply).result(SECONDS)


def test_an_unknown_question_is_our_bug(host: EngineHost, digits: Digits) -> None:
    with pytest.raises(RuntimeError, match="KeyError"):
        host.ask("sing", _request(digits), PredictReply).result(SECONDS)


@pytest.mark.slow
def test_after_a_kill_the_next_question_is_answered(digits: Digits) -> None:
    ready = threading.Event()
    host = EngineHost(ready.set)
    picture = next(digits.pictures.glob("7/*.png"))
    try:
        host.warm_up()
        first = host.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        question = host.ask("predict", _request(digits, picture), PredictReply)
        kill_and_wait(first)
        with pytest.raises(StudioError, match="ended unexpectedly"):
            question.result(SECONDS)
        ready.clear()  # a fast host was ready before it was stopped

        answer = host.ask("predict", _request(digits, picture), PredictReply).result(SECONDS)

        assert answer.predictions[0].scores
        assert ready.is_set()
        second = host.pid
        assert second not in (None, first)
    finally:
        host.close()
    assert second is not None
    assert not is_alive(second)
    assert host.pid is None
    with pytest.raises(RuntimeError, match="closed"):
        host.ask("predict", _request(digits, picture), PredictReply)


@pytest.mark.slow
def test_the_host_ends_with_its_standard_input() -> None:
    process = launch_host()
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.close()
        assert process.wait(SECONDS) == 0
        assert b'"protocol": 1' in process.stdout.read()


@pytest.mark.slow
def test_a_host_whose_backend_does_not_exist_says_so(
    monkeypatch: pytest.MonkeyPatch, digits: Digits
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "thano")
    host = EngineHost()
    try:
        with pytest.raises(StudioError, match='"thano"'):
            host.ask("predict", _request(digits), PredictReply).result(SECONDS)
    finally:
        host.close()


def test_answers_find_their_questions(scripted: list[str]) -> None:
    scripted.append(ECHO)
    host = EngineHost()
    try:
        futures = [_ask(host, f"{number}") for number in range(50)]
        images = [future.result(SECONDS).predictions[0].image for future in futures]
    finally:
        host.close()
    assert images == [str(number) for number in range(50)]


def test_dying_in_the_middle_of_an_answer_leaves_no_caller_waiting(scripted: list[str]) -> None:
    scripted += [DIES_OVER_ITS_WORDS, ECHO]
    host = EngineHost()
    try:
        with pytest.raises(StudioError, match="ended unexpectedly"):
            _ask(host, "a").result(SECONDS)
        wait_until(lambda: host.pid is None, "it is dead")
        assert _ask(host, "b").result(SECONDS).predictions[0].image == "b"
    finally:
        host.close()


def test_questions_to_a_dead_host_are_answered_although_a_new_one_lives(
    scripted: list[str],
) -> None:
    scripted += [NEVER_ANSWERS, ECHO]
    host = EngineHost()
    try:
        old = [_ask(host, "a"), _ask(host, "b")]
        assert host.pid is not None
        psutil.Process(host.pid).kill()
        wait_until(lambda: host.pid is None, "it is dead")
        new = _ask(host, "c")
        assert new.result(SECONDS).predictions[0].image == "c"
        for future in old:
            with pytest.raises(StudioError, match="ended unexpectedly"):
                future.result(SECONDS)
    finally:
        host.close()


def test_closing_answers_what_is_open(
    scripted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_module, "CLOSE_SECONDS", 0.2)
    scripted.append("import sys, threading; threading.Event().wait()")
    host = EngineHost()
    future = _ask(host, "a")
    # More than the pipe holds: the caller waits, and closing must not wait for that.
    asker = threading.Thread(target=_ask, args=(host, "x" * 300_000))
    asker.start()

    host.close()

    with pytest.raises(StudioError, match="ended unexpectedly"):
        future.result(SECONDS)
    asker.join(SECONDS)
    assert not asker.is_alive()


def test_odd_and_unwanted_answers_do_not_end_the_listening(scripted: list[str]) -> None:
    scripted.append(ANSWERS_ODDLY)
    host = EngineHost()
    try:
        with pytest.raises(RuntimeError, match="oddly"):
            _ask(host, "a").result(SECONDS)
    finally:
        host.close()

    scripted[:] = [ECHO]
    host = EngineHost()
    try:
        given_up = _ask(host, "a")
        given_up.cancel()
        assert _ask(host, "b").result(SECONDS).predictions[0].image == "b"
    finally:
        host.close()


@pytest.mark.slow
def test_hostile_models_give_one_clear_line_each(host: EngineHost, tmp_path: Path) -> None:
    """Last of this file: the last of them ends the host."""
    canary = tmp_path / "canary"
    files = hostile_files(tmp_path / "models", canary)
    before = set(tmp_path.rglob("*"))
    process = host.pid
    for path in files:
        request = PredictRequest(model=ModelSource(file=str(path), name="m"), images=())
        reading = read_model(host, path).exception(SECONDS)
        # Layers of any number of units may be explained; such a model cannot be asked.
        errors = [] if reading is None and path.stem in MERELY_ODD else [reading]
        errors.append(host.ask("predict", request, PredictReply).exception(SECONDS))
        for error in errors:
            assert isinstance(error, StudioError), (path.name, error)
            assert path.name in str(error)
            assert "\n" not in str(error)
            assert len(str(error)) < LONGEST_LINE
        assert not canary.exists(), path.name
    assert host.pid == process
    assert set(tmp_path.rglob("*")) == before

    path = crashing_file(tmp_path / "crash.h5")
    asked = [read_model(host, each) for each in (path, files[0])]
    reported = [str(answer.exception(SECONDS)) for answer in asked]
    # A repaired library says that it cannot read the file.
    assert str(path) in reported[0]
    assert "crash.h5" not in reported[1]


def test_an_idle_host_ends_and_the_next_question_starts_another(scripted: list[str]) -> None:
    scripted.append(ECHO)
    host = EngineHost(idle_seconds=0)
    for name in ("a.png", "b.png"):
        answer = _ask(host, name).result(SECONDS)
        assert [each.image for each in answer.predictions] == [name]
        wait_until(lambda: host.pid is None, "the idle host has ended")
    host.close()


def test_an_unused_warm_host_exits(scripted: list[str]) -> None:
    scripted.append(ECHO)
    host = EngineHost()
    host.warm_up()
    pid = host.pid
    assert pid is not None
    assert not host.end_if_idle(), "it may stay for ever"

    host.set_idle_seconds(0)

    wait_until(lambda: not is_alive(pid), "the idle host has ended")
    host.close()


def test_a_host_with_an_open_question_or_in_use_lately_stays(scripted: list[str]) -> None:
    scripted.append(NEVER_ANSWERS)
    host = EngineHost(idle_seconds=0)
    future = _ask(host, "a.png")
    assert not host.end_if_idle()
    assert host.pid is not None
    host.close()
    with pytest.raises(HostDiedError):
        future.result(SECONDS)

    scripted[:] = [ECHO]
    lately = EngineHost(idle_seconds=3600)
    _ask(lately, "b.png").result(SECONDS)
    assert not lately.end_if_idle()
    assert lately.pid is not None
    lately.close()
