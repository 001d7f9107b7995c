"""What an accelerator buys: plans of measurements, what came out of them, tables and advice.

Plain Python without NumPy. The work is done in `compute.benchmarks`, each
cell of a study in a process of its own that `worker.study` leads.
"""
