"""Jobs that SLURM runs on a node of a cluster, submitted on the machine that ssh reaches.

- `programs.py`: `sbatch`, `squeue`, `sacct` and `scancel`, and the states that they report;
- `script.py`: the job script, and the options of a job;
- `relay.py`: the worker on the submitting machine, which follows the job and computes nothing;
- `node_process.py`: the worker on the node, which writes the journal in the same folder.

The folder of Studio is on a disk that all nodes see, as home folders of clusters are. The relay
may end at any time: the queue starts it again at the next connection. The job script ends with its
worker, and SLURM never starts it again by itself (`--no-requeue`); the queue decides that.
"""
