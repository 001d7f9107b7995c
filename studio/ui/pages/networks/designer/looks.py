"""What every box of the canvas says, from the drawing and what the host found. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from studio.engine.networks.spec import INPUT, Examination, LayerNode, NetworkSpec
from studio.ui.pages.networks.designer.look import family_of, rate_text, size_text
from studio.ui.pages.networks.designer.node_item import NodeLook
from studio.ui.pages.networks.designer.picture import BLOCK_PREFIX
from studio.ui.pages.networks.designer.wiring import CLASSES


class Looks:
    """The words of the canvas for one state of a drawing.

    Args:
        spec: The drawing.
        examination: What is known of it; None for nothing yet.
        stale: Whether it is older than the drawing.
        inside: Ids of the layers of each folded box.
        words: Names of the images and of the classes, and `{0} layers`, translated.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        examination: Examination | None,
        words: tuple[str, str, str],
        inside: Mapping[str, tuple[str, ...]],
        *,
        stale: bool,
    ) -> None:
        self._spec = spec
        self._nodes = {node.id: node for node in spec.nodes}
        self._stale = stale
        self._words = words
        self._inside = inside
        # The frame of a block says it for all of its layers.
        self._said = {
            node_id
            for ids in inside.values()
            if common_rate([self._nodes[node_id] for node_id in ids])
            for node_id in ids
        }
        self._shapes = (
            {key: report.output_shape for key, report in examination.nodes.items()}
            if examination
            else {}
        )
        self._trouble: dict[str, str] = {}
        for problem in examination.problems if examination else ():
            grave = "serious" if problem.serious else "advice"
            if self._trouble.get(problem.node) != "serious":
                self._trouble[problem.node] = grave

    def of(self, key: str) -> NodeLook:
        """What a box says."""
        images, classes, _ = self._words
        shape = self._spec.input
        if key == INPUT:
            sides = (shape.height, shape.width, shape.channels)
            return NodeLook("images", images, size_text(sides))
        if key == CLASSES:
            return NodeLook("classes", classes, str(self._spec.classes))
        if key.startswith(BLOCK_PREFIX):
            return self._of_block([self._nodes[node_id] for node_id in self._inside[key]])
        node = self._nodes[key]
        return NodeLook(
            "layer",
            node.id.removeprefix(f"{node.block}_") if node.block else node.id,
            self.size(key),
            family_of(node),
            node.frozen,
            "" if node.rate == 1 or node.frozen or key in self._said else rate_text(node.rate),
            self._trouble.get(key, ""),
            self._stale,
        )

    def size(self, key: str) -> str:
        """The size of what comes out of a node, written; empty where it is not known."""
        return size_text(self._shapes[key]) if key in self._shapes else ""

    def channels(self, key: str) -> str:
        """How many channels come out of a node, written."""
        if key == INPUT:
            return str(self._spec.input.channels)
        shape = self._shapes.get(key)
        return str(shape[-1]) if shape and shape[-1] is not None else ""

    def _of_block(self, inside: Sequence[LayerNode]) -> NodeLook:
        states = {self._trouble.get(node.id, "") for node in inside}
        trouble = next((grave for grave in ("serious", "advice") if grave in states), "")
        layers = self._words[2].format(len(inside))
        return NodeLook(
            "block",
            inside[0].block,
            self.size(inside[-1].id) or layers,
            frozen=all(node.frozen for node in inside),
            rate=common_rate(inside),
            trouble=trouble,
            stale=self._stale,
            tip=layers,
        )


def common_rate(nodes: Iterable[LayerNode]) -> str:
    """The factor that all nodes have, written; empty for 1 or for several."""
    rates = {node.rate for node in nodes}
    return rate_text(rates.pop()) if len(rates) == 1 and rates != {1} else ""
