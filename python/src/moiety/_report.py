"""Results that show themselves."""

from __future__ import annotations

import html
from os import PathLike
from typing import Any


class Result(dict[str, Any]):
    """A result as ``moiety cluster --json`` and ``moiety train --json`` print it; printed or shown in a notebook, it is their text."""

    def __init__(self, fields: dict[str, Any], text: str) -> None:
        super().__init__(fields)
        self.text = text

    def __reduce__(self) -> Any:
        return Result, (dict(self), self.text)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<pre style="line-height: 1.3; overflow-x: auto">{html.escape(self.text)}</pre>'


class Report:
    """One self-contained page. In a notebook it shows itself; ``save`` writes it to a file."""

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, path: str | PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        # A frame of its own: the page has a style sheet for all of itself.
        frame = "width: 100%; height: 80vh; min-height: 600px; border: 1px solid #8886"
        return f'<iframe title="Moiety report" style="{frame}" srcdoc="{html.escape(self.page)}"></iframe>'
