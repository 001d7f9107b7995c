"""How good a model is, from its predictions alone, in NumPy.

Never imports Keras or the window: predictions come in as arrays, figures go out as data.
"""
