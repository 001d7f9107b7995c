"""Anomaly detection: scores how unusual each pixel of an image is beside good images."""
