"""Random streams for kernels: a stream is a uint64[2] array, advanced in place.

The generator is xoroshiro128++ (Blackman and Vigna, "Scrambled linear pseudorandom number
generators", ACM TOMS 47, 2021). Streams come from `numpy.random.SeedSequence`, which makes
streams of different entropy independent for all purposes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from envs.kernels import kernel

Stream = npt.NDArray[np.uint64]

_11, _15, _17, _21, _28, _32, _36, _47, _49 = (np.uint64(n) for n in (11, 15, 17, 21, 28, 32, 36, 47, 49))


def make_stream(*entropy: int) -> Stream:
    """Make the stream that belongs to these non-negative integers."""
    state = np.asarray(np.random.SeedSequence(entropy).generate_state(2, np.uint64), np.uint64)
    if not state.any():  # the generator's one forbidden state
        state[0] = 1
    return state


@kernel
def next_uint64(rng):
    """Advance the stream and return 64 random bits."""
    s0 = rng[0]
    s1 = rng[1]
    total = s0 + s1
    result = ((total << _17) | (total >> _47)) + s0
    s1 ^= s0
    rng[0] = ((s0 << _49) | (s0 >> _15)) ^ s1 ^ (s1 << _21)
    rng[1] = (s1 << _28) | (s1 >> _36)
    return result


@kernel
def below(rng, n):
    """Draw uniformly from 0..n-1, for n under 2**31 (bias under n / 2**32)."""
    return np.int64(((next_uint64(rng) >> _32) * np.uint64(n)) >> _32)


@kernel
def uniform(rng):
    """Draw a float uniformly from [0, 1), in steps of 2**-53."""
    return np.float64(next_uint64(rng) >> _11) * 1.1102230246251565e-16
