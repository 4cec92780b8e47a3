# SPDX-License-Identifier: Apache-2.0
"""Conditions with SQL's three outcomes, where None is unknown, and random ones with NOT, AND and OR."""

OPERATORS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def any_of(outcomes):
    """SQL's = ANY: true, or else unknown, or else false."""
    outcomes = list(outcomes)
    return True if True in outcomes else None if None in outcomes else False


def negate(outcome):
    return None if outcome is None else not outcome


def random_condition(rng, test, depth=2):
    """A text, and what it gives for a row. `test` makes those that are not joined of others."""
    if depth == 0 or rng.random() < 0.4:
        return test()
    left, of_left = random_condition(rng, test, depth - 1)
    if rng.random() < 0.3:
        return f"not ({left})", lambda row: negate(of_left(row))
    right, of_right = random_condition(rng, test, depth - 1)
    if rng.random() < 0.5:
        return f"({left}) and ({right})", lambda row: negate(
            any_of([negate(of_left(row)), negate(of_right(row))])
        )
    return f"({left}) or ({right})", lambda row: any_of([of_left(row), of_right(row)])
