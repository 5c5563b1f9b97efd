"""The links of every page: what they lead to is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "design/**/*.md", "examples/**/*.md", "src/**/*.md", "tests/**/*.md")
    for page in ROOT.glob(pattern)
)
"""All that the project says in Markdown; what `make` fetches and builds lies elsewhere."""


def text_of(page: Path) -> str:
    """A page without its blocks of code, in which brackets mean something else."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path, root: Path = ROOT) -> Iterator[str]:
    """The links of a page to files or headings that are not there, or are outside the project."""
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        if not (target.is_relative_to(root) and target.exists()) or (anchor and anchor not in anchors(target)):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert not list(dead_links(ROOT / page))


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n[gone](gone.md), [self](#a-page), [nowhere](#no-heading), [out](..), [web](https://example.org)\n"
    )
    assert list(dead_links(page, tmp_path)) == ["gone.md", "#no-heading", ".."]


def test_pages_are_found() -> None:
    assert {Path("README.md"), Path("docs/asking.md"), Path("design/house.md")} <= set(PAGES)
