"""Code of exported training scripts: the loss and the metrics of boxes in plain Keras."""

from __future__ import annotations

from studio.engine.tasks.task import ScriptParts

SCRIPT = ScriptParts(
    '''
HEIGHT, WIDTH = {size}  # of the images
OVERLAPS = np.linspace(0.5, 0.95, 10, dtype="float32")
BINS = 100


def places_of(count):
    """x, y and stride of each position of the outputs, in pixels."""
    for finest in (4, 8, 16, 32, 64):
        parts, total = [], 0
        for stride in (finest * 2**level for level in range(6)):
            rows, columns = np.mgrid[: -(-HEIGHT // stride), : -(-WIDTH // stride)]
            centers = (np.stack([columns, rows], axis=-1).reshape(-1, 2) + 0.5) * stride
            parts.append(np.column_stack([centers, np.full(len(centers), stride)]))
            total += len(centers)
            if total == count:
                return np.concatenate(parts).astype("float32")
    raise ValueError("no levels have that many positions")


def corners_of(outputs, places):
    """Left, top, right and bottom of the box of each position, in pixels."""
    away = outputs[..., -4:] * places[:, 2:]
    ends = [places[:, :2] - away[..., :2], places[:, :2] + away[..., 2:]]
    return keras.ops.concatenate(ends, axis=-1)


def area(boxes):
    sides = keras.ops.maximum(boxes[..., 2:] - boxes[..., :2], 0)
    return sides[..., 0] * sides[..., 1]


def common(one, other):
    """The area that boxes have in common."""
    ops = keras.ops
    start = ops.maximum(one[..., :2], other[..., :2])
    end = ops.minimum(one[..., 2:], other[..., 2:])
    return area(ops.concatenate([start, end], axis=-1))


def overlap(one, other):
    """The intersection of boxes over their union."""
    both = common(one, other)
    return both / keras.ops.maximum(area(one) + area(other) - both, 1e-9)


def objects_of(labels, classes):
    """Sides of the objects, their classes as 0 and 1, and flags: trained on, ignored, crowd.

    Labels are rows of class (-1: none), left, top, right, bottom, flags (1 difficult, 2 crowd).
    """
    ops = keras.ops
    labels = ops.cast(labels, "float32")
    kind, flags = labels[..., 0], labels[..., 5]
    there = ops.cast(kind >= 0, "float32")
    hot = ops.one_hot(ops.cast(ops.maximum(kind, 0), "int32"), classes) * there[..., None]
    learned, crowd = ops.cast(flags == 0, "float32"), ops.cast(flags >= 2, "float32")
    return labels[..., 1:5], hot, there * learned, there * (1 - learned), there * crowd


def assigned(sides, learned, places):
    """1 where a position learns an object, and where it is inside: objects x positions (FCOS)."""
    ops = keras.ops
    x, y, stride = places.T
    width, height = (sides[..., at + 2, None] - sides[..., at, None] for at in (0, 1))
    across = ops.abs(x - sides[..., 0, None] - width / 2)
    down = ops.abs(y - sides[..., 1, None] - height / 2)
    far = ops.maximum(across + width / 2, down + height / 2)
    least = np.where(stride == stride.min(), 0, 4 * stride).astype("float32")
    most = np.where(stride == stride.max(), np.inf, 8 * stride).astype("float32")
    near = ops.maximum(across, down) < 1.5 * stride
    small = 1.01 * stride.min() / 2  # so that there is a position in any object
    held = (across < ops.maximum(width / 2, small)) & (down < ops.maximum(height / 2, small))
    claims = near & (far > least) & (far <= most) & held
    claims = ops.cast(claims, "float32") * learned[..., None]
    smallest = ops.argmax(claims / (area(sides)[..., None] + 1), axis=1)
    chosen = claims * ops.transpose(ops.one_hot(smallest, sides.shape[1]), (0, 2, 1))
    return chosen, ops.cast((across < width / 2) & (down < height / 2), "float32")


def loss(labels, outputs):
    """Cross-entropy of the scores and generalized IoU loss of the boxes of each image."""
    ops, classes, places = keras.ops, outputs.shape[-1] - 4, places_of(outputs.shape[1])
    outputs = ops.cast(outputs, "float32")
    sides, hot, learned, ignored, _ = objects_of(labels, classes)
    chosen, inside = assigned(sides, learned, places)
    of_place = ops.transpose(chosen, (0, 2, 1))
    boxes, target = corners_of(outputs, places), ops.matmul(of_place, sides)
    fit = ops.stop_gradient(ops.maximum(overlap(boxes, target), 0.1))
    label = ops.sum(of_place, axis=-1) * fit
    truth = ops.matmul(of_place, hot) * label[..., None]
    sure = ops.clip(outputs[..., :-4], 1e-30, 1 - 1e-7)
    entropy = -(truth * ops.log(sure) + (1 - truth) * ops.log(1 - sure))
    entropy = entropy * ops.convert_to_tensor({weights}, "float32")
    if {gamma}:
        entropy = entropy * ops.abs(truth - outputs[..., :-4]) ** {gamma}
    hidden = ops.max(inside * ignored[..., None], axis=1)
    valid = ops.maximum(ops.sum(of_place, axis=-1), 1 - hidden)
    both = common(boxes, target)
    union = area(boxes) + area(target) - both
    start = ops.minimum(boxes[..., :2], target[..., :2])
    end = ops.maximum(boxes[..., 2:], target[..., 2:])
    hull = area(ops.concatenate([start, end], axis=-1))
    fit = both / ops.maximum(union, 1e-9) - (hull - union) / ops.maximum(hull, 1e-9)
    total = ops.sum(ops.sum(entropy, axis=-1) * valid, axis=-1)
    total = total + 2 * ops.sum(label * (1 - fit), axis=-1)
    return total / ops.maximum(ops.sum(label, axis=-1), 1)


def detections(outputs, places):
    """Boxes, classes and scores of the 100 best: none overlaps a better one of its class much."""
    ops, classes = keras.ops, outputs.shape[-1] - 4
    count = min(300, len(places) * classes)
    scores = ops.reshape(outputs[..., :-4], (-1, len(places) * classes))
    score, index = ops.top_k(scores, count)
    boxes = ops.take_along_axis(corners_of(outputs, places), (index // classes)[..., None], 1)
    boxes = ops.minimum(ops.maximum(boxes, 0), np.array([WIDTH, HEIGHT] * 2, "float32"))
    kind = ops.cast(index % classes, "int32")
    clash = overlap(boxes[:, :, None], boxes[:, None]) > 0.6
    clash = ops.cast(clash & (kind[:, :, None] == kind[:, None]), "float32")
    clash = clash * np.tril(np.ones((count, count), "float32"), -1)
    start = kept = ops.cast((score >= 0.01) & (area(boxes) > 0), "float32")
    for _ in range(4):
        kept = start * (1 - ops.max(clash * kept[:, None], axis=-1))
    score, order = ops.top_k(score * kept, min(100, count))
    boxes = ops.take_along_axis(boxes, order[..., None], axis=1)
    return boxes, ops.take_along_axis(kind, order, axis=1), score


class MeanPrecision(keras.metrics.Metric):
    """mAP and AP50, approximate: scores are rounded to one of 100 bins."""

    def __init__(self, classes):
        super().__init__(name="boxes")
        self.classes = classes
        self.counts = self.add_variable((2, 10, classes * BINS), "zeros", name="detections")
        self.objects = self.add_variable((classes,), "zeros", name="objects")

    def update_state(self, labels, outputs, sample_weight=None):
        ops = keras.ops
        outputs, places = ops.cast(outputs, "float32"), places_of(outputs.shape[1])
        boxes, kind, score = detections(outputs, places)
        sides, hot, learned, ignored, crowd = objects_of(labels, self.classes)
        same = ops.matmul(ops.one_hot(kind, self.classes), ops.transpose(hot, (0, 2, 1)))
        own = overlap(boxes[:, :, None], sides[:, None]) * same
        best = ops.max(own * learned[:, None], axis=-1)
        target = ops.one_hot(ops.argmax(own * learned[:, None], axis=-1), sides.shape[1])
        enough = ops.cast(best[..., None] >= OVERLAPS, "float32")
        earlier = np.tril(np.ones((score.shape[1],) * 2, "float32"), -1)
        rivals = ops.matmul(target, ops.transpose(target, (0, 2, 1))) * earlier
        there = ops.cast(score > 0, "float32")[..., None]
        right = there * enough * ops.cast(ops.matmul(rivals, enough) == 0, "float32")
        covered = common(boxes[:, :, None], sides[:, None]) * same * crowd[:, None]
        covered = covered / ops.maximum(area(boxes)[..., None], 1e-9)
        hidden = ops.max(ops.maximum(own, covered) * ignored[:, None], axis=-1)
        hidden = ops.cast(hidden[..., None] >= OVERLAPS, "float32")
        wrong = there * (1 - right) * (1 - hidden * (1 - enough))
        level = ops.cast(ops.minimum(ops.sqrt(score) * BINS, BINS - 1), "int32")
        cell = ops.one_hot(kind * BINS + level, self.classes * BINS)
        self.counts.assign_add(ops.einsum("rndo,ndc->roc", ops.stack([right, wrong]), cell))
        self.objects.assign_add(ops.sum(hot * learned[..., None], axis=(0, 1)))

    def result(self):
        ops = keras.ops
        counts = ops.reshape(self.counts, (2, 10, self.classes, BINS))
        counts = ops.cumsum(ops.flip(counts, -1), axis=-1)
        right, wrong = counts[0], counts[1]
        recall = right / ops.maximum(self.objects[:, None], 1)
        precision = right / ops.maximum(right + wrong, 1)
        later = np.triu(np.ones((BINS, BINS), "float32"))
        best = ops.max(precision[..., None, :] * later, axis=-1)
        gained = recall - ops.pad(recall, ((0, 0), (0, 0), (1, 0)))[..., :-1]
        occurs = ops.cast(self.objects > 0, "float32")
        found = ops.sum(ops.sum(gained * best, axis=-1) * occurs, axis=-1)
        found = found / ops.maximum(ops.sum(occurs), 1)
        return dict(map=ops.mean(found), ap50=found[0])
''',
    "[MeanPrecision(model.output_shape[-1]-4)]",
    answers="boxes",
)
