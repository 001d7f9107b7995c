"""A folder on a web server: its pages are walked down and nowhere else; or the error is clear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dataset_pictures import Listener, class_folders, noise_png, recipe
from web_servers import Server

from helpers.web import running
from studio.engine.datasets.importer import import_dataset, suggest_recipe
from studio.engine.datasets.sources import source_for, web_folder
from studio.engine.datasets.sources.web_folder import links_below
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import read_skipped
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled, SilentProgress

SILENT = SilentProgress()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    (tmp_path / "web").mkdir()
    server = Server(tmp_path / "web")
    with running(server):
        yield server


def refused(location: str, out: Path) -> StudioError:
    with pytest.raises(StudioError) as caught:
        import_dataset(recipe(location), out, SILENT)
    assert caught.value.hint
    assert not out.exists()
    return caught.value


def test_pages_are_walked_down(server: Server, tmp_path: Path) -> None:
    root = class_folders(tmp_path / "web" / "pets #1", {"große Katze & 100%": 3, "dog": 2})
    (root / "dog" / "old" / "1990").mkdir(parents=True)
    (root / "dog" / "old" / "1990" / "a b?.png").write_bytes(noise_png(77))
    (root / "dog" / "notes.md").write_text("x")
    (root / "dog" / "bad.jpg").write_text("no picture")
    (root / ".git").mkdir()
    asked = recipe(f"{server.base}/pets%20%231", val_percent=0, test_percent=0)
    summary = import_dataset(asked, tmp_path / "out", SILENT)
    assert summary.classes == ["dog", "große Katze & 100%"]
    store = Store.open(tmp_path / "out")
    assert store.class_counts()["train"] == [3, 3]
    assert "dog/old/1990/a b?.png" in store.paths
    assert [(entry.path, entry.reason) for entry in read_skipped(tmp_path / "out")] == [
        ("dog/notes.md", 'unsupported image format: ".md"'),
        ("dog/bad.jpg", "not an image, or damaged at its beginning"),
    ]
    local = import_dataset(recipe(root, val_percent=0, test_percent=0), tmp_path / "local", SILENT)
    assert local.count == summary.count
    same = Store.open(tmp_path / "local")
    assert {image.tobytes() for image in store.images[:]} == {
        image.tobytes() for image in same.images[:]
    }


def test_split_folders_are_seen(server: Server, tmp_path: Path) -> None:
    for split, count in (("train", 4), ("valid", 2)):
        class_folders(tmp_path / "web" / split, {"a": count, "b": count})
    summary = import_dataset(recipe(server.base, test_percent=0), tmp_path / "out", SILENT)
    assert summary.counts == {"train": 8, "val": 4, "test": 0}


def test_no_link_leads_out_or_around(server: Server, tmp_path: Path) -> None:
    class_folders(tmp_path / "web" / "in" / "cat", {"1": 2})
    class_folders(tmp_path / "web" / "in" / "dog", {"1": 2})
    class_folders(tmp_path / "web", {"secret": 2})
    server.pages["/in/"] = """<html><a href="../">up</a> <a href="?C=N;O=D">sort</a>
        <a href="/secret/">other</a> <a href="http://elsewhere.invalid/x/">far</a>
        <a href="cat/">cat</a><a href="./cat/#top">again</a><a href="/in/dog/">dog</a>
        <a href="%2e%2e/secret/">trick</a><a href="cat/%2E%2E/%2E%2E/secret/">trick</a>
        <a href="in/../../secret/">trick</a><a href="javascript:go()">js</a>
        <a href="mailto:a@b">mail</a><a>none</a><a href="http://[bad">bad</a></html>"""
    server.pages["/in/cat/"] = '<p><a href="/in/">home</a><a href="./">here</a><a href="1/">1</a>'
    summary = import_dataset(recipe(f"{server.base}/in/"), tmp_path / "out", SILENT)
    assert summary.classes == ["cat", "dog"]
    assert summary.count == 4
    assert all(path.startswith("/in/") for path in server.asked)
    pages = [path for path in server.asked if path.endswith("/")]
    # Both walks of the import (it looks again at the end) read each page once.
    assert sorted(set(pages)) == ["/in/", "/in/cat/", "/in/cat/1/", "/in/dog/", "/in/dog/1/"]
    assert pages.count("/in/cat/") == 1


@pytest.mark.parametrize(
    ("location", "part"),
    [
        ("/gone/", "the server answers 404 File not found"),
        ("/plain/", "it is not a page that lists files, but text/plain"),
        ("/bare/", "list no images"),
        ("/one/", 'contains images of only one class: "only"'),
        ("/moved/", "the server redirects to http://elsewhere.invalid/"),
        ("/pets/?C=N", "with a query"),
    ],
)
def test_mistakes_are_clear(server: Server, tmp_path: Path, location: str, part: str) -> None:
    class_folders(tmp_path / "web" / "pets", {"cat": 2, "dog": 2})
    class_folders(tmp_path / "web" / "one", {"only": 2})
    server.pages["/bare/"] = "<html>Welcome!</html>"
    server.moved["/moved/"] = "http://elsewhere.invalid/"
    server.pages["/plain/"] = "Welcome!"
    error = refused(server.base + location, tmp_path / "out")
    assert part in error.message
    assert error.where == "source"


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with Server(tmp_path) as closed:
        base = closed.base
    error = refused(f"{base}/x/", tmp_path / "out")
    assert f"{base}/x/ cannot be read: the server cannot be reached" in error.message
    assert "\n" not in error.message


@pytest.mark.parametrize(
    "location", ["http://name:secret@host/x/", "https://", "http://host:port/"]
)
def test_invalid_addresses(tmp_path: Path, location: str) -> None:
    assert "secret" not in str(refused(location, tmp_path / "out"))


def test_a_page_that_fails_costs_its_images_only(server: Server, tmp_path: Path) -> None:
    class_folders(tmp_path / "web", {"a": 2, "b": 2, "c": 2})
    server.moved["/c/"] = "/elsewhere"  # inside, but not there
    summary = import_dataset(recipe(server.base), tmp_path / "out", SILENT)
    assert summary.classes == ["a", "b"]
    assert [(entry.path, entry.reason) for entry in summary.skipped] == [
        ("c/", "the server answers 404 File not found")
    ]


def test_pages_are_limited(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_folder, "_MOST_PAGES", 2)
    class_folders(tmp_path / "web", {"a": 1, "b": 1})
    assert "more than 2 pages" in refused(server.base, tmp_path / "out").message


def test_a_lost_server_is_reported_and_the_import_continues(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_folders(tmp_path / "web", {"a": 20, "b": 20})
    asked = recipe(server.base)
    taken: list[str] = []
    alive = web_folder._Line.download

    def lost(self: web_folder._Line, key: str) -> bytes:
        taken.append(key)
        if len(taken) == 5:
            server.moved.update({f"/{name}": "http://gone.invalid/" for name in ("", "a/", "b/")})
        return alive(self, key)

    monkeypatch.setattr(web_folder._Line, "download", lost)
    with pytest.raises(StudioError, match="disappeared during the import"):
        import_dataset(asked, tmp_path / "out", SILENT)
    server.moved.clear()
    assert import_dataset(asked, tmp_path / "out", SILENT).count == 40


def test_silence_of_many_images_is_not_waited_for(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_folders(tmp_path / "web", {"a": 20, "b": 20})
    location = Path(server.base)
    source = source_for(location)
    items = source.scan(location, SILENT).items
    server.moved = {f"/{item.key}".replace(" ", "%20"): "" for item in items}
    found = list(source.read(location, items))
    server.shutdown()
    server.server_close()
    reasons = []
    for _, fetch in found:
        with pytest.raises(StudioError) as caught:
            fetch()
        reasons.append(caught.value.message)
    assert all("cannot be reached" in reason for reason in reasons[:8])
    assert set(reasons[8:]) == {"the server no longer answers"}


def test_cancelled(server: Server, tmp_path: Path) -> None:
    class_folders(tmp_path / "web", {"a": 2, "b": 2})
    with pytest.raises(Cancelled):
        source_for(Path(server.base)).scan(Path(server.base), Listener(cancel_after=2))


def test_a_size_is_suggested_and_the_address_kept(server: Server, tmp_path: Path) -> None:
    class_folders(tmp_path / "web" / "x", {"a": 2, "b": 2})
    found = suggest_recipe(Path(f"{server.base}/x/"))
    assert found.source == f"{server.base}/x"
    assert (found.width, found.height) == (28, 28)
    location = Path(found.source)
    item = source_for(location).scan(location, SILENT).items[0]
    with source_for(location).open(location, item) as file:
        assert file.read() == (tmp_path / "web" / "x" / item.key).read_bytes()


def test_links_in_the_manner_of_nginx_and_apache() -> None:
    page = b"""<pre><a href="../">../</a>\n<a href="a%20b/">a b/</a> 01-Jan-2024 00:00 -
    <a href="x%E9.png">x</a><A HREF='y.png'>y</A><a href="/data/z%2Fz.png">z</a></pre>"""
    links = links_below(page, "http://h/data/", "")
    assert [(link.key, bool(link.reason)) for link in links] == [
        ("a b/", False),
        ("x\\xe9.png", True),
        ("y.png", False),
        ("z/z.png", True),
    ]
