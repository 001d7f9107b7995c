"""Places where jobs run: this machine, a Ray cluster, machines that ssh reaches.

The queue starts a worker process here for every job. Of a job that another place runs, this worker
computes nothing: it is the relay, which holds the lock of the job, brings its files to the place,
and adds what the job writes there to the journal here. What differs between places is an
`Executor`, found by the name of the place:

- `host.py`: machines that `studio machines add` knows;
- `ssh.py`, `frames.py`: the connection to one, by the system's `ssh`;
- `launchers.py`: ways in which a machine starts workers: itself, or through SLURM;
- `setup.py`: checks a machine, and installs Studio there.

The executors themselves are in `studio.engine.worker`, which knows what a job reads. To add a
place: its executor there, and one line in `EXECUTORS` of `worker/executors.py`.
"""
