"""What a run says in sentences: who leads, how sure that is, by which rule it stopped, what to beware of.

The tables below them are in `arena.results.tables`, the data they tell in `arena.results.findings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from agents.base import Limit
from arena.records import Termination
from arena.results.figures import signed
from arena.results.findings import GameSummary, Summary

SURE_ENOUGH = 0.75
"""Probability of being stronger from which on a leader is named."""


def overview(games: Sequence[GameSummary]) -> str:
    """Say in one sentence who leads at which games and how sure that is."""
    led: dict[str, list[str]] = {}
    undecided = []
    for game in games:
        best, sure = game.standings[0], game.standings[0].better_than_next
        if sure is not None and sure < SURE_ENOUGH:
            undecided.append(f"{game.game} is open between {best.agent} and {game.standings[1].agent}")
        else:
            how_sure = "" if sure is None else f" ({likely(sure)} sure)"
            led.setdefault(best.agent, []).append(f"{game.game}{how_sure}")
    leaders = [f"{agent} leads at {enumerated(names)}" for agent, names in led.items()]
    return "; ".join(leaders + undecided) + "."


def limits(summary: Summary) -> str:
    """Say which league this is and what its moves may cost."""
    league, latest = Path(summary.run).name, {one.latest for one in summary.limits}
    if not summary.limits:
        return f"{league}: no game was finished."
    if len(summary.limits) == 1:
        (one,) = summary.limits
        return f"{league}: {_cost(one.limit)} a move for every agent; over {one.latest:g} s loses the game."
    costs = [f"{_cost(one.limit)} for {enumerated(one.agents)}" for one in summary.limits]
    if len(latest) == 1:
        return f"{league}: a move may cost {', '.join(costs)}; over {min(latest):g} s loses the game."
    late = [f"{cost} (over {one.latest:g} s loses)" for cost, one in zip(costs, summary.limits, strict=True)]
    return f"{league}: a move may cost {', '.join(late)}."


def state(summary: Summary) -> Iterator[str]:
    """Say what is missing of a run: games not played yet, or left out."""
    if not summary.forfeits:
        yield "Without forfeits: meetings in which an agent was at fault do not count."
    if summary.scheduled is None:
        yield f"Not finished: {count(summary.played, 'game')} so far."
    elif summary.played < summary.scheduled:
        yield f"Not finished: {summary.played:,} of {count(summary.scheduled, 'game')} played."


def _cost(limit: Limit) -> str:
    counts = {"simulation": limit.simulations, "node": limit.nodes}
    parts = [f"{limit.time:g} s"] if limit.time is not None else []
    parts += [count(number, what) for what, number in counts.items() if number is not None]
    parts += [f"depth {limit.depth:,}"] if limit.depth is not None else []
    if limit.clock is not None:
        parts.append(f"{limit.clock.remaining:g} s a game and {limit.clock.increment:g} s more")
    return " or ".join(parts)


def enumerated(names: Sequence[str]) -> str:
    """Write names one after the other, the last behind an `and`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def headline(game: GameSummary) -> str:
    """Say in one sentence who is best and how sure that is."""
    best = game.standings[0]
    if best.better_than_next is None:
        return f"{best.agent} plays alone."
    sure, second = best.better_than_next, game.standings[1].agent
    chance = likely(sure)
    returns = signed(best.mean_return.value, 2)
    won = f"{best.score:.0%} of the points" if game.players == 2 else f"returns {returns}"
    if sure < SURE_ENOUGH:
        return f"{best.agent} and {second} cannot be told apart yet ({chance} that {best.agent} is stronger)."
    verdict = "is best" if sure >= 0.95 else "is probably best"
    return f"{best.agent} {verdict}: {won}; {chance} that it is stronger than {second}."


def scoring(game: GameSummary) -> str:
    """Say what the standings' first figures are."""
    if game.players == 2:
        return "Score: share of the points, a draw is half a point."
    return "Return: mean of what games were worth, from -1 to 1; above 0 is a win, at 0 a draw, below a loss."


def seats(game: GameSummary) -> tuple[str, ...]:
    """Name the seats of a game in the order in which they move."""
    if game.players == 2:
        return "first", "second"
    return tuple(f"seat {seat + 1}" for seat in range(game.players))


def stops(game: GameSummary) -> Iterator[str]:
    """Say how the rule stands by which the game stops, where it has one."""
    if game.sprt is not None:
        test = game.sprt
        stronger = f"Elo stronger than {test.opponent}"
        found = {
            "elo1": f"SPRT accepts that {test.agent} is {test.elo1:g} {stronger}, rather than {test.elo0:g}",
            "elo0": f"SPRT accepts that {test.agent} is {test.elo0:g} {stronger}, rather than {test.elo1:g}",
            None: f"SPRT leaves open whether {test.agent} is {test.elo0:g} or {test.elo1:g} {stronger}",
        }
        bounds = f"log-likelihood ratio {test.ratio:.2f} in ({test.lower:.2f}, {test.upper:.2f})"
        if test.accepted is not None:
            bounds = bounds.replace(" in ", ", outside ")
        yield f"{found[test.accepted]}: {bounds} after {count(test.pairs, 'pair')}."
    if game.until is not None:
        reached = "" if game.until.reached else ", not reached"
        rounds = count(game.until.rounds, "round")
        widest = f"the widest interval is ± {game.until.widest:.0f} after {rounds}"
        yield f"Played until ± {game.until.elo_error:g} Elo{reached}: {widest}."


def likely(p: float) -> str:
    """Write a probability, never as if it were certain."""
    return "over 99.9%" if p > 0.999 else "under 0.1%" if p < 0.001 else f"{p:.1%}"


def count(number: int, what: str) -> str:
    """Write so many things, as 1 game or 2 games."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def warnings(game: GameSummary) -> Iterator[str]:
    """Say what makes the figures worth less than they look."""
    if set(game.terminations) != {Termination.NORMAL}:
        endings = sorted(game.terminations.items(), key=lambda item: -item[1])
        yield f"How games ended: {', '.join(f'{number:,} {how}' for how, number in endings)}."
    repeated = game.played - game.distinct
    if repeated:
        does = "repeats" if repeated == 1 else "repeat"
        text = f"{repeated} of {count(game.played, 'game')} {does} another move for move: no new evidence."
        keeps = " This league keeps repeating itself: give it more openings."
        yield text + (keeps if 2 * repeated >= game.played else "")
    others = "the other game of the pair" if game.players == 2 else "other seatings of the same players"
    for number, why in (
        (game.unpaired, f"without {others}"),
        (game.surplus, "in play when enough had been played"),
        (game.forfeited, "of meetings in which an agent was at fault"),
    ):
        if number:
            they = "it counts" if number == 1 else "they count"
            yield f"{count(number, 'game')} {why}: {they} in no result."
