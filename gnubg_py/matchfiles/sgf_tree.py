"""The syntax of Smart Game Format: collections of games, games of nodes, nodes of properties.

The format is described at https://www.red-bean.com/sgf/. A property has several values in brackets;
a backslash escapes the character after it. Only the first branch of a tree is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_NODES = 100_000
DEEPEST = 200
_NEXT = re.compile(r"[();\[]|[A-Za-z]+")
_VALUE_END = re.compile(r"\\|\]")


@dataclass
class Node:
    """A node: each property's values, in the file's order, and the line that it begins in."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str, otherwise: str = "") -> str:
        """The first value of a property."""
        return self.values.get(name, [otherwise])[0]


def read_trees(text: str) -> tuple[list[list[Node]], list[str]]:
    """The main line of each game in an SGF text, and a warning for each thing that is wrong."""
    games: list[list[Node]] = []
    warnings: list[str] = []
    state = _State(text)
    before, has_warned = ")", False
    while (token := state.next_token()) is not None:
        if before == ")" and token not in ("(", ")") and not has_warned:
            warnings.append(f"something outside of a game (line {state.line})")
            has_warned = True
        before = token
        if token == "(":
            state.depth += 1
            if state.depth == 1:
                games.append([])
                state.ended_at = None
            elif state.depth > DEEPEST:
                warnings.append(f"branches more than {DEEPEST} deep (line {state.line})")
                break
        elif token == ")":
            # Once a branch has ended, the other branches of its node are variations.
            state.ended_at = state.depth if state.ended_at is None else state.ended_at
            state.depth = max(0, state.depth - 1)
        elif token == ";" and games and state.depth and state.ended_at is None:
            if sum(map(len, games)) >= MOST_NODES:
                warnings.append(f"more than {MOST_NODES} nodes (line {state.line})")
                break
            games[-1].append(Node(state.line))
        elif token == "[" or token.isalpha():
            _property(state, token, games, warnings)
    if state.depth and not warnings:
        warnings.append("The file ends in the middle of a game")
    return [game for game in games if game], warnings


@dataclass
class _State:
    """The place of the reader in the text."""

    text: str
    place: int = 0
    depth: int = 0
    ended_at: int | None = None
    line: int = 1

    def next_token(self) -> str | None:
        found = _NEXT.search(self.text, self.place)
        if found is None:
            return None
        self.line += self.text.count("\n", self.place, found.end())
        self.place = found.end()
        return found[0]

    def value(self) -> str | None:
        """The value whose opening bracket was read; ``None`` if it does not end."""
        parts = []
        start = self.place
        while (found := _VALUE_END.search(self.text, self.place)) is not None:
            parts.append(self.text[self.place : found.start()])
            self.place = found.end()
            if found[0] == "]":
                self.line += self.text.count("\n", start, self.place)
                return "".join(parts)
            parts.append(self.text[self.place : self.place + 1])
            self.place += 1
        return None


def _property(state: _State, token: str, games: list[list[Node]], warnings: list[str]) -> None:
    name = "" if token == "[" else "".join(c for c in token if c.isupper())
    values: list[str] = []
    if token == "[":
        state.place -= 1
    while re.compile(r"\s*\[").match(state.text, state.place):
        line = state.line
        state.next_token()
        value = state.value()
        if value is None:
            warnings.append(f"a value without its closing bracket (line {line})")
            state.place = len(state.text)
            break
        values.append(value)
    if not values or not name:
        warnings.append(f"a property without its name or its value (line {state.line})")
    elif games and games[-1] and state.ended_at is None:
        games[-1][-1].values.setdefault(name, []).extend(values)


def write_tree(nodes: Sequence[Sequence[tuple[str, Sequence[str]]]]) -> str:
    """A game as SGF: each node a list of property names with their values.

    >>> write_tree([[("GM", ["6"])], [("C", ["a ] b"])]])
    '(;GM[6]\\n;C[a \\\\] b])\\n'
    """
    lines = ["".join(f"{name}{_values(values)}" for name, values in node) for node in nodes]
    return "(" + "\n".join(f";{line}" for line in lines) + ")\n"


def _values(values: Sequence[str]) -> str:
    return "".join("[" + v.replace("\\", "\\\\").replace("]", "\\]") + "]" for v in values)
