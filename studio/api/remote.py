"""Workspaces that `studio serve` offers on another computer.

workspace = studio.connect("https://gpu-box.example", token)
run = workspace.train("flowers", network="resnet18", epochs=20)
run.history["val_accuracy"]
run.predict("picture.jpg").scores.classes[0].label
run.download("model.keras", "here")
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, Unpack
from urllib.parse import quote, urlencode

from rich.progress import Progress

from studio.api.run_values import RunValues
from studio.api.settings import (
    AugmentationPreset,
    EvaluationSettings,
    ExportFormat,
    Precision,
    Preset,
    Recipe,
    SplitName,
    TrainingSettings,
)
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.exporting.formats import chosen_variants
from studio.engine.files import placed, staging_folder, user_path
from studio.engine.inference.picture_values import pictures_of
from studio.engine.inference.requests import ImagePrediction
from studio.engine.jobs.events import DamagedLine, Event, decoder
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.states import State
from studio.engine.jobs.types import job_type
from studio.engine.served.connection import LOST, ServerConnection, connection_to
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

if TYPE_CHECKING:
    from studio.engine.inference.picture_values import PictureValue

RETRY_SECONDS = 120.0
"""Time for which a server that does not answer is asked again while a job is followed."""
_PAUSE_SECONDS = 0.5


def connect(
    url: str, token: str, *, progress: bool = True, insecure: bool = False
) -> RemoteWorkspace:
    """Open the workspace that a server offers.

    Args:
        url: Address of the server, such as "https://gpu-box.example".
        token: Token of `studio tokens add`, or that `studio serve` has printed.
        progress: Show a bar for each job that is waited for.
        insecure: Send the token also over http:// to another computer, where others on the
            network can read it.

    Raises:
        StudioError: The server does not answer, is no server of Studio, or refuses the token; or
            the connection would not be encrypted.
    """
    return RemoteWorkspace(connection_to(url, token, insecure=insecure), progress=progress)


class RemoteRecord:
    """A record on a server.

    Args:
        workspace: The workspace on the server.
        kind: Kind of the record.
        document: The record as lists show it.
    """

    def __init__(
        self, workspace: RemoteWorkspace, kind: RecordKind, document: Mapping[str, Any]
    ) -> None:
        self.workspace = workspace
        self.kind = kind
        self._name = str(document["name"])
        self._path = f"/{kind.folder}/{quote(str(document.get('id', self._name)), safe='')}"

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.name} at {self.workspace.url}>"

    @property
    def name(self) -> str:
        """Name of the record, when it was listed."""
        return self._name

    @property
    def document(self) -> dict[str, Any]:
        """All that the server says about the record now, as plain data."""
        found: dict[str, Any] = self._ask("GET")
        return found

    def delete(self) -> None:
        """Move the record to the trash of the workspace.

        Raises:
            StudioError: It is running, another record needs it, or the token has not the role
                admin.
        """
        self._ask("DELETE")

    def _ask(self, method: str, path: str = "") -> Any:  # noqa: ANN401 - JSON
        return self.workspace.server.json(method, self._path + path)


class RemoteJob(RemoteRecord):
    """A record on a server with its job; see `RemoteRecord`."""

    def __init__(
        self, workspace: RemoteWorkspace, kind: RecordKind, document: Mapping[str, Any]
    ) -> None:
        super().__init__(workspace, kind, document)
        type_ = job_type(kind)
        self._history: JobHistory = type_.history()
        self._decode = decoder(type_.events)
        self._seen = 0

    @property
    def state(self) -> str:
        """State of the job, such as "queued", "running", "paused" or "completed"."""
        return self.refresh().state.value

    def refresh(self) -> JobHistory:
        """Read the new events of the job, and return its history."""
        try:
            for _ in self._stream("no", self._seen):
                pass
        except LOST as error:
            raise self.workspace.server.unreachable(error) from error
        return self._history

    def follow(self) -> Iterator[Event]:
        """Yield the new events of the job until it rests; none is lost if the connection breaks.

        The history of the job has each event when it is yielded.

        Raises:
            StudioError: The server refuses it, or has not answered for some time.
        """
        until, last = time.monotonic() + RETRY_SECONDS, self._seen
        while True:
            try:
                for position, event in self._stream("yes", last):
                    last = position
                    until = time.monotonic() + RETRY_SECONDS
                    if event is not None:
                        yield event
            except LOST as error:
                if time.monotonic() > until:
                    raise self.workspace.server.unreachable(error) from error
            else:
                if self._history.state.is_at_rest:
                    return
            time.sleep(_PAUSE_SECONDS)

    def wait(self) -> Self:
        """Wait until the job has ended; Ctrl+C leaves it running.

        Raises:
            StudioError: It was stopped or paused, or failed because of something that its user
                can change.
            JobFailedError: It failed by a bug, or its process was lost.
        """
        with Progress(disable=not self.workspace.progress, transient=True) as bar:
            task = bar.add_task(self.name, total=1.0)
            for _ in self.follow():
                bar.update(task, completed=self._history.fraction or 0.0)
        self._history.raise_if_failed()
        state = self._history.state
        if state != State.COMPLETED:
            raise StudioError(f"The {job_type(self.kind).verb} was {state.value}.")
        return self

    def stop(self) -> Self:
        """Stop the job; its results so far are kept. Returns at once."""
        self._ask("POST", "/stop")
        return self

    def download(self, file: str, folder: str | Path) -> Path:
        """Download a file and return its path; existing files are not replaced.

        Args:
            file: One of `document["downloads"]`, such as "model.keras".
            folder: Folder in which it is saved; created if missing.

        Raises:
            StudioError: There is no such file, the connection broke, or the folder cannot be
                written.
        """
        to, name = user_path(folder).absolute(), Path(file)
        server = self.workspace.server
        with staging_folder(to) as staging:
            target = staging / "download"
            try:
                path = f"{self._path}/files/{quote(file, safe='')}"
                with server.open("GET", path) as response, target.open("wb") as written:
                    shutil.copyfileobj(response, written, 2**20)
                    # Reading in pieces reports an early end only of a body without a length.
                    if not response.chunked and response.length != 0:
                        raise ConnectionResetError("the transfer ended early")
            except LOST as error:
                raise server.unreachable(error) from error
            return placed(target, to, name.stem, name.suffix)

    def _stream(
        self, wait: Literal["yes", "no"], after: int
    ) -> Iterator[tuple[int, Event | None]]:
        """Yield events and their positions; the history gets those that it does not have.

        Args:
            wait: "no" to end with the events so far.
            after: Position of the last event that is known.

        Raises:
            OSError: The connection broke.
        """
        stream = self.workspace.server.events(f"{self._path}/events?wait={wait}", str(after))
        for sent in stream:
            if sent.name == "end":
                return
            if sent.data:
                position, event = int(sent.id), self._decoded(sent.data)
                if event is not None and position > self._seen:
                    self._history.apply([event])
                self._seen = max(self._seen, position)
                yield position, event
        raise ConnectionResetError("the stream ended early")

    def _decoded(self, line: bytes) -> Event | None:
        try:
            return self._decode(line)
        except DamagedLine:
            return None


class RemotePausable(RemoteJob):
    """A run or sweep on a server."""

    def pause(self) -> Self:
        """Save a checkpoint and free the device. Returns at once, see `wait`."""
        self._ask("POST", "/pause")
        return self

    def resume(self) -> Self:
        """Continue the job from its last checkpoint. Returns at once."""
        self._ask("POST", "/resume")
        return self


class RemoteRun(RemotePausable, RunValues):
    """A training run on a server."""

    @property
    def plan(self) -> TrainingPlan:
        """Plan of the run."""
        return TrainingPlan.parse(self.document["plan"])

    def read(self) -> RunHistory:
        """Return the history of the run as it is now, with all its events."""
        history = self.refresh()
        if not isinstance(history, RunHistory):
            raise TypeError(f"{self.name} is not a run")
        return history

    def predict(self, picture: PictureValue, *, top: int = 5) -> ImagePrediction:
        """Return the prediction for one picture.

        Args:
            picture: Path of a picture, pixels as an array, a Pillow image, or the bytes of an
                image file.
            top: Number of classes or labels to return.

        Raises:
            StudioError: There is no model yet, or the picture cannot be used.
        """
        with tempfile.TemporaryDirectory(prefix="studio-") as folder:
            found = pictures_of([picture], Path(folder))
            if len(found) != 1:
                raise StudioError(f"{picture!r} contains {len(found)} images.", where="picture")
            data = found[0].path.read_bytes()
        path = f"{self._path}/predict?{urlencode({'top': top, 'form': 'parts'})}"
        return ImagePrediction.model_validate_json(self.workspace.server.ask("POST", path, data))

    def evaluate(
        self, split: SplitName | None = None, **plan: Unpack[EvaluationSettings]
    ) -> RemoteJob:
        """Measure the model on the images of a split, and wait for it.

        Args:
            split: "train", "val" or "test"; by default "test", or "val" without test images.
            plan: Other fields of the evaluation plan, such as `resamples=0`.

        Returns:
            The evaluation; its `document` has `metrics` and `intervals`.

        Raises:
            StudioError: There is no model or no image.
            JobFailedError: The evaluation failed by a bug.
        """
        fields = dict(plan) if split is None else {**plan, "split": split}
        return self._begin(RecordKind.EVALUATION, fields).wait()

    def export(
        self,
        format: ExportFormat = "keras",  # noqa: A002 - as on the command line
        precision: Precision = "float32",
    ) -> RemoteJob:
        """Export the model, and wait for it; `download` fetches the files.

        Args:
            format: "keras", "saved_model", "tflite", "onnx" …, see `studio export --help`.
            precision: "float32", "float16" or "int8".

        Raises:
            StudioError: It cannot be written so.
            JobFailedError: The export failed by a bug.
        """
        names = [variant.name for variant in chosen_variants([format], [precision])]
        return self._begin(RecordKind.EXPORT, {"variants": names}).wait()

    def _begin(self, kind: RecordKind, plan: Mapping[str, object]) -> RemoteJob:
        body = {"run": self.document["id"], "plan": plan}
        begun = self.workspace.server.json("POST", f"/{kind.folder}", body)
        return RemoteJob(self.workspace, kind, begun)


RemoteT = TypeVar("RemoteT", bound=RemoteRecord)


class RemoteCollection(Mapping[str, RemoteT], Generic[RemoteT]):
    """The records of one kind on a server, by their names.

    Args:
        workspace: The workspace on the server.
        kind: Their kind.
        view: The class that shows one.
    """

    def __init__(self, workspace: RemoteWorkspace, kind: RecordKind, view: type[RemoteT]) -> None:
        self._workspace = workspace
        self._kind = kind
        self._view = view

    def rows(self) -> list[dict[str, Any]]:
        """Return the records as lists show them, oldest first."""
        folder = self._kind.folder
        found: list[dict[str, Any]] = self._workspace.server.json("GET", f"/{folder}")[folder]
        return found

    def __getitem__(self, name: str) -> RemoteT:
        for row in self.rows():
            if name.casefold() == row["name"].casefold() or name == row.get("id"):
                return self._view(self._workspace, self._kind, row)
        raise KeyError(
            f'There is no {self._kind.value} "{name}". {did_you_mean(name, list(self))}'
        )

    def __iter__(self) -> Iterator[str]:
        return iter([row["name"] for row in self.rows()])

    def __len__(self) -> int:
        return len(self.rows())

    def __repr__(self) -> str:
        return f"<{self._kind.value}s: {', '.join(self) or 'none'}>"


class RemoteWorkspace:
    """A workspace on a server.

    Args:
        server: Sends the requests.
        progress: Show a bar for each job that is waited for.

    Attributes:
        name: Name of its folder.
        role: Role of the token: "read", "run" or "admin".
        datasets: The datasets by their names.
        runs: The training runs by their names.
        sweeps: The sweeps by their names.
        evaluations: The evaluations by their names.
        exports: The exports by their names.
        labelings: The labelings by their names.

    Raises:
        StudioError: The server does not answer, or refuses the token.
    """

    def __init__(self, server: ServerConnection, *, progress: bool = True) -> None:
        self.server = server
        self.progress = progress
        facts = server.facts()
        self.name: str = facts["name"]
        self.role: str = facts["role"]
        self.datasets = RemoteCollection(self, RecordKind.DATASET, RemoteJob)
        self.runs = RemoteCollection(self, RecordKind.RUN, RemoteRun)
        self.sweeps = RemoteCollection(self, RecordKind.SWEEP, RemotePausable)
        self.evaluations = RemoteCollection(self, RecordKind.EVALUATION, RemoteJob)
        self.exports = RemoteCollection(self, RecordKind.EXPORT, RemoteJob)
        self.labelings = RemoteCollection(self, RecordKind.LABELING, RemoteRecord)

    def __repr__(self) -> str:
        return f"<Workspace {self.name} at {self.url}>"

    @property
    def url(self) -> str:
        """Address of the server."""
        return self.server.url

    def queue(self) -> list[dict[str, Any]]:
        """Return the jobs that run and wait, as plain data."""
        found: list[dict[str, Any]] = self.server.json("GET", "/queue")["jobs"]
        return found

    def train(  # noqa: PLR0913 - one keyword per thing that a person may say
        self,
        dataset: RemoteJob | str,
        network: str = "",
        *,
        name: str = "",
        recipe: Recipe | Literal[""] = "",
        preset: Preset | Literal[""] = "",
        augment: AugmentationPreset | Literal[""] = "",
        like: RemoteRun | str = "",
        wait: bool = True,
        **plan: Unpack[TrainingSettings],
    ) -> RemoteRun:
        """Train a network on the server; see `studio.api.Workspace.train`.

        Args:
            dataset: The dataset or its name.
            network: Name of a network; empty for what Studio recommends for the dataset.
            name: Name of the run; empty for the network's, numbered.
            recipe: Use of pretrained weights: "linear_head", "fine_tune_top" and others.
            preset: Set of training settings: "quick", "balanced" or "best".
            augment: Preset of random changes: "off", "light" or "strong".
            like: A run whose plan is taken, but for what is given here.
            wait: Return when the run has ended; otherwise immediately.
            plan: Fields of the training plan; weights are "imagenet" or "run:NAME".

        Raises:
            StudioError: Names everything that is wrong with the plan; or the run was stopped, or
                failed because of something that its user can change.
            JobFailedError: The run failed by a bug.
        """
        body = {
            "dataset": dataset if isinstance(dataset, str) else dataset.name,
            "network": network,
            "name": name,
            "recipe": recipe,
            "preset": preset,
            "augment": augment,
            "like": like if isinstance(like, str) else like.name,
            "plan": plan,
        }
        run = RemoteRun(self, RecordKind.RUN, self.server.json("POST", "/runs", body))
        return run.wait() if wait else run
