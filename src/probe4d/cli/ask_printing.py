"""What `probe4d ask` prints: the course of a run, its end, a dry run, the presets."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from probe4d.cli import output

if TYPE_CHECKING:
    import msgspec

    from probe4d.diagnosis.watching import Watch
    from probe4d.runs.dry_run import DryRun, ExampleRequest, FeatureEstimate, PictureEstimate, PictureFacts
    from probe4d.runs.summary import RunSummary

__all__ = ["print_dry_run", "print_json", "print_presets", "print_summary", "running"]


def running(watch: Watch, seconds: float) -> str:
    """What is to be seen beside the count of answers: rate, tokens, the share that can be read, failures."""
    from probe4d.wording import counted, in_percent

    failed = watch.failures.total()
    finished = watch.answers + failed
    words = [f"{finished / seconds:,.1f} a second"] if finished and seconds > 0 else []
    if watch.tokens or watch.input_tokens:
        words.append(f"{watch.input_tokens:,} tokens in, {watch.tokens:,} out")
    if watch.valid_share is not None:
        words.append(f"{in_percent(watch.valid_share)} % can be read")
    if failed:
        words.append(counted(failed, "failure"))
    return ", ".join(words)


def print_json(record: msgspec.Struct) -> None:
    """Print a record as JSON."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(record), indent=2).decode())


def print_summary(summary: RunSummary, out: Path, *, to_stdout: bool) -> None:
    """Say how a run ended: the result on standard output, what is worth knowing and what is missing beside it."""
    from probe4d.wording import counted, most_frequent

    if to_stdout:
        tokens = f", {summary.input_tokens:,} tokens in, {summary.tokens:,} out" if summary.input_tokens else ""
        how = f"{summary.model}, {summary.setting}"
        print(output.harmless(f"{out}: {counted(summary.answers, 'answer')} ({how}){tokens}"))
    output.note_left_out(summary.left_out, where="left_out.jsonl")
    if summary.redacted:
        hold = "answer holds" if summary.redacted == 1 else "answers hold"
        output.note(f"{summary.redacted:,} {hold} [redacted], in place of what the environment calls a key.")
    if summary.unanswered:
        first = f"{counted(summary.unanswered, 'call')} got no answer; the same command asks them again."
        reasons = most_frequent(summary.errors, rest="for other reasons (see errors.jsonl)")
        output.fail("\n  ".join([first, *reasons]))


def print_dry_run(
    seen: DryRun,
    *,
    counted_by: str,
    heading: str = "Nothing was sent. Asking would come to:",
    asked: str = "questions",
) -> None:
    """Print what a run would come to, and one of its requests.

    Args:
        seen: What it would come to.
        counted_by: How tokens are counted, in words.
        heading: What stands above.
        asked: What is asked about, in a word.
    """
    from probe4d.wording import counted, most_frequent

    questions = sum(seen.questions.values())
    by_family = ", ".join(f"{n:,} {family}" for family, n in seen.questions.items())
    rows = [
        ("model", seen.model),
        (asked, f"{questions:,} ({by_family})" if seen.questions else "none"),
        ("calls", f"{seen.calls:,} ({seen.setting})"),
        *(("left out", line) for line in most_frequent(seen.left_out, rest="for other reasons (see --json)")),
        ("pictures", _pictures(seen.pictures)),
        *(("features", _features(one)) for one in [seen.features] if one is not None),
        *(("not rendered", reason) for reason in seen.failures),
        ("tokens", _tokens(seen, counted_by)),
    ]
    if seen.reply_tokens is not None:
        rows.append(("replies", f"at most {counted(seen.reply_tokens, 'token')}"))
    print(heading)
    for label, words in rows:
        print(output.harmless(f"  {label:<12}  {words}"))
    if seen.example is not None:
        print(output.harmless(f"\nThe first request, {seen.example.key}:\n{_example(seen.example)}"))


def _pictures(pictures: PictureEstimate | None) -> str:
    if pictures is None:
        return "none"
    words = f"{pictures.shown:,}, {pictures.distinct:,} of them different"
    if pictures.bytes_each is None:
        return words
    total = pictures.bytes_each * pictures.shown
    sizes = ", ".join(pictures.sizes)
    return (
        f"{words}; {sizes} px, {_size(pictures.bytes_each)} each, {_size(total)} in all ({pictures.rendered} rendered)"
    )


def _features(features: FeatureEstimate) -> str:
    from probe4d.wording import counted

    told = f"layout {features.layout}, ego-motion text {features.ego_text}"
    if not features.rows:
        return f"none; {told}"
    return f"{counted(features.rows, 'row')} of {counted(features.scenes, 'scene')}; {told}"


def _tokens(seen: DryRun, counted_by: str) -> str:
    text = f"about {seen.text_tokens:,} of text ({counted_by})"
    if seen.features is not None and seen.features.rows:
        return f"{text}, {seen.features.rows:,} of feature rows"
    if seen.pictures is None:
        return text
    if seen.pictures.tokens is None:
        return f"{text}; those of pictures are not known for this model"
    return f"{text}, {seen.pictures.tokens:,} of pictures (the provider's rule)"


def _example(example: ExampleRequest) -> str:
    lines = [f"  {name}: {value}" for name, value in example.options.items()]
    if example.system is not None:
        lines.append(f"  system: {example.system}")
    lines += [f"  picture {number}: {_picture(one)}" for number, one in enumerate(example.pictures, start=1)]
    if example.features is not None:
        frames = ", ".join(map(str, example.features.frames))
        lines.append(f"  features: {example.features.scene}, key frames {frames}")
    if example.ego_text is not None:
        lines.append(f"  ego-motion text: {example.ego_text}")
    return "\n".join([*lines, "  text:", *(f"  | {line}" for line in example.text.splitlines())])


def _picture(one: PictureFacts) -> str:
    return f"{one.width_px}x{one.height_px} px, {one.media_type}, {_size(one.bytes)}, SHA-256 {one.digest}"


def _size(n: float) -> str:
    return f"{n / 1e6:,.1f} MB" if n >= 1e6 else f"{n / 1e3:,.1f} kB"


def print_presets() -> None:
    """Print the presets: name and model, options, source and notes, wrapped to the terminal (or `COLUMNS`)."""
    import msgspec

    from probe4d.models.presets import WITHOUT_API, presets

    width = shutil.get_terminal_size().columns
    for preset in presets().values():
        set_options = {**msgspec.to_builtins(preset.generation), **preset.arguments, **preset.shown}
        options = ", ".join(f"{name} {msgspec.json.encode(value).decode()}" for name, value in set_options.items())
        print(f"{preset.name}\n  {preset.model or f'{preset.title}, no API'}")
        for words in filter(None, (options, f"{preset.source}. {preset.note or ''}")):
            lines = textwrap.wrap(words, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
            print("\n".join(lines))
    print("\n".join(textwrap.wrap(f"No API: {WITHOUT_API}", width)))
