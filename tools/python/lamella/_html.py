# SPDX-License-Identifier: Apache-2.0
"""Small tables of HTML, for notebooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _cell(value: object) -> str:
    import html

    text = "" if value is None else str(value)
    return html.escape(text if len(text) <= 80 else text[:79] + "…")


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """A table of dicts; their keys are those of the first."""
    if not rows:
        return "<p>no rows</p>"
    head = "".join(f"<th>{_cell(name)}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row.values()) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
