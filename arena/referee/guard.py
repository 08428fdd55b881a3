"""The guard: a process between the supervisor and its referees, which sees to it that none outlives a run.

It has imported everything that a game needs, and forks referees from itself at once. What processes
below it leave behind when they die, it adopts and ends. When the supervisor ends, however that comes, it
ends all below it, and itself. It reads requests of `_REQUEST`; a request to start comes with two
descriptors, the referee's pipe and its beat, and is answered by the process id.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

import agents
from arena.machine.cores import ONE_THREAD
from arena.machine.processes import adopt_orphans, end_orphans, kill_tree
from arena.referee.beat import Beat
from arena.referee.executor import RunError

_REQUEST = struct.Struct("=cq")
"""What is wanted, and of which process."""
_START, _KILL = b"s", b"k"
_ANSWER = struct.Struct("=q")
_LOOKS = 0.2
"""Seconds between two looks at who has died."""
_BEGIN = 120.0
"""Seconds that the guard may take to start a referee, its own start included."""
_END = 5.0
"""Seconds that the guard has to end everything."""


class GuardDied(RunError):
    """The guard is gone, and with it every referee; or it starts no other."""

    def __init__(self) -> None:
        super().__init__("the process that guards the referees died or hangs")


class Guard:
    """The supervisor's end: starts the guard's process, and asks it for referees.

    Args:
        folders: where plug-ins are looked for.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_BEGIN)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _command(theirs.fileno(), folders)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**ONE_THREAD, **os.environ},
            start_new_session=True,  # a terminal's Ctrl-C is not for it
        )
        theirs.close()

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def start(self, pipe: Connection, beat: int) -> int:
        """Start a referee with its end of a pipe and the file of its beat; return its process id.

        Raises:
            GuardDied: when there is no guard to do it.
        """
        try:
            socket.send_fds(self._socket, [_REQUEST.pack(_START, 0)], [pipe.fileno(), beat])
            answer = self._socket.recv(_ANSWER.size, socket.MSG_WAITALL)
        except OSError:
            raise GuardDied from None
        if not answer:
            raise GuardDied
        return int(_ANSWER.unpack(answer)[0])

    def kill(self, pid: int) -> None:
        """End a referee and all below it, where it is not dead already."""
        with suppress(OSError):  # without a guard there is no referee either
            self._socket.sendall(_REQUEST.pack(_KILL, pid))

    def close(self) -> None:
        """End every referee and all below it, and wait until that is done."""
        self._socket.close()
        try:
            self._process.wait(_END)
        except subprocess.TimeoutExpired:
            kill_tree(self._process.pid)
            self._process.wait()


def _command(handle: int, folders: Sequence[str]) -> str:
    path = list(map(str, sys.path))
    start = f"from arena.referee.guard import watch; watch({handle}, {list(folders)})"
    return f"import sys; sys.path[:] = {path}; {start}"


def watch(handle: int, folders: Sequence[str]) -> None:
    """Run the guard's process until the supervisor is gone."""
    adopt_orphans()
    _preload()
    gc.freeze()
    referees: set[int] = set()
    with socket.socket(fileno=handle) as boss:
        try:
            while True:
                if select.select([boss], [], [], _LOOKS)[0] and not _serve(boss, referees, folders):
                    return
                _bury(referees)
                end_orphans(keep=referees)
        finally:
            for pid in referees:
                kill_tree(pid)
            end_orphans(keep=())


def _preload() -> None:
    """Import what referees and seats need, so that none has to."""
    for module in ("arena.referee.slot", "envs.aec"):
        importlib.import_module(module)
    for agent in agents.agent_names():
        agents.agent_class(agent)


def _serve(boss: socket.socket, referees: set[int], folders: Sequence[str]) -> bool:
    """Do what the supervisor asks for; return False when it is gone."""
    try:
        request, files, _, _ = socket.recv_fds(boss, _REQUEST.size, 2)
    except ConnectionError:
        return False
    if not request:
        return False
    wanted, pid = _REQUEST.unpack(request)
    if wanted == _START:
        pipe, beat = files
        referee = _fork(boss, pipe, beat, folders)
        referees.add(referee)
        for file in files:
            os.close(file)
        boss.sendall(_ANSWER.pack(referee))
    elif pid in referees:
        kill_tree(pid)
    return True


def _fork(boss: socket.socket, pipe: int, beat: int, folders: Sequence[str]) -> int:
    """Start a referee; it never returns from here."""
    from arena.referee.slot import serve

    pid = os.fork()
    if pid:
        return pid
    try:
        boss.close()
        serve(Connection(pipe), Beat(beat), folders)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _bury(referees: set[int]) -> None:
    """Forget the referees that have died."""
    for pid in list(referees):
        if os.waitpid(pid, os.WNOHANG)[0]:
            referees.remove(pid)
