"""How fast pictures are imported: 2,000 JPEG of 1024x768 to 224x224.

Three ways, in turns, on the same files, each in a fresh process: the whole of `import_dataset`
(find, decode, resize, write to the disk, split); a plain loop of Pillow on one core (open,
convert, resize, keep the array); and the ceiling, which is decoding alone on all cores, shrunk by
the decoder as far as the size allows, with nothing resized or kept. Prints images per second,
processor time per image, and the ratios of each turn with their medians. Aim: at least 4 times
the loop, 0.8 of the ceiling.

Depending on the C library's allocator, the loop may return every picture's memory and reserve it
again for the next one; it then takes 1.7 times as long. Here it must keep its memory.

Where other work shares the machine, trust the ratios of processor time: what the import would be
with every core to itself.

The same pictures with 8 and with 16 bits, as gray PNG and as TIFF in color, are imported in turns
as well. Aim: at most 1.3 times the processor time for a stored byte with 16 bits. Another checkout
that `--against` names takes turns with this one: how much slower bytes became.

    python tests/benchmarks/import_speed.py [--count 2000] [--turns 3] [--against CHECKOUT]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import tifffile
from PIL import Image, ImageFilter

from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress

WIDTH, HEIGHT, SIDE = 1024, 768, 224
LOOP = Path(__file__).with_name("pillow_loop.py")
_LARGE = str(2**30)
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": _LARGE, "MALLOC_MMAP_THRESHOLD_": _LARGE}


def write_pictures(folder: Path, count: int) -> list[Path]:
    """Class folders of photograph-like JPEG files, 50 different ones, about 175 KB each."""
    different = [photograph(seed) for seed in range(min(50, count))]
    paths = []
    for index in range(count):
        path = folder / f"class {index % 10}" / f"{index:05}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(different[index % 50])
        paths.append(path)
    return paths


def photograph(seed: int) -> bytes:
    """Large shapes and some grain, as a JPEG file."""
    generator = np.random.default_rng(seed)
    coarse = generator.integers(0, 256, (24, 32, 3), np.uint8)
    image = Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    grain = generator.normal(0, 14, (HEIGHT // 2, WIDTH // 2, 3))
    fine = np.asarray(
        Image.fromarray((grain + 128).clip(0, 255).astype(np.uint8))
        .resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
        .filter(ImageFilter.GaussianBlur(0.6)),
        np.int16,
    )
    pixels = (np.asarray(image, np.int16) + fine - 128).clip(0, 255).astype(np.uint8)
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def ceiling(paths: Sequence[Path]) -> None:
    """Decode on all cores and throw it away."""

    def decode(path: Path) -> None:
        with Image.open(path) as image:
            image.draft("RGB", (SIDE, SIDE))
            image.load()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(decode, paths):
            pass


@dataclass(frozen=True)
class ImportSpeed:
    """How fast something was.

    Attributes:
        rate: Images per second.
        milliseconds: Processor time per image, on all cores together.
    """

    rate: float
    milliseconds: float


def measured(what: str, folder: Path) -> ImportSpeed:
    """Do one of the ways here and now."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    ways: dict[str, Callable[[], object]] = {
        "import": partial(imported, folder),
        "ceiling": partial(ceiling, paths),
    }
    start, used = time.perf_counter(), time.process_time()
    ways[what]()
    used = time.process_time() - used
    rate = len(paths) / (time.perf_counter() - start)
    return ImportSpeed(rate, used / len(paths) * 1000)


def imported(folder: Path) -> None:
    recipe = DatasetRecipe(source=str(folder), width=SIDE, height=SIDE)
    with tempfile.TemporaryDirectory(dir=folder.parent) as out:
        import_dataset(recipe, Path(out), SilentProgress())


def in_a_process(words: Sequence[str], environment: Mapping[str, str] = {}) -> ImportSpeed:
    done = subprocess.run(
        [sys.executable, *words],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
    )
    return ImportSpeed(**json.loads(done.stdout))


def turn(folder: Path) -> dict[str, float]:
    """Every way once; prints them, and gives the ratios."""
    by_hand = [str(LOOP), str(folder), str(SIDE)]
    loop = in_a_process(by_hand, KEEP_MEMORY)
    studio = in_a_process([__file__, "import", str(folder)])
    best = in_a_process([__file__, "ceiling", str(folder)])
    cores = os.cpu_count() or 1
    for name, it in (("import", studio), ("loop", loop), ("ceiling", best)):
        print(
            f"{name}: {it.rate:,.0f} images/s, {it.milliseconds:.2f} ms of processor each",
            flush=True,
        )
    return {
        "times the loop": studio.rate / loop.rate,
        "of the ceiling": studio.rate / best.rate,
        "times the loop, by processor time": loop.milliseconds / studio.milliseconds * cores,
        "of the ceiling, by processor time": best.milliseconds / studio.milliseconds,
    }


DEPTHS = {"uint8": 8, "uint16": 16}
KINDS = ("gray png", "color tif")


def write_depths(root: Path, count: int) -> None:
    """The same noisy pictures with 8 and with 16 bits: a folder for each kind and type."""
    generator = np.random.default_rng(0)
    for number in range(count):
        coarse = generator.integers(0, 256, (8, 8, 3), np.uint8)
        large = Image.fromarray(coarse).resize((2 * SIDE, 2 * SIDE), Image.Resampling.BICUBIC)
        exact = np.asarray(large, np.uint16) * 256
        exact += generator.integers(0, 256, exact.shape, np.uint16)
        for dtype, bits in DEPTHS.items():
            image = (exact >> (16 - bits)).astype(dtype)
            for kind in KINDS:
                ending = kind.split()[1]
                path = root / f"{kind} {dtype}" / f"class {number % 10}" / f"{number:05}.{ending}"
                path.parent.mkdir(parents=True, exist_ok=True)
                if ending == "png":
                    Image.fromarray(image[..., 0]).save(path, compress_level=1)
                else:
                    tifffile.imwrite(path, image, photometric="rgb")


def depth_turn(root: Path, number: int) -> dict[str, float]:
    """Import each kind with both types once; who goes first alternates."""
    found = {}
    for kind in KINDS:
        order = list(DEPTHS) if number % 2 else list(reversed(DEPTHS))
        spent = {
            dtype: in_a_process([__file__, "import", str(root / f"{kind} {dtype}")]).milliseconds
            for dtype in order
        }
        listed = ", ".join(f"{dtype} {spent[dtype]:.2f} ms" for dtype in DEPTHS)
        print(f"{kind}: {listed} of processor each", flush=True)
        bytes_of_uint8 = DEPTHS["uint16"] / DEPTHS["uint8"]
        ratio = spent["uint16"] / spent["uint8"] / bytes_of_uint8
        found[f"times for a byte with 16 bits, {kind}"] = ratio
    return found


def against_turn(folders: Sequence[Path], checkout: str, number: int) -> dict[str, float]:
    """Import bytes with this checkout and with another one; who goes first alternates."""
    found = {}
    for folder in folders:
        here = {"PYTHONPATH": str(Path(__file__).parents[2])}
        other = {"PYTHONPATH": str(Path(checkout).resolve())}
        order = [here, other] if number % 2 else [other, here]
        spent = {
            each["PYTHONPATH"]: in_a_process([__file__, "import", str(folder)], each).milliseconds
            for each in order
        }
        ratio = spent[here["PYTHONPATH"]] / spent[other["PYTHONPATH"]]
        found[f"times the other checkout, {folder.name}"] = ratio
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--against", help="another checkout of Studio")
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "pictures"
        paths = write_pictures(folder, options.count)
        size = statistics.mean(path.stat().st_size for path in paths) / 1024
        print(f"{len(paths)} files of {size:.0f} KB on average")
        deep = Path(name) / "depths"
        write_depths(deep, options.count // 4)
        turns = [turn(folder) | depth_turn(deep, number) for number in range(options.turns)]
        if options.against:
            folders = [folder, *(deep / f"{kind} uint8" for kind in KINDS)]
            for number, ratios in enumerate(turns):
                ratios.update(against_turn(folders, options.against, number))
    for ratio in turns[0]:
        values = [ratios[ratio] for ratios in turns]
        listed = ", ".join(f"{value:.2f}" for value in values)
        print(f"{statistics.median(values):.2f} {ratio} (median of {listed})")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in {"import", "ceiling"}:
        print(json.dumps(asdict(measured(sys.argv[1], Path(sys.argv[2])))))
    else:
        main()
