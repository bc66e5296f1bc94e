"""Declared types as expressions: which class a value of this type is an instance of.

Wrappers that behave as what they hold (`Optional`, `Promise`, `Box`, pointers) are seen through;
of collections the element type is kept. One reader for all languages.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.indexer.callgraph.expressions.expressions import NOTHING, Expression

_SEEN_THROUGH = frozenset(
    "Optional Annotated Final ClassVar Required NotRequired ReadOnly Promise PromiseLike Awaitable"
    " Coroutine Box Rc Arc Ref RefMut RefCell Cell Mutex RwLock MutexGuard Pin Cow Readonly Partial"
    " NonNullable unique_ptr shared_ptr weak_ptr CompletableFuture Task ValueTask Lazy Union Result"
    " Option Future Nullable Weak Provider Supplier AtomicReference Observable Ref ShallowRef"
    " MaybePromise".split()
)
_COLLECTIONS = frozenset(
    "list List Sequence MutableSequence Iterable Iterator Set set frozenset FrozenSet tuple Tuple"
    " dict Dict Mapping MutableMapping DefaultDict defaultdict OrderedDict Generator Collection"
    " AsyncIterator AsyncIterable AsyncGenerator deque Deque Vec VecDeque HashMap BTreeMap HashSet"
    " BTreeSet Array ReadonlyArray Map WeakMap ReadonlyMap ReadonlySet vector map unordered_map"
    " Stream Flux ArrayList LinkedList Queue IEnumerable IList ICollection IReadOnlyList Dictionary"
    " IDictionary Seq MutableList MutableMap MutableSet LinkedHashMap TreeMap ConcurrentHashMap"
    " ConcurrentMap SortedMap ContextManager AbstractContextManager".split()
)
_LAST = frozenset({"Coroutine", "dict", "Dict", "Mapping", "MutableMapping", "HashMap", "Map"})
_LAST |= {"BTreeMap", "DefaultDict", "defaultdict", "OrderedDict", "map", "Dictionary", "WeakMap"}
_LAST |= {"MutableMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap", "ConcurrentMap"}
_CLASS_ITSELF = frozenset({"type", "Type"})
_NOISE = re.compile(
    r"\b(?:mut|dyn|impl|const|final|readonly|static|unsigned|struct|volatile|inout|keyof)\b\s*"
    r"|'[a-z_]\w*(?=[\s,>])|@\w+(?:\([^()]*\))?\s+"
)
_PATH = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_JOINT = re.compile(r"\.|::|\\")
_PAIR = {"<": ">", "[": "]"}


@lru_cache(maxsize=1 << 14)
def read(text: str) -> Expression:
    """The expression whose value is what a place of the type `text` holds."""
    return _type(_NOISE.sub("", text.strip()).strip("\"' "), 0)


def _type(text: str, depth: int) -> Expression:
    text = text.strip().lstrip(":&*^?|\\ ").strip("\"' ")
    if depth > 6 or not text or "=>" in text or text.startswith(("(", "{", "func(", "fn(", "->")):
        return NOTHING
    choices = _split(text, "|&")
    if len(choices) > 1:
        found = tuple(e for e in (_type(c, depth + 1) for c in choices) if e != NOTHING)
        return ("either", found) if found else NOTHING
    if text.startswith("["):
        return _items(
            _type(text[1:].rstrip("]").partition(";")[0].lstrip("0123456789]"), depth + 1)
        )
    if text.startswith(("map[", "chan ")):
        return _items(_type(text.partition("]" if text[0] == "m" else " ")[2], depth + 1))
    if text.endswith("[]"):
        return _items(_type(text[:-2], depth + 1))
    path = _PATH.match(text)
    return _named(path[0], text[path.end() :].strip(" ?!*&"), depth) if path else NOTHING


def _named(path: str, rest: str, depth: int) -> Expression:
    if path == "typeof":
        return _path(rest)
    name = _JOINT.split(path)[-1]
    inner: list[str] = []
    if rest[:1] in _PAIR and rest.endswith(_PAIR[rest[0]]):
        inner = _split(rest[1:-1], ",")
    elif rest and rest[0] not in "<[":
        # `Foo bar`: C's order of words; what follows the type is not part of it
        return ("instance", _path(path))
    if name in _CLASS_ITSELF:
        of = _type(inner[0], depth + 1) if inner else NOTHING
        return of[1] if of[0] == "instance" else NOTHING
    if inner and name in _SEEN_THROUGH:
        wanted = inner if name == "Union" else inner[-1:] if name in _LAST else inner[:1]
        found = tuple(e for e in (_type(i, depth + 1) for i in wanted) if e != NOTHING)
        return ("either", found) if len(found) > 1 else found[0] if found else NOTHING
    if inner and name in _COLLECTIONS:
        return _items(_type(inner[-1] if name in _LAST else inner[0], depth + 1))
    return ("instance", _path(path))


def _items(of: Expression) -> Expression:
    return ("items", of) if of != NOTHING else NOTHING


def _path(text: str) -> Expression:
    parts = [part for part in _JOINT.split(text) if part]
    found: Expression = ("name", parts[0]) if parts else NOTHING
    for part in parts[1:]:
        found = ("attr", found, part)
    return found


def _split(text: str, at: str) -> list[str]:
    """Parts between separators that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "<[({":
            depth += 1
        elif character in ">])}" and text[i - 1 : i] != "-":
            depth -= 1
        elif character in at and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]
