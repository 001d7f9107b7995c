"""Texts about images: tokens and features of words, and how well they describe an image.

`tokens` splits texts as CLIP and SigLIP do, `text_encoder` computes features of them with NumPy
alone, `scoring` compares them with features of images. Read from files of KerasHub, without it.
"""
