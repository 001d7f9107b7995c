"""The workspace: records on disk (a folder with a plan, a journal and artifacts), names, trash.

Knows nothing of jobs, images or networks: it keeps folders safe and finds them again.
"""

from studio.engine.workspace.limits import Limits, read_limits, write_limits
from studio.engine.workspace.records import Record, RecordInfo, RecordKind
from studio.engine.workspace.workspace import Workspace, default_workspace

__all__ = [
    "Limits",
    "Record",
    "RecordInfo",
    "RecordKind",
    "Workspace",
    "default_workspace",
    "read_limits",
    "write_limits",
]
