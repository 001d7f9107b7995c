"""Records that other records need: by the plans of jobs."""

from __future__ import annotations

import operator
import re

from studio.engine.jobs.job import Job
from studio.engine.jobs.types import read_plan
from studio.engine.workspace import Record, RecordKind, Workspace


def reference_of(job: Job) -> str:
    """Return the id of the record that a job needs; empty for none.

    Raises:
        StudioError: Its plan cannot be read.
    """
    field = job.job_type.reference
    return str(operator.attrgetter(field)(read_plan(job.record))) if field else ""


def users_of(workspace: Workspace, record: Record) -> list[Record]:
    """Return the records whose plans name a record, by kind.

    Args:
        workspace: Their workspace.
        record: The named record.
    """
    named = re.compile(rf'[":]{re.escape(record.id)}["@]'.encode())
    return [
        each
        for kind in RecordKind
        for each in workspace.records(kind)
        if each.folder != record.folder and named.search(_plan_of(each))
    ]


def _plan_of(record: Record) -> bytes:
    try:
        return (record.folder / record.kind.plan_name).read_bytes()
    except OSError:  # deleted in the meantime, or without a plan
        return b""
