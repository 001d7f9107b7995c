"""Small models with the interfaces of SAM and SAM 2: an object is what looks like its clicks.

The encoder gives the mean color of each cell of 4 x 4 pixels. The decoder gives the cells whose
color is like one at a positive click, or like the middle of the box, and not like one at a
negative click; a box limits them. No weights are needed, and masks are known in advance.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser

SIDE = 64
"""Side of the square of the encoder in pixels."""
GRID = SIDE // 4
_HEAD = '<ir_version: 8, opset_import: ["" : 18]>\n'


def write_sam(folder: Path) -> Path:
    """Write a model of the layout of SAM and MobileSAM; return its folder."""
    outputs = f"float[1, 1, {GRID}, {GRID}] masks, "
    return _write(folder, "image_embeddings", "", ", float[2] orig_im_size", outputs)


def write_sam2(folder: Path) -> Path:
    """Write a model of the layout of SAM 2; return its folder."""
    features = ", ".join(f"float[1, 3, {GRID}, {GRID}] high_res_feats_{at}" for at in (0, 1))
    return _write(folder, "image_embed", features, "", "")


def _write(folder: Path, embedding: str, features: str, size: str, outputs: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    more = f", {features}" if features else ""
    copies = "".join(f"high_res_feats_{at} = Identity({embedding})\n" for at in (0, 1) if features)
    encoder = f"""encoder (float[1, 3, {SIDE}, {SIDE}] image)
        => (float[1, 3, {GRID}, {GRID}] {embedding}{more}) {{
        {embedding} = AveragePool<kernel_shape = [4, 4], strides = [4, 4]>(image)
        {copies}
    }}"""
    masks = "low_res_masks" if size else "masks"
    count = 4 if size else 3
    prompts = (
        f"float[1, 3, {GRID}, {GRID}] {embedding}{more}, float[1, N, 2] point_coords, "
        f"float[1, N] point_labels, float[1, 1, {GRID}, {GRID}] mask_input, "
        f"float[1] has_mask_input{size}"
    )
    first = "masks = Identity(one)\n" if size else ""
    decoder = f"""decoder ({prompts}) => (
        {outputs}float[1, {count}] iou_predictions, float[1, {count}, {GRID}, {GRID}] {masks}) {{
        {_LOGITS.replace("EMBEDDING", embedding)}
        {first}
        {masks} = Concat<axis = 1>({", ".join(["one", *["more", "one", "less"][-count + 1 :]])})
        iou_predictions = Constant<value = float[1, {count}] {{{_SCORES[count]}}}>()
    }}"""
    for name, text in (("encoder", encoder), ("decoder", decoder)):
        model = onnx.parser.parse_model(_HEAD + text)
        onnx.checker.check_model(model)
        onnx.save(model, str(folder / f"small.{name}.onnx"))
    return folder


_SCORES = {4: "0.7, 0.6, 0.9, 0.5", 3: "0.6, 0.9, 0.5"}
_LOGITS = f"""
        flat_shape = Constant<value = int64[2] {{3, {GRID * GRID}}}>()
        mask_shape = Constant<value = int64[4] {{1, 1, {GRID}, {GRID}}}>()
        zero = Constant<value = int64[1] {{0}}>()
        first = Constant<value = int64[1] {{1}}>()
        second = Constant<value = int64[1] {{2}}>()
        column = Constant<value = int64 {{0}}>()
        row = Constant<value = int64 {{1}}>()
        half = Constant<value = float {{0.5}}>()
        cell = Constant<value = float {{4.0}}>()
        grid = Constant<value = float {{{GRID}.0}}>()
        lowest = Constant<value = float {{0.0}}>()
        highest = Constant<value = float {{{GRID - 1}.0}}>()
        tolerance = Constant<value = float {{0.5}}>()
        none = Constant<value = float {{-1000.0}}>()
        many = Constant<value = float {{1000.0}}>()
        inside = Constant<value = float {{1.0}}>()
        upper = Constant<value = float {{2.0}}>()
        lower = Constant<value = float {{3.0}}>()
        step = Constant<value = float {{0.1}}>()
        flat = Reshape(EMBEDDING, flat_shape)
        places = Squeeze(point_coords, zero)
        labels = Squeeze(point_labels, zero)
        is_corner = GreaterOrEqual(labels, upper)
        corners = Cast<to = 1>(is_corner)
        corners_2 = Unsqueeze(corners, first)
        weighted = Mul(places, corners_2)
        total = ReduceSum<keepdims = 1>(weighted, zero)
        center = Mul(total, half)
        seeds = Concat<axis = 0>(places, center)
        has_box = ReduceMax<keepdims = 1>(corners, zero)
        is_inside = Equal(labels, inside)
        insides = Cast<to = 1>(is_inside)
        positive = Concat<axis = 0>(insides, has_box)
        is_outside = Equal(labels, lowest)
        outsides = Cast<to = 1>(is_outside)
        not_box = Mul(has_box, lowest)
        negative = Concat<axis = 0>(outsides, not_box)
        cells = Div(seeds, cell)
        floors = Floor(cells)
        clipped = Clip(floors, lowest, highest)
        xs = Gather<axis = 1>(clipped, column)
        ys = Gather<axis = 1>(clipped, row)
        rows = Mul(ys, grid)
        numbers = Add(rows, xs)
        indices = Cast<to = 7>(numbers)
        colors = Gather<axis = 1>(flat, indices)
        flat_3 = Unsqueeze(flat, first)
        colors_3 = Unsqueeze(colors, second)
        difference = Sub(flat_3, colors_3)
        square = Mul(difference, difference)
        distance = ReduceSum<keepdims = 0>(square, zero)
        similar = Sub(tolerance, distance)
        positive_2 = Unsqueeze(positive, first)
        is_positive = Greater(positive_2, half)
        like = Where(is_positive, similar, none)
        best = ReduceMax<keepdims = 0>(like, zero)
        negative_2 = Unsqueeze(negative, first)
        is_negative = Greater(negative_2, half)
        unlike = Where(is_negative, similar, none)
        worst = ReduceMax<keepdims = 0>(unlike, zero)
        apart = Neg(worst)
        across = Gather<axis = 1>(places, column)
        along = Gather<axis = 1>(places, row)
        is_upper = Equal(labels, upper)
        is_lower = Equal(labels, lower)
        lefts = Where(is_upper, across, none)
        left = ReduceMax<keepdims = 1>(lefts, zero)
        tops = Where(is_upper, along, none)
        top = ReduceMax<keepdims = 1>(tops, zero)
        rights = Where(is_lower, across, many)
        right = ReduceMin<keepdims = 1>(rights, zero)
        bottoms = Where(is_lower, along, many)
        bottom = ReduceMin<keepdims = 1>(bottoms, zero)
        px = Constant<value = float[{GRID * GRID}] {{{
    ", ".join(str(4.0 * (at % GRID) + 2) for at in range(GRID * GRID))
}}}>()
        py = Constant<value = float[{GRID * GRID}] {{{
    ", ".join(str(4.0 * (at // GRID) + 2) for at in range(GRID * GRID))
}}}>()
        from_left = Sub(px, left)
        to_right = Sub(right, px)
        from_top = Sub(py, top)
        to_bottom = Sub(bottom, py)
        logits = Min(best, apart, from_left, to_right, from_top, to_bottom)
        one = Reshape(logits, mask_shape)
        more = Add(one, step)
        less = Sub(one, step)
"""
