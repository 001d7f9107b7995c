"""Updates the translation files, and prints the number of missing translations."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from studio.engine.assets import asset
from studio.ui.language_files.files import generated_files, read_ts
from studio.ui.language_files.texts import all_sources


def main(new: Sequence[str]) -> int:
    """Write the files, also of new languages; return 1 if a translation is missing."""
    sources = all_sources()
    generated_files(sources, new).write()
    left = 0
    for path in sorted(asset("translations").glob("*.ts")):
        missing = sorted(sources - read_ts(path).keys())
        left += len(missing)
        sys.stdout.write(f"{path.name}: {len(sources)} texts, {len(missing)} not translated\n")
        for source in missing:
            sys.stdout.write(f"  {source.context}: {source.text}\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
