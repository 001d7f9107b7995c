"""A package that adds a source, a network, a loss, metrics, an augmentation, a logger, an export
format and a page to Studio.

Its entry points, as in its `pyproject.toml`:

    [project.entry-points."studio.sources"]
    scans = "scanner_plug_ins.scans:SOURCE"

    [project.entry-points."studio.networks"]
    wide_line = "scanner_plug_ins.networks:WIDE_LINE"

    [project.entry-points."studio.losses"]
    margin = "scanner_plug_ins.losses:MARGIN"

    [project.entry-points."studio.metrics"]
    margins = "scanner_plug_ins.metrics:MARGINS"

    [project.entry-points."studio.augmentations"]
    scan_lines = "scanner_plug_ins.augmentations:SCAN_LINES"

    [project.entry-points."studio.loggers"]
    lines = "scanner_plug_ins.lines:LOGGER"

    [project.entry-points."studio.export_formats"]
    numpy = "scanner_plug_ins.numpy_format:FORMAT"

    [project.entry-points."studio.pages"]
    shift = "scanner_plug_ins.shift_page:PAGE"
"""
