//! One fixture per language: source text -> entities, imports, edges and raised errors, as text.
//!
//! `UPDATE_EXPECT=1 cargo test -p backstory-code --test languages` rewrites the expectations; read the difference.
//!
//! Known gaps that the fixtures show: Rust does not resolve `super::f()` in an inline module; Kotlin loses the name of
//! an extension function whose body follows on its line; TypeScript keeps no members of an `enum`, and Swift only the
//! first of `case a, b`; a bare call in Ruby counts as a read; a call of `parent::` in PHP also leads to the override;
//! quoted keys of a TOML table in a list and `export` in `.env` files are not read.

use std::collections::BTreeSet;

use backstory_code::{CodeEdgeKind, EdgeRule, Entity, EntityRef, Graph, ParsedFile, parse, resolve};
use expect_test::{Expect, expect};

fn check(path: &str, source: &str, expected: Expect) {
    let files = [parse(path, source.as_bytes())];
    expected.assert_eq(&rendered(&files[0], &resolve(&files)));
}

fn rendered(file: &ParsedFile, graph: &Graph) -> String {
    let mut out = String::new();
    out.extend(file.package.iter().map(|package| format!("package {package}\n")));
    out.extend(file.imports.iter().map(|import| {
        let part = |word: &str, text: &Option<String>| text.as_ref().map(|text| format!(" {word} {text}"));
        let all = if import.wildcard { " all" } else { "" };
        let name = part("name", &import.name).unwrap_or_default();
        format!("import {}{name}{}{all}\n", import.module, part("as", &import.alias).unwrap_or_default())
    }));
    out.extend(file.entities.iter().skip(1).map(|entity| shown(file, entity)));
    let name = |at: EntityRef| match file.entity(at.entity).qualified.as_str() {
        "" => "(file)".to_owned(),
        name => name.to_owned(),
    };
    let is_told = |kind: CodeEdgeKind| !matches!(kind, CodeEdgeKind::Defines | CodeEdgeKind::Contains);
    let edges: BTreeSet<String> = graph
        .edges
        .iter()
        .filter(|edge| is_told(edge.kind))
        .map(|edge| {
            let guess = if edge.rule == EdgeRule::ByName { " (by name)" } else { "" };
            format!("{} {} {}{guess}\n", name(edge.from), edge.kind.as_str(), name(edge.to))
        })
        .collect();
    out.extend(edges);
    out.extend(file.raises.iter().map(|raise| {
        let message = raise.message.as_ref().map(|message| format!(" {message:?}")).unwrap_or_default();
        format!("{} raises {}{message}\n", file.entity(raise.from).qualified, raise.what)
    }));
    out.extend(file.problems.iter().map(|problem| format!("problem {problem:?}\n")));
    out
}

/// `3 method Cart.add(item: Item) -> <Item>`.
fn shown(file: &ParsedFile, entity: &Entity) -> String {
    let params: Vec<String> = entity
        .params
        .iter()
        .map(|param| match param.type_text.as_str() {
            "" => param.name.clone(),
            text => format!("{}: {text}", param.name),
        })
        .collect();
    let params = if entity.kind.is_callable() { format!("({})", params.join(", ")) } else { String::new() };
    let value = match file.expr_text(entity.value).as_str() {
        "?" => String::new(),
        value => format!(" -> {value}"),
    };
    let implements = entity.implements.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    format!("{} {} {}{params}{value}{implements}\n", entity.name_line, entity.kind.as_str(), entity.qualified)
}

#[test]
fn rust() {
    check(
        "src/cart.rs",
        r#"
use crate::items::{Item, make as build};
use std::fmt::*;
pub const LIMIT: usize = 3;
static mut COUNT: u32 = 0;
pub struct Cart { items: Vec<Item>, total: Money }
pub enum Size { Small, Large(u8) }
pub trait Priced: Named { fn price(&self) -> Money; }
pub trait Named {}
pub type Money = u64;
impl Cart {
    pub fn new() -> Self { Cart { items: Vec::new(), total: 0 } }
    fn add(&mut self, item: Item) -> Result<(), String> {
        if self.items.len() > LIMIT { return Err(too_many()); }
        self.total = item.price();
        log!("added");
        Ok(())
    }
}
impl Priced for Cart { fn price(&self) -> Money { self.total } }
fn too_many() -> String { panic!("too many items") }
macro_rules! log { ($text:expr) => { note($text) } }
fn note(_: &str) {}
mod inner { pub fn helper() { super::too_many(); } }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { let mut cart = Cart::new(); cart.add(todo()).unwrap(); }
}
"#,
        expect![[r#"
            import crate::items name Item as Item
            import crate::items name make as build
            import std::fmt all
            import super all
            4 constant LIMIT
            5 constant COUNT
            6 type Cart
            6 field Cart.items -> <Vec[<Item>]>
            6 field Cart.total -> <Money>
            7 type Size
            7 constant Size.Small -> <Size>
            7 constant Size.Large -> <Size>
            8 type Priced
            8 method Priced.price() -> <Money>
            9 type Named
            10 type Money
            12 method Cart.new() -> <Cart>
            13 method Cart.add(item: Item) -> <Result>
            20 method Cart.price() -> <Money> of Priced
            21 function too_many() -> <String>
            22 function log()
            23 function note(_: &str)
            24 module inner
            24 function inner.helper()
            26 module tests
            29 test tests.adds()
            Cart implements Priced
            Cart uses Money
            Cart.add calls log
            Cart.add calls too_many
            Cart.add reads Cart.items
            Cart.add reads LIMIT
            Cart.add writes Cart.total
            Cart.new calls Cart
            Cart.price reads Cart.total
            Cart.price uses Money
            Priced inherits Named
            Priced uses Named
            Priced.price uses Money
            log calls note
            src/cart.rs uses Cart
            src/cart.rs uses Priced
            tests.adds calls Cart.add
            tests.adds calls Cart.new
            tests.adds tests Cart.add
            tests.adds tests Cart.new
            tests.adds uses Cart
            too_many raises panic! "too many items"
        "#]],
    );
}

#[test]
fn python() {
    check(
        "shop/cart.py",
        r#"
import os.path as paths
from .items import Item, make as build
from .names import *
LIMIT = 3
class Base:
    def log(self): ...
class Cart(Base):
    """A cart."""
    size: int = 0
    def __init__(self, owner: Item | None = None, *rest, **named):
        self.first = build("tea")
        self.owner = owner
    @property
    def total(self) -> int:
        return self.size
    @staticmethod
    def empty() -> "Cart":
        return Cart()
    def add(self, item: Item):
        def inner(): return LIMIT
        if item is None: raise ValueError(f"no {item}")
        self.log()
        super().log()
        [one.check() for one in self.rows]
        return inner()
@app.route("/cart", methods=["POST"])
def show():
    cart = Cart.empty()
    cart.add(None)
    with open("x") as file: file.read()
"#,
        expect![[r#"
            import os.path as paths
            import .items name Item as Item
            import .items name make as build
            import .names all
            5 constant LIMIT -> int
            6 type Base
            7 method Base.log()
            8 type Cart
            10 field Cart.size -> <int>
            11 method Cart.__init__(owner: Item | None, rest, named)
            12 field Cart.first -> build()
            13 field Cart.owner -> <Item>
            15 method Cart.total() -> <int> of property
            18 method Cart.empty() -> Cart()
            20 method Cart.add(item: Item) -> inner()
            21 function Cart.add.inner() -> LIMIT
            28 function show()
            28 route POST /cart
            Cart inherits Base
            Cart uses Base
            Cart.__init__ writes Cart.first
            Cart.__init__ writes Cart.owner
            Cart.add calls Base.log
            Cart.add calls Cart.add.inner
            Cart.add.inner reads LIMIT
            Cart.empty calls Cart.__init__
            Cart.total reads Cart.size
            POST /cart calls show
            shop/cart.py writes LIMIT
            show calls Cart.add
            show calls Cart.empty
            show uses Cart
            Cart.add raises ValueError "no {item}"
        "#]],
    );
}

#[test]
fn javascript() {
    check(
        "src/cart.js",
        r#"
import items, { make as build } from './items.js';
import * as prices from './prices.js';
const fs = require('fs');
export const LIMIT = 3;
class Base { log() {} }
export class Cart extends Base {
  size = 0;
  constructor(owner) { super(); this.owner = owner; }
  static empty() { return new Cart(null); }
  get total() { return this.size; }
  add(item, ...rest) {
    if (!item) throw new Error(`no item`);
    this.log();
    this.size += prices.rounded(item);
    const inner = () => LIMIT;
    return inner();
  }
}
Cart.prototype.clear = function () { this.size = 0; };
export const open = async () => { const cart = Cart.empty(); cart.add(1); };
const api = { close() { open(); }, later: function () {} };
app.post('/cart', open);
module.exports = api;
"#,
        expect![[r#"
            import ./items.js name default as items
            import ./items.js name make as build
            import ./prices.js as prices
            import fs name default as fs
            5 constant LIMIT -> float
            6 type Base
            6 method Base.log()
            7 type Cart
            8 field Cart.size -> prices.rounded()
            9 method Cart.constructor(owner)
            9 field Cart.owner
            10 method Cart.empty() -> <Cart>
            11 method Cart.total() -> <Cart>.size of property
            12 method Cart.add(item, rest) -> inner()
            16 function Cart.add.inner()
            20 method Cart.clear()
            21 function open()
            22 constant api -> composite
            22 method api.close()
            22 method api.later()
            23 route POST /cart
            Cart inherits Base
            Cart uses Base
            Cart.add calls Base.log
            Cart.add calls Cart.add.inner
            Cart.add writes Cart.size
            Cart.add.inner reads LIMIT
            Cart.clear writes Cart.size
            Cart.constructor calls Base
            Cart.constructor writes Cart.owner
            Cart.empty calls Cart.constructor
            Cart.total reads Cart.size
            POST /cart calls open
            api.close calls open
            open calls Cart.add
            open calls Cart.empty
            open uses Cart
            src/cart.js reads api
            src/cart.js reads open
            src/cart.js uses Cart
            Cart.add raises Error "no item"
        "#]],
    );
}

#[test]
fn typescript() {
    check(
        "src/cart.ts",
        r#"
import type { Item } from './items';
export interface Priced<T> { price(): T; readonly tag?: string }
export type Money = number;
export enum Size { Small, Large = 2 }
export abstract class Cart<T extends Item> implements Priced<Money> {
  private items: Item[] = [];
  constructor(private readonly owner: Item, public size?: Size) {}
  price(): Money { return this.total; }
  abstract close(): void;
  protected add(item: Item): this { this.items.push(item); item.check(); return this; }
  static of(owner: Item): Cart<Item> { return make(owner); }
}
function make(owner: Item): Cart<Item> { return owner as unknown as Cart<Item>; }
namespace Shop { export function open(cart: Cart<Item>) { cart.price(); } }
describe('cart', () => { it('adds', () => { make(null).price(); }); });
"#,
        expect![[r#"
            import ./items name Item as Item
            3 type Priced
            3 method Priced.price()
            3 field Priced.tag
            4 type Money
            5 type Size
            6 type Cart
            7 field Cart.items -> <Item>
            8 method Cart.constructor(owner: Item, size: Size)
            8 field Cart.owner -> <Item>
            8 field Cart.size -> <Size>
            9 method Cart.price() -> <Money>
            10 method Cart.close()
            11 method Cart.add(item: Item) -> <Cart>
            12 method Cart.of(owner: Item) -> <Cart[<Item>]>
            14 function make(owner: Item) -> <Cart[<Item>]>
            15 module Shop
            15 function Shop.open(cart: Cart<Item>)
            16 test adds()
            Cart implements Priced
            Cart uses Money
            Cart uses Priced
            Cart.add reads Cart.items
            Cart.constructor uses Size
            Cart.of calls make
            Cart.price uses Money
            Shop.open calls Cart.price
            Shop.open uses Cart
            adds calls Cart.price
            adds calls make
            adds tests Cart.price
            adds tests make
            make uses Cart
        "#]],
    );
}

#[test]
fn tsx() {
    check(
        "src/Cart.tsx",
        r#"
import React from 'react';
export function Row({ item }: Props) { return <li onClick={() => pick(item)}>{item.name}</li>; }
const pick = (item: Item) => item;
export default function Cart(props: Props) { return <ul><Row item={props.first} /></ul>; }
"#,
        expect![[r#"
            import react name default as React
            import  name Cart as default
            3 function Row({})
            4 function pick(item: Item)
            5 function Cart(props: Props)
            Cart calls Row
            Row calls pick
        "#]],
    );
}

#[test]
fn go() {
    check(
        "shop/cart.go",
        r#"package shop

import (
	"errors"
	money "example.com/shop/prices"
)

const Limit = 3

var count, total int

type Priced interface{ Price() int }
type Money int
type Base struct{ Name string }
type Cart struct {
	Base
	items []Item
	owner *Item
}

func New(owner *Item) *Cart { return &Cart{owner: owner} }

func (c *Cart) Add(item Item, more ...Item) (int, error) {
	if len(c.items) > Limit {
		return 0, errors.New("too many items")
	}
	c.owner = &item
	for _, one := range more {
		one.Check()
	}
	return money.Rounded(item), nil
}

func (c *Cart) Price() int { return count }

func Open() {
	cart := New(nil)
	cart.Add(Item{})
	go func() { cart.Price() }()
	r.GET("/cart", show)
	panic("closed")
}

type Item struct{}

func (i Item) Check() {}
"#,
        expect![[r#"
            package shop
            import errors as errors
            import example.com/shop/prices as money
            8 constant Limit -> int
            10 constant count -> <int>
            10 constant total -> <int>
            12 type Priced
            12 method Priced.Price() -> <int>
            13 type Money -> <int>
            14 type Base
            14 field Base.Name -> <string>
            15 type Cart
            16 field Cart.Base -> <Base>
            17 field Cart.items -> <Item>
            18 field Cart.owner -> <Item>
            21 function New(owner: *Item) -> <Cart>
            23 method Cart.Add(item: Item, more: Item) -> <int>, <error>
            34 method Cart.Price() -> <int>
            36 function Open()
            40 route GET /cart
            44 type Item
            46 method Item.Check()
            Cart implements Priced (by name)
            Cart inherits Base
            Cart uses Item
            Cart.Add calls Item.Check
            Cart.Add reads Cart.items
            Cart.Add reads Limit
            Cart.Add uses Cart
            Cart.Add uses Item
            Cart.Add writes Cart.owner
            Cart.Price reads count
            Cart.Price uses Cart
            Item.Check uses Item
            New calls Cart
            New uses Cart
            New uses Item
            Open calls Cart.Add
            Open calls Cart.Price
            Open calls Item
            Open calls New
            Cart.Add raises errors.New "too many items"
            Open raises panic "closed"
        "#]],
    );
}

#[test]
fn java() {
    check(
        "src/com/shop/Cart.java",
        r#"package com.shop;
import com.shop.items.Item;
import static com.shop.Prices.rounded;
import java.util.*;
interface Priced { int price(); }
class Base { void log() {} }
public class Cart extends Base implements Priced {
  static final int LIMIT = 3;
  private List<Item> items;
  Item first;
  enum Size { SMALL, LARGE { int of() { return 2; } } }
  record Line(Item item, int count) {}
  public Cart(Item first) { this.first = first; }
  public Cart() { this(new Item()); }
  @Override public int price() { return rounded(LIMIT); }
  void add(Item item, String... notes) {
    if (item == null) throw new IllegalArgumentException("no item");
    log();
    item.check();
    for (Item one : items) one.check();
    Runnable later = () -> price();
    new Thread() { public void run() { add(first); } }.start();
  }
  @GetMapping("/cart") String show() { return new Line(first, 1).toString(); }
  @Test void adds() { new Cart().add(null); }
}
"#,
        expect![[r#"
            package com.shop
            import com.shop.items name Item as Item
            import com.shop.Prices name rounded as rounded
            import java.util all
            5 type Priced
            5 method Priced.price() -> int
            6 type Base
            6 method Base.log()
            7 type Cart
            8 field Cart.LIMIT -> int
            9 field Cart.items -> <List[<Item>]>
            10 field Cart.first -> <Item>
            11 type Cart.Size
            11 constant Cart.Size.SMALL -> <Cart.Size>
            11 constant Cart.Size.LARGE -> <Cart.Size>
            11 type Cart.Size.$1
            11 method Cart.Size.$1.of() -> int
            12 type Cart.Line
            12 field Cart.Line.item -> <Item>
            12 field Cart.Line.count -> int
            13 method Cart.Cart(first: Item)
            14 method Cart.Cart()
            15 method Cart.price() -> int
            16 method Cart.add(item: Item, notes: String[])
            22 type Cart.$1
            22 method Cart.$1.run()
            24 route GET /cart
            24 method Cart.show() -> <String>
            25 test Cart.adds()
            Cart implements Priced
            Cart inherits Base
            Cart uses Base
            Cart uses Priced
            Cart.$1.run calls Cart.add
            Cart.$1.run reads Cart.first
            Cart.Cart calls Base
            Cart.Cart calls Cart.Cart
            Cart.Cart writes Cart.first
            Cart.Size calls Cart.Size
            Cart.Size.$1 inherits Cart.Size
            Cart.add calls Base.log
            Cart.add calls Cart.price
            Cart.add reads Cart.items
            Cart.adds calls Cart.Cart
            Cart.adds calls Cart.add
            Cart.adds tests Cart.Cart
            Cart.adds tests Cart.add
            Cart.price reads Cart.LIMIT
            Cart.show calls Cart.Line
            Cart.show reads Cart.first
            GET /cart calls Cart.show
            Cart.add raises IllegalArgumentException "no item"
        "#]],
    );
}

#[test]
fn kotlin() {
    check(
        "src/Cart.kt",
        r#"package com.shop
import com.shop.items.Item as Thing
const val LIMIT = 3
interface Priced { fun price(): Int }
open class Base { fun log() {} }
class Cart(val owner: Thing, private var size: Int = 0) : Base(), Priced {
  companion object { fun empty(): Cart = Cart(Thing()) }
  val total: Int get() = size
  override fun price(): Int { log(); return LIMIT }
  fun add(item: Thing?) {
    val found = item ?: throw IllegalArgumentException("no item")
    size = size + 1
    found.check { it.close() }
  }
}
enum class Size { SMALL, LARGE }
object Shop { fun open(cart: Cart) { cart.add(null) } }
fun Cart.clear() { price() }
class CartTest { @Test fun adds() { Cart.empty().add(null) } }
"#,
        expect![[r#"
            package com.shop
            import com.shop.items name Item as Thing
            3 constant LIMIT -> int
            4 type Priced
            4 method Priced.price() -> <Int>
            5 type Base
            5 method Base.log()
            6 type Cart
            6 field Cart.owner -> <Thing>
            6 field Cart.size -> <Int>
            7 method Cart.empty() -> <Cart>
            8 field Cart.total -> <Int>
            9 method Cart.price() -> <Int>
            10 method Cart.add(item: Thing?)
            16 type Size
            16 constant Size.SMALL -> <Size>
            16 constant Size.LARGE -> <Size>
            17 type Shop
            17 method Shop.open(cart: Cart)
            18 method Cart.clear.()
            19 type CartTest
            19 test CartTest.adds()
            Cart implements Priced
            Cart inherits Base
            Cart reads Cart.size
            Cart uses Base
            Cart uses Priced
            Cart.add reads Cart.size
            Cart.add writes Cart.size
            Cart.clear. uses Cart
            Cart.empty calls Cart
            Cart.price calls Base.log
            Cart.price reads LIMIT
            CartTest.adds calls Cart.add
            CartTest.adds calls Cart.empty
            CartTest.adds tests Cart.add
            CartTest.adds tests Cart.empty
            CartTest.adds uses Cart
            Shop.open calls Cart.add
            Shop.open uses Cart
            Cart.add raises IllegalArgumentException "no item"
            problem Syntax { errors: 1, first_line: 18 }
        "#]],
    );
}

#[test]
fn c() {
    check(
        "src/cart.c",
        r#"#include "items.h"
#include <stdio.h>
#define LIMIT 3
typedef struct Cart { int size; struct Item *first; } Cart;
enum Size { SMALL, LARGE };
static int count = 0;
int price(const Cart *cart);
int price(const Cart *cart) { count = count + 1; return cart->size; }
static void add(Cart *cart, struct Item *item) {
  cart->first = item;
  check(item);
  if (price(cart) > LIMIT) printf("too many");
}
int main(void) { Cart cart; add(&cart, 0); return 0; }
"#,
        expect![[r#"
            import items.h all
            import stdio.h all
            3 constant LIMIT
            4 type Cart
            4 field Cart.size
            4 field Cart.first
            5 type Size
            5 constant Size.SMALL -> <Size>
            5 constant Size.LARGE -> <Size>
            6 constant count
            8 function price(cart: Cart)
            9 function add(cart: Cart, item: struct Item)
            14 function main()
            add calls price
            add reads LIMIT
            add uses Cart
            add writes Cart.first
            main calls add
            main uses Cart
            price reads Cart.size
            price reads count
            price uses Cart
            price writes count
            src/cart.c reads price
            src/cart.c uses Cart
        "#]],
    );
}

#[test]
fn cpp() {
    check(
        "src/cart.cpp",
        r#"#include "items.hpp"
namespace shop {
class Base { public: virtual void log() {} };
template <class T> class Cart : public Base {
 public:
  explicit Cart(T owner) : owner_(owner) {}
  ~Cart();
  int add(const Item& item, int count = 1);
  static Cart<T> empty() { return Cart<T>(T()); }
 private:
  T owner_;
  std::vector<Item> items_;
};
struct Item { int price() const { return 1; } };
enum class Size { Small, Large };
int total(Item& item) { return item.price(); }
}
int shop::Cart<int>::add(const Item& item, int count) {
  if (count > 3) throw std::runtime_error("too many items");
  log();
  auto next = new Item();
  return next->price() + shop::total(*next);
}
"#,
        expect![[r#"
            import items.hpp all
            2 module shop
            3 type shop.Base
            3 method shop.Base.log()
            4 type shop.Cart
            6 method shop.Cart.Cart(owner: T)
            7 method shop.Cart.~Cart()
            8 method shop.Cart.add(item: Item, count: int)
            9 method shop.Cart.empty() -> <Cart[<T>]>
            11 field shop.Cart.owner_ -> <T>
            12 field shop.Cart.items_ -> <std.vector<Item>>
            14 type shop.Item
            14 method shop.Item.price()
            15 type shop.Size
            15 constant shop.Size.Small -> <shop.Size>
            15 constant shop.Size.Large -> <shop.Size>
            16 function shop.total(item: Item)
            18 method shop.Cart<int>::add(item: Item, count: int)
            shop.Cart inherits shop.Base
            shop.Cart uses shop.Base
            shop.Cart uses shop.Item
            shop.Cart.empty calls shop.Cart.Cart
            shop.Cart<int>::add calls shop.Item
            shop.Cart<int>::add calls shop.Item.price
            shop.Cart<int>::add calls shop.total
            shop.Cart<int>::add uses shop.Cart
            shop.Cart<int>::add uses shop.Item
            shop.total calls shop.Item.price
            shop.total uses shop.Item
            shop.Cart<int>::add raises std::runtime_error "too many items"
        "#]],
    );
}

#[test]
fn csharp() {
    check(
        "src/Cart.cs",
        r#"using System.Collections.Generic;
namespace Shop;
public interface IPriced { int Price(); }
public class Base { protected void Log() {} }
public record Line(Item Item, int Count);
public enum Size { Small, Large }
public class Cart : Base, IPriced {
  private const int Limit = 3;
  private List<Item> items;
  public Item First { get; set; }
  public Cart(Item first) { First = first; }
  public Cart() : this(new Item()) {}
  public int Price() => Limit;
  public void Add(Item item, int count = 1) {
    if (item == null) throw new ArgumentException("no item");
    Log();
    item.Check();
    foreach (var one in items) one.Check();
    var next = new Item();
    next.Check();
    int Inner(int x) { return Price(); }
  }
}
public class Item { public void Check() {} }
public class CartTests { [Fact] public void Adds() { new Cart().Add(null); } }
"#,
        expect![[r#"
            package Shop
            import System.Collections.Generic all
            3 type IPriced
            3 method IPriced.Price()
            4 type Base
            4 method Base.Log()
            5 type Line
            6 type Size
            6 constant Size.Small -> <Size>
            6 constant Size.Large -> <Size>
            7 type Cart
            8 field Cart.Limit
            9 field Cart.items -> <List[<Item>]>
            10 field Cart.First -> <Item>
            11 method Cart.Cart(first: Item)
            12 method Cart.Cart()
            13 method Cart.Price()
            14 method Cart.Add(item: Item, count: int)
            21 function Cart.Add.Inner(x: int)
            24 type Item
            24 method Item.Check()
            25 type CartTests
            25 test CartTests.Adds()
            Cart implements IPriced
            Cart inherits Base
            Cart uses Base
            Cart uses IPriced
            Cart uses Item
            Cart.Add calls Base.Log
            Cart.Add calls Item
            Cart.Add calls Item.Check
            Cart.Add reads Cart.items
            Cart.Add uses Item
            Cart.Add.Inner calls Cart.Price
            Cart.Cart calls Item
            Cart.Cart uses Item
            Cart.Cart writes Cart.First
            Cart.Price reads Cart.Limit
            CartTests.Adds calls Cart.Add
            CartTests.Adds calls Cart.Cart
            CartTests.Adds tests Cart.Add
            CartTests.Adds tests Cart.Cart
            Line uses Item
            Cart.Add raises ArgumentException "no item"
        "#]],
    );
}

#[test]
fn ruby() {
    check(
        "lib/cart.rb",
        r#"require 'json'
require_relative 'items'
module Shop
  LIMIT = 3
  class Base
    def log; end
  end
  class Cart < Base
    include Priced
    attr_reader :owner
    def initialize(owner, size: 1, *rest)
      @owner = owner
    end
    def self.empty
      Cart.new(nil)
    end
    def add(item)
      raise ArgumentError, "no item" unless item
      log
      @count = LIMIT
      item.check
      @owner.each { |one| one.check }
    end
  end
end
def open
  Shop::Cart.empty.add(1)
end
"#,
        expect![[r#"
            import json all
            import items all
            3 type Shop
            4 constant Shop.LIMIT -> int
            5 type Shop.Base
            6 method Shop.Base.log()
            8 type Shop.Cart
            11 method Shop.Cart.initialize(owner, size, rest)
            12 field Shop.Cart.@owner
            14 method Shop.Cart.empty()
            17 method Shop.Cart.add(item)
            20 field Shop.Cart.@count -> LIMIT
            26 function open()
            Shop.Cart inherits Shop.Base
            Shop.Cart uses Shop.Base
            Shop.Cart.add reads Shop.Base.log
            Shop.Cart.add reads Shop.Cart.@count
            Shop.Cart.add reads Shop.Cart.@owner
            Shop.Cart.add reads Shop.LIMIT
            Shop.Cart.add writes Shop.Cart.@count
            Shop.Cart.empty calls Shop.Cart.initialize
            Shop.Cart.initialize reads Shop.Cart.@owner
            Shop.Cart.initialize writes Shop.Cart.@owner
            open calls Shop.Cart.add (by name)
            open calls Shop.Cart.empty
            open uses Shop
            open uses Shop.Cart
            Shop.Cart.add raises ArgumentError
        "#]],
    );
}

#[test]
fn php() {
    check(
        "src/Cart.php",
        r#"<?php
namespace App\Shop;
use App\Items\Item as Thing;
use function App\rounded;
interface Priced { public function price(): int; }
trait Logs { function log() {} }
abstract class Base { abstract function close(); }
class Cart extends Base implements Priced {
  use Logs;
  const LIMIT = 3;
  private array $items = [];
  public function __construct(private Thing $owner, ?int $size = null) { $this->items = []; }
  public static function empty(): Cart { return new Cart(new Thing()); }
  public function price(): int { return self::LIMIT; }
  function add(Thing $item, ...$rest) {
    if (!$item) { throw new \InvalidArgumentException("no item"); }
    $this->log();
    $this->owner->check();
    foreach ($this->items as $one) { $one->check(); }
    return rounded($this->price());
  }
  function close() { parent::close(); }
}
function open_shop() { Cart::empty()->add(null); }
"#,
        expect![[r#"
            package App\Shop
            import App\Items name Item as Thing
            import App name rounded as rounded
            5 type Priced
            5 method Priced.price()
            6 type Logs
            6 method Logs.log()
            7 type Base
            7 method Base.close()
            8 type Cart
            10 constant Cart.LIMIT
            11 field Cart.items
            12 method Cart.__construct($owner: Thing, $size: ?int)
            12 field Cart.owner -> <Thing>
            13 method Cart.empty() -> <Cart>
            14 method Cart.price() -> <Cart>.LIMIT
            15 method Cart.add($item: Thing, $rest) -> rounded()
            22 method Cart.close()
            24 function open_shop()
            Cart implements Priced
            Cart inherits Base
            Cart uses Base
            Cart uses Logs
            Cart uses Priced
            Cart.__construct writes Cart.items
            Cart.add calls Cart.price
            Cart.add calls Logs.log (by name)
            Cart.add reads Cart.items
            Cart.add reads Cart.owner
            Cart.close calls Base.close
            Cart.close calls Cart.close
            Cart.empty calls Cart.__construct
            Cart.price reads Cart.LIMIT
            open_shop calls Cart.add
            open_shop calls Cart.empty
            open_shop uses Cart
            Cart.add raises \InvalidArgumentException "no item"
        "#]],
    );
}

#[test]
fn swift() {
    check(
        "Sources/Cart.swift",
        r#"import Foundation
let limit = 3
protocol Priced { func price() -> Int }
class Base { func log() {} }
class Cart: Base, Priced {
  var owner: Item?
  let items: [Item] = []
  init(owner: Item) { self.owner = owner }
  static func empty() -> Cart { return Cart(owner: Item()) }
  func price() -> Int { return limit }
  func add(_ item: Item, count: Int = 1) throws {
    guard count > 0 else { throw ShopError.empty("no item") }
    log()
    item.check()
    let next = Item()
    next.check()
  }
}
struct Item { func check() {} }
enum Size { case small, large }
extension Cart { func clear() { log() } }
func open() { Cart.empty().price() }
class CartTests { func testAdd() { Cart.empty().price() } }
"#,
        expect![[r#"
            import Foundation all
            2 constant limit -> int
            3 type Priced
            3 method Priced.price() -> <Int>
            4 type Base
            4 method Base.log()
            5 type Cart
            6 field Cart.owner -> <Item>
            7 field Cart.items -> <Item>
            8 method Cart.init(owner: Item)
            9 method Cart.empty() -> <Cart>
            10 method Cart.price() -> <Int>
            11 method Cart.add(item: Item, count: Int)
            19 type Item
            19 method Item.check()
            20 type Size
            20 constant Size.small -> <Size>
            21 method Cart.clear()
            22 function open()
            23 type CartTests
            23 test CartTests.testAdd()
            Cart inherits Base
            Cart inherits Priced
            Cart uses Base
            Cart uses Item
            Cart uses Priced
            Cart.add calls Base.log
            Cart.add calls Item
            Cart.add calls Item.check
            Cart.add reads Cart.empty
            Cart.add uses Item
            Cart.clear calls Base.log
            Cart.empty calls Cart.init
            Cart.empty calls Item
            Cart.empty reads Cart.owner
            Cart.init uses Item
            Cart.init writes Cart.owner
            Cart.price reads limit
            CartTests.testAdd calls Cart.empty
            CartTests.testAdd calls Cart.price
            CartTests.testAdd tests Cart.empty
            CartTests.testAdd tests Cart.price
            CartTests.testAdd uses Cart
            Sources/Cart.swift uses Cart
            open calls Cart.empty
            open calls Cart.price
            open uses Cart
            Cart.add raises ShopError.empty "no item"
        "#]],
    );
}

#[test]
fn markdown() {
    check(
        "docs/cart.md",
        "# Shop\nSee `Cart.add`.\n## Cart\n```\n# not a heading\n```\nText\n=====\n# End\n",
        expect![[r#"
            1 doc_section Shop
            3 doc_section Shop > Cart
            9 doc_section End
        "#]],
    );
}

#[test]
fn settings() {
    for (path, source, expected) in [
        (
            "shop.toml",
            "name = \"x\"\n[cart]\nsize = 3\n[[cart.items]]\n\"price\" = 2\n",
            expect![[r#"
            1 config_key name
            2 config_key cart
            3 config_key cart.size
            4 config_key cart.items
        "#]],
        ),
        (
            "shop.json",
            "{\n  \"cart\": {\n    \"size\": 3,\n    \"items\": [1, 2]\n  },\n  \"name\": \"x\"\n}\n",
            expect![[r#"
                2 config_key cart
                3 config_key cart.size
                4 config_key cart.items
                6 config_key name
            "#]],
        ),
        (
            "shop.yaml",
            "cart:\n  size: 3\n  items:\n    - price: 2\n# no: 1\nname: x\n",
            expect![[r#"
            1 config_key cart
            2 config_key cart.size
            3 config_key cart.items
            4 config_key cart.items.price
            6 config_key name
        "#]],
        ),
        (
            "shop.ini",
            "name = x\n[cart]\nsize = 3\n; no = 1\nitems.first=2\n",
            expect![[r#"
            1 config_key name
            2 config_key cart
            3 config_key cart.size
            5 config_key cart.items.first
        "#]],
        ),
        (
            ".env",
            "CART_SIZE=3\nexport NAME=x\n",
            expect![[r#"
            1 config_key CART_SIZE
        "#]],
        ),
    ] {
        check(path, source, expected);
    }
}
