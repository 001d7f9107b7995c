"""The worker: the entry of a process that does one job.

Stands above every engine room; nobody imports it. Started as `studio worker FOLDER ATTEMPT`.
`cluster/` has the work done by a worker on another machine.
"""
