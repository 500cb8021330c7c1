from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb.artifact_files import usual_path
from vouch_sidecar.kb.id_owners import IdOwners
from vouch_sidecar.kb.records import Artifact, Entity, Key, Kind, key_of, record_of

PUTS = st.lists(
    st.tuples(
        st.sampled_from(["entities/a.yaml", "entities/b.yaml", "entities/c.yaml"]),
        st.none() | st.sampled_from(["a", "b", "x"]),
        st.sampled_from(["one", "two"]),
    ),
    max_size=12,
)


def served(files: dict[str, Entity]) -> dict[Key, Artifact]:
    """What counts, worked out from nothing: the file named like the id, else the first by path."""
    result: dict[Key, Artifact] = {}
    for path in sorted(files, reverse=True):
        if files[path].id != path[9:-5]:
            result[key_of(files[path])] = files[path]
    for path, artifact in files.items():
        if artifact.id == path[9:-5]:
            result[key_of(artifact)] = artifact
    return result


@given(st.lists(PUTS, max_size=6), st.booleans())
def test_changes_add_up_to_what_counts(
    steps: list[list[tuple[str, str | None, str]]], kept: bool
) -> None:
    """With `kept`, somebody else keeps what the first files say; none of them is read twice."""
    owners = IdOwners()
    files: dict[str, Entity] = {}
    known: dict[Key, Artifact] = {}
    keeping: dict[str, Artifact] = {}
    owners.recall_by(keeping.__getitem__)
    for number, step in enumerate(steps):
        first = kept and number == 0
        once = {put[0]: put for put in step}.values()
        for path, entity_id, name in once if first else step:
            artifact = None if entity_id is None else Entity(entity_id, path, name, "concept")
            usual = artifact is not None and path == usual_path(*key_of(artifact))
            if artifact is not None and first and usual and not owners.has(key_of(artifact)):
                keeping[path] = known[key_of(artifact)] = artifact
                owners.mark_recalled((path,))
            else:
                owners.put(path, artifact)
            files.pop(path, None)
            if artifact is not None:
                files[path] = artifact
        change = owners.take_change()
        assert all(known.get(key_of(item)) != item for item in change.upserts)
        assert change.removals <= known.keys()
        known = {key: item for key, item in known.items() if key not in change.removals}
        known |= {key_of(item): item for item in change.upserts}
        assert known == served(files)
        losers = set(files) - {item.path for item in known.values()}
        assert sorted(problem.path for problem in owners.problems()) == sorted(losers)
        assert not owners.take_change()


def test_of_claims_the_one_that_fewest_may_see_counts() -> None:
    """The other one would count in its place, and what it withholds elsewhere would be shown."""
    owners = IdOwners()

    def counting(path: str, **fields: object) -> str:
        owners.put(path, record_of(Kind.CLAIM, path, {"id": "a", "text": "A.", **fields}))
        return next(path for path in owners.paths() if owners.counts(path, (Kind.CLAIM, "a")))

    usual, other = "claims/a.yaml", "claims/b.yaml"
    assert counting(usual, evidence=["e"]) == usual
    assert counting(other, evidence=["e"]) == usual
    assert counting(other, evidence=["e"], status="redacted") == other
    assert counting(usual, evidence=["e"], status="archived") == usual
    assert counting(other, evidence=["e"]) == usual
    scope = {"visibility": "private", "agent": "ada"}
    assert counting(other, evidence=["e"], scope=scope) == usual
    assert counting(usual, evidence=["e"]) == other
    assert [problem.path for problem in owners.problems()] == [usual]
