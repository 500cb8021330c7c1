"""Ids and titles that are made of the text of a claim that nobody may see are in no document, and
what bears them is told again once the claim is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from vouch_sidecar.index.builder import knowledge_of
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import in_memory
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Evidence,
    Kind,
    Page,
    Relation,
    Scope,
    Source,
    key_of,
)
from vouch_sidecar.retrieval.lookup import successors
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View

from tests.index.worlds import disk_of
from tests.retrieval.samples import PRIVATE, claim, entity

OLD = claim("tokens-live-for-ninety-minutes", "Tokens live for ninety minutes.", evidence=("e",))
NEW = replace(
    claim("tokens-live-for-an-hour", "Tokens live for an hour."),
    supersedes=(OLD.id,),
    contradicts=(OLD.id,),
)
TITLED = Page("tokens", "pages/tokens.md", "Why tokens live for ninety minutes", claims=(OLD.id,))
CALLED = Page(
    "why-tokens-live-for-ninety-minutes", "pages/why-tokens-live-for-ninety-minutes.md", "Why"
)
EDGE = f"{NEW.id}--supersedes--{OLD.id}"
RELATION = Relation(EDGE, f"relations/{EDGE}.yaml", NEW.id, "supersedes", OLD.id)
DESCRIBED = replace(
    entity("lease", "Lease"), description="A lease. Tokens live for ninety minutes.", page=CALLED.id
)
QUOTE = Evidence("ev-quote", "evidence/ev-quote.yaml", "ab" * 32, "p1", OLD.text)
PLACE = Evidence("ev-place", "evidence/ev-place.yaml", "ab" * 32, f"below {OLD.text}", "No.")
QUOTING = claim("tokens-are-short", "Tokens are short.", evidence=(QUOTE.id, PLACE.id))
SOURCE = Source("ab" * 32, f"sources/{'ab' * 32}/meta.yaml", "tokens.md")
SAYING = (DESCRIBED, QUOTE, PLACE, QUOTING, SOURCE)
ANYBODY = Viewer()


class World:
    """Files, and what is known of them, change by change."""

    def __init__(self, *artifacts: Artifact) -> None:
        self.files = {key_of(artifact): artifact for artifact in artifacts}
        self.known = knowledge_of(artifacts, disk_of(artifacts))

    def take(self, artifact: Artifact) -> None:
        self.files[key_of(artifact)] = artifact
        disk = disk_of(self.files.values())
        self.known = after(self.known, Change((artifact,), frozenset()), disk)

    def restart(self) -> None:
        names = self.known.pseudonyms
        self.known = Knowledge(in_memory(self.known.documents()), pseudonyms=names)

    def said(self, viewer: Viewer = ANYBODY) -> set[str]:
        """What a viewer is shown of the entity and of the evidence that holds the old text."""
        view = View("kb", self.known, viewer.gates)
        lease = self.known.entity(DESCRIBED.id)
        assert lease is not None
        texts = {view.visible.description(lease)}
        for one in (QUOTE, PLACE):
            shown = view.visible.artifact(key_of(one))
            assert isinstance(shown, Evidence)
            texts |= {shown.quote, shown.locator}
        return {text for text in texts if text is not None and "ninety" in text}

    def shown(self, viewer: Viewer = ANYBODY) -> set[str]:
        """Ids of the pages and relations that a viewer is told of."""
        view = View("kb", self.known, viewer.gates)
        every = (key for key in self.files if key[0] in (Kind.PAGE, Kind.RELATION))
        return {key[1] for key in every if view.visible.artifact(key) is not None}


def kept(known: Knowledge) -> str:
    """All that the documents of a generation hold."""

    def values() -> Iterator[str]:
        for document in known.documents():
            for several in document.to_dict().values():
                yield from (v.decode() if isinstance(v, bytes) else str(v) for v in several)

    return "\n".join(values()).lower()


@pytest.fixture(params=["at once", "later", "after a restart"])
def world(request: pytest.FixtureRequest) -> World:
    """The old claim is retired."""
    retired = replace(OLD, status="superseded", superseded_by=NEW.id)
    others = (NEW, TITLED, CALLED, RELATION, entity("tokens", "Tokens"), *SAYING)
    if request.param == "at once":
        return World(*others, retired)
    made = World(*others, OLD)
    assert made.shown() == {TITLED.id, CALLED.id, RELATION.id}
    made.take(retired)
    if request.param == "after a restart":
        made.restart()
    return made


def test_no_document_holds_the_words_of_a_retired_claim(world: World) -> None:
    assert world.shown() == set()
    assert "hour" in kept(world.known)
    assert "ninety" not in kept(world.known)


def test_what_is_told_again_brings_back_what_bears_it(world: World) -> None:
    world.take(OLD)
    assert world.shown() == {TITLED.id, CALLED.id, RELATION.id}


def test_a_long_text_may_be_retired(world: World) -> None:
    """It was once looked for by a pattern, which tantivy refuses beyond a thousand states."""
    words = "Tokens live for ninety minutes and " + "are renewed by whoever holds them then " * 5
    world.take(replace(OLD, status="superseded", text=f"{words}🙂."))
    assert world.shown() == {TITLED.id, CALLED.id}, "no title holds all of it"


def test_another_text_of_a_retired_claim_brings_back_the_titles(world: World) -> None:
    world.take(replace(OLD, status="superseded", text="Nothing of that kind was decided."))
    assert world.shown() == {TITLED.id, CALLED.id}


def found(world: World, viewer: Viewer) -> set[str]:
    """Ids of the entities that are found by the old text."""
    view = View("kb", world.known, viewer.gates)
    return {hit.artifact.id for hit in search([view], "ninety minutes", [Kind.ENTITY], 9)}


def test_descriptions_and_quotes_that_hold_it_are_silent_until_it_is_told_again(
    world: World,
) -> None:
    assert world.said() == set()
    assert found(world, ANYBODY) == set()
    world.take(OLD)
    assert world.said() == {DESCRIBED.description, QUOTE.quote, PLACE.locator}
    assert found(world, ANYBODY) == {DESCRIBED.id}


def test_descriptions_and_quotes_that_hold_what_is_private_are_its_viewers(world: World) -> None:
    ada = Viewer(agent="ada")
    world.take(replace(OLD, scope=Scope("private", agent="ada")))
    for _ in range(2):
        assert world.said() == set()
        assert world.said(ada) == {DESCRIBED.description, QUOTE.quote, PLACE.locator}
        assert found(world, ANYBODY) == set()
        assert found(world, ada) == set()
        world.restart()
    world.take(replace(OLD, status="redacted", scope=Scope("private", agent="ada")))
    assert world.said(ada) == set()
    assert "ninety" not in kept(world.known)


def test_an_entity_keeps_its_page(world: World) -> None:
    lease = (Kind.ENTITY, DESCRIBED.id)
    assert View("kb", world.known, ANYBODY.gates).visible.pages_about(lease) == []
    world.take(OLD)
    (own,) = View("kb", world.known, ANYBODY.gates).visible.pages_about(lease)
    assert own.id == CALLED.id


@pytest.mark.parametrize("text", ["鍵庫は基盤", "鍵 庫は 基盤", "鍵 庫 は 基 盤", "ก ข ค ง"])
@pytest.mark.parametrize(
    "said", ["auth 鍵庫は基盤 ก ข ค ง", "北鍵 庫は基 盤南 กข คง", "鍵 庫 は 基 盤 กขคง"]
)
def test_a_script_without_spaces_is_withheld_later_as_at_once(text: str, said: str) -> None:
    """However spaces part the characters, there and here."""
    lease = replace(DESCRIBED, description=said)
    titled = replace(TITLED, title=said)
    secret = replace(OLD, text=text, scope=PRIVATE)
    told = World(lease, titled, NEW, OLD)
    assert told.shown() == {TITLED.id}
    for one in (World(lease, titled, NEW, secret), told):
        if one is told:
            one.take(secret)
        view = View("kb", one.known, ANYBODY.gates)
        entity_shown = one.known.entity(lease.id)
        assert entity_shown is not None
        assert view.visible.description(entity_shown) is None
        assert one.shown() == set()


def test_a_claim_that_is_private_keeps_the_titles_for_its_viewer(world: World) -> None:
    world.take(replace(OLD, scope=Scope("private", agent="ada")))
    assert world.shown() == set()
    assert world.shown(Viewer(agent="ada")) == {TITLED.id, CALLED.id, RELATION.id}
    world.restart()
    world.take(replace(OLD, status="redacted", scope=Scope("private", agent="ada")))
    assert world.shown(Viewer(agent="ada")) == set()


def test_a_page_that_is_silent_in_part_keeps_the_gate_of_its_title(world: World) -> None:
    secret = Scope("private", agent="ada")
    world.take(replace(OLD, scope=secret))
    other = claim("door", "The back door is always open.", evidence=("e",))
    body = "Tokens matter.\n\nThe back door is always open. Nobody minds.\n"
    world.take(replace(TITLED, body=body))
    for status in ("redacted", "working"):
        world.take(replace(other, status=status))
        assert TITLED.id not in world.shown()
        assert TITLED.id in world.shown(Viewer(agent="ada"))


def test_the_claim_that_counts_is_found_over_several_retired_ones(world: World) -> None:
    newest = replace(claim("tokens-end-at-noon", "Tokens end at noon."), supersedes=(NEW.id,))
    world.take(replace(NEW, status="superseded", superseded_by=newest.id))
    world.take(newest)
    assert successors(View("kb", world.known, ANYBODY.gates), OLD.id) == [newest.id]
    world.restart()
    assert successors(View("kb", world.known, ANYBODY.gates), OLD.id) == [newest.id]


def test_other_knowledge_bases_have_other_pseudonyms() -> None:
    first, second = (knowledge_of([NEW]).documents() for _ in range(2))
    assert [row["refers"] for row in first] != [row["refers"] for row in second]


def test_a_quote_without_its_bytes_is_silent_while_its_source_is_closed() -> None:
    quote = Evidence("ev-loose", "evidence/ev-loose.yaml", SOURCE.id, "p2", "The gate is blue.")
    secret = claim("gates-are-hers", "Gates.", evidence=(SOURCE.id,), scope=PRIVATE)
    citing = claim("blue-gate", "Blue.", evidence=(quote.id,))
    world = World(SOURCE, quote, citing, secret)
    fresh = World(SOURCE, quote, citing)
    for closed in (secret, replace(secret, status="redacted"), replace(secret, status="archived")):
        fresh.take(closed)
        for known in (world.known, fresh.known):
            view = View("kb", known, ANYBODY.gates)
            shown = view.visible.artifact(key_of(quote))
            assert isinstance(shown, Evidence)
            assert shown.quote is None
        world.take(closed)
    world.take(replace(secret, scope=Scope()))
    shown = View("kb", world.known, ANYBODY.gates).visible.artifact(key_of(quote))
    assert isinstance(shown, Evidence)
    assert shown.quote == quote.quote


def test_what_says_less_now_lacks_nothing() -> None:
    """Its file says what the index had kept of it."""
    secret = replace(OLD, status="redacted")
    asked = replace(SOURCE, type="message", question=OLD.text)
    world = World(asked, NEW, secret)
    assert world.known.closed(SOURCE.id)
    world.take(replace(asked, question=None))
    assert world.known.closed(SOURCE.id) == []
