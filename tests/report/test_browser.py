"""A report as a person sees it, in a real browser: on a desk, on a phone, in the dark, and on paper."""

from __future__ import annotations

from pathlib import Path

import hostile
import pytest
from browser import DESKTOP, PHONE

SMALL_PHONE = (320, 568)
CONTRAST = Path(__file__).with_name("contrast.js").read_text()


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
    assert browser.find_all("img[src=x], b b, i i") == []
    assert browser.driver.title.startswith("motley-1")


def test_it_can_be_read_on_paper(browser, motley):
    browser.open(motley, dark=True)
    browser.command("Emulation.setEmulatedMedia", media="print")
    shown = (
        "[...document.querySelectorAll('button, input, select, nav')].filter(one => one.checkVisibility())"
    )
    assert browser.run(f"{shown}.length") == 0
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.driver.execute_script(CONTRAST) == []
    assert browser.printed().startswith(b"%PDF")


def test_it_can_be_read_without_scripts(browser, motley):
    browser.open(motley, scripts=False)
    assert browser.find(".headline").is_displayed()
    for section in ("standings", "crosstable", "faults"):
        assert browser.find(f"#tic-tac-toe-{section}").is_displayed()
