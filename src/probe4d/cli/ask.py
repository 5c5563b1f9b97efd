"""`probe4d ask`: put a benchmark's questions to a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from probe4d.cli import app, output
from probe4d.cli import ask_options as options
from probe4d.cli.groups import with_groups
from probe4d.cli.shared_options import Prompts

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.models.course import Course
    from probe4d.models.presets import Preset
    from probe4d.models.request import Model
    from probe4d.runs.plan import RunPlan
    from probe4d.scenes.tables import Scenes

__all__ = ["ask"]


@app.command("ask")
@with_groups
def ask(
    benchmark: options.Bench,
    *,
    model: options.Model = None,
    preset: options.Preset = None,
    list_presets: options.ListPresets = False,
    base_url: options.BaseUrl = None,
    arguments: options.Arguments = None,
    fit_controls: options.FitControls = None,
    prompts: Prompts,
    features: options.Features = None,
    sampling: options.Sampling = None,
    keep_logits: options.KeepLogits = False,
    layout: options.PromptLayout = None,
    force: options.Force = False,
    temperature: options.Temperature = None,
    top_p: options.TopP = None,
    max_tokens: options.MaxTokens = None,
    seed: options.Seed = None,
    reasoning_effort: options.ReasoningEffort = None,
    image_detail: options.ImageDetail = None,
    system: options.System = None,
    extra_body: options.ExtraBody = None,
    out: options.Out = None,
    dry_run: options.DryRun = False,
    tokenizer: options.Tokenizer = None,
    max_connections: options.MaxConnections = None,
    max_retries: options.MaxRetries = 5,
    timeout: options.Timeout = 600,
    as_json: options.AsJson = False,
) -> None:
    """Ask a model every question. What was answered is never lost: the same command goes on where it stopped.

    Keys come from the environment, or from .env in the working directory.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli import arguments as reading
    from probe4d.diagnosis.controls.answerers import is_control, refuse_unaskable
    from probe4d.errors import InputError
    from probe4d.models.course import Course
    from probe4d.models.generation import Generation
    from probe4d.models.lidar_lm.answering_options import LidarOptions, is_lidar_lm
    from probe4d.models.presets import preset_named
    from probe4d.runs.plan import RunPlan

    reading.read_environment()
    chosen = None if preset is None else preset_named(preset)
    name = _model_name(model, chosen)
    if out is None and not dry_run:
        raise InputError("ask needs a folder for the answers.", remedy="Give --out RUN, or --dry-run to send nothing.")
    generation = Generation(
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        reasoning_effort=reasoning_effort,
        image_detail=image_detail,
        extra_body={} if extra_body is None else reading.json_object(extra_body, option="--extra-body"),
        system=None if system is None else reading.text_or_file(system, option="--system"),
    )
    own_arguments = reading.key_values(arguments or (), option="-M")
    plan = RunPlan(
        setting=prompts.setting,
        evidence=prompts.evidence_plan(
            chosen,
            usual="none" if features is None else "lidar",
            usual_view="lidar" if is_lidar_lm(name) else "cameras",
        ),
        selection=prompts.selection(),
        generation=generation if chosen is None else chosen.fill(generation),
        base_url=base_url,
        arguments=own_arguments if chosen is None else {**chosen.arguments_for(name), **own_arguments},
        preset=preset,
        lidar=LidarOptions(sampling=sampling, keep_logits=keep_logits, layout=layout, force=force),
    )
    if is_control(name):
        refuse_unaskable(name)
    if is_control(name) and plan.evidence.kind != "none":
        raise InputError(f"{name} looks at nothing: it takes no evidence.", remedy="Ask it without --evidence.")
    if fit_controls is not None and not is_control(name):
        raise InputError(f"{name} is no control, and learns from no benchmark.", remedy="Leave out --fit-controls.")
    course = Course(
        max_connections=max_connections,
        max_retries=max_retries,
        timeout_s=timeout,
        workers=prompts.workers,
    )
    if is_lidar_lm(name) and features is None and prompts.evidence is None:
        output.note(f"{name} is shown no features. Give --features, or --evidence none if that is meant.")
    read = prompts.questions(benchmark, plan.evidence)
    if is_control(name):
        _refuse_families_without_numbers(read, name)
    scenes = prompts.scenes(read, plan.evidence)
    if out is None or dry_run:
        _print_estimate(read, name, plan, scenes, features, tokenizer, as_json=as_json)
    else:
        other = None if fit_controls is None else read_benchmark(fit_controls)
        _ask_all(read, out, name, plan, scenes, features, course, fit_controls=other, as_json=as_json)


def _model_name(given: str | None, preset: Preset | None) -> str:
    from probe4d.errors import InputError
    from probe4d.models.presets import WITHOUT_API

    if preset is None:
        if given is None:
            raise InputError("ask needs a model.", remedy="Give --model PROVIDER/NAME, or --preset NAME.")
        return given
    if given is None and preset.model is None:
        raise InputError(f"no API serves {preset.title}, the model of {preset.name}: {preset.note}", remedy=WITHOUT_API)
    if given is not None and given != preset.model:
        output.note(f"The options of the preset {preset.name} ({preset.title}) are used for {given}.")
    return given or preset.model or ""


def _refuse_families_without_numbers(benchmark: Benchmark, control: str) -> None:
    """Refuse to ask a control that answers numbers alone families that ask for none: every question would fail."""
    from probe4d.benchmarks.question import NUMBER
    from probe4d.diagnosis.controls.answerers import CONTROLS, LABEL_CONTROLS
    from probe4d.errors import InputError
    from probe4d.wording import listed

    if control in LABEL_CONTROLS or control not in CONTROLS:
        return
    asked = benchmark.columns("family", "format").unique(maintain_order=True)
    of_numbers = asked.filter(format=NUMBER)["family"].to_list()
    others = [family for family in asked["family"].unique(maintain_order=True) if family not in of_numbers]
    if of_numbers and others:
        options = [f"--family {family}" for family in of_numbers]
        raise InputError(
            f"{control} answers numbers alone, and no question of {listed(others)} asks for one.",
            path=benchmark.path,
            remedy=f"Ask it what does: {' '.join(options)}.",
        )


def _print_estimate(
    benchmark: Benchmark,
    model: str,
    plan: RunPlan,
    scenes: Scenes | None,
    features: Path | None,
    tokenizer: Path | None,
    *,
    as_json: bool,
) -> None:
    from probe4d.cli.ask_printing import print_dry_run, print_json
    from probe4d.models.lidar_lm.answering_options import is_lidar_lm
    from probe4d.models.tokens import tokenizer_at, tokens_by_length
    from probe4d.runs.dry_run import dry_run
    from probe4d.runs.opening import open_reader
    from probe4d.runs.prepared import prepare

    count = tokens_by_length if tokenizer is None else tokenizer_at(tokenizer)
    reader = open_reader(model, plan, features=features) if is_lidar_lm(model) else None
    prepared = prepare(benchmark, plan, scenes=scenes, reader=reader)
    prepared.refuse_unaskable()
    seen = dry_run(prepared, model=model, reader=reader, count_tokens=count)
    if as_json:
        print_json(seen)
    else:
        usual = "4 bytes a token" if reader is None else "the checkpoint's tokenizer"
        print_dry_run(seen, counted_by=usual if tokenizer is None or reader is not None else str(tokenizer))


def _ask_all(
    benchmark: Benchmark,
    out: Path,
    name: str,
    plan: RunPlan,
    scenes: Scenes | None,
    features: Path | None,
    course: Course,
    *,
    fit_controls: Benchmark | None,
    as_json: bool,
) -> None:
    from probe4d.cli.ask_printing import print_json, print_summary, running
    from probe4d.diagnosis.controls.answerers import is_control
    from probe4d.diagnosis.controls.runs import control_model
    from probe4d.diagnosis.watching import Watch
    from probe4d.errors import RunError
    from probe4d.exchange.inspect_log import LOG_FILE, write_inspect_log
    from probe4d.models.lidar_lm.answering_options import is_lidar_lm
    from probe4d.runs.ask import ask as ask_model
    from probe4d.runs.run import Answer, AnswerError
    from probe4d.runs.summary import summary_of

    model: str | Model = name
    if is_control(name):
        model = control_model(benchmark, name, setting=plan.setting, fit_controls=fit_controls)
    watch = Watch(benchmark, model=name, setting=plan.setting, selection=plan.selection)
    began_s = time.monotonic()

    def begin(calls: int, answered: int) -> None:
        nonlocal began_s
        began_s = time.monotonic()
        counter.expect(calls, answered)

    def see(line: Answer | AnswerError) -> None:
        for sentence in watch.see(line):
            output.note(sentence)
        counter(line)

    try:
        with output.progress("answers", status=lambda: running(watch, time.monotonic() - began_s)) as counter:
            run = ask_model(
                benchmark,
                out,
                model=model,
                plan=plan,
                scenes=scenes,
                features=features,
                course=course,
                begun=begin,
                done=see,
            )
    except KeyboardInterrupt:
        output.fail(f"stopped; {_kept(out, then='the same command goes on')}")
        raise typer.Exit(130) from None
    except RunError:
        output.note(f"Asking has ended; {_kept(out, then='the same command goes on once the reason is gone')}")
        raise
    if isinstance(model, str) and not is_lidar_lm(name):
        try:
            write_inspect_log(run, benchmark, out / LOG_FILE, scenes=scenes)
        except RunError as error:
            output.note(f"{error} The run is complete without this log, and the same command writes it later.")
    summary = summary_of(run)
    if as_json:
        print_json(summary)
    print_summary(summary, out, to_stdout=not as_json)
    if summary.unanswered:
        raise typer.Exit(1)


def _kept(out: Path, *, then: str) -> str:
    from probe4d.runs.run import RECORD_FILE, read_run
    from probe4d.runs.summary import summary_of
    from probe4d.wording import counted

    answers = summary_of(read_run(out)).answers if (out / RECORD_FILE).exists() else 0
    if not answers:
        return "nothing was answered."
    return f"{counted(answers, 'answer')} {'is' if answers == 1 else 'are'} kept in {out}, and {then}."
