"""The settings: each is one field of one model. Its names in the file
(`sidecar.recall.max_results`), in a client (`vouchSidecar.recall.maxResults`, or in snake case), in
the environment (`VOUCH_SIDECAR_RECALL_MAX_RESULTS`), in `docs/settings.md` and in the extension's
manifest follow from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from vouch_sidecar.kb import recall_limit


def _line(most: int, needed: bool = False) -> AfterValidator:
    """A type for a text on one line with a bounded number of characters. A blank text counts as
    none, and is refused if one is `needed`.
    """

    def check(text: str) -> str | None:
        if len(text) > most or not text.isprintable() or (needed and not text.strip()):
            raise ValueError
        return text.strip() or None

    return AfterValidator(check)


def _tuple_of(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


MAX_WINDOW = 64
_LIST = BeforeValidator(_tuple_of), Field(max_length=200)
OneLine = Annotated[str, _line(256)] | None
FilePath = Annotated[str, _line(4096)] | None
WordList = Annotated[tuple[Annotated[str, _line(100, needed=True)], ...], *_LIST]
Folders = Annotated[tuple[Annotated[str, _line(4096, needed=True)], ...], *_LIST]
SettingSource = Literal["file", "client", "environment"]


EVERYWHERE: frozenset[SettingSource] = frozenset({"file", "client", "environment"})
PERSONAL: frozenset[SettingSource] = frozenset({"client", "environment"})
OF_THE_BASE: frozenset[SettingSource] = frozenset({"file"})


class Group(BaseModel):
    """Settings that stand together, at `path` in `config.yaml`."""

    model_config = ConfigDict(frozen=True)

    path: ClassVar[str]
    sources: ClassVar[frozenset[SettingSource]]
    in_workspace: ClassVar[bool]
    """Whether an editor may take them from the settings that a workspace brings."""
    final: ClassVar[Mapping[str, object]]
    """By field, the only value that `config.yaml` may give. No other source can take it back."""
    added: ClassVar[frozenset[str]]
    """Lists to which every source adds."""
    listed: ClassVar[frozenset[str]]
    """Fields that VS Code offers in its settings editor. It sends the others as well."""

    def __init_subclass__(
        cls,
        path: str,
        sources: frozenset[SettingSource] = EVERYWHERE,
        in_workspace: bool = True,
        final: Mapping[str, object] = MappingProxyType({}),
        added: Iterable[str] = (),
        listed: Iterable[str] = (),
    ) -> None:
        cls.path, cls.sources, cls.in_workspace, cls.final = path, sources, in_workspace, final
        cls.added, cls.listed = frozenset(added), frozenset(listed)


class Reflex(Group, path="retrieval.reflex", listed={"enabled"}):
    """The window of a session and what is said of it."""

    enabled: bool = Field(
        True, description="whether what you type and prompt is followed, to show what it names"
    )
    window: int = Field(
        8, ge=1, le=MAX_WINDOW, description="latest paragraphs and prompts that count"
    )
    top_k: int = Field(
        3,
        ge=1,
        le=20,
        description="entities listed as in play at most, where a question names no number",
    )


class Volunteer(Group, path="volunteer"):
    """What is said without being asked; None where nobody has set it."""

    enabled: bool = Field(True, description="whether anything is brought up that nobody asked for")
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="how surely a text must name an entity to bring it up; 0.60 where nobody says",
    )
    throttle_seconds: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="seconds at least between two times that something is brought up",
    )
    max_per_session: int | None = Field(
        None, ge=0, le=10_000, description="entities brought up in one session at most"
    )

    def is_throttled(self, seconds_ago: Iterable[float]) -> bool:
        """Whether nothing may be brought up now, as something was so many seconds ago."""
        return any(each < (self.throttle_seconds or 0) for each in seconds_ago)


class Recall(Group, path="sidecar.recall"):
    """The block for a prompt."""

    enabled: bool = Field(True, description="whether prompts are given context")
    max_results: int = Field(
        3, ge=1, le=10, description="claims and pages in a block of context at most"
    )
    similarity_threshold: float = Field(
        0.40, ge=0, le=1, description="how well a claim or page must fit to be given"
    )
    max_context_chars: int = Field(
        1000,
        ge=100,
        le=5000,
        description="characters of a block of context at most, with its frame; below 200 none",
    )
    timeout_ms: int = Field(
        recall_limit.DEFAULT,
        ge=recall_limit.LEAST,
        le=recall_limit.MOST,
        description="time limit in milliseconds; whatever was found by then is given",
    )
    fallback_to_fts: bool = Field(
        True, description="whether claims and pages are found by their words, not by names alone"
    )
    include_key_facts: bool = Field(
        True, description="whether status, confidence, sources and date follow each claim"
    )
    min_prompt_len: int = Field(
        10,
        ge=1,
        le=500,
        description="characters that a prompt needs to be searched for; names count below",
    )


class Prompts(Group, path="sidecar.prompts"):
    """When a prompt that is typed counts as still."""

    idle_ms: int = Field(
        300,
        ge=0,
        le=10_000,
        description="milliseconds that you must stop typing before a prompt, or a half-typed word "
        "of a document, is looked at",
    )


def _where(value: object) -> object:
    """Read `true` and `false`, also as texts of the environment, as `all` and `off`."""
    words = {"true": "all", "false": "off"}
    return words.get(str(value).lower(), value) if isinstance(value, bool | str) else value


AnswersIn = Annotated[Literal["all", "prose", "off"], BeforeValidator(_where)]
"""In which texts something answers."""


class Hover(Group, path="sidecar.hover", sources=PERSONAL, listed={"enabled"}):
    """Hovers, which no repository decides on."""

    enabled: AnswersIn = Field(
        "all",
        description="where the name of an entity shows whom to ask and what is known: everywhere "
        "(two lines on an identifier of code), in comments, strings and prose alone, or nowhere",
    )


class Definition(Group, path="sidecar.definition", sources=PERSONAL, listed={"enabled"}):
    """Go to definition, which no repository decides on."""

    enabled: AnswersIn = Field(
        "prose",
        description="where “Go to Definition” leads from the name of an entity to its file: "
        "everywhere, in comments, strings and prose alone, or nowhere",
    )


def _on_this_machine(text: str) -> str | None:
    """An http address on loopback; nothing else is ever asked."""
    from ipaddress import ip_address
    from urllib.parse import urlsplit

    parts = urlsplit(text.strip())
    own = parts.hostname == "localhost" or ip_address(parts.hostname or "").is_loopback
    if parts.scheme != "http" or not own or parts.path.strip("/") or parts.query or parts.username:
        raise ValueError
    return f"http://{parts.netloc}" if parts.port else f"http://{parts.netloc}:11434"


class Semantic(
    Group, path="sidecar.semantic", sources=PERSONAL, in_workspace=False, listed={"model"}
):
    """Finding by meaning, which no repository decides on: a model is what this user installs."""

    model: FilePath = Field(
        None,
        description="folder of a model that finds by meaning; with `ollama`, the name of one there",
    )
    ollama: Annotated[str, AfterValidator(_on_this_machine)] | None = Field(
        None,
        description="address of Ollama on this machine, such as `http://127.0.0.1:11434`",
        json_schema_extra={"x-expected": "an http address of this machine"},
    )


class Trust(Group, path="sidecar.trust", sources=PERSONAL, in_workspace=False, listed={"folders"}):
    """Whose knowledge bases are served, which no repository decides on."""

    folders: Folders = Field(
        (),
        description="folders of other users whose knowledge bases are served, with all below them; "
        "`*` trusts everybody",
    )


class ProbeSettings(Group, path="sidecar.probe"):
    """How many knowledge bases are probed; None for all."""

    max_collections: int | None = Field(
        None, ge=1, le=10_000, description="knowledge bases asked about a prompt at most"
    )


class Naming(Group, path="sidecar.names", listed={"never"}):
    """What names an entity here, whatever the rules for ordinary words say."""

    always: WordList = Field((), description="words that always name the entity that is called so")
    never: WordList = Field(
        (),
        description="words that never name an entity or a topic in what is written or asked; which "
        "claims count for one stays as it is",
    )


class TopicSettings(Group, path="sidecar.topics", listed={"enabled"}):
    """Names that are there without being declared."""

    enabled: bool = Field(
        True,
        description="whether names that claims and pages without a declared entity share, such as "
        "tags, titles and tickets, count as topics",
    )


def _off(value: object) -> object:
    """Read `false`, which YAML makes of `off`, as `off`; also as a text of the environment."""
    return "off" if value is False or str(value).lower() == "false" else value


class People(
    Group,
    path="sidecar.people",
    in_workspace=False,
    listed={"git", "never"},
    final=MappingProxyType({"git": "off"}),
    added={"never"},
):
    """Who is named because of their commits. A repository may only say less."""

    git: Annotated[Literal["people", "agents", "off"], BeforeValidator(_off)] = Field(
        "people",
        description="who is told who committed to the files of claims, and which persons own them "
        "by CODEOWNERS: people in editor and shell, agents as well, or nobody; `config.yaml` may "
        "only say `off`",
    )
    never: WordList = Field((), description="names and handles of those who are not told there")


class General(Group, path="sidecar"):
    """What stands in no other group."""

    persona: OneLine = Field(
        None, description="a label that answers carry where most of them is from here"
    )


class Diagnostics(Group, path="sidecar.diagnostics"):
    """Which findings of the checks are told; `docs/diagnostics.md` lists their codes."""

    ignore: WordList = Field((), description="codes of checks whose findings are not shown")


class Base(Group, path="kb", sources=OF_THE_BASE):
    """What a knowledge base is called."""

    id: OneLine = None
    name: OneLine = None


class ScopeSettings(Group, path="retrieval.scope", sources=OF_THE_BASE):
    """Who asks, where nobody says so."""

    project: OneLine = None
    agent: OneLine = None


class Settings(BaseModel):
    """Everything that may be tuned, and what a knowledge base says of itself."""

    model_config = ConfigDict(frozen=True)

    reflex: Reflex = Reflex()
    volunteer: Volunteer = Volunteer()
    recall: Recall = Recall()
    prompts: Prompts = Prompts()
    probe: ProbeSettings = ProbeSettings()
    naming: Naming = Naming()
    people: People = People()
    topics: TopicSettings = TopicSettings()
    general: General = General()
    hover: Hover = Hover()
    definition: Definition = Definition()
    semantic: Semantic = Semantic()
    trust: Trust = Trust()
    diagnostics: Diagnostics = Diagnostics()
    kb: Base = Base()
    scope: ScopeSettings = ScopeSettings()
