"""Networks of one path without shortcuts, from the perceptron to Network in Network."""

from __future__ import annotations

from functools import partial

from studio.engine.messages import message
from studio.engine.networks.blocks import START, conv, filters_field
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo import network
from studio.engine.plans import Plan, plan_field

# LeNet-5, close to the paper.
#
# As published: two convolutions of 6 and 16 filters of 5x5, each halved by pooling, then dense
# layers of 120 and 84 units, with tanh between; images smaller than 32x32 get the border of two
# pixels that the authors put around the 28x28 digits. 61,706 weights at 28x28x1 and at 32x32x1.
#
# What differs: max pooling without weights instead of a trained mean; the second convolution sees
# all six maps instead of the paper's hand-picked table; softmax instead of radial basis units;
# He's start values, with which it learns in fewer epochs.

_PUBLISHED_SIDE = 32
_START = "he_normal"


def _draw_lenet(net: GraphBuilder) -> GraphBuilder:
    small = min(net.shape.height, net.shape.width) < _PUBLISHED_SIDE
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _tanh_convolution(net, "c1", 6, "same" if small else "valid")
    net.add("max_pool", "s2")
    _tanh_convolution(net, "c3", 16, "valid")
    net.add("max_pool", "s4").add("flatten")
    net.add("dense", "c5", units=120, activation="tanh", kernel_initializer=_START)
    return net.add("dense", "f6", units=84, activation="tanh", kernel_initializer=_START)


def _tanh_convolution(net: GraphBuilder, node_id: str, filters: int, padding: str) -> None:
    net.add(
        "conv2d",
        node_id,
        filters=filters,
        kernel=5,
        padding=padding,
        activation="tanh",
        kernel_initializer=_START,
    )


LENET = network.ZooNetwork(
    name="lenet",
    label="LeNet-5",
    year=1998,
    paper='Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to '
    'document recognition", Proceedings of the IEEE 86, 1998',
    summary="The classic for handwritten digits: small, fast, and enough for simple images.",
    smallest=(12, 12),
    default_input=(28, 28, 1),
    draw=_draw_lenet,
    published=network.Published(60_000, (32, 32, 1), 10),
)


# A small convolutional network that trains well on a CPU at 32 to 96 pixels.
#
# Three stages of two convolutions with batch normalization, in the manner of VGG (Simonyan and
# Zisserman 2015) and of Ioffe and Szegedy (2015); global average pooling (Lin et al. 2014)
# keeps the head small at any image size. About 290,000 weights.

_FILTERS = (32, 64, 128)
_CNN_DROPOUT = 0.2


def _draw_small_cnn(net: GraphBuilder) -> GraphBuilder:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for stage, filters in enumerate(_FILTERS, start=1):
        for step in (1, 2):
            _normalized_convolution(net, f"{stage}_{step}", filters)
        if stage < len(_FILTERS):
            net.add("max_pool")
    return net.add("global_average_pool").add("dropout", rate=_CNN_DROPOUT)


def _normalized_convolution(net: GraphBuilder, number: str, filters: int) -> None:
    net.add(
        "conv2d",
        f"conv_{number}",
        filters=filters,
        use_bias=False,
        kernel_initializer="he_normal",
    )
    net.add("batch_normalization", f"norm_{number}")
    net.add("activation", f"relu_{number}", activation="relu")


SMALL_CNN = network.ZooNetwork(
    name="small_cnn",
    label="Small CNN",
    year=2015,
    paper="Our own, after K. Simonyan and A. Zisserman, ICLR 2015, arXiv:1409.1556, and "
    "S. Ioffe and C. Szegedy, ICML 2015, arXiv:1502.03167",
    summary="Six convolutions with batch normalization: strong on small images, fine on a CPU.",
    smallest=(8, 8),
    default_input=(32, 32, 3),
    draw=_draw_small_cnn,
)


# A multilayer perceptron: two hidden layers on the bare pixels.

_HIDDEN_UNITS = (256, 128)
_MLP_DROPOUT = 0.2


def _draw_mlp(net: GraphBuilder) -> GraphBuilder:
    net.add("rescaling", scale=1 / 255).add("flatten")
    for units in _HIDDEN_UNITS:
        net.add("dense", units=units, activation="relu", kernel_initializer="he_normal")
        net.add("dropout", rate=_MLP_DROPOUT)
    return net


MLP = network.ZooNetwork(
    name="mlp",
    label="Multilayer perceptron",
    year=1986,
    paper='D. Rumelhart, G. Hinton, R. Williams, "Learning representations by back-propagating '
    'errors", Nature 323, 1986; here with ReLU and dropout',
    summary="Two hidden layers, no convolution: good for small, centered images.",
    smallest=(1, 1),
    default_input=(28, 28, 1),
    draw=_draw_mlp,
)


# Softmax regression: one dense layer from the pixels to the classes.


def _draw_perceptron(net: GraphBuilder) -> GraphBuilder:
    return net.add("rescaling", scale=1 / 255).add("flatten")


PERCEPTRON = network.ZooNetwork(
    name="perceptron",
    label="Perceptron",
    year=1958,
    paper='F. Rosenblatt, "The perceptron: a probabilistic model for information storage and '
    'organization in the brain", Psychological Review 65, 1958; here with softmax',
    summary="The simplest network, also known as softmax regression: a baseline to beat.",
    smallest=(1, 1),
    default_input=(28, 28, 1),
    draw=_draw_perceptron,
)


# A recurrent network that reads an image row by row, from the top down.
#
# The height is the sequence and a row of pixels is one step of it. What it remembers after the
# last row goes to the head.

_UNITS = 128
_LSTM_DROPOUT = 0.2


def _draw_row_lstm(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 255)
    net.add("reshape", "rows", target_shape=f"{net.shape.height}, -1")
    net.add("lstm", "reader", units=_UNITS)
    net.add("dropout", rate=_LSTM_DROPOUT)


ROW_LSTM = network.ZooNetwork(
    name="row_lstm",
    label="LSTM over rows",
    year=1997,
    paper='S. Hochreiter, J. Schmidhuber, "Long short-term memory", Neural Computation 9, 1997',
    summary="Reads the image row by row; an example of a recurrent network.",
    smallest=(2, 2),
    default_input=(28, 28, 1),
    draw=_draw_row_lstm,
)


# Network in Network, as published for CIFAR-10: 1x1 convolutions after every wide one.


def _draw_nin(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _stage(net, 1, 5, (192, 160, 96))
    _shrink(net, "max_pool", 1)
    _stage(net, 2, 5, (192, 192, 192))
    _shrink(net, "average_pool", 2)
    _stage(net, 3, 3, (192, 192))


def _stage(net: GraphBuilder, number: int, kernel: int, filters: tuple[int, ...]) -> None:
    net.in_block(f"stage{number}")
    conv(net, f"conv{number}", filters[0], kernel)
    for step, count in enumerate(filters[1:], start=1):
        conv(net, f"cccp{number}_{step}", count, 1)


def _shrink(net: GraphBuilder, pool: str, number: int) -> None:
    net.add(pool, f"pool{number}", size=3, stride=2, padding="same")
    net.add("dropout", f"dropout{number}", rate=0.5)


def _nin_head(net: GraphBuilder) -> None:
    network.averaged_head(net, "cccp3_2")


NIN = network.ZooNetwork(
    name="nin",
    label="Network in Network",
    year=2013,
    paper='M. Lin, Q. Chen, S. Yan, "Network in network", ICLR 2014, arXiv:1312.4400',
    summary="Windows with a small network in each, and the mean of one map per class at the end.",
    smallest=(8, 8),
    default_input=(32, 32, 3),
    draw=_draw_nin,
    head=_nin_head,
    published=network.Published(967_000, (32, 32, 3), 10),
)


# AlexNet in one column, as its author drew it two years later.
#
# What differs: no local response normalization, which later work found to add nothing (section
# 4.1 of the VGG paper).


def _draw_alexnet(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("conv1")
    net.add("zero_padding", "conv1_padding", top=2, bottom=2, left=2, right=2)
    _relu_convolution(net, "conv1", 64, kernel=11, stride=4, padding="valid")
    net.add("max_pool", "pool1", size=3, stride=2)
    _relu_convolution(net, "conv2", 192, kernel=5)
    net.add("max_pool", "pool2", size=3, stride=2)
    _relu_convolution(net, "conv3", 384)
    _relu_convolution(net, "conv4", 256)
    _relu_convolution(net, "conv5", 256)
    net.add("max_pool", "pool5", size=3, stride=2)


def _relu_convolution(
    net: GraphBuilder,
    name: str,
    filters: int,
    *,
    kernel: int = 3,
    stride: int = 1,
    padding: str = "same",
) -> None:
    net.in_block(name).add(
        "conv2d",
        name,
        filters=filters,
        kernel=kernel,
        stride=stride,
        padding=padding,
        activation="relu",
        kernel_initializer=START,
    )


ALEXNET = network.ZooNetwork(
    name="alexnet",
    label="AlexNet",
    year=2012,
    paper="A. Krizhevsky, I. Sutskever, G. Hinton, NIPS 2012; in one column: A. Krizhevsky, "
    '"One weird trick for parallelizing convolutional neural networks", 2014, arXiv:1404.5997',
    summary="The first deep network to win ImageNet: wide windows, and most weights in the head.",
    smallest=(63, 63),
    default_input=(224, 224, 3),
    draw=_draw_alexnet,
    head=network.wide_head,
    published=network.Published(61_100_000, (224, 224, 3), 1000),
)


# The pattern that most convolutional networks before 2015 follow, with its numbers to choose.
#
# INPUT -> [[CONV -> RELU] * N -> POOL?] * M -> [FC -> RELU] * K -> FC. On the command line,
# `pattern:convolutions=2,stages=3,dense=1`; what is left out keeps its default.


class PatternPlan(Plan):
    """The numbers of the pattern."""

    convolutions: int = plan_field(
        2,
        label="Convolutions",
        help="Convolutions per stage (N).",
        why="More convolutions see larger and finer patterns before each halving; start with 2.",
        within=(1, 8),
    )
    stages: int = plan_field(
        3,
        label="Stages",
        help="Number of stages (M).",
        why="Each stage halves the image; stop at 4 to 8 pixels.",
        within=(0, 6),
    )
    dense: int = plan_field(
        1,
        label="Dense layers",
        help="Hidden dense layers before the last one (K).",
        why="1 is enough for most tasks; 0 gives a small network that overfits less.",
        within=(0, 4),
    )
    pool: bool = plan_field(
        True,
        label="Pooling",
        help="Halve the image after every stage.",
        why="Without it, images keep their size and the first dense layer becomes huge.",
    )
    filters: int = filters_field(
        32,
        "Filters",
        "Channels of the first stage; every stage doubles them.",
        why="16 for small gray images, 32 to 64 for photographs.",
    )
    units: int = filters_field(
        128,
        "Units",
        "Outputs of each hidden dense layer.",
        why="More filters learn finer differences, but overfit sooner.",
    )
    dropout: float = plan_field(
        0.2,
        label="Dropout",
        help="Fraction of the values set to zero in training, after each hidden dense layer.",
        why="0.2 to 0.5 with few images; 0 with very many.",
        right_open=(0, 1),
    )


def _draw_pattern(plan: PatternPlan, net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    for stage in range(plan.stages):
        net.in_block(f"stage{stage + 1}")
        for step in range(plan.convolutions):
            name = f"conv{stage + 1}_{step + 1}"
            filters = plan.filters * 2**stage
            net.add("conv2d", name, filters=filters, kernel_initializer=START)
            net.add("activation", f"relu{stage + 1}_{step + 1}", activation="relu")
        if plan.pool:
            net.add("max_pool", f"pool{stage + 1}")
    net.in_block("").add("flatten", "flatten")
    for layer in range(plan.dense):
        net.add("dense", f"fc{layer + 1}", units=plan.units, kernel_initializer=START)
        net.add("activation", f"fc{layer + 1}_relu", activation="relu")
        if plan.dropout:
            net.add("dropout", f"fc{layer + 1}_dropout", rate=plan.dropout)


def pattern(plan: Plan) -> network.ZooNetwork:
    """Return the network of some numbers of the pattern."""
    plan = PatternPlan.parse(plan.model_dump())
    side = 2**plan.stages if plan.pool else 1
    return network.ZooNetwork(
        name=network.named("pattern", plan),
        label=message(
            "Pattern {convolutions}-{stages}-{dense}",
            convolutions=plan.convolutions,
            stages=plan.stages,
            dense=plan.dense,
        ),
        year=2014,
        paper="The pattern of LeNet-5, AlexNet and VGG; our own numbers",
        summary="Stages of convolutions, then dense layers: choose how many of each.",
        smallest=(side, side),
        default_input=(32, 32, 3),
        draw=partial(_draw_pattern, plan),
        options=network.Options(plan, pattern),
    )


PATTERN = pattern(PatternPlan())
