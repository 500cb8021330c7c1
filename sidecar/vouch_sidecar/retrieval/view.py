"""A knowledge base as one viewer sees it. Every answer is made from a view: a generation, the gates
of one viewer and the time that is left, with the artifacts, names and texts that he may see.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.schema import TITLE
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.records import STARTER_PAGE, Kind
from vouch_sidecar.kb.settings_model import Recall, Settings
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.constants import UNASKED_LEAST, VOLUNTEERED, CandidateKind
from vouch_sidecar.retrieval.visible import ClaimTexts, VisibleArtifacts, VisibleNames
from vouch_sidecar.workspace.world import World, own_names

T = TypeVar("T")


class Deadline:
    """The time limit of one question, shared by all functions that work on it. When it passes, what
    was found until then is the answer.
    """

    def __init__(self, until: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`until` is a time of the clock, in seconds."""
        self.cuts = 0
        """How often a function left something out because the time was up."""
        self._until = until
        self._clock = clock

    @property
    def seconds_left(self) -> float:
        """The seconds until the time passes."""
        return self._until - self._clock()

    def has_passed(self) -> bool:
        """Whether to stop. Functions ask this between one candidate and the next."""
        passed = self.cuts > 0 or self._clock() >= self._until
        self.cuts += passed
        return passed


@dataclass(frozen=True)
class View:
    """One knowledge base as seen by one viewer, who passes `gates`. None of its parts refers to it:
    reference cycles would hold old generations in memory.
    """

    collection: str
    knowledge: Knowledge
    gates: frozenset[str]
    root: Path | None = None
    deadline: Deadline = field(default_factory=Deadline)
    since: int | None = None
    """If set, only claims that were confirmed or updated since this time count, in microseconds."""
    workspace: World = field(default_factory=lambda: World(Path()))
    """The files around the knowledge base, the ties to them and the topics, of all viewers:
    `retrieval.files` and `derived` choose those of this one.
    """
    now: float = 0.0
    """When the question is asked, in seconds since 1970."""
    settings: Settings = field(default_factory=Settings)
    """Those of the knowledge base for who asks."""
    is_model: bool = False
    """Whether a model reads the answer."""
    is_unasked: bool = False
    """Whether nobody asked, as for a hook or a push: claims that nobody reviewed then need more."""
    shown_collection: str | None = None
    """The name of the collection, if rows of answers have to say which one they are from."""
    identity: Hashable = None
    """Identifies the knowledge base from one question to the next (`Collection.identity`)."""
    _found: dict[Hashable, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What was worked out for this question."""

    @cached_property
    def visible(self) -> VisibleArtifacts:
        return VisibleArtifacts(self.knowledge, self.gates, self.derived)

    @cached_property
    def texts(self) -> ClaimTexts:
        return ClaimTexts(self.visible, self.root)

    @cached_property
    def names(self) -> VisibleNames:
        return VisibleNames(self.knowledge, self.derived, self.never)

    @property
    def recall(self) -> Recall:
        """The settings that govern what is told."""
        return self.settings.recall

    @cached_property
    def name_threshold(self) -> float:
        """The least strength of a name that is told."""
        configured = self.settings.volunteer.threshold
        return VOLUNTEERED if configured is None else configured

    @cached_property
    def always(self) -> frozenset[str]:
        """The spellings of words that name an entity here, however common they are."""
        return frozenset(map(spelling, self.settings.naming.always))

    @cached_property
    def never(self) -> frozenset[str]:
        """The spellings of words that never name one."""
        return frozenset(map(spelling, self.settings.naming.never))

    def least(self, kind: CandidateKind = "worded") -> float:
        """The least likelihood of a line of this kind that is told. (`salience` says which names
        are volunteered.)
        """
        own = UNASKED_LEAST.get(kind, 0.0) if self.is_unasked else 0.0
        return max(self.recall.similarity_threshold, own)

    @property
    def stamp(self) -> Hashable:
        """A value that changes whenever the same question may have another answer."""
        return self._read_stamp, self.settings, self.is_unasked, self.shown_collection

    @cached_property
    def _read_stamp(self) -> Hashable:
        """The same of what is read in texts: a part of every key of a cache, as to hash all
        settings takes longer than many a look there.
        """
        of = self.workspace.inputs
        around = (self.workspace.serial, None if of is None else of.knowledge.serial)
        read = (*around, self.knowledge.serial, self.settings.topics)
        return (self.collection, self.root, self.gates, self.since, self.settings.naming, *read)

    @cached_property
    def search(self) -> Search:
        """Full text search over what the viewer may see."""
        return Search(self.knowledge.snapshot, self.gates, self.derived, self.since)

    def number_of(self, kind: Kind) -> int:
        """How many artifacts of a kind the viewer may see; neither sections of pages nor the page
        about vouch, which it writes, are any.
        """
        if kind is not Kind.PAGE:
            return self.search.total(kind)
        return self.search.total(TITLE) - (self.visible.artifact((kind, STARTER_PAGE)) is not None)

    @cached_property
    def derived(self) -> VisibleTopics:
        """The topics that the viewer may see, unless settings turn these off."""
        if not self.settings.topics.enabled:
            return VisibleTopics()
        return self.workspace.topics_of(self.knowledge, self.gates, self.never)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """What the project is called, folded, unless it names an entity as well."""
        own, exactly = own_names(self.collection, self.root), self.knowledge.names.exactly
        return frozenset(name for name in own if spelling(name) in self.never or not exactly(name))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, worked out once a question: it may depend on what files there are
        now, as what may enter a prompt does.
        """
        if key not in self._found:
            self._found[key] = make()
        found: T = self._found[key]
        return found

    def cached(self, what: str, text: str, make: Callable[[], T]) -> T:
        """The result of `make` for a text, from memory if known. `make` must not ask for the time
        that is left.
        """
        return self.knowledge.memo.cached(text, (what, self._read_stamp), make)
