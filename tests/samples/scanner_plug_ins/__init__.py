"""A package that adds a source, a network, a logger and an export format to Studio.

Its entry points, as in its `pyproject.toml`:

    [project.entry-points."studio.sources"]
    scans = "scanner_plug_ins.scans:SOURCE"

    [project.entry-points."studio.networks"]
    wide_line = "scanner_plug_ins.networks:WIDE_LINE"

    [project.entry-points."studio.loggers"]
    lines = "scanner_plug_ins.lines:LOGGER"

    [project.entry-points."studio.export_formats"]
    numpy = "scanner_plug_ins.numpy_format:FORMAT"
"""
