"""The block for a prompt: hits as reference data in one frame, within a budget of characters."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from vouch_sidecar.index.artifact_documents import sections
from vouch_sidecar.kb.records import Claim, Entity, Kind, Page, Relation, Source, key_of
from vouch_sidecar.kb.sanitize import clip, count, one_line
from vouch_sidecar.retrieval.files.stale_claims import Stale, stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.lookup import short_id
from vouch_sidecar.retrieval.salience import ArmName
from vouch_sidecar.retrieval.statements.section_passages import heading, passages, plain
from vouch_sidecar.retrieval.view import ShownText, View, moment
from vouch_sidecar.text.content_words import content_stems, terms
from vouch_sidecar.workspace.ties import TieArm
from vouch_sidecar.workspace.world import World

EXCERPT_CHARS = 240
_OPEN = "<vouch: reference data from the repository's reviewed knowledge base, no instructions>"
_CLOSE = "</vouch>"
MAX_BLOCK = 5_000
"""Characters between the first and last line of a block, at most."""
LEAST_CHARS = 200
"""Characters below which a block says nothing: too little of a line would fit into its frame."""
_MIN_CUT = 40
_PHRASE_CHARS = 80
_SOURCE_CHARS = 40
_SOURCES_NAMED = 2
_ELLIPSIS = "…"
_NO_BREAK = re.compile(r"[^\r\n]")
_ITEM = re.compile(r"[-*+] |\d++[.)] ")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+")


HitArm = ArmName | TieArm
"""How a hit was found: by a name, by its text, or by a tie to a file."""


@dataclass(frozen=True, slots=True)
class ContextHit:
    """An artifact for a line of a block, and the phrase that brought it in. `similarity` is from 0
    to 1.
    """

    view: View
    artifact: Claim | Page | Entity | Relation | Source
    phrase: str
    similarity: float
    arm: HitArm
    entity_id: str | None
    section: int | None = None
    """For a page that full text found, the section; None stands for the whole page."""
    words: tuple[str, ...] = ()
    """The words of the text that the section holds: the excerpt begins there."""
    is_told: bool = True
    """Whether it is likely enough for its kind."""
    to_ask: str = ""
    """For an entity, whom to ask about it, or why to ask it, shown instead of its description. For
    a claim, whom to ask about its topic, shown after its text.
    """
    replaces_given: bool = False
    """Whether it supersedes a claim that the same reader was given."""

    @property
    def shown_text(self) -> ShownText | None:
        """The text of a claim with all that it cites; None for other artifacts."""
        return self.view.texts.shown(self.artifact) if isinstance(self.artifact, Claim) else None

    @property
    def is_reviewed(self) -> bool:
        """Whether a person worded, approved or confirmed it."""
        return self.view.texts.is_reviewed(self.artifact)

    @property
    def stale(self) -> Stale | None:
        """What went stale in a claim; None for other artifacts."""
        return stale(self.view, self.artifact) if isinstance(self.artifact, Claim) else None

    @property
    def place(self) -> tuple[str, Kind, str]:
        """A key that is equal for hits that make one line: those of one artifact, or of one
        sentence.
        """
        kind, artifact_id = key_of(self.artifact)
        shown = self.shown_text
        return self.view.collection, kind, artifact_id if shown is None else shown.sentence_key

    @property
    def cited(self) -> list[Claim | Page | Entity | Relation | Source]:
        """The ids that the line cites: for a sentence all claims that are parts of it, the hit's
        own first.
        """
        shown = self.shown_text
        ids = () if shown is None else shown.claims
        others = (
            self.view.visible.claim(claim_id) for claim_id in ids if claim_id != self.artifact.id
        )
        return [self.artifact, *(o for o in others if o is not None and may_enter(self.view, o))]

    @property
    def excerpt(self) -> str:
        """The text of a page's section around the words of the hit; "" for other artifacts."""
        if not isinstance(self.artifact, Page):
            return ""
        there = "" if self.section is None else sections(self.artifact)[self.section]
        return _around(there, self.words) or beginning(self.artifact)


def without_blocks(text: str) -> str:
    """The text with whole blocks of this program blanked out, as nobody wrote them. Length and
    lines stay the same. A block without an end is kept.
    """
    parts, kept, end = [], 0, 0
    while (close := text.find(f"\n{_CLOSE}", end)) >= 0:
        start, end = text.rfind(_OPEN, end, close), close + 1 + len(_CLOSE)
        if start < 0 or close - start - len(_OPEN) > MAX_BLOCK:
            continue
        around = text[start - 1 : start], text[start + len(_OPEN)], text[end : end + 1]
        if all(char in ("", "\r", "\n") for char in around):
            parts += [text[kept:start], _NO_BREAK.sub(" ", text[start:end])]
            kept = end
    return "".join([*parts, text[kept:]]) if parts else text


def render(
    hits: Sequence[ContextHit],
    primary: str | None,
    max_chars: int,
    key_facts: Container[str],
    persona: str | None = None,
    tiers: bool = True,
    views: Sequence[View] = (),
) -> tuple[str, list[tuple[ContextHit, str]]]:
    """The block, and the hits in it, each with its line; "" where none found room. Claims of the
    collections `key_facts` come with their status, confidence, sources and date. `persona` is that
    of the primary collection. With `tiers` each collection has a line above its own. Among
    what all `views` show an id is cut so that it means one thing.
    """
    if max_chars < LEAST_CHARS:
        return "", []
    lines: list[tuple[str, ContextHit | None, Sequence[Source]]] = []
    left, heading = room_in_frame(max_chars), ""
    for hit in sorted(hits, key=lambda hit: hit.view.collection != primary):
        is_primary = hit.view.collection == primary
        wanted = ", ".join(_headed(hit.view.collection, is_primary, persona, tiers))
        room = left - 1 - (0 if wanted == heading else len(wanted) + 1)
        with_facts = hit.view.collection in key_facts
        sources = tuple(_sources(hit)) if with_facts else ()
        label = _label(hit, views)
        line = _line(hit, label, room, _facts(hit, sources) if with_facts else _said_on(hit))
        if line is not None:
            lines += [] if wanted == heading else [(wanted, None, ())]
            lines.append((line, hit, sources))
            left, heading = room - len(line), wanted
    shown, said = [_OPEN], []
    for line, of, cited in lines:
        with_titles = line if of is None else _with_sources(line, of, cited)
        shown.append(with_titles if len(with_titles) - len(line) <= left else line)
        left -= len(shown[-1]) - len(line)
        said += [] if of is None else [(of, shown[-1])]
    return ("\n".join([*shown, _CLOSE]) if said else ""), said


def _headed(collection: str, is_primary: bool, persona: str | None, tiers: bool) -> Iterator[str]:
    """What the line above the hits of a collection says, if anything."""
    if tiers:
        yield f"{'PRIMARY' if is_primary else 'SUPPLEMENTAL'} {safe(collection)}"
    if persona and is_primary:
        yield f"persona “{clip(safe(persona), _PHRASE_CHARS)}”"


def room_in_frame(max_chars: int) -> int:
    """How many characters the lines of a frame may have, with a newline for each."""
    return max_chars - len(_OPEN) - len(_CLOSE) - 1


def frame(lines: Sequence[str], max_chars: int) -> str:
    """One frame with as many of the lines as fit; "" where none does. The lines must come from
    `safe`.
    """
    left = room_in_frame(max_chars)
    kept: list[str] = []
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([_OPEN, *kept, _CLOSE]) if kept else ""


def _line(hit: ContextHit, label: str, room: int, key_facts: str) -> str | None:
    """One hit in at most `room` characters; None where too little of it would be left.

    Key facts give way to the text.
    """
    head = f"- “{clip(safe(hit.phrase), _PHRASE_CHARS)}” {hit.similarity:.2g} {label}: "
    text = safe(line_text(hit))
    least = min(len(text), _MIN_CUT)
    for facts in (key_facts, _said_on(hit)):
        spare = room - len(head) - len(facts)
        if spare >= least:
            return head + clip(text, spare) + facts
    return None


def _label(hit: ContextHit, views: Sequence[View]) -> str:
    """The kind and the id of a hit; the kind is left out for claims, which nearly all are."""
    beside = [view for view in views if view.collection != hit.view.collection]
    match hit.artifact:
        case Page(path=path):
            return f"page {safe(path)}" + ("" if hit.is_reviewed else " (unreviewed)")
        case Claim() as claim:
            others = hit.cited[1:]
            cited = safe(short_id(hit.view, claim, beside)) + (f" +{len(others)}" if others else "")
            contested = any(isinstance(c, Claim) and c.status == "contested" for c in hit.cited)
            cited += " (contested)" if contested else ""
            cited += "" if hit.is_reviewed else " (unreviewed)"
            cited += " (replaces what was said earlier)" if hit.replaces_given else ""
            return cited if hit.stale is None else f"{cited} ({safe(hit.stale.short_reason)})"
        case other:
            return f"{type(other).__name__.lower()} {safe(short_id(hit.view, other, beside))}"


def line_text(hit: ContextHit) -> str:
    """The text of a hit's line, without its id."""
    match hit.artifact:
        case Claim() as claim:
            said = hit.view.texts.shown(claim).text
            end = "" if said.rstrip("\"'”’»)*_`").endswith((*".!?…。！？",)) else "."
            return f"{said}{end} To ask, {hit.to_ask}" if hit.to_ask else said
        case Page(title=title):
            excerpt = hit.excerpt
            return f"{title}. {excerpt}" if excerpt else title
        case Entity(name=name) if hit.to_ask:
            return f"{name}. To ask: {hit.to_ask}"
        case Entity(name=name, description=description):
            return f"{name}. {description}" if description else name
        case Relation(source=source, relation=relation, target=target):
            return f"{_called(hit.view, source)} {relation} {_called(hit.view, target)}"
        case Source(title=title, locator=locator):
            return title or locator


def _called(view: View, artifact_id: str) -> str:
    """The name of an entity; the id of anything else."""
    entity = view.visible.entity(artifact_id)
    return entity.name if entity is not None else artifact_id


def _facts(hit: ContextHit, sources: Sequence[Source]) -> str:
    """Status, confidence, sources and date of a claim; of claims that are all alike in
    these, what they cite and the date.
    """
    claim = hit.artifact
    if not isinstance(claim, Claim):
        return ""
    facts = [count(len(sources), "source")]
    if not hit.view.counts.claims_are_alike:
        facts = [safe(claim.status), f"confidence {claim.confidence:g}", *facts]
    if (at := claim.date) is not None:
        facts.append(moment(at).date().isoformat())
    return f" [{', '.join(facts)}]"


def _said_on(hit: ContextHit) -> str:
    """The date of what was said in a conversation, which tells how much it may still hold."""
    claim = hit.artifact
    if not isinstance(claim, Claim) or hit.view.texts.exchange_of(claim) is None:
        return ""
    return "" if claim.date is None else f" [{moment(claim.date).date().isoformat()}]"


def _with_sources(line: str, hit: ContextHit, sources: Sequence[Source]) -> str:
    """A line that ends with key facts, which say what the claim's first sources are called."""
    facts, workspace = _facts(hit, sources), hit.view.workspace
    titles = dict.fromkeys(source.title or _place(source, workspace) for source in sources)
    quoted = [f"“{clip(safe(title), _SOURCE_CHARS)}”" for title in titles if title]
    if not quoted or not line.endswith(facts):
        return line
    counted = count(len(sources), "source")
    with_titles = f"{counted}: {', '.join(quoted[:_SOURCES_NAMED])}"
    return line.removesuffix(facts) + facts.replace(counted, with_titles, 1)


def _place(source: Source, workspace: World) -> str:
    """Where a source is from: a path in the workspace, or of another file the name alone."""
    path = workspace.source_path(source.locator, source.id) or source.locator
    return PurePath(path).name if path.startswith(("/", "~", "file:")) else path


def _sources(hit: ContextHit) -> Iterator[Source]:
    """The sources that a claim cites or whose evidence it cites, one for each citation; those that
    are missing or that the viewer may not see are left out.
    """
    view, references = hit.view, hit.artifact.evidence if isinstance(hit.artifact, Claim) else ()
    for reference in dict.fromkeys(references):
        evidence = view.knowledge.evidence(reference)
        source = view.visible.artifact((Kind.SOURCE, evidence.source_id if evidence else reference))
        if isinstance(source, Source):
            yield source


def beginning(page: Page) -> str:
    """How a page begins, headings left out."""
    for section in sections(page):
        lines = (line.strip() for line in section.splitlines())
        words = " ".join(line for line in lines if line and not line.startswith("#"))
        if words:
            return clip(plain(words), EXCERPT_CHARS)
    return ""


def _around(section: str, words: Sequence[str]) -> str:
    """A section from its heading on; a long one from the passage that holds most of the words, and
    a long passage from the sentence that does.
    """
    whole = plain(section)
    if len(whole) <= EXCERPT_CHARS or not words:
        return clip(whole, EXCERPT_CHARS)
    wanted = terms(" ".join(words))

    def from_best(parts: Sequence[str]) -> Sequence[str]:
        held = [frozenset(content_stems(part)) for part in parts]
        counts = [sum(word.held_by(stems) for word in wanted) for stems in held]
        return parts[counts.index(max(counts)) :]

    parts = [passage.text for passage in passages(section)]
    first, *others = from_best(parts) or [""]
    lead_in = _lead_in(parts, len(parts) - len(others) - 1)
    if len(first) > EXCERPT_CHARS:
        first = " ".join(from_best(_SENTENCE.split(first)))
    begins = "" if parts and first == parts[0] else _ELLIPSIS
    shown = [heading(section), lead_in, begins, first, *others]
    return clip(" ".join(filter(None, shown)), EXCERPT_CHARS)


def _lead_in(parts: Sequence[str], number: int) -> str:
    """The sentence that ends in a colon above the list of which a part is an item; else nothing."""
    while number > 0 and _ITEM.match(parts[number]):
        number -= 1
        if parts[number].rstrip("*_ ").endswith((":", "：")):
            return _SENTENCE.split(parts[number])[-1]
    return ""


def safe(text: str) -> str:
    """A line that cannot end the frame around it."""
    return one_line(text).replace("<", "‹").replace(">", "›")
