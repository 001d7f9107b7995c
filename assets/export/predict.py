"""Ask the model in this folder about pictures.

    python predict.py PICTURE [PICTURE ...] [--top 5] [--json]
    python predict.py --self-test

What it needs stands in README.md. Made by Studio; works without it.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import runtime

CARD = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
IMAGE = CARD["image"]
SIZE = (IMAGE["width"], IMAGE["height"])
MODE = "L" if IMAGE["color"] == "gray" else "RGB"
TOLERANCE = 0.01
BACKGROUND = tuple(int(IMAGE["background"].lstrip("#")[i : i + 2], 16) for i in (0, 2, 4))


def place(length, target, scale):
    """Start and end of the part of one side that is kept, its new length, and where it goes."""
    content = min(target, max(1, round(length * scale)))
    kept = min(float(length), target / scale)
    start = (length - kept) / 2
    return start, start + kept, content, (target - content) // 2


def placements(full):
    """The same for width and height, as the pictures of the training were fitted."""
    ratios = (SIZE[0] / full[0], SIZE[1] / full[1])
    scale = {"crop": max(ratios), "fill": min(ratios), "half_crop": sum(ratios) / 2}
    if IMAGE["resize"] == "squash":
        return [(0.0, float(full[i]), SIZE[i], 0) for i in (0, 1)]
    return [place(full[i], SIZE[i], scale[IMAGE["resize"]]) for i in (0, 1)]


def eight_bits(values):
    """16-bit gray is divided by 257; anything else without a known scale is stretched."""
    exact = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(exact.min()), float(exact.max())
    fraction = np.issubdtype(values.dtype, np.floating)
    if low >= 0 and high <= (1 if fraction else 65535):
        low, high = 0.0, 1.0 if fraction else 65535.0
    scaled = (exact - low) * (255 / (high - low) if high > low else 0.0)
    return np.rint(scaled).astype(np.uint8)


def load(path):
    """A picture as the array that the model takes: uint8, height x width x channels."""
    with Image.open(path) as image:
        full = image.size
        if image.format in ("JPEG", "MPO"):  # let the decoder shrink, as the training did
            sideways = image.getexif().get(0x0112, 1) >= 5
            full = full[::-1] if sideways else full
            (left, right, width, _), (top, bottom, height, _) = placements(full)
            needed = (
                math.ceil(full[0] * width / (right - left)),
                math.ceil(full[1] * height / (bottom - top)),
            )
            image.draft(MODE, needed[::-1] if sideways else needed)
        image.load()
        upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith(("I", "F")):
        upright = Image.fromarray(eight_bits(np.asarray(upright)))
    if upright.has_transparency_data:
        behind = Image.new("RGBA", upright.size, (*BACKGROUND, 255))
        upright = Image.alpha_composite(behind, upright.convert("RGBA"))
    if upright.mode not in ("1", "L", "RGB"):
        upright = upright.convert("RGB")
    flat = upright.convert(MODE)
    if image.format not in ("JPEG", "MPO"):
        full = flat.size
    (left, right, width, x), (top, bottom, height, y) = placements(full)
    across, down = flat.width / full[0], flat.height / full[1]
    box = (
        left * across,
        top * down,
        min(right * across, flat.width),
        min(bottom * down, flat.height),
    )
    content = flat.resize((width, height), Image.Resampling.BILINEAR, box=box)
    if IMAGE.get("border") == "reflect":
        around = [(y, SIZE[1] - y - height), (x, SIZE[0] - x - width), (0, 0)]
        pixels = np.asarray(content)
        canvas = np.pad(pixels, around[: pixels.ndim], mode="symmetric")
    else:
        canvas = Image.new("RGB", SIZE, BACKGROUND).convert(MODE)
        canvas.paste(content, (x, y))
    return np.asarray(canvas, dtype=np.uint8).reshape(SIZE[1], SIZE[0], -1)


def scores_of(pictures):
    """Scores of pictures, by the model of this folder."""
    model = runtime.load(HERE / CARD["model"])
    # One by one: pictures may be many, and some runtimes prepare again for every batch size.
    return [np.asarray(model(load(path)[None]))[0] for path in pictures]


def described(row, top):
    """The answer for a picture, as data and as lines."""
    names, calibration = CARD["classes"], CARD.get("calibration") or {}
    thresholds, margins = calibration.get("thresholds"), calibration.get("margins")
    if CARD.get("answers") == "numbers":
        data, lines = {"values": {}, "units": {}, "intervals": {}}, []
        for i, name in enumerate(names):
            unit = CARD["units"][i] if CARD.get("units") else ""
            data["values"][name] = value = float(row[i])
            line = f"  {value:10.4g} {unit}  {name}"
            if unit:
                data["units"][name] = unit
            if margins:
                data["intervals"][name] = [value - margins[i], value + margins[i]]
                line += f"  ({value - margins[i]:.4g} to {value + margins[i]:.4g})"
            lines.append(line)
        return {key: found for key, found in data.items() if found}, lines
    given = row >= thresholds if thresholds else np.zeros(len(row), bool)
    order = np.argsort(-row, kind="stable")
    best = [i for place, i in enumerate(order) if place < top or given[i]]
    data = {"predictions": [{"class": names[i], "score": float(row[i])} for i in best]}
    if thresholds:
        data["labels"] = [name for i, name in enumerate(names) if given[i]]
    lines = [f"  {float(row[i]):7.1%}  {names[i]}{' *' if given[i] else ''}" for i in best]
    return data, lines


def self_test():
    """Compare the outputs for the example with those measured when this was exported."""
    expected = np.array(CARD["self_test"]["scores"])
    given = scores_of([HERE / CARD["self_test"]["image"]])[0]
    scales = np.array(CARD["scales"] or [1.0])
    passed = np.isclose(given, expected, rtol=1e-6, atol=TOLERANCE * scales).all()
    worst = float((np.abs(given - expected) / scales).max())
    told = "passed" if passed else "FAILED"
    unit = " standard deviations" if CARD["scales"] else ""
    print(f"Self-test {told} with {runtime.NAME}: outputs differ by up to {worst:.2g}{unit}.")
    return 0 if passed else 1


def main():
    parser = argparse.ArgumentParser(description="Ask the exported model about pictures.")
    parser.add_argument("pictures", nargs="*", help="paths of pictures")
    parser.add_argument("--top", type=int, default=5, help="how many classes or labels to show")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--self-test", action="store_true", help="check model and runtime")
    words = parser.parse_args()
    if words.self_test:
        return self_test()
    if not words.pictures:
        parser.error("name at least one picture, or --self-test")
    rows = zip(words.pictures, scores_of(words.pictures))
    answers = [(path, *described(row, words.top)) for path, row in rows]
    if words.json:
        print(json.dumps([{"image": path, **data} for path, data, _ in answers]))
        return 0
    for path, _, lines in answers:
        print(path, *lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
