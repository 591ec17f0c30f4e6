"""``show`` of settings that have a layout of their own."""

from __future__ import annotations

from collections.abc import Iterable

from gnubg_py.cube.efficiency import learned_classes, learned_groups
from gnubg_py.search.settings import Strength
from gnubg_py.shell.rollout_lines import rollout_lines
from gnubg_py.shell.session import Session
from gnubg_py.shell.setting_rows import ANALYSED, AUTOMATIC, CONFIRM, SETTINGS
from gnubg_py.shell.settings import Setting
from gnubg_py.shell.strength_settings import setting_lines, strength_lines
from gnubg_py.shell.tree import Command


def show_player(session: Session) -> None:
    for number, player in enumerate(session.players):
        session.say(f"Player {number}:\n  Name: {player.name}")
        colon = ":" if player.kind == "gnubg" else ""
        session.say(f"  Type: {player.kind}{colon}")
        if colon:
            session.say("\n".join(_decision_lines(session, player.strength, f"player {number}")))
        session.say()


def show_evaluation(session: Session) -> None:
    """``show evaluation``: what `eval' and `hint' use."""
    session.say("`eval' and `hint' will use:")
    session.say("\n".join(_decision_lines(session, session.hints, "evaluation")))


def _decision_lines(session: Session, strength: Strength, place: str) -> list[str]:
    """A strength, or the rollouts that decide in its place."""
    rolled = {
        kind: rollout_lines(session.rollouts_at(f"{place} {kind}"))[1:]
        for kind in ("chequerplay", "cubedecision")
        if f"{place} {kind}" in session.by_rollout
    }
    # gnubg has no heading above the filters of the analysis
    return strength_lines(strength, rolled, *([""] if place == "analysis" else []))


def show_rollout(session: Session) -> None:
    session.say("\n".join(rollout_lines(session.rollout)))


def show_analysis(session: Session) -> None:
    limits = session.analysis.limits
    _say_settings(session, ANALYSED)
    for name, wanted in zip(session.names, session.analysed_players, strict=True):
        answer = "yes" if wanted else "no"
        session.say(f"Analyse {name}'s chequerplay and cube decisions: {answer}")
    session.say(
        f"\nAnalysis thresholds:\n"
        f"  -{limits.doubtful:.3f} doubtful\n  -{limits.bad:.3f} bad\n"
        f"  -{limits.verybad:.3f} very bad\n\n"
        f"  +{limits.verylucky:.3f} very lucky\n  +{limits.lucky:.3f} lucky\n"
        f"  -{limits.unlucky:.3f} unlucky\n  -{limits.veryunlucky:.3f} very unlucky\n\n"
        "Analysis will be performed with the following evaluation parameters:"
    )
    session.say("\n".join(_decision_lines(session, session.analyst, "analysis")))
    session.say("    Luck analysis:")
    session.say("\n".join(setting_lines(session.luck)))


def _say_settings(session: Session, settings: Iterable[Setting]) -> None:
    for setting in settings:
        session.say(setting.sentence(session))


def show_autosave(session: Session) -> None:
    wanted = session.autosave
    session.say(f"Auto save every {wanted.minutes} minutes")
    for what, on in (("rollouts", wanted.rollout), ("analysis", wanted.analysis)):
        session.say(f"Match will {'' if on else 'not '}be autosaved during and after {what}")


def show_display(session: Session) -> None:
    will = "will" if session.display else "will not"
    session.say(f"GNU Backgammon {will} display boards for computer moves.")


def show_automatic(session: Session) -> None:
    """``show automatic``: each setting on a line, as gnubg lays them out."""
    for setting in AUTOMATIC:
        value = setting.place.get(session)
        shown = str(value) if setting.words.endswith("doubles") else ("Off", "On")[value]
        name, what = setting.words.split()[1], f"({setting.help}):"
        session.say(f"{name:<8}\t{what:<47}\t{shown}")


def show_confirm(session: Session) -> None:
    session.say("GNU Backgammon will ask for confirmation.")
    for setting in CONFIRM[1:]:
        session.say(f"GNU Backgammon w{setting.sentence(session)[1:]}")


def show_output(session: Session) -> None:
    output = session.output
    kind = "MWC (match winning chance)" if output.mwc else "EMG (normalized money game equity)"
    percent, chance = "percentages", "probabilities"
    session.say(f"Match winning chances will be shown as {percent if output.matchpc else chance}.")
    session.say(f"Match equities shown in {kind} (match play only).")
    session.say(f"Game winning chances will be shown as {percent if output.winpc else chance}.")
    session.say(f"Boards will be shown in {'raw format' if output.rawboard else 'ASCII'}.")


def show_tutor(session: Session) -> None:
    tutor = session.tutor
    skill = tutor.skill.replace("very", "very ")
    for wanted, what in ((tutor.chequer, "chequer moves"), (tutor.cube, "cube decisions")):
        if tutor.mode and wanted:
            session.say(f"Warnings are given for '{skill}' or worse {what}.")
        else:
            session.say(f"No warnings are given for {what}.")


def show_cubeefficiency(session: Session) -> None:
    value = session.efficiency
    session.say("Parameters for cube evaluations:")
    for what, x in (
        ("crashed", value.crashed), ("contact", value.contact),
        ("one sided bearoff", value.one_sided),
    ):  # fmt: skip
        session.say(f"Cube efficiency for {what} positions : {x:.4f}")
    session.say(
        f"Cube efficiency for race: x = pips * {value.race_per_pip:.5f} + {value.race_base:.5f}\n"
        f"(min value {value.race_least:.4f}, max value {value.race_most:.4f})"
    )
    groups = learned_groups(value)
    if groups:
        session.say(f"Learned curves are used instead for: {', '.join(groups)}")
    classes = ", ".join(c.name.lower() for c in reversed(learned_classes(value)))
    if classes:
        session.say(f"Cube decisions up to 1 ply ask a net for: {classes}")


def show_aliases(session: Session) -> None:
    aliases = session.known_as.aliases
    session.say(f'Aliases for player 1 when importing MAT files is set to "{aliases}".')


def show_prompt(session: Session) -> None:
    session.say(f"The prompt is set to `{session.prompt}'.")


COMMANDS = (
    *(setting.show_command() for setting in SETTINGS if setting.shows),
    Command("show aliases", "Player 1's names in files of others", show_aliases),
    Command("show autosave", "When the match is written by itself", show_autosave),
    Command("show display", "Whether the computer's boards are shown", show_display),
    Command("show cheat", "Whether dice are manipulated",
            lambda s: s.say("Manipulation with dice is disabled.")),
    Command("show cubeefficiency", "How near the cube is to fully live", show_cubeefficiency),
    Command("show tutor", "Whether bad plays are warned of", show_tutor),
    Command("show lang", "The language",
            lambda s: s.say("Your language preference is set to system.")),
    Command("show analysis", "How analysis is done", show_analysis),
    Command("show automatic", "What is done without being asked for", show_automatic),
    Command("show confirm", "When is asked first", show_confirm),
    Command("show evaluation", "How `eval' and `hint' value positions", show_evaluation),
    Command("show output", "How results are printed", show_output),
    Command("show player", "Who plays, and how well", show_player),
    Command("show prompt", "The prompt", show_prompt),
    Command("show rollout", "How rollouts are done", show_rollout),
)  # fmt: skip
