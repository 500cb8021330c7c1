"""Workspaces on disk: repositories made by git, and knowledge bases in them."""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.retrieval.files import Tied, tied_to
from vouch_sidecar.workspace.file_list import list_files
from vouch_sidecar.workspace.files import Files
from vouch_sidecar.workspace.git import Repository
from vouch_sidecar.workspace.world import World

from tests.engine.bases import cached, engine_on, only, reread, settle
from tests.kb.samples import claim, make_kb, put, receipt, source, source_of


def git(folder: Path, *arguments: str, given: str | None = None) -> str:
    """Run git as a user without any settings. `given` is its input."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    env = plain | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    env["GIT_TEMPLATE_DIR"] = ""  # which has a dozen files for each repository
    settings = "-c protocol.file.allow=always -c user.name=a -c user.email=a@b.example"
    command = ["git", *settings.split(), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=env, input=given, capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout


def commit_as(
    root: Path,
    name: str,
    files: Mapping[str, str | bytes],
    *,
    email: str = "",
    at: str = "2026-01-01T00:00:00+0000",
) -> None:
    """Commit files as somebody, whatever the name is."""
    write(root, files)
    if files:
        git(root, "add", "-A", "-f", "--", *(f":(literal){path}" for path in files))
    tree = git(root, "write-tree").strip()
    branch = git(root, "symbolic-ref", "HEAD").strip()
    parents = git(root, "for-each-ref", "--format=parent %(objectname)", branch)
    email = email or f"me@{hashlib.sha256(name.encode()).hexdigest()[:8]}.example.org"
    moment = at if " " in at else f"{int(datetime.fromisoformat(at).timestamp())} +0000"
    who = name.translate({ord(sign): None for sign in "<>\n"})
    commit = (
        f"tree {tree}\n{parents}author {who} <{email}> {moment}\n"
        f"committer {who} <{email}> {moment}\n\nwork\n"
    )
    made = git(root, *"hash-object -t commit -w --literally --stdin".split(), given=commit)
    git(root, "update-ref", "HEAD", made.strip())


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, data in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())


def track(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, and have git know of them."""
    write(root, files)
    git(root, "add", "-A", "-f", "--", *files)


def repository(root: Path, files: Mapping[str, str | bytes], *, commit: bool = False) -> Path:
    """A git repository in which these files are tracked."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    track(root, files)
    if commit:
        git(root, "commit", "-q", "-m", "all")
    return root


def held(root: Path) -> tuple[Repository, str]:
    """The repository around a folder, and its newest commit."""
    found, _ = Repository.holding(root)
    assert found is not None
    return found, found.head() or ""


def listed(root: Path, env: Mapping[str, str] = os.environ, *, caches: Path | None = None) -> Files:
    """The files of a folder, by default with caches beside it."""
    found, _ = Repository.holding(root)
    return Files(list_files(root, found, caches or root.parent / "caches", env))


def cite(
    root: Path,
    claim_id: str,
    text: str,
    locator: str,
    content: bytes = b"",
    *,
    quote: bytes = b"",
    **fields: object,
) -> None:
    """Write a claim that cites or quotes a source. Makes the knowledge base where there is none."""
    if not (root / ".vouch").exists():
        make_kb(root)
    kb_dir = root / ".vouch"
    content = content or locator.encode()
    scope = {"scope": fields.pop("source_scope")} if "source_scope" in fields else {}
    files, ref = source(content, locator=locator, **scope), source_of(content)
    if quote:
        ref = f"ev-{claim_id}"
        files |= receipt(ref, content, quote)
    made: dict[str, Any] = {"text": text, "evidence": [ref], "entities": [], **fields}
    files[f"claims/{claim_id}.yaml"] = claim(claim_id, **made)
    for path, data in files.items():
        put(kb_dir, path, data)


def settled(root: Path, folder: Path | None = None, *others: Path, **client: Any) -> Engine:
    """An engine that has worked out what is around; settings as in `recall={"enabled": False}`."""
    env = cached(folder or root.parent)
    engine = engine_on(root, *others, env=env, client_settings=client)
    settle(engine)
    return engine


def looked(engine: Engine) -> World:
    """What lies around the only knowledge base, after a look at everything."""
    only(engine).due_around.report("")
    reread(engine)
    settle(engine)
    return only(engine).world


def ties(engine: Engine, path: str) -> list[Tied]:
    (served,) = engine.registry.serving(Caller())
    view = served.view
    there = view.world.path_here(path)
    return [] if there is None else tied_to(view, there)


def tie_rows(engine: Engine, path: str) -> list[tuple[str, str, int | None]]:
    """Claim, arm and line of the ties of a file, strongest first."""
    return [(tied.claim.id, tied.tie.arm, tied.tie.line) for tied in ties(engine, path)]


def plant(root: Path, planted: Path) -> None:
    """Everything in a repository by which git could be made to run a program, or to reach out."""
    script = root / "run.sh"
    hooks = ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout")
    programs = [script, root / "git", *(root / ".git" / "hooks" / hook for hook in hooks)]
    attributes, included = "* filter=x diff=x\n", f"[core]\n fsmonitor={script}"
    write(root, {".gitattributes": attributes, "included": included})
    for key in (
        "core.fsmonitor core.sshCommand core.pager core.hooksPath diff.external filter.x.clean "
        "filter.x.process diff.x.textconv core.alternateRefsCommand uploadpack.packObjectsHook"
    ).split():
        git(root, "config", key, str(script))
    for setting in (
        f"alias.ls-files=!{script}",
        f"remote.origin.url=ext::{script}",
        "remote.origin.promisor=true",
        "remote.origin.partialclonefilter=blob:none",
        "extensions.partialClone=origin",
        "protocol.ext.allow=always",
        "core.repositoryformatversion=1",
        f"core.attributesFile={root / '.gitattributes'}",
        "include.path=../included",
    ):
        git(root, "config", *setting.split("=", 1))
    for program in programs:
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch {planted}\n", "utf-8")
        program.chmod(0o755)
