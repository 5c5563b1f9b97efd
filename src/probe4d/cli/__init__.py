"""The command line: one command, a verb a task.

A verb's file parses arguments, calls one public function and prints; it holds no logic. Everything heavy
is imported inside the verb, so that `probe4d --help` answers at once.
"""

from __future__ import annotations

import errno
import sys
from typing import Annotated, Any

import typer

from probe4d.cli import output
from probe4d.errors import Probe4DError

__all__ = ["app", "main"]

_UsageError: type[Any] = typer.BadParameter.__bases__[0]
"""What typer raises for arguments that it cannot read; it has no public name for it."""

_OF_PYDANTIC = "Value error, "
"""What pydantic, by which typer reads values, puts before the sentence about a choice that there is not."""

_ANYWHERE = ("--debug", "--quiet", "-q")
"""Options of the command as a whole, which people expect to work after the verb too."""

app = typer.Typer(
    name="probe4d",
    help="Build questions whose answers follow from geometry, ask any model, and see what its answers depend on.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error. Stands anywhere.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors only, no progress. Stands anywhere.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    # --debug and --quiet stand here for the help; `main` reads them, wherever they stand.
    if version:
        from probe4d.version import __version__

        typer.echo(f"probe4d {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def main() -> None:
    """Run the command line; every error ends as one line on standard error and an exit code."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)  # behind it are no options
    options, operands = arguments[:end], arguments[end:]
    output.settings.debug = "--debug" in options
    output.settings.quiet = "--quiet" in options or "-q" in options
    output.note_warnings()
    try:
        arguments = [option for option in options if option not in _ANYWHERE] + operands
        sys.exit(app(arguments, standalone_mode=False))
    except _UsageError as error:
        # There is no message where the help of a group was printed in its place.
        if message := error.format_message().rstrip(".").replace(_OF_PYDANTIC, ""):
            output.fail(f"{message}. See --help.")
        sys.exit(2)
    except Probe4DError as error:
        _show_traceback()
        output.fail(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        output.fail("stopped.")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output (`head`, a closed pager) has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG and error.filename:
            from probe4d.store.files import write_error

            _show_traceback()
            output.fail(str(write_error(error.filename, error)))
            sys.exit(2)
        from probe4d.models.secrets import redacted

        _show_traceback()
        output.fail(
            f"an unexpected error ({type(error).__name__}: {redacted(str(error), addresses=sys.argv)}); "
            "run again with --debug to see where, and please report it."
        )
        sys.exit(1)


def _show_traceback() -> None:
    """With --debug, print the traceback of the error at hand, without the keys that servers repeat in theirs."""
    if output.settings.debug:
        import traceback

        from probe4d.models.secrets import redacted

        print(redacted(traceback.format_exc(), addresses=sys.argv), file=sys.stderr)


from probe4d.cli import verbs  # noqa: E402, F401 - registers the verbs on `app`
