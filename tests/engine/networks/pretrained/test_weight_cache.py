"""Downloads of weights from a real server, and all that can go wrong with them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.networks.backbones import WeightCache, WeightSource
from studio.engine.progress import Cancelled, SilentProgress

DATA = bytes(range(256)) * 4096
CUT = len(DATA) // 2


class Handler(BaseHTTPRequestHandler):
    """Serves `/good.h5` whole or from a position, `/cut.h5` half, `/open.h5` without its size."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]  # put there below
        if self.path == "/none.h5":
            self.send_error(404, "Not there")
            return
        start = int(self.headers.get("Range", "bytes=0-")[len("bytes=") : -1])
        self.send_response(206 if start else 200)
        if self.path != "/open.h5":
            self.send_header("Content-Length", str(len(DATA) - start))
        self.end_headers()
        self.wfile.write(DATA[:CUT] if self.path == "/cut.h5" else DATA[start:])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of the base
        """Nothing is printed."""


class Server(ThreadingHTTPServer):
    asked: list[str]


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def source(server: Server, file: str = "good.h5", digest: str | None = None) -> WeightSource:
    if digest is None:
        digest = hashlib.sha256(DATA).hexdigest()
    address = f"http://127.0.0.1:{server.server_port}/{file}"
    return WeightSource(name="mobilenet_v2", file=file, address=address, digest=digest)


class Listener(SilentProgress):
    def __init__(self, stop_at: int | None = None) -> None:
        self.reported: list[tuple[int, int]] = []
        self.stop_at = stop_at

    def advance(self, done: int, total: int, what: str) -> None:
        assert "good.h5" in what
        self.reported.append((done, total))

    def check(self) -> None:
        if self.stop_at is not None and self.reported and self.reported[-1][0] >= self.stop_at:
            raise Cancelled


def left(cache: WeightCache) -> list[str]:
    """Return the names of the files, without locks, which may stay."""
    names = [path.name for path in cache.folder.iterdir()] if cache.folder.exists() else []
    return [name for name in names if not name.endswith(".lock")]


@pytest.fixture
def cache(tmp_path: Path) -> WeightCache:
    return WeightCache(tmp_path / "caché")


def test_a_file_is_downloaded_once_with_progress(server: Server, cache: WeightCache) -> None:
    listener = Listener()

    path = cache.fetch(source(server), listener)
    again = cache.fetch(source(server), SilentProgress())

    assert path == again == cache.folder / "good.h5"
    assert path.read_bytes() == DATA
    assert server.asked == ["/good.h5"]
    assert listener.reported[0] == (0, len(DATA))
    assert listener.reported[-1] == (len(DATA), len(DATA))
    assert listener.reported == sorted(listener.reported)


@pytest.mark.parametrize(
    "digest", ["", hashlib.md5(DATA).hexdigest(), hashlib.sha256(DATA).hexdigest()]
)
def test_every_kind_of_checksum_that_keras_knows(
    server: Server, cache: WeightCache, digest: str
) -> None:
    assert cache.fetch(source(server, "open.h5", digest), SilentProgress()).is_file()


@pytest.mark.parametrize(
    ("file", "digest", "says"),
    [
        ("good.h5", "0" * 64, "its checksum differs"),
        ("good.h5", "0" * 32, "its checksum differs"),
        ("cut.h5", "", "524,288 bytes are missing"),
        ("none.h5", "", "the server answers 404 Not there"),
        ("none.h5", "0" * 64, "the server answers 404 Not there"),
    ],
)
def test_errors_are_reported_and_nothing_is_left(
    server: Server, cache: WeightCache, file: str, digest: str, says: str
) -> None:
    with pytest.raises(StudioError) as caught:
        cache.fetch(source(server, file, digest), SilentProgress())

    assert says in caught.value.message
    assert "save it as" in caught.value.hint
    assert left(cache) == []
    assert cache.entries() == []


def test_a_cancelled_download_continues(server: Server, cache: WeightCache) -> None:
    listener = Listener(stop_at=2**18)
    with pytest.raises(Cancelled):
        cache.fetch(source(server), listener)
    done = listener.reported[-1][0]
    assert 2**18 <= done < len(DATA)
    assert left(cache) == ["good.h5.partial"]
    assert cache.entries() == []

    listener = Listener()
    assert cache.fetch(source(server), listener).read_bytes() == DATA
    assert listener.reported[0] == (done, len(DATA))


def test_a_download_without_a_checksum_starts_over(server: Server, cache: WeightCache) -> None:
    listener = Listener(stop_at=2**18)
    with pytest.raises(Cancelled):
        cache.fetch(source(server, digest=""), listener)
    assert left(cache) == [], "the file may change before the next attempt"
    (cache.folder / "good.h5.partial").write_bytes(b"of a process that was killed")
    assert cache.fetch(source(server, digest=""), SilentProgress()).read_bytes() == DATA


def test_of_two_requests_one_waits_for_the_other(server: Server, cache: WeightCache) -> None:
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: cache.fetch(source(server), SilentProgress()), range(4)))

    assert {path.read_bytes() for path in paths} == {DATA}
    assert server.asked == ["/good.h5"]


@pytest.mark.parametrize("host", ["127.0.0.1:9", "weights.invalid"])
def test_without_a_network_there_is_one_sentence_and_the_way_out(
    cache: WeightCache, host: str
) -> None:
    away = WeightSource(name="vgg16", file="good.h5", address=f"http://{host}/good.h5")

    with pytest.raises(StudioError, match=r"vgg16 could not be downloaded: the server") as c:
        cache.fetch(away, SilentProgress())

    assert f"download http://{host}/good.h5 elsewhere" in c.value.hint
    assert f"save it as {cache.folder / 'good.h5'}" in c.value.hint
    assert left(cache) == []


def test_a_folder_that_cannot_be_written_is_reported(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StudioError, match="cannot be written"):
        WeightCache(tmp_path / "file").fetch(source(server), SilentProgress())


def test_only_addresses_of_the_web_are_opened(cache: WeightCache) -> None:
    here = WeightSource(name="x", file="passwd", address="file:///etc/passwd")

    with pytest.raises(StudioError, match="is not an address"):
        cache.fetch(here, SilentProgress())


def test_stored_items_are_listed_and_deleted(server: Server, cache: WeightCache) -> None:
    assert cache.entries() == []
    with pytest.raises(StudioError, match=r"no downloaded weights.*"):
        cache.delete("mobilenet_v2")
    cache.fetch(source(server), SilentProgress())
    (cache.folder / "other.json").write_text("{", encoding="utf-8")

    (entry,) = cache.entries()

    assert (entry.name, entry.label, entry.size) == ("mobilenet_v2", "MobileNetV2", len(DATA))
    assert cache.delete("mobilenet_v2") == len(DATA)
    assert left(cache) == ["other.json"]


def test_a_file_that_a_person_put_there_is_taken(server: Server, cache: WeightCache) -> None:
    cache.folder.mkdir()
    (cache.folder / "good.h5").write_bytes(b"mine")

    assert cache.fetch(source(server), SilentProgress()).read_bytes() == b"mine"
    assert server.asked == []


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "here"))

    assert WeightCache().folder == tmp_path / "here"
