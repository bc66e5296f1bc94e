"""Names that languages and their platforms define themselves, so that no code here could. Pure.

A use of one is no use that a rule failed to resolve. Sources are the references of the languages:
the modules `builtins` of Python, the global objects of ECMAScript, TypeScript, the web and Node.js,
the predeclared identifiers of Go, and `java.lang`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ReferenceRecord, SymbolRecord

_PYTHON = frozenset(
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod"
    " compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset"
    " getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals"
    " map max memoryview min next object oct open ord pow print property range repr reversed round"
    " set setattr slice sorted staticmethod str sum super tuple type vars zip __import__"
    " NotImplemented Ellipsis".split()
)
_PYTHON_ERROR = re.compile(
    r"(?:Base|Arithmetic|Assertion|Attribute|BlockingIO|BrokenPipe|Buffer|ChildProcess|Connection"
    r"|ConnectionAborted|ConnectionRefused|ConnectionReset|EOF|FileExists|FileNotFound"
    r"|FloatingPoint|IO|Import|Indentation|Index|Interrupted|IsADirectory|Key|Lookup|Memory"
    r"|ModuleNotFound|Name|NotADirectory|NotImplemented|OS|Overflow|Permission|ProcessLookup"
    r"|Recursion|Reference|Runtime|Syntax|System|Tab|Timeout|Type|UnboundLocal|Unicode"
    r"|UnicodeDecode|UnicodeEncode|UnicodeTranslate|Value|ZeroDivision)Error"
    r"|(?:Bytes|Deprecation|Encoding|Future|Import|PendingDeprecation|Resource|Runtime|Syntax"
    r"|Unicode|User)?Warning|(?:Base)?Exception(?:Group)?|GeneratorExit|KeyboardInterrupt"
    r"|StopAsyncIteration|StopIteration|SystemExit"
)
_JAVASCRIPT = frozenset(
    "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView"
    " Date Error EvalError FinalizationRegistry Float32Array Float64Array Function Int16Array"
    " Int32Array Int8Array Intl Iterator JSON Map Math Number Object Promise Proxy RangeError"
    " ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError"
    " URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet"
    " decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite"
    " isNaN parseFloat parseInt require super unescape"
    " AbortController AbortSignal Blob Buffer CompressionStream CryptoKey CustomEvent"
    " DecompressionStream Event EventTarget File FileReader FormData Headers HTMLElement"
    " MessageChannel MessageEvent MessagePort ReadableStream Request Response TextDecoder"
    " TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLSearchParams WebSocket"
    " Worker WritableStream XMLHttpRequest atob btoa clearImmediate clearInterval clearTimeout"
    " fetch queueMicrotask requestAnimationFrame setImmediate setInterval setTimeout"
    " structuredClone".split()
)
_TYPESCRIPT = _JAVASCRIPT | frozenset(
    "ArrayLike AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator Awaited Capitalize"
    " ConstructorParameters Exclude Extract Generator InstanceType Iterable IterableIterator"
    " Lowercase NoInfer NonNullable Omit Parameters Partial Pick PromiseLike Readonly ReadonlyArray"
    " ReadonlyMap ReadonlySet Record Required ReturnType ThisType Uncapitalize Uppercase"
    " BodyInit HeadersInit RequestInfo RequestInit ResponseInit".split()
)
_GO = frozenset(
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error"
    " float32 float64 imag int int16 int32 int64 int8 len make max min new panic print println real"
    " recover rune string uint uint16 uint32 uint64 uint8 uintptr".split()
)
_JAVA = frozenset(
    "ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean Byte"
    " CharSequence Character Class ClassCastException ClassLoader Cloneable Comparable Deprecated"
    " Double Enum Error Exception Float FunctionalInterface IllegalArgumentException"
    " IllegalStateException IndexOutOfBoundsException Integer InterruptedException Iterable Long"
    " Math NullPointerException Number NumberFormatException Object Override Process Record"
    " Runnable Runtime RuntimeException SafeVarargs Short String StringBuffer StringBuilder"
    " SuppressWarnings System Thread ThreadLocal Throwable UnsupportedOperationException"
    " Void".split()
)
_NAMES = {
    "python": _PYTHON, "javascript": _JAVASCRIPT, "typescript": _TYPESCRIPT, "tsx": _TYPESCRIPT,
    "vue": _TYPESCRIPT, "svelte": _TYPESCRIPT, "astro": _TYPESCRIPT, "go": _GO, "java": _JAVA,
}  # fmt: skip
_TYPE_PARAMETER = re.compile(r"[<\[,]\s*(?:const |in |out |reified )*([A-Z]\w*)")


def is_one(snapshot: Snapshot, use: ReferenceRecord) -> bool:
    """Whether a use that leads nowhere is of a name that its language defines itself."""
    identity = snapshot.files.identity(use.path)
    language = identity[1] if identity and not use.receiver else ""
    is_error = language == "python" and _PYTHON_ERROR.fullmatch(use.name) is not None
    return is_error or use.name in _NAMES.get(language, ())


class Parted(Struct, frozen=True):
    """Uses that lead nowhere: those that may mean something here, and, with how often and by name,
    those of what the language defines and of what nothing here is called."""

    here: Sequence[ReferenceRecord]
    built_in: tuple[tuple[str, int], ...] = ()
    outside: tuple[tuple[str, int], ...] = ()


def parted(snapshot: Snapshot, uses: Iterable[ReferenceRecord]) -> Parted:
    """Uses by where what they mean is defined."""
    built_in: list[ReferenceRecord] = []
    others: list[ReferenceRecord] = []
    for use in uses:
        (built_in if is_one(snapshot, use) else others).append(use)
    names = sorted({use.name for use in others})
    defined = {symbol.name for symbol in snapshot.symbols.named(*names)}
    here = [use for use in others if use.name in defined]
    outside = [use for use in others if use.name not in defined]
    return Parted(here, _tally(built_in), _tally(outside))


def _tally(uses: Iterable[ReferenceRecord]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(use.name for use in uses).items()))


def type_parameters(root: SymbolRecord) -> Iterator[str]:
    """The names of a definition's own type parameters."""
    begin = re.search(rf"\b{re.escape(root.name)}\s*[<\[]", root.signature)
    if begin:
        yield from _TYPE_PARAMETER.findall(root.signature, begin.end() - 1)
