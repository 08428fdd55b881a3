"""Parameters read from signatures, and the names and paths that lead to classes."""

import pickle
import subprocess
import sys
from typing import Annotated, Literal

import pytest
from pydantic import Field

import agents
import envs
from envs.parameters import MISSING, ParameterError, check, list_parameters
from envs.plugins import UnknownNameError


def build(
    size: Annotated[int, Field(ge=1, le=26, description="cells a side")] = 11,
    weight: Annotated[float, Field(ge=0)] = 1.0,
    mode: Literal["fast", "slow"] = "fast",
    cap: Annotated[int | None, Field(gt=0)] = None,
    flag: bool = False,
    anything=None,
    pair: tuple[int, ...] = (1, 2),
):
    pass


def needs(depth: int, **rest):
    pass


def problems(function, **params):
    with pytest.raises(ParameterError) as caught:
        check("hex", function, params)
    return caught.value.problems


def test_lists_what_a_signature_declares():
    listed = {parameter.name: parameter for parameter in list_parameters(build)}
    size = listed["size"]
    assert (size.annotation, size.default, size.description) == ("int", 11, "cells a side")
    assert {name: parameter.allowed for name, parameter in listed.items()} == {
        "size": "an integer from 1 to 26",
        "weight": "a number of at least 0",
        "mode": "one of 'fast', 'slow'",
        "cap": "an integer above 0 or null",
        "flag": "true or false",
        "anything": "anything",
        "pair": "a list, each an integer",
    }
    assert [p.default for p in list_parameters(needs)] == [MISSING]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"size": 26},
        {"weight": 2},
        {"mode": "slow"},
        {"cap": None},
        {"cap": 3},
        {"anything": object()},
        {"pair": [3, 4]},
        {"flag": True},
    ],
)
def test_accepts_what_is_allowed(params):
    assert check("hex", build, params).keys() == params.keys()


def test_a_list_becomes_the_tuple_that_was_asked_for():
    assert check("hex", build, {"pair": [3, 4]}) == {"pair": (3, 4)}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("size", 0, "0 is not allowed: an integer from 1 to 26"),
        ("size", 500, "500 is not allowed: an integer from 1 to 26"),
        ("size", "5", "'5' is not allowed: an integer from 1 to 26"),
        ("size", True, "True is not allowed: an integer from 1 to 26"),
        ("size", 5.0, "5.0 is not allowed: an integer from 1 to 26"),
        ("size", None, "None is not allowed: an integer from 1 to 26"),
        ("weight", -1, "-1 is not allowed: a number of at least 0"),
        ("weight", True, "True is not allowed: a number of at least 0"),
        ("weight", float("nan"), "nan is not allowed: a number of at least 0"),
        ("weight", float("inf"), "inf is not allowed: a number of at least 0"),
        ("mode", "quick", "'quick' is not allowed: one of 'fast', 'slow'"),
        ("cap", 0, "0 is not allowed: an integer above 0 or null"),
        ("flag", 1, "1 is not allowed: true or false"),
        ("pair", ["x"], "['x'] is not allowed: a list, each an integer"),
        (
            "sise",
            5,
            "unknown parameter (did you mean size?): hex takes size, weight, mode, cap, flag, anything, pair",
        ),
    ],
)
def test_refuses_with_the_value_and_what_is_allowed(name, value, message):
    assert problems(build, **{name: value}) == [(name, message)]


def test_reports_everything_at_once_and_survives_pickling():
    with pytest.raises(ParameterError) as caught:
        check("hex", build, {"size": 0, "sise": 1})
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert str(copy).splitlines()[0] == "hex: size: 0 is not allowed: an integer from 1 to 26"
    assert len(copy.problems) == 2


def test_missing_parameters_are_reported_and_kwargs_take_any_name():
    assert problems(needs, other=1) == [("depth", "missing: hex needs an integer")]
    assert check("x", needs, {"depth": 2, "other": "y"}) == {"depth": 2, "other": "y"}


def test_a_mistake_found_by_make_itself_has_the_same_shape():
    error = ParameterError.single("connect_four", "connect", 9, "at most 7")
    assert str(error) == "connect_four: connect: 9 is not allowed: at most 7"


def test_games_are_made_by_name():
    rules = envs.make_rules("hex", size=3)
    assert rules.num_actions == 9
    with pytest.raises(ParameterError, match="hex: size: 0 is not allowed: an integer from 1 to 26"):
        envs.make_rules("hex", size=0)


@pytest.mark.parametrize("find", [envs.game_class, agents.agent_class])
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (
            "no_such_module:Thing",
            r"cannot be imported: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("broken_plugin:Thing", r"cannot be imported: RuntimeError: not today"),
        ("leaving_plugin:Thing", r"cannot be imported: SystemExit: 3"),
        ("good_plugin:Gredy", r"good_plugin has no Gredy \(did you mean Greedy\?\)"),
        ("good_plugin:number", r"number is a int, not a class"),
        ("good_plugin:Empty", r"Empty has no (make|act)"),
        ("good plugin:Greedy", r"a plug-in is written package\.module:Class"),
        ("good_plugin:", r"a plug-in is written package\.module:Class"),
    ],
)
def test_a_plug_in_that_does_not_work_says_why(find, path, reason, tmp_path, monkeypatch):
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('not today')")
    (tmp_path / "leaving_plugin.py").write_text("raise SystemExit(3)")
    (tmp_path / "good_plugin.py").write_text("class Greedy: pass\nclass Empty: pass\nnumber = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "good_plugin", raising=False)
    with pytest.raises(UnknownNameError, match=reason):
        find(path)


def test_unknown_names_come_with_the_nearest_and_the_list():
    with pytest.raises(UnknownNameError) as caught:
        envs.game_class("hexx")
    assert str(caught.value) == (
        f"unknown game 'hexx' (did you mean hex?): built in are {', '.join(envs.game_names())}; "
        "your own is written package.module:Class"
    )
    with pytest.raises(UnknownNameError, match=r"unknown agent 'utc' \(did you mean uct\?\)"):
        agents.agent_class("utc")


def test_agents_are_made_by_path_from_the_current_folder(tmp_path, monkeypatch):
    constructor = "    def __init__(self, game, depth: int = 2): self.got = game, depth\n"
    code = f"class Bot:\n{constructor}    def act(self, view, limit): ...\n"
    (tmp_path / "bots_of_mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    assert agents.make_agent("bots_of_mine:Bot", "rules", depth=3).got == ("rules", 3)
    with pytest.raises(ParameterError, match="unknown parameter: bots_of_mine:Bot takes depth"):
        agents.check_agent("bots_of_mine:Bot", {"game": 1})


@pytest.mark.parametrize("package", ["envs", "agents"])
def test_importing_a_registry_loads_no_library(package):
    heavy = ["numba", "numpy", "pettingzoo", "pydantic"]
    code = f"import {package}, sys; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_agents_offers_the_records_of_its_base():
    from agents.base import Limit

    assert agents.Limit is Limit
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        agents.Nothing  # noqa: B018 # looking it up is what is tested
