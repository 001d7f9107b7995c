"""Brazilian Portuguese has one term for each concept, in the window and in the manual."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ASSETS = Path(__file__).parents[3] / "assets"

TERMS = {
    r"accurac(y|ies)": r"acurácia",
    r"augmentation": r"aumento",
    r"batch(es)?": r"lote|batch normalization",
    r"benchmarks?": r"benchmark",
    r"checkpoints?": r"checkpoint",
    r"class(es)?": r"classe",
    r"datasets?": r"conjunto",
    r"delet(e[ds]?|ing)": r"exclu",
    r"devices?": r"dispositivo",
    r"epochs?": r"época",
    r"exclude[ds]?|left out": r"fora",
    r"exports?": r"export",
    r"features?": r"característica",
    r"files?": r"arquivo",
    r"folders?": r"pasta",
    r"head": r"cabeça",
    r"jobs?": r"trabalho",
    r"labels?": r"r[óo]tul|\blabel\b",
    r"layers?": r"camada",
    r"learning rates?": r"taxas? de aprendizado",
    r"metrics?": r"métrica",
    r"models?": r"modelo",
    r"networks?": r"redes?",
    r"over-?fit(ting)?": r"sobreajust",
    r"predictions?": r"previs|prevê",
    r"queue": r"fila",
    r"schedules?": r"agendamento",
    r"(?<!of )settings?": r"configuraç",
    r"skip(s|ped)?": r"\bpul",
    r"splits?(?! off)": r"divi",
    r"sweeps?": r"varredura",
    r"tasks?": r"tarefa",
    r"thresholds?": r"limiar",
    r"training": r"trein",
    r"trash": r"lixeira",
    r"trials?": r"tentativa",
    r"validation": r"valida",
    r"weights?": r"pesos?|weight decay",
    r"workspaces?": r"espaços?( de trabalho)?",
}
"""Terms of people who train networks, and what each is in Portuguese."""

AVOIDED = {
    r"treinament": "treino",
    r"predi[tçz]|predizer": "previsão, prever",
    r"apag(ar|ue|ad[ao]s?)\b|delet": "excluir, excluído",
    r"\bomit": "deixar de fora, pular",
    r"taxas? de aprendizagem": "taxa de aprendizado",
    r"superajust|overfitting": "sobreajuste",
    r"(?<!em )execuç": "treino",
    r"passeio|visita guiada": "tour",
    r"\bagendas?\b": "agendamento",
    r"\bajustes\b": "configurações",
    r"exatidão": "acurácia",
    r"workspace": "espaço de trabalho",
    r"\bachados?\b|descobertas?\b": "resultado",
    r"\b(foi|treino) morto\b": "encerrado",
    r"\btarefas em andamento": "trabalhos em andamento",
}
"""Other words for the same, with the one that is used."""

EXCEPTIONS = {
    "Network in Network",
    "Bergmann et al., The MVTec Anomaly Detection Dataset, IJCV 2021",
    "Export it as weights or keras.",
    "A table needs a column of images, and one called label.",
    "keras, savedmodel, tflite, onnx, openvino, torch, weights, divided by commas; or all.",
    "epochs batch size learning rate optimizer precision seed",
    "# label:color_rgb:parts:actions",
    "network layers",
}
"""Names, words to search for, and the mark of copied layers."""

TUNING = "sem ajustes"
"""Ajustes in another sense."""

DIFFERENCE = re.compile(
    r"^change(:| since\b| of \{metric)|\b(maximum|smallest|random) change of\b", re.IGNORECASE
)
"""The difference of two figures, which is no step of a person."""


def _plain(text: str) -> str:
    """Return a text without placeholders, commands, options and names of files and code."""
    text = re.sub(r"`[^`]*`|studio( [a-z-]+)+|https?://\S+", " ", text)
    return re.sub(r"\{[^}]*\}|--[\w-]+|\S*\w[.=]\w\S*|\b[A-Z]{4,}\b", " ", text)


def _translations() -> Iterator[tuple[str, str]]:
    tree = ET.parse(ASSETS / "translations" / "studio_pt_BR.ts")
    for message in tree.iter("message"):
        forms = [text for form in message.iter("translation") for text in form.itertext()]
        yield message.findtext("source", ""), "".join(forms)


def _mixed(english: str, portuguese: str) -> list[str]:
    english, portuguese = _plain(english), _plain(portuguese)
    return [
        term
        for term, word in TERMS.items()
        if re.search(rf"\b{term}\b", english, re.IGNORECASE)
        and not re.search(word, portuguese, re.IGNORECASE)
    ]


def _avoided(portuguese: str) -> list[str]:
    text = _plain(portuguese).replace(TUNING, "")
    return [word for term, word in AVOIDED.items() if re.search(term, text, re.IGNORECASE)]


@pytest.mark.parametrize(
    ("english", "portuguese", "count"),
    [
        ("Delete the dataset", "Excluir o conjunto de dados", 0),
        ("Delete the dataset", "Excluir a base", 1),
        ("Training on {device}", "Treino em {device}", 0),
        ("Training with --weights", "Treinamento com --weights", 0),
    ],
)
def test_other_words_for_a_term_are_found(english: str, portuguese: str, count: int) -> None:
    assert len(_mixed(english, portuguese)) == count


def test_each_term_has_one_translation() -> None:
    found = [
        f"{english!r} → {portuguese!r}: {', '.join(mixed)}"
        for english, portuguese in _translations()
        if portuguese and english not in EXCEPTIONS and (mixed := _mixed(english, portuguese))
    ]
    assert found == [], "\n".join(found)


def test_no_other_word_for_a_term_is_used() -> None:
    texts = [portuguese for _, portuguese in _translations()]
    manual = ASSETS / "help" / "pt_BR"
    for path in sorted(manual.glob("*.md")):
        texts += path.read_text("utf-8").splitlines()
    entries = json.loads((manual / "glossary.json").read_text("utf-8"))
    texts += [f"{entry['name']}: {entry['meaning']}" for entry in entries.values()]
    found = [f"{text!r}: {', '.join(words)}" for text in texts if (words := _avoided(text))]
    assert found == [], "\n".join(found)


def test_the_difference_of_two_figures_is_no_step_of_a_person() -> None:
    """A table said “Mudança” and the certificate beside it “Variação” for one figure."""
    texts = [(english, word) for english, word in _translations() if DIFFERENCE.search(english)]
    assert len(texts) > 5
    assert [each for each in texts if "variação" not in each[1].lower()] == []
