"""The report's page: what stands in it, without a browser."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from itertools import permutations

import pytest
from run_records import record, small_run, spec, write

from arena.records import Fault
from arena.report.page import unique_slugs, write_report
from arena.report.standings import Axis
from arena.statistics.stats import Estimate
from arena.store import StoreError

EVIL = "<script>alert('x')</script>"
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Reader(HTMLParser):
    """Collects the text of a page, its scripts and its ids, and checks that tags close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.scripts, self.links = [], [], [], 0, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if "href" in attrs else []
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)


def read(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    return reader


def test_the_page_tells_what_the_tables_tell(tmp_path):
    path = write_report(small_run(tmp_path))
    page = read(path)
    text = " ".join(" ".join(page.text).split())
    assert path == tmp_path / "report.html"
    assert "1 of 4 games played" not in text
    assert "Not finished: 3 of 4 games played." in text
    assert "1–1–0" in text  # of the pair that counts, for a
    assert "moved after \ufffd[31m0.2 s" in text
    assert "#game-2" in page.links
    assert {"tic-tac-toe", "tic-tac-toe--standings", "tic-tac-toe--faults"} <= set(page.ids)


def test_a_game_of_three_is_told_by_returns_and_seats(tmp_path):
    specs = [replace(spec(k, *order), pair=0) for k, order in enumerate(permutations("abc"))]
    places = {"a": 1.0, "b": 0.0, "c": -1.0}
    records = [replace(record(of, 0.0), returns=tuple(places[p.label] for p in of.players)) for of in specs]
    text = " ".join(" ".join(read(write_report(write(tmp_path, specs, records))).text).split())
    assert "Return: mean of what games were worth, from -1 to 1; above 0 is a win" in text
    assert "agent seat 1 seat 2 seat 3" in text
    assert "seat 1 moves first" in text
    for wrong in ("Score:", "first or second", "share of the points"):
        assert wrong.lower() not in text.lower()


def test_nothing_is_loaded_from_elsewhere(tmp_path):
    html = write_report(small_run(tmp_path)).read_text(encoding="utf-8")
    links = read(tmp_path / "report.html").links
    assert all(link.startswith("#") for link in links)
    assert "src=" not in html
    assert "@import" not in html
    assert "url(" not in html.replace("url(#", "")


def two_games(folder, label, text):
    folder.mkdir()
    fault = Fault(0, 0, f"no {text}", f"Traceback {text}")
    specs = [spec(0, label, "b"), spec(1, "b", label)]
    return write(folder, specs, [record(specs[0], -1.0, fault=fault), record(specs[1], 1.0)])


def test_whatever_things_are_called_stays_text(tmp_path):
    label = f"{EVIL} & \"quoted\" 'name'"
    page = read(write_report(two_games(tmp_path / "evil", label, EVIL)))
    plain = read(write_report(two_games(tmp_path / "plain", "a", "move")))
    assert page.scripts == plain.scripts
    text = "".join(page.text)
    assert label in text
    assert f"no {EVIL}" in text
    assert f"Traceback {EVIL}" in text


def test_a_report_takes_the_place_of_an_older_one_whole(tmp_path, monkeypatch):
    database = small_run(tmp_path)
    out = tmp_path / "there.html"
    out.write_text("older")
    with monkeypatch.context() as context:
        context.setattr("pathlib.Path.replace", fail)
        with pytest.raises(OSError, match="full"):
            write_report(database, out)
    assert out.read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} <= {"there.html", "league.sqlite"}
    write_report(database, out, forfeits=False)
    assert "Without forfeits" in out.read_text(encoding="utf-8")


def fail(*_):
    raise OSError("full")


@pytest.mark.parametrize("folder", ["nowhere", "file"])
def test_what_cannot_be_written_is_named_as_it_was_asked_for(tmp_path, folder):
    (tmp_path / "file").write_text("")
    out = tmp_path / folder / "report.html"
    with pytest.raises(OSError, match=r"report\.html") as caught:
        write_report(small_run(tmp_path), out)
    assert caught.value.filename == str(out)
    assert f".{out.name}." not in str(caught.value)


def test_a_game_to_replay_that_is_not_there_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(StoreError, match="no game 99999"):
        write_report(small_run(tmp_path), replay=[0, 99999])
    assert not (tmp_path / "report.html").exists()


def test_a_run_without_games_has_a_report(tmp_path):
    path = write_report(write(tmp_path, [spec(0, "a", "b")], []))
    assert "no game was finished" in "".join(read(path).text)


def test_slugs_are_ids_and_no_two_are_alike():
    assert unique_slugs(["Hex 7x7", "hex 7x7", "六", "hex-7x7-2", "Games", "replay 3"]) == {
        "Hex 7x7": "hex-7x7",
        "hex 7x7": "hex-7x7-2",
        "六": "the-game",
        "hex-7x7-2": "hex-7x7-2-2",
        "Games": "the-games",
        "replay 3": "the-replay-3",
    }


def test_an_axis_has_room_for_all_intervals():
    estimates = [Estimate(100.0, 20.0), Estimate(-50.0, 10.0)]
    axis = Axis.of(estimates)
    drawn = [axis.interval(estimate) for estimate in estimates]
    assert all(0 < one.low < one.value < one.high < 100 for one in drawn)
    # From -60 to 120 are 180 Elo, with 4% more at either end.
    assert drawn[0].high - drawn[0].low == pytest.approx(100 * 40 / (180 * 1.08))
    assert axis.place(0.0) == pytest.approx(100 * (60 + 0.04 * 180) / (180 * 1.08))
    assert Axis.of([Estimate(0.0, 0.0)]).place(0.0) == 50
