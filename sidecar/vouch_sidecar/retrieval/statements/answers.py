"""How likely the claims, sections of pages and relations that hold words of a text answer it, or
constrain what it asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import fsum, log

from vouch_sidecar.kb.records import Claim, Kind, Relation, key_of
from vouch_sidecar.retrieval.constants import (
    BARE_WEIGHT,
    FEW,
    MANY,
    MAX_PHRASED,
    NAME_WORDS,
)
from vouch_sidecar.retrieval.each_once import first_of_each
from vouch_sidecar.retrieval.evidence.asked import WeighedWords, asked_by, asks_only_about
from vouch_sidecar.retrieval.files import Tied, visible_ties
from vouch_sidecar.retrieval.statements.candidates import (
    Candidate,
    Features,
    Strengths,
    candidates_for,
    claims_by_id,
    claims_of,
)
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.semantic.vectors import TextVector
from vouch_sidecar.text.content_words import Term
from vouch_sidecar.text.prompt_text import blanked, printed_lines


def answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    vector: TextVector | None = None,
) -> list[Candidate]:
    """The artifacts that may answer a text, likeliest first, each once.

    Candidates are artifacts that hold most of the text's words beside names, and artifacts about
    the entities in `entity_strengths`. A name of strength 0 is removed from the text and counts for
    nothing. With `vector`, artifacts near in meaning are candidates too, and nearness is a feature.
    """
    text = text[:MAX_PHRASED]
    key = "answers", text, tuple(sorted(entity_strengths.items())), vector is not None
    return view.once(key, lambda: _answers(view, text, entity_strengths, vector))


def _answers(
    view: View,
    text: str,
    entity_strengths: Strengths,
    vector: TextVector | None,
) -> list[Candidate]:
    judged, named = list[Candidate](), entity_strengths.keys()
    # what was typed also by itself, so that no word of a log hides what answers it
    for said in dict.fromkeys((blanked(text, printed_lines(text)), text)):
        ties = _ties(view, said)
        asked = asked_beside(view, said, entity_strengths)
        found = [
            *claims_by_id(view, ties),
            *candidates_for(view, asked, entity_strengths, vector),
        ]
        # of a sentence the first, which holds most of what is asked for
        first = first_of_each(
            sorted(found, key=lambda one: (one.kind != "worded", one.kind != "answer")),
            lambda one: (one.sentence_key or key_of(one.artifact), one.section),
        )
        judged += (
            each
            for each in judge(view, asked, entity_strengths, first, ties, vector)
            if each.words
            or (said == text and (vector is not None or not named.isdisjoint(each.entity_ids)))
        )
    return list(
        first_of_each(
            sorted(judged, key=lambda answer: answer.order),
            lambda answer: key_of(answer.artifact),
        )
    )


def _ties(view: View, text: str) -> dict[str, Tied]:
    """By claim id, the strongest ties to the files, folders, modules and identifiers that a text
    names. Reads no file but those that claims quote, so that every prompt can be asked about.
    """
    world = view.world

    def find() -> dict[str, Tied]:
        named = visible_ties(view, world.ties.named_by(world.relative(text), world.files))
        entering = (tied for tied in named if view.may_enter(tied.claim))
        return {tied.claim.id: tied for tied in islice(entering, MANY)}

    return view.once(("ties", text), find)


def asked_beside(view: View, text: str, entity_ids: Container[str]) -> WeighedWords:
    """The words of a text without the names of some entities or topics, and of files that claims
    are tied to.
    """
    text = text[:MAX_PHRASED]
    named = [*view.mentions(text), *view.topic_mentions(text)]
    spans = sorted({(each.start, each.end) for each in named if each.entity_id in entity_ids})
    if _ties(view, text):
        named_files = view.world.files_in(view.world.relative(text))
        spans += ((start, end) for start, end, _ in named_files)
    return asked_by(view, text, tuple(spans))


def asked_for(
    view: View, about: Sequence[Candidate], text: str, entity_strengths: Strengths
) -> set[str]:
    """The ids of those claims of an entity that lack nothing of weight that a text asks for beside
    its names. There is none where the text asks for something that no claim of the entity holds.
    """
    asked = asked_beside(view, text, entity_strengths)
    held_by_none = frozenset(asked.weights).intersection(*(each.lacks for each in about))
    if held_by_none and not asks_only_about(text, asked.names):
        return set()
    return {each.artifact.id for each in about if asked.weight_of(each.lacks) < BARE_WEIGHT}


def best_claim_id(view: View, entity_id: str, text: str) -> str | None:
    """The id of the entity's claim that fits a text best, of the few that hold most of it."""

    def find() -> list[str]:
        certain = {m.entity_id for m in view.mentions(text) if not m.ambiguous}
        asked = asked_beside(view, text, certain | {entity_id})
        judged = judge(view, asked, {entity_id: 1.0}, claims_of(view, entity_id, asked, FEW))
        return [each.artifact.id for each in sorted(judged, key=lambda each: each.order)]

    best = view.cached(f"best claims of {entity_id}", text, find)
    return next((each for each in best if view.may_enter(view.claim(each))), None)


def judge(
    view: View,
    asked: WeighedWords,
    entity_strengths: Strengths,
    candidates: Iterable[Candidate],
    ties: Mapping[str, Tied] = {},
    vector: TextVector | None = None,
) -> Iterator[Candidate]:
    """The candidates with their features, each by the sentence of the text that it likeliest
    answers: another sentence never takes from that. A relation counts only if the text names one
    of its ends and holds another word of it; its other end counts as a word if the text names it
    too. `ties` gives, by claim id, the ties to files that the text names, which count like exact
    words. With `vector`, nearness by meaning is a feature.
    """
    compared = [(each, asked.meant_by(each.text, frozenset(each.stems))) for each in candidates]
    groups = defaultdict[frozenset[Term], set[str]](set)
    for candidate, meant in compared:
        groups[frozenset(meant)].add(candidate.group)
    cosines = [
        None if vector is None else vector.cosine(view.identity, key_of(candidate.artifact))
        for candidate, _ in compared
    ]
    nearest, next_one, *_ = sorted([*filter(None, cosines), 0.0, 0.0], reverse=True)
    size = log(1 + view.search.total(Kind.CLAIM) + view.search.total(Kind.PAGE))

    def rivals(words: Iterable[Term]) -> int:
        """How many groups of candidates hold all of some words; what has no group is none."""
        holding = (group for meant, group in groups.items() if meant.issuperset(words))
        return len(set().union(*holding) - {""})

    for (candidate, meant), cosine in zip(compared, cosines, strict=True):
        named = [entity_strengths.get(each, 0.0) for each in candidate.entity_ids]
        strength, other_end = (*sorted(named, reverse=True), 0.0, 0.0)[:2]
        is_relation = isinstance(candidate.artifact, Relation)
        if is_relation and not (strength and meant):
            continue
        tied = ties.get(candidate.artifact.id) if isinstance(candidate.artifact, Claim) else None
        tie = tied.tie.strength if tied is not None else 0.0
        exact, lacks = asked.exactly_in(candidate.text), frozenset(asked.weights).difference(meant)
        judged = []
        for sentence in asked.best_sentences(meant):
            held = tuple(word for word in meant if word in sentence)
            missing = sorted(asked.weights[word] for word in sentence.difference(held))
            number = any(sign.isdigit() for word in exact.intersection(held) for sign in word.word)
            shared = fsum(0.5 if word.is_pair else 1.0 for word in held) + NAME_WORDS * strength
            pairs = len(asked.pairs.intersection(pairwise(candidate.stems)))
            features = Features(
                held=asked.weight_of(held) + tie + (other_end if is_relation else 0.0),
                missing=log(1 + fsum(missing[:-1])),
                rivals=0.0 if tie else log(max(1, rivals(held))),
                pairs=min(pairs + sum(len(word.alternatives) > 1 for word in held), 2),
                named=strength,
                section=float(candidate.section is not None),
                size=size,
                shared=log(1 + shared + (NAME_WORDS if tie or number else 0)),
                passage=size if candidate.kind == "passage" else 0.0,
                cosine=cosine,
                lead=(cosine or 0.0) - (next_one if cosine == nearest else nearest),
            )
            judged.append(
                candidate._replace(
                    words=tuple(word.word for word in held),
                    lacks=lacks,
                    features=features,
                    likelihood=features.likelihood,
                )
            )
        best = max(judged, key=lambda each: each.likelihood)
        yield best if best.words or tied is None else best._replace(words=(tied.path,))
