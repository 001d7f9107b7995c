from __future__ import annotations

import hashlib
import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from dataset_pictures import Listener

from studio.engine.datasets.samples import SAMPLES, PublishedFiles, RemoteFile
from studio.engine.errors import DiskFullError, StudioError
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.web import transfer as transfer_module

CONTENT = bytes(range(256)) * 4096  # 1 MB
MD5 = hashlib.md5(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Gives the content, or misbehaves as asked.

    Attributes:
        mode: `good`, `no range`, `cut`, `wrong`, `missing` or `slow`.
        ranges: The range that each request asked for.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.mode = "good"
        self.ranges: list[str | None] = []
        self.may_end = threading.Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        server = self.server
        asked = self.headers.get("Range")
        server.ranges.append(asked)
        if server.mode == "missing":
            self.send_error(404)
            return
        content = CONTENT[::-1] if server.mode == "wrong" else CONTENT
        start = int(asked[6:-1]) if asked and server.mode != "no range" else 0
        if start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = len(content) // 2 if server.mode in {"cut", "slow"} else len(content)
        self.wfile.write(content[start:end])
        self.wfile.flush()
        if server.mode == "slow":
            server.may_end.wait(30)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.may_end.set()
        running.shutdown()
        thread.join()


def published(server: Server, *bases: str, md5: str = MD5) -> PublishedFiles:
    files = (RemoteFile("one.bin", len(CONTENT), md5), RemoteFile("two.bin", len(CONTENT), md5))
    return PublishedFiles("sample", "Sample", (*bases, server.base), files, ("a", "b"))


def test_whole_and_kept_for_next_time(server: Server, tmp_path: Path) -> None:
    listener = Listener()
    folder = published(server)(tmp_path, listener)
    assert folder == tmp_path / "sample"
    assert (folder / "two.bin").read_bytes() == CONTENT
    assert (folder / "class-names.txt").read_text() == "a\nb\n"
    assert listener.steps[-1] == (2 * len(CONTENT), 2 * len(CONTENT), "Downloading Sample")
    assert all(
        one[0] <= two[0] for one, two in zip(listener.steps, listener.steps[1:], strict=False)
    )
    assert len(server.ranges) == 2
    published(server)(tmp_path, SilentProgress())
    assert len(server.ranges) == 2
    (folder / "one.bin").write_bytes(b"damaged since")
    published(server)(tmp_path, SilentProgress())
    assert len(server.ranges) == 3


def test_no_network_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with Server() as closed:
        base = closed.base
    sample = PublishedFiles("x", "X", (base,), (RemoteFile("x.gz", 5, MD5),))
    with pytest.raises(StudioError, match="cannot be reached") as caught:
        sample(tmp_path, SilentProgress())
    assert caught.value.message.count("\n") == 0
    assert "x.gz" in caught.value.hint
    assert str(tmp_path / "x") in caught.value.hint


def test_broken_off_then_continued(server: Server, tmp_path: Path) -> None:
    server.mode = "cut"
    with pytest.raises(StudioError, match="524,288 bytes are missing"):
        published(server)(tmp_path, SilentProgress())
    partial = tmp_path / "sample" / "one.bin.partial"
    assert partial.stat().st_size == len(CONTENT) // 2
    server.mode = "good"
    published(server)(tmp_path, SilentProgress())
    assert f"bytes={len(CONTENT) // 2}-" in server.ranges
    assert (tmp_path / "sample" / "one.bin").read_bytes() == CONTENT
    assert not partial.exists()


def test_server_without_ranges_restarts(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "one.bin.partial").write_bytes(b"rubbish")
    server.mode = "no range"
    published(server)(tmp_path, SilentProgress())
    assert (tmp_path / "sample" / "one.bin").read_bytes() == CONTENT


def test_part_that_is_whole_already(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "one.bin.partial").write_bytes(CONTENT)
    published(server)(tmp_path, SilentProgress())
    assert (tmp_path / "sample" / "one.bin").read_bytes() == CONTENT


def test_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.mode = "wrong"
    with pytest.raises(StudioError, match="checksum differs"):
        published(server)(tmp_path, SilentProgress())
    assert list((tmp_path / "sample").iterdir()) == []


def test_a_damaged_part_is_not_continued_for_ever(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "one.bin.partial").write_bytes(b"rubbish")
    with pytest.raises(StudioError, match="checksum differs"):
        published(server)(tmp_path, SilentProgress())
    published(server)(tmp_path, SilentProgress())
    assert (tmp_path / "sample" / "one.bin").read_bytes() == CONTENT


def test_next_address_is_tried(server: Server, tmp_path: Path) -> None:
    with Server() as closed:
        base = closed.base
    assert published(server, base)(tmp_path, SilentProgress()).exists()
    server.mode = "missing"
    with pytest.raises(StudioError, match=r"cannot be reached.*; the server answers 404"):
        published(server, base)(tmp_path / "b", SilentProgress())


def test_cancelled_at_once_while_the_server_hangs(server: Server, tmp_path: Path) -> None:
    server.mode = "slow"

    class Impatient(SilentProgress):
        def __init__(self) -> None:
            self.since = 0.0

        def advance(self, done: int, total: int, what: str) -> None:
            if done >= len(CONTENT) // 2 and not self.since:
                self.since = time.monotonic()

        def check(self) -> None:
            if self.since:
                raise Cancelled

    impatient = Impatient()
    with pytest.raises(Cancelled):
        published(server)(tmp_path, impatient)
    assert time.monotonic() - impatient.since < 15, "the server hangs twice as long"
    assert (tmp_path / "sample" / "one.bin.partial").stat().st_size == len(CONTENT) // 2


def test_silence_ends(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer_module, "_SILENCE_SECONDS", 0.2)
    server.mode = "slow"
    with pytest.raises(StudioError, match="timed out"):
        published(server)(tmp_path, SilentProgress())


def test_full_disk(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "one.bin.partial").symlink_to("/dev/full")
    with pytest.raises(DiskFullError):
        published(server)(tmp_path, SilentProgress())


def test_published_checksums_are_whole() -> None:
    downloaded = [sample for sample in SAMPLES if sample.download]
    assert [sample.name for sample in downloaded] == [
        "mnist",
        "fashion_mnist",
        "cifar10",
        "cifar100",
    ]
    for sample in downloaded:
        assert isinstance(sample.write, PublishedFiles)
        assert sample.write.name == sample.name
        for file in sample.write.files:
            assert len(file.md5) == 32
            int(file.md5, 16)
