"""Build the documentation site: ``python -m scripts.site [FOLDER]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.site.build import SITE, SiteError, build_site
from scripts.site.built_pages import faults
from scripts.site.diagrams import DiagramError


def main() -> int:
    """Build the site and check its links; print the faults and return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m scripts.site", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=SITE, help="what is written; it is replaced")
    folder = parser.parse_args().folder.resolve()
    try:
        build_site(folder)
    except (SiteError, DiagramError) as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    found = faults(folder)
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    if not found:
        sys.stdout.write(f"{folder / 'index.html'}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
