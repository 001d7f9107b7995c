"""Live charts: curves that grow while someone watches, with a table twin and exports.

Must not import pages, shell, bridge or the engine. pyqtgraph and NumPy are imported when the
first chart is built, not when this package is: the window starts without them.
"""
