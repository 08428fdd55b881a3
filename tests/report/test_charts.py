"""Charts as SVG that a page takes in, and the sections of a game that are mostly a chart."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from arena.report import charts
from arena.report.charts import spread

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg) -> ElementTree.Element:
    """The picture, once it is fit for a page: well-formed, without ids, in the page's colours only."""
    root = ElementTree.fromstring(svg)
    assert (root.tag, root.attrib["role"]) == (f"{SVG}svg", "img")
    assert len(svg) < 25_000
    for element in root.iter():
        assert element.tag in {f"{SVG}{tag}" for tag in ("svg", "g", "path", "text", "title")}
        assert not element.attrib.keys() & {"id", "clip-path", "width", "height"}
        style = element.attrib.get("style", "")
        assert "font-family" not in style
        for paint in re.findall(r"(?:fill|stroke|color): ([^;]+)", style):
            assert paint == "none" or re.fullmatch(r"var\(--[a-z0-9-]+\)", paint)
    assert not re.search(r"#[0-9a-f]{3}|rgb", re.sub(">[^<]*<", "", svg.partition(">")[2]))
    return root


def drawing(label: str = "a", title: str = "t"):
    figure = charts.blank(200)
    axes = charts.panel(figure, 40, 30, 264, 160)
    axes.set_ylim(0, 10)
    axes.plot([0, 9], [1, 8], **charts.own_line({label: 1}, label))
    (bar,) = axes.bar([3], [4], color=charts.colour("accent"))
    charts.tell(bar, label)
    charts.name_axes(axes, "games", "Elo")
    charts.label_ends(axes, {label: 8.0}, {label: 1})
    charts.key(axes, 200, [(label, {"facecolor": charts.colour("good")})])
    return charts.drawn(figure, title)


def test_a_chart_is_svg_in_the_colours_and_the_type_of_the_page():
    root = parsed(drawing())
    assert root.attrib["viewBox"] == "0 0 360 200"
    assert {"games", "Elo", "a"} <= {text.text for text in root.iter(f"{SVG}text")}
    assert {"var(--series-1)", "var(--accent)", "var(--good)", "var(--muted)", "var(--line)"} <= set(
        re.findall(r"var\(--[a-z0-9-]+\)", ElementTree.tostring(root, encoding="unicode"))
    )


def test_the_same_chart_is_the_same_text():
    assert drawing() == drawing()


@pytest.mark.parametrize(
    "label", ["<script>alert(1)</script>", "$x$ & \\frac{", "#010002", "\x00\n]]>", "龍"]
)
def test_labels_are_shown_as_they_are_and_are_no_markup(label):
    root = parsed(drawing(label, label))
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in label)
    assert root.attrib["aria-label"] == shown
    assert [title.text for title in root.iter(f"{SVG}title")] == [shown]
    assert charts.short(label) in {text.text for text in root.iter(f"{SVG}text")}


def test_agents_look_different_up_to_forty():
    labels = [str(number) for number in range(40)]
    colours = {label: 1 + place % 8 for place, label in enumerate(labels)}
    lines = [charts.own_line(colours, label) for label in labels]
    assert len({(line["color"], line["dashes"]) for line in lines}) == 40


def least_squares(places, gap, room):
    """The same by projections in turn onto each condition (R. Dykstra 1983)."""
    places = np.array(places, float)
    size = len(places)
    rows = [
        np.eye(size)[0],
        -np.eye(size)[-1],
        *(np.eye(size)[i + 1] - np.eye(size)[i] for i in range(size - 1)),
    ]
    least = [0.0, -room, *[gap] * (size - 1)]
    moved, x = np.zeros((len(rows), size)), places
    for _ in range(5000):
        for index, (row, bound) in enumerate(zip(rows, least, strict=True)):
            y = x + moved[index]
            x = y + max(0.0, bound - row @ y) / (row @ row) * row
            moved[index] = y - x
    return x


@pytest.mark.parametrize(
    "places", [[5], [10, 60], [50, 50], [0, 1, 2, 90], [98, 99, 100], [3, 20, 21, 22, 40, 41, 95]]
)
def test_labels_are_moved_as_little_as_need_be(places):
    assert spread(places, 13, 100) == pytest.approx(least_squares(places, 13, 100), abs=1e-3)
