"""Charts: figures of matplotlib as SVG in the page's own colours and type.

A section makes a `blank` figure, lays a `panel` or more on it in pixels, draws with matplotlib's own methods,
and has it `drawn`. Figures are 360 px wide, legible unscaled on a phone. Colours are stand-ins here, and the
page's CSS variables in what comes out, so that a chart follows light, dark and print. What is drawn is the
sections' matter.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import IdentityTransform

from arena.referee.progress import printable

WIDTH = 360.0
"""Of a figure, in CSS pixels."""
TEXT = 11.0
"""Size of type, in CSS pixels."""
_LETTER = 6.0
"""About how wide a letter is."""
_DOT = 72.0
"""Pixels in what matplotlib takes for an inch of SVG, so that its points and its dots are pixels too."""
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (7, 2, 1.5, 2), (3, 1.5, 1, 1.5, 1, 1.5))
"""One an agent, of another length than the colours, so that 40 agents look different."""
_VARIABLES = (
    *("--paper", "--panel", "--ink", "--muted", "--line", "--accent", "--good", "--bad", "--heat"),
    *(f"--series-{number + 1}" for number in range(8)),
)
_STAND_INS = {f"#0100{index:02x}": f"var({name})" for index, name in enumerate(_VARIABLES)}
_TOLD = "told:"
"""Begins the id of what has a title."""
_SVG = "{http://www.w3.org/2000/svg}"
_DROPPED = {f"{_SVG}metadata", f"{_SVG}defs"}


def colour(name: str) -> str:
    """Return what stands for the page's CSS variable `--name`."""
    return f"#0100{_VARIABLES.index(f'--{name}'):02x}"


def own_colour(colours: Mapping[str, int], agent: str) -> str:
    """Return what stands for an agent's colour; `colours` numbers all agents in the league file's order."""
    return colour(f"series-{colours[agent]}")


def own_line(colours: Mapping[str, int], agent: str) -> dict[str, Any]:
    """Return how an agent's line is drawn: in its colour, and with dashes for those who cannot tell it."""
    dashes = _DASHES[list(colours).index(agent) % len(_DASHES)]
    return {"color": own_colour(colours, agent), "dashes": dashes or (None, None), "linewidth": 1.8}


def short(label: str, cells: int = 13) -> str:
    """Return a label that fits beside a chart, on one line."""
    label = printable(label)
    return label if len(label) <= cells else f"{label[: cells - 1]}…"


def blank(height: float) -> Figure:
    """Return a figure of the common width and of so many pixels in height."""
    return Figure(figsize=(WIDTH / _DOT, height / _DOT), dpi=_DOT)


def panel(figure: Figure, left: float, top: float, right: float, bottom: float) -> Axes:
    """Lay axes with few ticks on a figure, between these pixels from its left and from its top."""
    width, height = figure.bbox.size
    wide, tall = (right - left) / width, (bottom - top) / height
    axes = figure.add_axes((left / width, 1 - bottom / height, wide, tall))
    axes.patch.set_visible(False)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(colour("line"))
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=colour("line"), linewidth=0.7)
    axes.tick_params(which="both", bottom=False, left=False, labelcolor=colour("muted"), labelsize=TEXT)
    axes.xaxis.set_major_locator(whole_numbers())
    axes.yaxis.set_major_locator(MaxNLocator(4))
    return axes


def whole_numbers() -> MaxNLocator:
    """Return what places few ticks, and none between whole numbers."""
    return MaxNLocator(4, integer=True, min_n_ticks=1)


def write(axes: Axes, x: float, y: float, text: str, shade: str, **style: Any) -> None:
    """Write at a place in pixels from the left and from the bottom of the figure, up to its middle."""
    style = {"fontsize": TEXT, "va": "center_baseline", **style}
    axes.text(x, y, printable(text), color=shade, transform=IdentityTransform(), **style)


def name_axes(axes: Axes, x: str = "", y: str = "") -> None:
    """Name the axes, with their units; the upright one above it, to be read with the head upright too."""
    axes.set_xlabel(x, labelpad=4, color=colour("muted"), fontsize=TEXT)
    axes.set_title(y, loc="left", pad=7, color=colour("muted"), fontsize=TEXT)


def key(axes: Axes, top: float, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Write along the top of a figure, so many pixels high, what the styles of patches mean."""
    left = 8.0
    for text, style in entries:
        place = (left, top - 18)
        axes.add_patch(Rectangle(place, 10, 10, transform=IdentityTransform(), linewidth=0.8, **style))
        write(axes, left + 15, top - 13, text, colour("muted"))
        left += 30 + _LETTER * len(text)


def label_ends(axes: Axes, ends: Mapping[str, float], colours: Mapping[str, int], gap: float = 13.0) -> None:
    """Name agents' lines to the right of the panel, whose limits are final.

    Args:
        axes: the panel.
        ends: each agent's last value.
        colours: numbers all agents.
        gap: pixels between names, which are pushed apart where they would overlap.
    """
    low, high = axes.get_ylim()
    agents = sorted(ends, key=lambda agent: ends[agent])
    tall = float(axes.bbox.height)
    heights = spread([(ends[agent] - low) / (high - low) * tall for agent in agents], gap, tall)
    for height, agent in zip(heights, agents, strict=True):
        write(axes, axes.bbox.x1 + 6, axes.bbox.y0 + height, short(agent), own_colour(colours, agent))


def spread(places: Sequence[float], gap: float, room: float) -> list[float]:
    """Return ascending `places` in [0, room], moved as little as need be to lie a `gap` or more apart.

    Least squares: neighbours that are too close make a block around the mean of where they want to be (pools
    of adjacent violators; M. Ayer et al., Annals of Mathematical Statistics 26, 1955).
    """
    blocks: list[tuple[float, int]] = []  # the place of the first label, less gaps, and how many there are
    for index, place in enumerate(places):
        mean, count = place - index * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        blocks.append((mean, count))
    most = room - gap * (len(places) - 1)
    means = [max(0.0, min(mean, most)) for mean, count in blocks for _ in range(count)]
    return [mean + index * gap for index, mean in enumerate(means)]


def tell(artist: Artist, text: str) -> None:
    """Give what is drawn a title, which a browser shows under the pointer."""
    artist.set_gid(f"{_TOLD}{printable(text)}")


def drawn(figure: Figure, title: str) -> Markup:
    """Return the figure as an SVG element: its colours CSS variables, its type the page's, without any id.

    Args:
        figure: of lines, patches and text; it is not to be used afterwards.
        title: what it shows, for those who cannot see it.
    """
    figure.patch.set_visible(False)
    for artist in figure.findobj():
        artist.set_clip_on(False)
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_parse_math(False)  # a label may have dollars in it
    root = ElementTree.fromstring(_printed(figure))
    size = root.attrib["viewBox"]
    root.attrib.clear()
    style = "stroke-linejoin: round; stroke-linecap: butt"
    root.attrib.update({"viewBox": size, "role": "img", "style": style})
    root.attrib["aria-label"] = printable(title)
    _tidy(root)
    ElementTree.register_namespace("", _SVG.strip("{}"))
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _printed(figure: Figure) -> str:
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # the page's type has it
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _tidy(element: ElementTree.Element) -> None:
    """Keep of an element's children what is seen: no groups without use, no ids, no type but the page's."""
    kept: list[ElementTree.Element] = []
    for child in element:
        if child.tag in _DROPPED:
            continue
        _tidy(child)
        told = child.attrib.pop("id", "").partition(_TOLD)[2]
        if told:
            title = ElementTree.Element(f"{_SVG}title")
            title.text = told
            child.insert(0, title)
        kept += [child] if told or child.tag != f"{_SVG}g" else list(child)
        _restyle(child)
    element[:] = kept


def _restyle(element: ElementTree.Element) -> None:
    element.tail = None
    style = re.sub("#0100[0-9a-f]{2}", lambda match: _STAND_INS[match[0]], element.attrib.get("style", ""))
    style = re.sub(r"font-family: [^;]*(; )?", "", style)
    if style:
        element.attrib["style"] = style
    if "d" in element.attrib:
        element.attrib["d"] = re.sub(r"-?\d+\.\d+", _rounded, " ".join(element.attrib["d"].split()))
    if element.attrib.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")
