"""`arena bench uct`: what is measured, that it is fair, and what is said of it; never how fast it is."""

from __future__ import annotations

import json
import sys
import types

import pytest
from click.testing import CliRunner

from agents import check_agent
from agents.base import Limit
from arena.bench import uct as bench
from arena.bench.uct import CONTESTS, Speed, interleaved, measure, row, verdict
from arena.cli import cli
from envs import make_rules

TIC_TAC_TOE = CONTESTS[0]


@pytest.fixture
def no_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)


def test_there_are_eight_games_and_all_can_be_searched():
    assert len({contest.game for contest in CONTESTS}) == 8
    for contest in CONTESTS:
        assert make_rules(contest.game, **contest.params).num_players == 2
    check_agent("uct", {"uct_c": bench.UCT_C})


def test_openspiel_plays_the_same_games():
    pyspiel = pytest.importorskip("pyspiel")
    for contest in CONTESTS:
        theirs, ours = pyspiel.load_game(contest.openspiel), make_rules(contest.game, **contest.params)
        first = bench.first_view(ours)
        assert len(theirs.new_initial_state().legal_actions()) == len(first.legal_actions), contest


def test_works_take_turns_and_the_median_counts(monkeypatch):
    seconds = {"a": iter([9, 1, 2, 300]), "b": iter([9, 30, 10, 20])}
    log, now = [], [0.0]

    def work(name):
        log.append(name)
        now[0] += next(seconds[name])

    monkeypatch.setattr(bench.time, "thread_time", lambda: now[0])
    medians = interleaved([lambda: work("a"), lambda: work("b")], 3)
    assert (medians, "".join(log)) == ([2, 20], "ab" * 4)


def test_a_short_work_is_done_again_until_the_repeat_is_long_enough(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bench.time, "thread_time", lambda: now[0])

    def work():
        now[0] += 0.25

    assert interleaved([work], 2, seconds=1.0) == [0.25]
    assert now[0] == 0.25 + 2 * 1.0


def test_both_search_with_the_same_constant_and_simulations(monkeypatch):
    made, steps = [], []

    class MCTSBot:
        def __init__(self, *options):
            made.append(options)

        def step(self, state):
            steps.append(state)

    game = types.SimpleNamespace(new_initial_state=lambda: "first")
    stand_in = types.SimpleNamespace(
        load_game={TIC_TAC_TOE.openspiel: game}.get,
        RandomRolloutEvaluator=lambda rollouts, seed: f"{rollouts} rollout",
        MCTSBot=MCTSBot,
    )
    monkeypatch.setitem(sys.modules, "pyspiel", stand_in)
    limits = []
    monkeypatch.setattr(
        bench, "Limit", lambda simulations: limits.append(simulations) or Limit(simulations=simulations)
    )
    speed = measure(TIC_TAC_TOE, simulations=30, repeats=3)
    assert made[0][:4] == (game, "1 rollout", bench.UCT_C, 30)
    assert limits == [30]
    assert steps.count("first") == len(steps) >= 1 + 3
    assert speed.ratio == speed.ours / speed.openspiel > 0


def test_without_openspiel_ours_stands_alone_and_the_remedy_is_told(no_openspiel):
    words = ["bench", "uct", "--game", "tic_tac_toe", "--simulations", "20", "--repeats", "1"]
    answer = CliRunner().invoke(cli, words)
    heading, line, said = answer.stdout.splitlines()
    assert heading.split()[0] == "game"
    assert line.split()[0] == "tic_tac_toe"
    assert line.split()[2:4] == ["–", "–"]
    assert said.startswith("OpenSpiel cannot be imported")
    (figures,) = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert figures["ours"] > 0
    assert figures["openspiel"] is figures["ratio"] is None


def test_the_verdict_names_what_is_below_its_target():
    speeds = [Speed("x", 80.0, 10.0, 5.0, None), Speed("hex", 200.0, 100.0, 60.0, 51.0)]
    said = list(verdict(speeds))
    assert said == [
        "Geometric mean of the ratios to OpenSpiel: 4.0 (target 20).",
        "Below the target: hex.",
        "Below 4 times morat: hex.",
    ]
    assert row(speeds[1]).split() == ["hex", "200", "100", "2.0", "60", "51", "3.9"]


def test_an_unknown_game_is_refused_by_name():
    answer = CliRunner().invoke(cli, ["bench", "uct", "--game", "hx"])
    assert answer.exit_code == 2
    assert answer.stderr.startswith(
        "arena: --game hx: unknown (did you mean hex?): measured are tic_tac_toe, "
    )
