"""Classes proposed by texts: features as a reference computes them, and how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import keras
import numpy as np
import pytest
from labeling_pictures import color_labeling

from helpers.text_presets import HEADS, PromptsHost, tiny_clip, write_clip
from studio.engine.compute.prompts.scoring import class_features, probabilities
from studio.engine.compute.prompts.text_encoder import read_text_encoder, unit
from studio.engine.errors import BadDataError, StudioError
from studio.engine.labeling.certain import certainty
from studio.engine.labeling.prompts import (
    Prompts,
    measured,
    prompts_of,
    text_proposals,
    text_sources,
)
from studio.engine.labeling.proposals import MIN_LABELS
from studio.engine.labeling.values import ClassValue
from studio.engine.networks.backbones import BACKBONES
from studio.engine.pretrained.sources import SOURCES, TEMPLATES
from studio.engine.pretrained.store import PretrainedStore
from studio.engine.workspace import Workspace

TEXTS = ("a photo of a cat.", "An image of 2 dogs, isn't it?", "coração")


@pytest.fixture(scope="module")
def preset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("library") / "clip_base_32")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> PromptsHost:
    monkeypatch.setitem(BACKBONES._ours, "clip_base_32", tiny_clip())
    return PromptsHost()


def _reference(path: Path, numbers: list[int]) -> np.ndarray:
    """Features of one text by layers of Keras."""
    with h5py.File(path / "model.weights.h5") as file:

        def values(name: str) -> list[Any]:
            group = file[f"layers/{name}/vars"]
            return [group[key][()] for key in sorted(group)]

        inner = "clip_text_encoder/layers"
        embedding = f"{inner}/token_and_position_embedding"
        tokens = values(f"{embedding}/token_embedding")[0][numbers]
        tokens = tokens + values(f"{embedding}/position_embedding")[0][: len(numbers)]
        state = keras.ops.convert_to_tensor(tokens[None])
        width = tokens.shape[-1]

        def layer(made: keras.Layer, name: str, shape: tuple[int | None, ...]) -> keras.Layer:
            made.build(shape)
            made.set_weights(values(name))
            return made

        for block in ("clip_encoder_layer", "clip_encoder_layer_1"):
            at = f"{inner}/{block}"
            attention = keras.layers.MultiHeadAttention(HEADS, width // HEADS)
            attention.build(state.shape, state.shape)
            parts = ("query", "key", "value", "output")
            attention.set_weights(
                [each for part in parts for each in values(f"{at}/attention/{part}_dense")]
            )
            norms = [keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(2)]
            norm = layer(norms[0], f"{at}/layer_norm_1", state.shape)(state)
            state = state + attention(norm, norm, use_causal_mask=True)
            norm = layer(norms[1], f"{at}/layer_norm_2", state.shape)(state)
            hidden = layer(keras.layers.Dense(48), f"{at}/dense_1", norm.shape)(norm)
            hidden = hidden * keras.ops.sigmoid(1.702 * hidden)
            state = state + layer(keras.layers.Dense(width), f"{at}/dense_2", hidden.shape)(hidden)
        last = keras.layers.LayerNormalization(epsilon=1e-6)
        layer(last, f"{inner}/layer_normalization", state.shape)
        found: np.ndarray = np.asarray(last(state))[0, -1] @ values("dense_1")[0]
    expected: np.ndarray = found / np.linalg.norm(found)
    return expected


def test_features_of_texts_are_those_of_a_reference(preset: Path) -> None:
    prompts = prompts_of(str(preset))
    encoder = read_text_encoder(prompts.weights, prompts.files)
    for text in TEXTS:
        numbers = encoder.tokens.encode(text, len(encoder.positions))
        expected = _reference(preset, numbers)
        np.testing.assert_allclose(encoder.features([text])[0], expected, atol=1e-5)


def test_words_are_joined_in_the_order_of_the_merges(preset: Path) -> None:
    tokens = read_text_encoder(preset / "model.weights.h5", prompts_of(str(preset)).files).tokens
    start, *inner, end = tokens.encode("A photo  of a CAT.", 20)
    again = tokens.encode("a photo of a cat.", 20)
    assert [start, *inner, end] == again, "case and white space do not matter"
    assert len(inner) == 6, "known words, and the point, are one token each"
    assert len(tokens.encode("dog " * 50, 20)) == 20
    assert tokens.encode("dog's 12", 20)[1:-1] == [
        number for word in ("dog", "'s", "1", "2") for number in tokens.encode(word, 20)[1:-1]
    ]


@pytest.mark.parametrize("kind", ["clip", "siglip", "siglip2"])
def test_kerashub_computes_the_same(tmp_path: Path, kind: str) -> None:
    hub = pytest.importorskip("keras_hub")
    folder, texts = tmp_path / kind, [*TEXTS, "a photo of a dog"]
    model = _of_keras_hub(hub, kind, folder)
    files = prompts_of(str(folder)).files
    encoder = read_text_encoder(folder / "model.weights.h5", files)
    size = len(encoder.positions)
    numbers = [encoder.tokens.encode(text, size) for text in texts]
    if kind != "clip":
        assert numbers == _numbers_of_keras_hub(hub, folder, texts, size)
    padded = [each + [0] * (size - len(each)) for each in numbers]
    images = np.random.default_rng(1).normal(0, 1, (3, 64, 64, 3)).astype(np.float32)
    inputs = {"token_ids": np.array(padded, np.int32), "images": images}
    expected = keras.ops.softmax(model(inputs)["vision_logits"], axis=-1)
    vision = np.asarray(model.get_vision_embeddings(images))
    found = probabilities(unit(vision), encoder.features(texts), encoder.scale)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert encoder.side == 64


def _numbers_of_keras_hub(
    hub: Any, folder: Path, texts: list[str], length: int
) -> list[list[int]]:
    """Return tokens as KerasHub numbers, joins and fills up texts."""
    tokenizer = hub.models.Tokenizer.from_preset(str(folder))
    preprocessor = hub.models.SigLIPPreprocessor(tokenizer, sequence_length=length)
    plain = preprocessor.canonicalize_inputs(texts)
    preprocessor.build(None)
    found, _ = preprocessor.packer(tokenizer(plain), sequence_length=length)
    numbers: list[list[int]] = np.asarray(found).tolist()
    return numbers


def _of_keras_hub(hub: Any, kind: str, folder: Path) -> Any:
    """Write a preset of random weights by KerasHub itself."""
    random = np.random.default_rng(0)
    vision = {
        "patch_size": 16,
        "hidden_dim": 32,
        "num_layers": 2,
        "num_heads": 2,
        "intermediate_dim": 64,
        "image_shape": (64, 64, 3),
    }
    text = {"num_layers": 2, "num_heads": 2, "intermediate_dim": 48}
    if kind == "clip":
        write_clip(folder)
        files = {
            "vocabulary": str(folder / "assets/tokenizer/vocabulary.json"),
            "merges": str(folder / "assets/tokenizer/merges.txt"),
        }
        tokenizer = hub.models.CLIPTokenizer(**files)
        width = {"embedding_dim": 24, "hidden_dim": 24, "max_sequence_length": 20}
        encoders = (
            hub.models.CLIPVisionEncoder(**vision),
            hub.models.CLIPTextEncoder(tokenizer.vocabulary_size(), **width, **text),
        )
        model = hub.models.CLIPBackbone(*encoders, projection_dim=16)
    else:
        import io

        import sentencepiece  # type: ignore[import-not-found,unused-ignore]  # of KerasHub

        written = io.BytesIO()
        numbers = {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3}
        names = {"eos_piece": "<eos>", "bos_piece": "<bos>"} if kind == "siglip2" else {}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([*TEXTS, "a photo of a dog"] * 4),
            model_writer=written,
            vocab_size=30,
            minloglevel=2,
            **numbers,
            **names,
        )
        if kind == "siglip2":
            tokenizer = hub.models.GemmaTokenizer(proto=written.getvalue())
        else:
            tokenizer = hub.models.SigLIPTokenizer(proto=written.getvalue())
        width = {"embedding_dim": 32, "hidden_dim": 32, "max_sequence_length": 16}
        encoders = (
            hub.models.SigLIPVisionEncoder(**vision),
            hub.models.SigLIPTextEncoder(tokenizer.vocabulary_size(), **width, **text),
        )
        model = hub.models.SigLIPBackbone(*encoders)
    for weight in model.weights:
        if "float" in str(weight.dtype):
            weight.assign(weight + random.normal(0, 0.1, weight.shape))
    model.save_to_preset(str(folder))
    tokenizer.save_to_preset(str(folder))
    return model


def test_pictures_get_the_softmax_of_their_likeness_to_the_texts(
    workspace: Workspace, tmp_path: Path, preset: Path, host: PromptsHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 8)
    prompts = prompts_of(str(preset), words={"red": "cat"})
    assert prompts.texts(labeling.names)[0] == (
        "a photo of a cat.",
        "an image of a cat.",
        "cat",
    )
    found = list(text_proposals(labeling, workspace.root, host, prompts, range(8)))

    assert [each.item for each in found] == list(range(8))
    encoder = read_text_encoder(prompts.weights, prompts.files)
    classes = class_features(encoder, prompts.texts(labeling.names))
    np.testing.assert_allclose(
        classes[0],
        unit(encoder.features(prompts.texts(labeling.names)[0]).mean(axis=0)),
        atol=1e-6,
    )
    for each in found:
        assert sum(share for _, share in each.others) == pytest.approx(1)
        assert each.value == ClassValue(index=each.others[0][0])
    again = list(text_proposals(labeling, workspace.root, host, prompts, range(8)))
    assert again == found, "features of pictures are stored"
    portuguese = prompts_of(str(preset), "pt")
    assert portuguese.texts(["gato"])[0][0] == "uma foto de gato."
    other = list(text_proposals(labeling, workspace.root, host, portuguese, range(8)))
    assert [each.probability for each in other] != [each.probability for each in found]


def test_texts_are_measured_on_the_labels_that_a_person_decided(
    workspace: Workspace, tmp_path: Path, preset: Path, host: PromptsHost
) -> None:
    labeling = color_labeling(workspace, tmp_path / "in", 60)
    prompts = prompts_of(str(preset))
    found = {
        each.item: each
        for each in text_proposals(labeling, workspace.root, host, prompts, range(60))
    }
    nothing = measured(labeling, workspace.root, host, prompts)
    assert (nothing.right, nothing.count, nothing.limit) == (0, 0, None)
    assert "20 more labels" in nothing.sentence

    for item in range(MIN_LABELS + 20):
        labeling.label(item, found[item].value, "key", 1.0)
    right = measured(labeling, workspace.root, host, prompts)
    assert (right.right, right.count) == (40, 40)
    assert "40 of 40 labeled images (91 to 100 %)" in right.sentence
    assert right.limit is not None
    assert right.limit.threshold <= min(certainty(found[item]) for item in range(40)) + 1e-6

    for item in range(MIN_LABELS + 20):
        value = found[item].value
        assert value is not None
        labeling.label(item, ClassValue(index=(value.classes[0] + 1) % 3), "key", 1.0)
    wrong = measured(labeling, workspace.root, host, prompts)
    assert (wrong.right, wrong.count, wrong.limit) == (0, 40, None)
    for item in range(40, 60):
        labeling.label(item, found[item].value, "group", 1.0)
    assert measured(labeling, workspace.root, host, prompts).count == 40, "accepted in bulk"


def test_what_texts_cannot_do_is_said(
    workspace: Workspace, tmp_path: Path, preset: Path, host: PromptsHost
) -> None:
    prompts = prompts_of(str(preset))
    several = color_labeling(workspace, tmp_path / "in", 3, "multi_label")
    with pytest.raises(StudioError, match="Texts propose classes"):
        list(text_proposals(several, workspace.root, host, prompts, [0]))
    with pytest.raises(StudioError, match="does not name the class"):
        prompts_of(str(preset), templates=["a photo"])
    with pytest.raises(StudioError, match="is not the preset"):
        prompts_of(str(tmp_path))
    with pytest.raises(StudioError, match="knows no texts"):
        prompts_of("dinov2_small")
    (tmp_path / "vocabulary.json").write_text("[]", "utf-8")
    with pytest.raises(BadDataError, match="vocabulary of the texts"):
        read_text_encoder(prompts.weights, [tmp_path / "vocabulary.json"])


def test_a_preset_that_was_carried_over_is_a_source_of_texts(
    preset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path / "kagglehub"))
    store, source = PretrainedStore(), SOURCES["clip_base_32_texts"]
    assert text_sources() == []
    with pytest.raises(StudioError, match="studio models get clip_base_32_texts") as refused:
        prompts_of(source.name)
    assert "not on this machine" in refused.value.message
    assert {each.path.name for each in store.missing(source)} == {
        "model.weights.h5",
        "vocabulary.json",
        "merges.txt",
    }

    added = {each.name for each in store.add(preset)}

    assert added == {"clip_base_32", source.name}
    assert text_sources() == [source]
    prompts = prompts_of(source.name)
    assert isinstance(prompts, Prompts)
    assert prompts.templates == TEMPLATES["en"]
    assert read_text_encoder(prompts.weights, prompts.files).side == 64
    store.remove(source)
    assert store.state(SOURCES["clip_base_32"]) == "here", "weights serve images, too"
