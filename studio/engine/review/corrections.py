"""The review queue of a workspace: pictures that a model classified wrongly.

A folder `review` beside the records, with a copy of every picture (pasted pictures have no file,
and files move) and `queue.jsonl`, one correction per line. The queue is replaced as a whole under
a lock, so that readers see the old one or the new one. `review.retraining` adds the pictures to a
dataset.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock
from pydantic import BaseModel, Field, ValidationError

from studio.engine.csv_cells import table_text
from studio.engine.datasets.decode import describe
from studio.engine.errors import BadDataError
from studio.engine.files import free_name, locked, remove, write_atomically
from studio.engine.messages import message
from studio.engine.workspace import require_original

FOLDER: Final = "review"
QUEUE: Final = "queue.jsonl"
PICTURES: Final = "pictures"
LOCK_SECONDS: Final = 30.0
_LARGEST: Final = 512 * 2**20


class Correction(BaseModel, frozen=True):
    """A picture with its correct class.

    Attributes:
        id: Id of the picture: a hash of its bytes, so that none is stored twice.
        file: Name of its copy in the folder of pictures.
        name: Display name.
        run: Id of the run whose model was wrong.
        answer: Its predicted class.
        score: Confidence of the model, 0 to 1.
        label: Its correct class.
        dataset: Id of the dataset that it was added to; empty while it waits.
        created: Time of the correction.
    """

    id: str
    file: str
    name: str
    run: str
    answer: str
    score: float
    label: str
    dataset: str = ""
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))


class ReviewQueue:
    """Reads and changes the queue of a workspace.

    Thread and process safety: any number of either; changes take a lock file.
    """

    def __init__(self, workspace: Path) -> None:
        self.folder = workspace / FOLDER
        self._lock = FileLock(self.folder / ".queue.lock", timeout=LOCK_SECONDS)

    def corrections(self) -> list[Correction]:
        """Return all corrections, also those that were added to a dataset, oldest first.

        Raises:
            BadDataError: The queue is damaged.
        """
        path = self.folder / QUEUE
        try:
            lines = path.read_bytes().splitlines()
            return [Correction.model_validate_json(line) for line in lines]
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise BadDataError(
                "The review queue {path} cannot be read.",
                "Move the file away to start a new list; the images are next to it.",
                str(path),
                path=path,
            ) from error

    def picture(self, correction: Correction) -> Path:
        """Return the file of the picture's copy."""
        return self.folder / PICTURES / correction.file

    def add(
        self, picture: Path, name: str, run: str, answer: tuple[str, float], label: str
    ) -> str:
        """Add a picture to the queue, or correct its class if it is already there.

        Args:
            picture: Its file, which is copied.
            name: Display name.
            run: Id of the run whose model was wrong.
            answer: The predicted class and its score.
            label: The correct class.

        Returns:
            The id of the correction.

        Raises:
            BadDataError: The picture cannot be read.
            DiskFullError: No space was left; the queue is as before.
        """
        require_original(self.folder.parent)
        data = _bytes_of(picture)
        number = hashlib.blake2b(data, digest_size=10).hexdigest()
        made = Correction(
            id=number,
            file=f"{number}{picture.suffix.lower() or '.png'}",
            name=name,
            run=run,
            answer=answer[0],
            score=answer[1],
            label=label,
        )
        write_atomically(self.picture(made), data)
        self._change(lambda all_: [*(each for each in all_ if each.id != number), made])
        return number

    def relabel(self, ids: Collection[str], label: str) -> None:
        """Set the correct class of some pictures.

        Args:
            ids: Ids of the corrections.
            label: Name of the class.

        Raises:
            DiskFullError: No space was left; nothing was changed.
        """
        self._update(ids, label=label)

    def remove(self, ids: Collection[str]) -> None:
        """Take pictures out of the queue.

        Raises:
            DiskFullError: No space was left; the queue is as before.
        """
        gone = [each for each in self.corrections() if each.id in ids]
        self._change(lambda all_: [each for each in all_ if each.id not in ids])
        for each in gone:
            remove(self.picture(each))

    def mark_added(self, ids: Collection[str], dataset: str) -> None:
        """Record that pictures were added to a dataset.

        Args:
            ids: Ids of the corrections.
            dataset: Id of the dataset.

        Raises:
            DiskFullError: No space was left; nothing was changed.
        """
        self._update(ids, dataset=dataset)

    def write_list(self, corrections: Sequence[Correction]) -> Path:
        """Write the pictures with their classes as a list for an import, all for training.

        Raises:
            DiskFullError: No space was left.
        """
        rows = [(f"{PICTURES}/{each.file}", each.label, "train") for each in corrections]
        names = [path.stem for path in self.folder.glob("*.csv")]
        path = self.folder / f"{free_name('corrections', names)}.csv"
        write_atomically(path, table_text([("path", "label", "split"), *rows]))
        return path

    def _update(self, ids: Collection[str], **changes: str) -> None:
        self._change(
            lambda all_: [
                each.model_copy(update=changes) if each.id in ids else each for each in all_
            ]
        )

    def _change(self, change: Callable[[list[Correction]], list[Correction]]) -> None:
        with self._locked():
            lines = [each.model_dump_json() + "\n" for each in change(self.corrections())]
            write_atomically(self.folder / QUEUE, "".join(lines))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(
            self._lock,
            message(
                "Another Studio has been changing the review queue for {seconds:.0f} seconds.",
                seconds=LOCK_SECONDS,
            ),
        ):
            yield


def _bytes_of(picture: Path) -> bytes:
    describe(picture)  # what is no picture would be left out by the import, much later
    try:
        with picture.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadDataError(
            "The image {picture} cannot be read: {reason}.", picture=picture, reason=reason
        ) from error
    if len(data) > _LARGEST:
        raise BadDataError(
            "The image {picture} is larger than {limit} MB.",
            picture=picture,
            limit=_LARGEST >> 20,
        )
    return data
