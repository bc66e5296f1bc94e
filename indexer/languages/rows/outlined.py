"""Code whose grammar is dear or missing: one expression a language finds what it declares.

An expression reads a line from its first character that is no blank; see
`satchel.indexer.languages.outlines.lines` for its groups.
"""

from collections.abc import Callable

from satchel.indexer.languages.outlines.lines import by_lines, unknown
from satchel.indexer.languages.rows import shared
from satchel.indexer.languages.spec import CODE_TESTS, Language


def _row(
    name: str,
    extensions: str,
    pattern: str,
    ends: str = "",
    sniff: Callable[[bytes], str] | None = None,
    uses: str = "",
) -> Language:
    outline = by_lines(pattern, ends=ends)
    files = tuple(extensions.split())
    return Language(name, files, outline=outline, sniff=sniff, uses=uses, tests=CODE_TESTS)


_OF_MODULE = r"\b(?P<of>[A-Z]\w*(?:\.[A-Z]\w*)*)\.(?P<name>[a-z_]\w*)"
"""Languages in which arguments follow without brackets: `Module.function argument`."""
OUTLINED: tuple[Language, ...] = (
    Language("apex", (".cls", ".trigger"), outline=unknown, sniff=shared.of_cls, tests=CODE_TESTS),
    _row(
        "verilog",
        ".v .sv .svh .vh",
        r"(?:virtual\s+|static\s+|automatic\s+|pure\s+|extern\s+)*(?:(?P<word>module"
        r"|interface|package|class|program)\s+(?:automatic\s+)?(?P<name1>[A-Za-z_]\w*)"
        r"|(?:function|task)\b[^;(]*?(?P<name2>[A-Za-z_]\w*)\s*(?:[(;]|$))",
        ends=r"end(?:module|interface|package|class|program|function|task)\b",
        sniff=shared.of_v,
        # An instance of a module; `import package::*`; what a class extends.
        uses=r"^\s*(?P<name>[A-Za-z_]\w*)\s+(?:#\s*\(|[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)?(?:\(|$))",
    ),
    _row(
        "vhdl",
        ".vhd .vhdl",
        r"(?i)(?:(?P<word>entity|architecture|package"
        r"|component)\s+(?:body\s+)?(?P<name1>[A-Za-z_]\w*)|(?:pure\s+"
        r"|impure\s+)?(?:function|procedure)\s+(?P<name2>[A-Za-z_]\w*)"
        r"|(?P<name3>[A-Za-z_]\w*)\s*:\s*process\b)",
        uses=r"(?i)^\s*\w+\s*:\s*(?:entity\s+|component\s+)?(?:\w+\.)?(?P<name>\w+)"
        r"(?=\s*(?:\(\w+\)\s*)?(?:(?:port|generic)\s+map\b|$))",
    ),
    _row(
        "fortran",
        ".f .f90 .f95 .f03 .f08 .for .F90 .F",
        r"(?i)(?!end)(?:(?P<word>module|program|interface|type)\b\s*(?:,[^:]*)?(?:::)?\s*"
        r"(?!procedure\b)(?P<name1>[A-Za-z_]\w*)\s*$"
        r"|(?:[\w()=*]+\s+)*?(?:function|subroutine)\s+(?P<name2>[A-Za-z_]\w*))",
        uses=r"(?i)^\s*(?:call|use)\s+(?:(?P<of>\w+)\s*%\s*)?(?P<name>\w+)",
        # A body may stand at the margin of its head.
        ends=r"(?i)end\s*(?:(?P<of>module|program|interface|function|subroutine|type)\b.*)?$",
    ),
    _row(
        "ada",
        ".adb .ads",
        r"(?i)(?:private\s+|(?:not\s+)?overriding\s+|separate\s*\([\w.]+\)\s*)*"
        r"(?:(?P<word>package|task|protected|subtype|type)\s+(?:body\s+"
        r"|type\s+)?(?P<name1>[\w.]+)|(?:procedure|function|entry)\s+(?P<name2>[\w.]+|\"[^\"]+\")"
        r"|(?P<name3>\w+)\s*:\s*exception\b)",
    ),
    _row(
        "cobol",
        ".cob .cbl .cpy",
        r"(?i)(?:\d{6}\s+)?(?:PROGRAM-ID\.\s+(?P<name1>[\w-]+)"
        r"|(?P<name2>[\w-]+)\s+(?:SECTION|DIVISION)\s*\.|(?P<name3>[A-Z0-9][\w-]*)\.\s*$)",
    ),
    _row(
        "fsharp",
        ".fs .fsi .fsx",
        r"(?:(?P<word>module|namespace|type|exception)\s+(?:rec\s+|private\s+|internal\s+"
        r"|public\s+)*(?P<name1>[\w.`]+)|let\s+(?:rec\s+|inline\s+|private\s+|mutable\s+"
        r"|internal\s+)*(?:``(?P<name4>[^`]+)``|(?P<name2>[\w']+))|(?:static\s+|override\s+|abstract\s+"
        r"|default\s+)*member\s+(?:inline\s+|private\s+)*(?:\w+\.)?(?P<name3>\w+))",
        sniff=shared.of_fs,
        uses=_OF_MODULE,
    ),
    _row(
        "nim",
        ".nim .nims",
        r"(?:proc|func|method|iterator|template|macro|converter)\s+`?(?P<name1>\w+)"
        r"|(?P<name2>[A-Z]\w*)\*?(?:\[[^\]]*\])?\s*(?:\{\.[^}]*\.\})?\s*=\s*(?:ref"
        r"\s+)?(?P<word>object"
        r"|enum|tuple|concept)",
    ),
    _row(
        "ocaml_grammar",
        ".mll .mly",
        r"(?:rule|and|let(?:\s+rec)?)\s+(?P<name1>[a-z_][\w']*)"
        r"|(?:%(?:public|inline)\s+)*(?P<name2>[a-z]\w*)(?:\([^)]*\))?\s*:(?![:=])",
    ),
    _row(
        "crystal",
        ".cr",
        r"(?:private\s+|protected\s+|abstract\s+)*(?:(?P<word>class|module|struct|enum|lib"
        r"|macro|annotation)\s+(?P<name1>[\w:]+)|(?:def"
        r"|fun)\s+(?P<name2>(?:self\.)?[\w?!=]+))",
    ),
    _row(
        "gleam",
        ".gleam",
        r"(?:pub\s+)?(?:(?:opaque\s+)?(?P<word>type)\s+(?P<name1>\w+)|fn\s+(?P<name2>\w+)"
        r"|const\s+(?P<name3>\w+))",
    ),
    _row(
        "elm",
        ".elm",
        r"(?:(?:port\s+)?(?P<word>module|type)\s+(?:alias\s+)?(?P<name1>[\w.]+)"
        r"|(?P<name2>[a-z]\w*)(?:\s+[\w({,_. )}]+)?\s*=$)",
        uses=_OF_MODULE,
    ),
    _row(
        "purescript",
        ".purs",
        r"(?:(?P<word>module|type|newtype|data|class)\s+(?P<name1>[\w.]+)"
        r"|(?P<name2>[a-z][\w']*)\s*::)",
        uses=_OF_MODULE,
    ),
    _row(
        "tcl",
        ".tcl .tm",
        r"(?:(?P<word>namespace)\s+eval\s+(?P<name1>[\w:.-]+)|(?:proc|method"
        r"|oo::class\s+create)\s+(?P<name2>[^\s{}]+))",
    ),
    _row(
        "awk",
        ".awk",
        r"(?:function|func)\s+(?P<name1>\w+)\s*\(",
    ),
    _row(
        "assembly",
        ".s .S .asm .nasm",
        r"(?:(?P<name1>[A-Za-z_$][\w$@.]*):(?!:)|(?:PROC|FUNC|ENTRY"
        r"|SYM_FUNC_START)\s*\(?\s*(?P<name2>\w+)|(?P<name3>\w+)\s+(?:PROC|proc|MACRO"
        r"|macro)\b|\.macro\s+(?P<name4>\w+))",
    ),
    _row(
        "pascal",
        ".pas .pp .dpr .lpr",
        r"(?i)(?:(?P<word>unit|program|library)\s+(?P<name1>[\w.]+)\s*;"
        r"|(?:class\s+)?(?:procedure|function|constructor|destructor)\s+(?P<name2>[\w.]+)"
        r"|(?P<name3>\w+)\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b)",
        sniff=shared.of_pp,
    ),
    _row(
        "dlang",
        ".d .di",
        r"(?:[a-z@]\w*(?:\(\w+\))?\s+)*?(?:(?P<word>class|struct|interface|enum|template"
        r"|union|module)\s+(?P<name1>[\w.]+)\s*(?:[({:;]|$)|(?!return\b"
        r"|else\b)[\w!\[\]().*]+\s+(?P<name2>[A-Za-z_]\w*)\s*\([^;]*\)[^;]*(?:\{|$))",
        sniff=shared.of_d,
    ),
    _row(
        "matlab",
        "",
        r"(?:(?P<word>classdef)\s+(?:\([^)]*\)\s*)?(?P<name1>\w+)"
        r"|function\s+(?:(?:\[[^\]]*\]|\w+)\s*=\s*)?(?P<name2>[\w.]+))",
    ),
    _row(
        "prolog",
        ".prolog .plt",
        r"(?P<name1>[a-z]\w*)\s*(?:\(.*)?(?::-|-->)",
    ),
    _row(
        "coq",
        "",
        r"(?:Local\s+|Global\s+|Program\s+|#\[\w+\]\s+)*(?:(?P<word>Module|Section|Class"
        r"|Record|Structure|Inductive|CoInductive)\s+(?:Type\s+|Import\s+)?(?P<name1>[\w']+)"
        r"|(?:Definition|Fixpoint|CoFixpoint|Lemma|Theorem|Corollary|Proposition|Example"
        r"|Instance|Fact|Remark|Function|Ltac|Axiom|Parameter)\s+(?P<name2>[\w']+))",
    ),
    _row(
        "lean",
        ".lean",
        r"(?:@\[[^\]]*\]\s*|private\s+|protected\s+|noncomputable\s+|partial\s+"
        r"|unsafe\s+)*(?:(?P<word>structure|class|inductive|namespace)\s+(?P<name1>[\w.']+)"
        r"|(?:def|theorem|lemma|abbrev|instance|axiom|opaque)\s+(?P<name2>[\w.']+))",
    ),
    _row(
        "vim",
        ".vim",
        r"(?:def|fu(?:n(?:c(?:tion)?)?)?)!?\s+(?P<name1>[\w:.#<>]+)\s*\(",
        ends=r"end(?:f(?:u(?:n(?:c(?:tion)?)?)?)?|def)\b",
    ),
    _row(
        "elisp",
        ".el",
        r"\((?:cl-)?def(?:un|macro|subst|generic|method|var|const|custom"
        r"|ine-\S+)\*?\s+\(?(?P<name1>[^\s()']+)",
    ),
    _row(
        "scheme",
        ".scm .ss .rkt .sld .lisp .lsp .asd .fnl .hy .janet",
        r"\((?:define(?:-\S+)?\*?|def\S*|fn|lambda|provide)\s+\(*(?P<name1>[^\s()\[\]']+)",
    ),
    _row(
        "batch",
        ".bat .cmd",
        r":(?P<name1>[A-Za-z_]\w*)\s*$",
    ),
    _row(
        "vb",
        ".vb .bas .vbs .frm",
        r"(?i)(?:(?:public|private|friend|protected|shared|static|overrides|overridable"
        r"|partial|mustinherit|async|default|readonly)\s+)*(?:(?P<word>class|module"
        r"|interface|enum|structure|namespace)\s+(?P<name1>[\w.]+)|(?:sub|function"
        r"|property(?:\s+(?:get|let|set))?)\s+(?P<name2>\w+))",
        ends=r"(?i)end\s+(?:class|module|interface|enum|structure|namespace|sub|function|property)\b",
    ),
)
