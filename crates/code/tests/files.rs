//! One file: its contents, and the handling of files that are not what they seem.
#![allow(clippy::unwrap_used)]

use backstory_code::{CommentKind, EntityKind, ParseProblem, ParsedFile, parse};
use proptest::prelude::*;

fn entities(file: &ParsedFile) -> Vec<String> {
    let shown = file.entities.iter().skip(1);
    shown.map(|entity| format!("{} {} {}", entity.kind.as_str(), entity.qualified, entity.name_line)).collect()
}

#[test]
fn entities_have_names_kinds_and_lines() {
    for (path, text, expected) in [
        (
            "shop/cart.py",
            "LIMIT = 3\nclass Cart:\n    size: int = 0\n    def add(self, item):\n        def inner(): pass\n",
            &["constant LIMIT 1", "type Cart 2", "field Cart.size 3", "method Cart.add 4", "function Cart.add.inner 5"]
                [..],
        ),
        (
            "Cart.java",
            "class Cart {\n  enum Kind { BIG { int size() { return 1; } }, SMALL }\n  class Line {\n    void print() {}\n  }\n}\n",
            &[
                "type Cart 1", "type Cart.Kind 2", "constant Cart.Kind.BIG 2", "type Cart.Kind.$1 2",
                "method Cart.Kind.$1.size 2", "constant Cart.Kind.SMALL 2", "type Cart.Line 3",
                "method Cart.Line.print 4",
            ],
        ),
        (
            "src/cart.rs",
            "struct Cart { size: u32 }\nimpl Cart {\n    const MAX: u32 = 1;\n    fn add(&self) {}\n}\nmod inner { fn helper() {} }\n",
            &[
                "type Cart 1", "field Cart.size 1", "constant Cart.MAX 3", "method Cart.add 4", "module inner 6",
                "function inner.helper 6",
            ],
        ),
        (
            "cart.js",
            "const add = (x) => x;\nclass Cart { total() {} }\nCart.prototype.clear = function () {};\nconst api = { open() {}, close: () => 1 };\n",
            &[
                "function add 1", "type Cart 2", "method Cart.total 2", "method Cart.clear 3", "constant api 4",
                "method api.open 4", "method api.close 4",
            ],
        ),
        ("lib/isSame.js", "export default browser ? (url) => url : () => true;\n", &["function isSame 1"]),
        ("lib/cart/index.ts", "export default (a: number) => a;\n", &["function cart 1"]),
        (
            "cart.go",
            "package shop\n\ntype Cart struct {\n\tSize int\n}\n\nfunc (c *Cart) Add() {}\n\nfunc Open() {}\n",
            &["type Cart 3", "field Cart.Size 4", "method Cart.Add 7", "function Open 9"],
        ),
        (
            "docs/a.md",
            "# Shop\n## Cart\ntext\n# End\n",
            &["doc_section Shop 1", "doc_section Shop > Cart 2", "doc_section End 4"],
        ),
        (
            "a.yml",
            "shop:\n  cart: 1\n  # no: 1\nname: x\n",
            &["config_key shop 1", "config_key shop.cart 2", "config_key name 4"],
        ),
        (
            "a.json",
            "{\n  \"shop\": {\n    \"size\": 1\n  },\n  \"end\": 2\n}\n",
            &["config_key shop 2", "config_key shop.size 3", "config_key end 5"],
        ),
    ] {
        let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        let mut found = entities(&parse(path, text.as_bytes()));
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn tests_and_routes_are_told_apart() {
    for (path, text, kind, name) in [
        ("tests/test_cart.py", "def test_add(): pass\n", EntityKind::Test, "test_add"),
        ("src/cart.rs", "#[tokio::test]\nasync fn adds() {}\n", EntityKind::Test, "adds"),
        ("cart_test.go", "package a\nfunc TestAdd(t *testing.T) {}\n", EntityKind::Test, "TestAdd"),
        ("CartTest.java", "class CartTest { @Test void adds() {} }\n", EntityKind::Test, "adds"),
        ("cart.test.ts", "it('adds', () => { add(); });\n", EntityKind::Test, "adds"),
        ("app.py", "@app.route('/cart', methods=['POST'])\ndef cart(): pass\n", EntityKind::Route, "POST /cart"),
        ("app.py", "@router.get('/cart')\ndef cart(): pass\n", EntityKind::Route, "GET /cart"),
        ("app.js", "app.post('/cart', show);\nfunction show() {}\n", EntityKind::Route, "POST /cart"),
        ("main.go", "package a\nfunc main() { r.GET(\"/cart\", show) }\n", EntityKind::Route, "GET /cart"),
        (
            "A.java",
            "class A { @GetMapping(\"/cart\") String show() { return null; } }\n",
            EntityKind::Route,
            "GET /cart",
        ),
    ] {
        let file = parse(path, text.as_bytes());
        let found = file.entities.iter().any(|entity| entity.kind == kind && entity.name == name);
        assert!(found, "{path}: {:?}", entities(&file));
    }
}

#[test]
fn raised_errors_keep_their_message() {
    for (path, text, what, message) in [
        ("a.py", "raise ValueError(f'no {x}')\n", "ValueError", "no {x}"),
        ("A.java", "class A { void f() { throw new Bad(\"no item\"); } }\n", "Bad", "no item"),
        ("a.rs", "fn f() { panic!(\"no item\") }\n", "panic!", "no item"),
        ("a.js", "function f() { throw new Error(`no item`); }\n", "Error", "no item"),
        ("a.go", "package a\nfunc f() { return errors.New(\"no item\") }\n", "errors.New", "no item"),
    ] {
        let file = parse(path, text.as_bytes());
        let raise = &file.raises[0];
        assert_eq!((raise.what.as_str(), raise.message.as_deref()), (what, Some(message)), "{path}");
    }
}

#[test]
fn comments_and_docstrings_have_spans() {
    let text = "# one\ndef f():\n    \"\"\"Two.\"\"\"\n    return 1  # three\n";
    let file = parse("a.py", text.as_bytes());
    let mut found: Vec<(CommentKind, &str)> =
        file.comments.iter().map(|comment| (comment.kind, &text[comment.span.range()])).collect();
    found.sort_by_key(|(_, text)| *text);
    let expected = [
        (CommentKind::Docstring, "\"\"\"Two.\"\"\""),
        (CommentKind::Comment, "# one"),
        (CommentKind::Comment, "# three"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn odd_files_are_flagged_and_not_lost() {
    let long = format!("var a = '{}';\n", "x".repeat(6_000));
    let huge = "x = 1\n".repeat(200_000);
    for (path, bytes, problem) in [
        ("a.py", &b"def f(:\n  pass\ndef g():\n  pass\n"[..], "Syntax"),
        ("a.py", b"def f(): return '\xff'\n", "NotUtf8"),
        ("a.py", b"\0\0\0", "Binary"),
        ("a.py", huge.as_bytes(), "Huge"),
        ("a.go", b"// Code generated by tool. DO NOT EDIT.\npackage a\n", "Generated"),
        ("a.js", long.as_bytes(), "Minified"),
    ] {
        let file = parse(path, bytes);
        let shown = format!("{:?}", file.problems);
        assert!(shown.contains(problem), "{path} {problem}: {shown}");
    }
    let broken = parse("a.py", b"def f(:\n  pass\ndef g():\n  pass\n");
    assert!(broken.entities.iter().any(|entity| entity.name == "g"));
    assert!(matches!(broken.problems[0], ParseProblem::Syntax { errors: 1.., first_line: 1 }));
}

#[test]
fn deep_nesting_is_survived() {
    for (path, open, close) in [
        ("a.py", "(", ")"),
        ("a.js", "[", "]"),
        ("a.rs", "fn f() { {", "} }"),
        ("a.rs", "m!(", ")"),
        ("a.rs", "use a::{", "}"),
        ("a.rs", "fn f() { if let Some(Some(", ")) = x {} }"),
        ("a.py", "x = x.f()\n", "x.g()\n"),
        ("A.java", "class A extends B<", "> {}"),
        ("A.java", "class A { ", "}"),
        ("a.go", "func f() { if x { ", "} }"),
        ("a.c", "void f() { {", "} }"),
        ("a.ts", "a.b(", ")"),
        ("a.py", "a.b().", "c()"),
        ("a.rb", "a(", ")"),
        ("a.json", "{\"a\":[", "]}"),
    ] {
        let text = format!("{}{}", open.repeat(20_000), close.repeat(20_000));
        let lines = text.replace(open, &format!("{open}\n"));
        for text in [text, lines] {
            let file = parse(path, text.as_bytes());
            backstory_code::resolve(&[file]);
        }
    }
}

#[test]
fn a_parsed_file_can_be_stored() {
    let mut file = parse("a.py", b"import os\nclass A:\n    def f(self): return self.g()\n");
    let stored = serde_json::to_string(&file).unwrap();
    let read: ParsedFile = serde_json::from_str(&stored).unwrap();
    file.identifiers.clear();
    assert_eq!(file, read);
}

const SAMPLES: &[(&str, &str)] = &[
    (
        "a.py",
        "from .b import c as d\nclass A(B):\n    x: int = 1\n    @p.q('/r')\n    def f(self, *a, k=1) -> 'A':\n        with o() as z: yield [i for i in z if i]\n",
    ),
    (
        "a.rs",
        "use a::{b, c as d, *};\nimpl<T: X> Y for Z<T> { fn f(&self) -> Result<Self, E> { let Some(x) = y? else { m!(a.b(1)) }; Ok(x) } }\n",
    ),
    (
        "a.ts",
        "import a, { b as c } from './x';\nexport class A<T> extends B implements C { constructor(private x: T) { super(); this.y = () => x?.z(); } }\n",
    ),
    (
        "A.java",
        "package a.b; import c.*; class A<T extends B> extends C { A() { this(1); } Object f(T t) { return new D(t) { void g() { A.this.f(null); } }; } }\n",
    ),
    (
        "a.go",
        "package a\nimport x \"y/z\"\ntype T struct { x.U; a, b int }\nfunc (t *T) F(a ...int) (r x.R, err error) { for i, v := range t.a { v.G() }; return }\n",
    ),
    (
        "a.cpp",
        "#include <a>\ntemplate<class T> class A : public B<T> { A(); virtual int f(int a = 1); };\nint A::f(int a) { auto x = new C(); return x->g(a)[1]; }\n",
    ),
    (
        "a.cs",
        "using A; namespace B { class C : D, IE { int F { get; } C(int x) : base(x) {} void G() => H?.I(x => x.J()); } }\n",
    ),
    ("a.rb", "class A < B\n  include C\n  def f(a, b: 1, *c)\n    @x ||= D::E.new(a) { |y| y.g }\n  end\nend\n"),
    (
        "a.php",
        "<?php namespace A; use B\\C as D; class E extends F { function __construct(private ?D $x) { $this->x?->y(); parent::z(new G()); } }\n",
    ),
    (
        "a.kt",
        "package a\nimport b.C\nclass D(val e: C) : F(), G {\n  fun h(i: Int = 1): C? {\n    return e.j { it.k() }\n  }\n}\n",
    ),
    (
        "a.swift",
        "import A\nclass B: C, D { var e: F? = nil\n init(g: Int) { self.e = F() }\n func h() throws -> I { throw J.k(\"l\") } }\n",
    ),
    ("a.md", "# A\n`b.c`\n```\n# x\n```\n## D\n"),
    ("a.toml", "[a.b]\nc = 1\n[[d]]\n\"e\" = 2\n"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_survived(which in 0..SAMPLES.len(), bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        backstory_code::resolve(&[parse(SAMPLES[which].0, &bytes)]);
    }

    #[test]
    fn damaged_sources_are_survived(
        which in 0..SAMPLES.len(),
        cuts in proptest::collection::vec((0usize..400, 0usize..40, "[(){}\\[\\];:.,'\"a-zé<>=\\n ]{0,6}"), 1..5),
    ) {
        let (path, text) = SAMPLES[which];
        let mut bytes = text.as_bytes().to_vec();
        for (at, length, put) in cuts {
            let at = at.min(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, put.bytes());
        }
        let file = parse(path, &bytes);
        for entity in &file.entities {
            prop_assert!(entity.first_line <= entity.last_line);
            prop_assert!(entity.span.start <= entity.span.end);
        }
        backstory_code::resolve(&[file]);
    }
}
