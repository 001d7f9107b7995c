"""The table of export formats: everything that differs between them is a field of it.

The command line, the window, the writers, certificates and benchmarks read this table. To add a
format: 1. one entry here; 2. its writer in `engine/compute/exporters/`, a function of
(source, path, precision); 3. the script that runs it, `<runtime>.py` in
`assets/export/runtimes/`, unless one of those does. Other packages add formats by entry points of
the group `studio.export_formats`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, get_args

from studio.engine.assets import asset
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.installation import install_command
from studio.engine.messages import message
from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry

Precision = Literal["float32", "float16", "dynamic", "int8"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
_WRITERS = "studio.engine.compute.exporters"


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One export format.

    Attributes:
        name: Name on the command line and in files.
        label: Name shown to people.
        summary: Typical use, one line.
        writer: `module:function` that writes it.
        packages: Modules that must be importable to write and certify it.
        install: Command that installs them.
        precisions: Numeric types it can be written in; the first is the default.
        file: Name of the file or folder that holds the model.
        runtime: Script that runs it: a name in `assets/export/runtimes`, or the path of a file.
        needs: Command that installs what the script needs.
        input_types: Numeric type of the input by precision, where it is not float32.
        uses_gpu: True if its runtime computes on a GPU without further setup.
        is_model: True if it hands on a model; "all" leaves out the others.
        is_archive: True if it is always one `.zip` file.
        needs_dataset: True if it contains the training images.
        holds_decoding: True if a file can make boxes of the outputs of its network.
        predicts: True if Studio predicts with such files; they contain no code.
        describer: `module:function` that adds files which describe the finished folder; empty if
            there are none.
    """

    name: str
    label: str
    summary: str
    writer: str = ""
    packages: tuple[str, ...] = ()
    install: str = ""
    precisions: tuple[Precision, ...] = ("float32",)
    file: str = "model"
    runtime: str = "keras"
    needs: str = "pip install keras tensorflow numpy pillow"
    input_types: tuple[tuple[Precision, str], ...] = ()
    uses_gpu: bool = False
    is_model: bool = True
    is_archive: bool = False
    needs_dataset: bool = False
    holds_decoding: bool = False
    predicts: bool = False
    describer: str = ""

    @property
    def script(self) -> Path:
        """The script that runs it; exports contain a copy."""
        own = Path(self.runtime)
        return own if own.suffix else asset(f"export/runtimes/{self.runtime}.py")

    def missing(self) -> list[str]:
        """Packages that are not installed."""
        return [name for name in self.packages if importlib.util.find_spec(name) is None]

    def input_type(self, precision: Precision) -> str:
        """Numeric type of the input pixels, each 0 to 255."""
        return dict(self.input_types).get(precision, "float32")


FORMATS: Registry[ExportFormat] = Registry(
    "export format",
    [
        ExportFormat(
            name="keras",
            label="Keras",
            summary="A .keras file; opens in any Keras 3, can be trained further, and Studio "
            "reads it.",
            writer=f"{_WRITERS}.keras_formats:write_keras",
            packages=("keras",),
            install=install_command(),
            file="model.keras",
            uses_gpu=True,
            predicts=True,
        ),
        ExportFormat(
            name="savedmodel",
            label="SavedModel",
            summary="A folder for TensorFlow and TensorFlow Serving.",
            writer=f"{_WRITERS}.keras_formats:write_saved_model",
            packages=("tensorflow",),
            install=install_command("tensorflow"),
            runtime="savedmodel",
            needs="pip install tensorflow numpy pillow",
            uses_gpu=True,
            holds_decoding=True,
        ),
        ExportFormat(
            name="tflite",
            label="LiteRT (TFLite)",
            summary="One small file for phones, single-board computers and small programs.",
            writer=f"{_WRITERS}.keras_formats:write_tflite",
            packages=("tensorflow",),
            install=install_command("tensorflow"),
            precisions=PRECISIONS,
            file="model.tflite",
            runtime="tflite",
            needs="pip install ai-edge-litert numpy pillow",
            input_types=(("int8", "uint8"),),
            predicts=True,
        ),
        ExportFormat(
            name="onnx",
            label="ONNX",
            summary="One file for onnxruntime, OpenVINO, TensorRT, and other languages.",
            writer=f"{_WRITERS}.onnx_file:write",
            packages=("tensorflow", "onnx", "tf2onnx", "onnxruntime"),
            install=install_command("tensorflow", "onnx"),
            precisions=("float32", "float16", "int8"),
            file="model.onnx",
            runtime="onnx",
            needs="pip install onnxruntime numpy pillow",
            holds_decoding=True,
            predicts=True,
        ),
        ExportFormat(
            name="openvino",
            label="OpenVINO IR",
            summary="model.xml and model.bin for OpenVINO: fast on Intel processors and their "
            "GPUs.",
            writer=f"{_WRITERS}.openvino_ir:write",
            packages=("tensorflow", "openvino"),
            install=install_command("tensorflow", "openvino"),
            precisions=("float32", "float16"),
            runtime="openvino",
            needs="pip install openvino numpy pillow",
            predicts=True,
        ),
        ExportFormat(
            name="torch",
            label="PyTorch (.pt2)",
            summary="One file that torch.export.load reads: for PyTorch, without Keras.",
            writer=f"{_WRITERS}.torch_program:write",
            packages=("torch",),
            install=install_command("torch"),
            file="model.pt2",
            runtime="torch",
            needs="pip install torch numpy pillow",
        ),
        ExportFormat(
            name="weights",
            label="Weights",
            summary="A .weights.h5 file and the network as plain Keras code, to read and change.",
            writer=f"{_WRITERS}.keras_formats:write_weights",
            packages=("keras",),
            install=install_command(),
            file="model.weights.h5",
            runtime="weights",
            uses_gpu=True,
        ),
        ExportFormat(
            name="bundle",
            label="Bundle",
            summary="One .zip: a LiteRT file with its script, and the Keras model, which Studio "
            "opens.",
            writer=f"{_WRITERS}.keras_formats:write_bundle",
            packages=("tensorflow",),
            install=install_command("tensorflow"),
            precisions=PRECISIONS,
            file="model.tflite",
            runtime="tflite",
            needs="pip install ai-edge-litert numpy pillow",
            input_types=(("int8", "uint8"),),
            predicts=True,
            is_model=False,
            is_archive=True,
        ),
        ExportFormat(
            name="bioimage",
            label="BioImage.IO",
            summary="One .zip that tools for microscopy open: the ONNX file with rdf.yaml, test "
            "input and test output.",
            writer=f"{_WRITERS}.onnx_file:write",
            packages=("bioimageio", "tensorflow", "onnx", "tf2onnx", "onnxruntime"),
            install=install_command("tensorflow", "bioimage"),
            file="model.onnx",
            runtime="onnx",
            needs="pip install onnxruntime numpy pillow",
            is_model=False,
            is_archive=True,
            holds_decoding=True,
            predicts=True,
            describer=f"{_WRITERS}.bioimage_package:describe",
        ),
        ExportFormat(
            name="script",
            label="Training script",
            summary="train.py, which repeats the training without Studio, with images and "
            "weights.",
            writer=f"{_WRITERS}.script:write",
            packages=("keras",),
            install=install_command(),
            file="model.weights.h5",
            runtime="weights",
            is_model=False,
            needs_dataset=True,
        ),
    ],
    Kind(
        "studio.export_formats",
        "export format",
        ("label", "precisions", "script", "writer"),
        comes_first=False,
    ),
)
"""Export formats by their names."""


# A format in a precision: what one exported file is.

ALL = "all"


@dataclass(frozen=True, slots=True)
class Variant:
    """An export format with a precision; as text `tflite:int8`."""

    format: ExportFormat
    precision: Precision

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `FORMAT` or `FORMAT:PRECISION`.

        Raises:
            StudioError: There is no such format, or it has no such precision.
        """
        name, _, precision = text.partition(":")
        chosen = FORMATS[name]
        requested = precision or chosen.precisions[0]
        for known in chosen.precisions:
            if known == requested:
                return cls(chosen, known)
        if requested not in PRECISIONS:
            hint = did_you_mean(requested, PRECISIONS)
            raise StudioError(
                'There is no precision "{precision}".', hint, "precision", precision=requested
            )
        raise StudioError(
            'The format {format} does not support the precision "{precision}".',
            message("Available: {precisions}.", precisions=", ".join(chosen.precisions)),
            "precision",
            format=chosen.label,
            precision=requested,
        )

    @property
    def name(self) -> str:
        """Name in plans, such as `tflite:int8`."""
        return f"{self.format.name}:{self.precision}"

    @property
    def label(self) -> str:
        """Display name."""
        return f"{self.format.label} {self.precision}"

    @property
    def ending(self) -> str:
        """Suffix of the folder's name; empty for the usual precision."""
        usual = self.precision == self.format.precisions[0]
        return self.format.name if usual else f"{self.format.name}-{self.precision}"

    def require_packages(self) -> None:
        """Refuse what cannot be written here.

        Raises:
            StudioError: Names the packages and what to type.
        """
        missing = self.format.missing()
        if missing:
            raise StudioError(
                message(
                    "The format {format} needs {packages}, which are not installed.",
                    one="The format {format} needs {packages}, which is not installed.",
                    count=len(missing),
                    format=self.format.label,
                    packages=", ".join(missing),
                ),
                message("Install it: {command}", command=self.format.install),
                "format",
            )


def every_variant(*, installed: bool) -> list[Variant]:
    """Return all variants in which a model is handed on.

    Args:
        installed: Leave out those whose packages are missing.
    """
    return [
        Variant(each, precision)
        for each in FORMATS
        if each.is_model and not (installed and each.missing())
        for precision in each.precisions
    ]


def chosen_variants(formats: Iterable[str], precisions: Iterable[str]) -> list[Variant]:
    """Resolve lists of formats and precisions; either may be `all`.

    Without precisions, a named format is written in its default one and `all` formats in every
    precision they support.

    Args:
        formats: Names of formats, or `all`.
        precisions: Names of precisions, or `all`; may be empty.

    Raises:
        StudioError: A format or precision is unknown, or a named format lacks the precision.
    """
    names, requested = list(formats), list(precisions)
    every = every_variant(installed=True)
    if names == [ALL]:
        if not requested or requested == [ALL]:
            return every
        for precision in requested:
            if precision not in PRECISIONS:
                hint = did_you_mean(precision, PRECISIONS)
                raise StudioError(
                    'There is no precision "{precision}".', hint, "precision", precision=precision
                )
        return [variant for variant in every if variant.precision in requested]
    found = []
    for name in names:
        if requested == [ALL]:
            found += [Variant(FORMATS[name], each) for each in FORMATS[name].precisions]
        elif requested:
            found += [Variant.parse(f"{name}:{each}") for each in requested]
        else:
            found.append(Variant.parse(name))
    return list(dict.fromkeys(found))
