"""Prints the paths whose thorough tests a change needs, one per line; all of them if in doubt.

The change is compared with the commit in `CI_BASE`, or else with the one where it left `main`; on
`main` itself, it is the last commit.
The tests of a package have the same path below `tests/` as the package below `studio/`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = ("tests/end_to_end", "tests/faults")
"""What crosses all packages."""
WITHOUT_TESTS = (".md", ".png", ".gif", ".svg", ".yml", ".ts", ".qm")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def changed_files() -> list[str] | None:
    """Return the files that changed, or None if the base is unknown."""
    head = _git("rev-parse", "HEAD")
    bases = (os.environ.get("CI_BASE", ""), "origin/main", "main", "HEAD~1")
    for base in filter(None, bases):
        commit = _git("merge-base", "HEAD", base)
        if commit and commit != head:
            return _git("diff", "--name-only", commit, "HEAD").splitlines()
    return None


def mirrored_tests(file: str) -> str:
    """Return the tests of a changed file: a path, "" for none, or "tests" for all."""
    path = PurePosixPath(file)
    if path.suffix in WITHOUT_TESTS:
        return ""
    if path.parts[0] == "tests" and path.parts[1] != "helpers":
        is_test = path.name.startswith("test_")
        return str(path if is_test else path.parent) if (ROOT / path).exists() else ""
    if path.parts[0] != "studio":
        return "tests"
    for folder in path.parents:
        mirrored = PurePosixPath("tests", *folder.parts[1:])
        if (ROOT / mirrored).is_dir():
            return str(mirrored)
    return "tests"


def thorough_paths(files: list[str] | None) -> list[str]:
    """Return the paths of tests for changed files; all tests for None."""
    found = {"tests"} if files is None else {each for each in map(mirrored_tests, files) if each}
    if any(file.startswith("studio/") for file in files or ()):
        found.update(ALWAYS)
    outer = {each for each in found if not found & {str(p) for p in Path(each).parents}}
    return sorted(outer)


if __name__ == "__main__":
    for each in thorough_paths(changed_files()):
        print(each)
