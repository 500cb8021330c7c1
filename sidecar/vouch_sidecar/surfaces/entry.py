"""The command `vouch-sidecar`."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache

from vouch_sidecar.operations import NAMES

MAX_INPUT = 4_000_001
"""Bytes of standard input that are read: more than a text may have."""


def main() -> None:
    """Run the command line. A hook imports the standard library only."""
    arguments = sys.argv[1:]
    _open_standard_streams()
    _import_nothing_from_here()
    # A plugin of pydantic, installed by other software, would see every prompt.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    if arguments[:1] == ["hook"] and {"-h", "--help"}.isdisjoint(arguments):
        from vouch_sidecar.surfaces.hook.client import run

        run(arguments[1:])
    if arguments == ["resident"]:  # as a hook starts it, without a client of its own
        from vouch_sidecar.surfaces.local.user_socket import Ownership

        if (owned := Ownership.take(os.environ)) is not None:
            from vouch_sidecar.surfaces.socket_server import run_resident

            _hold_little_memory()
            run_resident(os.environ, owned)
        return  # with the exit code `FOUND_IT_HELD` of `hook.client`
    output = sys.stdout
    try:
        try:
            if not {*NAMES}.isdisjoint(arguments[:1]):
                _end_if_answered(arguments)
            from vouch_sidecar.surfaces.cli import main as shell

            _hold_little_memory()
            shell(prog_name="vouch-sidecar", obj=_standard_input)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # nobody reads any more, as behind `| head -1`
        os._exit(0)
    except SystemExit:
        if not isinstance(sys.stdout, type(output)):  # click wraps it then, and exits with 1
            os._exit(0)
        raise
    except OSError as error:  # mostly because standard output can't be written
        sys.stderr.write(f"vouch-sidecar: {error.strerror or type(error).__name__}\n")
        os._exit(1)  # a normal exit would try to write again


def _end_if_answered(arguments: list[str]) -> None:
    """Have the process that serves answer a command that asks an operation, print that, and end
    with its exit code. That process reads the line as a shell of its own would, so that this
    imports neither what reads options nor an operation.

    Returns where no process serves, or it leaves the line to a shell: what is wrong, not found, or
    not all read.
    """
    from vouch_sidecar.kb.discovery import start_folder
    from vouch_sidecar.surfaces.console.printing import print_answer
    from vouch_sidecar.surfaces.local.user_socket import LINE, TYPED, ask

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads can't be interrupted
    told = None
    try:
        asked = {"line": arguments, "folder": os.getcwd(), "start": start_folder(os.environ)}
        while (told := ask((), LINE, asked, env=os.environ)) == TYPED:
            asked[TYPED] = _standard_input()
    except FileNotFoundError:  # this folder is gone
        pass
    if told and told["complete"]:
        sys.exit(print_answer(told))


@cache
def _standard_input() -> str:
    """The text on standard input, which can be read once."""
    return sys.stdin.buffer.read(MAX_INPUT).decode("utf-8", "replace")


def _open_standard_streams() -> None:
    """Put /dev/null where a standard stream is closed. The next file that is opened would take its
    place, and get what is printed. What the encoding of an output has not is replaced.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        stream = os.fdopen(number, "w" if number else "r", closefd=False)
        setattr(sys, ("stdin", "stdout", "stderr")[number], stream)
    os.close(number)
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")


def _import_nothing_from_here() -> None:
    """Remove the working folder and relative parts of `PYTHONPATH` from the import path, for this
    process and those that it starts: a hostile workspace may contain modules.
    """
    parts = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(os.path.isabs, parts))
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        planted = {os.path.abspath(part) for part in parts if not os.path.isabs(part)}
        planted.add(os.path.realpath("."))
    except OSError:  # the working folder is gone
        planted = set()
    sys.path[:] = [folder for folder in sys.path if os.path.isabs(folder) and folder not in planted]


def _hold_little_memory() -> None:
    """Make glibc use one memory arena for all threads. Otherwise each thread keeps its own: 7 MB
    more after some hundred questions, 100 MB after twenty changes.
    """
    import ctypes

    try:
        ctypes.CDLL(None).mallopt(-8, 1)  # M_ARENA_MAX of malloc.h
    except (AttributeError, OSError, TypeError):
        pass


if __name__ == "__main__":
    main()
