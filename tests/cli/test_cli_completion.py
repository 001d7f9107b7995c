"""`studio completion`: the scripts of all shells, and completions in bash."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.command_line import Call, caller
from studio.cli.completion import SHELLS


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys, None)


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_know_verbs_options_and_choices(call: Call, shell: str) -> None:
    script = call("completion", shell, "--json").document["script"]

    for word in ("preflight", "learning-rate", "mixed_bfloat16"):
        assert word in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is needed")
def test_bash_completes_verbs_options_and_values(call: Call, tmp_path: Path) -> None:
    script = tmp_path / "studio.bash"
    script.write_text(call("completion", "bash").out, encoding="utf-8")

    def completed(*words: str) -> set[str]:
        line = " ".join(f'"{word}"' for word in ("studio", *words))
        function = '$(complete -p studio | sed "s/.*-F \\([^ ]*\\).*/\\1/")'
        code = (
            f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
            f'{function}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        )
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    assert completed("preflig") == {"preflight"}
    assert completed("runs", "pau") == {"pause"}
    assert completed("train", "--learning") == {"--learning-rate"}
    assert completed("train", "--precision", "mixed_f") == {"mixed_float16"}


def test_other_shells_are_refused(call: Call) -> None:
    assert 'Did you mean "bash"?' in call("completion", "bsh").mistake
