"""Extensions that several formats share: which row reads a file, by what it begins with."""

import re

_OBJECTIVE = re.compile(rb"^[ \t]*(?:@\w|#(?:import|include|define|pragma)\b|//|/\*)", re.MULTILINE)
_MATLAB = re.compile(
    rb"^[ \t]*(?:function\b|classdef\b|%|[A-Za-z][\w.]*(?:\([^()\n]*\))?[ \t]*=[^=\n{]*;?[ \t]*$)",
    re.MULTILINE,
)
_C_BODY = re.compile(rb"\)\s*\{")
_OTHER_M = re.compile(rb"\s*(?:\(\*|:-[ \t]|%[^\n]*\n[%\s]*:-[ \t])")
_COQ = re.compile(
    rb"\A\s*\(\*(?![^*]*\*\)\s*(?:module|reg|wire)\b)"
    rb"|^[ \t]*(?:Require|From[ \t]+[\w.]+[ \t]+Require|Theorem|Lemma|Definition|Fixpoint"
    rb"|Inductive|Section|Proof|Module|Notation)\b",
    re.MULTILINE,
)
_VERILOG = re.compile(rb"^[ \t]*(?:`\w|(?:end)?(?:module|package|interface|class)\b)", re.MULTILINE)
_V = re.compile(rb"^(?:pub[ \t]+)?(?:fn|struct|enum|import)[ \t]", re.MULTILINE)
_PROLOG = re.compile(rb"^(?::-|[a-z]\w*(?:\(.*\))?[ \t]*(?::-|\.[ \t]*$))", re.MULTILINE)
_PERL = re.compile(
    rb"^[ \t]*(?:#!.*perl|use[ \t]|my[ \t]|our[ \t]|sub[ \t]|package[ \t])|[$@%]\w+", re.MULTILINE
)
_LATEX = re.compile(rb"^[ \t]*(?:%|\\[a-zA-Z])", re.MULTILINE)
_SHADER = re.compile(
    rb"^[ \t]*(?:#version\b|precision[ \t]|varying[ \t]|uniform[ \t])", re.MULTILINE
)
_PUPPET = re.compile(
    rb"^[ \t]*(?:class|define|node|include)[ \t]+['\w:]+[^;\n]*\{"
    rb"|^[ \t]*\w+[ \t]*\{[ \t]*['\"$]|=>",
    re.MULTILINE,
)
_GAP = re.compile(rb"^(?:Declare|Install)[A-Z]\w*\(", re.MULTILINE)
_FORTH = re.compile(rb"^(?::[ \t]+\S+[ \t]|\\[ \t])", re.MULTILINE)
_DEPENDENCIES = re.compile(rb"\S+\.(?:o|lo|obj|rlib|rmeta|so|d)[ \t]*:[ \t\\]")


def of_m(head: bytes) -> str:
    """Objective-C, MATLAB, or Wolfram's language and Mercury, which no row reads."""
    if _OTHER_M.match(head):
        return ".m"
    is_matlab = not _OBJECTIVE.search(head) and not _C_BODY.search(head) and _MATLAB.search(head)
    return "matlab" if is_matlab else "objc"


def of_v(head: bytes) -> str:
    """Verilog, Coq, or V, which no row reads."""
    if _COQ.search(head):
        return "coq"
    is_verilog = not head or (_VERILOG.search(head) and not _V.search(head))
    return "verilog" if is_verilog else ".v"


def of_pl(head: bytes) -> str:
    """Perl, or Prolog."""
    return "prolog" if _PROLOG.search(head) and not _PERL.search(head) else "perl"


def of_ts(head: bytes) -> str:
    """TypeScript, or translations of Qt."""
    return (
        "text"
        if head[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!DOCTYPE TS", b"<TS"))
        else "typescript"
    )


def of_cls(head: bytes) -> str:
    """Apex, a class of LaTeX, or one of Visual Basic."""
    if head.startswith(b"VERSION "):
        return "vb"
    return "latex" if _LATEX.search(head) else "apex"


def of_fs(head: bytes) -> str:
    """F#, or a shader or Forth, which no row reads."""
    return ".glsl" if _SHADER.search(head) else ".fs" if _FORTH.search(head) else "fsharp"


def of_pp(head: bytes) -> str:
    """Pascal, or Puppet, which no row reads."""
    return ".pp" if _PUPPET.search(head) else "pascal"


def of_gd(head: bytes) -> str:
    """GDScript, or GAP, which no row reads."""
    return ".gd" if _GAP.search(head) else "gdscript"


def of_d(head: bytes) -> str:
    """D, or what a compiler printed for make."""
    return "text" if _DEPENDENCIES.match(head) else "dlang"
