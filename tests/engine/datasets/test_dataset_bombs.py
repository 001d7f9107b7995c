"""Small files that claim, or unpack to, more than a computer has, and are refused.

Every file is scanned in a process of its own that may use little more memory than it starts with.
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from helpers.processes import run_python
from helpers.sampling import sample

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")

LABELS = np.arange(1000) % 2
SCAN = """
import resource, sys
from pathlib import Path
import h5py, numpy
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import close_reading
from studio.engine.errors import StudioError, BadDataError
from studio.engine.progress import SilentProgress
try:
    import pyarrow.parquet
except ImportError:
    pass
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 900 * 2**20,) * 2)
path = Path(sys.argv[1])
source = source_for(path)
try:
    scan = source.scan(path, SilentProgress())
    found = source.read(path, scan.items)
    for _, fetch in found:
        try:
            fetch()
        except (BadDataError, OSError) as error:
            print(error)
    close_reading(found)
    print(len(scan.items), [problem.reason for problem in scan.problems][:3])
except (StudioError, OSError) as error:
    print("refused:", error)
"""


def unallocated(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        file["y"] = LABELS
        file.create_dataset("x", (1000, 4096, 4096, 3), "f8", chunks=(1, 64, 64, 3))
    return "in.h5"


def one_gzip_chunk(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        file["y"] = LABELS
        x = file.create_dataset("x", (1000, 64, 64, 3), "u1", chunks=(1000, 64, 64, 3), **GZIP)
        x.id.write_direct_chunk((0, 0, 0, 0), squeezed(1600))
    return "in.h5"


def claimed_chunk(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        file["y"] = LABELS[:2]
        shape = (2, 8192, 8192, 3)
        x = file.create_dataset("x", shape, "u1", chunks=(2, 8192, 8192, 3), **GZIP)
        x.id.write_direct_chunk((0, 0, 0, 0), squeezed(2 * 8192 * 8192 * 3 // 2**20))
    return "in.h5"


def packed_labels(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        file["x"] = np.random.default_rng(0).integers(0, 256, (1000, 8, 8, 3), np.uint8)
        y = file.create_dataset("y", (1000,), "S2000000", chunks=(1,), **GZIP)
        y.id.write_direct_chunk((0,), zlib.compress(b"a" * 2_000_000))
    return "in.h5"


def repeated_text(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        file["x"] = np.random.default_rng(0).integers(0, 256, (6000, 2, 2, 3), np.uint8)
        y = file.create_dataset("y", (6000,), h5py.string_dtype())
        y[0] = "a" * 1_000_000
        offset = y.id.get_offset()
    whole = bytearray((path / "in.h5").read_bytes())
    reference = whole[offset : offset + 16]
    whole[offset : offset + 16 * 6000] = reference * 6000
    (path / "in.h5").write_bytes(whole)
    return "in.h5"


def many_rows(path: Path) -> str:
    with h5py.File(path / "in.h5", "w") as file:
        for name, shape in (("x", (15_000_000, 1, 1)), ("y", (15_000_000,))):
            file.create_dataset(name, shape, "i1", chunks=(1_000_000, *shape[1:]), **GZIP)
            file[name][0] = 1
    return "in.h5"


def npz_header(path: Path) -> str:
    header = b"\x93NUMPY\x02\x00" + (1000 * 2**20).to_bytes(4, "little")
    with (
        zipfile.ZipFile(path / "in.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w") as file,
    ):
        file.write(header)
        for _ in range(1000):
            file.write(bytes(2**20))
    return "in.npz"


def npz_bzip2(path: Path) -> str:
    np_bytes = io.BytesIO()
    np.save(np_bytes, np.zeros((1000, 1000, 1000), np.uint8))
    with zipfile.ZipFile(path / "in.npz", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("x.npy", np_bytes.getvalue())
        np_bytes = io.BytesIO()
        np.save(np_bytes, LABELS)
        archive.writestr("y.npy", np_bytes.getvalue())
    return "in.npz"


def long_name(path: Path) -> str:
    return tar_with(path, tarfile.GNUTYPE_LONGNAME)


def pax_header(path: Path) -> str:
    return tar_with(path, tarfile.XHDTYPE)


def global_pax_headers(path: Path) -> str:
    entry = tarfile.TarInfo("pax")
    entry.type = tarfile.XGLTYPE
    with gzip.open(path / "in.tar.gz", "wb", 1) as file:
        for number in range(1500):
            text = b"1048500 key%06d=" % number
            data = text.ljust(1_048_499, b"a") + b"\n"
            entry.size = len(data)
            file.write(entry.tobuf())
            file.write(data.ljust(-(-len(data) // 512) * 512, b"\0"))
    return "in.tar.gz"


def tar_with(path: Path, kind: bytes) -> str:
    entry = tarfile.TarInfo("././@LongLink")
    entry.type, entry.size = kind, 1500 * 2**20
    with gzip.open(path / "in.tar.gz", "wb", 1) as file:
        file.write(entry.tobuf())
        for _ in range(1500):
            file.write(b"a" * 2**20)
    return "in.tar.gz"


def parquet_labels(path: Path) -> str:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    labels = pa.DictionaryArray.from_arrays(pa.array([0] * 6000), pa.array(["a" * 1_000_000]))
    images = pa.array([{"bytes": b"x"}] * 6000)
    table = pa.table({"image": images, "label": labels})
    pq.write_table(table, path / "in.parquet", compression="zstd")
    return "in.parquet"


def parquet_images(path: Path) -> str:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    words = pa.array([b"\0" * 50_000_000])
    images = pa.DictionaryArray.from_arrays(pa.array([0] * 60), words)
    table = pa.table({"image": images, "label": ["a", "b"] * 30})
    pq.write_table(table, path / "in.parquet", compression="zstd", store_schema=False)
    return "in.parquet"


GZIP = {"compression": "gzip"}


def squeezed(megabytes: int) -> bytes:
    packer = zlib.compressobj(1)
    parts = [packer.compress(bytes(2**20)) for _ in range(megabytes)]
    return b"".join(parts) + packer.flush()


BOMBS: dict[Callable[[Path], str], str] = {
    unallocated: "claims",
    one_gzip_chunk: "unpacks to far more",
    claimed_chunk: "chunks of more than 256 MB",
    packed_labels: "longer than 1,000 characters",
    repeated_text: "too long",
    many_rows: "more than a file of its size",
    npz_header: "header of an array is too large",
    npz_bzip2: "has a compression that NumPy does not use",
    long_name: "damaged or truncated",
    pax_header: "damaged or truncated",
    global_pax_headers: "damaged or truncated",
    parquet_labels: "longer than 1,000 characters",
    parquet_images: "60 []",
}


@pytest.mark.slow
@pytest.mark.parametrize("make", sample(BOMBS, 4), ids=lambda make: make.__name__)
def test_a_small_file_does_not_take_the_memory(
    tmp_path: Path, make: Callable[[Path], str]
) -> None:
    path = tmp_path / make(tmp_path)
    assert path.stat().st_size < 20_000_000

    done = run_python(SCAN, str(path))

    assert done.returncode == 0, done.stderr[-2000:]
    assert BOMBS[make] in done.stdout
