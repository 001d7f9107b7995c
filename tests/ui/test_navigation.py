"""Intents: each has a page that performs it, and no page takes another's."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from studio.engine.jobs.types import JOB_KINDS
from studio.engine.workspace import RecordKind
from studio.ui import navigation
from studio.ui.navigation import (
    DropFiles,
    OpenPage,
    OpenRecord,
    OpenWorkspace,
    PlanRun,
    job_intent,
    page_intent,
)
from studio.ui.pages import PAGES
from studio.ui.record_kinds import KINDS, job_title

NAMES = {page.name for page in PAGES}


def test_every_kind_of_record_has_a_page_and_jobs_a_title() -> None:
    assert set(KINDS) == set(RecordKind)
    assert {each.page for each in KINDS.values()} <= NAMES
    assert {kind for kind, each in KINDS.items() if each.title} == set(JOB_KINDS)
    assert all(each.word and each.title.count("{name}") <= 1 for each in KINDS.values())
    assert job_title(RecordKind.EMBEDDING, "cats") == "Map of cats"
    for kind in JOB_KINDS:
        assert job_intent(kind, "id") == OpenRecord(KINDS[kind].page, "id")


def test_intents_of_one_page_name_a_page_that_exists() -> None:
    shared = (OpenPage, OpenRecord, DropFiles, OpenWorkspace)
    kinds = [each for each in vars(navigation).values() if is_dataclass(each)]
    pages = {
        field.default
        for kind in kinds
        if kind not in shared
        for field in fields(kind)
        if field.name == "page"
    }
    assert pages == {
        "train",
        "sweeps",
        "bench",
        "predict",
        "datasets",
        "label",
        "networks",
        "settings",
    }
    assert pages <= NAMES


def test_a_record_is_opened_only_where_one_is_named() -> None:
    assert page_intent("train", "run-1") == OpenRecord("train", "run-1")
    assert page_intent("train") == OpenPage("train")
    assert page_intent("train") != PlanRun()
