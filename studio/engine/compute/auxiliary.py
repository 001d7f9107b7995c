"""Training with outputs on the way, whose loss brings the gradient to early layers.

After C. Szegedy et al., "Going deeper with convolutions", CVPR 2015, section 5.
"""

from __future__ import annotations

from typing import Any

import keras

from studio.engine.networks.spec import NetworkSpec

OWN_LOSS = "own_loss"
"""Metric with the loss of the main output; the loss that Keras reports is the sum."""


class WithAuxiliary(keras.Model):  # type: ignore[misc]  # Keras ships no types
    """A network in training, all of whose outputs learn the same labels.

    In training the loss is that of the network's own output plus those of its auxiliary heads,
    each times its weight; in validation it is the first alone. Metrics see the network's own
    output.
    Never saved: the finished model has no auxiliary head.

    Args:
        network: The network from `build` with `auxiliary=True`.
        spec: Its description.
    """

    def __init__(self, network: keras.Model, spec: NetworkSpec) -> None:
        super().__init__(name="with_auxiliary", dtype="float32")
        self.network = network
        self._factors = tuple(head.weight for head in spec.auxiliary)

    def network_of(self, images: Any) -> keras.Model:  # noqa: ANN401, ARG002
        """Return the network that computes a batch of images; the same for all by default."""
        return self.network

    def call(self, images: Any, training: bool = False) -> Any:  # noqa: ANN401
        """Return all outputs in training, otherwise only the main one.

        Args:
            images: Batch of images, shape (N, height, width, channels).
            training: True in training.
        """
        outputs = self.network_of(images)(images, training=training)
        return outputs if training else _outputs(outputs)[0]

    def compute_loss(
        self,
        x: Any = None,  # noqa: ANN401
        y: Any = None,  # noqa: ANN401
        y_pred: Any = None,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        training: bool = True,
    ) -> Any:  # noqa: ANN401
        """Return the loss of a batch: the main loss and the weighted auxiliary ones.

        Args:
            x: Images, shape (N, height, width, channels).
            y: Targets.
            y_pred: All outputs.
            sample_weight: Weight of each image, shape (N,), or None.
            training: True in training.
        """
        own, *others = _outputs(y_pred)
        total = super().compute_loss(x, y, own, sample_weight, training)
        for factor, output in zip(self._factors, others, strict=False):
            total = total + factor * keras.ops.mean(self.loss(y, output))
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # noqa: ANN401
        """Return the metrics of the main output.

        Args:
            x: Images, shape (N, height, width, channels).
            y: Targets.
            y_pred: All outputs.
            sample_weight: Weight of each image, shape (N,), or None.
        """
        return super().compute_metrics(x, y, _outputs(y_pred)[0], sample_weight)


def network_in(model: keras.Model) -> keras.Model:
    """Return the network inside a model in training: itself, unless it has auxiliary heads."""
    return model.network if isinstance(model, WithAuxiliary) else model


def _outputs(predicted: Any) -> list[Any]:  # noqa: ANN401
    return list(predicted) if isinstance(predicted, list | tuple) else [predicted]
