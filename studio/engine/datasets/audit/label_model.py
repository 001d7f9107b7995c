"""Class scores of images by a model that was not trained on them, in closed form.

Ridge regression of the classes behind an approximate Gaussian kernel (Williams and Seeger, "Using
the Nyström method to speed up kernel machines", 2001). Leaving out an image changes its prediction
by a known factor (Allen, "The relationship between variable selection and data augmentation",
1974), so each image is predicted from all others by one fit, and other labels of the same images
cost one product of matrices. That makes repeated draws of injected label errors cheap.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats

LANDMARKS = 800
PENALTIES = (0.1, 0.3, 1.0, 3.0)
"""Penalties of the ridge regression; the one with the best predictions is taken."""


class LeaveOneOutModel:
    """Predicts each of N images from the others.

    Args:
        features: Shape (N, D).
    """

    def __init__(self, features: NDArray[np.floating]) -> None:
        basis, weights = _principal_axes(_kernel_features(features))
        self._basis = basis
        self._weights = weights
        self.penalty = PENALTIES[-1]

    def fit_penalty(
        self, labels: NDArray[np.integer], classes: int, step: Callable[[], None]
    ) -> None:
        """Choose the penalty with the most correct predictions.

        Args:
            labels: Class of each image, 0 to `classes` - 1, shape (N,).
            classes: Number of classes.
            step: Called after each penalty; may cancel.
        """
        correct = []
        for self.penalty in PENALTIES:
            scores = self.scores(labels, classes)
            correct.append(int((scores.argmax(axis=1) == labels).sum()))
            step()
        # Of equally good ones the strongest: it is the least sensitive to wrong labels.
        best = max(range(len(PENALTIES)), key=lambda index: (correct[index], index))
        self.penalty = PENALTIES[best]

    def scores(self, labels: NDArray[np.integer], classes: int) -> Floats:
        """Return the score of each class for each image, from the labels of the other images.

        Args:
            labels: Class of each image, 0 to `classes` - 1, shape (N,).
            classes: Number of classes.

        Returns:
            About 0 to 1, shape (N, classes).
        """
        shrinkage = self._weights / (self._weights + self.penalty)
        targets = np.zeros((len(labels), classes))
        targets[np.arange(len(labels)), labels] = 1.0
        targets -= targets.mean(axis=0)
        fitted = self._basis @ (shrinkage[:, np.newaxis] * (self._basis.T @ targets))
        leverage = np.square(self._basis) @ shrinkage
        own = leverage[:, np.newaxis] * targets
        return (fitted - own) / np.maximum(1 - leverage, 1e-6)[:, np.newaxis]


def _kernel_features(features: NDArray[np.floating]) -> Floats:
    """Return features whose products approximate a Gaussian kernel, shape (N, L)."""
    values = np.asarray(features, np.float64)
    values = values - values.mean(axis=0)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
    random = np.random.Generator(np.random.PCG64(0))
    chosen = np.sort(random.permutation(len(values))[:LANDMARKS])
    landmarks = values[chosen]
    among = np.maximum(2 - 2 * landmarks @ landmarks.T, 0)
    width = max(float(np.median(among)), 1e-9)
    eigenvalues, vectors = np.linalg.eigh(np.exp(-among / width))
    usable = eigenvalues > 1e-6 * max(float(eigenvalues[-1]), 1e-12)
    roots = vectors[:, usable] / np.sqrt(eigenvalues[usable])
    distances = np.maximum(2 - 2 * values @ landmarks.T, 0)
    kernel: Floats = np.exp(-distances / width) @ roots
    return kernel


def _principal_axes(features: Floats) -> tuple[Floats, Floats]:
    """Return orthonormal columns that span the features, (N, R), and their squared weights."""
    centered = features - features.mean(axis=0)
    eigenvalues, vectors = np.linalg.eigh(centered.T @ centered)
    usable = eigenvalues > 1e-9 * max(float(eigenvalues[-1]), 1e-12)
    weights = eigenvalues[usable]
    return centered @ (vectors[:, usable] / np.sqrt(weights)), weights
