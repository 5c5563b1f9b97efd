from __future__ import annotations

from probe4d.benchmarks.benchmark import BenchmarkRecord, SourceDataset
from probe4d.benchmarks.card import SuiteCard, dataset_card

SUITE = SuiteCard(
    title="Suite",
    about="What it is.",
    rules={"motion": "how things move.", "distance": "how far."},
    limits=("A limit.",),
    papers=("A paper.",),
)


def card(**fields: object) -> str:
    source = SourceDataset(name="d", version="v", fingerprint="ab", licence='CC "BY"', split="val", scenes=1_500)
    given: dict[str, object] = {
        "parameters": {"min_margin": 0.5, "split": None},
        "counts": {"motion": {"yes-no": 1_200, "choice": 3}},
        "exclusions": {},
        "shortfalls": [],
    }
    return dataset_card(
        BenchmarkRecord(
            suite="s",
            version="1",
            seed=42,
            source=source,
            fingerprint="cd",
            probe4d="0",
            **(given | fields),  # type: ignore[arg-type]
        ),
        SUITE,
    )


def test_the_card_says_what_it_holds_and_where_it_is_from() -> None:
    text = card()
    assert text.startswith('---\npretty_name: "Suite (v)"\nlicense: other\nlicense_name: see-card\n')
    assert "- 1K<n<10K\n" in text
    assert "# Suite: 1,203 questions from d, v" in text
    assert "| motion | yes-no | 1,200 |" in text
    assert "split `val`, 1,500 scenes" in text
    assert '- Licence of the source, which binds these questions too: CC "BY"' in text
    assert "| min_margin | 0.5 |\n| split | null |" in text
    assert "- **motion**: how things move." in text
    assert "how far" not in text
    assert "\nNothing.\n" in text


def test_the_card_says_what_it_lacks() -> None:
    text = card(exclusions={"too near | too far": 1_234}, shortfalls=["motion: 3 of 4."])
    assert "| too near \\| too far | 1,234 |" in text
    assert "- motion: 3 of 4." in text
    assert "Nothing" not in text
