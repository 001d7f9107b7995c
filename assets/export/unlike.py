"""Compares images with the training images of the model by their pixels.

An image that lies outside of the training images gets a confident answer that means nothing.
labels.json holds the ranges of the training images. Studio also compares what the network sees.
"""

import numpy as np

NAMES = ("brightness", "background", "contrast", "saturation", "detail")
BORDER = 16
MARGIN = 0.25
LEAST_MARGINS = dict(zip(NAMES, (0.05, 0.05, 0.05, 0.05, 0.02)))
LONGER = 1.25
GRAY = 0.02
SMALLER = 2
TEXTS = {
    "brightness": (
        "The image is darker than the training images",
        "The image is brighter than the training images",
    ),
    "background": (
        "The background is darker than that of the training images",
        "The background is brighter than that of the training images",
    ),
    "contrast": (
        "The image has less contrast than the training images",
        "The image has more contrast than the training images",
    ),
    "saturation": (
        "The image has less color than the training images",
        "The image has more color than the training images",
    ),
    "detail": (
        "The image has less detail than the training images and may be blurred or enlarged",
        "The image has more fine detail or noise than the training images",
    ),
}
IN_COLOR = "The image is in color and the training images are gray"


def statistics(pixels):
    """The statistics of an image as the model takes it, height x width x channels, 0 to 255."""
    gray = pixels.mean(axis=2, dtype=np.float32) / 255
    height, width = gray.shape
    border = np.ones(gray.shape, bool)
    rows, columns = max(1, height // BORDER), max(1, width // BORDER)
    border[rows : height - rows, columns : width - columns] = False
    spread = (pixels.max(axis=2) - pixels.min(axis=2)).astype(np.float32) / 255
    steps = [np.abs(np.diff(gray, axis=i)).mean() if gray.shape[i] > 1 else 0 for i in (0, 1)]
    values = (
        gray.mean(),
        gray[border].mean(),
        gray.std(),
        np.sqrt(np.square(spread).mean()),
        sum(steps) / 2,
    )
    return np.array(values, np.float32)


def side(name, values, ranges):
    """-1 if a value is far below those of the training images, 1 if far above, otherwise 0."""
    low, high = ranges[name]["low"], ranges[name]["high"]
    margin = max(LEAST_MARGINS[name], MARGIN * (high - low))
    return int(values[name] > high + margin) - int(values[name] < low - margin)


def text(name, values, ranges):
    """The sentence about a value that is far from those of the training images."""
    low, high = ranges[name]["low"], ranges[name]["high"]
    words = TEXTS[name][values[name] > high]
    if name == "saturation" and high < GRAY:
        words = IN_COLOR
    return f"{words}: {values[name]:.0%} instead of {low:.0%} to {high:.0%}."


def light(values, ranges):
    """The differences of brightness and background; a negative can be inverted."""
    names = [name for name in ("background", "brightness") if side(name, values, ranges)]
    inverted = {name: 1 - values[name] for name in ("background", "brightness")}
    if names and not any(side(name, inverted, ranges) for name in inverted):
        words = f"{text(names[0], values, ranges)} Light and dark seem to be swapped."
        return [("inverted", words, "invert")]
    return [(name, text(name, values, ranges), None) for name in names[-1:]]


def of_size(size, reference):
    """The differences of the shape and the size of the file."""
    (width, height), found = size, []
    usual, shortest = reference["aspect"], reference["shortest"]
    if usual and not usual["low"] / LONGER < width / height < usual["high"] * LONGER:
        shape = "wider" if width / height > usual["high"] else "taller"
        words = f"The image is {shape} than the training images: {width} x {height} pixels."
        found.append(("aspect", words, "crop"))
    if min(size) * SMALLER <= shortest:
        words = (
            f"The image is small: {width} x {height} pixels. The shorter side of the training "
            f"images has at least {shortest} pixels."
        )
        found.append(("size", words, None))
    return found


def compared(parts, size, reference):
    """What differs from the training images.

    Statistics of an image or of its tiles, whose medians count, and the size of the image or
    None; as data and as lines.
    """
    values = dict(zip(NAMES, np.median(np.stack(parts), axis=0).tolist()))
    ranges = reference["statistics"]
    found = light(values, ranges)
    found += [
        (name, text(name, values, ranges), None)
        for name in ("contrast", "saturation", "detail")
        if side(name, values, ranges)
    ]
    found += of_size(size, reference) if size else []
    data = {
        "differences": [
            {"kind": kind, "text": words, "remedy": help} for kind, words, help in found
        ],
        "false_alarm_rate": reference["false_alarm_rate"],
        "validation_images": reference["validation_images"],
    }
    return data, [f"  ! {words}" for _, words, _ in found]
