"""Decides which signatures of commits (a name and an address) belong to one person: those with the
same address, and those with the same full name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from vouch_sidecar.workspace.names_in_text import digest

Signature = tuple[str, str]
"""A name and an address."""
_NUMBERED = "users.noreply.github.com"
"""The domain in which a number and `+` may stand before a user."""
_NOBODYS = re.compile(r"(?:no-?reply|root|nobody|none|unknown)@")
"""Addresses that several people share."""


def persons(signatures: Iterable[Signature]) -> Mapping[Signature, str]:
    """For each signature, a digest that is equal for signatures of the same person."""
    keys = {signature: list(_keys(*signature)) for signature in sorted(set(signatures))}
    above = {key: key for some in keys.values() for key in some}

    def first(key: str) -> str:
        while above[key] != key:
            above[key] = key = above[above[key]]
        return key

    for one, *others in keys.values():
        for other in others:
            above[first(other)] = first(one)
    return {signature: hex(digest(first(some[0]))) for signature, some in keys.items()}


def _keys(name: str, address: str) -> Iterator[str]:
    """What only one person's signatures have in common."""
    name, address = name.casefold(), _address(address)
    if address:
        yield f"@{address}"
    if " " in name or not address:
        yield name


def _address(text: str) -> str:
    """An address to compare by; "" for one that is not a person's."""
    local, _, domain = text.casefold().rpartition("@")
    if domain == _NUMBERED:
        local = local.rpartition("+")[2]
    is_persons = local and "." in domain and not _NOBODYS.match(f"{local}@")
    return f"{local}@{domain}" if is_persons else ""
