"""Builds what people install who have no Python.

    python installers/build.py --out DIST folder deb

`folder` makes the self-contained folder, on which the others stand: `deb` and `appimage` on
Linux, `nsis` on Windows, `dmg` on macOS. Needed on Linux: patchelf, dpkg-deb; for the AppImage
mksquashfs and its runtime (`--runtime FILE`). README.md beside this file tells the rest.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import folder
import linux
import macos

KINDS = ("folder", "deb", "appimage", "nsis", "dmg")


def main() -> None:
    """Build the kinds of packages that the arguments name."""
    parser = argparse.ArgumentParser(description="Build installers with their own Python.")
    parser.add_argument("kinds", nargs="+", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder of the results")
    parser.add_argument("--extras", default="all", help="extras of Studio [all]")
    parser.add_argument(
        "--python",
        type=Path,
        help="archive of python-build-standalone (install_only, .tar.gz) [this Python, on Linux]",
    )
    parser.add_argument("--runtime", type=Path, help="runtime of AppImages, of type2-runtime")
    options = parser.parse_args()
    out = options.out.resolve()
    made = out / "studio"
    if "folder" in options.kinds:
        folder.make_folder(made, options.python, options.extras)
    if not made.is_dir():
        parser.error("build the kind `folder` first")
    if "deb" in options.kinds:
        print(linux.make_deb(made, out))
    if "appimage" in options.kinds:
        if options.runtime is None:
            parser.error("an AppImage needs --runtime")
        print(linux.make_appimage(made, out, options.runtime))
    if "nsis" in options.kinds:
        folder.write_icon(out / "studio.ico")
        script = Path(__file__).with_name("studio.nsi")
        defined = [f"/DVERSION={linux.version()}", f"/DFOLDER={made}", f"/DOUT={out}"]
        subprocess.run(
            ["makensis", "/V2", "/INPUTCHARSET", "UTF8", *defined, str(script)], check=True
        )
    if "dmg" in options.kinds:
        print(macos.make_dmg(made, out))


if __name__ == "__main__":
    main()
