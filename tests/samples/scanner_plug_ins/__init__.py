"""A package that adds a source, a network and a logger to Studio.

Its entry points, as in its `pyproject.toml`:

    [project.entry-points."studio.sources"]
    scans = "scanner_plug_ins.scans:SOURCE"

    [project.entry-points."studio.networks"]
    wide_line = "scanner_plug_ins.networks:WIDE_LINE"

    [project.entry-points."studio.loggers"]
    lines = "scanner_plug_ins.lines:LOGGER"
"""
