"""The claims of one entity beside a text. This is their order in the block, in hover, in `entity`
and behind `top_claim_id`.
"""

from __future__ import annotations

from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.constants import BARE_WEIGHT
from vouch_sidecar.retrieval.evidence.text_kinds import asks_only_about
from vouch_sidecar.retrieval.evidence.word_weights import WeighedWords, asked_by
from vouch_sidecar.retrieval.statements.answers import Answer, judge
from vouch_sidecar.retrieval.statements.candidates import claims_of
from vouch_sidecar.retrieval.view import View


def claims_about(view: View, entity: Entity, text: str) -> list[Answer]:
    """The claims of an entity that fit a text, likeliest first, of equal ones the best by worth; at
    most `MAX_NEAREST`.
    """

    def find() -> list[Answer]:
        asked = _asked_without_names(view, entity, text)
        candidates = claims_of(view, entity.id, asked)
        return sorted(
            judge(view, asked, {entity.id: 1.0}, candidates), key=lambda answer: answer.order
        )

    return view.cached(f"claims about {entity.id}", text, find)


def answers_about(view: View, entity: Entity, text: str) -> list[Answer]:
    """The claims of an entity that fit a text, each sentence once."""
    first: dict[str, Answer] = {}
    for answer in claims_about(view, entity, text):
        if isinstance(answer.artifact, Claim):
            first.setdefault(view.texts.shown(answer.artifact).sentence_key, answer)
    return list(first.values())


def asked_about(view: View, entity: Entity, text: str) -> list[Answer]:
    """Those of `answers_about` that lack nothing of weight that a text asks for beside its names.
    There is none where the text asks for something that no claim of the entity holds.
    """
    asked, about = _asked_without_names(view, entity, text), answers_about(view, entity, text)
    held_by_none = frozenset(asked.weights).intersection(*(answer.lacks for answer in about))
    if held_by_none and not asks_only_about(text, asked.names):
        return []
    return [answer for answer in about if asked.weight_of(answer.lacks, ()) < BARE_WEIGHT]


def best_claim_id(view: View, entity: Entity, text: str) -> str | None:
    """The id of the entity's claim that fits a text best."""
    return next((answer.artifact.id for answer in claims_about(view, entity, text)), None)


def asks_for_all(view: View, entity: Entity, text: str) -> bool:
    """Whether a text asks for nothing in particular beside names, that of this entity among
    them.
    """
    asked = _asked_without_names(view, entity, text)
    return asked.total_weight < BARE_WEIGHT or asks_only_about(text, asked.names)


def asks_in_so_many_words(view: View, entity: Entity, text: str) -> bool:
    """Whether a text is nothing but names, that of this entity among them, or explicitly asks for
    everything about them.
    """
    return asks_only_about(text, _asked_without_names(view, entity, text).names)


def _asked_without_names(view: View, entity: Entity, text: str) -> WeighedWords:
    """The words of a text without its names; the name of the entity is removed also if it is a
    topic.
    """
    own = {entity.id} if view.names.is_topic(entity.id) else set()
    return asked_by(view, text, view.names.places_of(text, _named_in(view, text) | own))


def _named_in(view: View, text: str) -> set[str]:
    """The entities that a text names unambiguously. Their names do not distinguish between their
    claims.
    """
    return {mention.entity_id for mention in view.names.mentions(text) if not mention.ambiguous}
