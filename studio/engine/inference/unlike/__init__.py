"""Comparison of an image with the training images of a model: detection of what is unlike them.

A network gives confident predictions for images that have nothing to do with its training images
(Nguyen et al., "Deep neural networks are easily fooled", CVPR 2015). `statistics` measures the
pixels, `reference` holds what was measured on the training images, `differences` says in which
way an image lies outside. Features of the network are compared in `compute.familiarity`.
"""
