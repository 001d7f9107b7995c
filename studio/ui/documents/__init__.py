"""Documents: the state of one record, or of a plan that is being edited. Free of Qt.

A document tells its own observers of its changes; pages and forms show it. Imports the engine
alone.
"""
