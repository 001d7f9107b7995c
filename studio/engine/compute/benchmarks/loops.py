"""The operations as naive loops in plain Python, without NumPy.

Inputs and outputs are nested lists of floats; images are (height, width, channel).
"""

from __future__ import annotations

Matrix = list[list[float]]
Image = list[list[list[float]]]
Kernels = list[list[list[list[float]]]]


def convolution(image: Image, kernels: Kernels) -> Image:
    """Convolve an image without padding.

    Args:
        image: Nested lists of shape (height, width, channels).
        kernels: Nested lists of shape (rows, columns, channels, filters).
    """
    size, channels, filters = len(kernels), len(image[0][0]), len(kernels[0][0][0])
    result = []
    for top in range(len(image) - size + 1):
        line = []
        for left in range(len(image[0]) - size + 1):
            sums = [0.0] * filters
            for row in range(size):
                for column in range(size):
                    pixel, weights = image[top + row][left + column], kernels[row][column]
                    for channel in range(channels):
                        value, each = pixel[channel], weights[channel]
                        for index in range(filters):
                            sums[index] += value * each[index]
            line.append(sums)
        result.append(line)
    return result


def matrix_product(left: Matrix, right: Matrix) -> Matrix:
    """Multiply two matrices.

    Args:
        left: Nested lists of shape (n, k).
        right: Nested lists of shape (k, m).
    """
    inner, width = len(right), len(right[0])
    result = []
    for row in left:
        line = []
        for column in range(width):
            total = 0.0
            for index in range(inner):
                total += row[index] * right[index][column]
            line.append(total)
        result.append(line)
    return result


def addition(left: Matrix, right: Matrix) -> Matrix:
    """Add two matrices elementwise.

    Args:
        left: Nested lists of shape (n, m).
        right: Nested lists of the same shape.
    """
    result = []
    for row, other in zip(left, right, strict=True):
        line = []
        for column in range(len(row)):
            line.append(row[column] + other[column])  # noqa: PERF401 - the plain way is the point
        result.append(line)
    return result


def max_pooling(image: Image, pool: int) -> Image:
    """Return the maximum of each window; incomplete windows at the border are dropped.

    Args:
        image: Nested lists of shape (height, width, channels).
        pool: Side of the windows, which do not overlap.
    """
    channels, result = len(image[0][0]), []
    for top in range(0, len(image) - pool + 1, pool):
        line = []
        for left in range(0, len(image[0]) - pool + 1, pool):
            most = list(image[top][left])
            for row in range(top, top + pool):
                for column in range(left, left + pool):
                    pixel = image[row][column]
                    for channel in range(channels):
                        most[channel] = max(most[channel], pixel[channel])
            line.append(most)
        result.append(line)
    return result
