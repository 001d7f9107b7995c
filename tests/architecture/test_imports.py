"""Who may import whom, seen at run time: each check in a fresh process."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import studio
from helpers.processes import run_python
from studio.engine.exporting.formats import FORMATS
from studio.engine.registry import Registry

KERAS = ("keras", "tensorflow", "jax", "torch")
ROOT = Path(str(studio.__file__)).parent

_IMPORT = """
import importlib, sys
modules, blocked, forbidden = (part.split(",") for part in sys.argv[1:])

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"{name} must not be imported here", name=name)

sys.meta_path.insert(0, Blocker())
for name in modules:
    importlib.import_module(name)
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(forbidden)))
"""


def _modules(*packages: str) -> list[str]:
    found = []
    for package in packages:
        path = ROOT.parent / package.replace(".", "/")
        found.append(package)
        found += [m.name for m in pkgutil.walk_packages([str(path)], f"{package}.")]
    return found


def _import_all(modules: list[str], blocked: tuple[str, ...], forbidden: tuple[str, ...]) -> str:
    done = run_python(_IMPORT, ",".join(modules), ",".join(blocked), ",".join(forbidden))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_window_and_command_line_get_along_without_keras() -> None:
    modules = _modules("studio.cli", "studio.ui")
    assert len(modules) > 20

    assert _import_all([*modules, "studio.__main__"], KERAS, KERAS) == ""


def test_the_engine_and_the_documents_of_the_window_get_along_without_qt_and_keras() -> None:
    modules = _modules("studio.ui.documents")
    assert len(modules) >= 2
    modules += [
        name
        for name in _modules("studio.engine")
        if not name.startswith(("studio.engine.compute", "studio.engine.worker"))
    ]
    assert len(modules) > 40

    assert _import_all(modules, ("PySide6", "shiboken6", *KERAS), ("PySide6", *KERAS)) == ""


def test_compute_and_worker_get_along_without_qt() -> None:
    modules = ["studio.engine.worker.main", "studio.engine.worker.study"]
    modules += ["studio.engine.compute.backends.prepare", "studio.engine.compute.train"]

    assert _import_all(modules, ("PySide6", *KERAS), ("PySide6", *KERAS)) == ""


def test_the_command_line_starts_without_what_only_some_verbs_need() -> None:
    heavy = (
        "numpy",
        "h5py",
        "PIL",
        "sklearn",
        "scipy",
        "jinja2",
        "PySide6",
        "pyqtgraph",
        "pandas",
        "matplotlib",
        *KERAS,
    )

    assert _import_all(["studio.cli.main"], heavy, heavy) == ""


def test_asking_for_help_takes_no_numpy() -> None:
    code = """
import runpy, sys
sys.argv = ["studio", "--help"]
try:
    runpy.run_module("studio", run_name="__main__")
except SystemExit:
    pass
print(*sorted({"numpy", "h5py", "PIL"} & set(sys.modules)))
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert "Train image models" in done.stdout
    assert done.stdout.splitlines()[-1] == ""


# Files beside the entries. `drawn_samples` makes samples, see `samples.py`; the sources of
# `annotated` and `drawn_labels` are made for a place, see `source_for`.
REGISTRIES = {
    "studio.engine.datasets.sources": {
        *("annotated", "base", "drawn_cells", "drawn_labels", "drawn_touching"),
        *("drawn_samples", "drawn_textures"),
    },
}


@pytest.mark.parametrize("package", REGISTRIES)
def test_every_file_of_a_registry_is_listed(package: str) -> None:
    folder = ROOT.parent / package.replace(".", "/")
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"} - REGISTRIES[package]
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    module = importlib.import_module(package)

    assert files, "a registry has entries"
    left_out = [name for name in files if f"from {package}.{name} import" not in text]
    assert left_out == []
    registries = [value for value in vars(module).values() if isinstance(value, Registry)]
    assert len(registries) == 1
    assert len(registries[0]) >= len(files)


def test_every_export_format_has_a_writer_and_every_writer_a_format() -> None:
    folder = ROOT / "engine/compute/exporters"
    writers = {
        f"studio.engine.compute.exporters.{path.stem}:{name}"
        for path in folder.glob("*.py")
        for name in re.findall(r"^def (write(?!r)\w*)\(", path.read_text("utf-8"), re.MULTILINE)
    }

    assert {each.writer for each in FORMATS} == writers


def test_every_package_says_what_it_holds() -> None:
    for path in ROOT.rglob("__init__.py"):
        name = ".".join(path.parent.relative_to(ROOT.parent).parts)
        first = path.read_text(encoding="utf-8").lstrip()
        assert first.startswith('"""'), f"{name} has no docstring"


@pytest.mark.parametrize(
    ("use", "modules"),
    [
        # Axes, zoom and keys of all charts are those of `ui/charts/plot.py`.
        (r"^\s*(from|import) pyqtgraph", ["primitives.py"]),
        (r"QFileDialog\(|QFileDialog\.get", ["file_dialogs.py", "save_dialog.py"]),
        # Errors are notices or texts on a page; only a window that cannot open has no page.
        (r"QMessageBox\.\w+\(", ["app.py"]),
    ],
)
def test_what_has_one_place_is_used_there_alone(use: str, modules: list[str]) -> None:
    files = ROOT.rglob("*.py")
    users = [path.name for path in files if re.search(use, path.read_text("utf-8"), re.MULTILINE)]
    assert sorted(users) == modules
