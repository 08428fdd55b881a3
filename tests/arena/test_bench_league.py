"""What `arena bench league` says; how fast things are is asserted nowhere."""

from __future__ import annotations

import os
import re

from arena.bench import league as bench_league
from arena.bench.league import Load, report


def test_every_figure_has_its_line(monkeypatch):
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    monkeypatch.setattr(bench_league, "random_league", lambda rounds: Load(2 * rounds, 4.0, 2.0, 3 << 20))
    monkeypatch.setattr(bench_league, "thinking_league", lambda rounds: Load(2 * rounds, 4.0, 2.0, 0))
    monkeypatch.setattr(bench_league, "_ALL_CORES", (0, 1))
    *costs, games, memory, busy = report(games=2, rounds=1000)
    assert [line.split()[0] for line in costs] == ["tic_tac_toe", "connect_four", "hex"]
    for line in costs:
        whole, asked = map(int, re.search(r"(\d+) µs a move, (\d+) of them", line).groups())
        assert 0 < asked < whole
    assert games.startswith("500 games of tic-tac-toe a second")
    assert games.endswith("each 1.0 ms of a core")
    assert memory == "+3.0 MB of the supervisor's memory over 2,000 games"
    assert busy.startswith("25.0% of 2 cores")
    if cores is not None:
        os.sched_setaffinity(0, cores)


def test_starting_is_taken_off():
    assert Load(30, 5.0, 4.0, 7) - Load(10, 2.0, 1.0, 5) == Load(20, 3.0, 3.0, 7)
