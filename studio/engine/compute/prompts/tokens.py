"""Tokens of texts, as CLIP and SigLIP number them."""

from __future__ import annotations

import functools
import importlib
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, Protocol

from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import read_failure
from studio.engine.installation import install_command
from studio.engine.messages import message

VOCABULARY, MERGES, PIECES = "vocabulary.json", "merges.txt", "vocabulary.spm"
"""Names of the files, as KerasHub writes them."""

_START, _END, _WORD_END = "<|startoftext|>", "<|endoftext|>", "</w>"
_CONTRACTIONS: Final = ("'re", "'ve", "'ll", "'s", "'t", "'m", "'d")
_PUNCTUATION: Final = str.maketrans("", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_GEMMA_END: Final = "<eos>"
"""The last token in the vocabulary of Gemma, that of SigLIP 2."""


class Tokenizer(Protocol):
    """Numbers the parts of a text."""

    def encode(self, text: str, length: int) -> list[int]:
        """Return the numbers of the tokens of a text.

        Args:
            text: The text.
            length: Maximum number of tokens.
        """


def tokenizer_of(files: Sequence[Path]) -> Tokenizer:
    """Return the tokenizer of the files of a preset.

    Args:
        files: Vocabulary and merges of CLIP, or the pieces of SigLIP.

    Raises:
        BadDataError: A file is damaged or missing.
        StudioError: SentencePiece is not installed, which pieces need.
    """
    by_name = {path.name: path for path in files}
    try:
        if PIECES in by_name:
            return _SentencePieces(by_name[PIECES])
        vocabulary = json.loads(by_name[VOCABULARY].read_text("utf-8"))
        merges = by_name[MERGES].read_text("utf-8").splitlines()
        return _BytePairs(vocabulary, merges)
    except (*DAMAGED, LookupError, AttributeError) as error:
        raise BadDataError(
            "The vocabulary of the texts cannot be used: {reason}.",
            "Fetch the files of the preset again.",
            "texts",
            reason=read_failure(error),
        ) from error


class _BytePairs:
    """Byte pair encoding of CLIP, whose words end in a sign of their own.

    Args:
        vocabulary: Number of each token.
        merges: Pairs of parts that are joined, the first ones first.
    """

    def __init__(self, vocabulary: dict[str, int], merges: Sequence[str]) -> None:
        self._number = vocabulary
        pairs = (line.split() for line in merges if not line.startswith("#version:"))
        self._rank = {(pair[0], pair[1]): at for at, pair in enumerate(pairs) if len(pair) == 2}
        self._start, self._end = vocabulary[_START], vocabulary[_END]

    def encode(self, text: str, length: int) -> list[int]:
        """Return the numbers between those of start and end; see `Tokenizer`."""
        found = [
            self._number.get(part, self._end)
            for word in _words(unicodedata.normalize("NFC", text).lower())
            for part in self._parts(word)
        ]
        return [self._start, *found[: length - 2], self._end]

    def _parts(self, word: str) -> list[str]:
        signs = _signs()
        parts = [signs[byte] for byte in word.encode()]
        parts[-1] += _WORD_END
        while len(parts) > 1:
            last = len(self._rank)
            best = min(pairwise(parts), key=lambda pair: self._rank.get(pair, last))
            if best not in self._rank:
                break
            parts = _joined(parts, best)
        return parts


def _joined(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """Return parts in which every such pair is one part."""
    found: list[str] = []
    at = 0
    while at < len(parts):
        is_pair = tuple(parts[at : at + 2]) == pair
        found.append(parts[at] + parts[at + 1] if is_pair else parts[at])
        at += 2 if is_pair else 1
    return found


def _words(text: str) -> Iterator[str]:
    """Yield contractions, runs of letters, single digits and runs of other signs."""
    at = 0
    while at < len(text):
        kind = _kind(text[at])
        end = at + 1
        contraction = next((each for each in _CONTRACTIONS if text.startswith(each, at)), "")
        if contraction:
            end = at + len(contraction)
        elif kind in "LO":
            while end < len(text) and _kind(text[end]) == kind:
                end += 1
        if kind != " ":
            yield text[at:end]
        at = end


def _kind(sign: str) -> str:
    """Return L for a letter, N for a digit, a space for white space and O for others."""
    if sign.isspace():
        return " "
    category = unicodedata.category(sign)[0]
    return category if category in "LN" else "O"


@functools.cache
def _signs() -> dict[int, str]:
    """Return a visible sign for each byte, as GPT-2 and CLIP write them."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {
        byte: chr(256 + number) for number, byte in enumerate(others)
    }


class _SentencePieces:
    """Pieces of SigLIP: lower-case letters without punctuation, filled up to a length.

    SigLIP fills up with the end token; SigLIP 2, with the vocabulary of Gemma, with another one
    behind it.

    Args:
        path: Model of SentencePiece.
    """

    def __init__(self, path: Path) -> None:
        try:
            package = importlib.import_module("sentencepiece")
        except ImportError as error:
            raise StudioError(
                "Texts of SigLIP need the package sentencepiece, which cannot be imported: "
                "{reason}.",
                message("Install it: {command}", command=install_command("hub")),
                "texts",
                reason=str(error).rstrip("."),
            ) from error
        self._processor = package.SentencePieceProcessor(model_proto=path.read_bytes())
        self._end = int(self._processor.eos_id())
        is_gemma = self._processor.id_to_piece(self._end) == _GEMMA_END
        self._filling = int(self._processor.pad_id()) if is_gemma else self._end

    def encode(self, text: str, length: int) -> list[int]:
        """Return exactly as many numbers as `length`; see `Tokenizer`."""
        plain = re.sub(r"\s+", " ", text.lower().translate(_PUNCTUATION)).strip()
        found = [int(each) for each in self._processor.encode(plain)][: length - 1]
        return [*found, self._end, *[self._filling] * (length - len(found) - 1)]
