"""Networks as plain data: the description, its checks, the layers and the zoo.

Never imports Keras: `studio.engine.compute.build` turns a description into a model.
"""
