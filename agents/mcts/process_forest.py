"""Several trees over one root, each in a process of its own: `ProcessForest`.

What is done inside a process is a `ThreadForest` of one tree (`agents.mcts.forest`).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import AgentRefused
from agents.mcts.forest import Settings, ThreadForest
from agents.mcts.roots import Root


class ProcessForest:
    """Every tree in a process of its own, which holds a `ThreadForest` of one tree.

    The processes are new interpreters, not forks: none holds a pipe of this one's, none runs its main
    module again. Each ends when this process's ends of its pipes are gone. They share `Workspace.stop`, by
    way of a file without a name.
    """

    def __init__(self, rules: Any, settings: Settings, streams: Sequence[int]) -> None:
        """Start one process per stream number, and wait until each has its tree.

        Raises:
            AgentRefused: when one cannot make it, with what it says.
        """
        self._processes: list[subprocess.Popen[bytes]] = []
        self._pipes: list[Connection] = []
        self._asked = 0
        with tempfile.TemporaryFile() as file:
            file.write(bytes(mmap.PAGESIZE))
            file.flush()
            self._stop = _shared(file.fileno())
            for _ in streams:
                process, pipe = _start(file.fileno())
                self._processes.append(process)
                self._pipes.append(pipe)
        try:
            for stream, pipe in zip(streams, self._pipes, strict=True):
                pipe.send(sys.path)
                pipe.send((rules, settings, [stream]))
            refusals = list(filter(None, self._receive()))
        except (EOFError, ConnectionError):
            refusals = ["it ended before it began"]
        except (pickle.PicklingError, AttributeError) as error:
            refusals = [str(error)]
        if refusals:
            raise AgentRefused(
                f"uct: parallel: process: {refusals[0]} (the game has to be importable from a "
                "module, and not be written into the script that is run)"
            )

    def __del__(self) -> None:
        """Let the processes go, whatever they are at."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.communicate()

    def _ask(self, method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Call `method` of every tree, each with its own element of every argument."""
        self._asked += 1
        for index, pipe in enumerate(self._pipes):
            pipe.send((self._asked, method, [argument[index] for argument in arguments]))
        return self._receive()

    def _receive(self) -> list[Any]:
        """Return what every tree answers to the last question; earlier ones were given up (Ctrl-C)."""
        answers = []
        for pipe in self._pipes:
            number, answer = pipe.recv()
            while number < self._asked:
                number, answer = pipe.recv()
            answers.append(answer)
        return answers

    def reset(self, seed: int) -> None:
        """Give every tree a stream of its own from `seed`, and empty it."""
        self._ask("reset", [seed] * len(self._pipes))

    def plant(self, played: Sequence[int] | None) -> None:
        """Begin the search of a new position, with the subtree below `played` or afresh."""
        self._ask("plant", [played] * len(self._pipes))

    def search(self, root: npt.NDArray[Any], shares: Sequence[int], deadline: int) -> None:
        """Run up to `shares[i]` more simulations in tree i, until `deadline` (ns) at the latest."""
        count = len(self._pipes)
        self._ask("search", [root] * count, [[share] for share in shares], [deadline] * count)

    def roots(self, legal: npt.NDArray[np.int64], path: Sequence[int] = ()) -> list[Root]:
        """Return what each tree found out about the legal actions, at the root or where `path` leads."""
        count = len(self._pipes)
        return [roots[0] for roots in self._ask("roots", [legal] * count, [path] * count)]

    def counts(self) -> npt.NDArray[np.int64]:
        """Return int64[trees, 5]: `Workspace.counts` of each tree, with the nodes in use as the last."""
        return np.concatenate(self._ask("counts"))


def _start(stop: int) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start an interpreter that runs `serve` over the file `stop`; return it and our end of its pipe."""
    ours, theirs = Pipe()
    command = f"from agents.mcts.process_forest import serve; serve({theirs.fileno()}, {stop})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -P: the folder one happens to be in may have other modules of our names.
    interpreter = [sys.executable, "-P", "-c", command]
    process = subprocess.Popen(
        interpreter, stdin=subprocess.PIPE, pass_fds=[theirs.fileno(), stop], env=environment
    )
    theirs.close()
    return process, ours


def _shared(file: int) -> npt.NDArray[np.int64]:
    """Return the first number of a file as memory common to all who map it: int64[1]."""
    return np.frombuffer(mmap.mmap(file, mmap.PAGESIZE), np.int64, 1)


def serve(handle: int, stop: int) -> None:
    """Hold one tree and answer for it until the other end of the pipe, and of stdin, is gone.

    Args:
        handle: the descriptor of the pipe.
        stop: that of the file whose first eight bytes are `Workspace.stop`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever holds the other end decides when to end
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    pipe = Connection(handle)
    with contextlib.suppress(EOFError, ConnectionError):
        sys.path[:] = pipe.recv()
        try:
            rules, settings, streams = pipe.recv()
            forest = ThreadForest(rules, settings, streams, _shared(stop))
        except Exception as error:
            pipe.send((0, f"{type(error).__name__}: {error}"))
            return
        pipe.send((0, None))
        while True:
            number, method, arguments = pipe.recv()
            pipe.send((number, getattr(forest, method)(*arguments)))


def _end_with_stdin() -> None:
    """End this process when nobody holds the other end of stdin: not even a search under way goes on.

    Linux's PR_SET_PDEATHSIG would not do: it waits for the end of the thread that started the process.
    """
    os.read(0, 1)
    os._exit(0)
