"""Texts about the classes propose labels in a labeling, and are measured on the first labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_pages import PICTURES, Opener
from pytestqt.qtbot import QtBot

from helpers.text_presets import PromptsHost, tiny_clip, write_clip
from studio.engine.labeling.certain import certain_page
from studio.engine.networks.backbones import BACKBONES
from studio.engine.pretrained.store import PretrainedStore
from studio.ui.context import AppContext

SOURCE = "clip_base_32_texts"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setitem(BACKBONES._ours, "clip_base_32", tiny_clip())
    monkeypatch.setattr("studio.engine.labeling.prompts.MIN_LABELS", 3)
    PretrainedStore().add(write_clip(tmp_path / "clip_base_32"))


def test_texts_propose_and_are_measured_before_many_are_accepted(
    library: None,
    context: AppContext,
    opened: Opener,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(context.engine, "ask", PromptsHost().ask)
    view = opened("classification", "cat", "dog")
    proposals, session = view.run_proposals, view.session
    box = view.assist.proposer
    at = box.findData(SOURCE)
    assert box.itemText(at) == "Texts of CLIP ViT-B/32"
    box.setCurrentIndex(at)
    box.activated.emit(at)

    qtbot.waitUntil(lambda: len(session.proposals) == PICTURES)
    qtbot.waitUntil(lambda: "more labels" in proposals.text)
    assert "“a photo of a cat.”" in proposals.text
    assert view.assist.state.text().startswith(f"{PICTURES} proposals")
    assert view.assist.review_button.isHidden(), "they were not measured"
    assert session.acceptable(session.open_status()) == []

    for item in range(3):
        value = session.proposals[item].value
        session.label([item], value, "key")
    qtbot.waitUntil(lambda: "right class for 3 of 3 labeled images" in proposals.text)
    status = session.open_status()
    assert session.acceptable(status) == certain_page(status)

    view.run_proposals.choose(None)
    assert not session.proposals
    assert proposals.text == ""


def test_texts_are_offered_for_classes_alone(
    library: None, context: AppContext, opened: Opener
) -> None:
    assert opened("multi_label", "cat", "dog").assist.proposer.findData(SOURCE) < 0
