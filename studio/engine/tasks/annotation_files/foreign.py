"""Annotation files that Studio does not read: how they are recognized, what to export instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from studio.engine.errors import BadDataError
from studio.engine.messages import Message, Text, message
from studio.engine.tasks.annotations import Tree

_EXAMINED = 400
"""Number of files that are examined."""
_COCO: Final = "Export COCO JSON instead."
_VOC: Final = "Export Pascal VOC instead."
_TABLE: Final = "Export COCO JSON or a table with a row for each box instead."
_PLAIN: Final = "Export COCO JSON or Pascal VOC instead."
_JSON = (".json",)
_LINES = (".ndjson", ".jsonl", ".json", ".manifest")
_TABLES = (".csv", ".tsv")
_GEO = (re.compile(rb'"type"\s*:\s*"FeatureCollection"'),)
_SHARD = re.compile(r"-\d{5}-of-\d{5}\Z")
_NUMBER = rb"-?\d+(\.\d+)?"


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A kind of file that is recognized.

    Attributes:
        name: What it is, as shown to a person.
        advice: What to do instead: a sentence.
        suffixes: Suffixes of its files, lower case.
        patterns: All of them occur in the first 64 KB; none if the suffix is enough.
    """

    name: Message
    advice: Text
    suffixes: tuple[str, ...]
    patterns: tuple[re.Pattern[bytes], ...] = ()

    def is_own(self, path: str, files: Tree) -> bool:
        """Return True if a file is of this kind.

        Args:
            path: Its path.
            files: All files.
        """
        if not _without_shard(path).endswith(self.suffixes):
            return False
        if not self.patterns:
            return True
        try:
            head = files.head(path)
        except BadDataError:
            return False
        return all(pattern.search(head) for pattern in self.patterns)


def _keys(*names: str) -> tuple[re.Pattern[bytes], ...]:
    """Return patterns for keys of JSON."""
    return tuple(re.compile(rb'"%s"\s*:' % name.encode()) for name in names)


def _columns(*names: str) -> tuple[re.Pattern[bytes], ...]:
    """Return patterns for columns of a table."""
    return tuple(re.compile(rb"\A[^\r\n]*\b%s\b" % name.encode(), re.IGNORECASE) for name in names)


def _lines(pattern: bytes) -> tuple[re.Pattern[bytes], ...]:
    """Return a pattern for the first line of a text."""
    return (re.compile(rb"\A(?:\xef\xbb\xbf)?" + pattern + rb"\s*(\r?\n|\Z)"),)


KNOWN_FOREIGN: Final[tuple[ForeignFile, ...]] = (
    ForeignFile(message("Labelbox NDJSON"), _COCO, _LINES, _keys("data_row", "projects")),
    ForeignFile(message("Labelbox JSON"), _COCO, _JSON, (re.compile(rb'"DataRow ID"\s*:'),)),
    ForeignFile(
        message("SuperAnnotate JSON"), _COCO, _JSON, _keys("instances", "metadata", "className")
    ),
    ForeignFile(message("V7 Darwin JSON"), _COCO, _JSON, _keys("annotations", "item", "slots")),
    ForeignFile(
        message("V7 Darwin JSON"),
        _COCO,
        _JSON,
        _keys("dataset", "image", "filename", "annotations"),
    ),
    ForeignFile(
        message("Segment Anything (SA-1B) JSON"), _COCO, _JSON, _keys("predicted_iou", "crop_box")
    ),
    ForeignFile(message("Datumaro JSON"), _COCO, _JSON, _keys("dm_format_version")),
    ForeignFile(message("Datumaro JSON"), _COCO, _JSON, _keys("infos?", "categories", "items")),
    ForeignFile(message("Prodigy JSONL"), _COCO, _LINES, _keys("spans", "_input_hash")),
    ForeignFile(
        message("Amazon SageMaker Ground Truth manifest"), _COCO, _LINES, _keys("source-ref")
    ),
    ForeignFile(
        message("Ultralytics NDJSON"),
        "Export YOLO instead.",
        _LINES,
        _keys("type", "task", "class_names"),
    ),
    ForeignFile(message("Vertex AI JSONL"), _COCO, _LINES, _keys("(imageGcsUri|image_gcs_uri)")),
    ForeignFile(
        message("Azure Custom Vision JSON"), _COCO, _JSON, _keys("originalImageUri", "tags")
    ),
    ForeignFile(message("Scale AI JSON"), _COCO, _JSON, _keys("task_id", "attachment")),
    ForeignFile(message("Encord JSON"), _COCO, _JSON, _keys("label_hash", "data_units")),
    ForeignFile(message("Dataloop JSON"), _COCO, _JSON, _keys("annotations", "itemMetadata")),
    ForeignFile(message("FiftyOne JSON"), _COCO, _JSON, _keys("samples", "filepath")),
    ForeignFile(
        message("FiftyOne JSON"),
        "Export a folder for each class, or write a table with the columns path and label.",
        _JSON,
        (re.compile(rb'"classes"\s*:\s*\['), re.compile(rb'"labels"\s*:\s*\{')),
    ),
    ForeignFile(message("MegaDetector JSON"), _COCO, _JSON, _keys("detection_categories")),
    ForeignFile(message("Edge Impulse labels"), _COCO, (".labels",), _keys("type", "version")),
    ForeignFile(
        message("nuScenes or nuImages tables"), _COCO, _JSON, _keys("sample_data_token", "bbox")
    ),
    ForeignFile(message("LabelU JSON"), _COCO, _JSON, _keys("fileName", "result", "url")),
    ForeignFile(
        message("Cityscapes polygons"),
        "Choose the folder with the images as the source and the folder with the masks "
        "(…_labelTrainIds.png) as the annotations.",
        _JSON,
        _keys("imgHeight", "imgWidth", "objects"),
    ),
    ForeignFile(
        message("COCO JSON with captions"),
        "Choose the file of the same set with instances.",
        _JSON,
        _keys("annotations", "caption"),
    ),
    ForeignFile(
        message("COCO panoptic JSON"),
        "Choose the file of the same set with instances.",
        _JSON,
        _keys("annotations", "segments_info"),
    ),
    ForeignFile(message("VoTT JSON"), _VOC, _JSON, _keys("asset", "regions")),
    ForeignFile(message("VoTT JSON"), _VOC, _JSON, _keys("assets", "sourceConnection")),
    ForeignFile(message("Hasty JSON"), _COCO, _JSON, _keys("label_classes", "images")),
    ForeignFile(message("CrowdHuman text"), _COCO, (".odgt",)),
    ForeignFile(message("GeoJSON"), _COCO, (".geojson",)),
    ForeignFile(
        message("GeoJSON"), _COCO, _JSON, (re.compile(rb'"type"\s*:\s*"FeatureCollection"'),)
    ),
    ForeignFile(
        message("TFRecord"),
        _PLAIN,
        (".tfrecord", ".tfrecords", ".record"),
    ),
    ForeignFile(
        message("XML of the old LabelMe"),
        "Convert it to JSON of LabelMe or to COCO JSON.",
        (".xml",),
        (re.compile(rb"<annotation>"), re.compile(rb"<polygon>.*<pt>", re.DOTALL)),
    ),
    ForeignFile(
        message("KITTI text with tracks"),
        "Write a text file for each image, without the number of the frame and of the track, or "
        "export COCO JSON.",
        (".txt",),
        _lines(rb"\d+ -?\d+ [A-Za-z]\S* (" + _NUMBER + rb" ){12}" + _NUMBER + rb"( \S+)?"),
    ),
    ForeignFile(
        message("XML with rotated boxes, as of roLabelImg"),
        "Export boxes that are not rotated: YOLO, COCO JSON or Pascal VOC.",
        (".xml",),
        (re.compile(rb"<annotation[\s>]"), re.compile(rb"<robndbox>")),
    ),
    ForeignFile(
        message("XML of Aperio ImageScope"),
        "Export the regions as masks or as COCO JSON, for example with QuPath.",
        (".xml",),
        (re.compile(rb"<Annotations[\s>]"), re.compile(rb"<Vert(ices|ex)[\s/>]")),
    ),
    ForeignFile(message("LMDB"), _PLAIN, (".mdb", ".lmdb")),
    ForeignFile(
        message("MATLAB file"),
        "Save masks as PNG or .npy with the names of the images, and arrays of images and labels "
        "as .npz; for boxes, export COCO JSON or a table with a row for each box.",
        (".mat",),
    ),
    ForeignFile(
        message("ImageJ regions"), "Export masks as images from ImageJ instead.", (".roi",)
    ),
    ForeignFile(
        message("medical volume"),
        "Save each slice as PNG, TIFF or .npy, and masks with the names of the slices.",
        (".nii", ".nii.gz", ".nrrd", ".mha", ".mhd"),
    ),
    ForeignFile(
        message("workbook of a spreadsheet program"),
        "Save the sheet as CSV, and import that file.",
        (".xlsx", ".xls", ".ods"),
    ),
    ForeignFile(
        message("table with masks as RLE, as of Kaggle"),
        "Convert it to masks as images or to COCO JSON.",
        _TABLES,
        _columns("(EncodedPixels|rle|rle_mask|encoded_pixels|mask_rle|segmentation)"),
    ),
    ForeignFile(
        message("Zooniverse classifications"),
        "Write a table with the columns path and label, with the answer that most people gave.",
        _TABLES,
        _columns("annotations", "subject_data"),
    ),
    ForeignFile(
        message("Open Images table with masks"),
        "Choose the folder with the images as the source and the folder with the masks as the "
        "annotations.",
        _TABLES,
        _columns("MaskPath", "ImageID"),
    ),
    ForeignFile(
        message("DOTA text with rotated boxes"),
        "Export boxes that are not rotated: YOLO, COCO JSON or Pascal VOC.",
        (".txt",),
        _lines(
            rb"(imagesource:[^\n]*\n\s*)?(gsd:[^\n]*\n\s*)?"
            rb"(%s\s+){8}\D\S*\s+[0-2]" % _NUMBER
        ),
    ),
    ForeignFile(
        message("ICDAR text with quadrilaterals"),
        "Export upright boxes: YOLO, COCO JSON or Pascal VOC.",
        (".txt",),
        _lines(rb"\d+(,\s*-?\d+){7},[^\r\n]*[^\s\d.,-][^\r\n]*"),
    ),
    ForeignFile(
        message("text with boxes in one line for each image, as of Keras YOLO"),
        "Export YOLO, COCO JSON or Pascal VOC instead.",
        (".txt",),
        _lines(rb"\S[^\r\n,]*?(\s+\d+,\d+,\d+,\d+,\d+)+"),
    ),
    ForeignFile(
        message("text of the format bbGt, as of ExDark and Caltech"),
        _PLAIN,
        (".txt",),
        (re.compile(rb"\A% bbGt version="),),
    ),
    ForeignFile(
        message("text with a class and a box in pixels in each line"),
        "Write center x, center y, width and height as fractions of the size of the image, as "
        "YOLO has them, or export COCO JSON or Pascal VOC.",
        (".txt",),
        _lines(rb"(?=[^\r\n]*\s([2-9]|\d\d))\d+(\s+" + _NUMBER + rb"){4}"),
    ),
    ForeignFile(
        message("MOT text with tracks"),
        _COCO,
        ("gt.txt", "det.txt"),
        _lines(_NUMBER + rb"(," + _NUMBER + rb"){6,9}"),
    ),
)
"""Known kinds of annotations that are not read, special ones before general ones."""


def _without_shard(path: str) -> str:
    """Return a path in lower case without "-00000-of-00008", as TensorFlow numbers parts."""
    return _SHARD.sub("", path.casefold())


def kind_of_file(name: str) -> ForeignFile | None:
    """Return the known kind of a file whose suffix is enough to tell; None for others.

    Args:
        name: Name of the file.
    """
    kinds = (each for each in KNOWN_FOREIGN if not each.patterns)
    return next((each for each in kinds if _without_shard(name).endswith(each.suffixes)), None)


def is_foreign(path: str, files: Tree) -> bool:
    """Return True if the beginning of a file is of a known kind that is not read.

    Args:
        path: Its path.
        files: All files.
    """
    return any(kind.patterns and kind.is_own(path, files) for kind in KNOWN_FOREIGN)


def foreign_files(files: Tree) -> Iterator[tuple[str, ForeignFile]]:
    """Yield files of known kinds that are not read, and their kind; those near the root first.

    Args:
        files: All files.
    """
    suffixes = tuple({suffix for kind in KNOWN_FOREIGN for suffix in kind.suffixes})
    paths = [path for path in files.paths if _without_shard(path).endswith(suffixes)]
    for path in sorted(paths, key=lambda path: path.count("/"))[:_EXAMINED]:
        kind = next((each for each in KNOWN_FOREIGN if each.is_own(path, files)), None)
        if kind is not None:
            yield path, kind
