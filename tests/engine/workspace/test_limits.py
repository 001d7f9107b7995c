"""The limits of a workspace: kept in a file, and refused when they mean nothing."""

from __future__ import annotations

import pytest

from studio.engine.baselines.cache import FeatureCache
from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Limits, Workspace, read_limits, write_limits
from studio.engine.workspace.limits import FILE


def test_limits_are_kept_and_obeyed_by_the_cache(workspace: Workspace) -> None:
    assert read_limits(workspace.root) == Limits()
    limits = Limits(jobs_at_once=2, feature_cache_size=0.5)
    write_limits(workspace.root, limits)
    assert read_limits(workspace.root) == limits
    assert FeatureCache.of(workspace.root).limit == 2**29


@pytest.mark.parametrize(
    "text", [b"{", b'{"jobs_at_once": -1}', b'{"version": 9}', b"[" * 200_000, b"\xff\xfe{"]
)
def test_a_file_of_unknown_content_is_reported(workspace: Workspace, text: bytes) -> None:
    (workspace.root / FILE).write_bytes(text)
    with pytest.raises(StudioError):
        read_limits(workspace.root)
    JobQueue(workspace).dispatch()  # nothing waits that it would matter to
