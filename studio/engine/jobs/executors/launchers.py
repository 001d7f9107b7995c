"""Ways in which a machine starts workers, as data: its own processes, or jobs of SLURM.

They are stored with the machine here and sent along with each job; the machine uses them in
`studio.engine.worker.launchers`. Each value that becomes an option of SLURM is checked here: it
contains no spaces, quotes or other signs of the shell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError

from studio.engine.errors import StudioError
from studio.engine.messages import message

SLURM: Final = "slurm"
"""Place of jobs that wait or run in SLURM, on the machine that submits them."""
_Name = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.,+-]{0,100})?$")]
_TIME: Final = r"^([0-9]{1,4}-[0-9]{1,2}(:[0-9]{1,2}){0,2}|[0-9]{1,6}(:[0-9]{1,2}){0,2})?$"
_GPUS: Final = r"^(([A-Za-z0-9_][A-Za-z0-9_.-]{0,50}:)?[0-9]{1,2})?$"
_Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x08\x0a-\x1f\x7f]{1,1000}$")]


class ProcessOptions(BaseModel, frozen=True, extra="forbid"):
    """The machine starts workers itself; its queue gives them devices."""

    kind: Literal["process"] = "process"

    @property
    def has_gpus(self) -> bool:
        """True if jobs get GPUs that the machine itself may lack."""
        return False


PROCESS: Final = ProcessOptions()


class SlurmOptions(BaseModel, frozen=True, extra="forbid"):
    """The machine submits workers to SLURM, which chooses a node.

    Attributes:
        partition: Partition, or several with commas; empty for the default one.
        account: Account that is charged; empty for the default one.
        time: Time limit as SLURM writes it, such as `30`, `12:00:00` or `2-00:00:00`; empty for
            the limit of the partition.
        gpus: Number of GPUs of a job on `auto`, perhaps with their type: `1`, `a100:2`.
        cpus: Number of processors; 0 for the default one.
        memory: Memory, such as `32G`; empty for the default one.
        lines: Further lines of the job script: `#SBATCH` options, or commands such as
            `module load cuda`.
    """

    kind: Literal["slurm"] = "slurm"
    partition: _Name = ""
    account: _Name = ""
    time: str = Field("", pattern=_TIME)
    gpus: str = Field("", pattern=_GPUS)
    cpus: int = Field(0, ge=0, le=4096)
    memory: str = Field("", pattern=r"^([0-9]{1,9}[KMGT]?)?$")
    lines: tuple[_Line, ...] = Field((), max_length=100)

    @property
    def has_gpus(self) -> bool:
        """True if jobs get GPUs that the machine itself may lack."""
        return bool(self.gpus)


LauncherOptions: TypeAlias = Annotated[ProcessOptions | SlurmOptions, Field(discriminator="kind")]
_ADAPTER: Final[TypeAdapter[LauncherOptions]] = TypeAdapter(LauncherOptions)
LAUNCHER_KINDS: Final = ("process", "slurm")
"""Kinds of launchers, the usual one first."""


def read_launcher(values: Mapping[str, object]) -> LauncherOptions:
    """Return the options of a launcher.

    Args:
        values: Its kind, and what is set of its options.

    Raises:
        StudioError: An option does not exist, or has a value that SLURM could not mean.

    Examples:
        >>> read_launcher({"kind": "slurm", "partition": "gpu", "gpus": "a100:2"}).gpus
        'a100:2'
    """
    try:
        return _ADAPTER.validate_python(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        *_, name = map(str, (part for part in first["loc"] if not isinstance(part, int)))
        if first["type"] == "extra_forbidden":
            raise StudioError(
                "The launcher {kind} has no option {name}.",
                message("Leave it out, or use --launcher slurm."),
                name,
                kind=str(values.get("kind", "")),
                name=name,
            ) from error
        raise StudioError(
            "{value} is not a value of the option {name} of SLURM.",
            "Names have letters, digits and _ . , + -; a time is 30, 12:00:00 or 2-00:00:00; "
            "GPUs are 2 or a100:2; memory is 32G; an extra line is one line.",
            name,
            value=repr(first["input"])[:80],
            name=name,
        ) from error
