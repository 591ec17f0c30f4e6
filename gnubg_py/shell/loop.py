"""Reading commands and carrying them out, one line at a time; nothing a command does ends it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from platformdirs import user_data_path

from gnubg_py.errors import FileError, IllegalActionError
from gnubg_py.game.position import is_playing
from gnubg_py.messages import printable, problem_text
from gnubg_py.shell import words
from gnubg_py.shell.commands import ROOT
from gnubg_py.shell.refusals import refusal_text
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import UnknownWordError, completions, file_completions, find, help_text
from gnubg_py.shell.turns import may_leave
from gnubg_py.version import VERSION

_REMEMBERED = 1000
FAULT = "This command met a fault of the program: please report it"


def run_line(session: Session, line: str) -> bool:
    """Carry out one line; what is wrong with it is said in one line. Whether all went well."""
    session.stopped = False
    try:
        _run(session, line)
        return True
    except IllegalActionError as problem:
        session.say(refusal_text(problem))
    except (OSError, FileError, UnknownWordError) as problem:
        text = _one_line(problem_text(problem))
        session.complain(_in_gnubgs_words(text))
    except ValueError as problem:
        session.say(_one_line(problem_text(problem)))
    except EOFError:
        session.say("There is no answer to read: the command is given up.")
    except KeyboardInterrupt:
        session.stopped = True
        session.say("Stopped.")
    except (MemoryError, RecursionError) as problem:
        session.say(f"This is more than there is room for ({type(problem).__name__}).")
    except Exception as problem:
        # A fault of ours should not cost the user the match that is being played.
        session.say(_one_line(f"{FAULT} ({type(problem).__name__}: {problem})."))
    finally:
        session.out.flush()
    session.failed = True
    return False


def _in_gnubgs_words(text: str) -> str:
    """A complaint about a file, with the words that programs know from gnubg."""
    text = text.replace(": no such file", ": No such file or directory")
    text = text.replace(": there is no folder ", ": No such file or directory: there is no folder ")
    return text.replace(": is a folder", ": Is a directory")


def _one_line(text: str) -> str:
    """A complaint on one line, of a bounded length."""
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:297] + "..."


def _run(session: Session, line: str) -> None:
    if line.lstrip().startswith(">"):
        from gnubg_py.inside.run import run_python_line  # seldom needed: not at start-up

        run_python_line(session, line.lstrip()[1:].strip())
        return
    given = words.split(line)
    if not given:
        return
    if given[0][0].isdigit() or given[0].lower().partition("/")[0] == "bar":
        given.insert(0, "move")
    session.line = line
    session.history.append(line.strip()[:500])
    del session.history[:-_REMEMBERED]
    if given[0].startswith("?") and len(given[0]) > 1:
        given = ["?", given[0][1:], *given[1:]]
    if given[-1] == "?" and len(given) > 1:
        session.say(help_text(find(ROOT, given[:-1], session)))
        return
    find(ROOT, given, session).run(session)


def run_lines(session: Session, lines: Iterable[str], answers: Iterable[str] | None = None) -> None:
    """Carry out commands of a file or a pipe; they end at ``quit``, and at Ctrl-C.

    A command that asks reads on in ``answers``; None: in the lines themselves.
    """
    rest: Iterator[str] = iter(lines)
    replies = rest if answers is None else iter(answers)

    def answer(question: str) -> str:
        line = next(replies, None)
        if line is None:
            raise EOFError
        return line

    session.reader = answer
    for line in rest:
        run_line(session, line)
        if session.leaving or session.stopped:
            return


def prompt_of(session: Session) -> str:
    r"""The prompt: ``\p`` is the player to decide, ``\s`` the score, ``\v`` the version."""
    record = session.record
    player, score = "No game", ""
    if record is not None and record.games:
        match = session.shown().match
        score = f"{match.score[0]}-{match.score[1]}"
        if is_playing(session.shown()):
            player = printable(session.names[match.turn])
    prompt = session.prompt.replace("\\p", player).replace("\\s", score)
    return prompt.replace("\\v", VERSION) if "\\v" in prompt else prompt


def interact(session: Session) -> None:
    """Talk with a person at a terminal, with line editing, history and Tab."""
    session.interactive = True
    with_readline = _set_up_readline(session)
    session.reader = input
    session.say("Type `help' for the commands, `quit' to leave.")
    while not session.leaving:
        try:
            line = input(prompt_of(session))
        except EOFError:
            session.say()
            if may_leave(session):
                break
            continue
        except KeyboardInterrupt:
            session.say()
            continue
        except UnicodeDecodeError:
            session.say("That line is not UTF-8 text.")
            continue
        run_line(session, line)
    if with_readline is not None:
        _save_history(with_readline)


def history_path() -> Path:
    """Where the commands of earlier sessions are kept."""
    return user_data_path("gnubg_py", appauthor=False) / "history"


def _set_up_readline(session: Session) -> ModuleType | None:
    """The readline module with Tab and history at work; None where there is none."""
    try:
        import readline
    except ImportError:
        return None
    found: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            given = before.split()
            found[:] = [f"{word} " for word in completions(ROOT, [*given, text], session)]
            found[:] += file_completions(ROOT, [*given, text], session)
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n")
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    readline.set_history_length(_REMEMBERED)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        readline.read_history_file(history_path())
    return readline


def _save_history(readline: ModuleType) -> None:
    path = history_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        readline.write_history_file(path)
    except OSError as problem:
        print(f"{path}: history not kept: {problem.strerror}", file=sys.stderr)
