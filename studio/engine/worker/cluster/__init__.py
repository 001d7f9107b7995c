"""Runs that a Ray cluster trains: the local worker controls a worker on one of its nodes.

Ray places an actor by the cores and GPUs that the plan asks for (`relay` here, `node` there); the
actor starts an ordinary worker (`node_process`), which ends with it. If the node sees the folder
of the run, it works there; otherwise files are copied to the node and back (`carried`). Either
way the journal grows here, under the lock of the job, and other processes notice no difference.

Only `connection` and `relay` use Ray, and only when a plan names a cluster.
"""
