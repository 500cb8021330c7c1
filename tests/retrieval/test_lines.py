"""What a line of a block says, and what gives way where it is too long."""

from dataclasses import replace

import pytest
import regex
from vouch_sidecar.kb.records import OPEN_SCOPE, Claim, Entity, Page
from vouch_sidecar.kb.settings_model import Recall, Settings
from vouch_sidecar.retrieval.blocks.block import render
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import PRIVATE, claim, entity, evidence, page, source, view

COURIER = view(collection="courier")
LONG = "v" * 80
"""A phrase with which no line fits a block that is small."""


def a_hit(artifact: Claim | Page | Entity, phrase: str = "vault", seen: View = COURIER) -> Line:
    return Line(replace(seen), artifact, phrase, 0.9, "name", "e")  # a question of its own


def block(*found: Line, max_chars: int = 1000, facts: bool = True) -> str:
    shown = Settings(recall=Recall(include_key_facts=facts))
    hits = [replace(hit, view=replace(hit.view, settings=shown)) for hit in found]
    return render(hits, "courier", max_chars)[0]


def test_a_line_gives_phrase_similarity_claim_text_and_facts() -> None:
    fields = {"confidence": 0.5, "updated_at": 0.0, "evidence": ("s", "s")}
    told = claim("keys", "Keys rotate.", status="stable", **fields)
    assert block(a_hit(told)).split("\n")[1:-1] == [
        "PRIMARY courier",
        "- “vault” 0.9 keys: Keys rotate. [stable, confidence 0.5, 0 sources, 1970-01-01]",
    ]
    assert "[" not in block(a_hit(told), facts=False)
    assert " 0.9 keys (contested): " in block(a_hit(replace(told, status="contested")))
    alone = replace(told, auto_approved=True)
    assert "unreviewed" not in block(a_hit(alone)), "approved by the only person there is"
    passage = replace(alone, evidence=("quote",))
    quote = replace(evidence("quote", "s"), byte_start=0, byte_end=3)
    there = view(passage, source("s", "Notes", OPEN_SCOPE), quote)
    assert "keys (unreviewed): Keys rotate. [stable," in block(a_hit(passage, seen=there))
    empty = view(passage, source("s", "Notes", OPEN_SCOPE), replace(quote, byte_end=0))
    assert "keys (unreviewed): " in block(a_hit(passage, seen=empty))
    assert "unreviewed" not in block(a_hit(replace(passage, last_confirmed_at=1.0), seen=there))
    assert "- “vault” 0.9 page pages/b.md: A page\n" in block(a_hit(page("b")))
    asked = replace(a_hit(entity("kv", "Key Vault", description="Keeps keys.")), people="Mei")
    assert "- “vault” 0.9 entity kv: Key Vault. To ask: Mei\n" in block(asked)


def test_only_sources_that_are_there_and_visible_are_counted() -> None:
    there = view(
        source("open", "Notes", OPEN_SCOPE),
        source("private", "Diary", PRIVATE),
        replace(source("s", "", OPEN_SCOPE), title=None, locator="/srv/notes.md"),
        evidence("receipt", "open"),
        evidence("of-private", "private"),
        evidence("of-gone", "gone"),
    )
    for cited, shown in {
        "open receipt gone private of-private of-gone": "confidence 0.7, 1 source: “Notes”]",
        "gone": "0 sources]",
        "s": "1 source: “notes.md”]",
    }.items():
        keys = claim("keys", "Keys rotate.", evidence=tuple(cited.split()))
        assert shown in block(a_hit(keys, seen=there))


def test_a_long_claim_is_cut_while_40_characters_of_it_fit_and_facts_give_way_to_them() -> None:
    empty, long = a_hit(claim("c", ""), LONG), a_hit(claim("c", "0123456789" * 60), LONG)
    whole = len(block(empty, facts=False))
    assert block(long, max_chars=whole + 39) == ""
    text = block(long, max_chars=whole + 40)
    assert len(text) == whole + 40
    assert ": " + ("0123456789" * 4)[:39] + "…\n" in text
    shorter = a_hit(claim("c", "ok"), LONG)  # has the room that the longer one could not use
    text = block(long, shorter, max_chars=whole + 20, facts=False)
    assert text.count("\n- ") == 1
    assert " 0.9 c: ok" in text
    whole = len(block(empty))
    for text, least in (("0123456789" * 60, 40), ("A claim in a few words.", 23)):
        told = a_hit(claim("c", text), LONG)
        assert "[working" in block(told, max_chars=whole + least)
        short = block(told, max_chars=whole + least - 1)
        assert "[working" not in short
        assert text[:40] in short


@pytest.mark.parametrize("grapheme", ["z\u0301", "🇩🇪", "👍🏽", "각", "ก็"])
def test_nothing_is_cut_within_a_grapheme(grapheme: str) -> None:
    whole = len(block(a_hit(claim("c", ""), grapheme * 100)))
    for length in range(40, 46):
        text = block(a_hit(claim("c", grapheme * 99), grapheme * 100), max_chars=whole + length)
        for part in text.split("\n")[2].split(": ", 1):
            assert {g for g in regex.findall(r"\X", part) if g[0] == grapheme[0]} == {grapheme}
