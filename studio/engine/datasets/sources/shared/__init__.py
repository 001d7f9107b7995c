"""Helpers for several sources: names, walks over folders, lists of labels, arrays as pictures.

Is no source itself and imports none; only `arrays` imports NumPy at its top.
"""
