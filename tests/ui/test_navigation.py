"""Intents: each has a page that performs it, and no page takes another's."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from studio.engine.jobs.types import JOB_KINDS
from studio.ui import navigation
from studio.ui.navigation import (
    PAGE_OF,
    DropFiles,
    OpenPage,
    OpenRecord,
    OpenWorkspace,
    PlanRun,
    job_intent,
    page_intent,
)
from studio.ui.pages import PAGES

NAMES = {page.name for page in PAGES}


def test_every_kind_of_job_has_a_page() -> None:
    assert set(PAGE_OF) == set(JOB_KINDS)
    assert set(PAGE_OF.values()) <= NAMES
    for kind in JOB_KINDS:
        assert job_intent(kind, "id") == OpenRecord(PAGE_OF[kind], "id")


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
