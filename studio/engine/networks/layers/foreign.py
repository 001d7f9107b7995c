"""A layer of Keras that has no form here: it is kept as Keras wrote it down.

Networks from elsewhere hold such layers. Only layers of Keras that work on images or features are
taken, each by name: none of them holds code, and none reads a file or address that its settings
name. A description is data. Keras makes whatever a configuration names, so settings are checked at
every depth before Keras, or a person who runs generated code, uses them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import field_validator

from studio.engine.messages import message
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
"""Names of the Keras layers that may come from foreign files."""

_REFUSED = """
CategoryEncoding CutMix FlaxLayer HashedCrossing Hashing IntegerLookup JaxLayer Lambda Layer
MaxNumBoundingBoxes MelSpectrogram MixUp Pipeline ReversibleEmbedding STFTSpectrogram StringLookup
TFSMLayer TextVectorization TorchModuleWrapper Wrapper
"""

REFUSED_LAYERS = frozenset(_REFUSED.split())
"""Names of the other layers of Keras; a test compares both lists with Keras."""

_LAYER_MODULES = ("keras.layers", "keras.src.layers", "keras.src.applications")
_MODEL_MODULES = ("keras.models", "keras.src.models", "keras.src.engine")
MODEL_CLASSES = ("Functional", "Model", "Sequential")
_HARMLESS_MODULES = (
    "keras.activations",
    "keras.constraints",
    "keras.dtype_policies",
    "keras.initializers",
    "keras.ops",
    "keras.regularizers",
    *(
        f"keras.src.{part}"
        for part in (
            "activations",
            "constraints",
            "dtype_policies",
            "initializers",
            "ops",
            "regularizers",
        )
    ),
)
_REBUILD = (
    "Build the model from layers of Keras alone in Python, load its weights, and save it again."
)
_AT_THE_TOP = (*MODEL_CLASSES, "DTypePolicy", "DTypePolicyMap", "FloatDTypePolicy", "Variable")


def not_taken(name: str) -> str:
    """Reason why a layer is not supported, as part of a sentence."""
    return message("a layer {kind} is not accepted: it may contain code, or read files", kind=name)


class ForeignCodeError(ValueError):
    """A configuration needs code that is not in the file, or code that is never run.

    Attributes:
        hint: What to do about it.
    """

    def __init__(self, reason: str, hint: str = _REBUILD) -> None:
        super().__init__(reason)
        self.hint = hint


def refuse_foreign_code(config: object) -> None:
    """Refuse a configuration that would bring in more than data for layers of `TAKEN_LAYERS`.

    Raises:
        ForeignCodeError: At some depth it names a custom class, or one that holds code or
            files.
    """
    if isinstance(config, Mapping):
        if "class_name" in config:
            _refuse_class(config)
        _refuse_registered(config)
        for inside in config.values():
            refuse_foreign_code(inside)
    elif isinstance(config, list | tuple):
        for inside in config:
            refuse_foreign_code(inside)


def _refuse_registered(config: Mapping[str, object]) -> None:
    """Refuse the name of a registered class other than `class_name`: Keras would make that one.

    Raises:
        ForeignCodeError: There is one.
    """
    registered, name = config.get("registered_name"), config.get("class_name")
    if registered is None or registered == name:
        return
    is_function = name == "function" and isinstance(registered, str) and ">" not in registered
    if "class_name" in config and not is_function:
        raise _of_its_own(registered)


def _refuse_class(config: Mapping[str, object]) -> None:
    name, module = config["class_name"], config.get("module")
    if name in ("Lambda", "__lambda__"):
        inside = config.get("config")
        layer = inside.get("name", "") if isinstance(inside, Mapping) else ""
        raise ForeignCodeError(
            message('the Lambda "{layer}" contains code, which is not run', layer=layer)
        )
    if not isinstance(name, str) or not name.isidentifier():
        raise _of_its_own(name)
    is_refused = name in REFUSED_LAYERS
    if (is_refused or _is_in(module, _LAYER_MODULES)) and name not in (
        *TAKEN_LAYERS,
        *MODEL_CLASSES,
    ):
        raise ForeignCodeError(not_taken(name))
    if module is None or module == "builtins" or _is_in(module, _LAYER_MODULES):
        return
    known = _AT_THE_TOP if module == "keras" else MODEL_CLASSES
    is_model = module == "keras" or _is_in(module, _MODEL_MODULES)
    if not (_is_in(module, _HARMLESS_MODULES) or (is_model and name in known)):
        raise _of_its_own(f"{module}.{name}")


def _of_its_own(name: object) -> ForeignCodeError:
    """Return the error for a custom class: a subclassed model, or a layer."""
    return ForeignCodeError(
        message("{kind} is not part of Keras, and its code is not in the file", kind=name)
    )


def _is_in(module: object, packages: tuple[str, ...]) -> bool:
    return isinstance(module, str) and f"{module}.".startswith(tuple(f"{p}." for p in packages))


class KerasParameters(Plan):
    """Parameters of `keras`."""

    class_name: str = plan_field(
        "Identity",
        label="Class",
        help="Name of a class of keras.layers.",
        why="For layers without a form in Studio; only classes that are part of Keras.",
    )
    config: str = plan_field(
        "{}",
        label="Settings",
        help="Its settings as JSON, as get_config of the Keras layer gives them.",
        why="As Keras writes it. Omitted settings use the defaults of Keras.",
    )

    @field_validator("class_name")
    @classmethod
    def _is_data(cls, name: str) -> str:
        if not name.isidentifier():
            raise ValueError(
                message('the name of a class is required; received "{name}"', name=name)
            )
        if name not in TAKEN_LAYERS:
            raise ValueError(not_taken(name))
        return name

    @field_validator("config")
    @classmethod
    def _is_an_object(cls, text: str) -> str:
        try:
            settings = json.loads(text)
            if isinstance(settings, dict):
                refuse_foreign_code(settings)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(
                message("the settings are not valid JSON: {reason}", reason=error)
            ) from None
        if not text.lstrip().startswith("{"):
            raise ValueError(
                message(
                    "the settings must be a JSON object; received {text}", text=repr(text[:40])
                )
            )
        return text

    @property
    def settings(self) -> dict[str, object]:
        """Settings in `config`, parsed from its JSON."""
        settings: dict[str, object] = json.loads(self.config)
        return settings


KERAS = Layer(
    name="keras",
    label="Keras layer",
    summary="Any other layer of Keras, with its settings as JSON.",
    keras_class="",
    parameters=KerasParameters,
    renamed={},
    any_inputs=True,
)
