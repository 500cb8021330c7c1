"""What is wrong in a process: what fails now, problems in files, and the values of `degraded`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import FOLLOWING, WATCH
from vouch_sidecar.kb.records import Degraded, Problem, Severity


def degraded(engine: Engine, served: Sequence[Collection]) -> list[Degraded]:
    """What all answers out of these knowledge bases have to do without now, beside what each
    `lacks`.
    """
    holds: dict[Degraded, bool] = {
        "search_failed": any(c.is_rebuilt for c in served),
        "watch_lost": FOLLOWING in engine.faults
        or any(WATCH in c.faults or c.published.seen.is_torn for c in served),
        "files_skipped": any(c.on_disk.skipped or c.is_failing for c in served),
    }
    return [name for name, is_so in holds.items() if is_so]


def problems_of(engine: Engine, collection: Collection) -> list[Problem]:
    """All problems of a knowledge base, whoever may see what its files say; those without a path
    are of the whole of it.
    """
    published = collection.published
    of_files = chain.from_iterable(collection.on_disk.problems.values())
    return [
        *of_files,
        *published.settings_problems,
        *collection.faulty(),
        *engine.faults.problems(),
    ]


def faulty(engine: Engine) -> list[Problem]:
    """All current faults, errors first."""
    of_each = [collection.faulty() for collection in engine.registry.collections.values()]
    refused = [Problem("", text, Severity.WARNING) for text in engine.registry.refused]
    problems = [*chain.from_iterable(of_each), *refused, *engine.faults.problems()]
    faulty = [one for one in problems if one.severity is not Severity.HINT]
    return sorted(faulty, key=lambda problem: problem.severity is not Severity.ERROR)


def ignored(engine: Engine) -> list[Problem]:
    """The problems because of which what settings and files say does not count."""
    served = engine.registry.collections.values()
    # Each knowledge base has those of client and environment among its own.
    of_settings = [c.published.settings_problems for c in served] or [engine.registry.problems]
    return [*chain(*of_settings, *(c.on_disk.errors for c in served))]
