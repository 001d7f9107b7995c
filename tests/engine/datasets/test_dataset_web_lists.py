"""Lists that name addresses of the web: images come from a server, or their lines say why not."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from dataset_pictures import recipe
from PIL import Image

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.sources import SOURCES
from studio.engine.datasets.sources.base import SourceImage
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.errors import BadDataError, StudioError
from studio.engine.progress import SilentProgress
from studio.engine.web import public_network


def _png(value: int) -> bytes:
    data = BytesIO()
    Image.new("RGB", (8, 8), (value, value, value)).save(data, "PNG")
    return data.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives an image for each number, half of one for `cut`, and text for `text`."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        name = self.path.strip("/")
        if name == "gone":
            self.send_error(404)
            return
        if name == "moved":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if name == "inside":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.2:9/1")
            self.end_headers()
            return
        content = b"no image" if name == "text" else _png(int(name) if name.isdigit() else 0)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if name == "cut" else content)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "*")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_images_of_the_web_and_of_the_disk_in_one_list(address: str, tmp_path: Path) -> None:
    (tmp_path / "here.png").write_bytes(_png(77))
    lines = [f"{address}/{value} {value % 2}" for value in range(10, 20)]
    lines += ["here.png 1", f"{address}/gone 0", f"{address}/cut 1", f"{address}/text 1"]
    lines += [f"{address}/moved 0", f"{address}/10 0"]
    (tmp_path / "list.txt").write_text("\n".join(lines))

    asked = recipe(
        tmp_path / "list.txt",
        width=8,
        height=8,
        val_percent=0,
        test_percent=0,
        internal_addresses=True,
    )
    summary = import_dataset(asked, tmp_path / "out", SilentProgress())

    assert summary.count == 11
    store = Store.open(tmp_path / "out")
    values = {store.paths[row]: int(store.images[row].mean()) for row in store.rows("train")}
    assert values == {f"{address}/{value}": value for value in range(10, 20)} | {"here.png": 77}
    assert (store.labels[store.rows("train")] == [0] * 5 + [1] * 6).all()
    reasons = {
        entry.path.rpartition("/")[2]: entry.reason for entry in read_skipped(tmp_path / "out")
    }
    assert "404" in reasons["gone"]
    assert "was lost" in reasons["cut"]
    assert "not an image" in reasons["text"]
    assert reasons["moved"]
    assert "twice" in reasons["10"]


def test_an_unreachable_server_is_a_reason(tmp_path: Path) -> None:
    source = SOURCES["list_file"]
    item = SourceImage("http://127.0.0.1:9/x.png", "0", None, is_trusted=True)
    ((index, fetch),) = source.read(tmp_path / "list.txt", [item])
    assert index == 0
    with pytest.raises(Exception, match="cannot be reached"):
        fetch()


def test_preview_downloads_one_image(address: str, tmp_path: Path) -> None:
    item = SourceImage(f"{address}/50", "0", None, is_trusted=True)
    with SOURCES["list_file"].open(tmp_path / "list.txt", item) as file:
        assert np.asarray(Image.open(file)).mean() == 50


def _fetched(address: str) -> bytes:
    with SOURCES["list_file"].open(Path("list.txt"), SourceImage(address, "0", None)) as file:
        return file.read()


def test_a_list_reaches_nothing_inside_unless_that_is_allowed(
    address: str, tmp_path: Path
) -> None:
    path = tmp_path / "list.txt"
    path.write_text("".join(f"{address}/{value} {value % 2}\n" for value in range(6)))
    asked = recipe(path, width=8, height=8)

    with pytest.raises(StudioError, match="in the local network"):
        import_dataset(asked, tmp_path / "no", SilentProgress())

    allowed = asked.changed(internal_addresses=True)
    assert import_dataset(allowed, tmp_path / "yes", SilentProgress()).count == 6
    (tmp_path / "a").mkdir()
    with pytest.raises(StudioError, match="only for lists and files on the web"):
        import_dataset(recipe(tmp_path, internal_addresses=True), tmp_path / "x", SilentProgress())


@pytest.mark.parametrize("name", ["pictures.example", "localhost"])
def test_nor_through_a_name_that_leads_inside(
    address: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda _host, port, *rest: resolve("127.0.0.1", port, *rest)
    )
    with pytest.raises(BadDataError, match="in the local network"):
        _fetched(address.replace("127.0.0.1", name) + "/1")


def test_nor_through_a_redirection_or_a_proxy(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_network, "is_public", lambda location: location == "127.0.0.1")
    assert _fetched(f"{address}/50")
    with pytest.raises(BadDataError, match=r"127\.0\.0\.2 is in the local"):
        _fetched(f"{address}/inside")
    with pytest.raises(BadDataError, match=r"not allowed|redirects"):
        _fetched(f"{address}/moved")
    monkeypatch.delenv("no_proxy")
    monkeypatch.setenv("http_proxy", address)
    with pytest.raises(BadDataError, match=r"10\.0\.0\.1 is in the local"):
        _fetched("http://10.0.0.1/1")


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        *((place, False) for place in ("127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1")),
        *((place, False) for place in ("169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1")),
        *((place, False) for place in ("::1", "::", "fe80::1%eth0", "fc00::1", "fec0::1")),
        *((place, False) for place in ("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::")),
    ],
)
def test_which_addresses_are_public(location: str, expected: bool) -> None:
    assert public_network.is_public(location) is expected
