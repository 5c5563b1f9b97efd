"""The page as a file: whole, alone, the same every time, and harmless whatever text it is given."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from report_making import PAYLOADS, diagnosed, many_questions, right_answers, scenes

from probe4d.errors import InputError
from probe4d.origins import title_of
from probe4d.report.page import write_report

QUESTIONS = many_questions()
RUN = "run <b>&\"'</script>"


class _Elements(HTMLParser):
    """Collects elements and attributes, as a browser would find them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    replies = [PAYLOADS[number % len(PAYLOADS)] for number in range(len(QUESTIONS))]
    diagnosis = diagnosed({RUN: replies, "right": right_answers(QUESTIONS)}, QUESTIONS)
    path = write_report(diagnosis, tmp_path_factory.mktemp("report"), scenes=scenes(10))
    assert path.name == "report.html"
    return path.read_text(encoding="utf-8")


def test_there_are_as_many_payloads_as_promised() -> None:
    assert len(set(PAYLOADS)) >= 20


def test_no_text_becomes_markup(page: str) -> None:
    parser = _Elements()
    parser.feed(page)
    tags = [tag for tag, _ in parser.found]
    assert tags.count("script") == 2
    assert tags.count("style") == 1
    assert not {"img", "iframe", "base", "object", "embed", "b"} & set(tags)
    assert not [attributes for _, attributes in parser.found if any(name.startswith("on") for name in attributes)]


def test_nothing_outside_is_referred_to(page: str) -> None:
    parser = _Elements()
    parser.feed(page)
    for _, attributes in parser.found:
        assert "src" not in attributes
        href = attributes.get("href")
        assert href is None or href.startswith("#") or href == "data:,"
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_only_the_script_of_the_page_may_run(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "innerHTML" not in script[1]


def test_verdict_comes_first_then_figures_then_questions(page: str) -> None:
    places = [page.index(f'<section id="{name}"') for name in ("verdict", "accuracy", "questions", "about")]
    assert places == sorted(places)


def test_every_chart_has_a_table_beside_it(page: str) -> None:
    for section in re.findall(r"<section id=.*?</section>", page, re.DOTALL):
        if "<svg" in section:
            assert "<table>" in section


def test_the_same_diagnosis_gives_the_same_bytes(tmp_path: Path) -> None:
    diagnosis = diagnosed({}, QUESTIONS)
    first = write_report(diagnosis, tmp_path / "a").read_bytes()
    assert write_report(diagnosis, tmp_path / "b").read_bytes() == first
    assert b"Pictures are left out" in first


def about(page: Path) -> dict[str, list[str]]:
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r"<div><dt>(.*?)</dt>((?:<dd>.*?</dd>)+)</div>", text, re.DOTALL)
    assert len({name for name, _ in rows}) == len(rows)
    return {name: re.findall("<dd>(.*?)</dd>", lines, re.DOTALL) for name, lines in rows}


def test_each_run_stands_once_and_parsers_only_where_they_differ(tmp_path: Path) -> None:
    few = QUESTIONS[:40]
    right = right_answers(few)
    wordy = [f"I think the answer is **{answer}**." for answer in right]
    told = about(write_report(diagnosed({"one": right, "two": right, "wordy": wordy}, few), tmp_path / "a"))
    assert told["parser"] == ["default"]
    assert len(told["run one"]) == len(told["run two"]) == 1
    assert "The published parser reads 40 of 40 answers otherwise." in told["run wordy"]
    alike = about(write_report(diagnosed({"one": right, "two": right}, few), tmp_path / "b"))
    assert alike["parser"] == ["default", "The other parsers read every answer as this one does."]
    assert len(alike["run one"]) == 1


def test_the_head_names_the_dataset_as_cards_do(tmp_path: Path) -> None:
    page = write_report(diagnosed({}, QUESTIONS[:40]), tmp_path).read_text(encoding="utf-8")
    (head,) = re.findall("<header>.*?</header>", page, re.DOTALL)
    assert f"40 questions about 2 scenes, {title_of('nuscenes', 'v1.0-sim')}." in html.unescape(head)
    assert "nuscenes v1.0-sim" not in page


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("")
    with pytest.raises(InputError, match="report"):
        write_report(diagnosed({}, QUESTIONS[:40]), tmp_path / "report")


def test_nothing_is_written_of_a_report_whose_page_shows_a_faulty_question(tmp_path: Path) -> None:
    diagnosis = diagnosed({"one": right_answers(QUESTIONS)}, QUESTIONS)
    table = diagnosis.benchmark.table.with_columns(facts=pl.lit('{"a": }'))
    faulty = replace(diagnosis, benchmark=replace(diagnosis.benchmark, table=table))
    with pytest.raises(InputError, match="does not fit"):
        write_report(faulty, tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_the_report_folder_holds_the_tables_and_the_page(tmp_path: Path) -> None:
    diagnosis = diagnosed({"one": right_answers(QUESTIONS)}, QUESTIONS)
    names = ("changes", "figures", "models", "run_families", "pairs", "shortcuts", "slices", "words_alone")
    tables = {f"{name}.csv" for name in names}
    tables |= {"records.parquet", "variants.parquet"}
    assert write_report(diagnosis, tmp_path / "report") == tmp_path / "report" / "report.html"
    assert {path.name for path in (tmp_path / "report").iterdir()} == {*tables, "report.html"}
    # A page of another diagnosis must not stay beside new tables.
    assert write_report(diagnosis, tmp_path / "report", page=False) == tmp_path / "report" / "figures.csv"
    assert {path.name for path in (tmp_path / "report").iterdir()} == tables
