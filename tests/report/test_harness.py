"""What the browser tests rely on: the browser sees what is wrong with a page, and does as it is asked."""

from __future__ import annotations

import pytest
from browser import DESKTOP, PHONE

PAGE = """<!doctype html><title>page</title><meta name="viewport" content="width=device-width">
<style>p {{ color: rgb(1, 1, 1) }}
@media (prefers-color-scheme: dark) {{ p {{ color: rgb(2, 2, 2) }} }}</style>
<p>{body}</p><script>document.title = "ran"; onkeydown = event => document.title += event.key</script>"""


@pytest.fixture
def page(tmp_path):
    def written(body=""):
        file = tmp_path / "page.html"
        file.write_text(PAGE.format(body=body))
        return file

    return written


def test_a_plain_page_has_nothing_to_complain_of(browser, page):
    file = page()
    browser.open(file, "#here", PHONE)
    assert browser.complaints() == []
    assert browser.requests() == [file.as_uri()]
    assert browser.overhang() == 0
    assert browser.run("[innerWidth, innerHeight]") == list(PHONE)
    assert browser.run("location.hash") == "#here"
    assert browser.run("matchMedia('(pointer: coarse)').matches")


def test_errors_requests_and_sideways_scroll_are_seen(browser, page):
    wide = '<img src="gone.png"><div style="width: 2000px">wide</div>'
    browser.open(page(f"{wide}<script>throw Error('no more')</script>"), size=PHONE)
    assert any("no more" in line for line in browser.complaints())
    assert any(address.endswith("gone.png") for address in browser.requests())
    assert browser.overhang() > 1000


def test_the_next_page_begins_anew(browser, page):
    browser.open(page("<script>throw Error('no more')</script>"), size=PHONE)
    browser.open(page())
    assert browser.complaints() == []
    assert browser.run("innerWidth") == DESKTOP[0]


def test_scripts_keys_and_colours_are_the_readers(browser, page):
    browser.open(page(), dark=True)
    browser.press("a", "b")
    assert browser.driver.title == "ranab"
    assert browser.run("getComputedStyle(document.querySelector('p')).color") == "rgb(2, 2, 2)"
    browser.open(page(), scripts=False)
    assert browser.driver.title == "page"
    assert browser.run("getComputedStyle(document.querySelector('p')).color") == "rgb(1, 1, 1)"


def test_a_page_is_printed_and_pictured(browser, page, tmp_path):
    browser.open(page())
    assert browser.printed().startswith(b"%PDF")
    browser.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
