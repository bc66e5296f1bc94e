"""Extensions that several formats share: which row reads a file, by what it begins with."""

from __future__ import annotations

import re

_OBJECTIVE = re.compile(rb"^[ \t]*(?:@\w|#(?:import|include|define|pragma)\b|//|/\*)", re.MULTILINE)
_MATLAB = re.compile(rb"^[ \t]*(?:function\b|classdef\b|%)", re.MULTILINE)
_COQ = re.compile(
    rb"^[ \t]*(?:Require|From[ \t]+[\w.]+[ \t]+Require|Theorem|Lemma|Definition|Fixpoint|Inductive"
    rb"|Section|Proof)\b",
    re.MULTILINE,
)
_VERILOG = re.compile(rb"^[ \t]*(?:`\w|(?:end)?(?:module|package|interface|class)\b)", re.MULTILINE)
_PROLOG = re.compile(rb"^(?::-|[a-z]\w*(?:\(.*\))?[ \t]*:-)", re.MULTILINE)
_PERL = re.compile(
    rb"^[ \t]*(?:#!.*perl|use[ \t]|my[ \t]|our[ \t]|sub[ \t]|package[ \t])", re.MULTILINE
)
_LATEX = re.compile(rb"^[ \t]*(?:%|\\[a-zA-Z])", re.MULTILINE)
_SHADER = re.compile(
    rb"^[ \t]*(?:#version\b|precision[ \t]|varying[ \t]|uniform[ \t])", re.MULTILINE
)
_DEPENDENCIES = re.compile(rb"\S+\.(?:o|lo|obj|rlib|rmeta|so|d)[ \t]*:[ \t\\]")


def of_m(head: bytes) -> str:
    """Objective-C, or MATLAB."""
    return "matlab" if _MATLAB.search(head) and not _OBJECTIVE.search(head) else "objc"


def of_v(head: bytes) -> str:
    """Verilog, Coq, or V, which no row reads."""
    if _COQ.search(head):
        return "coq"
    return "verilog" if not head or _VERILOG.search(head) else ".v"


def of_pl(head: bytes) -> str:
    """Perl, or Prolog."""
    return "prolog" if _PROLOG.search(head) and not _PERL.search(head) else "perl"


def of_ts(head: bytes) -> str:
    """TypeScript, or translations of Qt."""
    return (
        "text"
        if head[:200].lstrip().startswith((b"<?xml", b"<!DOCTYPE TS", b"<TS"))
        else "typescript"
    )


def of_cls(head: bytes) -> str:
    """Apex, a class of LaTeX, or one of Visual Basic."""
    if head.startswith(b"VERSION "):
        return "vb"
    return "latex" if _LATEX.search(head) else "apex"


def of_fs(head: bytes) -> str:
    """F#, or a shader, which no row reads."""
    return ".glsl" if _SHADER.search(head) else "fsharp"


def of_d(head: bytes) -> str:
    """D, or what a compiler printed for make."""
    return "text" if _DEPENDENCIES.match(head) else "dlang"
