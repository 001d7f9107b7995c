"""Runs that a Ray cluster trains: the worker here speaks for a worker on one of its nodes.

Ray places an actor by the cores and GPUs that the plan asks for (`relay` here, `node` there); the
actor starts an ordinary worker (`led`) and ends it with itself. Where the node sees the folder of
the run, that works in it; elsewhere files are carried to the node and back (`carrying`). Either
way the journal grows here, under the lock of the job, and nobody else notices a difference.

Only `connection`, `relay` and `tidying` use Ray, and only when a plan names a cluster.
"""
