"""The README of an export: the model card as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.engine.exporting.certificate import Certificate, load_note, relative_words
from studio.engine.exporting.formats import Variant
from studio.engine.inference.models import ImageCard, ModelCard
from studio.engine.messages import in_sentence
from studio.engine.tasks import TASKS

_RESIZE = {
    "squash": "stretched to that size",
    "crop": "scaled to cover that size, and its longer side cropped",
    "fill": "scaled to fit into that size, and its border filled",
    "half_crop": "scaled between the two, half cropped and half filled",
}
_MOST_CLASSES = 200
_CONVERSION = "`conversion.py` makes the prediction of the outputs of the model. "
_SNIPPET = """```python
import predict
import runtime

model = runtime.load(predict.HERE / "{model}")  # once for all images
answer, _ = predict.answer(model, predict.HERE / "{example}")
print(answer)
```"""


def readme(
    card: ModelCard, certificate: Certificate, variant: Variant, counts: Mapping[str, int]
) -> str:
    """Write the model card as Markdown.

    Args:
        card: Content of `labels.json`.
        certificate: Certificate of the file.
        variant: Format and precision of the file.
        counts: Images of the dataset per split.
    """
    task = TASKS[card.task]
    scripts = task.family(card.output).output.script_text(is_decoded=card.decoded)
    parts = [
        f"# {card.run or 'Model'} ({variant.label})",
        (
            f"{task.label} of images, {len(card.classes):,} {task.output_names[1]}. Made by "
            f"{card.made_by}; works without it."
        ),
        *_warning(certificate),
        "## Use",
        (
            f"```sh\n{variant.format.needs}\npython predict.py IMAGE\npython predict.py "
            "--self-test\n```"
        ),
        (
            f"`predict.py` prepares an image, `runtime.py` runs `{card.model}`. {scripts}"
            f"{_CONVERSION if card.conversion else ''}{_unlike(card)}"
            "Images that cannot be read are reported on standard error, the others are "
            "answered, and the exit code is 1. "
            f"`--self-test` compares the outputs for `{_example(card)}` with those of the export. "
            "From "
            "Python, with this folder as the working directory or on `sys.path`:"
        ),
        _SNIPPET.format(model=card.model, example=_example(card)),
        "## Input",
        _input(card),
        "## Output",
        (
            f"{_output_text(card)} An array of float32, {_output_shape(card)}. "
            f"{task.output_names[1].capitalize()} in this order, as in `labels.json`:"
        ),
        _outputs(card),
        *_intervals(card),
        "## Training data",
        (
            f"{counts['train']:,} training and {counts['val']:,} validation images; "
            f"{counts['test']:,} more are test images. The model knows no other "
            f"{task.output_names[1]}."
        ),
        *_licenses(certificate),
        "## Certificate",
        _table(certificate),
        (
            f"Measured by {certificate.runtime or 'its runtime'} in a separate process, on the "
            f"CPU ({certificate.machine}), one image at a time unless batches are named; other "
            "machines are faster or slower. The file is compared with the trained model, on the "
            "same images."
        ),
        *_same_prediction(certificate),
        *_load(certificate),
        *_disagreeing(certificate),
    ]
    return "\n\n".join(parts) + "\n"


_PASSPORT = {"code": "Code", "weights": "Weights", "data": "Their training images"}


def _licenses(certificate: Certificate) -> list[str]:
    """Return what the licenses of the starting weights allow; nothing for random weights."""
    lines = [
        f"* {_PASSPORT[part]}: {each['label']}. {each['sentence']}"
        for part, each in certificate.passport.items()
        if part in _PASSPORT
    ]
    if not lines:
        return []
    is_known = certificate.passport.get("weights", {}).get("license") != "not-stated"
    start = (
        "Training began from published weights."
        if is_known
        else "Training began from the weights of a file that Studio does not know."
    )
    return ["## Licenses", start, "\n".join(lines)]


def _example(card: ModelCard) -> str:
    return "example.png" if card.self_test is None else card.self_test.image


def _unlike(card: ModelCard) -> str:
    if card.reference is None:
        return ""
    rate = card.reference.false_alarm_rate
    alarms = "" if rate is None else f", by mistake for {rate:.1%} of images like those"
    return (
        "`unlike.py` says in which way an image differs from the training images (brightness, "
        f"background, contrast, color, detail, shape and size){alarms}; what the network itself "
        "sees in it is compared by Studio only, with the run. "
    )


def _output_text(card: ModelCard) -> str:
    task = TASKS[card.task]
    family = task.family(card.output)
    decoding = task.predictor.decoding_of(family.output)
    return decoding.text if card.decoded and decoding is not None else family.output_text


def _output_shape(card: ModelCard) -> str:
    task, count = TASKS[card.task], len(card.classes)
    output = task.family(card.output).output
    decoding = task.predictor.decoding_of(output)
    if card.decoded and decoding is not None:
        return " x ".join(map(str, ("n", *decoding.shape)))
    return output.shape_text(card.image.height, card.image.width, count)


def _warning(certificate: Certificate) -> list[str]:
    if certificate.certified:
        return []
    return [f"**Not certified.** {' '.join(certificate.shortcomings)}"]


def _input(card: ModelCard) -> str:
    image = card.image
    pixels = image.recipe().pixel_format
    names = ", ".join(pixels.channel_names)
    channels = "one gray channel" if pixels.is_gray and not pixels.names else names
    low, high = min(pixels.low), max(pixels.high)
    return (
        f"{card.input_type}, n x {image.height} x {image.width} x {pixels.channels} ({channels}), "
        f"raw values of {pixels.dtype} from {low:g} to {high:g}: the model scales them itself. "
        "An image is turned upright, put on "
        f"{image.background} where it is transparent, and {_RESIZE[image.resize]}{_border(image)}"
        ". TIFF with planes, channels or rare compressions is read with `pip install tifffile "
        "imagecodecs`; color PNG, PPM and PGM of more than 8 bits with `pip install "
        "opencv-python-headless`."
    )


def _border(image: ImageCard) -> str:
    if image.resize not in ("fill", "half_crop"):
        return ""
    return " by its reflection" if image.border == "reflect" else f" with {image.background}"


def _outputs(card: ModelCard) -> str:
    """Return a table of outputs with units, thresholds and intervals, or a list of names."""
    calibration = card.calibration
    columns = {
        TASKS[card.task].output_names[0].capitalize(): [
            f"`{name.replace('|', '_')}`" for name in card.classes
        ],
        "Unit": [unit or "–" for unit in card.units] if any(card.units) else [],
        "Threshold": [f"{each:.3g}" for each in calibration.thresholds],
        "Prediction interval": [f"± {each:.3g}" for each in calibration.margins],
    }
    known = {name: cells[:_MOST_CLASSES] for name, cells in columns.items() if cells}
    more = len(card.classes) - _MOST_CLASSES
    ending = f"and {more:,} more" if more > 0 else ""
    if len(known) == 1:
        (names,) = known.values()
        return f"{', '.join(names)} {ending}".rstrip()
    rows = [list(known), ["---"] * len(known), *map(list, zip(*known.values(), strict=True))]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{table}\n\n{ending}".rstrip()


def _intervals(card: ModelCard) -> list[str]:
    calibration = card.calibration
    if not calibration.margins:
        return []
    return [
        (
            f"A prediction interval holds the true value for {calibration.level:.0%} of new "
            "images like those of the dataset (split conformal prediction, "
            f"{calibration.images:,} validation images)."
        )
    ]


def _metrics(certificate: Certificate) -> Iterator[tuple[str, str]]:
    for each in certificate.compared:
        text = each.value_text
        if certificate.accuracy_interval is not None:
            low, high = certificate.accuracy_interval
            text += f" ({low * 100:.1f} to {high * 100:.1f} %)"
        yield each.spec.label, text
        yield f"Change of {in_sentence(each.spec.label)}", each.change_text


def _origins(certificate: Certificate) -> Iterator[tuple[str, str]]:
    if certificate.measured_on is not None:
        yield "Origins of the images", str(certificate.measured_on.text)


def _table(certificate: Certificate) -> str:
    rows = [
        ("Images", f"{certificate.count:,} ({certificate.split})"),
        *_origins(certificate),
        *_metrics(certificate),
        ("Different predictions", f"{certificate.disagreements:,}"),
        *_agreement(certificate),
        ("Largest difference of an output", certificate.difference_text),
        ("Size", f"{certificate.size_bytes / 1000:,.1f} kB"),
        ("Time for one image, median", f"{certificate.latency_ms:.3f} ms"),
    ]
    if certificate.latency_p95_ms is not None:
        rows.append(("Time for one image, 95 %", f"{certificate.latency_p95_ms:.3f} ms"))
    if certificate.cpu_ms is not None:
        rows.append(("Processor time for one image", f"{certificate.cpu_ms:.3f} ms"))
    if certificate.relative_latency is not None:
        rows.append(("Against the Keras model", relative_words(certificate)))
    if certificate.images_per_second is not None:
        text = f"{certificate.images_per_second:,.0f} a second"
        rows.append((f"Batches of {certificate.batch_size}", text))
    rows.append(("Tolerance", _tolerance(certificate)))
    rows.append(("Certified", "yes" if certificate.certified else "NO"))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def _agreement(certificate: Certificate) -> Iterator[tuple[str, str]]:
    if certificate.pixel_agreement is not None:
        yield "Pixels with the class of the model", f"{certificate.pixel_agreement * 100:.2f} %"
    if certificate.object_agreement is not None:
        yield "Objects that the model gives, too", f"{certificate.object_agreement * 100:.2f} %"
    if certificate.box_agreement is not None:
        yield "Boxes that the model gives, too", f"{certificate.box_agreement * 100:.2f} %"


def _tolerance(certificate: Certificate) -> str:
    tolerance, main = certificate.tolerance, certificate.main
    same = f"{tolerance.agreement:g} % the same predictions"
    if main is None:
        return same
    lost = f"{tolerance.points:g} {main.unit}"
    if not main.spec.is_fraction:
        lost += f" ({main.allowed(tolerance.points):.3g})"
    return f"{in_sentence(main.spec.label)} {lost} worse, {same}"


def _same_prediction(certificate: Certificate) -> list[str]:
    text = TASKS[certificate.task].reporter.same_prediction
    return [text] if text else []


def _load(certificate: Certificate) -> list[str]:
    text = load_note(certificate)
    return [text] if text else []


def _disagreeing(certificate: Certificate) -> list[str]:
    if not certificate.disagreeing:
        return []
    lines = [
        f"| `{each.path.replace('|', '_')}` | {each.truth} | {each.model} | {each.file} |"
        for each in certificate.disagreeing
    ]
    head = ["| image | truth | model | this file |", "|---|---|---|---|"]
    return ["Images with another answer:", "\n".join([*head, *lines])]
