"""What git has checked out around a knowledge base, and for which checkout that was taken in."""

from __future__ import annotations

from typing import NamedTuple

from vouch_sidecar.workspace.git import Head, WorkingTree


class CheckedOut(NamedTuple):
    """Versions of git's index and of HEAD at one moment; None where there is none."""

    tree: object = None
    head: object = None


class Checkout:
    """HEAD of the repository around one knowledge base. Call its methods on the event loop only."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._read = CheckedOut()

    @property
    def has_moved(self) -> bool:
        """Whether something was checked out or committed since the files were read. Costs a stat
        or two.
        """
        return self._head is not None and self._head.version() != self._read.head

    def differs_from(self, tree: WorkingTree) -> bool:
        """Whether git's index or HEAD changed since the files were read."""
        return versions(tree, Head.of_tree(tree)) != self._read

    def was_read(self, head: Head | None, seen: CheckedOut) -> bool:
        """Record for which checkout the files were read. Returns whether HEAD is another one."""
        before, self._head, self._read = self._read, head, seen
        return before.head != seen.head


def versions(tree: WorkingTree, head: Head | None) -> CheckedOut:
    """The present versions. Costs a stat or two each."""
    return CheckedOut(tree.version(), None if head is None else head.version())
