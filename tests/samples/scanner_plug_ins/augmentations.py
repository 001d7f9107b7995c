"""An augmentation: some lines of a scan are darker, as with an aging lamp."""

from __future__ import annotations

from studio.engine.datasets.augment.operation import Operation

SCAN_LINES = Operation(
    name="scan_lines",
    label="Dark scan lines",
    change="scanner_plug_ins.scan_lines:darken",
)
