"""Documents: the state of one record, or of a plan that is being edited. Free of Qt.

A document notifies its observers of changes; pages and forms show it. Imports only the
engine.
"""
