"""Adds one member to a JSON text and takes it out again, without touching any other byte.

To give the text from before, `drop` tries which text becomes the present one by `add`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from vouch_sidecar.surfaces.install.errors import ConflictError, MalformedError
from vouch_sidecar.surfaces.install.jsonc import Member, Node, parse

__all__ = ["add", "drop"]

Keys = Sequence[str]
Known = Callable[[Any], bool]
"""Whether a value was written by this program, in whatever version."""
UNIT = "  "


def _unknown(_: Any) -> bool:
    return False


def add(text: str, keys: Keys, value: Any, known: Known = _unknown) -> str:
    """The text with `value` under `keys`; missing objects on the way are added. A value that stands
    there is replaced if it is `known`. Raises `ConflictError` and `MalformedError`.
    """
    node = _root(text)
    for depth, key in enumerate(keys):
        member = _only(node, key)
        rest = keys[depth + 1 :]
        if member is None:
            changed = _insert(text, node, key, rest, value)
            break
        if not rest:
            if member.node.value == value:
                return text
            if not known(member.node.value):
                raise ConflictError(f"has another {'.'.join(keys)} (see --force)")
            changed = _swap(text, member, value)
            break
        node = _object(member, keys[: depth + 1])
    _check(changed, _with(parse(text).value, keys, value))
    return changed


def drop(text: str, keys: Keys, value: Any, known: Known = _unknown) -> str:
    """The text as it was before `add`; where it has changed since, the text without that member.

    The same text when the member is not there. Raises `ConflictError` when it has another value
    that is not known either.
    """
    path: list[tuple[Node, Member]] = []
    node = _root(text)
    for depth, key in enumerate(keys):
        member = _only(node, key)
        if member is None:
            return text
        path.append((node, member))
        if depth + 1 < len(keys):
            node = _object(member, keys[: depth + 1])
    found = path[-1][1].node.value
    if found != value and not known(found):
        raise ConflictError(f"has another {'.'.join(keys)} (see --force)")
    for candidate in _originals(text, path):
        with suppress(ConflictError, MalformedError):
            if add(candidate, keys, found) == text:
                return candidate
    dropped = _cut(text, *path[-1])
    _check(dropped, _without(parse(text).value, keys))
    return dropped


def _root(text: str) -> Node:
    node = parse(text)
    if not node.is_object:
        raise MalformedError("is not a JSON object")
    return node


def _only(node: Node, key: str) -> Member | None:
    found = node.named(key)
    if len(found) > 1:
        raise ConflictError(f"has {key} twice")
    return found[0] if found else None


def _object(member: Member, keys: Keys) -> Node:
    if not member.node.is_object:
        raise ConflictError(f"has a {'.'.join(keys)} that is no object")
    return member.node


def _check(text: str, expected: object) -> None:
    if parse(text).value != expected:
        raise MalformedError("can't be changed safely")


def _with(value: Any, keys: Keys, added: Any) -> Any:
    if not keys:
        return added
    below = _with(value.get(keys[0], {}), keys[1:], added)
    return {**value, keys[0]: below}


def _without(value: Any, keys: Keys) -> Any:
    rest = {key: below for key, below in value.items() if key != keys[0]}
    return rest if len(keys) == 1 else {**value, keys[0]: _without(value[keys[0]], keys[1:])}


def _insert(text: str, node: Node, key: str, rest: Keys, value: Any) -> str:
    """The text with a new last member. Objects on one line, or with nothing in them, stay flat."""
    inside = text[node.start + 1 : node.end - 1]
    trailing = bool(node.members) and node.members[-1].comma is not None
    if "\n" not in inside or not inside.strip():
        written = ("" if node.last == node.start + 1 else " ") + _flat(key, rest, value)
    else:
        newline = "\r\n" if "\r\n" in text else "\n"
        written = newline + _tall(key, rest, value, _indent(text, node), _unit(text), newline)
    added = text[: node.last] + written + ("," if trailing else "") + text[node.last :]
    if node.members and not trailing:
        end = node.members[-1].node.end
        added = added[:end] + "," + added[end:]
    return added


def _swap(text: str, member: Member, value: Any) -> str:
    """The text with another value of a member, on one line or on several as before."""
    before = text[member.node.start : member.node.end]
    after = json.dumps(value)
    if "\n" in before:
        newline = "\r\n" if "\r\n" in before else "\n"
        indent = _line_start(text, member.start) or ""
        after = (newline + indent).join(json.dumps(value, indent=_unit(text)).split("\n"))
    return text[: member.node.start] + after + text[member.node.end :]


def _flat(key: str, rest: Keys, value: Any) -> str:
    """A member on one line; the objects that are made for it have spaces inside."""
    if not rest:
        return f"{json.dumps(key)}: {json.dumps(value)}"
    return f"{json.dumps(key)}: {{ {_flat(rest[0], rest[1:], value)} }}"


def _tall(key: str, rest: Keys, value: Any, indent: str, unit: str, newline: str) -> str:
    for name in reversed(rest):
        value = {name: value}
    lines = json.dumps(value, indent=unit).split("\n")
    return f"{indent}{json.dumps(key)}: " + (newline + indent).join(lines)


def _indent(text: str, node: Node) -> str:
    """What the members of an object are indented by."""
    if node.members:
        own = _line_start(text, node.members[-1].start)
        if own is not None:
            return own
    return (_line_start(text, node.end - 1) or "") + _unit(text)


def _unit(text: str) -> str:
    """What one level is indented by: as far as the first member of the outermost object is."""
    members = parse(text).members
    return (_line_start(text, members[0].start) if members else None) or UNIT


def _line_start(text: str, at: int) -> str | None:
    """The white space from the start of the line up to a place; None when there is more."""
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    return before if start and not before.strip(" \t") else None


def _originals(text: str, path: list[tuple[Node, Member]]) -> Iterator[str]:
    """Texts that may have been there before: without the innermost member, then also without each
    object that held nothing else.
    """
    for node, member in reversed(path):
        yield _cut(text, node, member)
        if len(node.members) > 1:
            return


def _cut(text: str, node: Node, member: Member) -> str:
    """The text without a member and without one of the commas beside it."""
    at = node.members.index(member)
    previous = node.members[at - 1] if at else None
    end = member.node.end if member.comma is None else member.comma + 1
    cut = text[: member.before] + text[end:]
    if member.comma is None and previous is not None and previous.comma is not None:
        cut = cut[: previous.comma] + cut[previous.comma + 1 :]
    return cut
