"""The prediction page: drop a picture, see what the model says."""
