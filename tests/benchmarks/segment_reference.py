"""Click to segment against the reference implementations, with random weights of real size.

    REFERENCE/bin/python tests/benchmarks/segment_reference.py export FOLDER
    .venv/bin/python tests/benchmarks/segment_reference.py compare FOLDER

REFERENCE is an environment with PyTorch, `segment-anything` 1.0, `sam2` 1.1.0 and `samexporter`
0.5.0 (which has the TinyViT encoder of MobileSAM). The first command writes `mobile_sam` and
`sam2.1_tiny`: two ONNX files each, pictures, and the logits of `SamPredictor` and
`SAM2ImagePredictor`. The second one runs Studio's own code on the same pictures and prints the
largest differences, and the processor time of the encoder and the decoder.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SIZES = {"square": (1024, 1024), "small": (640, 480), "tall": (900, 1600)}
"""Width and height of the pictures."""
PROMPTS: dict[str, tuple[list[tuple[float, float, int]], list[float] | None]] = {
    "click": ([(0.4, 0.5, 1)], None),
    "refined": ([(0.4, 0.5, 1), (0.7, 0.3, 0), (0.5, 0.6, 1)], None),
    "box": ([], [0.2, 0.3, 0.6, 0.8]),
    "box and click": ([(0.5, 0.4, 0)], [0.2, 0.3, 0.6, 0.8]),
}
"""Points x, y, label and boxes, in parts of the picture."""
REPEATS = 7


def main() -> None:
    """Run one of the two steps."""
    command, folder = sys.argv[1], Path(sys.argv[2])
    {"export": export, "compare": compare}[command](folder)


def pictures() -> dict[str, Any]:
    """Smooth random pictures with disks."""
    random = np.random.default_rng(0)
    found = {}
    for name, (width, height) in SIZES.items():
        ys, xs = np.mgrid[:height, :width]
        pixels = np.zeros((height, width, 3))
        for _ in range(30):
            x, y, r = random.uniform(0, width), random.uniform(0, height), random.uniform(20, 160)
            color = random.uniform(0, 255, 3)
            pixels[(xs - x) ** 2 + (ys - y) ** 2 < r * r] = color
        found[name] = np.clip(pixels + random.normal(0, 5, pixels.shape), 0, 255).astype(np.uint8)
    return found


def export(folder: Path) -> None:
    """Write the files of both models, and what the reference implementations give."""
    torch = import_module("torch")
    torch.manual_seed(0)
    for name, make in (("mobile_sam", _mobile_sam), ("sam2.1_tiny", _sam2)):
        target = folder / name
        target.mkdir(parents=True, exist_ok=True)
        with torch.no_grad():
            predictor = make(torch, target)
            values: dict[str, Any] = {}
            for picture, pixels in pictures().items():
                predictor.set_image(pixels)
                for prompt in PROMPTS:
                    logits, scores = _reference(predictor, pixels, prompt)
                    values[f"{picture}/{prompt}/logits"] = logits
                    values[f"{picture}/{prompt}/scores"] = scores
        np.savez_compressed(target / "reference.npz", **values)


def _reference(predictor: Any, pixels: Any, prompt: str) -> tuple[Any, Any]:
    height, width = pixels.shape[:2]
    points, box = PROMPTS[prompt]
    is_single = len(points) == 1 and box is None
    is_sam2 = "SAM2" in type(predictor).__name__
    logits, scores, _ = predictor.predict(
        point_coords=np.array([(x * width, y * height) for x, y, _ in points]) if points else None,
        point_labels=np.array([label for *_, label in points]) if points else None,
        box=None if box is None else np.array(box) * (width, height, width, height),
        multimask_output=is_single or is_sam2,
        return_logits=True,
    )
    best = int(np.argmax(scores))
    return logits[best].astype(np.float32), scores[best]


def _written(
    torch: Any, model: Any, inputs: dict[str, Any], path: Path, outputs: list[str]
) -> None:
    axes = {"point_coords": {1: "points"}, "point_labels": {1: "points"}}
    torch.onnx.export(
        model,
        tuple(inputs.values()),
        str(path),
        opset_version=17,
        input_names=list(inputs),
        output_names=outputs,
        dynamic_axes={name: each for name, each in axes.items() if name in inputs},
        dynamo=False,
    )


def _prompt_inputs(torch: Any) -> dict[str, Any]:
    return {
        "point_coords": torch.rand(1, 5, 2) * 1024,
        "point_labels": torch.ones(1, 5),
        "mask_input": torch.zeros(1, 1, 256, 256),
        "has_mask_input": torch.zeros(1),
    }


def _mobile_sam(torch: Any, folder: Path) -> Any:
    setup = import_module("samexporter.mobile_encoder.setup_mobile_sam")
    wrappers = import_module("samexporter.onnx_utils")
    onnx = import_module("segment_anything.utils.onnx")
    sam = setup.setup_model().eval()
    encoder = wrappers.ImageEncoderOnnxModel(sam, use_preprocess=False).eval()
    image = {"image": torch.randn(1, 3, 1024, 1024)}
    _written(torch, encoder, image, folder / "mobile_sam.encoder.onnx", ["image_embeddings"])
    inputs = {
        "image_embeddings": torch.randn(1, 256, 64, 64),
        **_prompt_inputs(torch),
        "orig_im_size": torch.tensor([768.0, 1024.0]),
    }
    names = ["masks", "iou_predictions", "low_res_masks"]
    decoder = onnx.SamOnnxModel(sam, return_single_mask=False)
    _written(torch, decoder, inputs, folder / "mobile_sam.decoder.onnx", names)
    return import_module("segment_anything").SamPredictor(sam)


def _sam2(torch: Any, folder: Path) -> Any:
    sys.argv = sys.argv[:1]
    exporting = import_module("samexporter.export_sam2")
    build = import_module("sam2.build_sam")
    sam = build.build_sam2("configs/sam2.1/sam2.1_hiera_t.yaml", None, device="cpu")
    encoder = exporting.SAM2ImageEncoder(sam).eval()
    names = ["high_res_feats_0", "high_res_feats_1", "image_embed"]
    image = {"image": torch.randn(1, 3, 1024, 1024)}
    _written(torch, encoder, image, folder / "sam2.encoder.onnx", names)
    inputs = {
        "image_embed": torch.randn(1, 256, 64, 64),
        "high_res_feats_0": torch.randn(1, 32, 256, 256),
        "high_res_feats_1": torch.randn(1, 64, 128, 128),
        **_prompt_inputs(torch),
    }
    decoder = exporting.SAM2ImageDecoder(sam, multimask_output=True).eval()
    _written(torch, decoder, inputs, folder / "sam2.decoder.onnx", ["masks", "iou_predictions"])
    return import_module("sam2.sam2_image_predictor").SAM2ImagePredictor(sam)


def compare(folder: Path) -> None:
    """Print differences to the reference, and times."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    files = import_module("studio.engine.labeling.segmenting.files")
    models = import_module("studio.engine.labeling.segmenting.model")
    report: dict[str, Any] = {}
    for name in ("mobile_sam", "sam2.1_tiny"):
        model = models.PromptModel(files.segment_model(folder / name))
        reference = np.load(folder / name / "reference.npz")
        report[name] = {}
        for picture, pixels in pictures().items():
            embedding = model.encode(pixels)
            for prompt in PROMPTS:
                key = f"{picture}/{prompt}"
                report[name][key] = _difference(model, embedding, prompt, reference, key, pixels)
        report[name]["encoder"] = _times(lambda: model.encode(pixels))  # noqa: B023 - called at once
        asked = _prompt("refined", pixels)
        size = (pixels.shape[1], pixels.shape[0])
        report[name]["decoder"] = _times(lambda: model.segment(embedding, asked, size))  # noqa: B023
        large = (4000, 3000)
        report[name]["decoder, 12 MP"] = _times(lambda: model.segment(embedding, asked, large))  # noqa: B023
    print(json.dumps(report, indent=1))


def _prompt(name: str, pixels: Any) -> Any:
    requests = import_module("studio.engine.labeling.segmenting.requests")
    height, width = pixels.shape[:2]
    points, box = PROMPTS[name]
    return requests.ObjectPrompt(
        points=[
            requests.ClickPoint(x=x * width, y=y * height, is_inside=bool(at))
            for x, y, at in points
        ],
        box=None if box is None else tuple(np.array(box) * (width, height, width, height)),
    )


def _difference(
    model: Any, embedding: Any, prompt: str, reference: Any, key: str, pixels: Any
) -> dict[str, float]:
    cv2 = import_module("cv2")
    height, width = pixels.shape[:2]
    asked = _prompt(prompt, pixels)
    logits, score = model.logits(embedding, asked, (width, height))
    if model.layout.is_padded:
        side = embedding.side
        logits = cv2.resize(logits, (side, side))[: embedding.seen[1], : embedding.seen[0]]
    whole = cv2.resize(logits, (width, height))
    expected = reference[f"{key}/logits"]
    patch, _ = model.segment(embedding, asked, (width, height))
    mask = np.zeros((height, width), bool) if patch is None else patch.whole((width, height))
    return {
        "logits": float(np.abs(whole - expected).max()),
        "scale": float(np.abs(expected).max()),
        "score": float(abs(np.clip(reference[f"{key}/scores"], 0, 1) - score)),
        "pixels": int((mask != (expected > 0)).sum()),
        "of": int((expected > 0).sum()),
    }


def _times(call: Any) -> dict[str, float]:
    call()
    processor, wall = [], []
    for _ in range(REPEATS):
        began, clock = time.process_time(), time.perf_counter()
        call()
        processor.append(time.process_time() - began)
        wall.append(time.perf_counter() - clock)
    return {
        "processor ms": round(1000 * statistics.median(processor), 1),
        "least wall ms": round(1000 * min(wall), 1),
    }


if __name__ == "__main__":
    main()
