"""Weighs mentions: how strongly each says that its entity is meant. strength = arm × specificity ×
keyness × place, each from 0 to 1. docs/how-it-decides.md explains them.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import FormKind, spelling
from vouch_sidecar.retrieval.constants import (
    ARMS,
    LISTED,
    OUTSIDE,
    PLACES,
    SPECIFICITY,
    WRITTEN_OUT,
)
from vouch_sidecar.retrieval.evidence.name_position import (
    Placing,
    content_of,
    has_signs,
    is_word,
    with_signs,
)
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import Unit, fold, units
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import COMMON, VERY_COMMON, tier

FACTORS = ("arm", "specificity", "keyness", "place")
"""The factors of the strength of a mention."""
_BY_FORM = {
    FormKind.ALIAS: "an alias",
    FormKind.VARIANT: "another form of the name",
    FormKind.SURNAME: "a surname",
    FormKind.PART: "a part of the name",
    FormKind.DERIVED: "nobody declared it",
}
"""What weakens a mention, for people, by its form, and below by its place."""
_BY_PLACE = {
    "printed": "a machine printed it, maybe another's",
    "as it is": "it may be an ordinary word",
    "word": "written as an ordinary word",
    "code": "a part of code",
    "another's": "a part of another name",
}


def weigh(view: View, text: str) -> list[Mention]:
    """The weighed mentions of a text, without those inside a longer one."""
    return view.cached("evidence", text, lambda: _weigh(view, text))


def _weigh(view: View, text: str) -> list[Mention]:
    parts = view.names.parts(text)
    topics = view.names.topic_mentions(text)
    mentions = [m for m in view.names.mentions(text) if not m.nested] + parts
    mentions += outside(topics, parts)
    placing = Placing(units(text))
    weighed = (_weighed(view, placing, mention) for mention in mentions)
    return [mention for mention in weighed if mention is not None]


def is_listed(mention: Mention) -> bool:
    """Whether a mention lists its entity."""
    return mention.strength >= least(mention)


def least(mention: Mention) -> float:
    """The least strength at which a mention lists its entity. What a machine printed is listed like
    what a person wrote.
    """
    return LISTED * PLACES["printed"] if mention.placed == "printed" else LISTED


def why(mention: Mention, threshold: float, needs: float = 0.0) -> str:
    """How a mention names its entity, in a sentence for people. Below `threshold`, from which on
    the entity is volunteered, it gives what weakens the mention most.
    """
    reasons = {
        "arm": _BY_FORM.get(mention.form, ""),
        "specificity": "the words may mean something else",
        "keyness": "most claims with the word are about something else",
        "place": _BY_PLACE.get(mention.placed, ""),
    }
    smallest = min(FACTORS, key=lambda name: float(getattr(mention, name)))
    reason = reasons[smallest] if mention.strength < threshold else ""
    said = sentence(mention.strength, reason, needs)
    return f"“{mention.matched}” names “{mention.name}”: {said}"


def sentence(value: float, reason: str = "", needs: float = 0.0) -> str:
    """A value from 0 to 1 for people: `0.21, needs 0.40: only “rounding” in common`. `needs` is the
    least value at which there would have been a result.
    """
    short = value < needs
    digits = 3 if short and f"{value:.2f}" == f"{needs:.2f}" else 2
    limit = f", needs {needs:.{digits}f}" if short else ""
    return f"{value:.{digits}f}{limit}" + (f": {reason}" if reason else "")


def _weighed(view: View, placing: Placing, mention: Mention) -> Mention | None:
    """A mention with its factors; None if it lacks signs of the name: 14089 is not #14089."""
    written = placing.text[mention.start : mention.end]
    is_part = mention.form is FormKind.PART
    matched = written if is_part else with_signs(placing.text, mention)
    if matched is None:
        return None
    form = mention.form
    if form is FormKind.VARIANT and fold(matched) == fold(mention.name.strip()):
        form = FormKind.NAME  # with its signs it is the name itself
    mention = mention._replace(matched=matched, form=form, arm=ARMS[form])
    entity = view.visible.entity(mention.entity_id)
    is_person = entity is not None and entity.type == "person"
    inside = placing.units_in(mention.start, mention.end)
    is_signed = not is_part and has_signs(mention.name)
    is_settled = is_signed or not is_word(inside) or spelling(written) in view.always
    content = content_of(inside)
    common = 0 if is_settled else _tier(mention, content)
    place = placing.place(mention, is_person, common)
    specificity = 1.0 if place == "alone" and not is_part else SPECIFICITY[common]
    mention = mention._replace(specificity=specificity, place=PLACES[place], placed=place)
    if is_settled or place == "alone" or not content or not is_listed(mention):
        return mention
    in_small_letters = mention.name.islower() or written.islower()
    least = WRITTEN_OUT if place in ("name", "printed") and not in_small_letters else 0.0
    return mention._replace(keyness=max(_keyness(view, mention, content[0].folded), least))


def _keyness(view: View, mention: Mention, word: str) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    own = view.search.claim_count(mention.entity_id)
    using = max([own, *(view.search.frequency(term, Kind.CLAIM) for term in terms(word)[:1])])
    return round((own + 1) / (own + 1 + (using - own) / OUTSIDE), 2)


def _tier(mention: Mention, content: Sequence[Unit]) -> int:
    """How common a word is in English; numbers count as very common, two letters as common."""
    if not content or content[0].folded.isdigit():
        return VERY_COMMON
    word = content[0].folded
    return tier(word) or (COMMON if min(len(word), len(mention.name)) < 3 else 0)
