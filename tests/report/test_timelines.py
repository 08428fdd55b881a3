"""Time lines of iterative deepening in the report."""

from __future__ import annotations

import pytest
from searched import row

import envs
from arena.report import timelines


def timeline(*rows, played=0, budget=None):
    rules = envs.make_rules("tic_tac_toe")
    search = {"kind": "deepening", "depths": list(rows)}
    return timelines.draw(rules, rules.initial_state(), search, played, budget)


def test_the_bars_of_a_time_line_follow_each_other_on_one_axis():
    drawn = timeline(row(1, 0.01, 4), row(2, 0.03, 8), row(3, 0.06, finished=False), played=8, budget=0.2)
    assert [(bar.start, bar.width) for bar in drawn.bars] == [(0, 5), (5, 15), (pytest.approx(20), 30)]
    assert [(bar.depth, bar.move, bar.value, bar.nodes, bar.finished) for bar in drawn.bars] == [
        (1, "b2", 0.1, 10, True), (2, "c3", 0.2, 100, True), (3, "", None, 1000, False)
    ]  # fmt: skip
    assert drawn.budget == 100
    assert drawn.ticks == ((0, "0"), (25, "50"), (50, "100"), (75, "150"), (100, "200"))


def test_a_search_that_was_late_goes_past_its_budget():
    drawn = timeline(row(1, 0.05), row(2, 0.2), budget=0.1)
    assert drawn.budget == pytest.approx(40)
    assert drawn.bars[-1].start + drawn.bars[-1].width == pytest.approx(100)
    assert timeline(row(1, 0.05)).budget is None


FOUND = "Depth 1 was finished, with b2 the best move"


@pytest.mark.parametrize(
    ("rows", "played", "sentence"),
    [
        (
            [row(1, 1, 4), row(2, 1, 8), row(3, 1, 8)],
            8,
            "Depth 3 was finished, with c3 the best move since depth 2.",
        ),
        (
            [row(1, 1, 4), row(2, 1, finished=False)],
            4,
            f"{FOUND}; depth 2 was cut short and discarded.",
        ),
        ([row(1, 1, 4)], 8, f"{FOUND}; c3 was played."),
        ([row(1, 1, finished=False)], 0, "No depth was finished; a1 was played."),
        ([], 0, "No depth was finished; a1 was played."),
    ],
)
def test_a_time_line_tells_what_became_of_the_search(rows, played, sentence):
    assert timeline(*rows, played=played).sentence == sentence


@pytest.mark.parametrize("seconds", [1e-5, 0.0007, 0.05, 0.1003, 1.0, 37.0])
def test_ticks_are_round_few_and_in_their_places(seconds):
    ticks = timeline(row(1, seconds)).ticks
    assert 3 <= len(ticks) <= 7
    for place, milliseconds in ticks:
        assert place == pytest.approx(100 * float(milliseconds) / (1000 * seconds))
        assert len(milliseconds.replace(".", "").strip("0")) <= 2


def test_of_very_many_depths_the_last_are_drawn():
    drawn = timeline(*(row(depth, 0.01, 4) for depth in range(1, timelines.MOST + 43)))
    assert [bar.depth for bar in drawn.bars] == list(range(43, timelines.MOST + 43))
    assert drawn.bars[-1].start + drawn.bars[-1].width == pytest.approx(100)
    assert drawn.sentence.endswith("; a1 was played. The last 200 of 242 depths:")
