"""The pictures in the README, of a league that is the same on every machine but for its times: a script.

    python tests/report/pictures.py                     # plays the league first, some minutes
    python tests/report/pictures.py hex-1/report.html   # of a report that is there

Writes `docs/pictures/report.png` and `docs/pictures/replay.png`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser, started

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
TOP = (1280, 1205)
GAME, PLY = 0, 16


def main() -> None:
    """Draw both pictures, of the report that is named or of a new one."""
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        draw(browser, Path(sys.argv[1]) if len(sys.argv) > 1 else played(Path(folder)))


def played(folder: Path) -> Path:
    """Play the league and return its report."""
    league = ROOT / "configs" / "pictures.yaml"
    words = ["-m", "arena", "run", str(league), "--runs-dir", str(folder)]
    subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return folder / "hex-1" / "report.html"


def draw(browser: Browser, report: Path) -> None:
    """Picture a report's top, and a position of a replay with what its search visited."""
    PICTURES.mkdir(exist_ok=True)
    browser.open(report, size=TOP)
    browser.picture(PICTURES / "report.png")
    browser.open(report, f"#game-{GAME}-ply-{PLY}")
    browser.wait(f"document.getElementById('replay').dataset.ply === '{PLY}'")
    browser.run("document.activeElement.blur()")  # its outline is for who uses keys
    browser.find("#replay").screenshot(str(PICTURES / "replay.png"))


if __name__ == "__main__":
    main()
