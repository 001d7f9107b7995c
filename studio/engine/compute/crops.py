"""Training on crops of images, for networks that are used on whole ones."""

from __future__ import annotations

from typing import Any

import keras

from studio.engine.compute.auxiliary import WithAuxiliary
from studio.engine.compute.build import build, computing_in, without_weights
from studio.engine.errors import StudioError
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.precision import Precision


class WithCrops(WithAuxiliary):
    """A network in training that takes crops of one size as well as whole images.

    A Keras model takes images of one size, because some layers depend on it, such as those that
    enlarge a map. The crops have a model of their own, with the same weights. Never saved.

    Args:
        network: The network from `build` with `auxiliary=True`.
        spec: Its description.
        cropped: The model for crops, from `cropped_network`.
    """

    def __init__(self, network: keras.Model, spec: NetworkSpec, cropped: keras.Model) -> None:
        super().__init__(network, spec)
        self.cropped = cropped

    def network_of(self, images: Any) -> keras.Model:  # noqa: ANN401
        """Return the model for images of their size; see `WithAuxiliary.network_of`."""
        is_crop = tuple(images.shape[1:3]) == tuple(self.cropped.input_shape[1:3])
        return self.cropped if is_crop else self.network


def cropped_network(
    network: keras.Model, spec: NetworkSpec, side: int, precision: Precision
) -> keras.Model:
    """Return a model of a network for square crops, with the same weights.

    Args:
        network: The network from `build` with `auxiliary=True`.
        spec: Its description.
        side: Side of the crops in pixels.
        precision: That of the network.

    Raises:
        StudioError: The network does not take crops of that size, or some weights depend on the
            size of the images.
    """
    size = spec.input.model_copy(update={"height": side, "width": side})
    with computing_in(precision), without_weights():
        model = build(spec.model_copy(update={"input": size}), seed=None, auxiliary=True)

    def shared(layer: keras.Layer) -> keras.Layer:
        # Those without weights, such as resizing, are for images of their size.
        if not layer.variables:
            return layer
        own = network.get_layer(layer.name)
        if [each.shape for each in own.variables] != [each.shape for each in layer.variables]:
            raise StudioError(
                "The network cannot be trained on crops: the weights of “{layer}” depend on the "
                "size of the images.",
                "Set the crop to 0, or choose another network.",
                "augmentation.crop",
                layer=layer.name,
            )
        return own

    return keras.models.clone_model(model, clone_function=shared)
