"""The command line as a whole: help, version, errors, exit codes, what it imports."""

import resource
import subprocess
import sys

import pytest

import probe4d
from probe4d.cli import output


def test_help_lists_every_verb(command) -> None:
    result = command("--help")
    assert result.returncode == 0
    for verb in ("scenes", "simulate", "build", "check", "prompts", "ask", "import", "diagnose", "show", "demo"):
        assert verb in result.stdout


def test_no_arguments_show_the_help_and_count_as_wrong_input(command) -> None:
    result = command()
    assert result.returncode == 2
    assert "Usage" in result.stdout + result.stderr


def test_version(command) -> None:
    assert command("--version").stdout.strip() == f"probe4d {probe4d.__version__}"


@pytest.mark.parametrize("arguments", [("nothing",), ("build", "nothing"), ("show",), ("scenes", "--nothing")])
def test_wrong_usage_ends_with_2(command, arguments) -> None:
    result = command(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_a_choice_that_there_is_not_is_told_in_one_line_like_other_errors(command) -> None:
    result = command("ask", "bench", "--reasoning-effort", "foo")
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("probe4d: Invalid value for '--reasoning-effort': 'foo' is not one of 'none', 'minimal'")


def test_an_error_is_one_line_without_traceback(command, tmp_path) -> None:
    result = command("scenes", tmp_path / "absent")
    assert result.returncode == 2
    assert str(tmp_path / "absent") in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_debug_shows_the_traceback(command, tmp_path) -> None:
    assert "Traceback" in command("--debug", "scenes", tmp_path / "absent").stderr


FAILING = """
import logging, sys
from probe4d import cli

@cli.app.command("fail")
def fail() -> None:
    logging.getLogger("probe4d.store").warning("the cache is %s", "damaged")
    raise LookupError("no such thing")

cli.main()
"""


def failing(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", FAILING, "fail", *arguments], capture_output=True, text=True)


def test_an_unexpected_error_is_a_sentence_too() -> None:
    result = failing()
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "the cache is damaged",
        "probe4d: an unexpected error (LookupError: no such thing); "
        "run again with --debug to see where, and please report it.",
    ]
    assert "Traceback" in failing("--debug").stderr


def test_quiet_silences_warnings_of_the_library() -> None:
    assert "the cache is damaged" not in failing("-q").stderr


def test_what_stands_behind_two_dashes_is_no_option(command, tmp_path) -> None:
    result = command("scenes", "--", "--quiet", cwd=tmp_path)
    assert result.returncode == 2
    assert "--quiet: does not exist." in result.stderr


def test_full_disk_is_one_line(command, tmp_path) -> None:
    arguments = ("simulate", tmp_path / "out", "--scenes", 1, "--no-cameras")
    result = command(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert result.returncode == 1
    assert "could not be written" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_quiet_works_before_and_after_the_verb(command, tmp_path) -> None:
    for arguments in (("--quiet", "simulate", tmp_path / "a"), ("simulate", tmp_path / "b", "-q")):
        result = command(*arguments, "--scenes", 1, "--no-cameras")
        assert result.returncode == 0
        assert result.stderr == ""


@pytest.mark.parametrize("statement", ["import probe4d", "import probe4d.cli"])
def test_importing_stays_light(statement) -> None:
    heavy = ["polars", "numpy", "scipy", "altair", "jinja2", "PIL", "vl_convert", "torch", "inspect_ai", "rich"]
    code = f"import sys; {statement}; print(*[name for name in {heavy!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.split() == []


def test_text_from_data_cannot_steer_the_terminal() -> None:
    hostile = "\x1b]52;c;aGk=\x07 \x1b[2J \u202eabc \x9b31m \r"
    shown = output.harmless(hostile)
    assert not any(character in shown for character in "\x1b\x07\u202e\x9b\r")
    assert shown == "  \\x202eabc  \\x0d"
    assert output.harmless("plain – Ümläut 字\n\tx") == "plain – Ümläut 字\n\tx"


def test_a_name_too_long_for_the_disk_is_wrong_input(command, tmp_path) -> None:
    result = command("scenes", tmp_path / ("x" * 300))
    assert result.returncode == 2
    assert "is too long a name for the disk. Give a shorter one." in result.stderr
    assert "unexpected" not in result.stderr
