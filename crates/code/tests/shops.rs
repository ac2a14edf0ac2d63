//! One fictional shop per language: what calls what.
#![allow(clippy::unwrap_used)]

use backstory_code::{CodeEdgeKind, EdgeRule, Graph, ParsedFile, parse, resolve};

fn project(files: &[(&str, &str)]) -> (Vec<ParsedFile>, Graph) {
    let mut parsed: Vec<ParsedFile> = files.iter().map(|(path, text)| parse(path, text.as_bytes())).collect();
    parsed.sort_by(|a, b| a.path.cmp(&b.path));
    let graph = resolve(&parsed);
    (parsed, graph)
}

/// The edges of a kind as lines: `from -> to`, marked `?` if there are several candidates and `~` if they are matched
/// by name alone.
fn lines(files: &[ParsedFile], graph: &Graph, kind: CodeEdgeKind) -> Vec<String> {
    let name = |at: backstory_code::EntityRef| files[at.file as usize].entity(at.entity).qualified.clone();
    let edges = graph.edges.iter().filter(|edge| edge.kind == kind && edge.rule != EdgeRule::Override);
    let mut lines: Vec<String> = edges
        .map(|edge| {
            let guess = if edge.rule == EdgeRule::ByName { "~" } else { "" };
            let several = if edge.ambiguous { "?" } else { "" };
            format!("{} -> {}{guess}{several}", name(edge.from), name(edge.to))
        })
        .collect();
    lines.sort();
    lines
}

fn check(files: &[(&str, &str)], kind: CodeEdgeKind, expected: &[&str]) {
    let (files, graph) = project(files);
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    assert_eq!(lines(&files, &graph, kind), expected);
}

#[test]
fn python() {
    let files = [
        ("shop/__init__.py", "from .cart import Cart\n"),
        (
            "shop/cart.py",
            "from __future__ import annotations\n\
             from .items import Item, make_item as make\n\
             import shop.prices as prices\n\
             class Base:\n    def log(self):\n        pass\n    def total(self):\n        self.log()\n\
             class Cart(Base):\n    def __init__(self, owner: Item | None = None):\n        self.first = make('tea')\n\
             \n    def add(self, item: Item):\n        item.check()\n        self.first.check()\n        self.log()\n\
             \n    def total(self):\n        super().total()\n        return prices.rounded(1)\n\
             \n    @classmethod\n    def empty(cls) -> Cart:\n        return cls()\n\
             def use(thing):\n    Cart.empty().add(None)\n    thing.check()\n    items = [i.check() for i in thing]\n",
        ),
        ("shop/items.py", "class Item:\n    def check(self): ...\n\ndef make_item(name) -> Item:\n    return Item()\n"),
        ("shop/prices.py", "def rounded(x):\n    return round(x)\n"),
        ("tests/test_cart.py", "from shop import Cart\n\ndef test_total():\n    cart = Cart()\n    cart.total()\n"),
    ];
    check(
        &files,
        CodeEdgeKind::Calls,
        &[
            "Base.total -> Base.log", "Cart.__init__ -> make_item", "Cart.add -> Base.log", "Cart.add -> Item.check",
            "Cart.empty -> Cart.__init__", "Cart.total -> Base.total", "Cart.total -> rounded", "make_item -> Item",
            "test_total -> Cart.__init__", "test_total -> Cart.total", "use -> Cart.add", "use -> Cart.empty",
            "use -> Item.check~",
        ],
    );
    check(&files, CodeEdgeKind::Tests, &["test_total -> Cart.__init__", "test_total -> Cart.total"]);
    check(&files, CodeEdgeKind::Inherits, &["Cart -> Base"]);
}

#[test]
fn java() {
    let files = [
        (
            "src/com/shop/Cart.java",
            "package com.shop;\nimport com.shop.items.Item;\nimport java.util.List;\n\
             public class Cart extends Base {\n  private final List<Item> items;\n  Item first;\n\
             public Cart(Item first) { this.first = first; }\n\
             public Cart() { this(new Item(\"tea\")); }\n\
             void add(Item item) { item.check(1); item.check(\"x\"); items.get(0).weigh(); log(); }\n\
             Runnable later() { return new Runnable() { public void run() { first.weigh(); add(null); } }; }\n\
             static class Line { void print() { new Cart(); } }\n}\n",
        ),
        ("src/com/shop/Base.java", "package com.shop;\nclass Base { Base() {} void log() {} }\n"),
        (
            "src/com/shop/items/Item.java",
            "package com.shop.items;\npublic class Item {\n  public Item(String name) {}\n\
             public void check(int i) {}\n public void check(String s) {}\n public void weigh() { toString(); }\n}\n",
        ),
    ];
    check(
        &files,
        CodeEdgeKind::Calls,
        &[
            "Cart.$1.run -> Cart.add", "Cart.$1.run -> Item.weigh", "Cart.Cart -> Base.Base", "Cart.Cart -> Cart.Cart",
            "Cart.Cart -> Item.Item", "Cart.Line.print -> Cart.Cart", "Cart.add -> Base.log", "Cart.add -> Item.check",
            "Cart.add -> Item.check", "Cart.add -> Item.weigh",
        ],
    );
}

#[test]
fn rust() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        (
            "src/lib.rs",
            "cfg_shop! { mod cart;\npub mod items;\npub use cart::Cart; }\nuse std::sync::Arc;\n\
             pub fn open() -> Arc<Cart> { let cart = Arc::new(Cart::new()); cart.add(items::Item { price: 1 }); cart.clone() }\n\
             #[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn opens() { assert_eq!(open().total(), 1); }\n}\n",
        ),
        (
            "src/cart.rs",
            "use crate::items::{Item, Priced};\npub struct Cart { items: Vec<Item> }\n\
             impl Cart {\n    pub fn new() -> Self { Self { items: Vec::new() } }\n\
             pub fn add(&self, item: Item) { item.price(); check(&item); }\n\
             pub fn total(&self) -> u32 { self.items.iter().map(|item| item.price()).sum() }\n\
             fn first(&self) -> Option<Item> { None }\n    fn show(&self) -> Result<(), ()> { self.first().unwrap().price(); Ok(()) }\n}\n\
             fn check(item: &Item) { if let Some(cart) = find() { cart.total(); } }\nfn find() -> Option<Cart> { let (cart, n) = pair(); cart.total(); panic!(\"no cart\") }\nfn pair() -> (Cart, u32) { loop {} }\n",
        ),
        (
            "src/items.rs",
            "pub trait Priced { fn price(&self) -> u32; }\npub struct Item { pub price: u32 }\n\
             impl Priced for Item { fn price(&self) -> u32 { self.price } }\n",
        ),
    ];
    check(
        &files,
        CodeEdgeKind::Calls,
        &[
            "Cart.add -> Item.price", "Cart.add -> check", "Cart.new -> Cart", "Cart.show -> Cart.first",
            "Cart.show -> Item.price", "Cart.total -> Item.price~?", "Cart.total -> Priced.price~?",
            "check -> Cart.total", "check -> find", "find -> Cart.total", "find -> pair", "open -> Cart.add",
            "open -> Cart.new", "open -> Item", "tests.opens -> Cart.total", "tests.opens -> open",
        ],
    );
    check(&files, CodeEdgeKind::Implements, &["Item -> Priced"]);
}

#[test]
fn typescript() {
    let files = [
        (
            "src/cart.ts",
            "import { Item, price as priceOf } from './items.js';\nimport * as log from './log';\n\
             export class Cart {\n  private first: Item;\n  constructor(private store: Store) { this.first = new Item(); }\n\
             add(item: Item) { item.check(); this.first.check(); this.store.save(); log.write(priceOf(item)); }\n\
             each = () => { this.add(new Item()); };\n}\n\
             export interface Store { save(): void; }\nexport default function open() { return new Cart(null); }\n",
        ),
        ("src/items.ts", "export class Item { check() {} }\nexport const price = (item: Item) => item.check();\n"),
        ("src/log/index.ts", "export function write(text) {}\n"),
        (
            "test/cart.test.js",
            "const { Cart } = require('../src/cart');\nimport open from '../src/cart';\n\
             describe('cart', () => { it('adds', () => { const cart = new Cart(); cart.add(1); open().each(); }); });\n",
        ),
    ];
    check(
        &files,
        CodeEdgeKind::Calls,
        &[
            "Cart.add -> Item.check", "Cart.add -> Store.save", "Cart.add -> price", "Cart.add -> write",
            "Cart.constructor -> Item", "Cart.each -> Cart.add", "Cart.each -> Item", "adds -> Cart.add",
            "adds -> Cart.constructor", "adds -> Cart.each", "adds -> open", "open -> Cart.constructor",
            "price -> Item.check",
        ],
    );
}

#[test]
fn go() {
    let files = [
        ("go.mod", "module example.com/shop\n"),
        (
            "cart.go",
            "package shop\nimport \"example.com/shop/items\"\nimport \"fmt\"\ntype Cart struct {\n\tBase\n\tfirst *items.Item\n}\n\
             func New() *Cart { return &Cart{first: items.New()} }\n\
             func (c *Cart) Add(item *items.Item) error {\n\titem.Check()\n\tc.first.Check()\n\tc.log()\n\tother := New()\n\tother.total()\n\tfmt.Println()\n\treturn fmt.Errorf(\"no item %s\", item)\n}\n",
        ),
        ("base.go", "package shop\ntype Base struct{}\nfunc (b Base) log() {}\nfunc (c *Cart) total() {}\n"),
        (
            "items/item.go",
            "package items\ntype Item struct{}\nfunc New() *Item { return &Item{} }\nfunc (i *Item) Check() {}\n",
        ),
        ("cart_test.go", "package shop\nfunc TestAdd(t *testing.T) { c := New(); c.Add(nil) }\n"),
    ];
    check(
        &files,
        CodeEdgeKind::Calls,
        &[
            "Cart.Add -> Base.log", "Cart.Add -> Cart.total", "Cart.Add -> Item.Check", "Cart.Add -> New",
            "New -> Cart", "New -> Item", "New -> New", "TestAdd -> Cart.Add", "TestAdd -> New",
        ],
    );
}

#[test]
fn c_and_cpp() {
    check(
        &[
            ("cart.h", "struct cart { int size; };\nint cart_total(struct cart *c);\n"),
            (
                "cart.c",
                "#include \"cart.h\"\n#define LIMIT 3\nstatic int helper(int a) { return a; }\nint cart_total(struct cart *c) { return helper(c->size); }\n",
            ),
            ("main.c", "#include \"cart.h\"\nint main(void) { struct cart c; return cart_total(&c); }\n"),
        ],
        CodeEdgeKind::Calls,
        &["cart_total -> helper", "main -> cart_total"],
    );
    check(
        &[
            (
                "cart.hpp",
                "class Base { public: void log() {} };\nclass Cart : public Base {\n public:\n  Cart();\n  void add(Item *item);\n};\n",
            ),
            ("item.hpp", "namespace shop { class Item { public: void check() {} }; }\n"),
            (
                "cart.cpp",
                "#include \"cart.hpp\"\n#include \"item.hpp\"\nusing shop::Item;\nvoid Cart::add(Item *item) { log(); helper(); auto c = new Cart(); c->add(item); }\nvoid helper() { throw Error(\"no\"); }\n",
            ),
        ],
        CodeEdgeKind::Calls,
        &["Cart.add -> Base.log", "Cart.add -> Cart.Cart", "Cart.add -> Cart.add", "Cart.add -> helper"],
    );
}

#[test]
fn csharp_kotlin_and_swift() {
    check(
        &[
            (
                "Cart.cs",
                "using Shop.Items;\nnamespace Shop;\npublic class Cart : Base {\n  private Item first = new Item();\n  public void Add(Item item) { item.Check(); first.Check(); Log(); var c = new Cart(); c.Add(item); }\n}\n",
            ),
            ("Base.cs", "namespace Shop { public class Base { protected void Log() {} } }\n"),
            (
                "Item.cs",
                "namespace Shop.Items { public class Item { public void Check() { throw new Exception(\"bad\"); } } }\n",
            ),
        ],
        CodeEdgeKind::Calls,
        &["Cart -> Item", "Cart.Add -> Base.Log", "Cart.Add -> Cart", "Cart.Add -> Cart.Add", "Cart.Add -> Item.Check"],
    );
    check(
        &[
            (
                "Cart.kt",
                "package shop\n\nimport shop.items.Item\n\nopen class Base {\n  fun log() {\n  }\n}\n\nclass Cart(val first: Item) : Base() {\n  fun add(item: Item) {\n    item.check()\n    first.check()\n    log()\n    val c = Cart(item)\n    c.add(item)\n  }\n}\n\nfun Cart.total(): Int {\n  return 1\n}\n\nfun use(c: Cart) {\n  c.total()\n}\n",
            ),
            ("Item.kt", "package shop.items\n\nclass Item {\n  fun check() {\n  }\n}\n"),
        ],
        CodeEdgeKind::Calls,
        &[
            "Cart.add -> Base.log", "Cart.add -> Cart", "Cart.add -> Cart.add", "Cart.add -> Item.check",
            "use -> Cart.total",
        ],
    );
    check(
        &[
            (
                "Cart.swift",
                "class Base { func log() {} }\nclass Cart: Base {\n  var first: Item\n  init(first: Item) { self.first = first }\n  func add(item: Item) { item.check(); first.check(); log(); let c = Cart(first: item); c.add(item: item) }\n}\nextension Cart { func total() -> Int { return 1 } }\nfunc use(c: Cart) { _ = c.total() }\n",
            ),
            ("Item.swift", "struct Item { func check() {} }\n"),
        ],
        CodeEdgeKind::Calls,
        &[
            "Cart.add -> Base.log", "Cart.add -> Cart.add", "Cart.add -> Cart.init", "Cart.add -> Item.check",
            "use -> Cart.total",
        ],
    );
}

#[test]
fn ruby_and_php() {
    check(
        &[
            (
                "cart.rb",
                "require_relative 'item'\nmodule Logging\n  def log; end\nend\nclass Cart\n  include Logging\n  def initialize(item)\n    @first = Item.new\n  end\n  def add(item)\n    @first.check\n    log()\n    c = Cart.new(item)\n    c.add(1)\n    raise ArgumentError, 'empty'\n  end\nend\n",
            ),
            ("item.rb", "class Item\n  def check\n  end\nend\n"),
        ],
        CodeEdgeKind::Calls,
        &[
            "Cart.add -> Cart.add", "Cart.add -> Cart.initialize", "Cart.add -> Item.check", "Cart.add -> Logging.log",
            "Cart.initialize -> Item",
        ],
    );
    check(
        &[
            (
                "Cart.php",
                "<?php\nnamespace Shop;\nuse Shop\\Items\\Item;\nclass Cart extends Base {\n  private Item $first;\n  public function __construct(Item $first) { $this->first = $first; }\n  public function add(Item $item): void { $item->check(); $this->first->check(); $this->log(); $c = new Cart($item); $c->add($item); self::make(); }\n  static function make() { throw new \\Exception('no'); }\n}\n",
            ),
            ("Base.php", "<?php\nnamespace Shop;\nclass Base { function log() { helper(); } }\nfunction helper() {}\n"),
            ("Item.php", "<?php\nnamespace Shop\\Items;\nclass Item { public function check() {} }\n"),
        ],
        CodeEdgeKind::Calls,
        &[
            "Base.log -> helper", "Cart.add -> Base.log", "Cart.add -> Cart.__construct", "Cart.add -> Cart.add",
            "Cart.add -> Cart.make", "Cart.add -> Item.check",
        ],
    );
}

#[test]
fn documents_and_config() {
    let files = [
        ("README.md", "# Shop\n\nIntro.\n\n## Adding\n\nCall `Cart.add` first.\n\n```\n# not a heading\n```\n"),
        ("cart.py", "MAX_ITEMS = 3\nclass Cart:\n    def add(self): pass\n"),
        ("settings.toml", "[shop]\nMAX_ITEMS = 4\n"),
    ];
    check(&files, CodeEdgeKind::Documents, &["Shop > Adding -> Cart.add~"]);
    check(&files, CodeEdgeKind::Configures, &["shop.MAX_ITEMS -> MAX_ITEMS~"]);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let files = [
        ("a.py", "from b import f\ndef g():\n    f()\n    x.h()\n"),
        ("b.py", "def f(): pass\nclass A:\n    def h(self): pass\n"),
        ("c.py", "class B:\n    def h(self): pass\n"),
    ];
    let parsed: Vec<ParsedFile> = files.iter().map(|(path, text)| parse(path, text.as_bytes())).collect();
    let mut turned = parsed.clone();
    turned.reverse();
    assert_eq!(resolve(&parsed), resolve(&turned));
}
