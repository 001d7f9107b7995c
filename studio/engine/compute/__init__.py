"""The only room with Keras: builds, trains, evaluates, predicts and exports models.

No other package imports it: worker and engine host are separate processes started by name, and
call `backends.prepare.prepare_backend` before they import anything else from here.
"""
