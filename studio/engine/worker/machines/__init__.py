"""Jobs on machines that ssh reaches.

Here: `relay.py` runs in the worker of such a job, and `sent_job.py` keeps its folder up to date.
There: `agent.py` answers over the connection; `store.py` holds files by their content, so that
each is brought once. The machine has a workspace for each workspace here, with a queue of its own,
so the job runs there as any job does: it waits for devices, and outlives connections.
"""
