"""Weighs mentions: how strongly each says that its entity is meant. strength = arm × specificity ×
keyness × place, each from 0 to 1. docs/how-it-decides.md explains them.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import FormKind, spelling
from vouch_sidecar.retrieval.constants import (
    ARMS,
    FEW_SIGNS,
    INFLECTED,
    LISTED,
    ONE_LETTER,
    OUTSIDE,
    PLACES,
    SHARED,
    SPECIFICITY,
    STOPWORD,
    WRITTEN_OUT,
)
from vouch_sidecar.retrieval.evidence.name_position import Placing, has_signs, with_signs
from vouch_sidecar.retrieval.score import Score
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import Unit, fold, units
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import STOPWORDS, tier

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
    mentions += [topic for topic in topics if not any(map(topic.overlaps, parts))]
    placing = Placing(units(text))
    weighed = (_weighed(view, placing, mention) for mention in mentions)
    return [mention for mention in weighed if mention is not None]


def is_listed(mention: Mention) -> bool:
    """Whether a mention lists its entity."""
    return mention.strength >= least(mention)


def least(mention: Mention) -> float:
    """The least strength at which a mention lists its entity; entities that share a part of a name
    divide it among them. What a machine printed is listed like what a person wrote.
    """
    is_shared = mention.form is FormKind.PART and mention.ambiguous
    least = LISTED * SHARED if is_shared else LISTED
    return least * PLACES["printed"] if mention.placed == "printed" else least


def score_of(mention: Mention, needs: float) -> Score:
    """The strength of a mention with its factors. Its reason is what keeps it below `needs`, the
    strength from which on the entity is volunteered.
    """
    terms = {name: getattr(mention, name) for name in ("arm", "specificity", "keyness", "place")}
    reasons = {
        "arm": _BY_FORM.get(mention.form, ""),
        "specificity": "the words may mean something else",
        "keyness": "most claims with the word are about something else",
        "place": _BY_PLACE.get(mention.placed, ""),
    }
    smallest = min(terms, key=lambda name: terms[name])
    return Score(mention.strength, terms, reasons[smallest] if mention.strength < needs else "")


def _weighed(view: View, placing: Placing, mention: Mention) -> Mention | None:
    """A mention with its factors; None if it lacks signs of the name: 14089 is not #14089."""
    written = placing.text[mention.start : mention.end]
    is_part = mention.form is FormKind.PART
    matched = written if is_part else with_signs(placing.text, mention)
    if matched is None:
        return None
    if mention.form is FormKind.VARIANT and fold(matched) == fold(mention.name.strip()):
        mention = mention._replace(form=FormKind.NAME)  # with its signs it is the name itself
    mention = mention._replace(matched=matched, arm=_arm(mention, matched))
    entity = view.visible.entity(mention.entity_id)
    is_person = entity is not None and entity.type == "person"
    has_capital = mention.name != mention.name.lower()
    position = placing.place(mention, is_person, has_capital)
    if position == "alone" and not is_part:
        return mention._replace(placed="alone")
    inside = placing.units_in(mention.start, mention.end)
    content = [unit for unit in inside if unit.folded not in STOPWORDS]
    is_one_word = len(content) < 2 and not any(unit.spaceless for unit in inside)
    common = _tier(mention, inside, content)
    is_signed = not is_part and has_signs(mention.name)
    is_settled = is_signed or spelling(written) in view.words.always
    place: str = position
    if is_signed or position not in ("alone", "another's"):
        if not is_one_word or (position != "code" and (is_settled or not common)):
            place = "name"
        elif is_part and position in ("as it is", "word"):
            place = "as it is" if common == 3 else "word"
        elif common == 1 and position == "as it is":
            place = "word"
    if place == "name" and placing.is_printed(mention) and (len(inside) < 2 or " " in written):
        place = "printed"  # an identifier of several words names one thing
    specificity = 1.0 if is_settled else _specificity(inside, content, is_one_word, common)
    mention = mention._replace(specificity=specificity, place=PLACES[place], placed=place)
    if is_settled or not is_one_word or not content or not is_listed(mention):
        return mention
    shown = position == "name" and has_capital
    keyness = max(_keyness(view, mention, content[0]), WRITTEN_OUT if shown else 0.0)
    return mention._replace(keyness=keyness)


def _arm(mention: Mention, matched: str) -> float:
    if mention.form is FormKind.PART and mention.ambiguous:
        return ARMS[FormKind.PART] * SHARED
    is_form = mention.form in (FormKind.VARIANT, FormKind.DERIVED)
    if is_form and _letters(matched) != _letters(mention.name):
        return min(INFLECTED, ARMS[mention.form])
    return ARMS[mention.form]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text)))


def _tier(mention: Mention, inside: Sequence[Unit], content: Sequence[Unit]) -> int:
    """How common a word is in English, also together with a stopword beside it."""
    if not content:
        return 1
    word = content[0].folded
    is_short = min(len(word), len(mention.name)) < 3
    common = 1 if word.isdigit() else tier(word) or (2 if is_short else 0)
    is_pair = len(inside) > 1 and inside[0].folded not in ("a", "an", "the")
    return 3 if common and is_pair else common


def _specificity(
    inside: Sequence[Unit], content: Sequence[Unit], is_one_word: bool, common: int
) -> float:
    """How little else the words could mean: by their number, and how common they are in English."""
    if not is_one_word:
        return FEW_SIGNS if len(content) < 2 and len(inside) < 3 else 1.0
    if not content:
        return STOPWORD
    return ONE_LETTER if len(content[0].folded) == 1 else SPECIFICITY[common]


def _keyness(view: View, mention: Mention, word: Unit) -> float:
    """Own claims against the claims of others that use the word: (own + 1) / (own + 1 + others/10).

    After the link probability of Mihalcea and Csomai (2007), with claims for links: where most who
    use a word speak of something else, it hardly names the entity.
    """
    words = terms(word.folded)
    own = view.search.claim_count(mention.entity_id)
    using = view.search.frequency(words[0], Kind.CLAIM) if words else 0
    return round((own + 1) / (own + 1 + max(0, using - own) / OUTSIDE), 2)
