"""The files of the library on this machine: downloaded, imported from a folder, removed.

One folder for all workspaces, that of `WeightCache`; each source has a folder in it. Files that
kagglehub has downloaded are used where they are.
"""

from __future__ import annotations

import contextlib
import filecmp
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from studio.engine import files
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import as_message, joined, message
from studio.engine.networks.backbones import (
    DOWNLOAD_FAILED,
    WeightCache,
    WeightsDownloadError,
    WeightSource,
    alone,
)
from studio.engine.pretrained.contents import is_published, is_readable
from studio.engine.pretrained.places import addresses_of, shared_copy, token_for, web_address
from studio.engine.pretrained.sources import SOURCES, PretrainedSource, SourceFile
from studio.engine.progress import Progress, SilentProgress
from studio.engine.web.address import checked_address
from studio.engine.web.transfer import NamedProgress, TransferError, checksum, is_whole, transfer

SourceState = Literal["here", "downloadable", "needs_file"]
"""It can be used at once, can be downloaded, or needs a file that a person brings."""


WEIGHTS_ENDING = ".h5"
_NETWORK = "network.zip"
"""Archive of a network with weights, beside the files that it was made of."""


@dataclass(frozen=True, slots=True)
class MissingFile:
    """A file to carry over.

    Attributes:
        address: Where it is published.
        path: Where it belongs.
        size: Bytes; 0 if they are not known.
        digest: Its checksum; empty for files without a published one.
    """

    address: str
    path: Path
    size: int
    digest: str


class PretrainedStore:
    """The files of all sources.

    Thread and process safety: a file appears whole; the second of two requests for it at the same
    time waits for the first.

    Args:
        folder: Its folder; None for that of `WeightCache`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._cache = WeightCache(folder)
        self.folder = self._cache.folder

    def folder_of(self, source: PretrainedSource) -> Path:
        """Return the folder of the files of a source; it may not exist yet."""
        return self.folder / source.folder

    def path(self, source: PretrainedSource, name: str) -> Path:
        """Return where a file of a source is, or belongs if it is missing.

        Args:
            source: The source.
            name: Name of the file.
        """
        own = self.folder_of(source) / name
        if own.is_file():
            return own
        address = next((file.address for file in source.files if file.name == name), "")
        return shared_copy(address) or own

    def network_path(self, source: PretrainedSource) -> Path:
        """Return where the network that was made of a source is, see `detector_network`."""
        return self.folder_of(source) / _NETWORK

    def detector_networks(self) -> list[tuple[PretrainedSource, Path]]:
        """Return the detectors whose networks were made here, with their archives."""
        found = [(each, self.network_path(each)) for each in SOURCES if each.kind == "detector"]
        return [(source, path) for source, path in found if path.is_file()]

    def state(self, source: PretrainedSource) -> SourceState:
        """Return whether a source is here."""
        if not self.missing(source):
            return "here"
        return "downloadable" if all(file.address for file in source.files) else "needs_file"

    def text_files(self, source: PretrainedSource) -> tuple[Path, tuple[Path, ...]]:
        """Return the file of the weights of a source of texts, and those of its vocabulary.

        Raises:
            StudioError: Files are missing.
        """
        if self.missing(source):
            raise StudioError(
                "The files of {network} are not on this machine.",
                message("Download them: studio models get {name}", name=source.name),
                "texts",
                network=as_message(source.label),
            )
        weights = SOURCES[source.weights] if source.weights else source
        paths = [self.path(source, file.name) for file in source.files]
        vocabulary = tuple(path for path in paths if path.suffix != WEIGHTS_ENDING)
        return self.path(weights, weights.files[-1].name), vocabulary

    def missing(self, source: PretrainedSource) -> list[MissingFile]:
        """Return the files of a source that are not here, with where from and where to."""
        others = self.missing(SOURCES[source.weights]) if source.weights else []
        return others + [
            MissingFile(
                web_address(file.address), self.path(source, file.name), file.size, file.digest
            )
            for file in source.files
            if not self.path(source, file.name).is_file()
        ]

    def fetch(self, source: PretrainedSource, progress: Progress) -> Path:
        """Return the folder of a source, downloading what is missing.

        An interrupted download continues next time where a checksum is published.

        Args:
            source: The source.
            progress: Receives the progress and may cancel.

        Raises:
            WeightsDownloadError: A file cannot be downloaded, or is not what was published; the
                hint lists what to fetch and where to put it.
            StudioError: The folder cannot be written.
            DiskFullError: No space is left.
            Cancelled: The job was asked to end.
        """
        if source.weights:
            self.fetch(SOURCES[source.weights], progress)
        for file in source.files:
            if not self.path(source, file.name).is_file():
                self._fetch(source, file, progress)
        paths = [self.path(source, file.name) for file in source.files]
        if len({path.parent for path in paths}) > 1:  # some of kagglehub, some of ours
            for path in paths:
                own = self.folder_of(source) / path.name
                if path != own:
                    _copy(path, own)
            return self.folder_of(source)
        return paths[0].parent

    def add(self, path: Path) -> list[PretrainedSource]:
        """Import a file, or a folder with files of one or several sources.

        Files are recognized by their checksum, otherwise by their name and that of their folder.

        Args:
            path: The file or folder, for example on a stick.

        Returns:
            The sources that are complete now.

        Raises:
            StudioError: Nothing in it belongs to a source, or a file is damaged.
        """
        candidates = [path] if path.is_file() else sorted(_files_in(path))
        touched: dict[str, PretrainedSource] = {}
        for each in candidates:
            for source, file in self._owners(each):
                if not is_published(each, file):
                    raise _other_content(each, source)
                self._put(each, source, file)
                touched[source.name] = source
        if not touched:
            raise StudioError(
                "{path} holds no file of a source in the library.",
                "A folder must have the name of its source: see studio models list. Other weights "
                "are used directly: studio train --weights FILE.",
                "path",
                path=path,
            )
        return [source for source in touched.values() if self.state(source) == "here"]

    def adopt(self, source: PretrainedSource, path: Path) -> Path:
        """Import a file that a person chose for a source, whatever its name.

        Args:
            source: The source.
            path: Its only missing file, or one of them by its name.

        Returns:
            The copy.

        Raises:
            StudioError: It holds something else, or the folder cannot be written.
        """
        missing = {each.path.name for each in self.missing(source)}
        wanted = [file for file in source.files if file.name in missing] or list(source.files)
        file = next((each for each in wanted if each.name == path.name), wanted[0])
        if not is_published(path, file):
            raise _other_content(path, source)
        self._put(path, source, file)
        return self.path(source, file.name)

    def remove(self, source: PretrainedSource) -> int:
        """Remove the files of a source in the folder of the library, also copied ones.

        Other files in the folder of the source stay.

        Returns:
            The number of bytes that are free now.

        Raises:
            StudioError: There are none.
            PermissionError: One is still open.
        """
        gone = self._own(source)
        if not gone:
            raise StudioError(
                'There are no downloaded files of "{name}".',
                "studio models list shows what is here.",
                "name",
                name=source.name,
            )
        size = sum(path.stat().st_size for path in gone)
        for path in gone:
            self._cache.delete(path)
        if source.folder:
            with contextlib.suppress(OSError):  # something else is in it
                self.folder_of(source).rmdir()
        return size

    def size(self) -> int:
        """Return the bytes of all files that the library has stored."""
        paths = {path for source in SOURCES for path in self._own(source)}
        return sum(path.stat().st_size for path in paths)

    def clear(self) -> None:
        """Remove the files of all sources; those that a person put there besides stay.

        Raises:
            PermissionError: One is still open; all others are removed.
        """
        still_open: OSError | None = None
        for source in SOURCES:
            if self._own(source):
                try:
                    self.remove(source)
                except OSError as error:
                    still_open = error
        if still_open is not None:
            raise still_open

    def source_of(self, path: Path) -> PretrainedSource | None:
        """Return the source that a file of weights is from; None if it is another file.

        It is recognized by its checksum; without a published one, it is that of the library, byte
        for byte. Shapes and names tell nothing: weights that others trained further have the same.

        Args:
            path: The file, wherever it is.
        """
        sums = {checksum(path, "md5"), checksum(path, "sha256")}
        for source in SOURCES:
            file = source.files[-1]  # the weights come last
            if file.digest in sums:
                return source
            own = [self.network_path(source)]
            if not file.digest:
                own.append(self.path(source, file.name))
            if any(each.is_file() and filecmp.cmp(path, each, shallow=False) for each in own):
                return source
        return None

    def _own(self, source: PretrainedSource) -> list[Path]:
        """Return the files of a source in the folder of the library, and those made of them."""
        paths = [self.folder_of(source) / file.name for file in source.files]
        if source.folder:
            paths.append(self.network_path(source))
        return [path for path in paths if path.is_file()]

    def _fetch(self, source: PretrainedSource, file: SourceFile, progress: Progress) -> None:
        path = self.folder_of(source) / file.name
        listener = NamedProgress(progress, message("Downloading {file}", file=file.name))
        if not file.address:
            raise self._failed(source, as_message("no address is known"))
        addresses = addresses_of(file.address, source.folder, file.name)
        try:
            with files.writing(path, "weights"), files.disk_full_is_clear(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                with alone(path, progress):
                    if not path.is_file():
                        transfer(
                            [checked_address(each) for each in addresses],
                            path,
                            file.digest,
                            listener,
                            token=token_for,
                            is_readable=lambda partial: is_readable(partial, file.name),
                        )
        except TransferError as error:
            raise self._failed(source, as_message(str(error))) from error
        self._note(source, file, path)

    def _put(self, found: Path, source: PretrainedSource, file: SourceFile) -> None:
        path = self.folder_of(source) / file.name
        if found.resolve() != path.resolve():
            _copy(found, path)
        self._note(source, file, path)

    def _note(self, source: PretrainedSource, file: SourceFile, path: Path) -> None:
        """Note what a file is, so that `WeightCache` does not take it for one of the person."""
        if not source.folder:
            entry = WeightSource(
                name=source.name, file=file.name, address=file.address, digest=file.digest
            )
            self._cache.note(entry, path)

    def _owners(self, path: Path) -> Iterable[tuple[PretrainedSource, SourceFile]]:
        """Return the sources that a file may belong to."""
        for source in SOURCES:
            for file in source.files:
                if file.name != path.name:
                    continue
                is_alone = not source.folder or bool(file.digest and is_whole(path, file.digest))
                if is_alone or _folder_name(path) == source.folder:
                    yield source, file

    def _failed(self, source: PretrainedSource, reason: str) -> WeightsDownloadError:
        listed = [
            message("{address} as {path}", address=each.address or source.name, path=each.path)
            for each in self.missing(source)
        ]
        return WeightsDownloadError(
            DOWNLOAD_FAILED,
            message(
                "Try again, or fetch these files elsewhere and bring them with: studio models add "
                "FOLDER. {files}",
                files=joined(listed, "; "),
            ),
            "weights",
            network=as_message(source.label),
            reason=reason,
        )


def backbones_here() -> list[str]:
    """Return the names of the backbones whose published weights are on this machine."""
    store = PretrainedStore()
    return [
        source.backbone for source in SOURCES if source.backbone and store.state(source) == "here"
    ]


def preset_folder(name: str) -> Path | None:
    """Return the library's folder of a source that is here; None for kagglehub's, and others.

    Args:
        name: Name of the source, which need not exist.
    """
    store = PretrainedStore()
    source = next((each for each in SOURCES if each.name == name), None)
    if source is None or store.state(source) != "here":
        return None
    folder = store.fetch(source, SilentProgress())
    return folder if folder == store.folder_of(source) else None


def _folder_name(path: Path) -> str:
    """Return the name of the folder of a preset that a file belongs to."""
    names = [folder.name for folder in path.parents][:3]
    return names[2] if names[:2] == ["tokenizer", "assets"] else names[0]


_MOST_FILES = 10_000


def _files_in(folder: Path) -> list[Path]:
    """Return the files of a folder and its folders; the first ones if there are very many."""
    if not folder.is_dir():
        raise StudioError(
            "{path} does not exist.", "Choose a file or a folder.", "path", path=folder
        )
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found.append(path)
        if len(found) >= _MOST_FILES:
            break
    return found


def _copy(source: Path, target: Path) -> None:
    with files.writing(target, "weights"), files.disk_full_is_clear(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        files.require_space(target.parent, source.stat().st_size, source.name)
        with files.replacing(target) as draft:
            shutil.copyfile(source, draft)


def _other_content(path: Path, source: PretrainedSource) -> BadDataError:
    return BadDataError(
        "{file} does not hold the published weights of {network}.",
        "It may have been cut off while it was copied. Fetch it again.",
        "path",
        file=path,
        network=as_message(source.label),
    )
