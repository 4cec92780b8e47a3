# SPDX-License-Identifier: Apache-2.0
"""What a long test takes of all that it could try.

LAMELLA_SWEEP=all takes all of it; otherwise a part is drawn by a seed, anew in each run, and
LAMELLA_SWEEP=SEED draws the part of that seed again. A test prints `told` so that a failure can be
repeated.
"""

import os
import random

CHOICE = os.environ.get("LAMELLA_SWEEP", "")
ALL = CHOICE == "all"
SEED = int(CHOICE) if CHOICE.isdigit() else random.SystemRandom().randrange(1 << 32)
told = "LAMELLA_SWEEP=all" if ALL else f"LAMELLA_SWEEP={SEED}"


def take(things, count, name):
    """So many of a list, or all of it, in its order. Draws of different names differ."""
    if ALL or count >= len(things):
        return list(things)
    chosen = random.Random(f"{SEED} {name}").sample(range(len(things)), count)
    return [things[i] for i in sorted(chosen)]


def pairs(firsts, seconds, name):
    """Each of `firsts` with one of `seconds`, these in turn, or with all of them."""
    if ALL:
        return [(first, second) for second in seconds for first in firsts]
    start = random.Random(f"{SEED} {name}").randrange(len(seconds))
    return [(first, seconds[(start + i) % len(seconds)]) for i, first in enumerate(firsts)]
