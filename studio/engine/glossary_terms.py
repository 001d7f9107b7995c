"""The entries of the glossary, in English."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A word and what it means.

    Attributes:
        name: The word, as it stands in the glossary.
        meaning: One sentence.
        aliases: How else it is written in labels and titles.
        source: Where it comes from; empty for common words.
    """

    name: str
    meaning: str
    aliases: tuple[str, ...] = ()
    source: str = ""


TERMS: tuple[Term, ...] = (
    Term("Accuracy", "The share of images whose most likely class is the right one."),
    Term(
        "Activation",
        "The function that a layer applies to what it computed; without one, several layers "
        "could learn no more than one.",
        ("activation function", "ReLU"),
    ),
    Term(
        "Adam",
        "A way to change the weights that gives each of them a step size of its own; works "
        "without much tuning.",
        ("AdamW",),
        "Kingma and Ba, ICLR 2015",
    ),
    Term(
        "ASHA",
        "Ends the worse trials of a sweep early and gives their time to the better ones.",
        source="Li et al., MLSys 2020",
    ),
    Term(
        "Augmentation",
        "Training images are turned, moved or recolored a little each time, so that few images "
        "teach as much as many.",
        ("data augmentation",),
    ),
    Term("Backbone", "The part of a network that turns an image into features; the head follows."),
    Term(
        "Baseline",
        "What a simple method reaches in a minute: anything longer has to be better than that.",
    ),
    Term(
        "Batch",
        "The handful of images that a network sees between two corrections of its weights.",
        ("mini-batch",),
    ),
    Term(
        "Batch normalization",
        "A layer that gives every channel the same mean and spread, which makes training faster "
        "and steadier.",
        ("batch norm",),
        "Ioffe and Szegedy, ICML 2015",
    ),
    Term(
        "Batch size",
        "How many images a network sees before its weights are corrected once.",
    ),
    Term(
        "Bayesian search",
        "A sweep that learns from the trials so far which values to try next.",
        ("TPE", "Gaussian process"),
        "Bergstra et al., NeurIPS 2011",
    ),
    Term(
        "Calibration",
        "Whether a model that says 80 % is right in 80 of 100 such cases.",
        ("reliability",),
        "Guo et al., ICML 2017",
    ),
    Term(
        "Checkpoint",
        "The weights of a network as they were at one moment of its training.",
    ),
    Term(
        "Class weights",
        "Mistakes in rare classes count more, so that they are not ignored.",
        ("class weight",),
    ),
    Term(
        "Confusion matrix",
        "A table of the right classes against the answers: what is off its diagonal was mistaken.",
        ("confusion",),
    ),
    Term(
        "Convolution",
        "A small window of weights that looks for the same pattern at every place of an image.",
        ("convolutional", "kernel"),
        "LeCun et al., 1989",
    ),
    Term(
        "Cosine schedule",
        "The learning rate falls along half a wave: slowly, fast, and slowly again.",
        ("cosine",),
        "Loshchilov and Hutter, ICLR 2017",
    ),
    Term(
        "Cross-entropy",
        "The usual loss of classifiers: small when the right class was given a high probability.",
    ),
    Term(
        "Depthwise convolution",
        "A convolution of each channel by itself; with a 1x1 convolution after it, it does much "
        "of the work of an ordinary one at a fraction of the cost.",
        ("separable convolution", "depthwise"),
        "Howard et al., MobileNets, 2017",
    ),
    Term(
        "Dropout",
        "A random share of the values is set to zero in training, so that a network cannot rely "
        "on any one of them.",
        source="Srivastava et al., JMLR 2014",
    ),
    Term(
        "Early stopping",
        "Training ends once validation has not become better for some time.",
        ("stop early", "patience"),
    ),
    Term(
        "ECE",
        "How far the probabilities of a model are from how often it is right, on average.",
        ("expected calibration error", "calibration error"),
        "Naeini et al., AAAI 2015",
    ),
    Term(
        "Embedding",
        "An image as a list of numbers that are alike for images which a network finds alike.",
        ("features", "feature"),
    ),
    Term("Epoch", "One pass over all training images."),
    Term("F1", "One figure from precision and recall; high only where both are.", ("F1 score",)),
    Term(
        "Fine-tuning",
        "Going on to train a pretrained network on one's own images, with a low learning rate.",
        ("fine-tune",),
    ),
    Term("FLOPs", "Additions and multiplications; about two for each multiply-add."),
    Term(
        "Freezing",
        "Layers are left as they are: they keep what they learned elsewhere and cost less time.",
        ("frozen", "freeze"),
    ),
    Term(
        "Grad-CAM",
        "A picture of where a network looked for its answer.",
        ("heat map",),
        "Selvaraju et al., ICCV 2017",
    ),
    Term(
        "Gradient",
        "Says for every weight in which direction the loss falls.",
        ("gradient norm",),
    ),
    Term(
        "Grid search",
        "A sweep that tries every combination of the given values.",
        ("grid",),
    ),
    Term("Head", "The last layers of a network, which turn features into classes."),
    Term(
        "Hyperparameter",
        "A setting of the training that is chosen and not learned, such as the learning rate.",
    ),
    Term(
        "im2col",
        "Copies the windows of an image into the rows of a matrix, so that a convolution becomes "
        "one multiplication of matrices.",
        source="Chellapilla et al., 2006",
    ),
    Term(
        "Inception",
        "A block of branches with windows of different sizes, whose outputs are lined up.",
        source="Szegedy et al., CVPR 2015",
    ),
    Term(
        "Label smoothing",
        "The right class is asked for with less than 100 %, so that a network does not become "
        "too sure.",
        source="Szegedy et al., CVPR 2016",
    ),
    Term(
        "Latency",
        "How long one answer takes.",
    ),
    Term(
        "Learning rate",
        "How far the weights move at each step: too high and the loss jumps, too low and nothing "
        "is learned.",
        ("rate",),
    ),
    Term(
        "LiteRT",
        "A format and runtime for models on phones and small devices; it was called TensorFlow "
        "Lite.",
        ("TensorFlow Lite", "tflite"),
    ),
    Term("Logits", "What the last layer computes before softmax makes probabilities of it."),
    Term("Loss", "The figure that training makes small: how wrong the answers are."),
    Term(
        "McNemar's test",
        "Whether one model is better than another on the same images, or was only lucky.",
        ("McNemar",),
        "McNemar, 1947",
    ),
    Term(
        "Mixed precision",
        "Most is computed with 16-bit numbers and the weights are kept in 32 bits: half the "
        "memory, and faster on newer GPUs.",
        ("float16", "bfloat16"),
        "Micikevicius et al., ICLR 2018",
    ),
    Term(
        "Momentum",
        "A step keeps some of the direction of the steps before, like a ball that rolls.",
    ),
    Term(
        "Multiply-adds",
        "How many times a network multiplies and adds for one image: its cost on any machine.",
        ("multiply-add", "MACs"),
    ),
    Term("ONNX", "An open format for models that many programs and devices can run."),
    Term(
        "Overfitting",
        "A network learns its training images by heart and does worse on all others.",
        ("over-fitting", "overfit"),
    ),
    Term(
        "Parameters",
        "The numbers in a network that training changes.",
        ("weights of the network", "trainable parameters"),
    ),
    Term(
        "PCA", "Draws many numbers as two, along which they differ most.", source="Pearson, 1901"
    ),
    Term(
        "Pooling",
        "Makes an image smaller by keeping the largest, or the mean, of every window.",
    ),
    Term("Precision", "Of the images that were given a class, the share that belongs to it."),
    Term(
        "Pretrained weights",
        "Weights of a network that has learned from millions of other images.",
        ("pretrained", "ImageNet"),
    ),
    Term(
        "Pruning",
        "Trials of a sweep that do badly are ended early.",
        ("pruner", "pruned"),
    ),
    Term(
        "Quantization",
        "Weights, and perhaps values, are rounded to 8 bits: a quarter of the size, often faster.",
        ("int8", "quantized"),
    ),
    Term(
        "Random search",
        "A sweep that draws values by chance; with few trials often better than a grid.",
        source="Bergstra and Bengio, JMLR 2012",
    ),
    Term("Recall", "Of the images of a class, the share that was found."),
    Term(
        "Receptive field",
        "How many pixels of the image one value of a layer depends on, from side to side.",
    ),
    Term(
        "Residual connection",
        "What comes into a block is added to what goes out, so that very deep networks can learn.",
        ("shortcut", "residual"),
        "He et al., CVPR 2016",
    ),
    Term(
        "ROC",
        "How many are found against how many are wrongly found, for every threshold.",
        ("ROC curve", "AUC"),
    ),
    Term("Seed", "The number that all chance follows from: the same seed, the same result."),
    Term(
        "SGD",
        "Stochastic gradient descent: each step follows the gradient of one batch.",
        ("stochastic gradient descent",),
    ),
    Term("Softmax", "Turns the last values of a network into probabilities that add up to 1."),
    Term("Sweep", "Many runs that differ in some settings, to find the best ones."),
    Term(
        "t-SNE",
        "A map on which images that a network finds alike lie together; distances between groups "
        "mean little.",
        source="van der Maaten and Hinton, JMLR 2008",
    ),
    Term(
        "Test split",
        "Images that training never sees, kept for the one figure at the end.",
        ("test images", "test accuracy"),
    ),
    Term(
        "Top-5", "The share of images whose right class is among the five most likely.", ("top 5",)
    ),
    Term("Trial", "One row of a sweep: a run with its own values."),
    Term(
        "Validation",
        "Measuring during training on images that are not learned from.",
        ("val loss", "val accuracy", "validation split"),
    ),
    Term(
        "Warm-up",
        "The learning rate rises from near zero in the first steps, so that nothing jumps.",
        ("warmup",),
    ),
    Term(
        "Weight decay",
        "Every step pulls the weights a little towards zero, against overfitting.",
        ("L2",),
    ),
    Term(
        "XLA",
        "A compiler that makes one fast program of the many small operations of a network.",
    ),
)
