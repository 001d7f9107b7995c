"""Reads pictures as arrays of their own values: 16 bits, fractions, any number of channels.

Studio reads the pictures of its datasets in the same way. `labels.json` says which number format
the model takes. Used by predict.py.
"""

import numpy as np
from PIL import Image, ImageOps

ARRAY, PNG = b"\x93NUMPY", b"\x89PNG\r\n\x1a\n"
TIFF = (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
MOST_CHANNELS = 64
DEEP_COLORS = {2: 3, 4: 2, 6: 4}
LUMA = np.array([0.299, 0.587, 0.114])


def read(path, card):
    """Values of a picture, upright, height x width x channels; True if the last is the opacity."""
    planes, has_alpha = planes_of(path, card["formats"])
    choice = card["planes"]
    if choice.isdecimal() and int(choice) > len(planes):
        raise ValueError(f"it has {len(planes)} planes; plane {choice} is needed")
    if choice == "channels" and len(planes) > 1:
        return np.concatenate(list(planes), axis=-1), False
    if choice == "maximum":
        return np.fmax.reduce(planes, axis=0), has_alpha
    if choice == "mean":
        return like(planes.mean(axis=0, dtype=np.float64), planes.dtype), has_alpha
    return planes[int(choice) - 1 if choice.isdecimal() else 0], has_alpha


def planes_of(path, formats):
    """All planes of a picture, planes x height x width x channels; True for an opacity."""
    with open(path, "rb") as file:
        start = file.read(32)
    if start.startswith(ARRAY):
        return of_array(np.load(path, allow_pickle=False)), False
    if start.startswith(PNG) and start[24:25] == b"\x10" and start[25] in DEEP_COLORS:
        return deep_color(path, DEEP_COLORS[start[25]])
    if start.startswith(TIFF):
        return tiff(path, formats)
    return by_pillow(path, formats)


def of_array(values):
    """An array as planes. Of three axes the last one is that of channels if it is the shortest."""
    if not 2 <= values.ndim <= 4 or values.dtype.kind not in "buif":
        raise ValueError(f"an array of shape {values.shape} and type {values.dtype} is no picture")
    if values.ndim == 2:
        values = values[None, ..., None]
    if values.ndim == 3:
        has_channels = values.shape[2] <= MOST_CHANNELS and values.shape[2] < min(values.shape[:2])
        values = values[None] if has_channels else values[..., None]
    return of_type(values)


def of_type(values):
    """Values of one of the types that models take; NaN where no channel has a finite one."""
    if values.dtype.kind == "b":
        values = values.astype(np.uint8) * np.uint8(255)
    if values.dtype.kind == "u" and values.dtype.itemsize <= 2:
        return values.astype(np.uint8 if values.dtype.itemsize == 1 else np.uint16)
    exact = values.astype(np.float32)
    exact[~np.isfinite(exact).any(axis=-1)] = np.nan
    return exact


def deep_color(path, channels):
    """A PNG file of 16 bits with colors or opacity, of which Pillow would drop 8."""
    try:
        import cv2
    except ImportError:
        raise ValueError(
            "16-bit color PNG needs OpenCV: pip install opencv-python-headless"
        ) from None
    with open(path, "rb") as file:
        found = cv2.imdecode(np.frombuffer(file.read(), np.uint8), cv2.IMREAD_UNCHANGED)
    if found is None or found.dtype != np.uint16:
        raise ValueError("the image is damaged or truncated")
    values = found.reshape(*found.shape[:2], -1)
    if values.shape[2] >= 3:  # blue, green, red
        values = values[..., [2, 1, 0, *range(3, values.shape[2])]]
    if channels == 2:  # gray became three equal channels
        values = values[..., [0, -1]]
    return values[None], channels in (2, 4)


def tiff(path, formats):
    """The planes of a TIFF file; Pillow reads 8-bit colors and gray planes."""
    try:
        import tifffile
    except ImportError:
        try:
            return by_pillow(path, formats)
        except OSError as error:
            raise ValueError(
                f"{error}; pip install tifffile imagecodecs reads more kinds of TIFF"
            ) from None
    with tifffile.TiffFile(path) as file:
        page = file.pages.first
        if page.photometric not in (0, 1, 2):
            return by_pillow(path, formats)
        series = file.series[0].levels[0]
        values, axes = series.asarray(), series.axes
    order = [i for i in range(len(axes)) if axes[i] not in "YXCS"]
    shape = [axes.index("Y"), axes.index("X")]
    order += shape + [i for i in range(len(axes)) if axes[i] in "CS"]
    sides = [values.shape[i] for i in shape]
    channels = int(np.prod([values.shape[i] for i in range(len(axes)) if axes[i] in "CS"]))
    planes = of_type(values.transpose(order).reshape(-1, *sides, channels))
    if page.photometric == 0 and planes.dtype.kind == "u":
        planes = np.iinfo(planes.dtype).max - planes
    kinds = page.extrasamples
    return planes, bool(kinds) and kinds[-1] in (1, 2) and channels in (2, 4)


def by_pillow(path, formats):
    """The planes of a picture that Pillow decodes without loss."""
    with Image.open(path, formats=formats) as image:
        count = 1 if image.format == "MPO" else getattr(image, "n_frames", 1)
        found = [plane_by_pillow(image, number) for number in range(count)]
    return np.stack([plane for plane, _ in found]), found[0][1]


def plane_by_pillow(image, number):
    """A plane that Pillow decodes, and True if its last channel is the opacity."""
    if number:
        image.seek(number)
    image.load()
    kind = image.mode
    upright = ImageOps.exif_transpose(image)
    has_alpha = not kind.startswith(("I", "F")) and upright.has_transparency_data
    if kind.startswith("I;16") or (kind == "I" and image.format != "TIFF"):
        values = np.asarray(upright).astype(np.uint16)
    elif kind in ("I", "F"):
        values = np.asarray(upright)
    else:
        if upright.mode not in ("L", "LA", "RGB", "RGBA"):
            upright = upright.convert("RGBA" if has_alpha else "L" if kind == "1" else "RGB")
        values = np.asarray(upright)
    return of_type(values.reshape(*values.shape[:2], -1)), has_alpha


def opened(path, card):
    """A picture with the channels and the type that the model was trained on.

    Raises an error for a picture of another type: its brightness could not be compared.
    """
    wanted = card["pixels"]
    values, has_alpha = read(path, card)
    if values.dtype != wanted["dtype"]:
        raise ValueError(
            f"it has pixels of the type {values.dtype}; the model was trained on "
            f"{wanted['dtype']}, and their brightness cannot be compared"
        )
    if values.dtype.kind == "f":
        values = finite(values, wanted)
    if card["color"] == "all":
        if values.shape[2] != wanted["channels"]:
            raise ValueError(
                f"it has {values.shape[2]} channels; the model was trained on {wanted['channels']}"
            )
        return values
    colors = values.shape[2] - has_alpha
    if colors not in (1, 3):
        raise ValueError(f"it has {values.shape[2]} channels, which are neither gray nor color")
    if has_alpha:
        full = 1.0 if values.dtype.kind == "f" else float(np.iinfo(values.dtype).max)
        opacity = values[..., -1:].astype(np.float64) / full
        behind = background(card)
        behind = behind if len(behind) == colors else behind.mean(keepdims=True)
        values = like(values[..., :-1] * opacity + behind * (1 - opacity), values.dtype)
    if card["color"] == "rgb":
        return np.repeat(values, 3, axis=2) if colors == 1 else values
    return values if colors == 1 else like((values @ LUMA)[..., None], values.dtype)


def finite(values, pixels):
    """Values that are not finite become the ends of the range of their channel."""
    is_same = values.shape[2] == pixels["channels"]
    low = np.array(pixels["low"] if is_same else min(pixels["low"]), values.dtype)
    high = np.array(pixels["high"] if is_same else max(pixels["high"]), values.dtype)
    return np.where(np.isfinite(values), values, np.where(values == np.inf, high, low))


def background(card):
    """The value of each channel of the background: that part of its range."""
    pixels = card["pixels"]
    text = card["background"].lstrip("#")
    color = np.array([int(text[i : i + 2], 16) for i in (0, 2, 4)], np.float64)
    is_color = pixels["channels"] == 3 and not pixels["names"]
    parts = color if is_color else np.full(pixels["channels"], color @ LUMA)
    low, high = np.array(pixels["low"]), np.array(pixels["high"])
    return low + parts / 255 * (high - low)


def like(values, dtype):
    """Numbers as a type of pixels: rounded and cut off where it has no fractions."""
    if dtype.kind == "f":
        return values.astype(np.float32)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


def canvas(width, height, card):
    """A picture of background."""
    dtype = np.dtype(card["pixels"]["dtype"])
    return np.tile(like(background(card), dtype), (height, width, 1))


def cut(values, left, top, side, card):
    """A square part of a picture; what lies outside is background."""
    inside = values[top : top + side, left : left + side]
    if inside.shape[:2] == (side, side):
        return inside
    whole = canvas(side, side, card)
    whole[: inside.shape[0], : inside.shape[1]] = inside
    return whole


def fitted(values, places, size, card):
    """A picture as the array that the model takes: each channel is resized by itself."""
    (left, right, width, x), (top, bottom, height, y) = places
    box = (left, top, min(right, values.shape[1]), min(bottom, values.shape[0]))
    content = values
    if box != (0, 0, values.shape[1], values.shape[0]) or (height, width) != values.shape[:2]:
        planes = [
            Image.fromarray(np.ascontiguousarray(values[..., i], np.float32)).resize(
                (width, height), Image.Resampling.BILINEAR, box=box
            )
            for i in range(values.shape[2])
        ]
        content = like(np.stack([np.asarray(each) for each in planes], axis=-1), values.dtype)
    if (width, height) != tuple(size):
        if card["border"] == "reflect":
            around = (y, size[1] - y - height), (x, size[0] - x - width), (0, 0)
            content = np.pad(content, around, mode="symmetric")
        else:
            whole = canvas(*size, card)
            whole[y : y + height, x : x + width] = content
            content = whole
    if card["bit_depth"] == "source":
        return content
    return like(on_scale(content, card["pixels"]), np.dtype(np.uint8))


def on_scale(values, pixels):
    """Values on the scale from 0 to 255, as the layers behind the first one receive them."""
    if pixels["per_image"]:
        exact = values.astype(np.float32)
        low = exact.min(axis=(0, 1), keepdims=True)
        span = exact.max(axis=(0, 1), keepdims=True) - low
        full = np.full_like(span, 255)
        return (exact - low) * np.divide(full, span, out=np.zeros_like(span), where=span > 0)
    low, high = np.array(pixels["low"]), np.array(pixels["high"])
    scale = 255 / (high - low)
    return (values * scale - low * scale).astype(np.float32)


def shown(levels):
    """A picture for people: the first channels as red, green and blue, or gray."""
    levels = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    if levels.shape[2] < 3:
        return Image.fromarray(levels[..., 0]).convert("RGB")
    return Image.fromarray(np.ascontiguousarray(levels[..., :3]))
