"""The list of games in a browser: it filters as `arena show` does, and is leafed through."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from urllib.parse import quote

import pytest
from browser import PHONE
from run_records import record, spec, write
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from arena.records import Fault, GameChoice, MoveRecord, Termination
from arena.report.games import score
from arena.report.page import write_report
from arena.results.show import game_rows
from arena.results.wanted import Wanted
from arena.store import Store

AGENTS = ("a", "b/c", "50% & <i>d</i>")
GAMES = ("tic_tac_toe", "Again & <b>again</b>")
SLUGS = ("tic-tac-toe", "again-b-again-b")
MANY = 120


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Games of everybody against everybody, with all results, some drawn by their length, some by faults."""
    games = []
    for number in range(MANY):
        pair = number // 2
        players = [AGENTS[pair % 3], AGENTS[(pair + 1 + pair // 3 % 2) % 3]][:: 1 - 2 * (number % 2)]
        game = spec(number, *players, game=GameChoice(GAMES[pair // 7 % 2], "tic_tac_toe"))
        fault = Fault(number % 2, 1, "late") if number % 5 == 0 else None
        first = (1.0, 0.0, -1.0)[number // 2 % 3] if fault is None else 2.0 * (number % 2) - 1
        played = record(game, first, MoveRecord(0, 0, 4, 0.01), fault=fault)
        games.append(replace(played, termination=Termination.MAX_PLIES) if number % 11 == 1 else played)
    return write(tmp_path_factory.mktemp("run"), [game.spec for game in games], games)


@pytest.fixture(scope="module")
def page(database):
    return write_report(database)


def listed(browser):
    """The numbers of the games of the list, page by page."""
    pages = [[]]
    while True:
        links = "[...document.querySelectorAll('#games-rows a')].map(link => Number(link.textContent))"
        pages[-1] = browser.run(links)
        later = browser.find("[data-turn='1']")
        if not later.is_enabled():
            return pages
        browser.run("arguments[0].click()", later)
        pages.append([])


def wanted(database, **filters):
    with Store.open(database) as store:
        return [row["number"] for row in game_rows(store, Wanted(**filters))]


@pytest.mark.parametrize(
    ("place", "agent", "how"),
    [*product((None, 1), (None, AGENTS[1], AGENTS[2]), ((None, None), ("draw", None), ("loss", "timeout")))],
)
def test_a_link_filters_as_the_terminal_does(browser, page, database, place, agent, how):
    result, ending = how
    against = None if result == "draw" else AGENTS[1]
    parts = (None if place is None else SLUGS[place], agent, against, result, ending)
    browser.open(page, "#games/" + "/".join(quote(part or "", safe="") for part in parts))
    filters = {"agent": agent, "against": against, "result": result, "termination": ending}
    game = None if place is None else GAMES[place]
    expected = wanted(database, game=game, **filters)
    assert [number for numbers in listed(browser) for number in numbers] == expected
    assert browser.complaints() == []


def test_choices_filter_and_the_address_names_them(browser, page, database):
    browser.open(page)
    for name, choice in (("agent", AGENTS[1]), ("result", "won")):
        Select(browser.find(f"#games-filter [name={name}]")).select_by_visible_text(choice)
    expected = wanted(database, agent=AGENTS[1], result="win")
    assert [number for numbers in listed(browser) for number in numbers] == expected
    assert browser.run("location.hash") == "#games//b%2Fc//win"
    browser.open(page, browser.run("location.hash"))
    assert [number for numbers in listed(browser) for number in numbers] == expected


def test_a_long_list_is_leafed_through(browser, page):
    browser.open(page, size=PHONE)
    pages = listed(browser)
    assert [len(numbers) for numbers in pages] == [50, 50, 20]
    assert [number for numbers in pages for number in numbers] == list(range(MANY))
    pager = browser.find("#games-pager")
    assert "101–120 of 120" in pager.text
    browser.run("arguments[0].click()", pager.find_element(By.CSS_SELECTOR, "[data-turn='-1']"))
    assert "51–100 of 120" in pager.text
    assert browser.overhang() == 0


def test_results_read_the_same_without_scripts(browser, page):
    """In their column; a draw is kept as a return of minus zero to the second seat."""
    rows = "[...document.querySelectorAll('#games-rows tr')].slice(0, 50)"
    shown = []
    for scripts in (True, False):
        browser.open(page, scripts=scripts)
        shown.append(browser.run(f"{rows}.map(row => row.cells[3].textContent)"))
    assert shown[0] == shown[1]
    assert set(shown[0]) == {"1–0", "½–½", "0–1"}


@pytest.mark.parametrize(
    ("returns", "written"),
    [
        ((0.0, -0.0), "½–½"),
        ((-1.0, 1.0), "0–1"),
        ((1.0, 0.0, -1.0), "1  0  -1"),
        ((-0.0, -0.0001, 0.5), "0  0  0.5"),
        ((0.25, -0.25), "0.25  -0.25"),
    ],
)
def test_results_are_points_or_returns_without_a_negative_zero(browser, tmp_path, returns, written):
    """As the script writes them, and as is written for it."""
    labels = "abc"[: len(returns)]
    played = replace(record(spec(0, *labels), 0.0), returns=returns)
    browser.open(write_report(write(tmp_path, [played.spec], [played])))
    assert browser.run("document.querySelector('#games-rows tr').cells[3].textContent") == written
    assert score(returns) == written


def test_links_to_no_such_agent_or_game_are_of_all(browser, page):
    browser.open(page, "#games/nothing/nobody")
    assert len(listed(browser)) == 3
    shown = (
        "[...document.querySelectorAll('#games-filter select')].map(choice => choice.selectedOptions[0].text)"
    )
    assert browser.run(shown) == ["any"] * 5
