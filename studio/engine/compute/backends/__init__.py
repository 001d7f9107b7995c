"""The differences between TensorFlow, JAX and PyTorch under Keras, and Keras' private names.

`prepare.prepare_backend` chooses the backend of a process. Afterwards `chosen.backend()` is the
object that does what Keras has no function for: calls of the training step, gradients, memory,
devices. Elsewhere in `compute` nothing depends on the backend's name, and nothing uses a private
name of Keras: with a new version of Keras this package is what may need a change.

Nothing here but `prepare` and `loading` may be imported before the backend is chosen.
"""
