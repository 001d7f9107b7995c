"""A bucket of S3: listed page by page, downloaded by threads, clear where it is not read."""

from __future__ import annotations

import http.server
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from dataset_pictures import Listener, noise_png, recipe

from helpers.web import running
from studio.engine.datasets.importer import import_dataset, suggest_recipe
from studio.engine.datasets.sources import s3, source_for
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.installation import install_command
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.web.address import Bucket, bucket_of, with_server

SILENT = SilentProgress()
KEY, SECRET = "AKIAOFNOBODY", "a-secret-that-must-not-be-written"


class FakeS3(http.server.ThreadingHTTPServer):
    """One bucket, `pets`, that lists three keys at a time.

    Attributes:
        objects: What it holds.
        asked: The paths that were asked for.
        signed: The signatures that came.
        error: An error of S3 to answer everything with; empty for none.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.objects: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.signed: list[str] = []
        self.error = ""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def offset(self, folder: str = "") -> str:
        return f"s3://pets/{folder}?endpoint={quote(self.base, '')}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: FakeS3

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        server = self.server
        server.asked.append(self.path)
        server.signed.append(self.headers.get("Authorization", ""))
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        if server.error:
            self._give(403, _error(server.error))
        elif bucket != "pets":
            self._give(404, _error("NoSuchBucket"))
        elif not key:
            self._give(200, self._listing(parse_qs(parts.query)))
        elif key in server.objects:
            self._give(200, server.objects[key])
        else:
            self._give(404, _error("NoSuchKey"))

    def _listing(self, query: dict[str, list[str]]) -> bytes:
        prefix = query.get("prefix", [""])[0]
        start = int(query.get("continuation-token", ["0"])[0])
        keys = sorted(key for key in self.server.objects if key.startswith(prefix))
        page = keys[start : start + 3]
        more = start + 3 < len(keys)
        entries = "".join(
            f"<Contents><Key>{escape(quote(key, '/'))}</Key><Size>{len(self.server.objects[key])}"
            "</Size><LastModified>2024-01-02T03:04:05.000Z</LastModified></Contents>"
            for key in page
        )
        token = f"<NextContinuationToken>{start + 3}</NextContinuationToken>" if more else ""
        return (
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>"
            f"{token}{entries}</ListBucketResult>"
        ).encode()

    def _give(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>so it is</Message></Error>".encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeS3]:
    pytest.importorskip("boto3")
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    server = FakeS3()
    with running(server):
        yield server


def fill(server: FakeS3, folder: str, counts: dict[str, int]) -> None:
    for position, (name, count) in enumerate(counts.items()):
        for index in range(count):
            key = f"{folder}{name}/image {index}.png"
            server.objects[key] = noise_png(100 * position + index)


def test_listed_over_pages_and_imported(server: FakeS3, tmp_path: Path) -> None:
    fill(server, "sets/2024/", {"große Katze+1": 5, "dog": 4})
    fill(server, "sets/2024-other/", {"x": 2})
    server.objects |= {
        "sets/2024/": b"",
        "sets/2024/dog/": b"",
        "sets/2024/dog/.hidden.png": b"x",
        "sets/2024/dog/notes.txt": b"x",
        "sets/2024/dog//odd.png": b"x",
        "sets/2024/dog/broken.png": b"no picture",
    }
    location = server.offset("sets/2024")
    assert source_for(Path(location)).name == "s3"
    summary = import_dataset(
        recipe(location, val_percent=0, test_percent=0), tmp_path / "out", SILENT
    )
    assert summary.classes == ["dog", "große Katze+1"]
    store = Store.open(tmp_path / "out")
    assert store.class_counts()["train"] == [4, 5]
    assert "große Katze+1/image 0.png" in store.paths
    assert [(entry.path, entry.reason) for entry in summary.skipped] == [
        ("dog//odd.png", "its name points outside"),
        ("dog/notes.txt", 'unsupported image format: ".txt"'),
        ("dog/broken.png", "not an image, or damaged at its beginning"),
    ]
    assert len([path for path in server.asked if "continuation-token" in path]) >= 4
    assert all(KEY in signature for signature in server.signed)


def test_no_secret_is_written(server: FakeS3, tmp_path: Path) -> None:
    fill(server, "", {"a": 3, "b": 3})
    asked = suggest_recipe(Path(server.offset()))
    import_dataset(asked, tmp_path / "out", SILENT)
    assert SECRET not in asked.to_json()
    for file in (tmp_path / "out").rglob("*"):
        data = file.read_bytes()
        assert SECRET.encode() not in data
        assert KEY.encode() not in data


def test_a_public_bucket_needs_no_credentials(
    server: FakeS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    fill(server, "", {"a": 2, "b": 2})
    location = Path(server.offset())
    source = source_for(location)
    items = source.scan(location, SILENT).items
    with source.open(location, items[0]) as file:
        assert file.read() == server.objects[items[0].key]
    assert set(server.signed) == {""}


def test_splits_by_folders(server: FakeS3, tmp_path: Path) -> None:
    fill(server, "train/", {"a": 3, "b": 3})
    fill(server, "test/", {"a": 2, "b": 1})
    asked = recipe(server.offset(), val_percent=0)
    assert import_dataset(asked, tmp_path / "out", SILENT).counts == {
        "train": 6,
        "val": 0,
        "test": 3,
    }


def test_mistakes_are_clear(server: FakeS3, tmp_path: Path) -> None:
    fill(server, "", {"a": 2, "b": 2})
    fill(server, "one/", {"only": 2})
    wrong = server.offset().replace("pets", "gone")
    for offset, part in {
        wrong: "NoSuchBucket: so it is",
        server.offset("nothing"): "There are no images in s3://pets/nothing/ at http://127",
        server.offset("one"): 'contains images of only one class: "only"',
        "s3://": "is not an address",
        "s3://pets/x?secret=1": 'not "secret"',
        "s3://pets/x?endpoint=minio": "The S3 endpoint must be an address",
        "s3://key:word@pets/x": "with a user name and password",
    }.items():
        with pytest.raises(StudioError) as caught:
            import_dataset(recipe(offset), tmp_path / "out", SILENT)
        assert part in caught.value.message
        assert caught.value.hint
        assert not (tmp_path / "out").exists()
    server.error = "AccessDenied"
    with pytest.raises(StudioError, match="AccessDenied") as caught:
        import_dataset(recipe(server.offset()), tmp_path / "out", SILENT)
    assert "AWS_PROFILE" in caught.value.hint
    assert KEY not in str(caught.value)


def test_no_network(server: FakeS3, tmp_path: Path) -> None:
    with FakeS3() as closed:
        offset = closed.offset()
    with pytest.raises(StudioError, match="cannot be listed: Could not connect"):
        import_dataset(recipe(offset), tmp_path / "out", SILENT)


def test_a_server_that_goes(server: FakeS3, tmp_path: Path) -> None:
    fill(server, "", {"a": 20, "b": 20})
    location = Path(server.offset())
    source = source_for(location)
    items = source.scan(location, SILENT).items
    assert source.is_there(location)
    found = list(source.read(location, items))
    assert found[0][1]() == server.objects[items[0].key]
    del server.objects[items[1].key]
    with pytest.raises(StudioError, match="NoSuchKey"):
        found[1][1]()
    server.error = "SlowDown"
    assert not source.is_there(location)
    server.error = ""

    class Recorder(SilentProgress):
        def advance(self, done: int, total: int, what: str) -> None:
            if total and done > 3:
                server.error = "AccessDenied"

    with pytest.raises(StudioError, match="disappeared during"):
        import_dataset(recipe(server.offset()), tmp_path / "out", Recorder())
    server.error = ""
    assert import_dataset(recipe(server.offset()), tmp_path / "out", SILENT).count == 39


def test_cancelled(server: FakeS3) -> None:
    fill(server, "", {"a": 2, "b": 2})
    with pytest.raises(Cancelled):
        source_for(Path(server.offset())).scan(Path(server.offset()), Listener(cancel_after=1))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    assert not s3.is_installed()
    with pytest.raises(StudioError, match="needs the package boto3") as caught:
        import_dataset(recipe("s3://pets"), tmp_path / "out", SILENT)
    assert install_command("s3") in caught.value.hint


def test_addresses_of_buckets() -> None:
    assert bucket_of("s3://pets") == Bucket("pets")
    location = with_server("s3://pets/a%20b/c/", "https://h:9000", "eu-west-1")
    assert location == "s3://pets/a%20b/c?endpoint=https%3A%2F%2Fh%3A9000&region=eu-west-1"
    assert bucket_of(Path(location)) == Bucket("pets", "a b/c/", "https://h:9000", "eu-west-1")
    assert bucket_of(with_server(location, "", "x")).endpoint == "https://h:9000"
    with pytest.raises(StudioError, match="password"):
        with_server("s3://pets", "https://me:pass@h", "")
    assert json.loads(recipe(location).to_json())["source"] == location
