"""The window: pages, shell, bridge, and the kit (theme, widgets, forms, charts) they are made of.

Never imports Keras, TensorFlow, JAX or torch: those live in separate processes.
"""
