"""Calls, imports and inheritance across two files, for each language with a grammar.

All of them are one project, where most languages use the same words: none may see another's. Each
has a call through an import, a call on a value whose type was constructed or declared, a base, and
a call of something that is not there, which is kept as unresolved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.store.model import ReferenceKind
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

OUTSIDE = "frobnicate"
"""What every language calls and none defines."""

FILES: dict[str, str] = {
    "python/lib.py": """
class Shape:
    def describe(self): return self.area()
    def area(self): return 0
class Circle(Shape):
    def area(self): return 3
def make(): return Circle()
""",
    "python/app.py": """
import elsewhere
from .lib import Circle, make
def run():
    c = Circle()
    c.describe()
    make().area()
    elsewhere.frobnicate()
""",
    "javascript/lib.js": """
export class JsShape { describe() { return this.area(); } area() { return 0; } }
export class JsCircle extends JsShape { area() { return 3; } }
export function jsMake() { return new JsCircle(); }
""",
    "javascript/app.js": """
import { JsCircle, jsMake as build } from './lib.js';
import elsewhere from 'elsewhere';
export function run() {
  const c = new JsCircle();
  c.describe();
  build().area();
  elsewhere.frobnicate();
}
""",
    "typescript/lib.ts": """
export interface Drawable { draw(): void }
export class TsShape { describe() { return this.area(); } area() { return 0; } }
export class TsCircle extends TsShape implements Drawable { area() { return 3; } draw() {} }
export function tsMake(): TsCircle { return new TsCircle(); }
""",
    "typescript/index.ts": "export * from './lib';\n",
    "typescript/app.ts": """
import { TsCircle, tsMake } from '.';
import { frobnicate } from 'elsewhere';
export function run(given: TsCircle) {
  given.describe();
  tsMake().draw();
  frobnicate();
}
""",
    "tsx/panel.tsx": """
export class Panel { show() { return <p/>; } }
export class Fold extends Panel { open() { return this.show(); } }
export function Badge() { return <b/>; }
""",
    "tsx/app.tsx": """
import { Badge, Fold } from './panel';
import { frobnicate } from 'elsewhere';
export function App() {
  const fold = new Fold();
  fold.open();
  frobnicate();
  return <Badge/>;
}
""",
    "vue/composables/shapes.ts": """
import { shallowRef } from 'vue'
export function useVueShapes() { return shallowRef([]) }
export const useVueBoth = () => useVueMore() ?? useVueShapes()
""",
    "vue/composables/more.ts": "export function useVueMore() {}\nfunction useVueLess() {}\n",
    "vue/components/VueCard.vue": """
<script setup lang="ts">
import { ref } from 'vue'
function vueReset() { frobnicate() }
</script>
<template><button @click="vueReset"/></template>
""",
    "vue/components/vuerow.vue": "<template><VueCard/></template>",
    "vue/pages/app.vue": """
<template>
  <VueCard :shapes="useVueShapes()" @close="vueReset()"/><Row v-if="useVueLess()"/>{{ vuerow() }}
</template>
<script setup lang="ts">
import Row from '../components/vuerow.vue'
</script>
""",
    "svelte/Row.svelte": "<script>export function svelteName() {}</script>",
    "svelte/lib.ts": "export function svelteArea() { return 3; }\n",
    "svelte/App.svelte": """
<script lang="ts">
  import Line from './Row.svelte'
  import { svelteArea } from './lib'
  function save() { frobnicate() }
</script>
{#if svelteArea() > 2}<Line on:click={save}/>{/if}
""",
    "astro/Card.astro": "---\nfrobnicate()\n---\n<p/>\n",
    "astro/page.astro": """
---
import Card from './Card.astro'
import { svelteArea } from '../svelte/lib'
---
{[1].map(() => <Card area={svelteArea()}/>)}
""",
    "go/go.mod": "module example.org/draw\n",
    "go/lib/lib.go": """
package lib

type Base struct{}

func (b Base) Describe() {}

type Circle struct{ Base }

func (c *Circle) Area() int { return 3 }

func Make() *Circle { return &Circle{} }
""",
    "go/app.go": """
package main

import (
	"example.org/draw/lib"
	"example.org/elsewhere"
)

func run(given lib.Circle) {
	c := lib.Make()
	c.Area()
	given.Describe()
	elsewhere.frobnicate()
}
""",
    "java/src/main/java/shapes/Shape.java": """
package shapes;
public class Shape {
  public int describe() { return area(); }
  public int area() { return 0; }
  public int area(String unit, int scale) { return scale; }
}
""",
    "java/src/main/java/shapes/Circle.java": """
package shapes;
public class Circle extends Shape {
  public Circle() { super(); }
  public static Circle make() { return new Circle(); }
}
""",
    "java/src/test/java/app/App.java": """
package app;
import elsewhere.Tool;
import shapes.Circle;
class App {
  void run(Circle given) {
    given.describe();
    Circle.make().area("m", 2);
    Tool.frobnicate();
  }
}
""",
    "kotlin/Shapes.kt": """
package kshapes
open class KShape { fun kdescribe() = karea(); open fun karea() = 0 }
class KCircle : KShape() { fun radius() = 1 }
fun kmake(): KCircle = KCircle()
""",
    "kotlin/App.kt": """
package kapp
import elsewhere.frobnicate
import kshapes.KCircle
import kshapes.kmake
fun krun(given: KCircle) {
    val c = KCircle()
    c.radius()
    given.kdescribe()
    kmake()
    frobnicate()
}
""",
    "scala/Shapes.scala": """
package sshapes
trait Drawing { def draw(): Unit }
class SShape { def sdescribe(): Int = sarea(); def sarea(): Int = 0 }
class SCircle extends SShape with Drawing { def draw(): Unit = () }
object SMaker { def smake(): SCircle = new SCircle() }
""",
    "scala/App.scala": """
package sapp
import elsewhere.Tool
import sshapes.{SCircle, SMaker}
object SApp {
  def srun(handed: SCircle): Unit = {
    val c = new SCircle()
    c.draw()
    handed.sdescribe()
    SMaker.smake()
    Tool.frobnicate()
  }
}
""",
    "csharp/Shapes.cs": """
namespace Draw {
  public interface IDrawable { void Draw(); }
  public class Shape { public int Describe() { return Area(); } public int Area() { return 0; } }
  public class Circle : Shape, IDrawable { public void Draw() { } }
  public static class Maker { public static Circle Make() { return new Circle(); } }
}
""",
    "csharp/App.cs": """
using Draw;
using Elsewhere;
namespace App {
  class Program {
    void Run(Circle given) {
      var c = new Circle();
      c.Draw();
      given.Describe();
      Maker.Make();
      Tool.frobnicate();
    }
  }
}
""",
    "rust/src/shapes.rs": """
pub trait Drawable { fn draw(&self); }
pub struct Circle { pub radius: u32 }
impl Circle {
    pub fn new() -> Self { Circle { radius: 1 } }
    pub fn area(&self) -> u32 { self.scaled(3) }
    fn scaled(&self, by: u32) -> u32 { self.radius * by }
}
impl Drawable for Circle { fn draw(&self) {} }
pub fn make() -> Circle { Circle::new() }
""",
    "rust/src/main.rs": """
mod shapes;
use shapes::{make, Circle, Drawable};
fn run(given: &Circle) {
    let c = Circle::new();
    c.area();
    given.draw();
    make();
    elsewhere::frobnicate();
}
""",
    "c/lib.h": "struct cshape { int sides; };\nint c_area(struct cshape *shape);\n",
    "c/lib.c": """
#include "lib.h"
static int half(int value) { return value / 2; }
int c_area(struct cshape *shape) { return half(shape->sides); }
""",
    "c/app.c": """
#include "lib.h"
#include <elsewhere.h>
int c_run(void) { struct cshape s; frobnicate(); return c_area(&s); }
""",
    "cpp/shapes.hpp": """
#pragma once
namespace draw {
class Shape { public: int describe() { return area(); } virtual int area() { return 0; } };
class Circle : public Shape { public: int area() override; int radius(); };
Circle make();
}
""",
    "cpp/shapes.cpp": """
#include "shapes.hpp"
namespace draw {
int Circle::area() { return radius(); }
int Circle::radius() { return 1; }
Circle make() { return Circle(); }
}
""",
    "cpp/app.cpp": """
#include "shapes.hpp"
int cpp_run(draw::Circle &given) {
  draw::Circle c;
  c.radius();
  given.describe();
  draw::make();
  return frobnicate();
}
""",
    "swift/Shapes.swift": """
protocol Drawable { func draw() }
class Shape { func describe() -> Int { return self.area() }; func area() -> Int { return 0 } }
class Circle: Shape, Drawable { func draw() {} }
func make() -> Circle { return Circle() }
""",
    "swift/App.swift": """
import Elsewhere
func run(given: Circle) {
    let c = Circle()
    c.draw()
    given.describe()
    make()
    frobnicate()
}
""",
    "ruby/shapes.rb": """
module Drawing
  def draw; end
end
class Shape
  def describe; area; end
  def area; 0; end
end
class Circle < Shape
  include Drawing
  def self.make; new; end
end
""",
    "ruby/app.rb": """
require_relative 'shapes'
def run
  c = Circle.new
  c.describe
  c.draw
  Circle.make
  Elsewhere.frobnicate
end
""",
    "php/src/Shapes.php": """<?php
namespace Draw;
interface Drawable { public function draw(); }
class Shape { public function describe() { return $this->area(); } public function area() {} }
class Circle extends Shape implements Drawable {
  public function draw() {}
  public static function make(): Circle { return new Circle(); }
}
""",
    "php/app.php": """<?php
use Draw\\Circle;
use Elsewhere\\Tool;
function run(Circle $given) {
  $c = new Circle();
  $c->draw();
  $given->describe();
  Circle::make();
  Tool::frobnicate();
}
""",
    "lua/shapes.lua": """
local Shape = {}
Shape.__index = Shape
function Shape.new() return setmetatable({}, Shape) end
function Shape:area() return self:half() end
function Shape:half() return 1 end
return Shape
""",
    "lua/app.lua": """
local Shape = require('shapes')
local function run()
  local s = Shape.new()
  s:area()
  frobnicate()
end
""",
    "elixir/shapes.ex": """
defmodule Draw.Shape do
  def area(shape), do: half(shape)
  defp half(shape), do: shape
  defmacro __using__(_), do: nil
end
""",
    "elixir/app.ex": """
defmodule App do
  use Draw.Shape
  alias Draw.Shape
  import Elsewhere
  def run(shape) do
    Shape.area(shape)
    frobnicate(shape)
  end
end
""",
    "haskell/Shapes.hs": """
module Shapes where
class Drawable a where
  draw :: a -> Int
data Circle = Circle Int
instance Drawable Circle where
  draw c = area c
area :: Circle -> Int
area (Circle r) = r
""",
    "haskell/Main.hs": """
module Main where
import Shapes (area)
import qualified Elsewhere as E
run c = area c + E.frobnicate c
""",
    "bash/lib.sh": "make() {\n  half\n}\nhalf() {\n  echo 1\n}\n",
    "bash/app.sh": "source ./lib.sh\nrun() {\n  make\n  frobnicate\n}\n",
    "zig/shapes.zig": """
pub const Circle = struct {
    radius: u32,
    pub fn init() Circle { return Circle{ .radius = 1 }; }
    pub fn area(self: Circle) u32 { return self.half(); }
    fn half(self: Circle) u32 { return self.radius; }
};
pub fn make() Circle { return Circle.init(); }
""",
    "zig/app.zig": """
const shapes = @import("shapes.zig");
const elsewhere = @import("elsewhere");
fn run() void {
    const c = shapes.make();
    c.area();
    elsewhere.frobnicate();
}
""",
    "dart/lib.dart": """
abstract class DtShape { int describe() { return area(); } int area() { return 0; } }
mixin DtNamed { String label() => 'a'; }
class DtCircle extends DtShape with DtNamed { @override int area() { return 3; } }
DtCircle dtMake() => DtCircle();
""",
    "dart/app.dart": """
import 'lib.dart';
import 'package:elsewhere/elsewhere.dart' as elsewhere;
void run(DtCircle given) {
  dtMake();
  given.label();
  given.describe();
  elsewhere.frobnicate();
}
""",
    "solidity/lib.sol": """
interface SlDrawable { function draw(uint256 a) external; }
library SlMath { function twice(uint256 a) internal pure returns (uint256) { return a * 2; } }
contract SlShape is SlDrawable {
    function draw(uint256 a) external { SlMath.twice(a); area(); }
    function area() public {}
}
""",
    "solidity/app.sol": """
import {SlShape} from "./lib.sol";
contract SlRun is SlShape {
    SlShape shape;
    function run() public { area(); shape.draw(1); frobnicate(); }
}
""",
    "gdscript/lib.gd": """
class_name GdShape
func describe(): return area()
func area(): return 0
""",
    "gdscript/app.gd": """
extends GdShape
func run(shape: GdShape):
	describe()
	shape.area()
	frobnicate()
""",
    "objc/Shape.h": """
#import <Foundation/Foundation.h>
@protocol OcDrawable
- (void)draw;
@end
@interface OcShape : NSObject <OcDrawable>
- (int)area;
@end
int ocTwice(int a);
""",
    "objc/Shape.m": """
#import "Shape.h"
int ocTwice(int a) { return a * 2; }
@implementation OcShape
- (void)draw { [self area]; }
- (int)area { return ocTwice(3); }
@end
""",
    "objc/App.m": """
#import "Shape.h"
int ocRun(OcShape *shape) {
    OcShape *made = shape;
    [made area];
    frobnicate();
    return ocTwice(1);
}
""",
    "groovy/Shape.groovy": """
package groovy
class GvShape {
    def describe() { area() }
    def area() { 0 }
}
class GvCircle extends GvShape {
    def area() { 3 }
}
""",
    "groovy/app.groovy": """
import groovy.GvCircle
def gvRun() {
    def made = new GvCircle()
    made.describe()
    frobnicate()
}
""",
    "r/lib.R": """
r_area <- function(x) r_twice(x)
r_twice <- function(x) x * 2
RShape <- R6Class("RShape", public = list(draw = function() r_area(1)))
RCircle <- R6Class("RCircle", inherit = RShape, public = list())
""",
    "r/app.R": """
r_run <- function() {
  r_area(2)
  elsewhere::frobnicate()
}
""",
    "powershell/lib.psm1": """
class PsShape {
    [int] Area() { return Get-Twice 1 }
}
class PsCircle : PsShape {
    [int] Draw() { return $this.Area() }
}
function Get-Twice { param($x) $x * 2 }
""",
    "powershell/app.ps1": """
using module ./lib.psm1
function Start-Run {
    Get-Twice 3
    frobnicate
}
""",
    "julia/lib.jl": """
module JlShapes
abstract type JlShape end
struct JlCircle <: JlShape
    r::Int
end
jl_area(c::JlCircle) = jl_twice(c.r)
jl_twice(x) = x * 2
end
""",
    "julia/app.jl": """
using .JlShapes
function jl_run()
    c = JlCircle(1)
    jl_area(c)
    frobnicate(c)
end
""",
    "perl/Shape.pm": """
package PlShape;
sub new { my $class = shift; return bless {}, $class; }
sub describe { my $self = shift; return $self->area; }
sub area { return 0; }
package PlCircle;
use parent -norequire, 'PlShape';
sub area { return pl_twice(3); }
sub pl_twice { return $_[0] * 2; }
1;
""",
    "perl/app.pl": """
use PlShape;
sub pl_run {
    my $made = PlCircle->new;
    $made->describe;
    PlCircle::pl_twice(2);
    frobnicate();
}
""",
    "nix/lib.nix": """
{ lib }:
let
  nixTwice = x: x * 2;
in {
  nixArea = x: nixTwice x;
}
""",
    "nix/app.nix": """
let
  shapes = import ./lib.nix { };
  nixRun = x: shapes.nixArea (frobnicate x);
in nixRun 1
""",
    "hcl/main.tf": """
variable "size" {}
locals {
  twice = var.size * 2
}
resource "aws_s3_bucket" "books" {
  bucket = "b-${local.twice}"
}
""",
    "hcl/outputs.tf": """
output "id" {
  value = frobnicate(aws_s3_bucket.books.id, var.size)
}
""",
    "clojure/lib.clj": """
(ns clj.lib)
(defprotocol CljDrawable (clj-draw [this]))
(defn clj-twice [x] (* x 2))
(defn clj-area [c] (clj-twice c))
(defrecord CljCircle [r] CljDrawable (clj-draw [this] (clj-area r)))
""",
    "clojure/app.clj": """
(ns clj.app (:require [clj.lib :as lib :refer [clj-area]]))
(defn clj-run [c]
  (clj-area c)
  (lib/clj-twice c)
  (frobnicate c))
""",
    "erlang/er_lib.erl": """
-module(er_lib).
-export([area/1]).
area(X) -> twice(X).
twice(X) -> X * 2.
""",
    "erlang/er_app.erl": """
-module(er_app).
-export([run/1]).
run(X) -> er_lib:area(X), frobnicate(X), helper(X).
helper(X) -> lists:map(fun er_lib:area/1, X).
""",
    "ocaml/ml_shape.ml": """
module type ML_DRAWABLE = sig val draw : int -> int end
let ml_twice x = x * 2
module Circle : ML_DRAWABLE = struct
  let draw x = ml_twice x
end
class ml_base = object method area = ml_twice 3 end
class ml_circle = object inherit ml_base end
""",
    "ocaml/ml_app.ml": """
let ml_run x =
  frobnicate x;
  Ml_shape.ml_twice (Ml_shape.Circle.draw x)
""",
}

EDGES: dict[str, str] = {
    "bash": """
make call half
run call make
""",
    "c": """
c_area call half
c_run call c_area
""",
    "cpp": """
cpp_run call draw.Circle.radius
cpp_run call draw.Shape.describe
cpp_run call draw.make
draw.Circle inherit draw.Shape
draw.Circle.area call draw.Circle.radius
draw.Shape.describe call draw.Shape.area
draw.make call draw.Circle
""",
    "csharp": """
App.Program.Run call Draw.Circle
App.Program.Run call Draw.Circle.Draw
App.Program.Run call Draw.Maker.Make
App.Program.Run call Draw.Shape.Describe
Draw.Circle implement Draw.IDrawable
Draw.Circle inherit Draw.Shape
Draw.Maker.Make call Draw.Circle
Draw.Shape.Describe call Draw.Shape.Area
""",
    "elixir": """
App.run call Draw.Shape.area
Draw.Shape.area call Draw.Shape.half
""",
    "go": """
Circle inherit Base
run call Base.Describe
run call Circle.Area
run call Make
""",
    "haskell": """
Circle implement Drawable
Circle.draw call area
run call area
""",
    "java": """
App.run call Circle.make
App.run call Shape.area
App.run call Shape.describe
Circle inherit Shape
Circle.make call Circle
Circle.make call Circle.Circle
Shape.describe call Shape.area
""",
    "javascript": """
JsCircle inherit JsShape
JsShape.describe call JsCircle.area
JsShape.describe call JsShape.area
jsMake call JsCircle
run call JsCircle
run call JsCircle.area
run call JsShape.describe
run call jsMake
""",
    "kotlin": """
KCircle inherit KShape
KShape.kdescribe call KShape.karea
kmake call KCircle
krun call KCircle
krun call KCircle.radius
krun call KShape.kdescribe
krun call kmake
""",
    "lua": """
Shape.area call Shape.half
run call Shape.area
run call Shape.new
""",
    "php": """
Draw.Circle implement Draw.Drawable
Draw.Circle inherit Draw.Shape
Draw.Circle.make call Draw.Circle
Draw.Shape.describe call Draw.Shape.area
run call Draw.Circle
run call Draw.Circle.draw
run call Draw.Circle.make
run call Draw.Shape.describe
""",
    "python": """
Circle inherit Shape
Shape.describe call Circle.area
Shape.describe call Shape.area
make call Circle
run call Circle
run call Circle.area
run call Shape.describe
run call make
""",
    "ruby": """
Circle implement Drawing
Circle inherit Shape
Circle.make call Circle
Shape.describe call Shape.area
run call Circle
run call Circle.make
run call Drawing.draw
run call Shape.describe
""",
    "rust": """
Circle implement Drawable
Circle.area call Circle.scaled
make call Circle.new
run call Circle.area
run call Circle.draw
run call Circle.new
run call make
""",
    "scala": """
SApp.srun call SCircle
SApp.srun call SCircle.draw
SApp.srun call SMaker.smake
SApp.srun call SShape.sdescribe
SCircle implement Drawing
SCircle inherit SShape
SMaker.smake call SCircle
SShape.sdescribe call SShape.sarea
""",
    "swift": """
Circle inherit Drawable
Circle inherit Shape
Shape.describe call Shape.area
make call Circle
run call Circle
run call Circle.draw
run call Shape.describe
run call make
""",
    "tsx": """
App call Badge
App call Fold
App call Fold.open
Fold inherit Panel
Fold.open call Panel.show
""",
    "typescript": """
TsCircle implement Drawable
TsCircle inherit TsShape
TsShape.describe call TsCircle.area
TsShape.describe call TsShape.area
run call TsCircle.draw
run call TsShape.describe
run call tsMake
tsMake call TsCircle
""",
    "vue": """
VueCard call vueReset
app call VueCard
app call useVueShapes
app call vuerow
useVueBoth call useVueMore
useVueBoth call useVueShapes
vuerow call VueCard
""",
    "svelte": """
App call Row
App call save
App call svelteArea
""",
    "astro": """
page call Card
page call svelteArea in svelte/lib.ts
""",
    "zig": """
Circle.area call Circle.half
make call Circle.init
run call Circle.area
run call make
""",
    "dart": """
DtCircle implement DtNamed
DtCircle inherit DtShape
DtShape.describe call DtCircle.area
DtShape.describe call DtShape.area
dtMake call DtCircle
run call DtNamed.label
run call DtShape.describe
run call dtMake
""",
    "solidity": """
SlRun inherit SlShape
SlRun.run call SlShape.area
SlRun.run call SlShape.draw
SlShape inherit SlDrawable
SlShape.draw call SlMath.twice
SlShape.draw call SlShape.area
""",
    "gdscript": """
GdShape.describe call GdShape.area
app inherit GdShape
run call GdShape.area
run call GdShape.describe
""",
    "objc": """
OcShape implement OcDrawable
OcShape.area call ocTwice
OcShape.draw call OcShape.area
ocRun call OcShape.area
ocRun call ocTwice
""",
    "groovy": """
GvCircle inherit GvShape
GvShape.describe call GvShape.area
gvRun call GvCircle
gvRun call GvShape.describe
""",
    "r": """
RCircle inherit RShape
RShape.draw call r_area
r_area call r_twice
r_run call r_area
""",
    "powershell": """
PsCircle inherit PsShape
PsCircle.Draw call PsShape.Area
PsShape.Area call Get-Twice
Start-Run call Get-Twice
""",
    "julia": """
JlShapes.JlCircle inherit JlShapes.JlShape
JlShapes.jl_area call JlShapes.jl_twice
jl_run call JlShapes.JlCircle
jl_run call JlShapes.jl_area
""",
    "perl": """
PlCircle inherit PlShape
PlCircle.area call PlCircle.pl_twice
PlShape.describe call PlShape.area
pl_run call PlCircle
pl_run call PlCircle.pl_twice
pl_run call PlShape.describe
pl_run call PlShape.new
""",
    "nix": """
app call nixRun
nixArea call nixTwice
nixRun call nixArea
""",
    "hcl": """
aws_s3_bucket.books call local.twice
local.twice call var.size
output.id call aws_s3_bucket.books
output.id call var.size
""",
    "clojure": """
clj.app.clj-run call clj.lib.clj-area
clj.app.clj-run call clj.lib.clj-twice
clj.lib.CljCircle implement clj.lib.CljDrawable
clj.lib.CljCircle.clj-draw call clj.lib.clj-area
clj.lib.clj-area call clj.lib.clj-twice
""",
    "erlang": """
er_app.helper call er_lib.area
er_app.run call er_app.helper
er_app.run call er_lib.area
er_lib.area call er_lib.twice
""",
    "ocaml": """
Circle implement ML_DRAWABLE
Circle.draw call ml_twice
ml_base.area call ml_twice
ml_circle inherit ml_base
ml_run call Circle.draw
ml_run call ml_twice
""",
}
"""What the files of each language call, inherit and implement."""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory):
    root: Path = tmp_path_factory.mktemp("languages")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.lstrip("\n"), encoding="utf-8")
    with index(root).snapshot() as opened:
        yield opened


def edges(snapshot: Snapshot, language: str) -> list[str]:
    """Calls and bases that begin in the files of a language, by source and target."""
    found = [e for e in snapshot.graph.edges() if e.kind != ReferenceKind.TYPE]
    ids = sorted({edge.source for edge in found} | {edge.target for edge in found})
    known = {record.id: record for record in snapshot.symbols.by_id(ids)}
    shown = []
    for edge in found:
        source, target = known[edge.source], known[edge.target]
        if source.path.startswith(f"{language}/"):
            end = "" if target.path.startswith(f"{language}/") else f" in {target.path}"
            shown.append(f"{source.qualified_name} {edge.kind} {target.qualified_name}{end}")
    return sorted(shown)


@pytest.mark.parametrize("language", sorted({path.partition("/")[0] for path in FILES}))
def test_calls_imports_and_inheritance_lead_to_definitions(snapshot: Snapshot, language: str):
    assert edges(snapshot, language) == EDGES[language].split("\n")[1:-1]
    outside = list(snapshot.symbols.references_to(OUTSIDE, 99))
    assert any(use.path.startswith(f"{language}/") for use in outside)
