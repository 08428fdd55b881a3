"""Kernels are compiled once, found again in the next process, and never stale.

Every test writes a small game, its helper and a kernel's module into a folder of its own, and runs
fresh processes over them. The game adds a number to its state; the helpers say which.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]

GAME = """
from typing import NamedTuple
import numpy as np
from envs.rules import rules
from game_helper import amount

@rules
class Adder(NamedTuple):
    factor: int
    num_players: int = 2
    num_actions: int = 2
    max_legal: int = 2
    def initial_state(self): return np.zeros(2, np.int64)
    def current_player(self, state): return -2 if state[1] == 5 else state[1] & 1
    def legal_actions(self, state, out):
        out[0], out[1] = 0, 1
        return 2
    def step(self, state, action):
        state[0] += self.factor * amount() * OWN
        state[1] += 1
    def returns(self, state, out): out[0], out[1] = 0.0, 0.0
OWN = 1
"""
GAME_HELPER = """
from envs.kernels import kernel
@kernel
def amount():
    return 1
"""
PLAY = """
from envs.kernels import kernel
from play_helper import extra
@kernel
def play(rules, state):
    while not rules.is_terminal(state):
        rules.step(state, 0)
    return state[0] + extra()
"""
PLAY_HELPER = """
def _extra(): return 0
from envs.kernels import kernel
extra = kernel(_extra)
"""
RUN = """
import json, sys
from envs.kernels import was_compiled
from game import Adder
from play import play
results = [play(rules, rules.initial_state()) for rules in (Adder(1), Adder(10))]
print(json.dumps([*results, *was_compiled(play)]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sources = {"game": GAME, "game_helper": GAME_HELPER, "play": PLAY, "play_helper": PLAY_HELPER, "run": RUN}
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def start(folder: Path, script: str = "run.py", jit: bool = True) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(REPOSITORY)]),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "NUMBA_DISABLE_JIT": "0" if jit else "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-W", "error", str(folder / script)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def run(folder: Path, script: str = "run.py", jit: bool = True) -> Any:
    return finish(start(folder, script, jit))


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_two_parameter_sets_share_a_kernel_and_the_next_process_loads_it(folder: Path) -> None:
    assert run(folder) == [5, 50, 0, 1]
    assert run(folder) == [5, 50, 1, 0]


COPIES = """
import json, sys, types
from pathlib import Path
import copy_of_game, game
from envs.kernels import was_compiled
from play import play
typed = types.ModuleType("typed")
sys.modules["typed"] = typed  # as an interpreter's: without a file
results = []
for own in (3, 4):
    exec(Path(game.__file__).read_text().replace("OWN = 1", f"OWN = {own}"), vars(typed))
    games = game.Adder(1), copy_of_game.Adder(1), typed.Adder(1)
    results += [play(rules, rules.initial_state()) for rules in games]
print(json.dumps([*results, *was_compiled(play)]))
"""


def test_a_copy_of_a_game_and_one_typed_anew_are_not_taken_for_the_first(folder: Path) -> None:
    """Their classes have one name, and fields of the same names and types."""
    (folder / "run.py").write_text(COPIES)
    (folder / "copy_of_game.py").write_text(GAME.replace("OWN = 1", "OWN = 2"))
    assert run(folder) == [5, 10, 15, 5, 10, 20, 0, 4]


@pytest.mark.parametrize(
    ("module", "old", "new", "expected"),
    [
        ("game", "OWN = 1", "OWN = 2", [10, 100]),
        ("game", "== 5", "== 6", [6, 60]),
        ("game_helper", "return 1", "return 3", [15, 150]),
        ("play_helper", "return 0", "return 7", [12, 57]),
        ("play", "step(state, 0)", "step(state, 1); state[0] += 1", [10, 55]),
    ],
)
def test_an_edit_is_seen_and_seen_again_when_undone(
    folder: Path, module: str, old: str, new: str, expected: list[int]
) -> None:
    assert run(folder)[:2] == [5, 50]
    edit(folder / f"{module}.py", old, new)
    assert run(folder) == [*expected, 0, 1]
    assert run(folder) == [*expected, 1, 0]
    edit(folder / f"{module}.py", new, old)
    assert run(folder)[:2] == [5, 50]


def test_an_edit_of_the_same_length_and_time_is_seen(folder: Path) -> None:
    run(folder)
    file = folder / "game_helper.py"
    before = file.stat()
    edit(file, "return 1", "return 3")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(folder)[:2] == [15, 150]


def test_edits_do_not_fill_the_disk(folder: Path) -> None:
    run(folder)
    files = len(list((folder / "cache").rglob("play.*")))
    for value in (2, 3):
        edit(folder / "game.py", f"OWN = {value - 1}", f"OWN = {value}")
        run(folder)
    assert len(list((folder / "cache").rglob("play.*"))) == files


def test_a_game_that_is_gone_does_no_harm(folder: Path) -> None:
    other = RUN.replace("from game import", "from other import")
    (folder / "other.py").write_text(GAME.replace("OWN = 1", "OWN = 4"))
    (folder / "run_other.py").write_text(other)
    assert run(folder, "run_other.py")[:2] == [20, 200]
    (folder / "other.py").unlink()
    assert run(folder) == [5, 50, 0, 1]
    assert run(folder) == [5, 50, 1, 0]


def test_processes_that_compile_at_the_same_time(folder: Path) -> None:
    """Two games and two processes each: every result is right, then and from the cache."""
    (folder / "other.py").write_text(GAME.replace("OWN = 1", "OWN = 4"))
    (folder / "run_other.py").write_text(RUN.replace("from game import", "from other import"))
    scripts = ["run.py", "run_other.py"] * 2
    for _ in range(2):
        processes = [start(folder, script) for script in scripts]
        results = [finish(process) for process in processes]
        assert [result[:2] for result in results] == [[5, 50], [20, 200]] * 2
    assert [result[2:] for result in results] == [[1, 0]] * 4


@pytest.mark.parametrize("length", [0, 20, 2000])
def test_a_damaged_file_is_compiled_anew(folder: Path, length: int) -> None:
    run(folder)
    for file in (folder / "cache").rglob("play.*.nbc"):
        file.write_bytes(file.read_bytes()[:length])
    assert run(folder) == [5, 50, 0, 1]


TRACE = """
import json
import numpy as np
import envs
from envs.kernels import kernel
from envs.streams import below, make_stream

@kernel
def trace(rules, start, scratch, out, rng):
    total = np.zeros(3, np.int64)
    states = np.uint64(0)
    for _ in range(8):
        state = start.copy()
        while not rules.is_terminal(state):
            copy = state.copy()
            rules.rollout(copy, scratch, rng)
            rules.returns(copy, out)
            total[np.int64(out[0]) + 1] += 1
            states ^= rules.hash_key(state) ^ rules.hash_key(copy)
            rules.step(state, scratch[below(rng, rules.legal_actions(state, scratch))])
    return total, states
"""


def trace_script(game: str, params: str) -> str:
    return f"""{TRACE}
rules, rng = envs.make_rules({game!r}, {params}), make_stream(11)
args = rules, rules.initial_state(), np.zeros(rules.max_legal, np.int64), np.zeros(2), rng
total, states = trace(*args)
print(json.dumps([total.tolist(), int(states), rng.tolist()]))
"""


@pytest.mark.parametrize(
    ("game", "params"),
    [("tic_tac_toe", ""), ("connect_four", "rows=5"), ("hex", "size=4"), ("hex", "size=11")],
)
def test_plain_python_does_what_compiled_code_does(tmp_path: Path, game: str, params: str) -> None:
    """The same stream gives the same rollouts, the same states and ends in the same place."""
    (tmp_path / "run.py").write_text(trace_script(game, params))
    compiled, plain = start(tmp_path), start(tmp_path, jit=False)
    assert finish(compiled) == finish(plain)


def test_a_kernel_typed_into_an_interpreter_works(folder: Path) -> None:
    code = "from envs.kernels import kernel; print(kernel(lambda x: x + 1)(1))"
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "2\n", done.stderr
