"""Stones in chains: put one, take what has no liberty left, and see whose area is what.

This is the part of Go's rules that works on a board; passes, repetition and the end are in `envs.go`.

The board has a rim, one column of which serves both sides: (row, column) is point `(row + 1) * (size + 1) +
column + 1`, and there are `length(size)` points with the rim. `cells` is uint16: five tables of that length,
then a list of `size * size`. The tables:

0. the colour: 0 empty, 1 Black, 2 White, 3 rim;
1. of a stone, the point that names its chain; of any other point, 0;
2. of a stone, the next stone of its chain, in a circle; of an empty point, its place in the list;
3. of a point that names a chain, how often stones of the chain have an empty point beside them (the
   pseudo-liberties of libEGO: an empty point may count more than once, and none means capture);
4. of any point, what is beside it: the number of empty points, plus 16 for each that Black may count as
   its own (a stone or the rim), plus 256 for each that White may.

The list begins with the empty points, in any order. What tables 3 and 4 hold of the rim has no meaning: it
takes updates that would otherwise have to be branched around.

Of the game's state three words are kept here: `KO`, the point where the opponent may not take back at once
(0 for none), `KEY`, the board's key, and `FREE`, how many points are empty.
"""

from __future__ import annotations

import numpy as np

from envs.kernels import kernel

EMPTY, RIM = 0, 3
BLACKS, WHITES = 16, 256
KO, KEY, FREE = range(3)


@kernel
def length(size):
    """Return how many points a board has with its rim."""
    return unsigned((size + 1) * (size + 2) + 1)


@kernel
def neighbours(size, point):
    """Return the points above, to the left, to the right and below."""
    stride = size + 1
    return unsigned(point - stride), unsigned(point - 1), unsigned(point + 1), unsigned(point + stride)


@kernel
def unsigned(place):
    """Return a place as it is: but now the compiler sees that it does not count from the end."""
    return np.int64(np.uint16(place))


def clear(size, cells):
    """Make an empty board of `cells` that are all 0."""
    points = length(size)
    cells[:points] = RIM
    for i in range(size * size):
        row, column = divmod(i, size)
        point = (row + 1) * (size + 1) + column + 1
        rims = (row == 0) + (row == size - 1) + (column == 0) + (column == size - 1)
        cells[point] = EMPTY
        cells[2 * points + point], cells[5 * points + i] = i, point
        cells[4 * points + point] = 4 - rims + (BLACKS + WHITES) * rims


@kernel
def is_suicide(size, cells, point, colour):
    """Return whether a stone on this empty point would leave its own chain without a liberty."""
    points = length(size)
    if cells[4 * points + point] % BLACKS:  # there is an empty point beside it
        return False
    breathes = False  # without a branch, which would be a guess
    for q in neighbours(size, point):
        # The stone takes from each chain beside it as many liberties as they touch.
        safe = cells[3 * points + cells[points + q]] > _contacts(size, cells, point, q)
        breathes |= (cells[q] != RIM) & (safe == (cells[q] == colour))
    return not breathes


@kernel
def _contacts(size, cells, point, stone):
    """Return how many neighbours of `point` are stones of the chain of `stone`."""
    points = length(size)
    count = 0
    for q in neighbours(size, point):
        count += cells[points + q] == cells[points + stone]
    return count


@kernel(forceinline=True)
def is_sensible(size, cells, point, colour):
    """Return whether a stone on this empty point is no suicide and fills no eye of one's own.

    An eye has only own stones and rim beside it, and of its diagonal points the other colour holds at
    most one, at the rim none.
    """
    stride, other = size + 1, 3 - colour
    beside = cells[4 * length(size) + point]
    if beside % BLACKS:
        return True
    if (beside // BLACKS % BLACKS if colour == 1 else beside // WHITES) == 4:
        against, rim = 0, 0
        for q in (point - stride - 1, point - stride + 1, point + stride - 1, point + stride + 1):
            against += cells[q] == other
            rim |= cells[q] == RIM
        if against + rim < 2:
            return False
    return not is_suicide(size, cells, point, colour)


@kernel
def after(size, keys, state, cells, point, colour):
    """Return what a legal stone on `point` would make of the board: its key and the number of stones."""
    points, other = length(size), 3 - colour
    stones = size * size - np.int64(state[FREE]) + 1
    key = state[KEY] ^ keys[colour, point]
    first = second = third = np.int64(0)  # chains taken already
    for q in neighbours(size, point):
        if cells[q] == other:
            chain = np.int64(cells[points + q])
            alive = cells[3 * points + chain] > _contacts(size, cells, point, q)
            if not alive and chain != first and chain != second and chain != third:
                first, second, third = chain, first, second
                stone = chain
                while True:
                    key ^= keys[other, stone]
                    stones -= 1
                    stone = np.int64(cells[2 * points + stone])
                    if stone == chain:
                        break
    return key, stones


@kernel(forceinline=True)
def play(size, keys, state, cells, point, colour):
    """Put a stone, join it with its chains, take what has no liberty, and note a simple ko."""
    points, other = length(size), 3 - colour
    near = neighbours(size, point)
    free = np.int64(state[FREE]) - 1
    place, moved = cells[2 * points + point], cells[5 * points + free]
    cells[5 * points + place], cells[2 * points + moved] = moved, place
    state[KEY] ^= keys[colour, point]
    cells[point] = colour
    cells[points + point] = cells[2 * points + point] = point
    liberties = cells[4 * points + point] % BLACKS
    cells[3 * points + point] = liberties
    change = (BLACKS if colour == 1 else WHITES) - 1
    for q in near:
        cells[3 * points + cells[points + q]] -= 1
        cells[4 * points + q] += change
    alone = True
    ko, before = 0, free
    for q in near:
        if cells[q] == colour:
            _join(points, cells, point, q)
            alone = False
        elif cells[3 * points + cells[points + q]] == 0 and cells[q] == other:
            free = _take(size, keys, state, cells, q, free)
            ko = q
    state[FREE] = free
    state[KO] = ko if alone and liberties == 0 and free == before + 1 else 0


@kernel
def _join(points, cells, stone, other):
    """Make the chains of two stones one, named as that of `other`."""
    old, new = np.int64(cells[points + stone]), np.int64(cells[points + other])
    if old == new:
        return
    cells[3 * points + new] += cells[3 * points + old]
    member = old
    while True:
        cells[points + member] = new
        member = np.int64(cells[2 * points + member])
        if member == old:
            break
    after = cells[2 * points + old]
    cells[2 * points + old] = cells[2 * points + new]
    cells[2 * points + new] = after


@kernel
def _take(size, keys, state, cells, first, free):
    """Take the chain of stone `first` off the board; return how many points are empty then."""
    points = length(size)
    colour = np.int64(cells[first])
    change = (BLACKS if colour == 1 else WHITES) - 1
    stone = np.int64(first)
    while True:
        following = np.int64(cells[2 * points + stone])
        cells[stone], cells[points + stone] = EMPTY, 0
        state[KEY] ^= keys[colour, stone]
        cells[2 * points + stone], cells[5 * points + free] = free, stone
        free += 1
        for q in neighbours(size, stone):
            cells[3 * points + cells[points + q]] += 1
            cells[4 * points + q] -= change
        stone = following
        if stone == first:
            return free


@kernel
def area(size, cells, free):
    """Return how many points Black's area is ahead; afterwards no stone may be put any more.

    An empty point belongs to the colour that alone can be reached from it. The table of chains, at empty
    points, collects those colours.
    """
    stride, points = size + 1, length(size)
    lead = np.int64(0)
    for point in range(stride + 1, points - stride - 1):
        if cells[point] == EMPTY:
            cells[points + point] = 0
        elif cells[point] != RIM:
            lead += 3 - 2 * np.int64(cells[point])
    # Each empty point collects the colours (1, 2 or both, 3) that it reaches, until nothing changes.
    grew = True
    while grew:
        grew = False
        for i in range(free):
            spot = np.int64(cells[5 * points + i])
            seen = np.int64(cells[points + spot])
            for q in neighbours(size, spot):
                if cells[q] == EMPTY:
                    seen |= np.int64(cells[points + q])
                elif cells[q] != RIM:
                    seen |= np.int64(cells[q])
            if seen != cells[points + spot]:
                cells[points + spot] = seen
                grew = True
    for i in range(free):
        seen = np.int64(cells[points + cells[5 * points + i]])
        lead += np.int64(seen == 1) - np.int64(seen == 2)
    return lead
