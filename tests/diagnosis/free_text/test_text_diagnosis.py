"""Free text by metrics of words: figures equal the libraries', intervals the bootstrap's, beside a blind control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import corpus_bleu

import probe4d
from encoder_making import write_tiny_bert
from judge_making import run_on_disk, text_benchmark
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.statistics.bootstrap import DRAWS, SEED
from probe4d.errors import InputError

FAMILIES = ("description", "temporal-understanding", "comprehensive")
SAID = [
    "The car in front moves slowly from frame 000 to frame 008.",
    "A bus on the left remains stationary near the building.",
    "Two pedestrians cross the road ahead of the ego vehicle.",
    "The ego vehicle turns right and passes parked cars.",
]
REFERENCES = [SAID[(3 * n) % 4] for n in range(24)]
ANSWERS = [SAID[(3 * n + (n % 5 == 0)) % 4].replace("the", "a" if n % 3 else "the") for n in range(24)]
METRICS = [probe4d.Bleu(), probe4d.RougeL()]


def fields(place: int) -> dict[str, str]:
    family = FAMILIES[place % 3]
    return {"family": family, "template": family, "question": f"What does {REFERENCES[place].split()[1]} do?"}


@pytest.fixture(scope="module")
def bench() -> probe4d.Benchmark:
    return text_benchmark(REFERENCES, fields={place: fields(place) for place in range(24)})


@pytest.fixture(scope="module")
def runs(bench: probe4d.Benchmark, tmp_path_factory: pytest.TempPathFactory) -> list[probe4d.Run]:
    folder = tmp_path_factory.mktemp("runs")
    answers = [*ANSWERS[:22], {"error": "no reply"}, ""]
    return [run_on_disk(bench, folder / "run", answers), run_on_disk(bench, folder / "same", REFERENCES)]


@pytest.fixture(scope="module")
def diagnosis(bench: probe4d.Benchmark, runs: list[probe4d.Run]) -> probe4d.Diagnosis:
    return probe4d.diagnose(bench, runs, text_metrics=METRICS)


Figure = Callable[..., tuple[float, float, float, int]]


@pytest.fixture(scope="module")
def figure(diagnosis: probe4d.Diagnosis) -> Figure:
    def found(metric: str, family: str = "all", run: str = "run", relation: str = "all"):
        rows = diagnosis.figures.filter(run=run, family=family, metric=metric, format="text", relation=relation)
        ((value, low, high, n),) = rows.select("value", "low", "high", "n").iter_rows()
        return value, low, high, n

    return found


def said(family: str = "all") -> tuple[list[str], list[str]]:
    places = [place for place in range(24) if family in ("all", FAMILIES[place % 3])]
    return [ANSWERS[place] if place < 22 else "" for place in places], [REFERENCES[place] for place in places]


@pytest.mark.parametrize("family", ["all", *FAMILIES])
def test_figures_equal_the_libraries(figure: Figure, family: str) -> None:
    candidates, references = said(family)
    value, low, high, n = figure("bleu_4", family)
    assert value == corpus_bleu(candidates, [references]).score / 100
    assert (low < value < high, n) == (True, len(candidates))
    scorer = RougeScorer(["rougeL"])
    scores = [scorer.score(right, one)["rougeL"].fmeasure for one, right in zip(candidates, references, strict=True)]
    assert figure("rouge_l", family)[0] == pytest.approx(np.mean(scores))


def test_the_mean_over_families(figure: Figure) -> None:
    for metric in ("bleu_4", "rouge_l"):
        families = [figure(metric, family)[0] for family in FAMILIES]
        value, low, high, n = figure(f"{metric}_macro")
        assert value == pytest.approx(np.mean(families))
        assert n == 3
        assert low < value < high


def test_a_perfect_run(figure: Figure) -> None:
    for family in FAMILIES:
        assert figure("rouge_l", family, "same") == (1.0, 1.0, 1.0, 8)
        assert figure("bleu_4", family, "same")[0] == pytest.approx(1.0)
        assert figure("bleu_4", family, "same", f"template:{family}")[0] == pytest.approx(1.0)


def test_intervals_resample_whole_scenes(figure: Figure) -> None:
    """BLEU of every draw by sacrebleu would take minutes: a hundred draws of the same generator tell."""
    drawn = np.random.default_rng(SEED).integers(0, 12, size=(DRAWS, 12))
    candidates, references = (np.array(texts, dtype=object).reshape(12, 2) for texts in said())
    scorer = RougeScorer(["rougeL"])
    scores = [
        [scorer.score(right, one)["rougeL"].fmeasure for one, right in zip(*rows, strict=True)]
        for rows in zip(candidates, references, strict=True)
    ]
    expected = np.quantile(np.array(scores)[drawn].mean(axis=(1, 2)), (0.025, 0.975))
    assert figure("rouge_l")[1:3] == pytest.approx(expected, abs=1e-12)
    few = [
        corpus_bleu(candidates[draw].ravel().tolist(), [references[draw].ravel().tolist()]).score
        for draw in drawn[:300]
    ]
    low, high = figure("bleu_4")[1:3]
    assert 0.9 < np.mean([low <= score / 100 <= high for score in few]) < 0.99


def test_comparisons_keep_runs_paired(figure: Figure) -> None:
    value, low, high, n = figure("bleu_4_change", run="same vs run")
    assert value == pytest.approx(figure("bleu_4", run="same")[0] - figure("bleu_4")[0])
    assert 0 < low < value < high
    assert n == 24
    assert figure("bleu_4_of_second", run="same vs run") == figure("bleu_4")
    assert figure("rouge_l_macro_of_first", run="same vs run")[0] == 1.0


def test_the_control_gives_references_of_other_scenes(
    bench: probe4d.Benchmark, diagnosis: probe4d.Diagnosis, figure: Figure
) -> None:
    texts = diagnosis.texts.filter(run=CONTENT)
    rows = {one["id"]: one for one in bench.table.iter_rows(named=True)}
    assert texts["question"].to_list() == bench.table["id"].to_list()
    for one in texts.iter_rows(named=True):
        asked, source = rows[one["question"]], rows[one["source"]]
        assert (source["scene"] != asked["scene"], source["template"]) == (True, asked["template"])
        assert one["answer"] == source["answer"]
        assert source["question"] == asked["question"]  # which elsewhere is asked in the same words
    assert figure("bleu_4", run=CONTENT)[0] == pytest.approx(1.0)  # and answered in the same, so that nothing is seen
    assert diagnosis.answerers() == ["run", "same", CONTENT]
    assert diagnosis.answerers("labels") == ["run", "same"]


def test_every_answer_with_its_scores(diagnosis: probe4d.Diagnosis, figure: Figure) -> None:
    texts = diagnosis.texts.filter(run="run")
    assert texts["state"].to_list() == ["valid"] * 22 + ["error", "empty"]
    assert texts["answer"].to_list() == said()[0]
    assert texts["reference"].to_list() == REFERENCES
    assert texts["rouge_l"].mean() == pytest.approx(figure("rouge_l")[0])
    assert texts["bleu_4"][22:].to_list() == [0.0, 0.0]
    assert texts["meteor"].null_count() == texts.height  # which was not asked for
    assert texts["source"].null_count() == texts.height


def test_files(diagnosis: probe4d.Diagnosis, bench: probe4d.Benchmark, tmp_path: Path) -> None:
    probe4d.write_report(diagnosis, tmp_path, page=False)
    assert pl.read_parquet(tmp_path / "texts.parquet").equals(diagnosis.texts)
    told = pl.read_csv(tmp_path / "text_metrics.csv")
    assert told["metric"].to_list() == ["bleu_4", "rouge_l"]
    assert told["fingerprint"][1] == str(METRICS[1].fingerprint())
    assert set(pl.read_csv(tmp_path / "figures.csv")["metric"]) >= {"bleu_4", "bleu_4_macro", "rouge_l_change"}


def test_controls_may_learn_elsewhere(bench: probe4d.Benchmark, runs: list[probe4d.Run]) -> None:
    where = {
        place: {**fields(place), "scene": f"elsewhere-{place}", "id": f"{100 + place:016x}"} for place in range(24)
    }
    other = text_benchmark([f"{text} Learned." for text in REFERENCES], fields=where)
    diagnosis = probe4d.diagnose(bench, runs[:1], text_metrics=METRICS, fit_controls=other)
    texts = diagnosis.texts.filter(run=CONTENT)
    assert all(text.endswith(" Learned.") for text in texts["answer"])


def test_no_other_scene_to_learn_from(tmp_path: Path) -> None:
    bench = text_benchmark(["A car."] * 2)
    run = run_on_disk(bench, tmp_path / "run", ["A car."] * 2)
    diagnosis = probe4d.diagnose(bench, [run], text_metrics=METRICS)
    assert diagnosis.texts.filter(run=CONTENT).select("answer", "state", "source").rows() == [("", "empty", None)] * 2
    rows = diagnosis.figures.filter(run="run", metric="rouge_l", relation="all", family="all")
    assert rows.select("value", "low", "high").rows() == [(1.0, None, None)]  # one scene leaves nothing to resample


def test_without_metrics_free_text_is_not_scored(bench: probe4d.Benchmark, runs: list[probe4d.Run]) -> None:
    with pytest.raises(InputError, match=r"no free text with judgements or metrics of words.*--text-metrics"):
        probe4d.diagnose(bench, runs)


def test_bert_score_beside_them(bench: probe4d.Benchmark, runs: list[probe4d.Run], tmp_path: Path) -> None:
    metric = probe4d.BertScore(write_tiny_bert(tmp_path / "bert"), layer=2)
    diagnosis = probe4d.diagnose(bench, runs, text_metrics=[metric])
    rows = diagnosis.figures.filter(metric="bertscore", family="all", relation="all")
    values = dict(rows.select("run", "value").iter_rows())
    assert values["same"] == pytest.approx(1.0, abs=1e-6)
    assert values["run"] < 0.99
    assert diagnosis.text_fingerprints == {"bertscore": metric.fingerprint()}


def test_without_runs_the_control_stands_alone(bench: probe4d.Benchmark) -> None:
    diagnosis = probe4d.diagnose(bench, [], text_metrics=METRICS)
    assert diagnosis.texts["run"].unique().to_list() == [CONTENT]
    assert diagnosis.figures.filter(metric="bleu_4_macro")["run"].to_list() == [CONTENT]


def test_runs_of_parts_have_controls_of_their_own(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    few = probe4d.Selection(families=(FAMILIES[0],))
    part = run_on_disk(bench, tmp_path / "part", [None if n % 3 else REFERENCES[n] for n in range(24)], selection=few)
    whole = run_on_disk(bench, tmp_path / "whole", REFERENCES)
    diagnosis = probe4d.diagnose(bench, [whole, part], text_metrics=METRICS)
    rows = diagnosis.figures.filter(metric="rouge_l", family="all", relation="all")
    assert dict(rows.select("run", "n").iter_rows()) == {
        "whole": 24, "part": 8, CONTENT: 24, f"{CONTENT} for part": 8,
    }  # fmt: skip
    assert diagnosis.texts.group_by("run", maintain_order=True).len().rows() == [
        ("whole", 24),
        ("part", 8),
        (CONTENT, 24),
    ]
    assert "part vs whole" in diagnosis.figures.filter(metric="rouge_l_change")["run"].to_list()
