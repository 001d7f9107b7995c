"""A layer of Keras that has no form here: it is kept as Keras wrote it down.

Networks from elsewhere hold such layers. Only layers of Keras that work on images or features are
taken, each by name: none of them holds code, and none reads a file or address that its settings
name. A description is data.
"""

from __future__ import annotations

import json

from pydantic import field_validator

from studio.engine.networks.layers.layer import Layer
from studio.engine.plans import Plan, plan_field

_EACH_DIMENSION = """
AdaptiveAveragePooling AdaptiveMaxPooling AveragePooling AvgPool Conv ConvLSTM Convolution Cropping
GlobalAveragePooling GlobalAvgPool GlobalMaxPool GlobalMaxPooling MaxPool MaxPooling SpatialDropout
UpSampling ZeroPadding
"""
_OTHERS = """
Activation ActivityRegularization Add AdditiveAttention AlphaDropout Attention AugMix AutoContrast
Average BatchNormalization Bidirectional CenterCrop Concatenate
ContrastLimitedAdaptiveHistogramEqualization Conv1DTranspose Conv2DTranspose Conv3DTranspose
Convolution1DTranspose Convolution2DTranspose Convolution3DTranspose CustomScaleLayer Dense
DepthwiseConv1D DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense Embedding Equalization
Flatten GRU GRUCell GaussianDropout GaussianNoise GroupNormalization GroupQueryAttention Identity
InputLayer LSTM LSTMCell LayerNormalization LayerScale LeakyReLU Masking Maximum Minimum
MultiHeadAttention Multiply Normalization PReLU Permute RMSNormalization RNN RandAugment
RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop
RandomElasticTransform RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue
RandomInvert RandomPerspective RandomPosterization RandomRotation RandomSaturation RandomSharpness
RandomShear RandomTranslation RandomZoom ReLU RepeatVector Rescaling Reshape Resizing
SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D SimpleRNN
SimpleRNNCell Softmax Solarization SpectralNormalization StackedRNNCells Subtract TimeDistributed
UnitNormalization
"""

TAKEN_LAYERS = frozenset(
    [f"{name}{count}D" for name in _EACH_DIMENSION.split() for count in (1, 2, 3)]
    + _OTHERS.split()
)
"""Names of the layers of Keras that may come from anywhere."""


def not_taken(name: str) -> str:
    """Why a layer is not taken, as part of a sentence."""
    return f"a layer {name} is not taken from elsewhere: it may hold code, or read files"


class KerasParameters(Plan):
    """Parameters of `keras`."""

    class_name: str = plan_field(
        "Identity",
        label="Class",
        help="Name of a class of keras.layers.",
        why="For layers that Studio has no form for. Only classes that come with Keras.",
    )
    config: str = plan_field(
        "{}",
        label="Settings",
        help="Its settings as JSON, as get_config of the Keras layer gives them.",
        why="As Keras writes it. What is left out takes the default of Keras.",
    )

    @field_validator("class_name")
    @classmethod
    def _is_data(cls, name: str) -> str:
        if not name.isidentifier():
            raise ValueError(f'the name of a class is needed; received "{name}"')
        if name not in TAKEN_LAYERS:
            raise ValueError(not_taken(name))
        return name

    @field_validator("config")
    @classmethod
    def _is_an_object(cls, text: str) -> str:
        try:
            json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"the settings are no JSON: {error}") from None
        if not text.lstrip().startswith("{"):
            raise ValueError(f"the settings are a JSON object; received {text[:40]!r}")
        return text

    @property
    def settings(self) -> dict[str, object]:
        """What `config` says, read from its JSON."""
        settings: dict[str, object] = json.loads(self.config)
        return settings


KERAS = Layer(
    name="keras",
    label="Keras layer",
    family="core",
    summary="Any other layer of Keras, with its settings as JSON.",
    keras_class="",
    parameters=KerasParameters,
    any_inputs=True,
)
