"""Jobs: plans in, journals out; queue, workers and the engine host as processes.

Never imports Keras, Qt, `compute` or the worker: those run in processes started by name.

To add a kind of job: 1. its plan, in the room of its noun; 2. one line in `kinds.py`; 3. its
handler, one line in `studio/engine/worker/handlers.py`.
"""
