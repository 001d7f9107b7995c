"""Benchmarks of devices and precisions: plans, results, tables and advice.

Plain Python without NumPy. The work is done in `compute.benchmarks`, each
cell of a study in a separate process that `worker.study` leads.
"""
