"""Languages without a grammar: what one expression finds, and who reads a shared extension."""

import pytest

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.languages.detect import by_name, detect

SAMPLES = {
    "verilog": (
        "module counter (\n  input clk\n);\n  function automatic [7:0] next(input [7:0] a);\n"
        "    next = a + 1;\n  endfunction\nendmodule\n",
        ["module counter 1-7", "function counter.next 4-6"],
    ),
    "vhdl": (
        "entity adder is\n  port (a : in bit);\nend adder;\n\narchitecture rtl of adder is\n"
        "begin\n  main : process (a)\n  begin\n  end process;\nend rtl;\n",
        ["class adder 1-3", "class rtl 5-10", "method rtl.main 7-9"],
    ),
    "fortran": (
        "module shapes\ncontains\n  real function area(r)\n    real :: r\n    if (r > 0) then\n"
        "      area = r\n    end if\n  end function area\n  subroutine draw()\n  end subroutine\n"
        "end module shapes\n",
        ["module shapes 1-11", "function shapes.area 3-8", "function shapes.draw 9-10"],
    ),
    "fortran at its margin": (
        "module m\n  interface\n    function c(s) result(d)\n    end function c\n"
        "  end interface\n  type, extends(b) :: p\n  end type p\ncontains\n"
        "  subroutine area(r)\n\n  implicit none\n\n  real :: r\n  do i = 1, 2\n  end do\n"
        "  end subroutine area\n  subroutine old\n  x = 1\n  end\nend module m\n",
        ["module m 1-20", "function m.c 3-4", "type m.p 6-7", "function m.area 9-16",
         "function m.old 17-19"],
    ),
    "ada": (
        "package body Shapes is\n   function Area (R : Float) return Float is\n   begin\n"
        "      return R;\n   exception\n      when others => null;\n   end Area;\nend Shapes;\n",
        ["module Shapes 1-8", "function Shapes.Area 2-7"],
    ),
    "cobol": (
        "       PROGRAM-ID. SHOP.\n       PROCEDURE DIVISION.\n       ADD-BOOK.\n"
        "           ADD 1 TO BOOKS.\n",
        ["function SHOP 1-1", "function PROCEDURE 2-2", "function ADD-BOOK 3-4"],
    ),
    "fsharp": (
        "module Shop\n\ntype Book(name: string) =\n    member this.Price() =\n        3\n\n"
        "let rec total books =\n    books\n"
        "\nlet ``a test`` () =\n    1\n",
        ["module Shop 1-1", "type Book 3-5", "function Book.Price 4-5", "function total 7-8",
         "function a test 10-11"],
    ),
    "nim": (
        "type\n  Book* = object\n    name: string\n\nproc price*(b: Book): int =\n  3\n",
        ["class Book 2-3", "function price 5-6"],
    ),
    "crystal": (
        "class Shop::Book\n  def price : Int32\n    3\n  end\nend\n",
        ["class Shop::Book 1-5", "method Shop::Book.price 2-4"],
    ),
    "gleam": ("pub fn price(book: Book) -> Int {\n  3\n}\n", ["function price 1-3"]),
    "elm": (
        "type alias Book =\n    { pages : Int }\n\nprice : Book -> Int\nprice book =\n    3\n",
        ["type Book 1-2", "function price 5-6"],
    ),
    "purescript": ("price :: Book -> Int\nprice b = 3\n", ["function price 1-2"]),
    "tcl": ("proc shop::price {book} {\n  return 3\n}\n", ["function shop::price 1-3"]),
    "ocaml_grammar": (
        "{\n  let fail s = raise s\n}\nlet eol = ['\\n']\nrule token = parse\n"
        "  | eol { NL }\nand text = parse\n  | _ { T }\n",
        ["function fail 2-2", "function eol 4-4", "function token 5-6", "function text 7-8"],
    ),
    "awk": ("function price(b) {\n  return 3\n}\n", ["function price 1-3"]),
    "assembly": ("price:\n\tmov eax, 3\n\tret\n", ["function price 1-3"]),
    "pascal": (
        "function TShop.Price(B: TBook): Integer;\nvar\n  I: Integer;\nbegin\n  Result := 3;\n"
        "end;\n",
        ["function TShop.Price 1-6"],
    ),
    "dlang": ("struct Book {\n  int price() {\n    return 3;\n  }\n}\n",
              ["struct Book 1-5", "method Book.price 2-4"]),
    "matlab": ("function p = price(b)\n  p = 3;\nend\n", ["function price 1-3"]),
    "prolog": ("price(B, P) :-\n    pages(B, N),\n    P is N * 2.\n", ["function price 1-3"]),
    "coq": ("Lemma price_pos : forall b, 0 < b.\nProof.\n  auto.\nQed.\n",
            ["function price_pos 1-1"]),
    "lean": ("theorem price_pos (b : Nat) : b = b := by\n  rfl\n", ["function price_pos 1-2"]),
    "vim": ("function! shop#price(book) abort\n  return 3\nendfunction\n",
            ["function shop#price 1-3"]),
    "elisp": ("(defun shop-price (book)\n  3)\n", ["function shop-price 1-2"]),
    "scheme": ("(define (price book)\n  3)\n", ["function price 1-2"]),
    "batch": (":build\nmake all\n", ["function build 1-1"]),
    "vb": (
        "Public Class Shop\n  Private Sub Price(b)\n    b = 3\n  End Sub\nEnd Class\n",
        ["class Shop 1-5", "method Shop.Price 2-4"],
    ),
    "apex": ("public class Shop {\n  public Integer price() {\n    return 3;\n  }\n}\n",
             ["class Shop 1-5", "method Shop.price 2-4"]),
}  # fmt: skip


@pytest.mark.parametrize("language", SAMPLES)
def test_what_a_line_declares_is_found_to_its_end(language: str):
    code, found = SAMPLES[language]
    symbols = analyze(code.encode(), by_name(language.partition(" ")[0])).symbols
    shown = [f"{s.kind} {s.qualified_name} {s.span.start_line}-{s.span.end_line}" for s in symbols]
    assert shown == found


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.m", "#import <A.h>\n@implementation A\n@end\n", "objc"),
        ("a.m", "% Adds.\nfunction c = add(a, b)\nend\n", "matlab"),
        ("a.h", "#import <A.h>\n@interface A : B\n@end\n", "objc"),
        ("a.h", "class A {\npublic:\n};\n", "cpp"),
        ("a.h", "int add(int a);\n", "c"),
        ("a.v", "module a (input b);\nendmodule\n", "verilog"),
        ("a.v", "Require Import Arith.\nLemma a : True.\n", "coq"),
        ("a.v", "module main\n\nfn main() {\n}\n", ".v"),
        ("a.v", "fn main() {\n\tprintln('a')\n}\n", ".v"),
        ("a.v", "(* Of lists *)\nModule A.\nEnd A.\n", "coq"),
        ("a.v", "(* keep *) module a;\nendmodule\n", "verilog"),
        ("a.m", "x = [1 2 3];\ny = x';\n", "matlab"),
        ("a.m", "int main(void) {\n  return 0;\n}\n", "objc"),
        ("a.m", "(* Of squares *)\nf[x_] := x^2\n", ".m"),
        ("a.h", "NS_ASSUME_NONNULL_BEGIN\ntypedef NS_ENUM(NSInteger, A) { B };\n", "objc"),
        ("a.h", '#include "b.h"\nstd::string a(int b);\n', "cpp"),
        ("a.h", "struct A : public B {\n  int c;\n};\n", "cpp"),
        ("a.h", "struct A {\n  A();\n  ~A();\n};\n", "cpp"),
        ("a.h", "void a(B& c);\n", "cpp"),
        ("a.h", "static inline int a(int b) { return f(b & 1); }\n", "c"),
        ("a.pl", "parent(a, b).\nparent(b, c).\n", "prolog"),
        ("a.pl", "print 'a';\n", "perl"),
        ("a.pp", "unit A;\ninterface\n", "pascal"),
        ("a.pp", "class a::b inherits a {\n  $c = 1\n}\n", ".pp"),
        ("a.gd", "extends Node\n", "gdscript"),
        ("a.gd", 'DeclareOperation("A", []);\n', ".gd"),
        ("a.fs", ": square ( n -- n ) dup * ;\n", ".fs"),
        ("a.ts", '\ufeff<?xml version="1.0"?>\n<TS></TS>\n', "text"),
        ("a.inc", "<?php\nfunction a() {}\n", "php"),
        ("a.module", "<?php\nfunction a() {}\n", "php"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env -S A=b deno run -A\n", "typescript"),
        ("run.cgi", "#! /usr/bin/perl -w\n", "perl"),
        ("run", "#!/bin/bash -e\n", "bash"),
        ("run", "#!ruby\n", "ruby"),
        ("a.pl", "use strict;\nsub a { 1 }\n", "perl"),
        ("a.pl", ":- module(a, [b/1]).\nb(X) :- c(X).\n", "prolog"),
        ("a.ts", "export const a = 1;\n", "typescript"),
        ("a.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS></TS>\n', "text"),
        ("a.cls", "\\ProvidesClass{a}\n", "latex"),
        ("a.cls", "public class A {\n}\n", "apex"),
        ("a.cls", "VERSION 1.0 CLASS\n", "vb"),
        ("a.fs", "module A\n", "fsharp"),
        ("a.fs", "#version 330\nvoid main() {\n}\n", ".glsl"),
        ("a.d", "module a;\n", "dlang"),
        ("a.d", "a.o: a.c b.h\n", "text"),
    ],
)
def test_an_extension_that_formats_share_is_decided_by_content(path: str, text: str, language: str):
    assert detect(path, text.encode()).name == language


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        (
            "powershell",
            'function Get-A {\n  Set-B -Message "a\n}\n\nfunction Get-B($x) {\n  1\n}\n',
            "Get-B 5-7",
        ),
        (
            "groovy",
            "class A {\n  void n(Map<String, List<B>> a) {\n    a?.b() ?: [x: 1]\n  }\n}\n",
            "A.n 2-4",
        ),
        (
            "groovy",
            "class A<T extends B> extends C implements D, E {\n  A() { x() }\n"
            "  int n(int a = 1) {\n    1\n  }\n}\n",
            "A 1-6",
        ),
    ],
)
def test_what_the_parser_lost_is_found_by_its_keyword(language: str, text: str, found: str):
    facts = analyze(text.encode(), by_name(language))
    assert facts.problems
    places = [f"{s.qualified_name} {s.span.start_line}-{s.span.end_line}" for s in facts.symbols]
    assert places.count(found) == 1
