"""What is told of processes, against what they and the system say otherwise; and that none gets away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.machine.processes import children, cpu_seconds, descendants, kill_tree, memory
from arena.referee.beat import KEPT, NOBODY, Beat, shared_file

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

TREE = """
import subprocess, sys
depth = int(sys.argv[1])
child = subprocess.Popen([sys.executable, "-c", sys.argv[2], str(depth - 1), sys.argv[2]],
                         stdout=subprocess.PIPE, start_new_session=True) if depth else None
print("ready" if child is None else child.stdout.readline().decode().strip(), flush=True)
import time; time.sleep(1000)
"""


@pytest.fixture
def tree():
    """A process with two generations below it, each in a session of its own."""
    command = [sys.executable, "-c", TREE, "2", TREE]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout.readline() == b"ready\n"
    yield process
    process.kill()
    process.communicate()


def test_a_tree_is_found_and_killed_whole(tree):
    (child,) = children(tree.pid)
    below = descendants(tree.pid)
    assert below == [child, *children(child)]
    assert len(below) == 2
    kill_tree(tree.pid)
    assert tree.wait() == -signal.SIGKILL
    for _ in range(600):
        if not any(map(_runs, below)):
            break
        time.sleep(0.1)
    assert not any(map(_runs, below))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_who_is_gone_has_no_children_uses_nothing_and_is_killed_in_vain():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert (children(process.pid), memory([process.pid]), cpu_seconds(process.pid)) == ([], 0, 0.0)
    kill_tree(process.pid)


def test_processor_time_is_what_the_process_itself_is_told():
    before = time.process_time()
    told = cpu_seconds(os.getpid())
    assert before <= told <= time.process_time()


def test_memory_grows_by_what_is_taken():
    before = memory([os.getpid()])
    taken = bytearray(os.urandom(1)) * (64 << 20)
    assert memory([os.getpid()]) - before == pytest.approx(len(taken), rel=0.1)


def test_what_one_process_expects_another_reads():
    file = shared_file()
    reader = Beat(file)
    pid = os.fork()
    if pid == 0:
        Beat(file).expect(60.0, 1, 7)
        os._exit(0)
    os.waitpid(pid, 0)
    assert reader.place == (1, 7)
    assert -60.0 < reader.late < 0.0
    reader.expect(-1.0)
    assert (reader.late > 1.0, reader.place) == (True, (NOBODY, 0))
    os.close(file)


def test_what_one_process_plays_another_reads_from_the_beginning_on():
    file = shared_file()
    reader = Beat(file)
    pid = os.fork()
    if pid == 0:
        writer = Beat(file)
        for number in (3, 4):
            writer.begin(number)
            for action in range(number, KEPT + 2 * number):
                writer.play(action)
        os._exit(0)
    os.waitpid(pid, 0)
    assert reader.game == (4, KEPT + 4, tuple(range(4, KEPT + 4)))
    reader.expect(60.0, 1, 7)
    reader.begin(5)
    assert (reader.game, reader.place) == ((5, 0, ()), (1, 7))
    os.close(file)
