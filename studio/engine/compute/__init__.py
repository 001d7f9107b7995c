"""The only room with Keras: builds, trains, evaluates, predicts and exports models.

Nobody imports it: worker and engine host are started by name in processes of their own, and call
`studio.engine.compute.backend.prepare_backend` before they import anything else from here.
"""
