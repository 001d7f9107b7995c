"""`studio label`: make datasets of pictures without labels."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence

from studio.cli.options import FOREIGN_MODEL, foreign_model, say_model
from studio.cli.record_edit import edit_verbs
from studio.cli.verb import BarProgress, Options, Session, Verb, argument, counted, percent
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import user_path
from studio.engine.inference.models import find_model
from studio.engine.inference.requests import model_warnings
from studio.engine.jobs import control
from studio.engine.jobs.host import EngineHost
from studio.engine.labeling.journal import Label
from studio.engine.labeling.line_file import LOCK_SECONDS
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.proposals import MIN_LABELS, Proposal
from studio.engine.labeling.recovery import recover
from studio.engine.labeling.values import EXCLUDED, Value
from studio.engine.listing import labeling_row
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import RecordKind

_NONE = ("none", "undecided")
_EXCLUDE = "exclude"

_new_name = argument("labeling", metavar="LABELING", help="name of the labeling")
_name: Options = (
    _new_name,
    argument(
        "--trust-folders",
        action="store_true",
        help="open images in folders that were not added on this computer",
    ),
)
_as = argument("--as", dest="annotator", metavar="NAME", default="", help="name of the annotator")


def _open(session: Session) -> Labeling:
    labeling = Labeling.find(
        session.workspace, session.options.labeling, getattr(session.options, "annotator", "")
    )
    folders = labeling.unconfirmed_folders
    if folders and not session.options.trust_folders:
        raise labeling.unconfirmed_error(folders)
    labeling.confirm_folders(folders)
    recover(labeling, LOCK_SECONDS)
    return labeling


def create(session: Session) -> object:
    """Create a labeling, and add pictures to it."""
    options = session.options
    plan = planned(options.task, options.classes)
    labeling = Labeling.create(session.workspace, options.labeling, plan)
    if options.sources:
        _add(session, labeling, options.sources)
    return _summary(session, labeling)


def add(session: Session) -> object:
    """Add pictures, frames of videos or images of a dataset."""
    with _open(session) as labeling:
        added = _add(session, labeling, session.options.sources)
        return {"name": labeling.record.name, "count": len(labeling.items), **added}


def _add(session: Session, labeling: Labeling, sources: Sequence[str]) -> dict[str, object]:
    # They load NumPy and Pillow.
    from studio.engine.labeling import sources as adding  # noqa: PLC0415

    options = session.options
    results = []
    paths, videos = [], []
    for text in sources:
        dataset = session.workspace.named(RecordKind.DATASET, text)
        if dataset is not None and not user_path(text).exists():
            with session.output.bar("Adding the images") as bar:
                results.append(
                    adding.add_dataset(
                        labeling,
                        session.workspace,
                        dataset,
                        BarProgress(session.output, bar),
                        with_labels=getattr(options, "with_labels", False),
                    )
                )
            continue
        found, others = adding.video_paths([user_path(text)])
        videos += found
        paths += others
    with session.output.bar("Adding images") as bar:
        progress = BarProgress(session.output, bar)
        if paths:
            results.append(adding.add_pictures(labeling, paths, progress))
        results += [
            adding.add_video(
                labeling, video, progress, every=options.every, changed=options.changed
            )
            for video in videos
        ]
    skipped = [each for result in results for each in result.skipped]
    for each in skipped[:10]:
        session.output.note(f"Note: {each.path} was left out: {each.reason}.")
    count = sum(len(result.items) for result in results)
    duplicates = sum(result.duplicates for result in results)
    text = f"{counted(count, 'image')} added to {labeling.record.name}"
    text += f", {counted(duplicates, 'duplicate')} left out" if duplicates else ""
    text += f", {counted(len(skipped), 'file')} skipped" if skipped else ""
    session.output.say(f"{text}.")
    return {
        "added": count,
        "duplicates": duplicates,
        "skipped": [{"path": each.path, "reason": each.reason} for each in skipped],
    }


def list_all(session: Session) -> object:
    """Print all labelings."""
    found = []
    for record, _ in session.workspace.infos(RecordKind.LABELING):
        try:
            found.append(labeling_row(Labeling(record)))
        except StudioError as error:
            session.output.note(f"Note: {record.name} cannot be read: {error.message}")
    rows = [
        [str(each["name"]), str(each["task"]), f"{each['count']:,}", f"{each['labeled']:,}"]
        for each in found
    ]
    if rows:
        session.output.table(["Name", "Task", "Images", "Labeled"], rows)
    else:
        session.output.say("There are no labelings. Create one: studio label create NAME FOLDER")
    return found


def show(session: Session) -> object:
    """Print what a labeling contains."""
    labeling = _open(session)
    document = _summary(session, labeling)
    if not session.options.items:
        return document
    labels = labeling.labels
    shown = [_item(labeling, index, labels.get(index)) for index in range(len(labeling.items))]
    session.output.table(
        ["Image", "Name", "Label", "By"],
        [
            [str(each["item"]), str(each["name"]), str(each["text"]), str(each["by"])]
            for each in shown
        ],
    )
    return {**document, "items": shown}


def _item(labeling: Labeling, index: int, label: Label | None) -> dict[str, object]:
    item = labeling.items[index]
    return {
        "item": index,
        "name": item.name,
        "path": str(labeling.file_of(index)),
        "value": None if label is None else label.value.model_dump(mode="json"),
        "text": "" if label is None else _text(labeling, label.value),
        "by": "" if label is None else label.by,
    }


def _summary(session: Session, labeling: Labeling) -> dict[str, object]:
    facts = labeling_row(labeling)
    session.output.say(
        f"{facts['name']}: {labeling.task.label}, {counted(len(labeling.items), 'image')}, "
        f"{labeling.labeled_count:,} labeled"
    )
    if labeling.classes and labeling.editor.counts_classes:
        session.output.table(
            ["Class", "Labeled"],
            [
                [each.name, f"{count:,}"]
                for each, count in zip(labeling.classes, labeling.counts(), strict=True)
            ],
        )
    return facts


def set_label(session: Session) -> object:
    """Give pictures a label, or take it away."""
    options = session.options
    with _open(session) as labeling:
        items = [_found_item(labeling, text) for text in options.items]
        value = _value(labeling, options.value, items)
        labeling.label(items, value, "typed")
        text = "undecided" if value is None else _text(labeling, value)
        session.output.say(f"{counted(len(items), 'image')}: {text}")
        return {"name": labeling.record.name, "items": items, "labeled": labeling.labeled_count}


def _found_item(labeling: Labeling, text: str) -> int:
    """Return the number of a picture by its number, its name or its path."""
    if text.isascii() and text.isdecimal():
        return int(text)
    path = str(user_path(text).absolute())
    for item in labeling.items:
        if item.name == text or item.path == path:
            return item.index
    names = [item.name for item in labeling.items]
    raise StudioError(
        f'There is no image "{text}" in the labeling.', did_you_mean(text, names), "items"
    )


def _value(labeling: Labeling, text: str, items: Sequence[int]) -> Value | None:
    """Return the value of a text as the editor of the labeling reads it."""
    if text.casefold() in _NONE:
        return None
    if text.casefold() == _EXCLUDE:
        return EXCLUDED
    return labeling.editor.parsed(labeling, text, items)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise StudioError(f'"{text}" is not a number.', "Give a size as WxH.", "size") from error


def _text(labeling: Labeling, value: Value) -> str:
    return "excluded" if value.is_excluded else labeling.editor.text(labeling.names, value)


def undo(session: Session) -> object:
    """Take back the last decision."""
    with _open(session) as labeling:
        items = labeling.undo()
        if not items:
            raise StudioError("There is no decision to undo.")
        session.output.say(f"Undone: {counted(len(items), 'image')}.")
        return {"name": labeling.record.name, "items": list(items)}


def suggest(session: Session) -> object:
    """Propose labels for undecided pictures, and accept certain ones if asked to."""
    from studio.engine.labeling.assist import Assistant, model_proposals  # noqa: PLC0415
    from studio.engine.labeling.proposals import accept  # noqa: PLC0415

    options = session.options
    _require_one_proposer(options)
    host = EngineHost()
    try:
        with _open(session) as labeling, session.output.bar("Computing features") as bar:
            curve: dict[str, object] = {}
            if options.model:
                model = find_model(session.workspace, options.model, foreign_model(options))
                say_model(session.output, model, model_warnings(host, model))
                found = list(model_proposals(labeling, host, model, labeling.undecided()))
            elif options.texts:
                found, curve = _by_texts(session, labeling, host)
            else:
                assistant = Assistant(
                    labeling, session.workspace, host, options.network, options.weights
                )
                status = assistant.update()
                while not status.is_current:
                    bar.show(status.done / max(status.total, 1), f"{status.done:,}")
                    status = assistant.update()
                if status.reason:
                    raise StudioError(status.reason)
                found = list(status.proposals.values())
                curve = {"curve": [[p.labels, p.score] for p in status.curve.points]}
                curve["sentence"] = status.curve.sentence
            found.sort(key=lambda each: -each.probability)
            accepted = []
            if options.accept is not None:
                accepted = [each for each in found if each.probability >= options.accept]
                if accepted:
                    accept(labeling, accepted, "group")
            return _suggested(session, labeling, found, len(accepted), curve)
    finally:
        host.close()


def _require_one_proposer(options: argparse.Namespace) -> None:
    """Refuse options of texts without texts, and texts beside a run."""
    of_texts = bool(options.language or options.templates or options.words)
    if options.texts and (options.model or options.network or options.weights):
        raise StudioError(
            "Texts propose labels without a run or a network of features.",
            "Leave out --model, --network and --weights, or --texts.",
            "texts",
        )
    if of_texts and not options.texts:
        raise StudioError(
            "--language, --template and --words are about texts.",
            "Name their network with --texts.",
            "texts",
        )


def _by_texts(
    session: Session, labeling: Labeling, host: EngineHost
) -> tuple[list[Proposal], dict[str, object]]:
    """Return proposals by texts, and how often they are right."""
    from studio.engine.labeling.prompts import measured, prompts_of, text_proposals  # noqa: PLC0415

    options, root = session.options, session.workspace.root
    words = dict(_equation(each) for each in options.words)
    unknown = [name for name in words if labeling.class_index(name) is None]
    if unknown:
        raise StudioError(
            f'The labeling has no class "{unknown[0]}".',
            did_you_mean(unknown[0], labeling.names),
            "words",
        )
    prompts = prompts_of(options.texts, options.language, options.templates, words)
    found = list(text_proposals(labeling, root, host, prompts, labeling.undecided()))
    measure = measured(labeling, root, host, prompts)
    texts = dict(zip(labeling.names, prompts.texts(labeling.names), strict=True))
    for name, several in texts.items():
        session.output.note(f"{name}: {'; '.join(several)}")
    if options.accept is not None and measure.count < MIN_LABELS:
        raise StudioError(
            f"The texts were measured on {measure.count} labels, and accepting needs "
            f"{MIN_LABELS}.",
            "Label some images one by one first; without --accept the proposals are listed.",
            "accept",
        )
    return found, {
        "sentence": measure.sentence,
        "texts": texts,
        "measured": {"right": measure.right, "count": measure.count},
    }


def _equation(text: str) -> tuple[str, str]:
    name, sign, words = text.partition("=")
    if not sign or not words.strip():
        raise StudioError(
            f'"{text}" names no words for a class.', "Write it as CLASS=WORDS.", "words"
        )
    return name.strip(), words.strip()


def _suggested(
    session: Session,
    labeling: Labeling,
    found: Sequence[Proposal],
    accepted: int,
    curve: dict[str, object],
) -> dict[str, object]:
    shown = [
        {
            "item": each.item,
            "name": labeling.items[each.item].name,
            "value": None if each.value is None else each.value.model_dump(mode="json"),
            "text": "mask" if each.value is None else _text(labeling, each.value),
            "probability": each.probability,
        }
        for each in found
    ]
    session.output.table(
        ["Image", "Name", "Proposal", "Probability"],
        [
            [
                str(each["item"]),
                str(each["name"]),
                str(each["text"]),
                percent(float(str(each["probability"]))),
            ]
            for each in shown[: session.options.most]
        ],
    )
    if "sentence" in curve:
        session.output.say(str(curve["sentence"]))
    if accepted:
        session.output.say(f"{counted(accepted, 'proposal')} accepted.")
    return {"name": labeling.record.name, "proposals": shown, "accepted": accepted, **curve}


def outline(session: Session) -> object:
    """Outline the object in every box, as a new labeling of objects."""
    from studio.engine.labeling.segmenting.files import segment_model  # noqa: PLC0415
    from studio.engine.labeling.segmenting.host import segmenter_host  # noqa: PLC0415
    from studio.engine.labeling.segmenting.outlines import outline_boxes  # noqa: PLC0415

    options = session.options
    model = segment_model(user_path(options.model))
    with (
        contextlib.closing(segmenter_host()) as host,
        _open(session) as labeling,
        session.output.bar("Outlining") as bar,
    ):
        name = options.name or session.workspace.unused_name(
            RecordKind.LABELING, f"{labeling.record.name} outlines"
        )
        progress = BarProgress(session.output, bar)
        found = outline_boxes(labeling, session.workspace, name, host, model, progress)
        found.labeling.close()
    text = f"{counted(found.objects, 'object')} outlined in {counted(found.images, 'image')}"
    text += f", {found.missing:,} without an object" if found.missing else ""
    text += f", {counted(found.crowds, 'crowd')} left out" if found.crowds else ""
    session.output.say(f"{found.labeling.record.name}: {text}.")
    return {
        "name": found.labeling.record.name,
        "images": found.images,
        "objects": found.objects,
        "missing": found.missing,
        "crowds": found.crowds,
    }


def quality(session: Session) -> object:
    """List labels that were given very fast or against the model."""
    from studio.engine.labeling.assist import Assistant  # noqa: PLC0415
    from studio.engine.labeling.quality import second_look  # noqa: PLC0415

    host = EngineHost()
    try:
        with _open(session) as labeling, session.output.bar("Computing features"):
            assistant = Assistant(labeling, session.workspace, host)
            suspects = second_look(labeling, assistant.finish().given)
    finally:
        host.close()
    rows = []
    for each in suspects:
        value = labeling.value_of(each.item)
        rows.append(
            {
                "item": each.item,
                "name": labeling.items[each.item].name,
                "label": "" if value is None else _text(labeling, value),
                "reason": each.reason,
                "probability": each.probability,
                "seconds": each.seconds,
            }
        )
    words = {"fast": "very fast", "model": "against the model"}
    if rows:
        session.output.table(
            ["Image", "Name", "Label", "Reason"],
            [
                [str(row["item"]), str(row["name"]), str(row["label"]), words[str(row["reason"])]]
                for row in rows
            ],
        )
    else:
        session.output.say("No label needs a review.")
    return {"name": labeling.record.name, "suspects": rows}


def agreement(session: Session) -> object:
    """Measure the agreement of two annotators."""
    from studio.engine.labeling.quality import agreement as measured  # noqa: PLC0415

    labeling = _open(session)
    found = measured(labeling, *session.options.annotators)
    label = {"kappa": "Cohen's kappa", "mean_iou": "Mean IoU", "r2": "R²"}[found.measure]
    session.output.say(
        f"{found.one} and {found.other} labeled {counted(found.count, 'image')} both: "
        f"{label} {found.value:.3f}, {percent(found.same)} equal."
    )
    rows = [
        {
            "item": each.item,
            "name": labeling.items[each.item].name,
            found.one: _text(labeling, each.one),
            found.other: _text(labeling, each.other),
            "agreement": each.agreement,
        }
        for each in found.disagreements
    ]
    if rows:
        session.output.table(
            ["Image", "Name", found.one, found.other],
            [
                [str(each[key]) for key in ("item", "name", found.one, found.other)]
                for each in rows
            ],
        )
    return {
        "name": labeling.record.name,
        "count": found.count,
        found.measure: found.value,
        "same": found.same,
        "disagreements": rows,
    }


def export(session: Session) -> object:
    """Write annotation files."""
    from studio.engine.labeling.output import export_labels, label_forms  # noqa: PLC0415

    options = session.options
    labeling = _open(session)
    form = options.format or label_forms(labeling.task)[0]
    with session.output.bar("Writing") as bar:
        path = export_labels(
            labeling, form, user_path(options.to), BarProgress(session.output, bar)
        )
    session.output.write(str(path))
    return {"name": labeling.record.name, "path": str(path), "format": form}


def dataset(session: Session) -> object:
    """Import the labeled pictures as a dataset."""
    from studio.engine.datasets.requests import dataset_summary  # noqa: PLC0415
    from studio.engine.labeling.output import request_dataset  # noqa: PLC0415

    options = session.options
    labeling = _open(session)
    into = None
    if options.into:
        into = session.workspace.find(RecordKind.DATASET, options.into)
    fields: dict[str, object] = {}
    if options.size:
        width, _, height = options.size.partition("x")
        fields = {"width": _number(width), "height": _number(height or width)}
    for field in ("val_percent", "test_percent", "seed"):
        if getattr(options, field) is not None:
            fields[field] = getattr(options, field)
    name = options.name or session.workspace.unused_name(RecordKind.DATASET, labeling.record.name)
    with session.output.bar("Importing") as bar:
        progress = BarProgress(session.output, bar)
        job = request_dataset(labeling, session.queue, name, progress, into, **fields)
        for _ in control.follow(session.queue, job):
            bar.show(job.history.fraction, "")
    job.raise_if_failed()
    summary = dataset_summary(job.record.folder)
    count = sum(summary.count.values())
    session.output.say(f"{name}: {counted(count, 'image')} imported.")
    return {"name": name, "task": summary.task, "count": dict(summary.count)}


_sources = argument(
    "sources", metavar="SOURCE", nargs="*", help="folder, image, video or name of a dataset"
)
_frames: Options = (
    argument("--every", metavar="N", type=int, default=1, help="take every n-th frame of a video"),
    argument(
        "--changed",
        metavar="SHARE",
        type=float,
        default=0.0,
        help="take only frames that differ from the last one by this share, such as 0.02",
    ),
)


def _task_option(parser: argparse.ArgumentParser) -> None:
    """Add `--task`: tasks of other packages are known when the option is added."""
    parser.add_argument(
        "--task", choices=list(TASKS), default=DEFAULT_TASK.name, help="kind of labels"
    )


create_options = (
    _new_name,
    _sources,
    _task_option,
    argument(
        "--class",
        dest="classes",
        metavar="NAME",
        action="append",
        default=[],
        help='class, label or quantity, as "cat", "cat #ff8800" or "height [cm]"; may be repeated',
    ),
    _frames,
)
add_options = (
    _name,
    argument("sources", metavar="SOURCE", nargs="+", help="folder, image, video or dataset"),
    argument("--with-labels", action="store_true", help="copy the labels of datasets"),
    _frames,
)
show_options = (_name, _as, argument("--items", action="store_true", help="list all images"))
set_label_options = (
    _name,
    argument("items", metavar="IMAGE", nargs="+", help="number, name or path of an image"),
    argument(
        "--to",
        dest="value",
        metavar="VALUE",
        required=True,
        help='class; labels or numbers as "a;b"; boxes as "cat 10 20 90 80;…"; file of a mask; '
        '"exclude" or "none"',
    ),
    _as,
)
undo_options = (_name, _as)
suggest_options = (
    _name,
    argument("--model", metavar="RUN", default="", help="run or model file for proposals"),
    FOREIGN_MODEL,
    argument("--network", default="", help="network of the features"),
    argument("--weights", default="", help="its weights: imagenet, a file, or run:ID"),
    argument(
        "--texts",
        metavar="SOURCE",
        default="",
        help="propose by the names of the classes: a source of texts, or a preset's folder",
    ),
    argument("--language", choices=["en", "pt"], default="", help="language of the texts"),
    argument(
        "--template",
        dest="templates",
        metavar="TEXT",
        action="append",
        default=[],
        help='own text in place of these, such as "a scan of a {name}"; may be repeated',
    ),
    argument(
        "--words",
        metavar="CLASS=WORDS",
        action="append",
        default=[],
        help='other words for a class, such as "gato=cat"; may be repeated',
    ),
    argument(
        "--accept",
        metavar="P",
        type=float,
        default=None,
        help="accept all proposals of at least this probability, 0 to 1",
    ),
    argument("--most", metavar="N", type=int, default=20, help="proposals to print"),
    _as,
)
outline_options = (
    _name,
    argument(
        "--model",
        metavar="FOLDER",
        required=True,
        help="folder with encoder and decoder of SAM, MobileSAM or SAM 2 (ONNX)",
    ),
    argument("--name", metavar="N", default="", help="name of the new labeling"),
    _as,
)
quality_options = (_name, _as)
agreement_options = (
    _name,
    argument("annotators", metavar="NAME", nargs=2, help="names of two annotators"),
)
export_options = (
    _name,
    argument("--format", metavar="F", default="", help="csv, voc, coco, yolo, masks, …"),
    argument("--to", metavar="DIR", required=True, help="folder for the new files"),
    _as,
)
dataset_options = (
    _name,
    argument("--name", metavar="N", default="", help="name of the dataset"),
    argument("--into", metavar="DATASET", default="", help="dataset whose images are included"),
    argument("--size", metavar="WxH", default="", help="size of the images, in pixels"),
    argument("--val", dest="val_percent", metavar="P", type=float, help="validation, percent"),
    argument("--test", dest="test_percent", metavar="P", type=float, help="test, percent"),
    argument("--seed", metavar="S", type=int, help="seed of the split"),
    _as,
)

VERBS = (
    Verb("create", "create a labeling of images", create_options, create),
    Verb("add", "add images, videos or a dataset", add_options, add),
    Verb("list", "list labelings", run=list_all),
    Verb("show", "show classes and labels", show_options, show),
    Verb("set", "give images a label", set_label_options, set_label),
    Verb("undo", "undo the last decision", undo_options, undo),
    Verb("suggest", "propose labels, and accept certain ones", suggest_options, suggest),
    Verb("outline", "outline the objects in boxes", outline_options, outline),
    Verb("quality", "list labels to review", quality_options, quality),
    Verb("agreement", "measure the agreement of two annotators", agreement_options, agreement),
    Verb("export", "write annotation files", export_options, export),
    Verb("dataset", "import the labeled images as a dataset", dataset_options, dataset),
    *edit_verbs(RecordKind.LABELING),
)
