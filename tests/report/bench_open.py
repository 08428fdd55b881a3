"""How long a report takes to open in a real browser; times depend on the machine, so this is no test.

python tests/report/bench_open.py runs/NAME-N/report.html
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from browser import DESKTOP, PHONE, started

READY = """
const done = arguments[0], loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
requestAnimationFrame(() => requestAnimationFrame(() => done([loaded, performance.now()])));
"""
OPENED = 5


def main() -> None:
    """Print the medians for the report that is named."""
    page = Path(sys.argv[1])
    print(f"{page}: {page.stat().st_size / 1e6:.2f} MB\n\n| window | loaded | drawn |\n| --- | --- | --- |")
    with started() as browser:
        for size in (DESKTOP, PHONE):
            times = []
            for _ in range(OPENED):
                browser.open(page, size=size)
                times.append(browser.driver.execute_async_script(READY))
            loaded, drawn = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"| {size[0]} x {size[1]} | {loaded:.0f} ms | {drawn:.0f} ms |")


if __name__ == "__main__":
    main()
