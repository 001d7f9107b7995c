"""Labeling: pictures without labels, the decisions of people about them, and what helps to decide.

A labeling is a record of the workspace. Source files are never moved or changed; decisions are
lines of a journal. Imports no Qt and no Keras; what computes features runs in the engine host.
"""
