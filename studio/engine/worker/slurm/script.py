"""The job script of SLURM, and the options with which it is submitted.

Options are given on the command line of `sbatch`, word by word: there they win over variables of
the environment. The script quotes each path as a word of the shell.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from studio.engine.errors import StudioError
from studio.engine.jobs.devices import VISIBLE, parse_device_request
from studio.engine.jobs.executors.launchers import SlurmOptions
from studio.engine.jobs.launch import LOG_FILE, command, environment

OPTIONS_FILE: Final = ".slurm.json"
"""The options of a job, in its folder."""
SCRIPT_FILE: Final = ".slurm.sh"
WARNING_SECONDS: Final = 120
"""Time before the limit at which SLURM sends a signal; it may come a minute earlier."""
_SHELL: Final = "#!/bin/bash -l\n"
_WAIT: Final = """
worker=$!
trap 'kill -USR1 "$worker"' USR1
trap 'kill -TERM "$worker"' TERM
while wait "$worker"; code=$?; kill -0 "$worker" 2> /dev/null; do :; done
exit "$code"
"""
_PASSED_ON: Final = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONUTF8")


def read_options(folder: Path) -> SlurmOptions:
    """Return the options of a job.

    Args:
        folder: Folder of the job.

    Raises:
        StudioError: They are missing or damaged.
    """
    try:
        return SlurmOptions.model_validate_json((folder / OPTIONS_FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise StudioError(
            "The SLURM options of the job cannot be read.", "Resume the job."
        ) from error


def sbatch_options(options: SlurmOptions, folder: Path, name: str, device: str) -> list[str]:
    """Return the options of sbatch for a job.

    Args:
        options: Options of the machine.
        folder: Folder of the job.
        name: Name of the record.
        device: Device of its plan.

    Examples:
        >>> options = SlurmOptions(partition="gpu", time="1-00:00:00", gpus="a100:1")
        >>> sbatch_options(options, Path("/home/me/run"), "my run", "gpus:2")[-3:]
        ['--partition=gpu', '--time=1-00:00:00', '--gres=gpu:a100:2']
    """
    log = str(folder / LOG_FILE).replace("%", "%%")  # %j would be the number of the job
    words = [
        f"--job-name=studio-{re.sub(r'[^A-Za-z0-9_.-]', '-', name)[:60]}",
        f"--chdir={folder.parent.parent}",
        f"--output={log}",
        "--open-mode=append",
        "--nodes=1",
        "--ntasks=1",
        "--no-requeue",
        f"--signal=B:USR1@{WARNING_SECONDS}",
    ]
    values = {
        "partition": options.partition,
        "account": options.account,
        "time": options.time,
        "cpus-per-task": options.cpus or "",
        "mem": options.memory,
        "gres": requested_gpus(options.gpus, device),
    }
    return words + [f"--{name}={value}" for name, value in values.items() if value]


def requested_gpus(usual: str, device: str) -> str:
    """Return the GPUs of a job as a generic resource of SLURM; empty for none.

    Args:
        usual: GPUs of a job on `auto`, perhaps with their type, as in `SlurmOptions`.
        device: Device of the plan; `gpu:1` needs two, which SLURM numbers from 0.

    Examples:
        >>> requested_gpus("a100:1", "auto"), requested_gpus("a100:1", "gpus:4")
        ('gpu:a100:1', 'gpu:a100:4')
        >>> requested_gpus("1", "cpu")
        ''
    """
    kind, _, count = usual.rpartition(":")
    request = parse_device_request(device)
    needed = int(count or 0)
    if request.kind == "cpu":
        needed = 0
    elif request.kind == "gpu":
        needed = max(request.indices) + 1 if request.indices else request.count
    return ":".join(filter(None, ("gpu", kind, str(needed)))) if needed else ""


def job_script(options: SlurmOptions, folder: Path, attempt: int, device: str) -> str:
    """Return the script that runs the worker of a job.

    Its shell passes the warning before the time limit on to the worker, and waits until that has
    ended: a signal interrupts `wait`.

    Args:
        options: Options of the machine.
        folder: Folder of the job.
        attempt: Number of the attempt.
        device: Device of its plan.
    """
    variables = {name: environment()[name] for name in _PASSED_ON}
    if parse_device_request(device).kind == "cpu":
        variables[VISIBLE] = ""
    words = shlex.join(command("slurm", str(folder), str(attempt)))
    directives = [line for line in options.lines if line.startswith("#SBATCH")]
    others = [line for line in options.lines if not line.startswith("#SBATCH")]
    lines = [
        *directives,
        *others,
        *(f"export {name}={shlex.quote(value)}" for name, value in variables.items()),
        f"{words} &",
    ]
    return _SHELL + "\n".join(lines) + _WAIT
