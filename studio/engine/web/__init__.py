"""Addresses of the web and S3, requests that do not reach the local network, and downloads.

Used by imports of datasets, dropped addresses, samples and the weights of backbones.
"""
