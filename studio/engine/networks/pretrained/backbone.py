"""Published networks with weights, by family, and what their weights expect of pixels.

To add one: a line under its paper in `BACKBONES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.engine.registry import Registry

IMAGENET = "imagenet"
"""What a plan calls the weights that come with a backbone."""

CAFFE_MEAN = (123.68, 116.779, 103.939)
"""Mean color of ImageNet, red, green, blue, 0 to 255, as Caffe's networks subtract it."""

TORCH_MEAN = (0.485, 0.456, 0.406)
TORCH_DEVIATION = (0.229, 0.224, 0.225)
"""Mean and standard deviation of the colors of ImageNet, 0 to 1, as those of PyTorch use them."""

Preprocessing = Literal["tf", "tf_128", "caffe", "torch", "torch_times_255"]
"""What the weights expect: pixels from -1 to 1; divided by 128, less 1; less the mean color;
standardized colors; or these times 255, where Keras divides by 255 inside of the backbone."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network of `keras.applications`.

    Figures are those of Keras' page of applications, for 1,000 classes and the usual size;
    accuracy is that of the first answer on the validation images of ImageNet.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        keras_function: Name of the function of `keras.applications` that builds it.
        year: Year of publication.
        paper: Who described it, and where.
        parameters: Number of weights with its head.
        accuracy: Share from 0 to 1; None where Keras states none.
        megabytes: Size of its weights with its head; None where Keras states none.
        preprocessing: What its weights expect of pixels.
        usual: Side of the images that the weights saw, in pixels.
        smallest: Smallest side of an image that it takes, in pixels.
        switches_preprocessing: True where Keras' preprocessing must be switched off.
    """

    name: str
    label: str
    keras_function: str
    year: int
    paper: str
    parameters: int
    accuracy: float | None
    megabytes: float | None
    preprocessing: Preprocessing
    usual: int = 224
    smallest: int = 32
    switches_preprocessing: bool = False


def _published(
    year: int,
    paper: str,
    preprocessing: Preprocessing,
    table: str,
    smallest: int = 32,
    switches_preprocessing: bool = False,
) -> list[Backbone]:
    """The networks of one paper.

    Args:
        year: Of publication.
        paper: Who described them, and where.
        preprocessing: What their weights expect of pixels.
        table: A line for each: name, label, function of Keras, number of weights, accuracy and
            megabytes (or -), and the usual side of the images.
        smallest: Smallest side of an image that they take, in pixels.
        switches_preprocessing: True where Keras' preprocessing must be switched off.
    """
    found = []
    for line in table.strip().splitlines():
        name, label, function, weights, *figures, side = (cell.strip() for cell in line.split("|"))
        accuracy, megabytes = (None if figure == "-" else float(figure) for figure in figures)
        count, usual = int(weights.replace(",", "")), int(side)
        found.append(
            Backbone(
                name,
                label,
                function,
                year,
                paper,
                count,
                accuracy,
                megabytes,
                preprocessing,
                usual,
                smallest,
                switches_preprocessing,
            )
        )
    return found


BACKBONES: Registry[Backbone] = Registry(
    "backbone",
    [
        # MobileNets: light enough for a phone, and fast on a CPU.
        *_published(
            2018,
            'M. Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", '
            "CVPR 2018, arXiv:1801.04381",
            "tf",
            """
    mobilenet_v2 | MobileNetV2 | MobileNetV2 | 3,538,984 | 0.713 | 14 | 224
    """,
        ),
        *_published(
            2017,
            'A. Howard et al., "MobileNets", 2017, arXiv:1704.04861',
            "tf",
            """
    mobilenet | MobileNet | MobileNet | 4,253,864 | 0.704 | 16 | 224
    """,
        ),
        *_published(
            2019,
            'A. Howard et al., "Searching for MobileNetV3", ICCV 2019, arXiv:1905.02244',
            "tf",
            """
    mobilenet_v3_small | MobileNetV3 small | MobileNetV3Small | 2,554,968 | - | - | 224
    mobilenet_v3_large | MobileNetV3 large | MobileNetV3Large | 5,507,432 | - | - | 224
    """,
            switches_preprocessing=True,
        ),
        # EfficientNets: the most accuracy for their cost.
        *_published(
            2021,
            'M. Tan, Q. Le, "EfficientNetV2: smaller models and faster training", '
            "ICML 2021, arXiv:2104.00298",
            "torch",
            """
    efficientnet_v2_b0 | EfficientNetV2-B0 | EfficientNetV2B0 |  7,200,312 | 0.787 | 29 | 224
    efficientnet_v2_b1 | EfficientNetV2-B1 | EfficientNetV2B1 |  8,212,124 | 0.798 | 34 | 240
    efficientnet_v2_b2 | EfficientNetV2-B2 | EfficientNetV2B2 | 10,178,374 | 0.805 | 42 | 260
    efficientnet_v2_b3 | EfficientNetV2-B3 | EfficientNetV2B3 | 14,467,622 |  0.82 | 59 | 300
    """,
            switches_preprocessing=True,
        ),
        *_published(
            2021,
            'M. Tan, Q. Le, "EfficientNetV2: smaller models and faster training", '
            "ICML 2021, arXiv:2104.00298",
            "tf_128",
            """
    efficientnet_v2_s | EfficientNetV2-S | EfficientNetV2S |  21,612,360 | 0.839 |  88 | 384
    efficientnet_v2_m | EfficientNetV2-M | EfficientNetV2M |  54,431,388 | 0.853 | 220 | 480
    efficientnet_v2_l | EfficientNetV2-L | EfficientNetV2L | 119,027,848 | 0.857 | 479 | 480
    """,
            switches_preprocessing=True,
        ),
        *_published(
            2019,
            'M. Tan, Q. Le, "EfficientNet: rethinking model scaling for convolutional neural '
            'networks", '
            "ICML 2019, arXiv:1905.11946",
            "torch_times_255",
            """
    efficientnet_b0 | EfficientNet-B0 | EfficientNetB0 |  5,330,571 | 0.771 |  29 | 224
    efficientnet_b1 | EfficientNet-B1 | EfficientNetB1 |  7,856,239 | 0.791 |  31 | 240
    efficientnet_b2 | EfficientNet-B2 | EfficientNetB2 |  9,177,569 | 0.801 |  36 | 260
    efficientnet_b3 | EfficientNet-B3 | EfficientNetB3 | 12,320,535 | 0.816 |  48 | 300
    efficientnet_b4 | EfficientNet-B4 | EfficientNetB4 | 19,466,823 | 0.829 |  75 | 380
    efficientnet_b5 | EfficientNet-B5 | EfficientNetB5 | 30,562,527 | 0.836 | 118 | 456
    efficientnet_b6 | EfficientNet-B6 | EfficientNetB6 | 43,265,143 |  0.84 | 166 | 528
    efficientnet_b7 | EfficientNet-B7 | EfficientNetB7 | 66,658,687 | 0.843 | 256 | 600
    """,
        ),
        # ResNets: blocks that learn what to add to what comes in.
        *_published(
            2015,
            'K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image '
            'recognition", '
            "CVPR 2016, arXiv:1512.03385",
            "caffe",
            """
    resnet50  | ResNet-50  | ResNet50  | 25,636,712 | 0.749 |  98 | 224
    resnet101 | ResNet-101 | ResNet101 | 44,707,176 | 0.764 | 171 | 224
    resnet152 | ResNet-152 | ResNet152 | 60,419,944 | 0.766 | 232 | 224
    """,
        ),
        *_published(
            2016,
            'K. He, X. Zhang, S. Ren, J. Sun, "Identity mappings in deep residual networks", '
            "ECCV 2016, arXiv:1603.05027",
            "tf",
            """
    resnet50_v2  | ResNet-50 V2  | ResNet50V2  | 25,613,800 |  0.76 |  98 | 224
    resnet101_v2 | ResNet-101 V2 | ResNet101V2 | 44,675,560 | 0.772 | 171 | 224
    resnet152_v2 | ResNet-152 V2 | ResNet152V2 | 60,380,648 |  0.78 | 232 | 224
    """,
        ),
        # DenseNets: every layer sees all before it in its block.
        *_published(
            2016,
            'G. Huang et al., "Densely connected convolutional networks", '
            "CVPR 2017, arXiv:1608.06993",
            "torch",
            """
    densenet121 | DenseNet-121 | DenseNet121 |  8,062,504 |  0.75 | 33 | 224
    densenet169 | DenseNet-169 | DenseNet169 | 14,307,880 | 0.762 | 57 | 224
    densenet201 | DenseNet-201 | DenseNet201 | 20,242,984 | 0.773 | 80 | 224
    """,
        ),
        # Inception and its relatives: windows of several sizes side by side.
        *_published(
            2015,
            'C. Szegedy et al., "Rethinking the Inception architecture for computer vision", '
            "CVPR 2016, arXiv:1512.00567",
            "tf",
            """
    inception_v3 | Inception v3 | InceptionV3 | 23,851,784 | 0.779 | 92 | 299
    """,
            smallest=75,
        ),
        *_published(
            2016,
            'F. Chollet, "Xception: deep learning with depthwise separable convolutions", '
            "CVPR 2017, arXiv:1610.02357",
            "tf",
            """
    xception | Xception | Xception | 22,910,480 | 0.79 | 88 | 299
    """,
            smallest=71,
        ),
        *_published(
            2016,
            'C. Szegedy et al., "Inception-v4, Inception-ResNet and the impact of residual '
            'connections on learning", '
            "AAAI 2017, arXiv:1602.07261",
            "tf",
            """
    inception_resnet_v2 | Inception-ResNet v2 | InceptionResNetV2 | 55,873,736 | 0.803 | 215 | 299
    """,
            smallest=75,
        ),
        # ConvNeXts: convolutions with what made vision transformers strong.
        *_published(
            2022,
            'Z. Liu et al., "A ConvNet for the 2020s", CVPR 2022, arXiv:2201.03545',
            "torch",
            """
    convnext_tiny   | ConvNeXt tiny        | ConvNeXtTiny   |  28,589,128 | 0.813 | 109.42 | 224
    convnext_small  | ConvNeXt small       | ConvNeXtSmall  |  50,223,688 | 0.823 | 192.29 | 224
    convnext_base   | ConvNeXt base        | ConvNeXtBase   |  88,591,464 | 0.853 | 338.58 | 224
    convnext_large  | ConvNeXt large       | ConvNeXtLarge  | 197,767,336 | 0.863 | 755.07 | 224
    convnext_xlarge | ConvNeXt extra large | ConvNeXtXLarge | 350,196,968 | 0.867 |   1310 | 224
    """,
            switches_preprocessing=True,
        ),
        # NASNets: cells that a search found.
        *_published(
            2017,
            'B. Zoph et al., "Learning transferable architectures for scalable image '
            'recognition", '
            "CVPR 2018, arXiv:1707.07012",
            "tf",
            """
    nasnet_mobile | NASNet mobile | NASNetMobile |  5,326,716 | 0.744 |  23 | 224
    nasnet_large  | NASNet large  | NASNetLarge  | 88,949,818 | 0.825 | 343 | 331
    """,
        ),
        # VGG nets: nothing but 3x3 windows; large and slow, with features that many still use.
        *_published(
            2014,
            'K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale '
            'image recognition", '
            "ICLR 2015, arXiv:1409.1556",
            "caffe",
            """
    vgg16 | VGG-16 | VGG16 | 138,357,544 | 0.713 | 528 | 224
    vgg19 | VGG-19 | VGG19 | 143,667,240 | 0.713 | 549 | 224
    """,
        ),
    ],
)
