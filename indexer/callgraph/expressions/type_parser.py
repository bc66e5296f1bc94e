"""Text of a declared type read as an expression: what a value of this type is an instance of.

Wrappers that behave as what they hold (`Optional`, `Promise`, `Box`, pointers) are seen through; of
collections the type of the elements is kept. One reader serves all languages: the names below are
those of their standard libraries.
"""

import re
from functools import lru_cache

from satchel.indexer.callgraph.expressions.nodes import (
    NOTHING,
    Attribute,
    CollectionOf,
    Either,
    Expression,
    InstanceOf,
    ListLiteral,
    Name,
    either,
)

_WRAPPERS = frozenset(
    "Optional Annotated Final ClassVar Required NotRequired ReadOnly Promise PromiseLike"
    " Awaitable Coroutine Box Rc Arc Ref RefMut RefCell Cell Mutex RwLock MutexGuard Pin Cow"
    " Readonly Partial NonNullable unique_ptr shared_ptr weak_ptr CompletableFuture Task"
    " ValueTask Lazy Union Result Option Future Nullable Weak Provider Supplier AtomicReference"
    " Observable ShallowRef MaybePromise optional IOptions MutableLiveData LiveData StateFlow"
    " MutableStateFlow Deferred Try Mono Uni Single Entry KeyValuePair".split()
)
_COLLECTIONS = frozenset(
    "array iterable list List Sequence MutableSequence Iterable Iterator Set set frozenset"
    " FrozenSet tuple Tuple dict Dict Mapping MutableMapping DefaultDict defaultdict OrderedDict"
    " Generator Collection AsyncIterator AsyncIterable AsyncGenerator deque Deque Vec VecDeque"
    " HashMap BTreeMap HashSet BTreeSet Array ReadonlyArray Map WeakMap ReadonlyMap ReadonlySet"
    " vector map unordered_map Stream Flux ArrayList LinkedList Queue IEnumerable IList"
    " ICollection IReadOnlyList Dictionary IDictionary Seq MutableList MutableMap MutableSet"
    " LinkedHashMap TreeMap ConcurrentHashMap ConcurrentMap SortedMap ContextManager"
    " AbstractContextManager ContextVar PriorityQueue LifoQueue SimpleQueue Flow SharedFlow"
    " multimap Record".split()
)
_LAST_ARGUMENT = frozenset(
    "array iterable unordered_map Record Entry KeyValuePair Coroutine dict Dict Mapping"
    " MutableMapping HashMap Map BTreeMap DefaultDict defaultdict OrderedDict map Dictionary"
    " WeakMap MutableMap LinkedHashMap TreeMap ConcurrentHashMap ConcurrentMap".split()
)
"""Those whose last type argument counts: the values of a mapping, and not its keys."""
_ANYTHING = frozenset({"object", "Any", "any", "unknown"})
"""Types that say nothing, so that what a place was given says more."""
_CLASS_ITSELF = frozenset({"type", "Type"})
_NOISE = re.compile(
    r"\b(?:mut|dyn|impl|const|final|readonly|static|unsigned|struct|volatile|inout|keyof)\b\s*"
    r"|\b(?:some|any)\s+(?=[A-Z])"
    r"|'[a-z_]\w*(?=[\s,>])|@\w+(?:\([^()]*\))?\s+"
)
_FUNCTIONS_AND_SHAPES = ("(", "{", "func(", "fn(", "->")
_PATH = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_SEPARATOR = re.compile(r"\.|::|\\")
_CLOSING = {"<": ">", "[": "]"}
_MAX_DEPTH = 6
"""Types within types; deeper ones are not followed."""


@lru_cache(maxsize=1 << 14)
def parse_type(text: str) -> Expression:
    """The expression whose value is what a place of the type `text` holds."""
    return _type(_NOISE.sub("", text.strip()).strip("\"' "), 0)


def type_aliased(signature: str) -> Expression:
    """The type to which a declaration gives another name: `type A<T> = B`, `typedef struct b A`."""
    aliased = _split(signature, "=")[1:]
    words = signature.replace("*", " ").replace("&", " ").split()
    if words[:1] == ["typedef"] and words[-1].isidentifier() and not aliased:
        aliased = [" ".join(words[1:-1])]
    return parse_type("=".join(aliased))


def _type(text: str, depth: int) -> Expression:
    text = text.strip().lstrip(":&*^?|\\ ").strip("\"' ")
    if text.startswith("(") and text.endswith(")"):
        parts = [part.rpartition(": ")[2] for part in _split(text[1:-1], ",")]
        of_parts = tuple(_type(part, depth + 1) for part in parts)
        return ListLiteral(of_parts) if len(parts) > 1 else of_parts[0] if parts else NOTHING
    if depth > _MAX_DEPTH or not text or "=>" in text or text.startswith(_FUNCTIONS_AND_SHAPES):
        return NOTHING
    # An intersection is treated as a union: a value has the members of any of them.
    choices = _split(text, "|&")
    if len(choices) > 1:
        known = [e for e in (_type(c, depth + 1) for c in choices) if e is not NOTHING]
        return Either(tuple(known)) if known else NOTHING
    if text.startswith("["):  # `[]T`, `[4]T` of Go, `[T; 4]` of Rust, `[T]` of Swift
        parts = _split(text[1:-1], ",") if text.endswith("]") else []
        if len(parts) > 1:  # a tuple of TypeScript
            return ListLiteral(tuple(_type(part, depth + 1) for part in parts))
        element = text[1:].rstrip("]?!").partition(";")[0].lstrip("0123456789]")
        element = _split(element, ":")[-1] if ": " in element else element  # `[K: V]` of Swift
        return _collection(_type(element, depth + 1))
    if text.startswith(("map[", "chan ", "<-chan ")):  # Go: values of a map, items of a channel
        return _collection(_type(text.partition("]" if text[0] == "m" else " ")[2], depth + 1))
    if text.endswith("[]"):
        return _collection(_type(text[:-2], depth + 1))
    path = _PATH.match(text)
    return _named_type(path[0], text[path.end() :].strip(" ?!*&"), depth) if path else NOTHING


def _named_type(path: str, rest: str, depth: int) -> Expression:
    """The type called `path`, with `rest` after its name."""
    if path == "typeof":  # TypeScript: the type of a value is followed as the value is
        return _path(rest)
    name = _SEPARATOR.split(path)[-1]
    if name in _ANYTHING and not rest:
        return NOTHING
    inner: list[str] = []
    if rest[:1] in _CLOSING and rest.endswith(_CLOSING[rest[0]]):
        inner = _split(rest[1:-1], ",")
    elif rest and rest[0] not in "<[":
        # `Foo bar`: C's order of words; what follows the type is not part of it
        return InstanceOf(_path(path))
    # `type[T]` is the class and not an instance of it; a tree may have a class called `Type`.
    if inner and name in _CLASS_ITSELF:
        of = _type(inner[0], depth + 1)
        return of.of if type(of) is InstanceOf else NOTHING
    if inner and name in _WRAPPERS:
        # `Result<T, E>` is seen as T: what is called on an error is seldom in the tree.
        wanted = inner if name == "Union" else inner[-1:] if name in _LAST_ARGUMENT else inner[:1]
        known = [e for e in (_type(each, depth + 1) for each in wanted) if e is not NOTHING]
        # The tree may have a class of that name itself.
        own = [] if name in ("Union", "Optional", "Annotated") else [InstanceOf(_path(path))]
        return Either((*known, *own)) if known and own else either(known)
    if inner and name in _COLLECTIONS:
        return _collection(_type(inner[-1] if name in _LAST_ARGUMENT else inner[0], depth + 1))
    return InstanceOf(_path(path))


def _collection(element: Expression) -> Expression:
    return CollectionOf(element) if element is not NOTHING else NOTHING


def _path(text: str) -> Expression:
    """`a.b.c` as an expression."""
    parts = [part for part in _SEPARATOR.split(text) if part]
    found: Expression = Name(parts[0]) if parts else NOTHING
    for part in parts[1:]:
        found = Attribute(found, part)
    return found


def _split(text: str, at: str) -> list[str]:
    """Parts between separators that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "<[({":
            depth += 1
        elif character in ">])}" and text[i - 1 : i] not in ("-", "="):  # of `->` and `=>`
            depth -= 1
        elif character in at and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]
