"""Maps of what a model makes of images: what was asked, the points, and their file.

Plain data and NumPy; never imports Keras or Qt.
"""
