"""A report as a person sees it, in a real browser: on a desk, on a phone, in the dark, and on paper."""

from __future__ import annotations

from pathlib import Path

import hostile
import numpy as np
import pytest
from browser import DESKTOP, PHONE
from selenium.webdriver.common.keys import Keys

import envs
from arena.store import Store

SMALL_PHONE, PAPER = (320, 568), (794, 1123)
CONTRAST = Path(__file__).with_name("contrast.js").read_text()
BOARD = "document.querySelector('.replay-board').innerHTML"
PLY = "Number(document.getElementById('replay').dataset.ply)"
IS_PICTURE = """
const pictured = document.querySelector(".replay-board").cloneNode(true), wanted = pictured.cloneNode();
wanted.innerHTML = arguments[0];
pictured.querySelector(".chosen")?.remove();
return wanted.isEqualNode(pictured);
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE, SMALL_PHONE], ids=str)
def test_it_opens_by_itself_and_fits(browser, motley, size, dark):
    browser.open(motley, size=size, dark=dark)
    assert browser.complaints() == []
    assert browser.requests() == [motley.as_uri()]
    assert browser.overhang() == 0
    assert browser.driver.execute_script(CONTRAST) == []


def test_markup_in_names_and_errors_is_read_and_not_run(browser, motley):
    browser.open(motley)  # an alert would fail every step from here on
    for closed in browser.find_all("details:not([open]) > summary"):
        browser.run("arguments[0].parentElement.open = true", closed)
    text = browser.run("document.body.innerText")
    for name in (
        "hex & <b>Ünïcode</b>",
        'it\'s "quoted" & <i>Ünïcode</i> ♟',
        "<script>alert('boaster')</script>",
    ):
        assert name in text
    assert f"RuntimeError: {hostile.MARKUP}{hostile.BREAKOUT}" in text
    assert f"ValueError: {hostile.BREAKOUT}" in text
    assert browser.find_all("img[src=x], b b, i i") == []
    assert browser.driver.title.startswith("motley-1")


def test_it_can_be_read_on_paper(browser, motley):
    browser.open(motley, size=PAPER, dark=True)
    browser.command("Emulation.setEmulatedMedia", media="print")
    shown = (
        "[...document.querySelectorAll('button, input, select, nav')].filter(one => one.checkVisibility())"
    )
    assert browser.run(f"{shown}.length") == 0
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.driver.execute_script(CONTRAST) == []
    cut = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1)"
    assert browser.run(f"{cut}.map(one => one.closest('[id]').id)") == []
    assert browser.printed().startswith(b"%PDF")


def test_it_can_be_read_without_scripts(browser, motley):
    browser.open(motley, scripts=False)
    assert browser.find(".headline").is_displayed()
    for section in ("standings", "crosstable", "course", "times", "visits", "faults"):
        assert browser.find(f"#tic-tac-toe--{section}").is_displayed()
    assert browser.find(".replay-board svg").is_displayed()
    assert browser.find("#games-rows tr").is_displayed()


@pytest.fixture(scope="session")
def games(motley):
    with Store.open(motley.with_name("league.sqlite")) as store:
        return list(store.games())


@pytest.fixture
def replay(browser, motley):
    """Open the report at a game, and wait until it is there."""

    def opened(game, ply="", **how):
        browser.open(motley, f"#game-{game.spec.number}{ply}", **how)
        browser.wait(f"document.getElementById('replay').dataset.game === '{game.spec.number}'")
        return game

    return opened


def game_of(games, label):
    """The game that was searched most."""
    named = [game for game in games if game.spec.game.label == label]
    return max(named, key=lambda game: sum(move.visits is not None for move in game.moves))


def test_a_report_opens_with_the_first_search_of_its_first_game(browser, motley, games):
    browser.open(motley)
    browser.wait("document.getElementById('replay').dataset.game")
    drawn = [int(one.get_attribute("id")[7:]) for one in browser.find_all("script[type='text/plain']")]
    searched = [game for game in games if any(move.visits is not None for move in game.moves)]
    first = next(game for game in searched if game.spec.number in drawn)
    ply = next(move.ply for move in first.moves if move.visits is not None)
    browser.wait(f"{PLY} === {ply}")
    assert browser.run("document.getElementById('replay').dataset.game") == str(first.spec.number)
    assert browser.find(".replay-board .chosen")
    assert " visits, " in browser.run(BOARD)


def test_a_game_is_stepped_through_by_buttons_keys_and_slider(browser, games, replay):
    plies = len(replay(game_of(games, "connect_four")).actions)
    seen = [browser.run(PLY)]
    for action in ("forward", "forward", "back", "last", "first"):
        browser.find(f"#replay [data-do={action}]").click()
        seen.append(browser.run(PLY))
    assert seen == [0, 1, 2, 1, plies, 0]
    browser.find("#replay [data-do=play]").click()
    browser.wait(f"{PLY} === 2")
    browser.find("#replay [data-do=first]").click()
    keys = {Keys.END: plies, Keys.ARROW_LEFT: plies - 1, Keys.HOME: 0, Keys.ARROW_RIGHT: 1}
    assert [browser.press(key) or browser.run(PLY) for key in keys] == list(keys.values())
    browser.find(".replay-slider").send_keys(Keys.PAGE_UP)
    assert browser.run(PLY) == int(browser.find(".replay-slider").get_attribute("value")) > 1
    assert browser.run("location.hash").endswith(f"-ply-{browser.run(PLY)}")
    assert browser.complaints() == []


def test_a_game_is_stepped_through_by_swipes(browser, games, replay):
    replay(game_of(games, "havannah"), size=PHONE)
    board = browser.find(".replay-board")
    seen = [browser.swipe(board, right) or browser.run(PLY) for right in (-100, -100, 100, 5)]
    assert seen == [1, 2, 1, 1]
    assert browser.overhang() == 0


@pytest.mark.parametrize("label", ["tic_tac_toe", "hex & <b>Ünïcode</b>"])
def test_every_board_is_the_games_own_picture(browser, games, replay, label):
    game = replay(game_of(games, label))
    rules = envs.make_rules(game.spec.game.name, **game.spec.game.params)
    searched = {move.ply: move for move in game.moves if move.visits is not None}
    state, last, none = rules.initial_state(), None, np.zeros(rules.num_actions, np.int64)
    for ply, action in enumerate(game.actions):
        visits = none.copy()
        if ply in searched:
            visits[searched[ply].legal_actions] = searched[ply].visits
        assert browser.driver.execute_script(IS_PICTURE, rules.to_svg(state, visits, last))
        browser.press("v")
        assert browser.driver.execute_script(IS_PICTURE, rules.to_svg(state, none, last))
        browser.press("v", Keys.ARROW_RIGHT)
        rules.step(state, action)
        last = action
    assert browser.driver.execute_script(IS_PICTURE, rules.to_svg(state, none, last))
    assert len(searched) > 1


def test_a_link_leads_to_a_ply_and_back(browser, games, replay):
    game = replay(game_of(games, "connect_four"), "-ply-7")
    assert browser.run(PLY) == 7
    replay(game_of(games, "havannah"))
    browser.run(f"location.hash = 'game-{game.spec.number}-ply-3'")
    browser.wait(f"{PLY} === 3")
    browser.driver.back()
    browser.wait(f"{PLY} === 0")
    browser.run("location.hash = 'game-9999'")
    browser.wait("document.getElementById('replay').innerText.includes('arena show')")


def test_a_link_that_was_cut_off_breaks_nothing(browser, motley):
    browser.open(motley, "#games/tic-tac-toe/%E2%99")
    assert browser.find("#games-filter [name=game]").get_attribute("value") == "tic-tac-toe"
    browser.wait("document.getElementById('replay').dataset.game !== undefined")
    assert browser.complaints() == []


def test_a_cell_of_the_crosstable_leads_to_its_games(browser, motley, games):
    browser.open(motley)
    cell = browser.find("#tic-tac-toe--crosstable td a")
    agent, against = cell.get_attribute("title").split(":")[0].split(" against ")
    cell.click()
    numbers = {
        game.spec.number
        for game in games
        if game.spec.game.label == "tic_tac_toe"
        and {agent, against} == {player.label for player in game.spec.players}
    }
    rows = browser.find_all("#games-rows tr")
    assert {int(row.text.split()[0]) for row in rows} == numbers
    assert len(rows) == 2
    browser.find("#games-rows a").click()
    browser.wait(f"document.getElementById('replay').dataset.game === '{min(numbers)}'")


def test_the_hostile_games_replay_is_words(browser, games, replay):
    game = replay(game_of(games, "<script>alert('game')</script>"))
    for ply in range(len(game.actions) + 1):
        assert browser.run(PLY) == ply
        assert hostile.MARKUP in browser.find("#replay").text
        browser.press(Keys.ARROW_RIGHT)
    assert browser.find_all("img[src=x], #replay script") == []
    assert browser.complaints() == []


def test_searches_of_every_kind_are_shown_and_lead_to_their_moves(browser, motley):
    browser.open(motley)
    for kind in (".search-tree", ".timeline", ".walk"):
        assert browser.find(kind).is_displayed()
    for link in browser.find_all(".searched[open] > summary a"):
        browser.run("arguments[0].click()", link)
        game, ply = link.get_attribute("href").split("#game-")[1].split("-ply-")
        at = "document.getElementById('replay').dataset"
        browser.wait(f"{at}.game === '{game}' && {at}.ply === '{ply}'")
