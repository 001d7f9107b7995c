"""The workspace: records on disk (a folder with a plan, a journal and artifacts), names, trash.

Knows nothing of jobs, images or networks: it keeps folders safe and finds them again.
"""

from studio.engine.workspace.limits import Limits, read_limits, write_limits
from studio.engine.workspace.location import default_workspace, sync_advice
from studio.engine.workspace.records import Record, RecordInfo, RecordKind
from studio.engine.workspace.workspace import InTrashError, Workspace

__all__ = [
    "InTrashError",
    "Limits",
    "Record",
    "RecordInfo",
    "RecordKind",
    "Workspace",
    "default_workspace",
    "read_limits",
    "sync_advice",
    "write_limits",
]
