"""The page on root-parallel trees: its speed-ups are computed as it says, its leagues are there."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "root-parallel.md").read_text()


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("root_parallel", ROOT / "docs" / "root_parallel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SINGLE = {1000: (-100.0, 3.0), 2000: (0.0, 3.0), 4000: (50.0, 3.0)}


@pytest.mark.parametrize(
    ("elo", "speedup"),
    [(-100, 1), (0, 2), (50, 4), (-50, 2**0.5), (25, 2**1.5), (51, math.inf), (-200, 1)],
)
def test_a_speedup_is_the_simulations_that_a_single_tree_needs(script, elo, speedup):
    assert script.speedup(SINGLE, (elo, 4.0))[0] == pytest.approx(speedup)


def test_of_several_places_of_equal_strength_the_first_counts(script):
    single = {1000: (0.0, 3.0), 2000: (20.0, 3.0), 4000: (10.0, 3.0), 8000: (40.0, 3.0)}
    assert script.speedup(single, (10.0, 4.0))[0] == pytest.approx(2**0.5)
    assert script.speedup(single, (30.0, 4.0))[0] == pytest.approx(2 ** (2 + 2 / 3))


def test_a_speedups_interval_has_the_errors_of_both(script):
    _, low, high = script.speedup(SINGLE, (-40.0, 4.0))  # hypot(3, 4) = 5 Elo, at 100 Elo a doubling
    assert (low, high) == (pytest.approx(2**0.55), pytest.approx(2**0.65))


def test_the_page_names_every_league_and_its_agents():
    leagues = sorted((ROOT / "configs").glob("root_parallel_*.yaml"))
    assert leagues
    for league in leagues:
        assert f"arena run configs/{league.name}" in PAGE
        for agent in re.findall(r"^  ([\w.]+): +\{type: uct", league.read_text(), re.MULTILINE):
            assert re.search(rf"^\| `{agent}` ", PAGE, re.MULTILINE), agent


def test_the_picture_has_a_point_for_every_agent_at_its_elo(script):
    names = [f"1x{2**n}000" for n in range(5)] + [f"{2**n}x1000" for n in range(1, 4)]
    elos = dict(zip(names, (-150, -50, 0, 60, 140, -70, -20, 10), strict=True))
    lines = [{"agent": name, "elo": {"value": elo, "error": 10.0}} for name, elo in elos.items()]
    drawn = ElementTree.fromstring(script.picture([{"game": "hex", "standings": lines}]))
    paths = [path.get("d").split("M")[1] for path in drawn.iter("{http://www.w3.org/2000/svg}path")]
    single, several = ([tuple(map(float, point.split())) for point in path.split("L")] for path in paths[-2:])
    assert [140 - y for _, y in single] == pytest.approx([0.4 * elos[name] for name in names[:5]])
    assert [140 - y for _, y in several] == pytest.approx([0.4 * elos[n] for n in [names[0], *names[5:]]])
    assert [x for x, _ in single][:4] == [x for x, _ in several]
