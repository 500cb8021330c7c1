"""Decides which signatures of commits (a name and an address) belong to one person: those with the
same address, and those with the same full name unless two of their addresses are in one domain,
where two people of that name would have two addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vouch_sidecar.workspace.names_in_text import digest

Signature = tuple[str, str]
"""A name and an address."""
_NUMBERED = "users.noreply.github.com"
"""The domain in which a number and `+` may stand before a user."""
_NOBODYS = re.compile(r"(?:no-?reply|root|nobody|none|unknown)@")
"""Addresses that several people share."""


def persons(signatures: Iterable[Signature]) -> Mapping[Signature, str]:
    """For each signature, a digest that is equal for signatures of the same person."""
    every = sorted(set(signatures))
    groups = _Groups()
    by_name: dict[str, list[Signature]] = {}
    by_address: dict[str, Signature] = {}
    for signature in every:
        name, address = signature[0].casefold(), _address(signature[1])
        groups.add(signature, address)
        if address:
            groups.join(by_address.setdefault(address, signature), signature)
        by_name.setdefault(name, []).append(signature)
    for name, several in by_name.items():
        roots = sorted({groups.of(author) for author in several})
        domains = [domain for root in roots for domain in groups.domains[root]]
        if " " in name and len(domains) == len(set(domains)):
            for root in roots[1:]:
                groups.join(roots[0], root)
        else:
            _join_unaddressed(groups, several)
    return {author: hex(digest("\0".join(groups.of(author)))) for author in every}


def _join_unaddressed(groups: _Groups, several: Iterable[Signature]) -> None:
    """Join signatures of one name that have no address."""
    bare = [author for author in several if not _address(author[1])]
    for signature in bare[1:]:
        groups.join(bare[0], signature)


class _Groups:
    """Signatures in groups, each with the domains of its addresses."""

    def __init__(self) -> None:
        self.domains: dict[Signature, frozenset[str]] = {}
        self._above: dict[Signature, Signature] = {}

    def add(self, signature: Signature, address: str) -> None:
        self._above[signature] = signature
        self.domains[signature] = frozenset({address.rpartition("@")[2]} if address else ())

    def of(self, signature: Signature) -> Signature:
        """The signature that stands for its group."""
        while (above := self._above[signature]) != signature:
            self._above[signature] = signature = self._above[above]
        return signature

    def join(self, signature: Signature, other: Signature) -> None:
        first, second = sorted((self.of(signature), self.of(other)))
        if first != second:
            self._above[second] = first
            self.domains[first] |= self.domains[second]


def _address(text: str) -> str:
    """An address to compare by; "" for one that is not a person's."""
    local, _, domain = text.casefold().rpartition("@")
    if domain == _NUMBERED:
        local = local.rpartition("+")[2]
    is_persons = local and "." in domain and not _NOBODYS.match(f"{local}@")
    return f"{local}@{domain}" if is_persons else ""
