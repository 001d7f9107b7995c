"""The worker: the entry of a process that does one job.

The top layer of the engine; no other package imports it. Started as `studio worker FOLDER
ATTEMPT`. `cluster/` has the work done by a worker on another machine.
"""
