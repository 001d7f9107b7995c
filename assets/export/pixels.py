"""Reads pictures as arrays of their own values: 16 bits, fractions, any number of channels.

Studio reads the pictures of its datasets in the same way. `labels.json` says which number format
the model takes. Used by predict.py.
"""

import math
import re

import numpy as np
from PIL import Image, ImageOps

ARRAY, PNG = b"\x93NUMPY", b"\x89PNG\r\n\x1a\n"
TIFF = (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
GAP = rb"(?:\s|#[^\n]{0,200}\n){1,9}"
COLOR_PFM = re.compile(
    rb"PF" + GAP + rb"(\d{1,9})" + GAP + rb"(\d{1,9})" + GAP + rb"(-?\d[\d.eE+-]{0,40})(?:\r\n|\s)"
)
NETPBM = re.compile(rb"P([2356])" + rb"".join(GAP + rb"(\d{1,9})" for _ in range(3)) + rb"\s")
MOST_CHANNELS = 64
DEEP_COLORS = {2: 3, 4: 2, 6: 4}
ORIENTATION, NO_DATA = 274, 42113
LUMA = np.array([0.299, 0.587, 0.114])


def head(path):
    """The first bytes of a file."""
    with open(path, "rb") as file:
        return file.read(1024)


def deep_colors(start):
    """Channels of a PNG or PPM of 16 bits that Pillow would reduce to 8; 0 for other files."""
    if start.startswith(PNG):
        return DEEP_COLORS.get(start[25], 0) if start[24:25] == b"\x10" else 0
    found = NETPBM.match(start)
    if found is None or int(found[4]) <= 255:
        return 0
    return 3 if found[1] in b"36" else 1


def needs_reader(path):
    """True for a picture that Pillow does not read whole."""
    start = head(path)
    is_known = start.startswith((ARRAY, *TIFF)) or start[128:132] == b"DICM"
    return is_known or deep_colors(start) > 0 or COLOR_PFM.match(start) is not None


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


def colors_of(values, has_alpha):
    """The number of channels without the opacity: 1 for gray, 3 for color."""
    colors = values.shape[2] - has_alpha
    if colors not in (1, 3):
        raise ValueError(f"it has {values.shape[2]} channels, which are neither gray nor color")
    return colors


def of_trained_type(path, values, dtype):
    """Values of an array as whole numbers of fewer bits, if these hold them."""
    wanted = np.dtype(dtype)
    is_smaller = wanted.kind == "u" and values.dtype.itemsize > wanted.itemsize
    if not is_smaller or not head(path).startswith(ARRAY):
        return values
    limits = np.iinfo(wanted)
    fits = (values >= limits.min) & (values <= limits.max) & (values == np.rint(values))
    return values.astype(wanted) if fits.all() else values


def planes_of(path, formats):
    """All planes of a picture, planes x height x width x channels; True for an opacity."""
    start = head(path)
    if start[128:132] == b"DICM":
        return dicom(path)
    if start.startswith(ARRAY):
        return of_array(np.load(path, allow_pickle=False)), False
    if channels := deep_colors(start):
        return deep_color(path, channels, formats)
    if start.startswith(TIFF):
        return tiff(path, formats)
    if found := COLOR_PFM.match(start):
        return color_pfm(path, found), False
    return by_pillow(path, formats)


def of_array(values):
    """An array as planes. Of three axes the last one is that of channels if it is the shortest."""
    if values.ndim == 5 and len(values) == 1:
        return of_type(values[0])
    if not 2 <= values.ndim <= 4 or values.dtype.kind not in "buif":
        raise ValueError(f"an array of shape {values.shape} and type {values.dtype} is no picture")
    if values.ndim == 2:
        values = values[None, ..., None]
    if values.ndim == 3:
        has_channels = values.shape[2] <= MOST_CHANNELS and values.shape[2] < min(values.shape[:2])
        values = values[None] if has_channels else values[..., None]
    elif values.ndim == 4 and has_channels_first(values.shape):
        values = np.moveaxis(values, 1, -1)
    return of_type(values)


def has_channels_first(shape):
    """True if the second of four axes can only be that of channels."""
    _, second, third, last = shape
    return last > 4 and (second <= 4 or (second < min(third, last) and last > MOST_CHANNELS))


def color_pfm(path, found):
    """A picture of fractions, whose rows are stored from the bottom."""
    with open(path, "rb") as file:
        whole = file.read()
    width, height = int(found[1]), int(found[2])
    data = whole[found.end() :]
    if whole[: found.end()].endswith(b"\r\n") and len(data) + 1 == width * height * 12:
        data = whole[found.end() - 1 :]  # the header ends with the first of the two bytes
    if len(data) < width * height * 12:
        raise ValueError("the image is damaged or truncated")
    order = "<f4" if found[3].startswith(b"-") else ">f4"
    values = np.frombuffer(data, order, width * height * 3).reshape(1, height, width, 3)
    return of_type(values[:, ::-1])


def of_type(values):
    """Values of one of the types that models take; NaN where no channel has a finite one."""
    if values.dtype.kind not in "buif":
        raise ValueError(f"pixels of the type {values.dtype} are not supported")
    if values.dtype.kind == "b":
        values = values.astype(np.uint8) * np.uint8(255)
    if values.dtype.kind == "u" and values.dtype.itemsize <= 2:
        return values.astype(np.uint8 if values.dtype.itemsize == 1 else np.uint16)
    exact = values.astype(np.float32)
    exact[~np.isfinite(exact).any(axis=-1)] = np.nan
    return exact


def upright(planes, orientation):
    """Planes as they are shown, by the orientation of EXIF."""
    if orientation in (3, 4, 6, 7):
        planes = planes[:, ::-1]
    if orientation in (2, 3, 7, 8):
        planes = planes[:, :, ::-1]
    return planes.swapaxes(1, 2) if orientation in (5, 6, 7, 8) else planes


def deep_color(path, channels, formats):
    """A PNG, PPM or PGM file of more than 8 bits, of which Pillow would change the values."""
    try:
        import cv2
    except ImportError:
        raise ValueError(
            "this kind of 16-bit picture needs OpenCV: pip install opencv-python-headless"
        ) from None
    with open(path, "rb") as file:
        data = file.read() + b"\n"  # OpenCV does not read a last number in digits without it
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if found is None or found.dtype != np.uint16:
        raise ValueError("the image is damaged or truncated")
    values = found.reshape(*found.shape[:2], -1)
    if values.shape[2] >= 3:  # blue, green, red
        values = values[..., [2, 1, 0, *range(3, values.shape[2])]]
    if channels == 2:  # gray became three equal channels
        values = values[..., [0, -1]]
    values = values[..., :channels]
    orientation = 1
    if head(path).startswith(PNG):
        with Image.open(path, formats=formats) as image:
            orientation = image.getexif().get(ORIENTATION, 1)
    return upright(values[None], orientation), channels in (2, 4)


def dicom(path):
    """The frames of a DICOM file in the units of its rescaling, dark to bright."""
    try:
        import pydicom
        from pydicom.pixels.utils import pixel_array
    except ImportError:
        raise ValueError("DICOM files need pydicom: pip install pydicom") from None
    data = pydicom.dcmread(path)
    kind = str(data.get("PhotometricInterpretation", "MONOCHROME2"))
    if kind.startswith("PALETTE") or "ModalityLUTSequence" in data:
        raise ValueError("this script reads no DICOM files with tables; save their values as TIFF")
    below = low_bits(data)
    try:
        stored = pixel_array(data) >> below if below else pixel_array(data)
    except (RuntimeError, NotImplementedError) as error:
        raise ValueError(f"its compression is not supported: {error}") from None
    except AttributeError:
        raise ValueError("the DICOM file contains no image") from None
    samples = int(data.get("SamplesPerPixel") or 1)
    stored = stored.reshape(-1, data.Rows, data.Columns, samples)
    if samples > 1:
        return of_type(stored), samples == 4
    frames = [rescaled(data, kind, *each, below) for each in enumerate(stored)]
    return of_type(np.stack(frames)), False


def low_bits(data):
    """Number of bits below the values of old files; pydicom then keeps them all."""
    stored, allocated = int(data.get("BitsStored") or 0), int(data.get("BitsAllocated") or 0)
    top = int(data.get("HighBit") or 0) + 1
    if not 0 < stored < top <= allocated or data.file_meta.TransferSyntaxUID.is_encapsulated:
        return 0
    data.BitsStored = top
    return top - stored


def rescaled(data, kind, number, values, below):
    """A gray frame of a DICOM file in the units of its rescaling."""
    gone = padding(data, values)
    bits = min(int(data.get("BitsStored") or data.BitsAllocated), int(data.BitsAllocated)) - below
    is_signed = int(data.get("PixelRepresentation") or 0) == 1
    if data.BitsAllocated == 1:
        return values != 0
    if kind == "MONOCHROME1" and values.dtype.kind in "iu":
        total = -1 if is_signed else (1 << bits) - 1
        values = (total - values.astype(np.int64)).astype(values.dtype)
    slope, intercept = rescaling(data, number)
    found = values.astype(np.float32) if is_signed else values
    if any(
        rescaling(data, at) != (1.0, 0.0) for at in range(int(data.get("NumberOfFrames") or 1))
    ):
        found = (values * slope + intercept).astype(np.float32)
    if gone is not None:
        found = found.copy()
        found[gone] = np.nan if found.dtype.kind == "f" else 0
    return found


def rescaling(data, number):
    """Slope and intercept of a frame: its own, those of all frames, or those of the file."""
    found = data
    for name, at in (
        ("SharedFunctionalGroupsSequence", 0),
        ("PerFrameFunctionalGroupsSequence", number),
    ):
        groups = data.get(name) or []
        group = groups[at].get("PixelValueTransformationSequence") if at < len(groups) else None
        found = group[0] if group else found
    slope, intercept = found.get("RescaleSlope"), found.get("RescaleIntercept")
    return float(1.0 if slope is None else slope), float(intercept or 0.0)


def padding(data, values):
    """The values outside of the scanned area; None if the file names none."""
    first = data.get("PixelPaddingValue")
    if not isinstance(first, int) or values.dtype.kind not in "iu":
        return None
    last = data.get("PixelPaddingRangeLimit", first)
    low, high = sorted((first, last if isinstance(last, int) else first))
    return (values >= low) & (values <= high)


def tiff(path, formats):
    """The planes of a TIFF file; Pillow reads colors that only it converts."""
    try:
        import tifffile
    except ImportError:
        try:
            return by_pillow(path, formats)
        except OSError as error:
            raise ValueError(
                f"{error}; pip install tifffile imagecodecs reads more kinds of TIFF"
            ) from None
    with tifffile.TiffFile(path, **flags_of(tifffile, path)) as file:
        parts = [each for each in file.series if each.keyframe.is_reduced or each.keyframe.is_mask]
        image = next((each for each in file.series if each not in parts), file.series[0])
        page = image.keyframe
        is_described = file.is_ome or file.is_imagej
        if page.photometric in (8, 9, 10):
            raise ValueError("the color mode LAB is not supported")
        is_converted = page.photometric == 6 and page.compression not in (6, 7)
        if is_converted or (page.photometric == 5 and page.dtype == np.uint8):
            if page.index != 0:
                raise ValueError("its colors are read only on the first page of a file")
            return by_pillow(path, formats)
        series = image.levels[0]
        values, axes = series.asarray(), series.axes
        hidden = hidden_by_mask(parts, page)
        no_data = None if is_described else page.tags.valueof(NO_DATA)
        if page.photometric == 3 and page.colormap is not None and not is_described:
            values, axes, no_data = of_palette(values, page.colormap.T), f"{axes}S", None
        orientation = page.tags.valueof(ORIENTATION, default=1)
    channel_axes = [
        i
        for i, axis in enumerate(axes)
        if axis == "S" or (axis == "C" and values.shape[i] <= MOST_CHANNELS)
    ]
    sides = [axes.index("Y"), axes.index("X")]
    order = [i for i in range(len(axes)) if i not in channel_axes + sides]
    channels = math.prod(values.shape[i] for i in channel_axes)
    shape = [values.shape[i] for i in sides]
    planes = values.transpose(order + sides + channel_axes).reshape(-1, *shape, channels)
    if page.photometric == 0:
        planes = inverted(planes, page.bitspersample)
    if planes.dtype.kind == "b":
        planes = planes.astype(np.uint8) * np.uint8(255)
    gone = without_data(planes, no_data)
    if hidden is not None:
        hidden = np.broadcast_to(hidden[None, ..., None], planes.shape)
        gone = hidden if gone is None else gone | hidden
    kinds = page.extrasamples
    is_color = page.photometric == 2 and channels == 4
    is_gray = page.photometric != 2 and channels == 2 and page.samplesperpixel == 2
    has_alpha = bool(kinds) and kinds[-1] in (1, 2) and (is_color or is_gray)
    if has_alpha and kinds[-1] == 1:
        planes = without_opacity(planes)
    planes = of_type(planes)
    if gone is not None:
        planes = np.where(
            gone, planes.dtype.type(np.nan if planes.dtype.kind == "f" else 0), planes
        )
    return upright(planes, orientation), has_alpha


def flags_of(tifffile, path):
    """How to open a file so that pages that were written one by one are one stack."""
    with tifffile.TiffFile(path) as file:
        kinds = {(each.shape, str(each.dtype), each.keyframe.photometric) for each in file.series}
        is_plain = all(
            len(each.pages) == 1
            and each.shape == each.keyframe.shape
            and not (each.keyframe.is_reduced or each.keyframe.is_mask)
            for each in file.series
        )
        is_stack = file.is_shaped and len(file.series) > 1 and is_plain and len(kinds) == 1
    return {"is_shaped": False} if is_stack else {}


def hidden_by_mask(parts, image):
    """True for pixels without data, by the mask in the file; None without one."""
    for part in parts:
        page = part.keyframe
        is_same = (page.imagelength, page.imagewidth) == (image.imagelength, image.imagewidth)
        if page.is_mask and not page.is_reduced and is_same and page.samplesperpixel == 1:
            return page.asarray().reshape(page.imagelength, page.imagewidth) == 0
    return None


def of_palette(values, colors):
    """Red, green and blue of values that are numbers of colors."""
    shift = 8 if colors.max(initial=0) > 255 else 0
    return (colors >> shift).astype(np.uint8)[np.minimum(values, len(colors) - 1)]


def inverted(values, bits):
    """Values of a picture whose zero is white."""
    if values.dtype.kind == "b":
        return np.logical_not(values)
    if values.dtype.kind == "u":
        largest = (1 << min(bits, values.dtype.itemsize * 8)) - 1
        return np.subtract(values.dtype.type(largest), values)
    return np.invert(values) if values.dtype.kind == "i" else values


def without_data(values, text):
    """True for values that the file declares to be no data; None if it declares none."""
    try:
        number = float(str(text).strip("\0 ")) if text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        return None
    if values.dtype.kind in "iu":
        limits = np.iinfo(values.dtype)
        if not number.is_integer() or not limits.min <= number <= limits.max:
            return None
    with np.errstate(over="ignore"):
        return values == np.float64(number).astype(values.dtype)


def without_opacity(values):
    """Colors divided by the opacity, the last channel, that they were multiplied by."""
    has_fractions = values.dtype.kind == "f"
    full = 1.0 if has_fractions else float(np.iinfo(values.dtype).max)
    opacity = values[..., -1:].astype(np.float64)
    colors = values[..., :-1] * full
    colors = np.divide(colors, opacity, out=np.zeros_like(colors), where=opacity > 0)
    if not has_fractions:
        colors = np.rint(np.minimum(colors, full))
    return np.concatenate([colors.astype(values.dtype), values[..., -1:]], axis=-1)


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
    values = of_trained_type(path, values, wanted["dtype"])
    if values.dtype != wanted["dtype"]:
        raise ValueError(
            f"it has pixels of the type {values.dtype}; the model was trained on "
            f"{wanted['dtype']}, and their brightness cannot be compared"
        )
    return finite(converted(values, has_alpha, card), wanted)


def converted(values, has_alpha, card):
    """Values with the channels of the model."""
    if card["color"] == "all":
        wanted = card["pixels"]["channels"]
        if values.shape[2] != wanted:
            raise ValueError(
                f"it has {values.shape[2]} channels; the model was trained on {wanted}"
            )
        return values
    colors = colors_of(values, has_alpha)
    if has_alpha:
        full = 1.0 if values.dtype.kind == "f" else float(np.iinfo(values.dtype).max)
        opacity, values = values[..., -1:].astype(np.float64) / full, values[..., :-1]
        behind = background(card, values)
        behind = behind if len(behind) == colors else behind.mean(keepdims=True)
        values = like(values * opacity + behind * (1 - opacity), values.dtype)
    if card["color"] == "rgb":
        return np.repeat(values, 3, axis=2) if colors == 1 else values
    return values if colors == 1 else like((values @ LUMA)[..., None], values.dtype)


def range_of(values, pixels):
    """The lowest and highest value of each channel, of the model or of the picture itself."""
    low, high = np.array(pixels["low"], np.float64), np.array(pixels["high"], np.float64)
    if not pixels["per_image"]:
        return low, high
    known = np.isfinite(values)
    lowest = np.where(known, values, np.inf).min(axis=(0, 1))
    highest = np.where(known, values, -np.inf).max(axis=(0, 1))
    return np.where(np.isfinite(lowest), lowest, low), np.where(
        np.isfinite(highest), highest, high
    )


def finite(values, pixels):
    """Values that are not finite become the ends of the range of their channel."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return values
    low, high = range_of(values, pixels)
    known = np.where(np.isposinf(values), high, np.where(np.isfinite(values), values, low))
    return known.astype(np.float32)


def background(card, values):
    """The value of each channel of the background: that part of the range."""
    pixels = card["pixels"]
    text = card["background"].lstrip("#")
    color = np.array([int(text[i : i + 2], 16) for i in (0, 2, 4)], np.float64)
    is_color = pixels["channels"] == 3 and not pixels["names"]
    parts = color if is_color else np.full(pixels["channels"], color @ LUMA)
    low, high = range_of(values, pixels)
    return low + parts / 255 * (high - low)


def like(values, dtype):
    """Numbers as a type of pixels: rounded and cut off where it has no fractions."""
    if dtype.kind == "f":
        return values.astype(np.float32)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


def canvas(width, height, card, content):
    """A picture of background around some content."""
    return np.tile(like(background(card, content), content.dtype), (height, width, 1))


def cut(values, left, top, side, card):
    """A square part of a picture; what lies outside is background."""
    inside = values[top : top + side, left : left + side]
    if inside.shape[:2] == (side, side):
        return inside
    whole = canvas(side, side, card, inside)
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
            whole = canvas(*size, card, content)
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
