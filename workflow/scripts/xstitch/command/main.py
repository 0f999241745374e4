"""The entry point: finds the subcommand and imports nothing else, so that help appears at once."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from xstitch.core.errors import InputError

SUBCOMMANDS = {
    "classify": "Label texts with a stitched or fine-tuned model.",
    "check": "Say what files are, how much they hold and what is wrong with them.",
    "new-language": "Prepare a run for your own language.",
    "recommend": "Make the most promising classifier for a language, without labels.",
    "reproduce": "Make a table or figure of a paper.",
}
WRONG_INPUT, WRONG_USE, STOPPED = 1, 2, 130  # exit codes


class Subcommands(click.Group):
    """Subcommands by name; each is the function of its name in the module of its name, imported when used."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Name all subcommands, in the order of use."""
        return list(SUBCOMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Import one subcommand."""
        if name not in SUBCOMMANDS:
            return None
        module = name.replace("-", "_")
        return getattr(import_module(f"xstitch.command.{module}"), module)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
def xstitch() -> None:
    """Classifiers for languages that have no large model.

    \b
    A new language, from its dictionary and text to a labelled file:
      xstitch new-language fo --name Faroese
      xstitch recommend fo   (or the command that new-language prints)
      xstitch classify results/exported/... texts.txt

    Tables of the papers: xstitch reproduce mosecrot 2 --dry-run
    """


class Warnings(logging.Handler):
    """Shows the library's warnings as lines of their own."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one warning."""
        click.echo(f"warning: {record.getMessage()}", err=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; whatever is wrong with its input ends in one line."""
    os.environ.setdefault("TQDM_DISABLE", "1")  # jobs show progress in their logs; here it would be noise
    logging.getLogger("xstitch").handlers = [Warnings(logging.WARNING)]
    try:
        code = xstitch.main(arguments, prog_name="xstitch", standalone_mode=False)
    except click.ClickException as problem:
        code = _ended(f"error: {problem.format_message().rstrip('.')}; see `xstitch --help`", WRONG_USE)
    except InputError as problem:
        code = _ended(f"error: {problem}", WRONG_INPUT)
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (click.Abort, KeyboardInterrupt):
        code = _ended("stopped", STOPPED)
    sys.exit(code or 0)


def _ended(line: str, code: int) -> int:
    click.echo(line, err=True)
    return code
