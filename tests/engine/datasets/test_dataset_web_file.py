"""Archives and arrays at an address: downloaded once, read as what they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import platformdirs
import pytest
from dataset_pictures import Listener, recipe
from source_cases import (
    Picture,
    as_cifar,
    as_hdf5,
    as_npz,
    as_parquet,
    as_tar,
    as_zip,
    pictures,
)
from web_servers import Server

from helpers.web import running
from studio.engine.datasets.importer import import_dataset, suggest_recipe
from studio.engine.datasets.sources import source_for, web_file
from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.web import public_network
from studio.engine.web.address import Reach
from studio.engine.web.transfer import TransferError, transfer, web_image

SILENT = SilentProgress()
Make = Callable[[Path, Sequence[Picture]], Path]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")

    def cache(*_names: str, **_options: object) -> Path:
        return tmp_path / "cache"

    monkeypatch.setattr(platformdirs, "user_cache_path", cache)
    (tmp_path / "web").mkdir()
    server = Server(tmp_path / "web")
    with running(server):
        yield server


def as_one_parquet(root: Path, images: Sequence[Picture]) -> Path:
    pytest.importorskip("pyarrow")
    return next((as_parquet(root, images) / "data").glob("*.parquet"))


def as_packed_cifar(root: Path, images: Sequence[Picture]) -> Path:
    import tarfile

    folder = as_cifar(root, images)
    with tarfile.open(root / "cifar-10-python.tar.gz", "w:gz") as archive:
        archive.add(folder, folder.name)
    return root / "cifar-10-python.tar.gz"


@pytest.mark.parametrize(
    "make", [as_zip, as_tar, as_npz, as_hdf5, as_one_parquet, as_packed_cifar]
)
def test_recognized_and_downloaded_once(server: Server, tmp_path: Path, make: Make) -> None:
    file = make(tmp_path / "web", pictures(["a", "b"], 4))
    location = f"{server.base}/{file.relative_to(tmp_path / 'web').as_posix()}?download=1"
    assert source_for(Path(location)).name == "web_file"
    suggested = suggest_recipe(Path(location))
    assert suggested.source == location
    assert (suggested.width, suggested.height) == (32, 32)
    listener = Listener()
    summary = import_dataset(suggested, tmp_path / "out", listener)
    assert summary.count == 8
    assert len(server.asked) == 1  # HEAD does not count: GET of the file came once
    assert not any(what.startswith("Downloading") for _, _, what in listener.steps)
    source = source_for(Path(location))
    item = source.scan(Path(location), SILENT).items[0]
    with source.open(Path(location), item) as found:
        assert found.read()


def test_progress_is_that_of_the_download(server: Server, tmp_path: Path) -> None:
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 4))
    listener = Listener()
    location = Path(f"{server.base}/{file.name}")
    source_for(location).scan(location, listener)
    size = file.stat().st_size
    assert (size, size, f"Downloading {file.name}") in listener.steps


def test_a_change_on_the_server_is_seen_and_silence_is_reported(
    server: Server, tmp_path: Path
) -> None:
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 2))
    location = Path(f"{server.base}/{file.name}")
    assert len(source_for(location).scan(location, SILENT).items) == 4
    file.unlink()
    as_zip(tmp_path / "web", pictures(["a", "b"], 3))
    os.utime(file, (2_000_000_000, 2_000_000_000))
    assert len(source_for(location).scan(location, SILENT).items) == 6
    server.shutdown()
    server.server_close()
    scan = source_for(location).scan(location, SILENT)
    assert len(scan.items) == 6
    assert "the cached download is used" in scan.warnings[0]


def test_mistakes_are_clear(server: Server, tmp_path: Path) -> None:
    for name, part in {"gone.zip": "404", "broken.zip": "the archive is damaged"}.items():
        (tmp_path / "web" / "broken.zip").write_bytes(b"no archive")
        with pytest.raises(StudioError, match=part) as caught:
            import_dataset(recipe(f"{server.base}/{name}"), tmp_path / "out", SILENT)
        assert caught.value.hint
        assert caught.value.where == "source"
        assert caught.value.message.startswith(f"{server.base}/{name}")
        assert not (tmp_path / "out").exists()


def test_no_network(tmp_path: Path, server: Server) -> None:
    with Server(tmp_path) as closed:
        base = closed.base
    with pytest.raises(StudioError, match=r"cannot be downloaded: the server cannot be reached"):
        import_dataset(recipe(f"{base}/x.zip"), tmp_path / "out", SILENT)


def test_a_full_disk_and_a_cancelled_download(server: Server, tmp_path: Path) -> None:
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 4))
    location = Path(f"{server.base}/{file.name}")
    with pytest.raises(Cancelled):
        source_for(location).scan(location, Listener(cancel_after=0))
    copy = web_file.cached_path(f"{server.base}/{file.name}")
    assert not copy.exists()
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full disk to try")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web_file, "transfer", _disk_full)
        with pytest.raises(DiskFullError):
            source_for(location).scan(location, SILENT)


def _disk_full(*_arguments: object) -> None:
    with Path("/dev/full").open("wb", buffering=0) as file:
        file.write(b"x")


def test_old_copies_go(server: Server, tmp_path: Path) -> None:
    old = tmp_path / "cache" / "downloads" / "old"
    old.mkdir(parents=True)
    os.utime(old, (1_000_000_000, 1_000_000_000))
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 2))
    location = Path(f"{server.base}/{file.name}")
    source_for(location).scan(location, SILENT)
    assert not old.exists()


@pytest.fixture
def inside(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that counts as one of the local network, while `server` counts as public."""
    try:
        inside = Server(tmp_path / "web", "127.0.0.2")
    except OSError:
        pytest.skip("this system has one address of its own only")
    monkeypatch.setattr(public_network, "is_public", lambda location: location == "127.0.0.1")
    with running(inside):
        yield inside


@pytest.mark.parametrize("answers_head", [True, False])
def test_an_address_does_not_lead_into_the_local_network(
    server: Server,
    inside: Server,
    tmp_path: Path,
    answers_head: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 2))
    server.moved["/data.zip"] = f"{inside.base}/{file.name}"
    if not answers_head:
        monkeypatch.setattr(web_file, "_remote_facts", lambda *_: None)
    asked = recipe(f"{server.base}/data.zip", width=8, height=8)

    with pytest.raises(StudioError, match=r"127\.0\.0\.2 is in the local network") as caught:
        import_dataset(asked, tmp_path / "no", SILENT)
    assert caught.value.where == "source"
    assert inside.asked == []

    allowed = asked.changed(internal_addresses=True)
    assert import_dataset(allowed, tmp_path / "yes", SILENT).count == 4


def test_an_address_inside_that_the_user_typed_is_read(
    server: Server, inside: Server, tmp_path: Path
) -> None:
    file = as_zip(tmp_path / "web", pictures(["a", "b"], 2))
    inside.moved["/data.zip"] = f"/{file.name}"
    asked = recipe(f"{inside.base}/data.zip", width=8, height=8)
    assert import_dataset(asked, tmp_path / "yes", SILENT).count == 4

    # Once it has led to the internet, nothing there leads back.
    inside.moved["/away.zip"] = f"{server.base}/back.zip"
    server.moved["/back.zip"] = f"{inside.base}/{file.name}"
    with pytest.raises(StudioError, match="is in the local network"):
        import_dataset(recipe(f"{inside.base}/away.zip"), tmp_path / "no", SILENT)


class _Quiet:
    def advance(self, done: int, total: int) -> None:
        """Say nothing."""

    def check(self) -> None:
        """Continue."""


def test_nor_do_pictures_and_published_files(
    server: Server, inside: Server, tmp_path: Path
) -> None:
    server.moved["/x.png"] = f"{inside.base}/x.png"
    server.moved["/ftp.png"] = "ftp://127.0.0.1/x.png"
    with pytest.raises(BadDataError, match="is in the local network"):
        web_image(f"{server.base}/x.png", 2**20, reach=Reach.TYPED)
    for name, reason in (("x.png", "is in the local network"), ("ftp.png", "redirects")):
        with pytest.raises(TransferError, match=reason):
            transfer([f"{server.base}/{name}"], tmp_path / name, "", _Quiet())
    assert inside.asked == []
