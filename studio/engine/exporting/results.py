"""What an export gave: its files, their certificates, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.exporting.certificate import Certificate, Compared
from studio.engine.paired_timing import RelativeLatency
from studio.engine.tasks.metric import in_sentence

LEAST_SHOWN = 0.005
"""Smaller changes of the main metric, in points or percent, are none."""


class ExportedFile(BaseModel):
    """One variant of an export.

    Attributes:
        format: Name of the format.
        precision: In what numbers it is.
        path: The folder, or archive, that was written; empty where there is none.
        certificate: What was measured; None where it could not be written.
        problem: Why not.
    """

    model_config = ConfigDict(frozen=True)

    format: str
    precision: str = "float32"
    path: str = ""
    certificate: Certificate | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        """As in plans: `tflite:int8`."""
        return f"{self.format}:{self.precision}"


def result_of(files: Sequence[ExportedFile]) -> dict[str, object]:
    """The result of a job; `path` and `certificate` where it is about one file."""
    document: dict[str, object] = {"exports": [each.model_dump(mode="json") for each in files]}
    if len(files) == 1 and files[0].certificate is not None:
        certificate = files[0].certificate.model_dump(mode="json")
        document |= {"path": files[0].path, "certificate": certificate}
    return document


def files_of(result: Mapping[str, Any]) -> tuple[ExportedFile, ...]:
    """The files of a result; none where it is of another version of Studio, or not there yet."""
    try:
        if "exports" in result:
            return tuple(ExportedFile.model_validate(each) for each in result["exports"])
        if "path" not in result:
            return ()
        certificate = Certificate.model_validate(result.get("certificate"))
    except (ValidationError, TypeError):
        return ()
    return (ExportedFile(format=certificate.format, path=result["path"], certificate=certificate),)


class Comparison(BaseModel):
    """A file against another.

    Attributes:
        smaller: How many times smaller it is.
        faster: How many times faster one image is; 1 where the difference is not larger than the
            noise, None where the two were not measured in turns with the same model, or other
            programs disturbed them too much.
        points: By how much its main metric is better, in `unit`.
        unit: Percentage points, or percent of the other's value.
        metric: Label of the main metric; empty where none was measured.
    """

    model_config = ConfigDict(frozen=True)

    smaller: float
    faster: float | None
    points: float
    unit: str = "points"
    metric: str = ""

    @property
    def sentence(self) -> str:
        """For people: 3.9 times smaller, 2.1 times faster, accuracy 0.40 points worse."""
        parts = [_times(self.smaller, "smaller", "larger", "as large")]
        if self.faster is not None:
            parts.append(_times(self.faster, "faster", "slower", "about as fast"))
        metric = in_sentence(self.metric)
        if metric and abs(self.points) < LEAST_SHOWN:
            parts.append(f"same {metric}")
        elif metric:
            word = "worse" if self.points < 0 else "better"
            parts.append(f"{metric} {abs(self.points):.2f} {self.unit} {word}")
        return ", ".join(parts)


def compared(file: Certificate, base: Certificate) -> Comparison:
    """Compare a file with another of the same export.

    Args:
        file: Certificate of the file.
        base: Certificate of the other.
    """
    main, before = file.main, base.main
    if main is not None and before is not None:
        main = Compared(main.spec, main.file, before.file, main.least)
    return Comparison(
        smaller=base.size_bytes / file.size_bytes,
        faster=_speed_up(file, base),
        points=0.0 if main is None else -main.lost,
        unit="" if main is None else main.unit,
        metric="" if main is None else main.spec.label,
    )


def speed_up(relative: RelativeLatency, *, was_busy: bool) -> float | None:
    """How many times faster a program is; 1 or None where that cannot be told apart.

    Args:
        relative: Its time, divided by that of the other.
        was_busy: Whether other programs used the processors meanwhile: then processor time must
            not say the opposite.
    """
    if was_busy and relative.is_contradicted:
        return None
    return 1 / relative.ratio if relative.is_different else 1.0


def speed_up_of(certificate: Certificate) -> float | None:
    """How many times faster a file is than the Keras model; None where that is not known."""
    relative = certificate.relative_latency
    return None if relative is None else speed_up(relative, was_busy=certificate.was_busy)


def relative_words(certificate: Certificate) -> str:
    """Speed against the Keras model, with its interval: 2.1 times faster (1.9 to 2.3)."""
    faster, relative = speed_up_of(certificate), certificate.relative_latency
    if faster is None or relative is None:
        return "not reliable on the busy machine"
    words = _times(faster, "faster", "slower", "about as fast")
    low, high = sorted((abs(math.log(relative.low)), abs(math.log(relative.high))))
    return words if faster == 1 else f"{words} ({math.exp(low):.1f} to {math.exp(high):.1f})"


def load_note(certificate: Certificate) -> str:
    """A warning about other programs that ran meanwhile; empty where there is no need."""
    if not certificate.was_busy:
        return ""
    return (
        f"Other programs used {certificate.others_share:.0%} of the processors during the "
        "measurement: latency and throughput may look worse than they are."
    )


def base_of(file: ExportedFile, files: Sequence[ExportedFile]) -> ExportedFile | None:
    """What a file is compared with: the float32 of its format, or Keras where it is that."""
    done = {each.name: each for each in files if each.certificate is not None}
    for name in (f"{file.format}:float32", "keras:float32"):
        if name in done and name != file.name:
            return done[name]
    return None


def _speed_up(file: Certificate, base: Certificate) -> float | None:
    if file.relative_latency is None or base.relative_latency is None:
        return None
    relative = file.relative_latency.against(base.relative_latency)
    return speed_up(relative, was_busy=file.was_busy or base.was_busy)


def _times(ratio: float, more: str, less: str, same: str) -> str:
    if abs(ratio - 1) < 0.05:
        return same
    return f"{ratio:.1f} times {more}" if ratio > 1 else f"{1 / ratio:.1f} times {less}"
