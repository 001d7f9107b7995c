"""Bilinear resizing with every pixel of the original counted, as fast as the processor allows."""

from __future__ import annotations

from PIL import Image

try:
    import cykooz_resizer as simd  # type: ignore[import-untyped]  # it ships no types
except ImportError:  # no wheel for this processor
    simd = None

# What decides about the pixels; part of the name of an import that may be continued.
RESIZER = "pillow" if simd is None else "simd"


_WORTH_IT = 2
"""How many times as many pixels must go in as come out for vector instructions to be taken."""


def resized(
    image: Image.Image, size: tuple[int, int], box: tuple[float, float, float, float]
) -> Image.Image:
    """Resize a part of an image; the filter widens as the image shrinks (antialiasing).

    Where an image shrinks, the vector instructions of `cykooz_resizer` take a sixth of the time of
    Pillow's loops. It is the same filter with other roundings: 0.2 levels away on average, and two
    at the very most.

    Args:
        image: Of mode L or RGB.
        size: Width and height of the result.
        box: Left, top, right and bottom of the part, in pixels of `image`; inside of it.

    Returns:
        Of the same mode; `image` itself where nothing is to be done.
    """
    left, top, right, bottom = box
    shrinks = (right - left) * (bottom - top) >= _WORTH_IT * size[0] * size[1]
    if simd is None or not shrinks:
        return resized_exactly(image, size, box)
    options = simd.ResizeOptions(
        resize_alg=simd.ResizeAlg.convolution(simd.FilterType.bilinear),
        use_alpha=False,
        crop_box=simd.CropBox(left, top, right - left, bottom - top),
    )
    result = Image.new(image.mode, size)
    simd.Resizer().resize_pil(image, result, options)  # not shared: threads would have to wait
    return result


def resized_exactly(
    image: Image.Image, size: tuple[int, int], box: tuple[float, float, float, float]
) -> Image.Image:
    """Resize as `resized` does, with Pillow alone: the same on every machine."""
    left, top, right, bottom = box
    if size == image.size and size[0] == right - left and size[1] == bottom - top:
        return image
    return image.resize(size, Image.Resampling.BILINEAR, box=box)
