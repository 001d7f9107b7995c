"""Ask the model in this folder about pictures.

    python predict.py PICTURE [PICTURE ...] [--top 5] [--json] [--to FOLDER] [--threshold 0.5]
    python predict.py --self-test

What it needs stands in README.md. Made by Studio; works without it.

A picture that cannot be read is reported on standard error, and the others are answered. The exit
code is 0 if every picture was answered, 1 if one was not or the self-test failed, 2 for a wrong
command line.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageOps

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pixels
import runtime

CARD = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
KIND = CARD.get("output", "vector")
HAS_OUTLINES = KIND in ("stars", "object_masks")
IMAGE = CARD["image"]
SIZE = (IMAGE["width"], IMAGE["height"])
REFERENCE = CARD.get("reference")
PIXELS = IMAGE.get("pixels")
IS_GRAY = IMAGE["color"] == "gray" if PIXELS is None else PIXELS["channels"] == 1
MODE = "L" if IS_GRAY else "RGB"
IS_PLAIN = PIXELS is None or (
    PIXELS["dtype"] == "uint8"
    and (PIXELS["channels"] == 1 or (PIXELS["channels"] == 3 and not PIXELS["names"]))
)
PLANES = IMAGE.get("planes", "first")
if KIND == "boxes":
    import boxes
elif KIND == "stars":
    import stars as boxes
elif KIND == "object_masks":
    import masks as boxes
if CARD.get("conversion"):
    import conversion
if REFERENCE:
    import unlike
TOLERANCE = 0.01
SCORE = 5
UNSEEN = 255
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


class PictureError(Exception):
    """A picture that cannot be read, or whose files cannot be written."""


def reason_of(error):
    """What an error says, in one line."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__


def is_example(path):
    """True for the example of this folder, which is already as the model takes it."""
    return Path(path).resolve().parent == HERE and Path(path).stem == "example"


class Converted:
    """A picture that is already as the model takes it."""

    def __init__(self, path):
        if Path(path).suffix == ".npy":
            values = np.load(path, allow_pickle=False)
        else:
            with Image.open(path, formats=("PNG",)) as image:
                values = np.asarray(image)
        self.values = values.reshape(SIZE[1], SIZE[0], -1)


def opened(path, shrinks=True):
    """A picture, upright and without transparency, and its full size."""
    try:
        if is_example(path):
            return Converted(path), SIZE
        if not IS_PLAIN:
            values = pixels.opened(path, IMAGE)
            return values, (values.shape[1], values.shape[0])
        return decoded(path, shrinks)
    except Exception as error:  # decoders raise anything for a damaged picture
        raise PictureError(f"cannot be read: {reason_of(error)}") from error


def decoded(path, shrinks):
    """The same; raises whatever the decoder of the picture does."""
    if PLANES != "first" or pixels.needs_reader(path):
        values, has_alpha = pixels.read(path, {**IMAGE, "planes": PLANES})
        pixels.colors_of(values, has_alpha)
        values = pixels.of_trained_type(path, values, np.uint8)
        if values.shape[2] > 1 and values.dtype != np.uint8:
            values = eight_bits(values)
        flat = flattened(Image.fromarray(values[..., 0] if values.shape[2] == 1 else values))
        return flat, flat.size
    with Image.open(path, formats=IMAGE["formats"]) as image:
        full = image.size
        is_jpeg = image.format in ("JPEG", "MPO")
        if is_jpeg and shrinks:  # let the decoder shrink, as the training did
            sideways = image.getexif().get(0x0112, 1) >= 5
            full = full[::-1] if sideways else full
            (left, right, width, _), (top, bottom, height, _) = placements(full)
            needed = (
                math.ceil(full[0] * width / (right - left)),
                math.ceil(full[1] * height / (bottom - top)),
            )
            image.draft(MODE, needed[::-1] if sideways else needed)
        image.load()
        flat = flattened(ImageOps.exif_transpose(image))
    return flat, full if is_jpeg and shrinks else flat.size


def flattened(upright):
    """A picture in gray or color of 8 bits, without transparency."""
    if upright.mode.startswith(("I", "F")):
        upright = Image.fromarray(eight_bits(np.asarray(upright)))
    if upright.has_transparency_data:
        behind = Image.new("RGBA", upright.size, (*BACKGROUND, 255))
        upright = Image.alpha_composite(behind, upright.convert("RGBA"))
    if upright.mode not in ("1", "L", "RGB"):
        upright = upright.convert("RGB")
    return upright.convert(MODE)


MEASURED = []


def fitted(flat, full):
    """A picture as the array that the model takes: height x width x channels."""
    if isinstance(flat, Converted):
        image = flat.values
    elif IS_PLAIN:
        image = fitted_bytes(flat, full)
    else:
        image = pixels.fitted(flat, placements(full), SIZE, IMAGE)
    if REFERENCE:
        MEASURED.append((unlike.statistics(scaled(image)), full))
    return image


def scaled(image):
    """An image on the scale from 0 to 255."""
    is_scaled = PIXELS is None or IMAGE["bit_depth"] == "8"
    return image if is_scaled else pixels.on_scale(image, PIXELS)


def tile_of(flat, left, top, side):
    """A square part of a picture; what lies outside is background."""
    if not IS_PLAIN:
        return pixels.cut(flat, left, top, side, IMAGE)
    tile = Image.new("RGB", (side, side), BACKGROUND).convert(MODE)
    box = (left, top, min(left + side, flat.width), min(top + side, flat.height))
    tile.paste(flat.crop(box))
    return tile


def fitted_bytes(flat, full):
    """The same for pictures of 8 bits."""
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


def scores_of(model, path):
    """Scores of a picture; of masks a map of scores, height x width x classes; of boxes a row
    for each position: scores of the classes, and distances to the sides; or a row for each box;
    of outlines the same for a grid of positions."""
    # One by one: pictures may be many, and some runtimes prepare again for every batch size.
    return np.asarray(model(fitted(*opened(path))[None]))[0]


def resized(maps, size):
    """Maps at another size, blended in between."""
    if size == (maps.shape[1], maps.shape[0]):
        return maps
    planes = [Image.fromarray(np.ascontiguousarray(each)) for each in np.moveaxis(maps, 2, 0)]
    enlarged = [np.asarray(each.resize(size, Image.Resampling.BILINEAR)) for each in planes]
    return np.stack(enlarged, axis=-1)


def mask_of_whole(model, path):
    """The class of each pixel of a picture that is fitted as a whole; 255 where it is cut off."""
    flat, full = opened(path)
    maps = np.asarray(model(fitted(flat, full)[None]))[0]
    (left, right, width, x), (top, bottom, height, y) = placements(full)
    inside = maps[y : y + height, x : x + width]
    left, right, top, bottom = (round(each) for each in (left, right, top, bottom))
    labels = np.full(full[::-1], UNSEEN, np.uint8)
    labels[top:bottom, left:right] = resized(inside, (right - left, bottom - top)).argmax(axis=-1)
    return labels


def starts(length, side, step):
    """Where tiles begin along one side of a picture."""
    count = 1 + max(0, math.ceil((length - side) / step))
    return [min(at * step, max(0, length - side)) for at in range(count)]


def values_of_whole(model, path):
    """The score of each pixel of a picture that is fitted as a whole, and the highest score of
    the model's own map; NaN where it is cut off."""
    flat, full = opened(path)
    maps = np.asarray(model(fitted(flat, full)[None]))[0][..., -1:]
    (left, right, width, x), (top, bottom, height, y) = placements(full)
    left, right, top, bottom = (round(each) for each in (left, right, top, bottom))
    values = np.full(full[::-1], np.nan, np.float32)
    inside = resized(maps[y : y + height, x : x + width], (right - left, bottom - top))
    values[top:bottom, left:right] = inside[..., 0]
    return values, float(maps.max())


def values_of_tiles(model, path, side):
    """The score of each pixel, from tiles that overlap, and the highest score."""
    total = blended_tiles(model, path, side)
    values = total[..., -2] / total[..., -1]
    return values, float(values.max())


def mask_of_tiles(model, path, side):
    """The class of each pixel, from tiles that overlap."""
    return blended_tiles(model, path, side)[..., :-1].argmax(axis=-1).astype(np.uint8)


def blended_tiles(model, path, side):
    """The sums of the outputs of overlapping tiles, each weighted less near its own border, and
    the sum of the weights."""
    flat, (across, down) = opened(path, shrinks=False)
    step = side - min(max(IMAGE["tile_overlap"], side // 4), side // 2)
    ramp = np.minimum(np.arange(side) + 0.5, side - np.arange(side) - 0.5)
    weights = np.sin(np.pi / 2 * np.minimum(ramp / (side / 4), 1.0)).astype(np.float32) ** 2
    plane = (weights[:, None] * weights)[..., None]
    total = np.zeros((max(down, side), max(across, side), len(CARD["classes"]) + 1), np.float32)
    for top in starts(down, side, step):
        for left in starts(across, side, step):
            tile = tile_of(flat, left, top, side)
            maps = np.asarray(model(fitted(tile, (side, side))[None]))[0]
            weighted = np.concatenate([resized(maps, (side, side)) * plane, plane], axis=-1)
            total[top : top + side, left : left + side] += weighted
    return total[:down, :across]


def found(model, image):
    """The boxes in an image as the model takes it: its own, or made of its outputs."""
    outputs = np.asarray(model(image[None]))[0]
    if CARD.get("decoded"):
        return outputs[outputs[:, 0] >= 0]
    return boxes.found(outputs, SIZE[1], SIZE[0])


def boxes_of_whole(model, path):
    """The boxes in a picture that is fitted as a whole, and the size of the picture."""
    flat, full = opened(path)
    rows = found(model, fitted(flat, full))
    (left, right, width, x), (top, bottom, height, y) = placements(full)
    scale = (right - left) / width, (bottom - top) / height
    corner = left - x * scale[0], top - y * scale[1]
    return boxes.moved(rows, scale, corner, (left, top, right, bottom)), full


def boxes_of_tiles(model, path, side):
    """The boxes in all tiles of a picture, joined, and the size of the picture."""
    flat, (across, down) = opened(path, shrinks=False)
    step = side - min(max(IMAGE["tile_overlap"], side // 4), side // 2)
    parts, tiles, scale = [], [], (side / SIZE[0], side / SIZE[1])
    for top in starts(down, side, step):
        for left in starts(across, side, step):
            rows = found(model, fitted(tile_of(flat, left, top, side), (side, side)))
            parts.append(boxes.moved(rows, scale, (left, top), (0, 0, across, down)))
            tiles.append((left, top, left + side, top + side))
    return boxes.merged(parts, tiles, (across, down)), (across, down)


def described_boxes(rows, threshold):
    """The objects of a picture, as data and as lines."""
    names, tuned = CARD["classes"], CARD["calibration"]["thresholds"]
    limits = [tuned[int(label)] if threshold is None else threshold for label in rows[:, 0]]
    rows = rows[rows[:, SCORE] >= np.array(limits)]
    rows, outlines = boxes.outlined(rows) if HAS_OUTLINES else (rows, [])
    data = [
        {
            "class": names[int(row[0])],
            "score": row[SCORE],
            "box": [round(each, 2) for each in row[1:5]],
        }
        for row in rows.tolist()
    ]
    for each, rings in zip(data, outlines):
        each["outline"] = rings
    lines = []
    for each in data:
        corners = ", ".join(f"{value:.0f}" for value in each["box"])
        lines.append(f"  {each['score']:7.1%}  {each['class']}  ({corners})")
    return {"objects" if HAS_OUTLINES else "boxes": data}, lines


def drawn_on(path):
    """A picture of 8 bits in color, upright."""
    if not is_example(path) and (PLANES != "first" or pixels.needs_reader(path)):
        return decoded(path, shrinks=False)[0].convert("RGB")
    with Image.open(path, formats=IMAGE["formats"]) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


def draw_boxes(objects, folder, path):
    """Write a picture with the outlines of its boxes, as a PNG file."""
    colors = dict(zip(CARD["classes"], CARD["colors"]))
    if IS_PLAIN:
        picture = drawn_on(path)
    elif is_example(path):
        picture = pixels.shown(scaled(Converted(path).values))
    else:
        picture = pixels.shown(pixels.on_scale(pixels.opened(path, IMAGE), PIXELS))
    pen = ImageDraw.Draw(picture)
    for each in objects:
        color = colors[each["class"]]
        width = max(2, max(picture.size) // 400)
        for ring in each.get("outline", []):
            pen.line([tuple(point) for point in [*ring, ring[0]]], color, width)
        if "outline" not in each:
            pen.rectangle(each["box"], outline=color, width=width)
        pen.text(each["box"][:2], f"{each['class']} {each['score']:.0%}", color)
    return saved(picture, folder, path)


def write_mask(labels, folder, path):
    """Write a mask as a PNG file whose numbers are classes and whose colors tell them apart."""
    image = Image.fromarray(labels)
    colors = [bytes.fromhex(color.lstrip("#")) for color in CARD["colors"]]
    rest = [bytes([128] * 3)] * (256 - len(colors))
    image.putpalette(b"".join(colors + rest))
    return saved(image, folder, path)


WRITTEN = set()


def saved(image, folder, path, suffix=".png"):
    """Write a file named like a picture, with a number if another picture is called so."""
    number, target = 1, folder / f"{Path(path).stem}{suffix}"
    while target in WRITTEN:
        number += 1
        target = folder / f"{Path(path).stem}-{number}{suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        image.save(target)
    except OSError as error:
        raise PictureError(f"{target} cannot be written: {reason_of(error)}") from error
    WRITTEN.add(target)
    return str(target)


def areas(labels):
    """The pixels of each class, as data and as lines."""
    names = CARD["classes"]
    pixels = np.bincount(labels.ravel(), minlength=UNSEEN + 1)[: len(names)].tolist()
    total = sum(pixels) or 1
    data = [
        {"class": name, "pixels": count, "share": count / total}
        for name, count in zip(names, pixels)
    ]
    lines = [
        f"  {each['share']:7.1%}  {each['class']}  ({each['pixels']:,} px)"
        for each in data
        if each["pixels"]
    ]
    return {"classes": data}, lines


def described_map(score, threshold):
    """The verdict on a picture, as data and as lines."""
    tuned = CARD["calibration"]["thresholds"] or [1.0]
    limit = tuned[-1] if threshold is None else threshold
    data = {"score": score, "is_anomaly": score >= limit}
    return data, [f"  {score:10.4g}  anomaly  (threshold {limit:.4g})"]


def prediction(model, path, top, threshold, to, whole):
    """The answer for a picture, as data and as lines; files of masks or boxes go into `to`."""
    if CARD.get("conversion"):
        return described_quantities(conversion.quantities(scores_of(model, path)))
    if KIND == "vector":
        return described(scores_of(model, path), top)
    side = 0 if whole else IMAGE.get("tile_size", 0)
    if KIND == "boxes" or HAS_OUTLINES:
        rows, _ = boxes_of_tiles(model, path, side) if side else boxes_of_whole(model, path)
        data, lines = described_boxes(rows, threshold)
        if to:
            objects = data["objects" if HAS_OUTLINES else "boxes"]
            data["picture"] = draw_boxes(objects, Path(to), path)
        return data, lines
    if KIND == "anomaly_map":
        values, score = (
            values_of_tiles(model, path, side) if side else values_of_whole(model, path)
        )
        data, lines = described_map(score, threshold)
        if to:
            data["map"] = saved(Image.fromarray(values), Path(to), path, ".tiff")
        return data, lines
    labels = mask_of_tiles(model, path, side) if side else mask_of_whole(model, path)
    data, lines = areas(labels)
    if to:
        data["mask"] = write_mask(labels, Path(to), path)
    return data, lines


def answer(model, path, top=5, threshold=None, to=None, whole=False):
    """The same, with what differs from the training images."""
    MEASURED.clear()
    whole = whole or is_example(path)
    data, lines = prediction(model, path, top, threshold, to, whole)
    if not REFERENCE:
        return {**data, "familiarity": None}, lines
    parts = [each for each, _ in MEASURED]
    is_whole = whole or CARD.get("conversion") or KIND == "vector" or not IMAGE.get("tile_size")
    data["familiarity"], more = unlike.compared(
        parts, MEASURED[0][1] if is_whole else None, REFERENCE
    )
    return data, lines + more


def described(row, top):
    """The answer for a picture, as data and as lines."""
    names, calibration = CARD["classes"], CARD.get("calibration") or {}
    thresholds, margins = calibration.get("thresholds"), calibration.get("margins")
    if CARD.get("scales"):  # numbers in units, no probabilities
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
        return {key: value for key, value in data.items() if value}, lines
    given = row >= thresholds if thresholds else np.zeros(len(row), bool)
    order = np.argsort(-row, kind="stable")
    best = [i for place, i in enumerate(order) if place < top or given[i]]
    data = {"predictions": [{"class": names[i], "score": float(row[i])} for i in best]}
    if thresholds:
        data["labels"] = [name for i, name in enumerate(names) if given[i]]
    lines = [f"  {float(row[i]):7.1%}  {names[i]}{' *' if given[i] else ''}" for i in best]
    return data, lines


def described_quantities(quantities):
    """The answer made of names, values and units, as data and as lines."""
    data = {"values": {name: float(value) for name, value, _ in quantities}}
    if units := {name: unit for name, _, unit in quantities if unit}:
        data["units"] = units
    return data, [f"  {float(value):10.4g} {unit}  {name}" for name, value, unit in quantities]


def self_test():
    """Compare the outputs for the example with those measured when this was exported."""
    expected = np.array(CARD["self_test"]["scores"])
    model = runtime.load(HERE / CARD["model"])
    scores = scores_of(model, HERE / CARD["self_test"]["image"])
    given = scores.reshape(-1, scores.shape[-1]).mean(axis=0)
    if CARD.get("decoded"):
        given = scores[:, SCORE]
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
    parser.add_argument("--to", metavar="FOLDER", help="write masks or boxes into this folder")
    parser.add_argument(
        "--threshold", type=float, help="score from which on boxes are given [that of each class]"
    )
    parser.add_argument(
        "--whole", action="store_true", help="fit each picture as a whole, without tiles"
    )
    parser.add_argument("--self-test", action="store_true", help="check model and runtime")
    words = parser.parse_args()
    if words.self_test:
        return self_test()
    if not words.pictures:
        parser.error("name at least one picture, or --self-test")
    model = runtime.load(HERE / CARD["model"])
    options = words.top, words.threshold, words.to, words.whole
    answers, failures = [], 0
    for path in words.pictures:
        try:
            data, lines = answer(model, path, *options)
        except PictureError as error:
            failures += 1
            print(f"{path}: {error}", file=sys.stderr, flush=True)
            continue
        answers.append({"image": path, **data})
        if not words.json:
            print(path, *lines, sep="\n", flush=True)
    if words.json:
        print(json.dumps(answers))
    if failures:
        print(f"{failures} of {len(words.pictures)} pictures failed.", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
