"""Files of people, teams and what relates them."""

from __future__ import annotations

from tests.kb.samples import dump, entity


def relation(source: str, label: str, target: str) -> dict[str, bytes]:
    name = f"{source}-{label}-{target}"
    content = {"id": name, "source": source, "relation": label, "target": target}
    return {f"relations/{name}.yaml": dump(content)}


def person(name: str) -> dict[str, bytes]:
    return {f"entities/{name}.yaml": entity(name, name=name.capitalize(), type="person")}


def team(name: str) -> dict[str, bytes]:
    return {f"entities/{name}.yaml": entity(name, name=name.capitalize(), type="team")}
