"""Records that other records need: by the plans of jobs, and by the files that they read."""

from __future__ import annotations

import json
import operator
import os
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
    """Return the records whose plans name a record, or that read files in its folder, by kind.

    A labeling with images of a dataset does not need it: their pixels are copied, or they are
    files of the user. It needs a labeling whose pictures these files are.

    Args:
        workspace: Their workspace.
        record: The named record.
    """
    by_id = rf'[":]{re.escape(record.id)}["@]'
    inside = '"' + re.escape(json.dumps(f"{record.folder}{os.sep}", ensure_ascii=False)[1:-1])
    named, read = re.compile(f"{by_id}|{inside}".encode()), re.compile(inside.encode())
    return [
        each
        for kind in RecordKind
        for each in workspace.records(kind)
        if each.folder != record.folder
        and (
            named.search(_content(each, kind.plan_name))
            or (kind == RecordKind.LABELING and read.search(_content(each, _PICTURES)))
        )
    ]


_PICTURES = "items.jsonl"


def _content(record: Record, name: str) -> bytes:
    try:
        return (record.folder / name).read_bytes()
    except OSError:  # deleted in the meantime, or not there
        return b""
