"""A million claims straight into the index, or so many: `python -m benchmarks.million FOLDER
[CLAIMS [HEAP]]` builds it in an empty folder and asks it.
"""

import random
import sys
from functools import partial
from pathlib import Path

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import HEAP, Writing
from vouch_sidecar.kb.records import Artifact, Claim, Entity, key_of
from vouch_sidecar.operations import OPERATIONS, perform

from benchmarks.generate import CLAIM_TEMPLATES, ENTITY_TYPES, Size, Writer, Zipf
from benchmarks.timing import Figure, memory, timed

given, rng = dict(enumerate(sys.argv)), random.Random(1)
folder, number, heap = Path(given[1]), int(given.get(2, 1_000_000)), int(given.get(3, HEAP))
draw = Writer(Path(), Size(0, 0), rng)
ids = {draw.name(rng.choice(ENTITY_TYPES)): f"entity-{i:05d}" for i in range(50_000)}
references = Zipf(list(ids), rng)


def claim(i: int) -> Claim:
    about = references.draw(rng.choice((1, 1, 2, 2, 3)))
    text = draw.sentence(rng.choice(CLAIM_TEMPLATES), about[0], about[-1])
    cited = tuple(f"source-{rng.randrange(50_000)}" for _ in range(rng.choice((1, 2, 3))))
    linked, at = tuple(ids[name] for name in about), 1_790_000_000 - rng.expovariate(1e-7)
    where = f"claims/claim-{i:07d}.yaml"
    return Claim(where[7:-5], where, text, evidence=cited, entities=linked, updated_at=at)


def build() -> Knowledge:
    every: list[Artifact] = [
        Entity(i, f"entities/{i}.yaml", name, "concept") for name, i in ids.items()
    ]
    every += map(claim, range(number))
    return Knowledge.written({key_of(one): one for one in every}, Writing(folder, heap))


engine, made = Engine(env={}), list[Knowledge]()
print(f"built in {timed(lambda: made.append(build())):.0f} s")
engine.registry.add_root(folder).knowledge = made[0]
words = [" ".join(draw.asked.draw(count)) for count in (1, 2, 2, 3) * 25]
for op, field, texts in (
    ("experts", "topic", references.draw(100)),
    ("experts", "topic", words),
    ("search", "query", words),
    ("context", "task", [draw.sentence("Why {w} {w} the {w} of {w} {w}?") for _ in words]),
):
    took = Figure.of(
        timed(partial(perform, engine, OPERATIONS[op], {field: text}, Caller())) for text in texts
    )
    print(op, texts[0], f"{took.median * 1e3:.0f} ms median, {took.p95 * 1e3:.0f} ms p95", sep=": ")
print("disk", sum(file.stat().st_size for file in folder.iterdir()) // 1_000_000, "MB")
print(*(f"{name} {memory(field=name) // 1_000_000} MB" for name in ("VmRSS", "RssFile", "VmHWM")))
