"""A dictionary whose values are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, TypeVar

__all__ = ["Lazy", "plain"]

K = TypeVar("K")
V = TypeVar("V")


class Lazy(dict[K, V]):
    """What `make` gives for a key and its value in `raw`, kept from then on, and whatever is put
    in besides. `raw` itself is never changed. With `default` an unknown key gets a value, as in a
    defaultdict.
    """

    def __init__(
        self,
        raw: Mapping[Any, Any],
        make: Callable[[K, Any], V],
        default: Callable[[], V] | None = None,
    ) -> None:
        super().__init__()
        self._raw = raw
        self._make = make
        self._default = default
        self._gone: set[K] = set()
        """The keys that `raw` has nothing to say about any more, if it ever had."""

    def raw_of(self, key: K) -> Any:
        """The raw value that stands for a key; None once another one was put in its place."""
        return None if key in self._gone else self._raw.get(key)

    def made(self, key: K) -> V | None:
        """A key's value if it was made or put in, without making it."""
        return dict.get(self, key)

    def peek(self, key: K) -> V | None:
        """What would be made for a key that nothing was made for yet, without keeping it. From any
        thread, where `make` is for any.
        """
        raw = self.raw_of(key) if dict.get(self, key) is None else None
        return None if raw is None else self._make(key, raw)

    def hold(self, key: K, value: V) -> None:
        """Keep what was made for a key elsewhere, unless another value stands there."""
        if key not in self._gone and key in self._raw:
            dict.setdefault(self, key, value)

    def __missing__(self, key: K) -> V:
        if (raw := self.raw_of(key)) is not None:
            value = self._make(key, raw)
            super().__setitem__(key, value)
        elif self._default is not None:
            value = self[key] = self._default()
        else:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._gone.add(key)
        super().__setitem__(key, value)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._gone.add(key)
        dict.pop(self, key, None)

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, key) or (key not in self._gone and key in self._raw)

    def __iter__(self) -> Iterator[K]:
        """The keys: those of `raw` first, in their order, then the others."""
        added = [key for key in super().__iter__() if key not in self._raw or key in self._gone]
        yield from (key for key in self._raw if key not in self._gone)
        yield from added

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), self) is not self

    def get(self, key: K, default: Any = None) -> Any:
        made = dict.get(self, key)  # most are looked up again and again
        if made is None and key in self._raw and key not in self._gone:
            return self[key]
        return default if made is None else made

    def pop(self, key: K, *default: Any) -> Any:
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def setdefault(self, key: K, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def keys(self) -> KeysView[K]:  # type: ignore[override]
        return KeysView(self)

    def values(self) -> ValuesView[V]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[K, V]:  # type: ignore[override]
        return ItemsView(self)


def plain(held: Mapping[Any, Any], value_of: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    """The entries of a mapping with plain values, without empty ones; of a lazy one, what was never
    made is taken as it is in `raw`.
    """
    if not isinstance(held, Lazy):
        yield from ((key, value_of(value)) for key, value in held.items() if value)
        return
    for key in held:
        made = held.made(key)
        if value := held.raw_of(key) if made is None else made and value_of(made):
            yield key, value
