from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from dataset_pictures import Listener, noise_png, recipe
from hypothesis import given
from hypothesis import strategies as st
from source_cases import as_tar, as_zip, pictures

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.base import Scan, SourceImage
from studio.engine.datasets.sources.shared import members as members_module
from studio.engine.datasets.sources.shared.members import refusal
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.progress import SilentProgress

SOURCE = ArchiveSource()


def tar_of(path: Path, names: dict[str, bytes], *links: tuple[str, str, bytes]) -> Path:
    """A tar of files, and of links: name, target, and kind."""
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        for name, target, kind in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, target
            archive.addfile(entry)
        for name, data in names.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def zip_of(path: Path, names: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in names.items():
            archive.writestr(name, data)
    return path


GOOD = {"a/1.png": noise_png(1), "b/1.png": noise_png(2)}
EVIL = {
    "../outside.png": "points outside",
    "a/../../outside.png": "points outside",
    "/tmp/absolute.png": "absolute",
    "C:\\absolute.png": "absolute",
    "a\\..\\..\\x.png": "points outside",
}


def reasons(found: Scan) -> dict[str, str]:
    return {entry.path: entry.reason for entry in found.problems}


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_names_that_lead_out_are_lines_of_the_report(tmp_path: Path, kind: str) -> None:
    make = zip_of if kind == "zip" else tar_of
    path = make(tmp_path / f"x.{kind}", {**dict.fromkeys(EVIL, noise_png(3)), **GOOD})
    before = sorted(tmp_path.parent.rglob("*.png"))
    summary = import_dataset(recipe(path), tmp_path / "out", SilentProgress())
    assert summary.count == 2
    listed = {entry.path: entry.reason for entry in summary.skipped}
    assert set(listed) == set(EVIL)
    assert all(reason in listed[name] for name, reason in EVIL.items())
    assert sorted(tmp_path.parent.rglob("*.png")) == before


@pytest.mark.parametrize("name", [*EVIL, "..", "/", "c:/x", "a/\0.png", "a/\udcff.png"])
def test_refused_names(name: str) -> None:
    assert refusal(name)


def test_good_names_are_not_refused() -> None:
    assert not any(
        refusal(name) for name in ["a/b.png", "a..b/c...png", "größe/日本.png", "a:b/c"]
    )


def test_links_are_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(noise_png(9))
    path = tar_of(
        tmp_path / "x.tar",
        GOOD,
        ("a/outside.png", str(secret), tarfile.SYMTYPE),
        ("a/up.png", "../../secret.png", tarfile.SYMTYPE),
        ("a/inside.png", "1.png", tarfile.SYMTYPE),
        ("a/hard.png", "/etc/passwd", tarfile.LNKTYPE),
        ("a/pipe.png", "", tarfile.FIFOTYPE),
    )
    found = SOURCE.scan(path, Listener())
    assert [item.key for item in found.items] == ["a/1.png", "b/1.png"]
    listed = reasons(found)
    assert "points outside" in listed["a/outside.png"]
    assert "points outside" in listed["a/up.png"]
    assert "points outside" in listed["a/hard.png"]
    assert "not followed" in listed["a/inside.png"]
    assert listed["a/pipe.png"] == "not a regular file"


def test_a_zip_with_backslashes_has_folders(tmp_path: Path) -> None:
    names = {f"set\\{name}\\1.png": noise_png(at) for at, name in enumerate("ab")}
    path = zip_of(tmp_path / "x.zip", names)

    import_dataset(recipe(path), tmp_path / "out", SilentProgress())

    assert Store.open(tmp_path / "out").paths == ["set/a/1.png", "set/b/1.png"]


@pytest.mark.parametrize(
    ("encoding", "word", "read_as"),
    [("utf-8", "maçã", ""), ("cp850", "limão", "cp850"), ("cp437", "müll", "cp437")],
)
def test_names_without_the_mark_of_utf_8(
    tmp_path: Path, encoding: str, word: str, read_as: str
) -> None:
    raw = word.encode(encoding)
    stand_in = "Q" * len(raw)
    path = zip_of(tmp_path / "x.zip", {f"{stand_in}/1.png": noise_png(1), "b/1.png": noise_png(2)})
    path.write_bytes(path.read_bytes().replace(stand_in.encode(), raw))

    import_dataset(recipe(path), tmp_path / "out", SilentProgress())

    assert Store.open(tmp_path / "out").classes == ["b", word]
    warnings = [str(each) for each in SOURCE.scan(path, SilentProgress()).warnings]
    expected = f"A name in the archive has an unknown encoding; it was read as {read_as}. Check "
    assert warnings == ([f"{expected}the accents in: {word}/1.png"] if read_as else [])


def test_imports_that_began_with_the_names_of_zipfile_continue(tmp_path: Path) -> None:
    raw = "maçã".encode()
    accents = zip_of(tmp_path / "x.zip", {"QQQQQQ/1.png": noise_png(1)})
    accents.write_bytes(accents.read_bytes().replace(b"QQQQQQ", raw))
    slashes = zip_of(tmp_path / "y.zip", {"a\\1.png": noise_png(1)})

    for path, key in ((accents, f"{raw.decode('cp437')}/1.png"), (slashes, "a\\1.png")):
        item = SourceImage(key, "a", None, position=0)
        assert [index for index, _ in SOURCE.read(path, [item])] == [0]


def test_links_and_locks_of_zip(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "x.zip", GOOD)
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("a/link.png")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    data = bytearray(path.read_bytes())
    first = data.index(b"PK\x01\x02")
    data[first + 8] |= 1  # says that the first entry is encrypted
    path.write_bytes(bytes(data))
    listed = reasons_of_failure(path)
    assert listed == {
        "a/1.png": "it is encrypted",
        "a/link.png": "a link; links in archives are not followed",
    }


def reasons_of_failure(path: Path) -> dict[str, str]:
    """Problems of a scan, with a second class added so that it succeeds."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("c/1.png", noise_png(5))
    return reasons(SOURCE.scan(path, Listener()))


def test_wrapping_splits_and_junk(tmp_path: Path) -> None:
    names = {
        f"top/deeper/{split}/{label}/{index}.png": noise_png(hash((split, label, index)) % 999)
        for split in ("train", "validation", "test")
        for label in ("a", "b")
        for index in range(2)
    }
    junk = {"__MACOSX/top/._1.png": b"x", "top/.DS_Store": b"x", "top/deeper/read me.txt": b"x"}
    path = zip_of(tmp_path / "x.zip", {**names, **junk})
    summary = import_dataset(recipe(path), tmp_path / "out", SilentProgress())
    assert summary.counts == {"train": 4, "val": 4, "test": 4}
    assert [entry.path for entry in summary.skipped] == ["top/deeper/read me.txt"]


@pytest.mark.parametrize("packing", ["gz", "xz", ""])
def test_cut_off_tar_keeps_what_came(tmp_path: Path, packing: str) -> None:
    path = as_tar(tmp_path, pictures(["a", "b"], 30, side=40), packing)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 4 // 5])
    summary = import_dataset(recipe(path), tmp_path / "out", SilentProgress())
    assert 40 < summary.count < 60
    assert any(
        "damaged or truncated" in e.reason and "missing" in e.reason for e in summary.skipped
    )


def test_truncated_bzip2_is_reported(tmp_path: Path) -> None:
    path = as_tar(tmp_path, pictures(["a", "b"], 5), "bz2")
    assert len(SOURCE.scan(path, Listener()).items) == 10
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(StudioError, match="truncated"):  # all of it was one block
        SOURCE.scan(path, Listener())


def test_damage_in_the_middle_is_reported(tmp_path: Path) -> None:
    path = as_tar(tmp_path, pictures(["a", "b"], 10), "")
    data = bytearray(path.read_bytes())
    with tarfile.open(path) as archive:
        offset = archive.getmembers()[14].offset
    data[offset : offset + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    found = SOURCE.scan(path, Listener())
    assert len(found.items) == 14
    assert "damaged" in reasons(found)[path.name]


def test_member_of_a_zip_that_is_damaged_is_one_line(tmp_path: Path) -> None:
    path = as_zip(tmp_path, pictures(["a", "b"], 4))
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        offset = archive.infolist()[2].header_offset
    data[offset + 60 : offset + 400] = b"\xff" * 340
    path.write_bytes(bytes(data))
    summary = import_dataset(recipe(path), tmp_path / "out", SilentProgress())
    assert summary.count == 7
    assert "damaged" in summary.skipped[0].reason


def test_invalid_archive(tmp_path: Path) -> None:
    for name in ("x.zip", "x.tar.gz", "x.tar", "x.tar.xz"):
        for data in (b"", b"hello", b"PK\x03\x04 nothing", b"\x1f\x8b nothing", bytes(600)):
            path = tmp_path / name
            path.write_bytes(data)
            with pytest.raises(StudioError) as caught:
                SOURCE.scan(path, Listener())
            assert caught.value.hint


def test_bomb_of_many_zeros_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_module, "HARMLESS_SIZE", 2**20)
    path = tmp_path / "x.tar.gz"
    tar_of(path, {**GOOD, **{f"a/{i}.bmp": bytes(2**20) for i in range(40)}})
    assert path.stat().st_size < 100_000
    with pytest.raises(StudioError, match="bomb"):
        SOURCE.scan(path, Listener())


def test_zip_that_claims_terabytes_is_refused(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "x.zip", {f"a/{i}.png": b"x" for i in range(30)})
    data = bytearray(path.read_bytes())
    offset = 0
    while (offset := data.find(b"PK\x01\x02", offset)) >= 0:
        data[offset + 24 : offset + 28] = struct.pack("<I", 2**29)
        offset += 4
    path.write_bytes(bytes(data))
    with pytest.raises(StudioError, match="bomb"):
        SOURCE.scan(path, Listener())


def test_single_huge_member_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_module, "LARGEST_FILE", 5000)
    for name, make in (("x.zip", zip_of), ("x.tar", tar_of)):
        path = make(tmp_path / name, {**GOOD, "a/huge.bmp": bytes(6000)})
        found = SOURCE.scan(path, Listener())
        assert len(found.items) == 2
        assert "larger than" in reasons(found)["a/huge.bmp"]


def test_wrong_suffix_is_read_by_its_content(tmp_path: Path) -> None:
    path = as_tar(tmp_path, pictures(["a", "b"], 2), "xz").rename(tmp_path / "x.tar.gz")
    assert len(SOURCE.scan(path, Listener()).items) == 4


@given(
    st.sampled_from(["zip", "", "gz", "xz"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6),
    st.floats(0, 1),
)
def test_any_damage_is_a_line_or_an_error(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    changes: list[tuple[float, int]],
    stored: float,
) -> None:
    root = tmp_path_factory.mktemp("damage")
    images = pictures(["a", "b"], 3)
    path = as_zip(root, images) if kind == "zip" else as_tar(root, images, kind)
    data = bytearray(path.read_bytes())
    data = data[: int(len(data) * (0.5 + stored))]
    for index, value in changes:
        data[int(index * (len(data) - 1))] = value
    path.write_bytes(bytes(data))
    try:
        summary = import_dataset(recipe(path), root / "out", SilentProgress())
    except StudioError:
        return
    assert summary.count + len(summary.skipped) >= 1
    assert sum(Store.open(root / "out").counts().values()) == summary.count


def test_slice_of_the_real_cifar_comes_through(tmp_path: Path) -> None:
    whole = Path(__file__).parents[4] / "shared" / "data" / "cifar10.tar.xz"
    if not whole.exists():
        pytest.skip("the real CIFAR-10 is not at hand")
    path = tmp_path / "slice.tar.xz"
    with tarfile.open(whole) as archive, tarfile.open(path, "w:xz") as part:
        for number, member in enumerate(archive):
            if member.isfile() and number % 40 == 3:
                part.addfile(member, archive.extractfile(member))
            if number > 12_000:
                break
    found = SOURCE.scan(path, Listener())
    assert found.problems == []
    assert len(found.items) > 290
    summary = import_dataset(recipe(path, width=32, height=32), tmp_path / "out", SilentProgress())
    assert summary.count == len(found.items)
