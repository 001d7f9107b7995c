"""Malicious files of models, and one that ends HDF5's library."""

from __future__ import annotations

import base64
import io
import json
import marshal
import pickle
import zipfile
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np

_CRASH = (
    "c-rlnK`#SA6vt<GRX2@BB@*RgEzw3CoZW=dgCICaL~7G6ZBkn-LZsnX-=IfFM>md+K7yl<;l|F+Y;{Ik4Hbv}e@*i;Z{"
    "E(#?!N!KyuC>;EJh<E5kk>*(nDgTo_7wJlE$1}ZWV4T+}^2yU-ReU+#loX8yXwuxqov#m7>w_619UE%;*GkBk9!K8ns)"
    "sJYqbnVqDR>u#er(d`$mx-vPdpoY#GPWrak^pqG^grJP;NWJ}IoVW0Yk9~A$}SWO$cpp*H!WLErth|MX1FUhRR99%9fY"
    "}~(ez!>#3%mg!}lc6g<AM!S%^Qy`g)VU%xC6MNXbm!;)`o0za_gOcB_wdASj=c7^S2yzGs2ivoU+V@5i*Y&Iac$DMy3s"
    "6u(_?IW9d3QTTj_jf7OiTXJ72)k{OYn&x3N&4JTA>_(Q@64V;$J$tYL20N2j)PQm~5Vv|+M(=lL(qAi$x1R)xLc_D;Dh"
    ">{snaP67Y`00000000000001g&Bn^=0_{`;{jn<VuLXSox!(pF^IaeEFu^SPkkA=rD=g|v?hAs(H0!Ir@Xr_CCfn2FV-"
    "kAoW}5Zg;|VcthDbW?a2>dx5Z9OU7_|2sD;l23Pxt_@{+;~"
)
"""A whole model's `.h5` in which one byte of the kind of an attribute is another: of that,
libhdf5 1.14 reads memory that is not its own."""


class _Payload:
    def __init__(self, canary: Path) -> None:
        self._canary = canary

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self._canary), "w")


def crashing_file(path: Path) -> Path:
    """Write the file that kills its reader; the path again."""
    path.write_bytes(zlib.decompress(base64.b85decode("".join(_CRASH))))
    return path


def hostile_files(folder: Path, canary: Path) -> list[Path]:
    """Write files that want to run code, write elsewhere, take all memory, or are of odd shape.

    Args:
        folder: Where they go; created again.
        canary: What the code in them writes, or the entries that lead outside.
    """
    folder.mkdir()
    code = base64.b64encode(marshal.dumps(compile(f"open({str(canary)!r}, 'w')", "x", "eval")))
    function = {"class_name": "__lambda__", "config": {"code": code.decode(), "defaults": None}}
    layers: dict[str, Any] = {
        "lambda": {"class_name": "Lambda", "config": {"name": "l", "function": function}},
        "system": {"class_name": "system", "config": {"command": f"touch {canary}"}},
        "pickle": {"class_name": "Dense", "config": {"units": {"class_name": "__bytes__"}}},
        "dense": _dense(3),
        "sizes": _dense(10**12),
        "negative": _dense(-1),
    }
    layers["system"]["module"] = "os"
    found = [_keras(folder / f"{name}.keras", [_INPUT, layers[name]]) for name in layers]
    outside = {f"../{canary.name}": b"x", str(canary): b"x", f"assets/../../{canary.name}": b"x"}
    small, run = [_INPUT, _dense(2)], pickle.dumps(_Payload(canary))
    found += [
        _keras(folder / "outside.keras", small, **outside),
        _keras(
            folder / "pickled.keras",
            [_INPUT, _dense(2)],
            **{"x.pkl": pickle.dumps(_Payload(canary))},
        ),
        _keras(folder / "wide.keras", small, **{"config.json": b" " * 70_000_000}),
        _keras(folder / "deep.keras", small, **{"config.json": b"[" * 200_000}),
        _keras(folder / "bomb.keras", small, **{"model.weights.h5": bytes(80_000_000)}),
    ]
    for name, data in {  # not archives at all
        "pickle-alone": run,
        "empty": b"",
        "cut": found[3].read_bytes()[:300],
        "text": b"\xff" * 300,
    }.items():
        (folder / f"{name}.keras").write_bytes(data)
        found.append(folder / f"{name}.keras")
    with h5py.File(folder / "old.h5", "w") as file:
        file.attrs["model_config"] = json.dumps(_model([_INPUT, layers["lambda"]]))
    # Keras reads code from such a file whatever it is called.
    (folder / "old.keras").write_bytes((folder / "old.h5").read_bytes())
    return [*found, folder / "old.h5", folder / "old.keras"]


_INPUT = {"class_name": "InputLayer", "config": {"batch_shape": [None, 8, 8, 1], "name": "i"}}


def _dense(units: int) -> dict[str, Any]:
    return {"class_name": "Dense", "config": {"units": units, "name": "d"}}


def _model(layers: list[dict[str, Any]]) -> dict[str, Any]:
    whole = [{"module": "keras.layers", "registered_name": None, **layer} for layer in layers]
    config = {"name": "n", "layers": whole}
    return {"module": "keras", "class_name": "Sequential", "config": config}


def _keras(path: Path, layers: list[dict[str, Any]], **more: bytes) -> Path:
    """A `.keras` file whose weights are of other shapes than its layers."""
    weights = io.BytesIO()
    with h5py.File(weights, "w") as file:
        file["layers/dense/vars/0"] = np.zeros((5, 7), "f4")
    entries = {
        "config.json": json.dumps(_model(layers)).encode(),
        "metadata.json": b'{"keras_version": "3.15.0"}',
        "model.weights.h5": weights.getvalue(),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**entries, **more}.items():
            archive.writestr(name, data)
    return path
