"""Downloads and imports of the library with a real server, and all that can go wrong."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.weights import hdf5_bytes
from studio.engine import files
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import WeightCache, WeightsDownloadError
from studio.engine.pretrained import store as store_module
from studio.engine.pretrained.sources import SOURCES, PretrainedSource, SourceFile
from studio.engine.pretrained.store import PretrainedStore, preset_folder
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.registry import Registry

DATA = bytes(range(256)) * 2048
DIGEST = hashlib.sha256(DATA).hexdigest()


class LibraryHandler(BaseHTTPRequestHandler):
    """Serves files whose first folder says what goes wrong with them."""

    def do_GET(self) -> None:
        server: LibraryServer = self.server  # type: ignore[assignment]  # it is ours
        kind = self.path.split("/")[1]
        server.asked.append((self.path, self.headers.get("Authorization", "")))
        if kind == "none":
            self.send_error(404, "Not there")
            return
        if kind == "elsewhere":
            self.send_response(302)
            self.send_header("Location", server.target)
            self.end_headers()
            return
        if kind == "page":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Sign in</html>")
            return
        start = int(self.headers.get("Range", "bytes=0-")[len("bytes=") : -1])
        data = bytes(len(DATA)) if kind == "other" else DATA
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        is_cut = kind == "cut" and not start
        self.wfile.write(data[: len(data) // 2] if is_cut else data[start:])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of the base
        """Nothing is printed."""


class LibraryServer(ThreadingHTTPServer):
    asked: list[tuple[str, str]]
    target = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


def _served() -> Iterator[LibraryServer]:
    made = LibraryServer(("127.0.0.1", 0), LibraryHandler)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def server() -> Iterator[LibraryServer]:
    yield from _served()


@pytest.fixture
def other_server() -> Iterator[LibraryServer]:
    yield from _served()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretrainedStore:
    for name in ("STUDIO_WEIGHTS_MIRROR", "HF_ENDPOINT", "HF_TOKEN", "KAGGLE_API_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path / "kagglehub"))
    return PretrainedStore(tmp_path / "pesos")


def _source(address: str, digest: str = DIGEST) -> PretrainedSource:
    file = SourceFile("model.onnx", address, len(DATA), digest)
    return replace(SOURCES["dfine_nano_coco"], name="net", folder="net", files=(file,))


def _known(source: PretrainedSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "SOURCES", Registry("source", [source]))


class CancelAtOnce(SilentProgress):
    received = 0

    def advance(self, done: int, total: int, what: str) -> None:
        self.received = done

    def check(self) -> None:
        if self.received:
            raise Cancelled


def test_a_cut_download_continues(server: LibraryServer, store: PretrainedStore) -> None:
    source = _source(f"{server.address}/cut/model.onnx")
    assert store.state(source) == "downloadable"
    with pytest.raises(WeightsDownloadError, match="bytes are missing"):
        store.fetch(source, SilentProgress())
    assert store.state(source) == "downloadable"
    folder = store.fetch(source, SilentProgress())
    assert (folder / "model.onnx").read_bytes() == DATA
    assert store.state(source) == "here"


def test_a_cancelled_download_leaves_nothing_usable(
    server: LibraryServer, store: PretrainedStore
) -> None:
    source = _source(f"{server.address}/good/model.onnx")
    with pytest.raises(Cancelled):
        store.fetch(source, CancelAtOnce())
    assert store.state(source) == "downloadable"
    assert store.path(source, "model.onnx").name == "model.onnx"
    assert (store.fetch(source, SilentProgress()) / "model.onnx").read_bytes() == DATA


def test_a_download_without_a_checksum_starts_over(
    server: LibraryServer, store: PretrainedStore
) -> None:
    source = _source(f"{server.address}/good/model.onnx", digest="")
    with pytest.raises(Cancelled):
        store.fetch(source, CancelAtOnce())
    partial = store.folder / "net" / "model.onnx.partial"
    assert not partial.exists(), "the file may change before the next attempt"
    partial.write_bytes(b"of a process that was killed")
    assert (store.fetch(source, SilentProgress()) / "model.onnx").read_bytes() == DATA


def test_a_page_of_a_server_is_not_taken_for_weights(
    server: LibraryServer, store: PretrainedStore
) -> None:
    file = SourceFile("model.weights.h5", f"{server.address}/page/model.weights.h5")
    source = replace(_source(""), files=(file,))
    with pytest.raises(WeightsDownloadError, match="cannot be read"):
        store.fetch(source, SilentProgress())
    assert store.state(source) == "downloadable"
    (store.folder / "page.h5").write_bytes(b"<html>Sign in</html>")
    with pytest.raises(StudioError, match="does not hold the published weights"):
        store.adopt(source, store.folder / "page.h5")
    (store.folder / "whole.h5").write_bytes(hdf5_bytes())
    assert store.adopt(source, store.folder / "whole.h5").read_bytes() == hdf5_bytes()


def test_of_two_requests_one_waits_for_the_other(
    server: LibraryServer, store: PretrainedStore
) -> None:
    source = _source(f"{server.address}/good/model.onnx")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: store.fetch(source, SilentProgress()), range(4)))
    assert {(folder / "model.onnx").read_bytes() for folder in found} == {DATA}
    assert len(server.asked) == 1


def test_only_addresses_of_the_web_are_opened(store: PretrainedStore) -> None:
    with pytest.raises(StudioError, match="is not an address"):
        store.fetch(_source("file:///etc/passwd"), SilentProgress())


def test_a_folder_that_cannot_be_written_is_reported(
    server: LibraryServer, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StudioError, match="cannot be written"):
        PretrainedStore(tmp_path / "file").fetch(
            _source(f"{server.address}/good/model.onnx"), SilentProgress()
        )


def test_weights_of_keras_are_noted_and_deleted(store: PretrainedStore, tmp_path: Path) -> None:
    (tmp_path / "mine.h5").write_bytes(DATA)
    source = replace(SOURCES["mobilenet_v2"], files=(SourceFile("good.h5", "", 0, DIGEST),))
    assert store.adopt(source, tmp_path / "mine.h5") == store.folder / "good.h5"
    assert WeightCache(store.folder).own_files() == [], "it is noted as published"
    assert store.remove(source) == len(DATA)
    assert list(store.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "says"), [("none", "404"), ("other", "checksum"), ("elsewhere", "not allowed")]
)
def test_a_failed_download_lists_what_to_fetch(
    server: LibraryServer, store: PretrainedStore, kind: str, says: str
) -> None:
    server.target = "file:///etc/hostname"
    source = _source(f"{server.address}/{kind}/model.onnx")
    with pytest.raises(WeightsDownloadError, match=says) as caught:
        store.fetch(source, SilentProgress())
    missing = store.missing(source)[0]
    assert missing.address in caught.value.hint
    assert str(missing.path) in caught.value.hint
    assert not missing.path.exists()


def test_a_token_is_not_sent_to_the_server_that_a_redirection_names(
    server: LibraryServer,
    other_server: LibraryServer,
    store: PretrainedStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{server.address}/elsewhere")
    monkeypatch.setenv("HF_TOKEN", "secret")
    server.target = f"{other_server.address}/good/model.onnx"
    store.fetch(_source("hf://owner/repo/model.onnx"), SilentProgress())
    assert [token for _, token in server.asked] == ["Bearer secret"]
    assert [token for _, token in other_server.asked] == [""]


def test_a_mirror_is_asked_first(
    server: LibraryServer, store: PretrainedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS_MIRROR", f"{server.address}/good/")
    store.fetch(_source("https://nowhere.invalid/model.onnx"), SilentProgress())
    assert [path for path, _ in server.asked] == ["/good/net/model.onnx"]


def test_files_come_from_a_stick(
    store: PretrainedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _source("")
    _known(source, monkeypatch)
    assert store.state(source) == "needs_file"
    stick = tmp_path / "stick" / "any name"
    stick.mkdir(parents=True)
    (stick / "model.onnx").write_bytes(DATA)
    assert store.add(tmp_path / "stick") == [source]
    assert store.size() == len(DATA)
    store.clear()
    assert store.state(source) == "needs_file"


def test_a_damaged_or_unknown_file_is_refused(
    store: PretrainedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _source("")
    _known(source, monkeypatch)
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(DATA[:-1])
    with pytest.raises(StudioError, match="does not hold the published weights"):
        store.add(folder)
    (folder / "model.onnx").rename(folder / "holiday.onnx")
    with pytest.raises(StudioError, match="holds no file of a source"):
        store.add(folder)


@pytest.mark.parametrize("marker", ["1.complete", ".complete/1/model.onnx.complete"])
def test_downloads_of_kagglehub_are_used_where_they_are(
    store: PretrainedStore, tmp_path: Path, marker: str
) -> None:
    source = _source("kaggle://keras/net/keras/net/1/model.onnx")
    there = tmp_path / "kagglehub/models/keras/net/keras/net/1/model.onnx"
    there.parent.mkdir(parents=True)
    there.write_bytes(DATA)
    assert store.state(source) == "downloadable", "kagglehub may still be writing it"
    end = there.parents[1] / marker
    end.parent.mkdir(parents=True, exist_ok=True)
    end.touch()
    assert store.state(source) == "here"
    assert store.fetch(source, SilentProgress()) == there.parent
    assert store.size() == 0


def test_files_that_were_copied_by_hand_are_removed_and_others_stay(
    store: PretrainedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    keras = replace(SOURCES["mobilenet_v2"], files=(SourceFile("good.h5", ""),))
    other = _source("")
    monkeypatch.setattr(store_module, "SOURCES", Registry("source", [keras, other]))
    (store.folder / "net").mkdir(parents=True)
    for name in ("good.h5", "net/model.onnx", "net/mine.onnx", "mine.h5"):
        (store.folder / name).write_bytes(DATA)
    store.clear()
    left = {path.name for path in store.folder.rglob("*") if path.is_file()}
    assert left == {"mine.onnx", "mine.h5"}
    (store.folder / "net/mine.onnx").rename(store.folder / "net/model.onnx")
    assert store.remove(other) == len(DATA)
    assert not (store.folder / "net").exists()


def test_a_file_that_is_open_does_not_keep_the_others(
    store: PretrainedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (
        replace(SOURCES["mobilenet_v2"], name=name, files=(SourceFile(f"{name}.h5", ""),))
        for name in ("first", "second")
    )
    monkeypatch.setattr(store_module, "SOURCES", Registry("source", [first, second]))
    store.folder.mkdir()
    for name in ("first", "second"):
        (store.folder / f"{name}.h5").write_bytes(DATA)

    def remove(path: Path) -> None:
        if path.name == "first.h5":
            raise PermissionError(path)
        path.unlink(missing_ok=True)

    monkeypatch.setattr(files, "remove", remove)
    with pytest.raises(PermissionError):
        store.clear()
    assert [path.name for path in store.folder.iterdir()] == ["first.h5"]


def test_a_preset_that_is_here_is_named_by_its_folder(
    store: PretrainedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(store.folder))
    assert preset_folder("net") is None
    _known(_source(""), monkeypatch)
    assert preset_folder("net") is None
    (store.folder / "net").mkdir(parents=True)
    (store.folder / "net/model.onnx").write_bytes(DATA)
    assert preset_folder("net") == store.folder / "net"
