"""What the datasets page shows and allows, decided without Qt."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Literal

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.samples import SAMPLES, Sample
from studio.engine.datasets.sources.shared.address import short_name
from studio.engine.errors import Problem, StudioError
from studio.engine.files import checked_name, free_name
from studio.engine.jobs.states import State

# Progress comes ten times a second; two seconds smooth it and still follow a change of pace.
RATE_SECONDS = 2.0

Phase = Literal["waiting", "importing", "ended", "ready"]


def phase_of(state: State) -> Phase:
    """Which face of a dataset is shown."""
    if state == State.COMPLETED:
        return "ready"
    if state.has_worker:
        return "importing"
    return "ended" if state.is_finished else "waiting"


def goes_on(state: State) -> bool:
    """Whether another start continues where the import ended, rather than doing it again."""
    return state in (State.STOPPED, State.LOST)


class RateMeter:
    """Units per second over the last two seconds, and how long the rest takes."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def reset(self) -> None:
        """Forget everything, for another piece of work."""
        self._seen.clear()

    def add(self, seconds: float, done: int) -> None:
        """Take a reading; one that goes back starts anew, because the work did."""
        if self._seen and done < self._seen[-1][1]:
            self.reset()
        self._seen.append((seconds, done))
        while len(self._seen) > 2 and seconds - self._seen[0][0] > RATE_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Units per second, or None while that is not known."""
        if len(self._seen) < 2:
            return None
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        return (last - first) / (end - start) if end > start and last > first else None

    def seconds_left(self, total: int) -> float | None:
        """Seconds until `total` is reached at this pace, or None while that is not known."""
        rate = self.rate
        return None if rate is None else max(0.0, (total - self._seen[-1][1]) / rate)


def name_of(path: Path) -> str:
    """The name of a folder, or of a file without its endings."""
    if path.is_dir():
        return path.name or "images"
    last = short_name(path)
    return re.sub(r"(\.tar)?\.[a-z0-9]{1,7}$", "", last, flags=re.IGNORECASE) or last


def unused_name(wish: str, taken: Iterable[str]) -> str:
    """A fit name for a dataset that nobody has: `wish`, or else `wish-2`, `wish-3` and on."""
    try:
        base = checked_name(wish[:100])
    except StudioError:
        base = "dataset"
    return free_name(base, taken)


def name_problem(name: str, taken: Iterable[str]) -> Problem | None:
    """What is wrong with a name for a new dataset; the engine has the last word."""
    names = list(taken)
    try:
        fit = checked_name(name)
    except StudioError as error:
        return Problem("name", error.message, error.hint)
    if fit.casefold() in {known.casefold() for known in names}:
        return Problem(
            "name",
            f'The name "{fit}" is already taken by another dataset.',
            f'Choose another, for example "{unused_name(fit, names)}".',
        )
    return None


def advice(recipe: DatasetRecipe, idle: Container[str] = ()) -> list[Problem]:
    """What can be done as asked, and may be regretted later; not about fields that are idle."""
    if recipe.val_percent == 0 and "val_percent" not in idle:
        text = "Nothing will measure the network while it trains."
        return [Problem("val_percent", text, "20 % is usual.", serious=False)]
    return []


def size_on_disk(recipe: DatasetRecipe, count: int) -> int:
    """About how many bytes the dataset takes."""
    return recipe.width * recipe.height * recipe.channels * count


def sample_folder(root: Path, sample: Sample) -> Path:
    """Return where a sample of that workspace is written; its recipe names it or a file in it."""
    return (root / "samples" / sample.name).absolute()


def best_of_sample(
    datasets: Iterable[tuple[str, State, DatasetRecipe]], root: Path, name: str
) -> str:
    """The id of a dataset made from a sample: completed, else on its way; empty if none is.

    Args:
        datasets: Id, state and recipe of each, the one to prefer first.
        root: The workspace folder.
        name: The sample.
    """
    folder = str(sample_folder(root, SAMPLES[name]))
    made = [
        (record_id, state)
        for record_id, state, recipe in datasets
        if folder in (recipe.source, str(Path(recipe.source).parent))  # or a table in it
    ]
    for fits in (_is_completed, _is_on_its_way):
        for record_id, state in made:
            if fits(state):
                return record_id
    return ""


def _is_completed(state: State) -> bool:
    return state == State.COMPLETED


def _is_on_its_way(state: State) -> bool:
    return state == State.QUEUED or state.has_worker
