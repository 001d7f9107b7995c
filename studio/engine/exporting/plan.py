"""What was asked of an export."""

from __future__ import annotations

from typing import Literal

from studio.engine.plans import Plan, plan_field


class ExportPlan(Plan):
    """Write the model of a run as files that work without Studio.

    `run` is the id of a run record, `to` an absolute folder in which a new folder is made.
    """

    version: Literal[1] = 1
    run: str = plan_field(label="Run", help="The run whose model is written.", level="hidden")
    format: str = plan_field("keras", label="Format", help="The file format.", level="hidden")
    to: str = plan_field(label="Folder", help="Where the files go.", level="hidden")
