"""Pictures that a model classified wrongly: the queue of corrections, and retraining with them.

Imports no Qt and no Keras.
"""
