"""Reads claims to find which files each cites, quotes or names, and which identifiers it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_content, span_in
from vouch_sidecar.kb.records import Evidence, Source
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.workspace.breath import Breathe
from vouch_sidecar.workspace.file_kinds import changes_with_all
from vouch_sidecar.workspace.file_list import read_file, stat_of
from vouch_sidecar.workspace.files import line_in, mere_name
from vouch_sidecar.workspace.names_in_text import digest, identifiers_in, names_in
from vouch_sidecar.workspace.quotes_in_files import Quote
from vouch_sidecar.workspace.shown import document_of
from vouch_sidecar.workspace.ties import STRENGTH, ClaimReading, FoundTie, ReadOf, Tie, TieArm, Use
from vouch_sidecar.workspace.world import World

FOLDER = 0.7
"""The factor for a file whose folder is named."""
OWN_NAME = 0.8
"""The factor for a file that has the name of an entity of the claim."""
MAX_TIES = 200
"""The number of ties of one claim; those of one file are not bounded here."""
MAX_COMPARED_FILES = 200
"""Files of one name whose content is compared with that of a source."""
SHARED_LINES = 0.5
"""A file counts as the edited form of a source if it has at least this share of the source's
telling lines.
"""
TELLING_WORDS = 3
"""Words that a line has at least by which one document is told from another."""


@dataclass(frozen=True)
class ClaimReader:
    """Reads claims of one generation. `world` has the files, those of sources among them. The
    project's `own` names, which are everywhere in it,
    tie nothing.
    """

    knowledge: Knowledge
    world: World
    own: Set[str]

    def read(self, claim_id: str, of: ReadOf) -> ClaimReading:
        """What a claim says of files."""
        (text, refs, entities), plain = of, Tie(claim_id, "path", STRENGTH["path"])
        cited = list(self._cited(refs, plain))
        quotes = tuple(quote for _, quote in cited if quote is not None)
        ties = [*(tie for tie, _ in cited), *self._of_same_name(entities, plain)]
        uses: list[Use] = []
        for name in names_in(text, self.world.files.listed):
            tie = plain._replace(start=name.start, end=name.end)
            for path in self.world.files.named_by(name):
                share = FOLDER if path.endswith("/") else 1.0
                ties.append((path, tie._replace(strength=tie.strength * share)))
            named = [n for n in identifiers_in(name) if fold(n.name) not in self.own]
            for each in named:
                strength, dotted = STRENGTH["identifier"] * each.share, each.dotted
                use = tie._replace(arm="identifier", strength=strength)
                uses.append(Use(digest(each.name), use, digest(dotted) if dotted else 0))
        return ClaimReading(tuple(ties[:MAX_TIES]), tuple(uses[:MAX_TIES]), quotes, of)

    def _cited(self, refs: Iterable[str], plain: Tie) -> Iterator[tuple[FoundTie, Quote | None]]:
        """Ties to files that a claim cites, each with the words that a receipt quotes. A file that
        nearly every commit changes counts only if a line of it is cited.
        """
        for ref in dict.fromkeys(refs):
            evidence, source_id = self.knowledge.cited_by(ref)
            source = self.knowledge.source(source_id)
            path = None if source is None else self.world.sources.get(source.id)
            if source is None or path is None:
                continue
            quote = None if evidence is None else self._quoted(evidence, source, path)
            place = evidence.locator if evidence else source.locator.partition("#")[2]
            line = line_in(place) if quote is None else quote.line
            if line is not None or not changes_with_all(path):
                arm: TieArm = "quotes" if quote else "cites"
                _, start, end = quote.range if quote else ("", 0, 0)
                tie = plain._replace(arm=arm, strength=STRENGTH[arm], line=line, via=source.id)
                yield (path, tie._replace(start=start, end=end)), quote

    def _quoted(self, evidence: Evidence, source: Source, path: str) -> Quote | None:
        """The words that a receipt quotes of a source that was made from a file; None without."""
        document = document_of(self.world.root, source) if evidence.span else None
        span = span_in(document.data, evidence) if document is not None else None
        if document is None or span is None:
            return None
        return Quote(
            (source.id, *span),
            path,
            document.data[slice(*span)].decode("utf-8", "replace"),
            document.line_at(span[0]),
        )

    def _of_same_name(self, entities: Iterable[str], plain: Tie) -> Iterator[FoundTie]:
        """Ties to files that have the name of an entity of the claim."""
        tie, called = plain._replace(strength=plain.strength * OWN_NAME), self.world.files.called
        for entity in filter(None, map(self.knowledge.entity, dict.fromkeys(entities))):
            paths = {path for name in (entity.name, *entity.aliases) for path in called(name)}
            for path in sorted(paths):
                yield path, tie._replace(via=entity.id)


def documents_in(sources: Iterable[Source]) -> Iterator[Source]:
    """Those that may be files: not captured talk, though its locator may hold a path."""
    return (source for source in sources if source.question is None)


def with_sources(
    knowledge: Knowledge, world: World, breathe: Breathe, news: Set[str] | None
) -> World:
    """A world with the file of each source: the one that its locator names. A locator that is a
    mere name means, of the files with that name, the one that holds most of what the source holds.
    `news` are the files that alone changed since the world's sources were found; None if they are
    to be found anew.
    """
    compared = {} if news is None else {**world.compared}

    @cache
    def lines_of(path: str) -> frozenset[int]:
        breathe()
        compared[path] = stat_of(world.tree, path)
        return _telling_lines(read_file(world.tree, path))

    paths_by_id: dict[str, str] = {}
    for source in documents_in(knowledge.all_of(Source)):
        breathe()
        path = world.files.of_source(world.tree, source.locator)
        if name := mere_name(source.locator):
            several = dict.fromkeys([*filter(None, [path]), *world.files.ending(name)])
            if news is not None and news.isdisjoint(several):
                path = world.sources.get(source.id)
            else:
                wanted = _telling_lines(read_content(world.root / KB_DIRNAME, source))
                shared = {
                    file: len(wanted & lines_of(file))
                    for file in islice(several, MAX_COMPARED_FILES)
                }
                is_distinct = bool(wanted) or len(shared) == 1
                likely = (file for file in shared if shared[file] >= SHARED_LINES * len(wanted))
                path = max(likely, key=shared.__getitem__, default=None) if is_distinct else None
        if path is not None:
            paths_by_id[source.id] = path
    return replace(world, sources=paths_by_id, compared=compared)


def _telling_lines(data: bytes | None) -> frozenset[int]:
    """Hashes of the lines that hardly any other document has: of some words, and no headings."""
    lines = (line.strip() for line in (data or b"").splitlines())
    return frozenset(
        hash(line)
        for line in lines
        if len(line.split()) >= TELLING_WORDS and not line.startswith(b"#")
    )
