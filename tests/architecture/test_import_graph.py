"""Imports within the product: no module needs itself, and saving weights needs few modules."""

from __future__ import annotations

import grimp
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

MAX_FOR_SAVING = 67


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("studio", exclude_type_checking_imports=True, cache_dir=None)


def test_no_modules_import_each_other_in_a_circle(graph: grimp.ImportGraph) -> None:
    names = sorted(graph.modules)
    number = {name: index for index, name in enumerate(names)}
    edges = np.array(
        [
            (number[name], number[imported])
            for name in names
            for imported in graph.find_modules_directly_imported_by(name)
        ]
    )
    matrix = coo_array((np.ones(len(edges)), edges.T), shape=(len(names), len(names)))
    _, group = connected_components(matrix, directed=True, connection="strong")
    sizes = np.bincount(group)

    assert len(edges) > len(names)
    assert [name for name in names if sizes[group[number[name]]] > 1] == []


def test_saving_weights_needs_few_modules(graph: grimp.ImportGraph) -> None:
    needed = graph.find_upstream_modules("studio.engine.compute.model_checkpointer")

    assert "studio.engine.networks.spec" in needed
    assert len(needed) < MAX_FOR_SAVING
