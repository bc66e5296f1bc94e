"""Rewrites source that a grammar cannot read; every byte keeps its offset and line.

Facts are cut from the original bytes, so what is blanked out here is still shown. Of languages in
another one, Ruby in the templates of ERB is read. Where a pattern could backtrack for long, its
repetitions are bounded or possessive: the source may be hostile.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

from satchel.indexer.languages.rewriting.extension_blocks import with_members_of_extensions
from satchel.indexer.languages.rewriting.split_branches import with_whole_statements

_BATS_TEST = re.compile(rb"^([ \t]*)@test[ \t]+([\"'])([^\n]*)\2[ \t]+\{", re.MULTILINE)
# Arithmetic with brackets nested two deep, which is enough for shell scripts.
_FLAT = rb"[^()\n]{0,200}+"
_NESTED = (
    rb"(?:\(" + _FLAT + rb"(?:\(" + _FLAT + rb"\)" + _FLAT + rb"){0,9}+\)" + _FLAT + rb"){0,9}+"
)
_ARITHMETIC = re.compile(
    rb"(?<![^\s;&|!])(for[ \t]*)?\(\(" + _FLAT + _NESTED + rb"\)\)(?=[\s;&|]|$)", re.MULTILINE
)
_COMPARISON = re.compile(rb"(\[\[ [^\n\]<>]{1,200} )[<>]( [^\n\]<>]{1,200} \]\])")
# `;&` and `;;&` end a branch of `case` that goes on to another.
_FALLS_THROUGH = re.compile(rb";;?&(?=\s)")
# `for each do`: a loop over all arguments.
_FOR_ALL = re.compile(rb"^([ \t]*for[ \t]+\w+)[ \t]([ \t]*do[ \t]*$)", re.MULTILINE)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:if|elseif|else|endif|warning|error)\b[^\n]*", re.MULTILINE)
# Words of Swift that say how an expression runs or what becomes of a value, and types of errors.
_HOW_IT_RUNS = re.compile(
    rb"(?<!for )(?<!for try )\b((?:await|unsafe|sending)[ \t]+)(?=[\w(\[.\\])"
    rb"|\bthrows(\([\w.]+\))|\bnonisolated(\(\w+\))|\b(isolated)[ \t]+deinit\b"
)
# The macro in `class [[nodiscard]] MYLIB_EXPORT Name {`: capitals between the keyword and the name.
_EXPORTED = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+(?:class[ \t]+)?(?:\[\[[^\]\n]*\]\][ \t]*)?"
    rb"((?:[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?[ \t]+){1,3})"
    rb"(?=[A-Za-z_][\w:]*(?:[ \t]+final)?\s*(?:\{|:[^:]))"
)
# What only C++ has: namespaces, templates, access labels, headers of its standard library or of Qt.
_CPP = re.compile(
    rb"\n[ \t]*(?:(?:inline[ \t]+)?namespace\b[^;=]*\{|template[ \t]*<|enum[ \t]+class\b"
    rb"|using[ \t]+(?:namespace\b|\w+[ \t]*=|\w+::)|class[ \t]+[\w \t:,<>]+[;{]"
    rb"|enum[ \t]+\w+[ \t]*:[ \t]*\w[\w \t:]{0,60}\{"
    rb"|(?:public|private|protected)(?:[ \t]+slots)?[ \t]*:|(?:virtual|explicit|friend)[ \t]"
    rb"|~\w+\(|struct[ \t]+\w+[ \t]*(?:final[ \t]*)?:[^:;{\n]*\{"
    rb"|#[ \t]*include[ \t]*<(?:c?[a-z]+_?[a-z]+|\w+/\w+\.hpp|Q\w+)>)"
)
_CPP_MARKED = re.compile(
    rb"\n[ \t]*(?:[^\n\"/]{0,120}[(,\s]const[ \t]+[\w:]{1,60}(?:<[\w:, *]{1,60}>)?&[ \t]*\w+"
    rb"[ \t]*[,)=]"
    rb"|[\w \t*&]*\bstd::\w"
    rb"|[\w \t:*&<>]{1,120}[(,][ \t]*(?:const[ \t]+)?[\w:]+(?:&[ \t]+|[ \t]+&)\w+[ \t]*[,)]"
    rb"|[\w \t:*&<>]{1,120}\boperator[ \t]*[-+*/<>=!\[(])"
)
_OBJECTIVE = re.compile(
    rb"^[ \t]*(?:@(?:interface|protocol|implementation|class|import)\b|#import\b"
    rb"|NS_ASSUME_NONNULL_BEGIN\b|typedef[ \t]+NS_(?:ENUM|OPTIONS)\b)",
    re.MULTILINE,
)
_APPLE_ENUM = re.compile(
    rb"\b(?:typedef[ \t]+)?(?:NS|CF)_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)[ \t]*"
    rb"\((?:[^,()\n]{1,80},)?[ \t]*(\w+)[ \t]*\)"
)
_MACRO_CALL = rb"\([^()\n]{0,200}+(?:\([^()\n]{0,200}+\)[^()\n]{0,200}+){0,9}+\)"
_APPLE = re.compile(
    rb"\b(?:(?:[A-Z]+_)?(?:NS|API|CF|UI|FOUNDATION|UIKIT|OBJC)_[A-Z_]+(?:" + _MACRO_CALL + rb")?"
    rb"|_Nonnull|_Nullable|_Null_unspecified|__(?:nullable|nonnull|kindof|unused)\b)"
)
# Patterns for C begin with the end of the line before: a search for it is quick, one for the start
# of a line asks at every byte.
_EXTERN_C = re.compile(
    rb"\n[ \t]*+#[ \t]*if[^\n]*\b__cplusplus\b[^\n]*\n\s*(extern\s*\"C\"\s*\{|\}[^\n]*)"
    rb"(?=\n\s*#[ \t]*endif)"
)
# A line such as `BEGIN_NAMESPACE` or `API_DEPRECATED(2.0)`, with code below it.
_LONE_MACRO = re.compile(
    rb"\n[ \t]*+((?:[A-Z][A-Z0-9]*|__?[A-Z]+)_[A-Z0-9_]*(?:\([^()\n]*\))?)"
    rb"(?=[ \t]*\r?\n\s*(?:[A-Za-z_~\[]|/[/*])|[ \t]+(?:template|namespace)\b)"
)
# Macros before what has a type and a name: `UPROPERTY(EditAnywhere) int Health`, there or on the
# next line, and `MYLIB_API static int f(`; a type of capitals alone stays one. A constructor has
# the name of a class alone.
_MACROS_OF_DECLARATION = (
    rb"((?:[A-Z][A-Z0-9_]{2,99}+" + _MACRO_CALL + rb"[ \t]*+(?:\r?\n[ \t]*+)?"
    rb"|[A-Z][A-Z0-9]{0,99}+_[A-Z0-9_]{1,99}+[ \t]++){1,9}+)"
    rb"(?=(?:(?:class|struct|enum|const|static|inline|virtual|unsigned|explicit)[ \t]+)*"
    rb"(?:(?!const\b)[A-Za-z_:]*[a-z][\w:]*(?:<[^;(){}\n]{1,200}>)?"
    rb"(?:[ \t]*[*&]+[ \t]*|[ \t]+)[A-Za-z_]"
    rb"|[A-Z][A-Z0-9_]*(?:[ \t]*[*&]+[ \t]*|[ \t]+)\w+[ \t]*\("
    rb"|~?(?P<maker>[A-Za-z_]\w*)\())"
)
_BEFORE_DECLARATION = re.compile(rb"\n[ \t]*+" + _MACROS_OF_DECLARATION)
_OF_CLASS = re.compile(rb"(?:class|struct) (?=(\w+))")
_AMID_DECLARATION = re.compile(
    rb"(?:\b(?:static|inline|constexpr|virtual|explicit|friend)|>)[ \t]++" + _MACROS_OF_DECLARATION
)
# What a macro says of a member of an enum: `A UMETA(DisplayName="x"),`.
_ENUM_BODY = re.compile(rb"enum\b[^;{}()]{1,200}+\{[^{}]+\}")
_BEHIND_MEMBER = re.compile(rb"\w[ \t]+([A-Z][A-Z0-9_]{2,99}+" + _MACRO_CALL + rb")(?=\s*[,}=])")
# What Clang's analysis of locks is told behind a declaration: `int size_ GUARDED_BY(mutex_);`.
_LOCKED = re.compile(
    rb"(?<=\s)((?:[A-Z][A-Z0-9]*_)?"
    rb"(?:(?:PT_)?GUARDED_(?:BY|VAR)|ACQUIRED_(?:BEFORE|AFTER)|LOCKS_EXCLUDED|LOCK_RETURNED"
    rb"|(?:EXCLUSIVE_|SHARED_)?(?:LOCKS_REQUIRED|(?:TRY|UN)?LOCK_FUNCTION)"
    rb"|NO_THREAD_SAFETY_ANALYSIS)(?:\([^()\n;]{0,200}+(?:\(\)[^()\n;]{0,200}+)?\))?)"
    rb"(?=\s*[;={])"
)
# `typedef int (Type::*Name)(int)`: a pointer to a member, which the grammar takes for no name.
_OF_MEMBER = re.compile(rb"\(((?:\w+::)+)(?=\*\s*\w*\))")
# `"%" PRId64`: a format from <inttypes.h>, which the grammar of C++ does not take for a string.
_FORMAT = re.compile(rb"\"[ \t]*(PRI[a-zA-Z]{1,9}\d{0,3})(?=\s*[\",;)])")
# A macro that ends in a condition or a loop: `IF_FIRST (x) {` in a function.
_DEFINED = re.compile(rb"\n[ \t]*+#[ \t]*define[ \t]+(\w+)\(((?:\\\r?\n|[^\n])*)")
_CONDITION = re.compile(rb"\b(?:if|for|while|switch)\b[^;{}]*$")
_COMMENT = re.compile(rb"/\*(?:[^*\n\\]|\*(?!/))*+\*/")
# A line that begins with type parameters: in an interface it is the signature of a call.
_CALL_SIGNATURE = re.compile(rb"^[ \t](?=([ \t]*)<(?:[A-Z_$]|[ \t]*\r?$))", re.MULTILINE)
_ENDED_TYPE = re.compile(rb"[ \t]*[^ \t].*[\w>\])}\"']|[ \t]*[>\])}]")
_COMMENTED = (b"//", b"/*", b"*")
_COMMENT_LINES = 40
# `in` and `out` before the name of a type parameter, which the grammar does not know yet.
_VARIANCE = re.compile(
    rb"[<,]\s{0,99}+(?:/\*(?:[^*]|\*(?!/)){0,200}+\*/\s{0,99}+)?((?:in[ \t]{1,9}+)?(?:in|out))"
    rb"(?=[ \t]{1,9}+[A-Z_$][\w$]{0,99}+\s{0,99}+(?:[=,>]|extends\b))"
)
_USING_LOOP = re.compile(
    rb"\bfor[ \t]*(?:await[ \t]*)?\([ \t]*((?:await[ \t]+)?using)(?=[ \t]+\w+[ \t]+of\b)"
)
_ACCESSOR = re.compile(
    rb"\b(?:static|override|public|private|protected|readonly)[ \t]+(accessor)(?=[ \t]+[\w$#\[])"
)
_DEFERRED_IMPORT = re.compile(rb"^import[ \t]+(defer)(?=[ \t]+\*)", re.MULTILINE)
_TYPE_EXPORT = re.compile(rb"^export[ \t]+(type)[ \t]+(?=\*)", re.MULTILINE)
_MULTI_DOLLAR = re.compile(rb"(\$\$+)(\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"|\"(?:[^\"\\\n]|\\.)*+\")")
_DOLLARS = re.compile(rb"\$+")
_CONTEXT = re.compile(
    rb"^[ \t]*(context\((?=[\w`]{1,99}[ \t]*:)[^()\n]{1,300}\))(?=\s*(?:@|[a-z]))", re.MULTILINE
)
_DELEGATED_OBJECT = re.compile(
    rb"\bobject[ \t]*:[ \t]*[\w.<>?, ]{1,200}?[ \t](by[ \t]+[\w.]{1,99})(?=\s*\{)"
)
_ELSE_GUARD = re.compile(rb"^[ \t]*(else if )(?=[^\n{}]{1,300}?->)", re.MULTILINE)
_GUARD = re.compile(rb" if (?=[^\n{}]{1,300}?->)")
"""`is String if a.isEmpty() ->`, `else if a ->`: conditions of a branch of `when`."""
_BEFORE_GUARD = re.compile(rb"[^={}]*[\w)\"'\]]\Z")
_QUOTED = rb"\"(?:[^\"\\\n]|\\.){0,400}+\""
_IN_QUOTES = rb"[^()\"]{1,400}+|" + _QUOTED
_GIVEN = (
    rb"\((?:" + _IN_QUOTES + rb"|\((?:" + _IN_QUOTES + rb"|\([^()]{0,400}+\)){0,99}+\)){0,99}+\)"
)
# `template <class T, REQUIRES("…", is_token<T>)>`: a condition, which is no parameter.
_TYPE_CONDITION = re.compile(
    rb"\btemplate[ \t]*<[^;{}()]{0,300}?(,\s{0,99}+[A-Z][A-Z0-9_]{1,60}+[ \t]*"
    + _GIVEN
    + rb")(?=\s*>)"
)
_ANY = (b"",)
_MACROS = (
    (_EXTERN_C, (b"__cplusplus",)),
    (_EXPORTED, _ANY),
    (_LONE_MACRO, _ANY),
    (_BEFORE_DECLARATION, _ANY),
    (_AMID_DECLARATION, (b"template", b"class ")),
    (_OF_MEMBER, (b"::*",)),
    (_TYPE_CONDITION, (b"template",)),
    (_LOCKED, (b"GUARDED_BY(", b"LOCKS_REQUIRED(", b"LOCKS_EXCLUDED(")),
)
"""What is blanked in C and C++, each with words of which a file has one that has any of it."""
_ANNOTATION = rb"@[\w.]++(?:<[^\n<>()]*+>)?(?:" + _GIVEN + rb")?"
# A type of the file with several annotations, neither parameters nor bases: the grammar takes
# `class Order { … }` for an expression then, the function `class` of two values.
_ANNOTATED_TYPE = re.compile(
    rb"((?: \*/)?\n)?^((?:" + _ANNOTATION + rb"(?:\s|//[^\n]*+\n)++){2,99}+)"
    rb"(?:[a-z]+[ \t]+){0,9}(?:class|interface|object)[ \t]+[\w`]+[ \t]*+(?:<[^{}()\n]*>)?[ \t]*+"
    rb"(?![\w@])(?!\s*[(:,<])",
    re.MULTILINE,
)
# A constructor below the name of its class, which the grammar takes for a call.
_CONSTRUCTOR_BELOW = re.compile(
    rb"\b(?:class|object)[ \t]+[\w`]+[ \t]*(?:<[^{}()]{1,300}?>)?"
    rb"([ \t]*\r?\n[ \t]*(?:(?:" + _ANNOTATION + rb"|private|protected|internal|public)"
    rb"(?:[ \t]+|[ \t]*\r?\n[ \t]*))*+)"
    rb"(?=constructor\b)"
)
_BACKING_FIELD = re.compile(rb"\bva[lr][ \t][^\n={]*\n[ \t]*+(field)(?=[ \t]*(?::[^\n=]+)?=[^=])")
_DATA_OBJECT = re.compile(rb"\b(data)(?=[ \t]+object\b)")
_ONE_ANNOTATION = re.compile(_ANNOTATION)
# Bodies on one line, which the grammar wants to end in `;` or a line break.
_TYPE_LINE = re.compile(rb"^[^\n{}/\"]{0,200}\b(?:class|interface|object)\b[^\n]*\}", re.MULTILINE)
_OPEN_END = re.compile(rb"(?<=[^\s{;])[ \t](?=\})")
# `a?.B = 1`: an assignment that is made unless there is nothing to assign to.
_ASSIGNED_UNLESS_NULL = re.compile(
    rb"\?(?=(?:\.\w+|\[[^\]\n]{0,99}\])(?:\??\.\w+|\??\[[^\]\n]{0,99}\]){0,9}+\s*"
    rb"(?:[-+*/%&|^]|<<|>>|\?\?)?=(?![=>]))"
)
_CONSTRUCTOR_CALL = re.compile(rb"(?<![\w.])(?:super|this)(?=\()")
# `=>` and what a method gives, in each branch of an `#if`.
_BODIES = re.compile(
    rb"^[ \t]*#if[^\n]*\n(?=\s*=>)[^#]{0,2000}+"
    rb"(?:#el[^\n]*\n(?=\s*=>)[^#]{0,2000}+)+#endif[^\n]*",
    re.MULTILINE,
)
_NEXT_BODY = re.compile(rb"(;)\s*#el[^\n]*\n\s*(=>)")
_DIRECTIVE_LINE = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)
# A sub that is declared ahead, which the grammar takes for one whose body goes to the end of the
# file; a report's layout, which ends in a dot.
_PERL_UNREADABLE = re.compile(
    rb"^[ \t]*(sub[ \t]+[\w:]+[ \t]*(?:\([\\$@%&*;+_ ]*\))?[ \t]*;"
    rb"|format[ \t]+\w+[ \t]*=[ \t]*\n(?:[^\n]*\n){1,99}?\.(?=\r?\n)"
    rb"|(?:our|state)(?=[ \t]+sub[ \t]))",
    re.MULTILINE,
)
_TO_TOOLS = re.compile(rb"^#[:!][^\n]*", re.MULTILINE)
# `enum Color: case Red, Green` on one line, which the grammar wants on two.
_ENUM_LINE = re.compile(
    rb"^([ \t]*(?:[a-z]+[ \t]+)*enum[ \t][^\n{}]*?):([ \t]+case\b[^\n{}]*)\n(?=[ \t]*\n)",
    re.MULTILINE,
)
_ERB_TAG = re.compile(rb"<%(%|#)?(.*?)(%%>|[-=]?%>|\Z)", re.DOTALL)
_ERB_COMMENT = re.compile(rb"\s*#")
_LINE_COMMENT = re.compile(rb"(?:^|\s)#(?!\{)[^\n]*\Z")
_VISIBLE = re.compile(rb"[^\r\n]")
_LINE_END = re.compile(rb"[\r\n]")
_RAW_NAME = re.compile(rb"(?<=func )`[^`\n]* [^`\n]*`")
_NOT_IN_NAMES = re.compile(rb"[^A-Za-z0-9_]")


def shell(data: bytes) -> bytes:
    """Shell without arithmetic commands, with branches that end in `;;`, and the tests of Bats as
    functions."""
    data = _FOR_ALL.sub(rb"\1;\2", data)
    if b";&" in data:
        data = _FALLS_THROUGH.sub(lambda m: b";;".ljust(len(m[0])), data)
    data = _COMPARISON.sub(rb"\1=\2", _ARITHMETIC.sub(_arithmetic, data))
    return _BATS_TEST.sub(_bats_head, data) if b"@test" in data else data


def _arithmetic(match: re.Match[bytes]) -> bytes:
    """A command of the same length that does nothing, so that a body of a `for` stays one."""
    size = len(match[0])
    # Where the replacement is longer than the original the text stays, and a syntax error with it.
    plain = b"for _ in _" if match[1] else b":"
    return plain.ljust(size) if len(plain) <= size else match[0]


def _bats_head(match: re.Match[bytes]) -> bytes:
    """`@test "name" {` as a function of that name, quotes and all but letters made `_`."""
    indent = match[1]
    name = _NOT_IN_NAMES.sub(b"_", match[0][len(indent) : match.end(3) - match.start()])
    rest = len(match[0]) - len(indent) - len(name)
    return indent + name + b"()" + b" " * (rest - 3) + b"{"


def without_conditions(data: bytes) -> bytes:
    """Swift without `#if` and its kin, which may stand where the grammar expects a member, and
    without words that say how an expression runs."""
    data = data.replace(b"#_sourceLocation", b" _sourceLocation")  # the one `#` it does not know
    data = (
        _RAW_NAME.sub(lambda m: _NOT_IN_NAMES.sub(b"_", m[0]), data) if b"func `" in data else data
    )
    if any(word in data for word in (b"await ", b"unsafe ", b"sending ", b"throws(", b"isolated")):
        data = _HOW_IT_RUNS.sub(_blank_last, data)
    is_conditional = any(word in data for word in (b"#if", b"#warning", b"#error"))
    return _DIRECTIVE.sub(lambda match: b" " * len(match[0]), data) if is_conditional else data


def of_header(head: bytes) -> str:
    """Whether a header is C, C++ or Objective-C."""
    if any(mark in head for mark in (b"@", b"#import", b"NS_")) and _OBJECTIVE.search(head):
        return "objc"
    if _CPP.search(b"\n" + head):
        return "cpp"
    # These take long on every line, so only lines with one of their marks are looked through, each
    # below the line above it, where a match may begin. No match goes past the quotation mark.
    lines = [b"", *head.split(b"\n")]
    marked = [
        b'\n%b\n%b\n"' % (lines[at - 1], line)
        for at, line in enumerate(lines)
        if b"&" in line or b"std::" in line or b"operator" in line
    ]
    return "cpp" if _CPP_MARKED.search(b"".join(marked)) else "c"


def objective_c(data: bytes) -> bytes:
    """Objective-C without the macros of Apple's headers; `NS_ENUM(type, Name)` is `enum Name`."""
    data = _APPLE.sub(lambda m: _VISIBLE.sub(b" ", m[0]), _APPLE_ENUM.sub(_plain_enum, data))
    return with_whole_statements(b"\n" + data)[1:]


def _plain_enum(macro: re.Match[bytes]) -> bytes:
    start, end = (edge - macro.start() for edge in macro.span(1))
    head, tail = macro[0][len(b"enum") : start], macro[0][end:]
    return b"enum" + _VISIBLE.sub(b" ", head) + macro[1] + _VISIBLE.sub(b" ", tail)


def without_macros(data: bytes) -> bytes:
    """C and C++ without macros where the grammars expect none.

    Those are a line with nothing but `BEGIN_NAMESPACE`, what stands before a class's name,
    annotations of locks, names of formats, conditions among the parameters of a template, and
    macros that end in a condition; of pointers to members the class.
    The conditional braces of `extern "C"` go too, and all but one branch of an `#if` that splits a
    statement.
    """
    data = b"\n" + data
    for pattern, words in _MACROS:
        if any(word in data for word in words):
            is_of_class = "maker" in pattern.groupindex
            data = pattern.sub(_before_makers(data) if is_of_class else _blank_first, data)
    data = _ENUM_BODY.sub(lambda m: _BEHIND_MEMBER.sub(_blank_first, m[0]), data)
    data = with_whole_statements(data)
    data = data.replace(b"if consteval", b"if (1)      ").replace(
        b"if !consteval", b"if (0)       "
    )
    data = _FORMAT.sub(lambda m: m[0].replace(m[1], b'""'.ljust(len(m[1]))), data)
    return _with_conditions(data)[1:]


def _before_makers(data: bytes) -> Callable[[re.Match[bytes]], bytes]:
    """What blanks macros before declarations, and before a constructor if its class is here."""

    @cache
    def classes() -> list[bytes]:
        return sorted(set(_OF_CLASS.findall(data)))

    def blank(match: re.Match[bytes]) -> bytes:
        if maker := match["maker"]:
            # The first name from there on begins with it, if any does.
            following = classes()[bisect_left(classes(), maker) :][:1]
            if not following or not following[0].startswith(maker):
                return match[0]
        return _blank_first(match)

    return blank


def _with_conditions(data: bytes) -> bytes:
    """Source in which macros of the file that end in a condition or a loop are an `if`.

    Comments in macros of several lines go: behind one the grammars take the rest for code.
    """
    names: set[bytes] = set()

    def definition(match: re.Match[bytes]) -> bytes:
        end = _COMMENT.sub(b"", match[2]).rstrip(b"\\ \t\r\n")
        if len(match[1]) > 1 and _CONDITION.search(end):
            names.add(match[1])
        if b"/*" not in match[2] or b"\n" not in match[2]:
            return match[0]
        return _COMMENT.sub(lambda m: _VISIBLE.sub(b" ", m[0]), match[0])

    data = _DEFINED.sub(definition, data)
    if not names:
        return data
    called = rb"^[ \t]+(" + b"|".join(sorted(names)) + rb")(?=[ \t]*\(" + _FLAT + _NESTED
    used = re.compile(called + rb"\)\s*\{)", re.MULTILINE)
    return used.sub(lambda m: m[0].replace(m[1], b"if".ljust(len(m[1])), 1), data)


def _blank_first(match: re.Match[bytes]) -> bytes:
    start, end = (edge - match.start() for edge in match.span(1))
    return match[0][:start] + _VISIBLE.sub(b" ", match[1]) + match[0][end:]


def _blank_last(match: re.Match[bytes]) -> bytes:
    start, end = (edge - match.start() for edge in match.span(match.lastindex or 0))
    return match[0][:start] + b" " * (end - start) + match[0][end:]


def kotlin(data: bytes) -> bytes:
    """Kotlin without what its grammar does not know yet.

    Those are the dollars before a string and all in it that start no template, context parameters,
    what an object is delegated to, and guards of `when`, which become further conditions. Several
    annotations of a type become one, `@[A B]`, a constructor stands beside the name of its class,
    a body on one line ends in `;`, and what a property keeps is its value.
    """
    data = data.replace(b"@all:", b"    @")
    if b" field " in data:
        data = _BACKING_FIELD.sub(_blank_first, data)
    if data.count(b"@") > 1:
        data = _DATA_OBJECT.sub(_blank_first, _ANNOTATED_TYPE.sub(_with_one_annotation, data))
    data = _TYPE_LINE.sub(_with_ended_bodies, data)
    if b"constructor" in data:
        data = _CONSTRUCTOR_BELOW.sub(lambda m: _LINE_END.sub(b" ", m[0]), data)
    data = data.replace(b"..<", b".. ")  # a range without its end
    if b'$$"' in data:
        data = _MULTI_DOLLAR.sub(_with_own_dollars, data)
    if b"context(" in data:
        data = _CONTEXT.sub(_blank_first, data)
    if b" by " in data:
        data = _DELEGATED_OBJECT.sub(_blank_first, data)
    if b"when" in data:
        data = _GUARD.sub(_guard_as_condition, _ELSE_GUARD.sub(_blank_first, data))
    return data


def java(data: bytes) -> bytes:
    """Java in which a constructor is called as a method is, behind other statements too, and
    without `module` in imports."""
    data = data.replace(b"import module ", b"import".ljust(len(b"import module ")))
    return _CONSTRUCTOR_CALL.sub(lambda m: m[0][:-1] + b"_", data)


def scala(data: bytes) -> bytes:
    """Scala in which the braces of an enum on one line are written."""
    return _ENUM_LINE.sub(rb"\1{\2}", data) if b"enum" in data else data


def perl(data: bytes) -> bytes:
    """Perl without subs that are declared ahead, and without layouts of reports."""
    return _PERL_UNREADABLE.sub(_blank_first, data)


def csharp(data: bytes) -> bytes:
    """C# with members of extension blocks in the open, `a?.B = 1` as `a .B = 1`, `struct` for what
    allows them, bodies in the branches of an `#if` as one, and without what a program of one file
    says to its tools."""
    if data.startswith((b"#:", b"#!")):
        data = _TO_TOOLS.sub(lambda m: _VISIBLE.sub(b" ", m[0]), data)
    data = data.replace(b"allows ref struct", b"struct".ljust(len(b"allows ref struct")))
    if b"?." in data or b"?[" in data:
        data = _ASSIGNED_UNLESS_NULL.sub(b" ", data)
    if b"#if" in data:
        data = _BODIES.sub(_one_body, data)
    return with_members_of_extensions(data)


def _one_body(branches: re.Match[bytes]) -> bytes:
    """`=> a` and `=> b` of the branches of an `#if` as `=> a ?? b`."""
    body = _NEXT_BODY.sub(lambda m: m[0].replace(m[1], b" ").replace(m[2], b"??"), branches[0])
    return _DIRECTIVE_LINE.sub(lambda m: _VISIBLE.sub(b" ", m[0]), body)


def _with_ended_bodies(line: re.Match[bytes]) -> bytes:
    return line[0] if b"${" in line[0] else _OPEN_END.sub(b";", line[0])


def _with_one_annotation(head: re.Match[bytes]) -> bytes:
    found = list(_ONE_ANNOTATION.finditer(head[0], len(head[1] or b""), head.end(2) - head.start()))
    text = bytearray(head[0])
    above = head.string[head.string.rfind(b"\n", 0, head.start()) + 1 : head.start()].strip()
    first, last = found[0].start(), found[-1].end()
    has_room = first and (above in (b"", b"}") or first > 1) and text[last : last + 1].isspace()
    if not has_room:  # for brackets: one annotation stays
        for each in found[:-1]:
            text[each.start() : each.end()] = _VISIBLE.sub(b" ", each[0])
        return bytes(text)
    for each in found:
        text[each.start()] = ord(" ")
    if first > 1:  # a comment ends one byte earlier, so that a line ends behind it
        text[: first - 1] = text[1:first]
    text[first - 1 : first + 1] = b"@["
    text[last] = ord("]")
    return bytes(text)


def _guard_as_condition(match: re.Match[bytes]) -> bytes:
    line = match.string[match.string.rfind(b"\n", 0, match.start()) + 1 : match.start()]
    return b"  , " if _BEFORE_GUARD.match(line) else match[0]


def _with_own_dollars(match: re.Match[bytes]) -> bytes:
    """A string of `$$"…"` as a plain one: as many dollars as stand before it begin a template."""
    n = len(match[1])

    def dollars(run: re.Match[bytes]) -> bytes:
        return b" " * (len(run[0]) - 1) + (b"$" if len(run[0]) >= n else b" ")

    return b" " * n + _DOLLARS.sub(dollars, match[2])


def script(data: bytes) -> bytes:
    """JavaScript without `defer` of imports and `accessor` behind another word, and with `const`
    for `using` in the head of a loop."""
    if b"accessor" in data:
        data = _ACCESSOR.sub(_blank_first, data)
    if b"defer" in data:
        data = _DEFERRED_IMPORT.sub(_blank_first, data)
    if b"using" in data:
        data = _USING_LOOP.sub(lambda m: m[0][: -len(m[1])] + b"const".ljust(len(m[1])), data)
    return data


def typescript(data: bytes) -> bytes:
    """TypeScript without `type` in `export type *` and `in`, `out` on type parameters.

    What stands above a generic call signature is made to end in `;`:
    without, the grammar takes the `<` for arguments of the type above.
    """
    if b"export type *" in data:
        data = _TYPE_EXPORT.sub(lambda match: match[0].replace(b"type", b"    "), data)
    data = _VARIANCE.sub(_blank_first, script(data))
    return _CALL_SIGNATURE.sub(_ended, data)


def _ended(match: re.Match[bytes]) -> bytes:
    """`;` if the code line above ends a type and is indented no less: else `<` continues it."""
    end = match.start() - 1
    # Comments in between are skipped, some dozens of lines of them and no more.
    for _ in range(_COMMENT_LINES):
        start = match.string.rfind(b"\n", 0, max(end, 0)) + 1
        line = match.string[start : max(end, 0)].rstrip()
        text = line.lstrip()
        if text and not text.startswith(_COMMENTED):
            nested = len(line) - len(text) > len(match[1])
            return b";" if nested and _ENDED_TYPE.fullmatch(line) else match[0]
        end = start - 1
    return match[0]


def ruby_of_erb(data: bytes) -> bytes:
    """The Ruby of an ERB template; each tag ends like a statement, all else is blank.

    Comments (`<%# … %>`) and literal `<%%` are blank like the text around them.
    """
    pieces: list[bytes] = []
    position = 0
    for tag in _ERB_TAG.finditer(data):
        pieces.append(_VISIBLE.sub(b" ", data[position : tag.start()]))
        pieces.append(_VISIBLE.sub(b" ", tag[0]) if tag[1] else _erb_code(tag))
        position = tag.end()
    pieces.append(_VISIBLE.sub(b" ", data[position:]))
    return b"".join(pieces)


def _erb_code(tag: re.Match[bytes]) -> bytes:
    """A tag with blanks for its brackets and a ";" at its end."""
    code = tag[2]
    sigil = len(code) - len(code.lstrip(b"=-"))
    if _ERB_COMMENT.match(code, sigil) and b"\n" not in code:
        return _VISIBLE.sub(b" ", tag[0])
    code = b" " * sigil + code[sigil:]
    # A comment on the last line would hide the ";", and all tags that follow on that line.
    comment = _LINE_COMMENT.search(code)
    if comment:
        code = code[: comment.start()] + _VISIBLE.sub(b" ", comment[0])
    return b"  " + code + b";".rjust(len(tag[3])) if tag[3] else b"  " + code
