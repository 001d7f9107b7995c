"""Networks that predict a class for each pixel: U-Nets, FCN, DeepLabV3+ and LR-ASPP.

All answer at the size of their images, whatever it is: maps are brought to the size of those that
they are joined with, and at last to that of the images.
"""

from __future__ import annotations

from functools import partial

from studio.engine.networks.backbones import BACKBONES, STAGES, stage_of
from studio.engine.networks.blocks import (
    START,
    filters_field,
    normalized,
    rectified,
    rectified_pair,
)
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import Architecture
from studio.engine.networks.spec import HEAD, INPUT
from studio.engine.networks.zoo import network
from studio.engine.networks.zoo.classic import ALEXNET
from studio.engine.plans import Plan, plan_field
from studio.engine.tasks.outputs import PIXELS

LOGITS = "logits"
"""Id of the convolution that outputs a map for each class."""


def _pixel_head(net: GraphBuilder) -> None:
    """Bring the maps of the classes, the layer added last, to the size of the images."""
    net.add("resize_like", "full_size", after=(net.last, INPUT), interpolation="bilinear")
    net.add("softmax", HEAD)


def _classes(net: GraphBuilder, **values: str) -> None:
    net.add("conv2d", LOGITS, filters=net.classes, kernel=1, **values)


def _full_size_head(net: GraphBuilder) -> None:
    """Predict classes from features of the size of the images."""
    _classes(net)
    net.add("softmax", HEAD)


# A small U-Net with batch normalization, for a CPU.


class SmallUNetPlan(Plan):
    """Size of the small U-Net."""

    filters: int = filters_field(
        16,
        "Filters",
        "Channels at the full size; each level below doubles them.",
        why="16 is fast on a CPU; 32 learns finer differences at four times the cost.",
    )
    depth: int = plan_field(
        4,
        label="Depth",
        help="How often the image is halved.",
        why="Each level sees twice as far: 3 for small tiles, 5 for large objects.",
        within=(1, 7),
    )


def _draw_small_unet(plan: SmallUNetPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    skips = []
    for level in range(plan.depth):
        rectified_pair(net, f"down{level + 1}", plan.filters * 2**level)
        skips.append(net.last)
        net.add("max_pool", f"down{level + 1}_pool", padding="same")
    rectified_pair(net, "bottom", plan.filters * 2**plan.depth)
    for level in reversed(range(plan.depth)):
        block, skip = f"up{level + 1}", skips[level]
        net.in_block(block)
        net.add("resize_like", f"{block}_resize", after=(net.last, skip), interpolation="nearest")
        net.add("concatenate", f"{block}_skip", after=(net.last, skip))
        rectified_pair(net, block, plan.filters * 2**level)


def small_unet(plan: Plan) -> network.ZooNetwork:
    """Return a small U-Net with some number of channels and levels."""
    plan = SmallUNetPlan.parse(plan.model_dump())
    side = 2**plan.depth
    return network.ZooNetwork(
        name=network.named("small_unet", plan),
        label="Small U-Net",
        year=2015,
        paper="Our own, after O. Ronneberger, P. Fischer, T. Brox, MICCAI 2015, and S. Ioffe, "
        "C. Szegedy, ICML 2015",
        summary="A U-Net with batch normalization and a quarter of the channels: fast on a CPU, "
        "and enough for most tasks with few classes.",
        smallest=(side, side),
        default_input=(128, 128, 3),
        draw=partial(_draw_small_unet, plan),
        head=_full_size_head,
        output=PIXELS,
        options=network.Options(plan, small_unet),
    )


SMALL_UNET = small_unet(SmallUNetPlan())


# U-Net as published, but for its borders.
#
# What differs: the convolutions keep the size of the maps, so that the answer is as large as the
# image; the paper mirrors the image around its border instead. The weights are the same.

_UNET_FILTERS = (64, 128, 256, 512)
_UNET_BOTTOM = 1024


def _draw_unet(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    skips = []
    for level, filters in enumerate(_UNET_FILTERS, start=1):
        _relu_pair(net, f"down{level}", filters)
        if level == len(_UNET_FILTERS):
            net.add("dropout", f"down{level}_dropout", rate=0.5)
        skips.append(net.last)
        net.add("max_pool", f"down{level}_pool", padding="same")
    _relu_pair(net, "bottom", _UNET_BOTTOM)
    net.add("dropout", "bottom_dropout", rate=0.5)
    for level in reversed(range(len(_UNET_FILTERS))):
        block, filters, skip = f"up{level + 1}", _UNET_FILTERS[level], skips[level]
        net.in_block(block).add(
            "conv2d_transpose",
            f"{block}_conv",
            filters=filters,
            kernel=2,
            stride=2,
            activation="relu",
            kernel_initializer=START,
        )
        if net.shape.height % 2 ** (level + 1) or net.shape.width % 2 ** (level + 1):
            net.add("resize_like", f"{block}_fit", after=(net.last, skip))
        net.add("concatenate", f"{block}_skip", after=(skip, net.last))
        _relu_pair(net, block, filters)


def _relu_pair(net: GraphBuilder, block: str, filters: int) -> None:
    net.in_block(block)
    for part in (1, 2):
        _relu(net, f"{block}_conv{part}", filters, 3)


def _relu(net: GraphBuilder, node_id: str, filters: int, kernel: int) -> None:
    net.add(
        "conv2d",
        node_id,
        filters=filters,
        kernel=kernel,
        activation="relu",
        kernel_initializer=START,
    )


UNET = network.ZooNetwork(
    name="unet",
    label="U-Net",
    year=2015,
    paper='O. Ronneberger, P. Fischer, T. Brox, "U-Net: convolutional networks for biomedical '
    'image segmentation", MICCAI 2015, arXiv:1505.04597',
    summary="The classic for biomedical images: fine maps on the way down are joined with coarse "
    "ones on the way up. 31 million weights: slow on a CPU.",
    smallest=(16, 16),
    default_input=(256, 256, 1),
    draw=_draw_unet,
    head=_full_size_head,
    output=PIXELS,
)


# Fully convolutional networks, as in DIGITS: a classifier whose dense layers became convolutions.
#
# What differs: convolutions keep the size of the maps, without a border of 100 pixels and a crop.
# Coarse maps are enlarged by bilinear interpolation, as the weights of the authors do, too: their
# transposed convolutions start there and do not learn. Maps of classes start with zeros.

_FCN_PAPER = (
    'J. Long, E. Shelhamer, T. Darrell, "Fully convolutional networks for semantic '
    'segmentation", CVPR 2015, arXiv:1411.4038'
)


def _coarse_classes(net: GraphBuilder, kernel: int) -> None:
    """Add the head of AlexNet or VGG as convolutions; `kernel` is the side of their last maps."""
    for name, side in (("fc6", kernel), ("fc7", 1)):
        _relu(net, name, 4096, side)
        net.add("dropout", f"{name}_dropout", rate=0.5)
    _classes(net, kernel_initializer="zeros")


def _fcn_alexnet_head(net: GraphBuilder) -> None:
    _coarse_classes(net, 6)
    _pixel_head(net)


FCN_ALEXNET = network.ZooNetwork(
    name="fcn_alexnet",
    label="FCN-AlexNet",
    year=2015,
    paper=_FCN_PAPER,
    summary="The basic segmentation network of DIGITS: one coarse map per class, enlarged 32 "
    "times.",
    smallest=ALEXNET.smallest,
    default_input=(256, 256, 3),
    draw=ALEXNET.draw,
    head=_fcn_alexnet_head,
    published=network.Published(57_000_000, (256, 256, 3), 21),
    output=PIXELS,
)


def _fcn_8s_head(net: GraphBuilder) -> None:
    _coarse_classes(net, 7)
    for stride in (16, 8):
        added = f"score{stride}"
        coarse = net.last
        network.add_inside(net, "vgg16", stride)
        net.add("conv2d", added, filters=net.classes, kernel=1, kernel_initializer="zeros")
        net.add("resize_like", f"up{stride}", after=(coarse, added), interpolation="bilinear")
        net.add("add", f"sum{stride}", after=(f"up{stride}", added))
    _pixel_head(net)


FCN_8S = network.ZooNetwork(
    name="fcn_8s",
    label="FCN-8s",
    year=2015,
    paper=_FCN_PAPER,
    summary="VGG-16 whose coarse maps are joined with finer ones twice. 134 million weights: for "
    "a GPU. Can start from ImageNet.",
    smallest=(32, 32),
    default_input=(256, 256, 3),
    draw=partial(network.draw_backbone, BACKBONES["vgg16"]),
    head=_fcn_8s_head,
    published=network.Published(134_000_000, (256, 256, 3), 21),
    backbone="vgg16",
    output=PIXELS,
)


# Heads on any published backbone.


class DeepLabPlan(network.BackbonePlan):
    """Backbone and size of DeepLabV3+."""

    filters: int = filters_field(
        256,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="256 as published; 64 or 128 are enough for few classes, and faster.",
    )


class LightPlan(network.BackbonePlan):
    """Backbone and size of LR-ASPP."""

    backbone: Architecture = network.backbone_field("mobilenet_v3_large")
    filters: int = filters_field(
        128,
        "Filters",
        "Channels of the layers behind the backbone.",
        why="128 as published; more for many classes.",
    )


_COARSE, _FINE = 16, 4
_LIGHT_FINE = 8
_RATES = (6, 12, 18)
_FINE_FILTERS = 48


def _separable(net: GraphBuilder, name: str, filters: int, dilation: int) -> None:
    """Add a depthwise 3x3 and a 1x1 convolution, each with batch normalization."""
    net.add(
        "depthwise_conv2d",
        f"{name}_depthwise",
        dilation=dilation,
        use_bias=False,
        kernel_initializer=START,
    )
    net.add("batch_normalization", f"{name}_depthwise_norm")
    net.add("activation", f"{name}_depthwise_relu", activation="relu")
    rectified(net, name, "", filters, 1)


def _deeplab_head(plan: DeepLabPlan, net: GraphBuilder) -> None:
    network.add_inside(net, plan.backbone, _COARSE)
    coarse, filters = net.last, plan.filters
    rectified(net, "aspp1", "", filters, 1)
    branches = [net.last]
    for rate in _RATES:
        net.last = coarse
        _separable(net, f"aspp{rate}", filters, rate)
        branches.append(net.last)
    net.add("global_average_pool", "aspp_mean", after=coarse, keepdims=True)
    rectified(net, "aspp_image", "", filters, 1)
    net.add("resize_like", "aspp_spread", after=(net.last, coarse), interpolation="nearest")
    net.add("concatenate", "aspp", after=(*branches, net.last))
    rectified(net, "aspp_project", "", filters, 1)
    net.add("dropout", "aspp_dropout", rate=0.5)
    context = net.last
    network.add_inside(net, plan.backbone, _FINE)
    rectified(net, "fine", "", _FINE_FILTERS, 1)
    fine = net.last
    net.add("resize_like", "context", after=(context, fine), interpolation="bilinear")
    net.add("concatenate", "decoder", after=("context", fine))
    for part in (1, 2):
        _separable(net, f"decoder{part}", filters, 1)
    _classes(net)
    _pixel_head(net)


# The backbone is taken up to its maps of a sixteenth of the image, without its last stage.
_DEEPLAB = network.HeadOnBackbone(
    name="deeplab_v3_plus",
    label="DeepLabV3+",
    year=2018,
    paper='L.-C. Chen, Y. Zhu, G. Papandreou, F. Schroff, H. Adam, "Encoder-decoder with '
    'atrous separable convolution for semantic image segmentation", ECCV 2018, '
    "arXiv:1802.02611",
    summary="Dilated convolutions of several rates on pretrained features, refined with "
    "finer maps: accurate on photos. Can start from ImageNet.",
    default_input=(256, 256, 3),
    plan=DeepLabPlan,
    head=_deeplab_head,
    output=PIXELS,
)
DEEPLAB = _DEEPLAB.on(DeepLabPlan())


class PretrainedUNetPlan(network.BackbonePlan):
    """Backbone and size of the U-Net on a backbone."""

    filters: int = filters_field(
        16,
        "Filters",
        "Channels at the full size; each level below doubles them, up to 256.",
        why="16 is fast on a CPU; 32 learns finer differences at four times the cost.",
    )


_MOST_FILTERS = 256


def _pretrained_unet_head(plan: PretrainedUNetPlan, net: GraphBuilder) -> None:
    """Enlarge the maps of the backbone step by step, each joined with its finer maps.

    The last step joins maps of the full size, so that what is one or two pixels wide is kept.
    """
    pixels = network.backbone_input(net)
    rectified(net, "bottom", "", _MOST_FILTERS, 1)
    for stride in reversed(STAGES):
        if not stage_of(plan.backbone, stride):
            continue
        coarse = net.last
        network.add_inside(net, plan.backbone, stride)
        _joined(net, f"up{stride}", coarse, min(plan.filters * stride, _MOST_FILTERS))
    coarse = net.last
    net.last = pixels
    normalized(net, "pixels", "", plan.filters, 3)
    net.add("activation", "pixels_relu", activation="relu")
    _joined(net, "up1", coarse, plan.filters)
    _full_size_head(net)


def _joined(net: GraphBuilder, name: str, coarse: str, filters: int) -> None:
    """Join coarse maps with the finer ones that were added last."""
    fine = net.last
    net.add("resize_like", f"{name}_resize", after=(coarse, fine), interpolation="bilinear")
    net.add("concatenate", f"{name}_skip", after=(net.last, fine))
    for part in (1, 2):
        _separable(net, f"{name}_{part}", filters, 1)


_PRETRAINED_UNET = network.HeadOnBackbone(
    name="pretrained_unet",
    label="Pretrained U-Net",
    year=2015,
    paper='Our own, after O. Ronneberger, P. Fischer, T. Brox, "U-Net: convolutional networks for '
    'biomedical image segmentation", MICCAI 2015, arXiv:1505.04597',
    summary="Pretrained features that are joined with finer ones up to the full size: keeps thin "
    "and small regions. Can start from ImageNet.",
    default_input=(256, 256, 3),
    plan=PretrainedUNetPlan,
    head=_pretrained_unet_head,
    output=PIXELS,
)
PRETRAINED_UNET = _PRETRAINED_UNET.on(PretrainedUNetPlan())


def on_backbone(backbone: Architecture) -> str:
    """Return the name of the network for masks that is recommended on a backbone."""
    return _PRETRAINED_UNET.name_on(backbone)


def _light_head(plan: LightPlan, net: GraphBuilder) -> None:
    coarse = net.last
    rectified(net, "context", "", plan.filters, 1)
    context = net.last
    net.add("global_average_pool", "gate_mean", after=coarse, keepdims=True)
    net.add("conv2d", "gate", filters=plan.filters, kernel=1, use_bias=False, activation="sigmoid")
    net.add("multiply", "gated", after=(context, "gate"))
    net.add("conv2d", "coarse_logits", filters=net.classes, kernel=1)
    network.add_inside(net, plan.backbone, _LIGHT_FINE)
    net.add("conv2d", "fine_logits", filters=net.classes, kernel=1)
    net.add(
        "resize_like",
        "enlarged",
        after=("coarse_logits", "fine_logits"),
        interpolation="bilinear",
    )
    net.add("add", LOGITS, after=("enlarged", "fine_logits"))
    _pixel_head(net)


LR_ASPP = network.HeadOnBackbone(
    name="lr_aspp",
    label="LR-ASPP",
    year=2019,
    paper='A. Howard et al., "Searching for MobileNetV3", ICCV 2019, arXiv:1905.02244',
    summary="The lightest head on pretrained features: a gate over the whole image and two "
    "maps per class. Can start from ImageNet.",
    default_input=(256, 256, 3),
    plan=LightPlan,
    head=_light_head,
    output=PIXELS,
).on(LightPlan())
