# ruff: noqa: E501 - a line of a row is a line of source
"""Kinds of uses that every language has, in the forms that people write: kinds by languages.

Each row is a small tree with the edges that it must have, `user -> used`, and behind `!` those that
it must not have. Names are qualified; rules and positions are left to `test_resolve`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.store.model import ReferenceKind
from tests.support.satchel import index

READ = {
    "python": (
        "//- a.py\nclass Base:\n    @property\n    def root(self): return 1\n"
        "class Order(Base):\n    @property\n    def total(self): return 1\n"
        "    def own(self):\n        if self.total > 3: return self.root\n"
        "def declared(o: Order): return f'{o.total}'\n"
        "def made():\n    x = Order().total + 1\n"
        "def looped(o: Order): return [o.root for _ in range(o.total)]\n",
        "Order.own -> Order.total; Order.own -> Base.root; declared -> Order.total;"
        " made -> Order.total; looped -> Base.root; looped -> Order.total",
    ),
    "typescript": (
        "//- a.ts\nexport class Order {\n  get total(): number { return 1 }\n"
        "  own() { if (this.total > 1) return }\n}\n"
        "//- b.ts\nimport { Order } from './a'\n"
        "export function declared(o: Order) { return `${o.total}` }\n"
        "export function maybe(o?: Order) { return o?.total ?? 1 }\n"
        "export function made() { const x = new Order(); return x.total }\n",
        "Order.own -> Order.total; declared -> Order.total; maybe -> Order.total;"
        " made -> Order.total",
    ),
    "javascript": (
        "//- a.js\nexport class Order {\n  get total() { return 1 }\n"
        "  own() { return this.total }\n  static get zero() { return 0 }\n}\n"
        "export function made() { const x = new Order(); return x.total + Order.zero }\n",
        "Order.own -> Order.total; made -> Order.total; made -> Order.zero",
    ),
    "csharp": (
        "//- A.cs\nclass Base { public int Root => 1; }\n"
        "class Order : Base {\n  public int Total => 1;\n  public static int Zero => 0;\n"
        "  int Own() { return Total + this.Root; }\n  int Bare() { if (Root > 1) return Zero; return 1; }\n}\n"
        "class User {\n  Order order = new Order();\n  int Declared(Order o) { return o.Total; }\n"
        "  int Field() => order.Total;\n  int? Maybe(Order o) => o?.Total;\n"
        '  string Text(Order o) => $"{o.Total}";\n  int Static() => Order.Zero;\n}\n',
        "Order.Own -> Order.Total; Order.Own -> Base.Root; Order.Bare -> Order.Zero;"
        " User.Declared -> Order.Total; User.Field -> Order.Total; User.Maybe -> Order.Total;"
        " User.Text -> Order.Total; User.Static -> Order.Zero",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nopen class Base { val root: Int get() = 1 }\n"
        "class Order : Base() {\n  val total: Int get() = 1\n"
        '  fun own() = total + this.root\n  fun text() = "$total"\n}\n'
        "fun declared(o: Order) = o.total\nfun maybe(o: Order?) = o?.total ?: 1\n"
        "fun made(): Int { val x = Order(); return x.total }\nval Order.twice: Int get() = total * 2\n",
        "Order.own -> Order.total; Order.own -> Base.root; Order.text -> Order.total;"
        " declared -> Order.total; maybe -> Order.total; made -> Order.total",
    ),
    "swift": (
        "//- a.swift\nclass Base { var root: Int { 1 } }\nclass Order: Base {\n"
        "  var total: Int { return 1 }\n  func own() -> Int { return self.root + total }\n}\n"
        "func declared(_ o: Order) -> Int { return o.total }\n"
        "func maybe(_ o: Order?) -> Int { return o?.total ?? 1 }\n"
        "func made() -> Int { let x = Order(); return x.total }\n",
        "Order.own -> Order.total; Order.own -> Base.root; declared -> Order.total;"
        " maybe -> Order.total; made -> Order.total",
    ),
    "scala": (
        "//- a.scala\nclass Base { def root: Int = 1 }\nclass Order extends Base {\n"
        "  def total: Int = 1\n  def own: Int = total + this.root\n}\n"
        "object Use {\n  def declared(o: Order): Int = o.total\n"
        "  def made(): Int = { val x = new Order(); x.total }\n}\n",
        "Order.own -> Order.total; Order.own -> Base.root; Use.declared -> Order.total;"
        " Use.made -> Order.total",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nlimit = 3\ncheck n = n > limit\nstart = limit\n"
        "sized = take limit\n",
        "check -> limit; start -> limit; sized -> limit",
    ),
    "php": (
        "//- a.php\n<?php\nclass Order {\n  public int $total { get => 1; }\n"
        "  function own() { return $this->total; }\n}\n"
        "function declared(Order $o) { return $o->total; }\n"
        "function maybe(?Order $o) { return $o?->total; }\n",
        "Order.own -> Order.total; declared -> Order.total; maybe -> Order.total",
    ),
}
"""Properties and getters, and functions that need no parentheses."""

_RUBY = "//- a.rb\nclass A\n  def t\n    1\n  end\n  def f(a = 1)\n    {}\n  end\nend\n"
RUBY_BODIES = [
    "x = t", "if t then 1 end", "return t", '"#{t}"', "begin\n1\nrescue\nt\nend",
    "[1].each { |q| t }", "foo(t)", "[t]", "{a: t}", "t + 1", "t", "t && a", "unless t\n1\nend",
    "case t\nwhen 1 then 2\nend", "t ? 1 : 2", "a = b || t", "yield t", "x ||= t", "puts t",
    "a, b = t, 1", "return 1 unless t", "while t do 1 end", "-> { t }",
]  # fmt: skip
RUBY_VARIABLES = [
    "t = 1\nx = t", "[1].each { |t| t }", "a, t = 1, 2\nt", "begin\n1\nrescue => t\nt\nend",
    "for t in [1] do t end", "t ||= 1\nt",
]  # fmt: skip

HANDED = {
    "python": ("//- a.py\nimport signal\ndef h(): pass\ndef wire(): signal.signal(2, h)\n", "wire -> h"),
    "go": (
        "//- a.go\npackage a\nimport \"net/http\"\ntype S struct{ F func() }\n"
        "func h() {}\nfunc k() {}\nfunc m() {}\nfunc p() {}\nfunc (s *S) serve() {}\n"
        "func wire(s *S) {\n\thttp.HandleFunc(\"/\", h)\n\ts.F = k\n\tgo http.Run(s.serve)\n}\n"
        "func made() func() { return m }\nvar all = map[string]func(){\"p\": p}\n"
        "func other(h int) { http.Do(h) }\n",
        "wire -> h; wire -> k; wire -> S.serve; made -> m; all -> p; ! other -> h",
    ),
    "rust": (
        "//- src/a.rs\nfn h() -> u32 { 1 }\nfn k(a: u32) -> u32 { a }\n"
        "struct S { open: fn() -> u32 }\nimpl S { fn go(&self) {} fn own(&self, v: Vec<S>) { v.iter().for_each(Self::go); } }\n"
        "pub fn wire(x: Vec<u32>) { let _ = axum::Router::new().route(\"/\", get(h)); }\n"
        "pub fn mapped(x: Vec<u32>) { x.into_iter().map(k); }\npub fn made() -> S { S { open: h } }\n"
        "pub fn other() { let h = 1; get(h); }\n",
        "wire -> h; mapped -> k; made -> h; S.own -> S.go; ! other -> h",
    ),
    "c": (
        "//- a.c\n#include <signal.h>\nstatic void h(int s) { }\nstatic int cmp(const void *a, const void *b) { return 0; }\n"
        "struct ops { int (*open)(int); };\nstatic int open_c(int a) { return a; }\n"
        "static struct ops my_ops = { .open = open_c };\nvoid wire(int *xs) { signal(2, h); qsort(xs, 1, 4, &cmp); }\n"
        "void set(struct ops *p) { p->open = open_c; }\nvoid other(void) { int h = 1; use(h); }\n",
        "wire -> h; wire -> cmp; my_ops -> open_c; set -> open_c; ! other -> h",
    ),
    "cpp": (
        "//- a.cpp\n#include <algorithm>\nbool less(int a, int b) { return a < b; }\n"
        "class A { public: void slot(); void wire(); };\nvoid A::slot() {}\n"
        "void A::wire() { connect(this, &A::slot); }\nvoid sorted(int *a) { std::sort(a, a + 1, less); }\n"
        "void run() {}\nvoid threads() { std::thread t(run); auto f = &run; }\n",
        "A.wire -> A.slot; sorted -> less; threads -> run",
    ),
    "csharp": (
        "//- A.cs\npublic class S {\n static string H() => \"x\";\n void Wire(dynamic app) { app.MapGet(\"/\", H); }\n"
        " void OnClick(object o, System.EventArgs e) {}\n void Events(dynamic b) { b.Click += OnClick; }\n"
        " void Own(dynamic b) { b.Add(this.OnClick); }\n System.Action Field() { System.Action a = OnStop; return a; }\n"
        " void OnStop() {}\n void Other(int H) { System.Math.Abs(H); }\n}\n",
        "S.Wire -> S.H; S.Events -> S.OnClick; S.Own -> S.OnClick; S.Field -> S.OnStop; ! S.Other -> S.H",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nfun h(a: Int) = a\nclass C { fun g(a: Int) = a\n  fun own(xs: List<Int>) = xs.map(this::g) }\n"
        "fun wire(xs: List<Int>) = xs.map(::h)\nfun held() { val f = ::h }\n",
        "wire -> h; C.own -> C.g; held -> h",
    ),
    "swift": (
        "//- a.swift\nfunc h(_ a: Int) -> Int { a }\nfunc wire(_ xs: [Int]) -> [Int] { xs.map(h) }\n"
        "class C { @objc func tap() {}\n  func own() { button.addTarget(self, action: #selector(tap)) }\n"
        "  func done() {}\n  func run() { start(self.done) } }\n",
        "wire -> h; C.own -> C.tap; C.run -> C.done",
    ),
    "scala": (
        "//- a.scala\nobject A {\n  def h(a: Int): Int = a\n  def wire(xs: List[Int]) = xs.map(h)\n"
        "  def infix(xs: List[Int]) = xs map h\n  def eta(xs: List[Int]) = xs.foreach(h _)\n}\n",
        "A.wire -> A.h; A.infix -> A.h; A.eta -> A.h",
    ),
    "java": (
        "//- A.java\nimport java.util.List;\nclass A {\n  int h(int a) { return a; }\n"
        "  void wire(List<Integer> xs) { xs.stream().map(this::h); }\n}\n",
        "A.wire -> A.h",
    ),
    "php": (
        "//- a.php\n<?php\nfunction h($a) {}\nclass A {\n  function cmp($a) {}\n"
        "  function own($x) { usort($x, [$this, 'cmp']); }\n"
        "  function later($x) { array_map($this->cmp(...), $x); }\n}\n"
        "function wire($x) { array_map('h', $x); }\nfunction first($x) { array_map(h(...), $x); }\n",
        "A.own -> A.cmp; A.later -> A.cmp; wire -> h; first -> h",
    ),
    "ruby": (
        "//- a.rb\nclass A\n  def h(a)\n    a\n  end\n  def wire(xs)\n    xs.map(&method(:h))\n  end\nend\n",
        "A.wire -> A.h",
    ),
    "elixir": (
        "//- a.ex\ndefmodule A do\n  def h(x), do: x\n  def wire(xs), do: Enum.map(xs, &h/1)\n"
        "  def far(xs), do: Enum.map(xs, &A.h/1)\nend\n",
        "A.wire -> A.h; A.far -> A.h",
    ),
    "lua": (
        "//- a.lua\nlocal M = {}\nlocal function h() return 1 end\nfunction M.k() return 1 end\n"
        "function M.wire() on('x', h); M.cb = h end\nfunction M.table() return { open = M.k } end\nreturn M\n",
        "M.wire -> h; M.table -> M.k",
    ),
    "haskell": (
        "//- A.hs\nmodule A where\nh x = x\nwire xs = map h xs\ncomposed = show . h\n",
        "wire -> h; composed -> h",
    ),
    "zig": (
        "//- a.zig\nfn less(a: u32) bool { return true; }\nfn open() void {}\n"
        "pub fn wire(xs: []u32) void { sort(xs, less); }\npub fn held() void { const o = Ops{ .open = open }; }\n",
        "wire -> less; held -> open",
    ),
    "bash": (
        "//- a.sh\ncleanup() { echo; }\nwire() { trap cleanup EXIT; }\n",
        "wire -> cleanup",
    ),
}  # fmt: skip
"""A function that is handed on by its name is used where that is done."""

CONTAINER = {
    "java": (
        "//- a/PriceApi.java\npackage a;\npublic interface PriceApi { int price(int id); }\n"
        "//- a/PriceImpl.java\npackage a;\n@Service\npublic class PriceImpl implements PriceApi { @Override public int price(int id) { return id; } }\n"
        "//- a/Ctl.java\npackage a;\nclass Ctl {\n  private final PriceApi api;\n  @Autowired private List<PriceApi> all;\n  Ctl(PriceApi api) { this.api = api; }\n"
        "  int show(int id) { return api.price(id); }\n  void each() { for (PriceApi p : all) { p.price(1); } }\n}\n",
        "Ctl.show -> PriceApi.price; Ctl.show -> PriceImpl.price; Ctl.each -> PriceImpl.price",
    ),
    "csharp": (
        "//- A.cs\nnamespace N;\npublic interface IStore { int Load(); }\npublic class Store : IStore { public int Load() => 1; }\n"
        "public class Ctl { private readonly IStore _s; public Ctl(IStore s) { _s = s; } public int Use() => _s.Load(); }\n"
        "public class Primary(IStore s) { public int Use() => s.Load(); }\n",
        "N.Ctl.Use -> N.Store.Load; N.Primary.Use -> N.Store.Load",
    ),
    "typescript": (
        "//- a.ts\nexport interface Mail { post(): number }\n@Injectable()\nexport class SmtpMail implements Mail { post() { return 1 } }\n"
        "export class MailCtl { constructor(private m: Mail) {} use() { return this.m.post() } }\n",
        "MailCtl.use -> SmtpMail.post",
    ),
    "kotlin": (
        "//- a.kt\npackage k\ninterface Mail { fun post(): Int }\nclass SmtpMail : Mail { override fun post() = 1 }\n"
        "class Ctl(private val m: Mail) { fun use() = m.post() }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "php": (
        "//- a.php\n<?php\ninterface Mail { function post(); }\nclass SmtpMail implements Mail { function post() {} }\n"
        "class Ctl { function __construct(private Mail $m) {} function use() { $this->m->post(); } }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "swift": (
        "//- a.swift\nprotocol Mail { func post() -> Int }\nclass SmtpMail: Mail { func post() -> Int { 1 } }\n"
        "class Ctl { let m: Mail\n  init(m: Mail) { self.m = m }\n  func use() -> Int { return m.post() } }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "scala": (
        "//- a.scala\ntrait Mail { def post(): Int }\nclass SmtpMail extends Mail { def post(): Int = 1 }\n"
        "class Ctl(m: Mail) { def use(): Int = m.post() }\n",
        "Ctl.use -> SmtpMail.post",
    ),
    "rust": (
        "//- src/a.rs\npub trait Mail { fn post(&self) -> u32; }\npub struct Smtp;\nimpl Mail for Smtp { fn post(&self) -> u32 { 1 } }\n"
        "pub struct Ctl { m: Box<dyn Mail> }\nimpl Ctl { pub fn one(&self) -> u32 { self.m.post() } }\npub fn given(m: &dyn Mail) -> u32 { m.post() }\n",
        "given -> Smtp.post",
    ),
}
"""What a container makes: nothing in the tree constructs what implements the interface."""

FIELDS = {
    "kotlin": (
        "//- a.kt\npackage k\nclass Svc { fun run() {} }\nclass Decoy { fun run() {} }\nclass K(private val svc: Svc) {\n"
        "    private val b: Svc = Svc()\n    lateinit var c: Svc\n    fun use() { svc.run() }\n    fun other() { b.run() }\n    fun late() { this.c.run() }\n}\n",
        "K.use -> Svc.run; K.other -> Svc.run; K.late -> Svc.run; ! K.use -> Decoy.run",
    ),
    "php": (
        "//- a.php\n<?php\nclass Hunter { function hunt() {} }\nclass Decoy { function hunt() {} }\n"
        "class P { function __construct(private Hunter $h) {} function go() { $this->h->hunt(); } }\n"
        "class Q { private Hunter $h; function go() { $this->h->hunt(); } }\n"
        "class R { private ?Hunter $h = null; function go() { $this->h->hunt(); } }\n",
        "P.go -> Hunter.hunt; Q.go -> Hunter.hunt; R.go -> Hunter.hunt; ! P.go -> Decoy.hunt",
    ),
    "csharp": (
        "//- A.cs\nclass Svc { public void Run() {} }\nclass Decoy { public void Run() {} }\n"
        "class K { private Svc a; public Svc B { get; set; }\n  void One() { a.Run(); }\n  void Two() { B.Run(); }\n  void Three() { this.B.Run(); } }\n",
        "K.One -> Svc.Run; K.Two -> Svc.Run; K.Three -> Svc.Run",
    ),
}
"""A call on a field whose type is declared."""

OUTSIDE = {
    "csharp": (
        '//- a.cs\nusing V;\nclass A { void U() { Ext.Zap(); int.Zip("1"); } }\n'
        "//- l.cs\nclass L { public static void Zap() {} public static void Zip(string a) {} }\n",
        "! A.U -> L.Zap; A.U -> L.Zip",
    ),
    "php": (
        "//- a.php\n<?php\nuse V\\Ext;\nfunction u() { Ext::zap(); }\nclass L { static function zap() {} }\n",
        "! u -> L.zap",
    ),
    "cpp": (
        "//- a.cpp\n#include <ext.h>\nvoid u() { std::zap(1); }\nclass L { public: static void zap(int a) {} };\n",
        "! u -> L.zap",
    ),
    "rust": (
        "//- src/a.rs\nuse ext::Ext;\npub fn u() { Ext::zap(); }\npub struct L;\nimpl L { pub fn zap() {} }\n",
        "! u -> L.zap",
    ),
    "elixir": (
        "//- a.ex\ndefmodule U do\n  alias V.Ext\n  def u, do: Ext.zap()\nend\ndefmodule L do\n  def zap, do: 1\nend\n",
        "! U.u -> L.zap",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nimport v.Ext\nfun u() { Ext.zap() }\nobject L { fun zap() {} }\n",
        "! u -> L.zap",
    ),
    "swift": (
        "//- a.swift\nimport Ext\nfunc u() { Ext.zap() }\nclass L { static func zap() {} }\n",
        "! u -> L.zap",
    ),
}
"""What is plainly a member of something outside is none of the tree."""

HIDDEN = {
    "go": (
        "//- a.go\n"
        "package a\n"
        "func sum() {}\n"
        "func a() { switch sum := v.(type) { case int: take(sum) } }\n"
        "func b() { select { case sum := <-c: take(sum) } }\n"
        "func c() { const sum = 1\n"
        " take(sum) }\n"
        "func d() { run(func(sum int) { take(sum) }) }\n"
        "func used() { take(sum) }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "c": (
        "//- a.c\n"
        "int sum(void) { return 1; }\n"
        "#define OPT(o) int opt_##o = 1\n"
        "void a(void) { OPT(sum); }\n"
        "void b(void) { for (int sum = 0; sum < 3; sum++) take(sum); }\n"
        "void used(void) { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "cpp": (
        "//- a.cpp\n"
        "int sum() { return 1; }\n"
        "void a() { for (auto& sum : xs) take(sum); }\n"
        "void b() { auto [sum, b] = f(); take(sum); }\n"
        "void used() { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "rust": (
        "//- src/a.rs\n"
        "fn sum() {}\n"
        "fn a() { let S { sum, .. } = f(); take(sum); }\n"
        "fn b() { for (i, (sum, b)) in xs { take(sum); } }\n"
        "fn used() { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "lua": (
        "//- a.lua\n"
        "local function sum() end\n"
        "function a() for i, sum in pairs(x) do take(sum) end end\n"
        "function b() for sum = 1, 3 do take(sum) end end\n"
        "function c() run(function(sum) take(sum) end) end\n"
        "function used() take(sum) end\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "zig": (
        "//- a.zig\n"
        "fn sum() void {}\n"
        "fn a() void { const sum = 1; take(sum); }\n"
        "fn b() void { if (x) |sum| { take(sum); } }\n"
        "fn c() void { for (xs) |sum| take(sum); }\n"
        "fn used() void { take(sum); }\n",
        "used -> sum; ! a -> sum; b -> sum; c -> sum; d -> sum; e -> sum; f -> sum; g -> sum; h -> sum",
    ),
    "haskell": (
        "//- H.hs\n"
        "module H where\n"
        "total :: Int -> Int\n"
        "total n = n\n"
        "a total = take total\n"
        "b = let total = 1 in take total\n"
        "c = map (\\total -> take total) xs\n"
        "d = take total where total = 1\n"
        "e = do { total <- f; take total }\n"
        "g x = case x of Just total -> take total\n"
        "h = [take total | total <- xs]\n"
        "used = take total\n",
        "used -> total; ! a -> total; b -> total; c -> total; d -> total; e -> total; f -> total; g -> total; h -> total",
    ),
    "kotlin": (
        "//- a.kt\n"
        "package k\n"
        "class K { val len: Int get() = 1\n"
        " fun a() { val len = 1; take(len) }\n"
        " fun b() { for (len in xs) take(len) }\n"
        " fun c() { xs.map { len -> take(len) } }\n"
        " fun d() { val (len, b) = f(); take(len) }\n"
        " fun used() = take(len) }\n",
        "K.used -> K.len; ! K.a -> K.len; K.b -> K.len; K.c -> K.len; K.d -> K.len; K.e -> K.len; K.f -> K.len; K.g -> K.len; K.h -> K.len",
    ),
    "csharp": (
        "//- A.cs\n"
        "class K { int Len => 1;\n"
        " void a() { xs.Select(Len => take(Len)); }\n"
        " void b() { f(out var Len); take(Len); }\n"
        " void c() { var (Len, b) = f(); take(Len); }\n"
        " void d() { if (x is int Len) take(Len); }\n"
        " void e() { try { } catch (E Len) { take(Len); } }\n"
        " void used() { take(Len); } }\n",
        "K.used -> K.Len; ! K.a -> K.Len; K.b -> K.Len; K.c -> K.Len; K.d -> K.Len; K.e -> K.Len; K.f -> K.Len; K.g -> K.Len; K.h -> K.Len",
    ),
    "swift": (
        "//- a.swift\n"
        "class K { var len: Int { return 1 }\n"
        " func a() { let len = 1; take(len) }\n"
        " func b() { for len in xs { take(len) } }\n"
        " func c() { if let len = x { take(len) } }\n"
        " func d() { guard let len = x else { return }; take(len) }\n"
        " func e() { xs.map { len in take(len) } }\n"
        " func f() { let (len, b) = g(); take(len) }\n"
        " func used() { if let len = len { take(len) } } }\n",
        "K.used -> K.len; ! K.a -> K.len; K.b -> K.len; K.c -> K.len; K.d -> K.len; K.e -> K.len; K.f -> K.len; K.g -> K.len; K.h -> K.len",
    ),
    "scala": (
        "//- a.scala\n"
        "class K { def sum = 1\n"
        " def a() = { val sum = 1; take(sum) }\n"
        " def b() = for (sum <- xs) take(sum)\n"
        " def c() = xs.map(sum => take(sum))\n"
        " def d() = x match { case Some(sum) => take(sum) }\n"
        " def e() = { val (sum, b) = f(); take(sum) }\n"
        " def used() = take(sum) }\n",
        "K.used -> K.sum; ! K.a -> K.sum; K.b -> K.sum; K.c -> K.sum; K.d -> K.sum; K.e -> K.sum; K.f -> K.sum; K.g -> K.sum; K.h -> K.sum",
    ),
    "ruby": (
        "//- a.rb\n"
        "class K\n"
        " def sum; 1; end\n"
        " def a; xs.each { |a, (sum, b)| take(sum) }; end\n"
        " def b; case x; in {sum:}; take(sum); end; end\n"
        " def used; take(sum); end\n"
        "end\n",
        "K.used -> K.sum; ! K.a -> K.sum; K.b -> K.sum; K.c -> K.sum; K.d -> K.sum; K.e -> K.sum; K.f -> K.sum; K.g -> K.sum; K.h -> K.sum",
    ),
}
"""A variable hides a function or a property of its name, however it is bound."""

EXTENDING = {
    "csharp": (
        "//- A.cs\nnamespace Demo;\npublic static class Tools {\n  extension(IEnumerable<int> numbers)\n  {\n"
        "    public int Total() => numbers.Kept();\n    public bool IsBlank => numbers.Any();\n"
        "    public bool Kept() { return numbers.IsBlank; }\n  }\n"
        "  extension<T>(IFoo<T> spec) where T : class\n  {\n    public string Url() => spec.Name();\n  }\n}\n"
        "public interface IFoo<T> { string Name(); }\n"
        "//- B.cs\nnamespace Demo;\npublic class Use {\n  public int Go(List<int> xs) => xs.Total();\n"
        "  public bool Blank(List<int> xs) { return xs.IsBlank; }\n  public string Url(IFoo<int> f) => f.Url();\n}\n",
        "Demo.Use.Go -> Demo.Tools.Total; Demo.Use.Blank -> Demo.Tools.IsBlank; Demo.Use.Url -> Demo.Tools.Url;"
        " Demo.Tools.Total -> Demo.Tools.Kept; Demo.Tools.Url -> Demo.IFoo.Name; Demo.Tools.Kept -> Demo.Tools.IsBlank",
    ),
}
"""Members that a class has for another type."""

MADE_OUTSIDE = {
    "javascript": (
        "//- a.js\nconst { Ext } = require('ext')\nconst Other = require('other')\nclass L { zap() {} }\n"
        "function u() { const e = new Ext(); e.zap() }\nfunction w() { const e = new Other(); e.zap() }\n"
        "function v() { const e = new L(); e.zap() }\n",
        "v -> L.zap; ! u -> L.zap; w -> L.zap",
    ),
    "csharp": (
        "//- A.cs\nusing X;\nclass L { public void Save() {} }\n"
        "class U { void F() { var d = new XDocument(); d.Save(); } void G() { var d = new L(); d.Save(); } }\n",
        "U.G -> L.Save; ! U.F -> L.Save",
    ),
    "typescript": (
        "//- a.ts\nimport { Ext } from 'ext'\nexport class L { zap() {} }\n"
        "export function u() { const e = new Ext(); e.zap() }\nexport function v() { const e = new L(); e.zap() }\n",
        "v -> L.zap; ! u -> L.zap",
    ),
    "python": (
        "//- a.py\nfrom ext import Ext\nclass L:\n    def zap(self): pass\n"
        "def u():\n    e = Ext()\n    e.zap()\ndef v():\n    e = L()\n    e.zap()\n",
        "v -> L.zap; ! u -> L.zap",
    ),
    "php": (
        "//- a.php\n<?php\nuse V\\Ext;\nclass L { function zap() {} }\n"
        "function u() { $e = new Ext(); $e->zap(); }\nfunction v() { $e = new L(); $e->zap(); }\n",
        "v -> L.zap; ! u -> L.zap",
    ),
}
"""Variables that hold an instance of a type which the tree lacks."""

MADE_OF_A_VARIABLE = {
    "python": (
        "//- a.py\nclass L:\n    def zap(self): pass\n"
        "def u():\n    Made = type('Made', (L,), {})\n    e = Made()\n    e.zap()\n"
        "def v(Given):\n    e = Given()\n    e.zap()\n",
        "u -> L.zap; v -> L.zap",
    ),
    "imported": (
        "//- a.ts\nimport { mixed } from 'ext'\nclass L { zap() {} }\nexport const Made = mixed(L)\n"
        "//- b.ts\nimport { Made } from './a'\nexport function u() { const e = new Made(); e.zap() }\n",
        "u -> L.zap",
    ),
    "typescript": (
        "//- a.ts\nimport { mixed } from 'ext'\nexport class L { zap() {} }\nconst Made = mixed(L)\n"
        "export function u() { const e = new Made(); e.zap() }\n"
        "export function v(Given: any) { const e = new Given(); e.zap() }\n",
        "u -> L.zap; v -> L.zap",
    ),
}
"""Instances of a class that is computed or given: it may be one of the tree."""

EVENTS = {
    "java": (
        "//- a/Placed.java\npackage a;\npublic record Placed(int id) {}\n"
        "//- a/Paid.java\npackage a;\npublic class Paid {}\n"
        "//- a/Bus.java\npackage a;\npublic interface Bus { void publishEvent(Object event); }\n"
        "//- a/Orders.java\npackage a;\nclass Orders {\n  private final Bus bus;\n"
        "  void place(int id) { bus.publishEvent(new Placed(id)); }\n  void later(Placed p) { this.bus.publishEvent(p); }\n"
        "  void pay() { var paid = new Paid(); bus.publishEvent(paid); }\n  void ask(Other o) { bus.publishEvent(o); }\n}\n"
        "//- a/Mail.java\npackage a;\nimport org.springframework.context.event.EventListener;\nclass Mail {\n"
        "  @EventListener\n  public void placed(Placed e) { }\n  @TransactionalEventListener(Paid.class)\n  void paid() { }\n"
        "  void helper(Placed e) { }\n}\nclass Log implements ApplicationListener<Placed> {\n"
        "  public void onApplicationEvent(Placed e) { }\n}\n",
        "Orders.place -> Mail.placed; Orders.later -> Mail.placed; Orders.pay -> Mail.paid; Orders.place -> Log.onApplicationEvent;"
        " ! Orders.place -> Mail.helper; Orders.place -> Mail.paid; Orders.ask -> Mail.placed; Orders.pay -> Mail.placed",
    ),
    "kotlin": (
        "//- a.kt\npackage k\ndata class Placed(val id: Int)\nclass Orders(private val bus: ApplicationEventPublisher) {\n"
        "  fun place(id: Int) { bus.publishEvent(Placed(id)) }\n}\nclass Mail {\n  @EventListener\n  fun placed(e: Placed) { }\n"
        "  fun helper(e: Placed) { }\n}\n",
        "Orders.place -> Mail.placed; ! Orders.place -> Mail.helper",
    ),
    "csharp": (
        "//- A.cs\nnamespace N;\npublic record Placed(int Id) : INotification;\npublic class Ask : IRequest<int> { public int A { get; set; } }\n"
        "public class Shipped { }\npublic class Orders(IMediator bus) {\n  public Task Place(int id) => bus.Publish(new Placed(id));\n"
        "  public Task<int> Get() { return bus.Send(new Ask { A = 1 }); }\n  public Task Ship(Shipped s) { return bus.Publish(s); }\n}\n"
        "public class Mail : INotificationHandler<Placed> { public Task Handle(Placed n, CancellationToken c) => null; }\n"
        "public class Answer : IRequestHandler<Ask, int> { public Task<int> Handle(Ask n, CancellationToken c) => null; }\n"
        "public class Track : IConsumer<Shipped> { public Task Consume(ConsumeContext<Shipped> c) => null; }\n",
        "N.Orders.Place -> N.Mail.Handle; N.Orders.Get -> N.Answer.Handle; N.Orders.Ship -> N.Track.Consume; ! N.Orders.Place -> N.Answer.Handle",
    ),
    "php": (
        "//- e.php\n<?php\nnamespace App;\nclass Placed { function __construct(public int $id) {} }\nclass Paid { use Dispatchable; }\n"
        "class Ship implements ShouldQueue { public function handle() {} }\n"
        "//- a.php\n<?php\nnamespace App;\nuse App\\Placed;\nclass Orders {\n  function place($id) { event(new Placed($id)); }\n"
        "  function pay() { Paid::dispatch(); }\n  function ship() { dispatch(new Ship()); }\n"
        "  function symfony() { $this->bus->dispatch(new Placed(1)); }\n}\n"
        "class Mail { public function handle(Placed $e) {} }\nclass Bill { public function handle(Paid $e) {} }\n"
        "#[AsMessageHandler]\nclass Log { public function __invoke(Placed $m) {} }\n"
        "class Hook { #[AsEventListener]\n  public function placed(Placed $m) {}\n  public function other(Placed $m) {} }\n"
        "class Sub implements EventSubscriberInterface { public function onPlaced(Placed $m) {} }\n",
        "App.Orders.place -> App.Mail.handle; App.Orders.pay -> App.Bill.handle; App.Orders.ship -> App.Ship.handle;"
        " App.Orders.symfony -> App.Log.__invoke; App.Orders.symfony -> App.Hook.placed; App.Orders.place -> App.Sub.onPlaced;"
        " ! App.Orders.place -> App.Bill.handle; App.Orders.place -> App.Hook.other",
    ),
    "typescript": (
        "//- e.ts\nexport class Placed { constructor(public id: number) {} }\nexport class Pay {}\n"
        "//- a.ts\nimport { Placed, Pay } from './e'\nexport class Orders {\n  constructor(private emitter: EventEmitter2, private bus: CommandBus) {}\n"
        "  place(id: number) { this.emitter.emit('order.placed', new Placed(id)) }\n  pay() { return this.bus.execute(new Pay()) }\n"
        "  other() { this.emitter.emit('order.lost', 1) }\n}\n"
        "//- b.ts\nimport { Placed, Pay } from './e'\nexport class Mail {\n  @OnEvent('order.placed')\n  placed(e: any) {}\n"
        "  @OnEvent('order.paid')\n  paid(e: any) {}\n}\n@CommandHandler(Pay)\nexport class PayHandler { async execute(c: Pay) {} }\n",
        "Orders.place -> Mail.placed; Orders.pay -> PayHandler.execute; ! Orders.place -> Mail.paid; Orders.other -> Mail.placed",
    ),
    "javascript": (
        "//- a.js\nconst bus = require('./bus')\nfunction place() { bus.emit('order.placed', 1) }\n"
        "//- b.js\nconst bus = require('./bus')\nfunction mail() {}\nfunction lost() {}\nbus.on('order.placed', mail)\nbus.on('order.lost', lost)\n"
        "//- c.js\nfunction fail(socket) { socket.emit('error', 1) }\n"
        "//- d.js\nfunction failed() {}\nrequire('./bus').on('error', failed)\n",
        "place -> mail; ! place -> lost; ! fail -> failed",
    ),
    "python": (
        "//- shop/signals.py\nfrom django.dispatch import Signal\nplaced = Signal()\npaid = Signal()\nclass Shipped: pass\n"
        "//- shop/orders.py\nfrom shop.signals import placed, paid, Shipped\nfrom shop import bus\n"
        "def place(): placed.send(sender=None)\ndef pay(): paid.send_robust(sender=None)\ndef ship(): bus.publish(Shipped())\n"
        "//- shop/mail.py\nfrom django.dispatch import receiver\nfrom shop.signals import placed, paid, Shipped\nfrom shop import bus\n"
        "@receiver(placed)\ndef on_placed(sender, **kw): pass\ndef on_paid(sender, **kw): pass\npaid.connect(on_paid)\n"
        "def on_shipped(e): pass\nbus.subscribe(Shipped, on_shipped)\n@bus.subscribe(Shipped)\ndef marked(e): pass\n"
        "def helper(e: Shipped): pass\n"
        "def wire(): bus.subscribe(Shipped, on_shipped)\n",
        "place -> on_placed; pay -> on_paid; ship -> on_shipped; ship -> marked;"
        " ! place -> on_paid; ship -> wire; ship -> helper; ship -> on_placed",
    ),
    "ruby": (
        "//- a.rb\nclass MailJob < ApplicationJob\n  def perform(id)\n  end\nend\n"
        "class Orders\n  def place\n    MailJob.perform_later(1)\n  end\nend\n",
        "Orders.place -> MailJob.perform",
    ),
}
"""What is published runs what is declared to handle it."""

PROVIDED = {
    "php": (
        "//- tests/ATest.php\n<?php\nclass ATest extends TestCase {\n  #[DataProvider('rows')]\n  public function testA($x) {}\n"
        "  public static function rows() { return []; }\n  /**\n   * @dataProvider more\n   */\n  public function testB($x) {}\n"
        "  public function more() { return []; }\n  #[DataProviderExternal(Far::class, 'far')]\n  public function testC($x) {}\n}\n"
        "class Far { public static function far() {} }\nclass Decoy { public function rows() {} public function more() {} }\n",
        "ATest.testA -> ATest.rows; ATest.testB -> ATest.more; ATest.testC -> Far.far; ! ATest.testA -> ATest.more; ATest.testB -> ATest.rows;"
        " ATest.testA -> Decoy.rows",
    ),
    "java": (
        '//- src/test/java/a/ATest.java\npackage a;\nclass ATest {\n  @ParameterizedTest\n  @MethodSource("rows")\n  void one(int x) {}\n'
        '  static Stream<Integer> rows() { return null; }\n  @ParameterizedTest\n  @MethodSource({"rows", "more"})\n  void two(int x) {}\n'
        '  static Stream<Integer> more() { return null; }\n  @Test(dataProvider = "testng")\n  void three(int x) {}\n'
        '  @DataProvider Object[][] testng() { return null; }\n  @MethodSource("a.Far#far")\n  void four(int x) {}\n}\n'
        "class Decoy { static void rows() {} }\n//- src/test/java/a/Far.java\npackage a;\nclass Far { static Stream<Integer> far() { return null; } }\n",
        "ATest.one -> ATest.rows; ATest.two -> ATest.rows; ATest.two -> ATest.more; ATest.three -> ATest.testng; ATest.four -> Far.far;"
        " ! ATest.one -> ATest.more; ATest.one -> Decoy.rows",
    ),
    "kotlin": (
        '//- src/test/kotlin/ATest.kt\npackage a\nclass ATest {\n  @ParameterizedTest\n  @MethodSource("rows")\n  fun one(x: Int) {}\n'
        "  companion object {\n    @JvmStatic\n    fun rows() = listOf(1)\n  }\n}\n",
        "ATest.one -> ATest.rows",
    ),
    "csharp": (
        "//- ATests.cs\nclass ATests {\n  [TestCaseSource(nameof(Rows))]\n  public void One(int x) {}\n  static object[] Rows() => null;\n"
        "  [Theory]\n  [MemberData(nameof(More))]\n  public void Two(int x) {}\n  public static IEnumerable<object[]> More => null;\n"
        '  [TestCaseSource("Rows")]\n  public void Three(int x) {}\n  [MemberData(nameof(Far.Data), MemberType = typeof(Far))]\n  public void Four(int x) {}\n'
        "  [DynamicData(nameof(Dyn), DynamicDataSourceType.Method)]\n  public void Five(int x) {}\n  static object[] Dyn() => null;\n}\n"
        "class Far { public static object[] Data() => null; }\n",
        "ATests.One -> ATests.Rows; ATests.Two -> ATests.More; ATests.Three -> ATests.Rows; ATests.Four -> Far.Data; ATests.Five -> ATests.Dyn",
    ),
    "python": (
        "//- test_a.py\nimport pytest\nfrom cases import far\ndef rows(): return [1]\n@pytest.mark.parametrize('x', rows())\ndef test_one(x): pass\n"
        "@pytest.mark.parametrize('x', far())\ndef test_two(x): pass\ndef more(): return [1]\nMORE = more()\n"
        "@pytest.fixture\ndef shop(): return 1\ndef test_three(shop): pass\n@pytest.mark.usefixtures('shop')\ndef test_four(): pass\n"
        "@parameterized.expand(rows)\ndef test_five(x): pass\n//- cases.py\ndef far(): return [1]\n",
        "test_one -> rows; test_two -> far; test_five -> rows",
    ),
    "swift": (
        "//- Tests/ATests.swift\nimport Testing\nfunc rows() -> [Int] { [1] }\n@Test(arguments: rows())\nfunc one(x: Int) {}\n",
        "one -> rows",
    ),
}
"""Where a test gets its data from is used by the test."""

INFIX = {
    "haskell": (
        "//- A.hs\nmodule A where\n(<+>) :: Int -> Int -> Int\na <+> b = a\nplus x y = x\nuse = 1 <+> 2\ntick = 1 `plus` 2\n"
        "section = map (<+> 1) []\nwhole = foldr (<+>) 0 []\n",
        "use -> <+>; tick -> plus; section -> <+>; whole -> <+>",
    ),
    "scala": (
        "//- A.scala\nclass V(x: Int) {\n  def +++(o: V): V = o\n  def plus(o: V): V = o\n}\n"
        "object U {\n  def one(a: V, b: V) = a +++ b\n  def two(a: V, b: V) = a plus b\n}\n",
        "U.one -> V.+++; U.two -> V.plus",
    ),
    "elixir": (
        "//- a.ex\ndefmodule Op do\n  def a <~> b, do: {a, b}\n  def left ~>> right, do: left\nend\n"
        "defmodule Use do\n  import Op\n  def one(a, b), do: a <~> b\n  def two(a, b), do: a ~>> b\nend\n",
        "Use.one -> Op.<~>; Use.two -> Op.~>>",
    ),
    "swift": (
        "//- a.swift\ninfix operator <+>: AdditionPrecedence\nfunc <+> (a: Int, b: Int) -> Int { a }\nfunc two() -> Int { 1 <+> 2 }\n",
        "two -> <+>",
    ),
    "kotlin": (
        "//- a.kt\npackage k\nclass V {\n  infix fun join(o: V): V = o\n}\nfun two(a: V, b: V) = a join b\n",
        "two -> V.join",
    ),
}
"""A function that stands between its arguments."""

_SHOP = (
    "<script{0}>\nexport default {1}{{\n  computed: {{ total() {{ return this.helper() }}, full: {{ get() {{ return 1 }} }} }},\n"
    "  watch: {{ name(v) {{ this.check(v) }} }},\n  methods: {{ save() {{ this.check(1) }}, check(x) {{ return this.total }},"
    " helper: function () {{ return this.full }} }},\n  mounted() {{ this.save() }},\n}}{2}\n</script>\n"
    '<template><b @click="save" :title="full">{{{{ total }}}}</b></template>\n'
)
OPTIONS = {
    kind: (
        "//- Shop.vue\n" + _SHOP.format(*parts),
        "total -> helper; save -> check; name -> check; mounted -> save; check -> total; helper -> full;"
        " Shop -> save; Shop -> total; Shop -> full",
    )
    for kind, parts in {
        "plain": ("", "", ""),
        "defined": (' lang="ts"', "defineComponent(", ")"),
    }.items()
}
"""Members that a component's options declare."""

HELD = {
    "go": (
        "//- go.mod\nmodule ex.org/a\n//- lock/l.go\npackage lock\ntype Locker interface{ Lock(id string) error }\ntype client struct{}\n"
        "func (c *client) Lock(id string) error { return nil }\nfunc work() {}\nfunc start(n int) error { return nil }\nvar Run = work\n"
        "var Start func(n int) error = start\ntype Hooks struct{ Call func(n int) error }\nvar H Hooks\nfunc init() { H.Call = start }\n"
        '//- main.go\npackage main\nimport "ex.org/a/lock"\ntype svc struct{ l lock.Locker }\nfunc (s *svc) do() { s.l.Lock("a") }\n'
        "func once() { lock.Run() }\nfunc twice() { lock.Start(1) }\nfunc thrice() { lock.H.Call(2) }\n",
        "once -> work; twice -> start; thrice -> start; svc.do -> Locker.Lock; svc.do -> client.Lock",
    ),
    "python": (
        "//- a.py\ndef work(): pass\nrun = work\nclass A:\n    call = staticmethod(work)\nX = A()\n"
        "def use(): run()\ndef member(): X.call()\n",
        "use -> work; member -> work",
    ),
    "typescript": (
        "//- a.ts\nfunction work() {}\nexport const run = work\nexport const X = { call: work }\n"
        "//- b.ts\nimport { run, X } from './a'\nexport function one() { run() }\nexport function two() { X.call() }\n",
        "one -> work; two -> work",
    ),
    "c": (
        "//- a.c\nint work(int a) { return a; }\nstatic int (*run)(int) = work;\nint use(void) { return run(1); }\n",
        "use -> work",
    ),
    "rust": (
        "//- src/a.rs\nfn work(a: u32) -> u32 { a }\nstatic RUN: fn(u32) -> u32 = work;\nfn call() -> u32 { RUN(1) }\n",
        "call -> work",
    ),
}
"""What is called is what a variable of the module, or a field of one, holds."""

COMPATIBLE = {
    "python": (
        "//- a.py\ndef \ufb01nd(x): return x\nclass \uff2bit:\n    def \u210cello(self): return 1\n"
        "//- b.py\nfrom a import find, Kit\ndef use(): return find(1)\ndef member(): return Kit().Hello()\n",
        "use -> find; member -> Kit.Hello",
    ),
}
"""Names that are equal to the language, and have other letters."""

KINDS = {
    "infix": INFIX,
    "options": OPTIONS,
    "held": HELD,
    "compatible": COMPATIBLE,
    "provided": PROVIDED,
    "events": EVENTS,
    "made outside": MADE_OUTSIDE,
    "made of a variable": MADE_OF_A_VARIABLE,
    "extending": EXTENDING,
    "outside": OUTSIDE,
    "fields": FIELDS,
    "read": READ,
    "handed": HANDED,
    "hidden": HIDDEN,
    "container": CONTAINER,
}
TOLD = {
    "handed": "a function that is handed on by its name",
    "held": "a call of what a variable of a module holds",
    "read": "properties, getters and functions that are read",
    "hidden": "a variable that hides a function of its name",
    "fields": "a call on a field with a declared type",
    "container": "what implements an interface, whoever makes it",
    "events": "handlers of what is published",
    "provided": "what provides a test with data",
    "outside": "no edge to what is plainly outside, by its qualifier",
    "made outside": "none from an instance of a type outside",
    "extending": "members that a class has for another type",
    "infix": "functions that stand between their arguments",
    "compatible": "names that are equal in another form of Unicode",
}
"""The kinds as docs/LANGUAGES.md tells them."""
ROWS = [
    pytest.param(text, said, id=f"{kind} {language}")
    for kind, languages in KINDS.items()
    for language, (text, said) in languages.items()
]
ROWS += [
    pytest.param(_RUBY.format(body), "A.f -> A.t", id=f"a word alone: {body!r}")
    for body in RUBY_BODIES
]
ROWS += [
    pytest.param(_RUBY.format(body), "! A.f -> A.t", id=f"a variable: {body!r}")
    for body in RUBY_VARIABLES
]


def edges(root: Path, *, with_types: bool = False) -> set[str]:
    """`user -> used` of all edges, without those to types unless asked for."""
    with index(root).snapshot() as snapshot:
        found = [e for e in snapshot.graph.edges() if with_types or e.kind != ReferenceKind.TYPE]
        ids = {edge.source for edge in found} | {edge.target for edge in found}
        names = {
            record.id: record.qualified_name or record.path
            for record in snapshot.symbols.by_id(sorted(ids))
        }
    return {f"{names[edge.source]} -> {names[edge.target]}" for edge in found}


@pytest.mark.parametrize(("text", "said"), ROWS)
def test_a_construct_has_its_edges(project: Callable[[str], Path], text: str, said: str):
    wanted, _, unwanted = (part.strip(" ;") for part in said.partition("!"))
    found = edges(project(text))
    assert {each.strip() for each in wanted.split(";") if each} <= found
    assert not {each.strip() for each in unwanted.split(";") if each} & found


RENAMED = {
    "typescript": (
        "//- types.ts\nexport type Level = 'a' | 'b'\nexport interface Shape { a: number }\nexport enum Color { Red }\n"
        "//- use.ts\nimport type { Level as L, Shape as S } from './types'\nimport { Color as C } from './types'\n"
        "export function one(l: L): void {}\nexport function two(s: S): void {}\nexport function four() { return C.Red }\n"
        "export function free<T>(t: T): T { return t }\n",
        "one -> Level; two -> Shape; four -> Color",
    ),
    "java": (
        "//- q/B.java\npackage q;\npublic class B {}\n"
        "//- p/A.java\npackage p;\nimport q.B;\nclass A { void f(B b) {} <T> void g(T t) {} }\n",
        "A.f -> B",
    ),
    "rust": (
        "//- src/lib.rs\nmod a;\nuse crate::a::Shape as S;\nfn f(s: S) {}\nfn g<T>(t: T) {}\n//- src/a.rs\npub struct Shape;\n",
        "f -> Shape",
    ),
}


@pytest.mark.parametrize(("text", "said"), RENAMED.values(), ids=RENAMED)
def test_a_type_under_another_name_is_used(project: Callable[[str], Path], text: str, said: str):
    assert {each.strip() for each in said.split(";")} <= edges(project(text), with_types=True)
