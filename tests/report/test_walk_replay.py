"""Walks of minimax as a person steps through them, in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from browser import PHONE
from run_records import record, spec, write
from searched import walked
from selenium.webdriver.common.keys import Keys

import envs
from arena.records import MoveRecord
from arena.report import walks
from arena.report.page import write_report

SMALL, LARGE = (4, 0, 8, 2, 1), (4, 0, 8)


@pytest.fixture(scope="module")
def walk():
    """The nodes of the small walk and of the large one."""
    rules = envs.make_rules("tic_tac_toe")
    found = {}
    for opening in (SMALL, LARGE):
        state, _, search = walked(rules, opening)
        found[opening] = search, walks.nodes(rules, state, search["events"])
    return found


@pytest.fixture(scope="module")
def report(walk, tmp_path_factory):
    """Return a report of two games, each with a walk: one small enough to be drawn whole, and a large one."""
    games = []
    for number, (opening, (search, _)) in enumerate(walk.items()):
        move = MoveRecord(len(opening), len(opening) % 2, 3, 0.01, search=search)
        game = record(spec(number, "large", "small"), 1.0, move)
        games.append(replace(game, opening=opening))
    return write_report(write(tmp_path_factory.mktemp("run"), [game.spec for game in games], games))


def at_step(search, step):
    """For each node, whether it is seen, has its value, and is on the path, after so many events."""
    entered, left, path = 0, set(), []
    for event in search["events"][:step]:
        del path[event["ply"] + 1 :]
        if event["event"] == "enter":
            path[event["ply"] :] = [entered]
            entered += 1
        else:
            left.add(path[-1])
    return [[node < entered, node in left, node in path] for node in range(len(search["events"]) // 2)]


SHOWN = """[...arguments[0].querySelectorAll("g[data-node]")].map(box => [
    getComputedStyle(box).opacity === "1",
    getComputedStyle(box.querySelector(".value")).visibility === "visible",
    box.classList.contains("path")])"""


def set_slider(browser, root, step):
    browser.run(
        "(([slider, step]) => { slider.value = step; slider.dispatchEvent(new Event('input')); })(arguments)",
        root.find_element("css selector", "input"),
        step,
    )


def test_the_small_tree_grows_step_by_step(browser, report, walk):
    browser.open(report)
    browser.command(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}]
    )
    root, (search, _) = browser.find(".walk:has(svg.walk-tree)"), walk[SMALL]
    end = len(search["events"])
    assert browser.run(SHOWN, root) == at_step(search, end)
    for step in (0, 1, 2, 3, end // 3, end // 2, end - 2, end - 1, end):
        set_slider(browser, root, step)
        assert browser.run(SHOWN, root) == at_step(search, step)
        said = root.find_element("css selector", "output").text
        assert said.startswith(f"Step {step} of {end}: ")
        assert ("entered, " in said) == (step > 0 and search["events"][step - 1]["event"] == "enter")


COLUMNS = """[...arguments[0].querySelectorAll("ol")].map(list => [...list.children].map(item => [
    item.querySelector(".name").textContent, item.querySelector(".value").textContent,
    item.classList.contains("path")]))"""


def test_of_a_large_tree_there_are_the_path_and_its_siblings(browser, report, walk):
    browser.open(report)
    root, (search, found) = browser.find(".walk:has(.columns)"), walk[LARGE]
    end = len(search["events"])
    for step in (1, 7, end // 3, end // 2, end - 1, end):
        set_slider(browser, root, step)
        seen = at_step(search, step)
        path = [node for node in range(len(found)) if seen[node][2]]
        columns = [[0], *([n for n in below(found, node) if seen[n][0]] for node in path)]
        assert browser.run(COLUMNS, root) == [
            [
                [found[n].name or "root", walks.worth(found[n].value) if seen[n][1] else "…", n in path]
                for n in column
            ]
            for column in columns
            if column
        ]


def below(found, node):
    """The children of a node."""
    after = next((n for n in range(node + 1, len(found)) if found[n].level <= found[node].level), len(found))
    return [n for n in range(node + 1, after) if found[n].level == found[node].level + 1]


def test_buttons_and_keys_step_a_walk_and_no_other(browser, report, walk):
    browser.open(report)
    root, other = browser.find(".walk:has(svg.walk-tree)"), browser.find(".walk:has(.columns)")
    end, slider = len(walk[SMALL][0]["events"]), root.find_element("css selector", "input")
    said = other.find_element("css selector", "output").text
    for action, step in (
        ("first", 0),
        ("forward", 1),
        ("forward", 2),
        ("back", 1),
        ("last", end),
        ("back", end - 1),
    ):
        browser.run("arguments[0].querySelector(`[data-do=${arguments[1]}]`).click()", root, action)
        assert int(slider.get_attribute("value")) == step
    browser.run("arguments[0].focus()", root)
    for key, step in (
        (Keys.HOME, 0),
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_RIGHT, 2),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, end),
    ):
        browser.press(key)
        assert int(slider.get_attribute("value")) == step
    browser.press(" ")
    assert int(slider.get_attribute("value")) < end
    assert root.find_element("css selector", ".playing").get_attribute("aria-pressed") == "true"
    browser.press(" ")
    assert root.find_elements("css selector", ".playing") == []
    assert other.find_element("css selector", "output").text == said
    assert browser.complaints() == []


@pytest.mark.parametrize("scripts", [True, False])
def test_it_fits_a_phone_and_can_be_read_without_scripts(browser, report, walk, scripts):
    browser.open(report, size=PHONE, scripts=scripts)
    assert browser.overhang() == 0
    assert browser.find(".walk .controls").is_displayed() == scripts
    assert browser.find(".walk-tree .value").is_displayed()


IN_SIGHT = """(([walk]) => {
    const box = walk.querySelector(".scroll").getBoundingClientRect();
    const at = [...walk.querySelectorAll("g.path")].at(-1).getBoundingClientRect();
    return at.left >= box.left && at.right <= box.right + 1;
})(arguments)"""


def test_on_a_phone_the_node_of_a_step_is_in_sight(browser, report, walk):
    browser.open(report, size=PHONE)
    root, (search, _) = browser.find(".walk:has(svg.walk-tree)"), walk[SMALL]
    deepest = max(range(len(search["events"])), key=lambda at: search["events"][at]["ply"]) + 1
    for step in (1, deepest, len(search["events"])):
        set_slider(browser, root, step)
        assert browser.run(IN_SIGHT, root)


CONTRASTS = """
return [...document.querySelectorAll(".walk-tree g")].flatMap(box => {
    const fill = part => over([255, 255, 255], getComputedStyle(box.querySelector(part)).fill);
    return [".name", ".value"].map(text => contrast(fill("rect"), fill(text)));
});"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_stand_out_from_the_strongest_colours(browser, report, walk, dark):
    browser.open(report, dark=dark)
    assert {node.value for node in walk[SMALL][1]} == {-1, 0, 1}
    functions = Path(__file__).with_name("contrast.js").read_text().split("\nreturn ")[0]
    assert min(browser.driver.execute_script(functions + CONTRASTS)) >= 4.5
