//! The same sorts of edit in each language: one program, and what is found when it is edited in each way.

use crate::changes;
use expect_test::{Expect, expect};

/// Edits of one text: what each is, and what it puts for what.
pub(crate) type Edits<'a> = &'a [(&'a str, &'a [(&'a str, &'a str)])];

/// Lists the changes that each edit comes to.
pub(crate) fn check(path: &str, text: &str, edits: Edits<'_>, expected: Expect) {
    let mut shown = String::new();
    for (title, replacements) in edits {
        let mut edited = text.to_owned();
        for (from, to) in *replacements {
            assert!(edited.contains(from), "{title}: {from} is not there");
            edited = edited.replace(from, to);
        }
        shown += &format!("{title}\n");
        for line in changes(path, text, &edited).lines() {
            shown += &format!("    {line}\n");
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn c() {
    let text = r#"#include <stdio.h>

static int total;

int f(int n) {
  int x = a(n, total);
  total += x * n;
  return b(x);
}

int g(void) {
  return total;
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("total", "sum")]),
        (
            "extracted",
            &[
                ("  total += x * n;\n", "  add(x, n);\n"),
                ("int g(void)", "void add(int x, int n) {\n  total += x * n;\n}\n\nint g(void)"),
            ],
        ),
        ("only white space", &[("a(n, total)", "a( n,\n    total )")]),
        ("an error", &[("  return b(x);", "  return b(x;")]),
        ("replaced", &[("  total += x * n;\n", "  puts(\"done\");\n")]),
        ("another end", &[("return b(x);", "return 17;")]),
    ];
    check(
        "a.c",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces identifier in sum: [-total-] [+sum+]
                1 replaces identifier in f.x: [-total-] [+sum+]
                2 replaces identifier in f: [-total-] [+sum+]
                3 replaces identifier in g: [-total-] [+sum+]
            extracted
                0 moves away expression_statement in f: [-total += x * n;-]
                1 inserts expression_statement in f: [+add(x, n);+]
                2 inserts function_definition in add: [+void add(int x, int n) {+] [+}+]
                  3 moves here expression_statement in add: [+total += x * n;+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes ) in f: [-)-]
            replaced
                0 deletes expression_statement in f: [-total += x * n;-]
                1 inserts expression_statement in f: [+puts("done");+]
            another end
                0 replaces number_literal in f: [-b(x)-] [+17+]
        "#]],
    );
}

#[test]
fn cpp() {
    let text = r#"#include <vector>
#include <string>

namespace n {

class Shape : public Base {
 public:
  explicit Shape(int n) : n_(n) {}
  int area(int scale) const {
    log(scale);
    return n_ * scale;
  }
  void reset() { n_ = 0; }

 private:
  int n_;
};

}  // namespace n
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("n_", "size_")]),
        (
            "reordered",
            &[
                ("  void reset() { n_ = 0; }\n", ""),
                ("  int area(", "  void reset() { n_ = 0; }\n  int area("),
            ],
        ),
        ("wrapped", &[("    log(scale);\n", "    if (scale > 1) {\n      log(scale);\n    }\n")]),
        (
            "extracted",
            &[
                ("    log(scale);\n    return n_ * scale;\n", "    return times(scale);\n"),
                (
                    "  void reset",
                    "  int times(int scale) const {\n    log(scale);\n    return n_ * scale;\n  }\n  void reset",
                ),
            ],
        ),
        ("signature", &[("int area(int scale) const", "long area(int scale, bool up = true)")]),
        ("imports", &[("#include <string>\n", "#include <map>\n")]),
        ("supertypes", &[("public Base", "public Base, public Other")]),
        ("only a comment", &[("    log(scale);", "    log(scale);  // says")]),
        ("only white space", &[("{ n_ = 0; }", "{\n    n_ = 0;\n  }")]),
        ("an error", &[("return n_ * scale;", "return n_ * ;")]),
    ];
    check(
        "a.cpp",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces field_identifier in n.Shape: [-n_-] [+size_+]
                1 replaces identifier in n.Shape.area: [-n_-] [+size_+]
                2 deletes expression_statement in n.Shape.reset: [-n_ = 0;-]
                3 inserts expression_statement in n.Shape.reset: [+size_ = 0;+]
                4 replaces field_identifier in n.Shape.size_: [-n_-] [+size_+]
            reordered
                0 moves away function_definition in n.Shape.area: [-int area(int scale) const {-] [-log(scale);-] [-return n_ * scale;-] [-}-]
                1 moves here function_definition in n.Shape.area: [+int area(int scale) const {+] [+log(scale);+] [+return n_ * scale;+] [+}+]
            wrapped
                0 inserts if_statement in n.Shape.area: [+if (scale > 1) {+] [+}+]
            extracted
                0 moves away expression_statement in n.Shape.area: [-log(scale);-]
                1 replaces return_statement in n.Shape.area: [-return n_ * scale;-] [+return times(scale);+]
                2 inserts function_definition in n.Shape.times: [+int times(int scale) const {+] [+}+]
                  3 moves here expression_statement in n.Shape.times: [+log(scale);+]
                  4 inserts return_statement in n.Shape.times: [+return n_ * scale;+]
            signature
                0 replaces sized_type_specifier in n.Shape.area: [-int-] [+long+]
                1 inserts optional_parameter_declaration in n.Shape.area: [+, bool up = true+]
                2 deletes type_qualifier in n.Shape.area: [-const-]
            imports
                0 deletes preproc_include: [-#include <string>-]
                1 inserts preproc_include: [+#include <map>+]
            supertypes
                0 inserts access_specifier in n.Shape: [+, public Other+]
            only a comment
                0 changes only the layout of text: [+// says+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes identifier in n.Shape.area: [-scale-]
        "#]],
    );
}

#[test]
fn python() {
    let text = r#"import os
from re import match, search


class A(Base):
    def f(self, n):
        x = match(n, self.total)
        self.total += x
        return x

    def g(self):
        """Tells the total of all that was seen so far."""
        return self.total
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("total", "sum")]),
        (
            "extracted",
            &[
                ("        self.total += x\n", "        self.add(x)\n"),
                ("    def g(self)", "    def add(self, x):\n        self.total += x\n\n    def g(self)"),
            ],
        ),
        ("one name of an import", &[("match, search", "match, sub")]),
        (
            "prose",
            &[("Tells the total of all that was seen so far.", "Tells the sum of all that was seen so far.")],
        ),
        ("only white space", &[("match(n, self.total)", "match(\n            n, self.total\n        )")]),
        (
            "several lines in other brackets",
            &[("x = match(n, self.total)", "x = (\n            match(n, self.total)\n        )")],
        ),
        ("another end", &[("        return x\n", "        raise Oops(self)\n")]),
        ("types", &[("def f(self, n)", "def f(self, n: int) -> int")]),
    ];
    check(
        "a.py",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces identifier in A.f: [-total-] [+sum+]
                1 replaces identifier in A.f: [-total-] [+sum+]
                2 replaces string in A.g: [-"""Tells the total of all that was seen so far."""-] [+"""Tells the sum of all that was seen so far."""+]
                3 replaces identifier in A.g: [-total-] [+sum+]
            extracted
                0 deletes expression_statement in A.f: [-self.total += x-]
                1 inserts expression_statement in A.f: [+self.add(x)+]
                2 inserts function_definition in A.add: [+def add(self, x):
                        self.total += x+]
            one name of an import
                0 replaces dotted_name in match: [-search-] [+sub+]
            prose
                0 replaces string in A.g: [-"""Tells the total of all that was seen so far."""-] [+"""Tells the sum of all that was seen so far."""+]
            only white space
                0 changes only the layout of text: 
            several lines in other brackets
                0 inserts parenthesized_expression in A.f: [+(+] [+)+]
            another end
                0 replaces raise_statement in A.f: [-return x-] [+raise Oops(self)+]
            types
                0 inserts typed_parameter in A.f: [+: int+]
                1 inserts -> in A.f: [+-> int+]
        "#]],
    );
}

#[test]
fn javascript() {
    let text = r#"const { a, b } = require("x");

function f(n) {
  const x = a(n, total);
  total += x;
  return x;
}

class A extends B {
  constructor(n) { this.n = n; }
  run() { return this.n; }
}

module.exports = { f, A };
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("total", "sum")]),
        (
            "extracted",
            &[
                ("  total += x;\n", "  add(x);\n"),
                ("class A", "function add(x) {\n  total += x;\n}\n\nclass A"),
            ],
        ),
        ("signature", &[("function f(n)", "async function f(n, ...rest)")]),
        ("destructured", &[("{ a, b }", "{ a, c }")]),
        ("only white space", &[("a(n, total)", "a( n,\n    total )")]),
        ("an error", &[("return x;", "return x ? ;")]),
        ("another end", &[("  return x;\n", "  throw new Error(n);\n")]),
        ("exported", &[("{ f, A }", "{ f, A, add }")]),
    ];
    check(
        "a.js",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces identifier in f: [-total-] [+sum+]
                1 replaces identifier in f: [-total-] [+sum+]
            extracted
                0 moves away expression_statement in f: [-total += x;-]
                1 inserts expression_statement in f: [+add(x);+]
                2 inserts function_declaration in add: [+function add(x) {+] [+}+]
                  3 moves here expression_statement in add: [+total += x;+]
            signature
                0 inserts async in f: [+async+]
                1 inserts rest_pattern in f: [+, ...rest+]
            destructured
                0 replaces shorthand_property_identifier_pattern: [-b-] [+c+]
            only white space
                0 changes only the layout of text: 
            an error
                0 replaces line in f: [-return x;-] [+return x ? ;+]
            another end
                0 replaces throw_statement in f: [-return x;-] [+throw new Error(n);+]
            exported
                0 inserts shorthand_property_identifier: [+, add+]
        "#]],
    );
}

#[test]
fn typescript() {
    let text = r#"import { a, type B } from "./x";

export interface Shape {
  name: string;
  area(scale: number): number;
}

export class Square implements Shape {
  private readonly size: number = 1;
  name = "square";

  area(scale: number): number {
    a(scale);
    return this.size * scale;
  }
}

type Pair = [number, string];
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "side")]),
        (
            "reordered",
            &[
                ("  name = \"square\";\n", ""),
                (
                    "    return this.size * scale;\n  }\n",
                    "    return this.size * scale;\n  }\n\n  name = \"square\";\n",
                ),
            ],
        ),
        (
            "wrapped",
            &[("    a(scale);\n", "    try {\n      a(scale);\n    } finally {\n      done();\n    }\n")],
        ),
        (
            "signature",
            &[(
                "name: string;\n  area(scale: number): number;",
                "name?: string;\n  area(scale: number, up?: boolean): bigint;",
            )],
        ),
        ("imports", &[("{ a, type B }", "{ a }")]),
        ("a wider type", &[("[number, string]", "[number, string | null]")]),
        ("only a comment", &[("    a(scale);", "    // first\n    a(scale);")]),
        ("only white space", &[("a(scale);", "a( scale );")]),
        ("an error", &[("a(scale);", "a(scale;")]),
    ];
    check(
        "a.ts",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces property_identifier in Square.side: [-size-] [+side+]
                1 replaces property_identifier in Square.area: [-size-] [+side+]
            reordered
                0 deletes public_field_definition in Square.name: [-name = "square";-]
                1 inserts public_field_definition in Square.name: [+name = "square";+]
            wrapped
                0 inserts try_statement in Square.area: [+try {+] [+} finally {+] [+}+]
                  1 inserts expression_statement in Square.area: [+done();+]
            signature
                0 inserts ? in Shape.name: [+?+]
                1 inserts optional_parameter in Shape.area: [+, up?: boolean+]
                2 replaces type_annotation in Shape.area: [-: number-] [+: bigint+]
            imports
                0 deletes import_specifier: [-, type B-]
            a wider type
                0 inserts union_type in Pair: [+| null+]
            only a comment
                0 changes only the layout of text: [+// first+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes ) in Square.area: [-)-]
        "#]],
    );
}

#[test]
fn rust() {
    let text = r#"use std::collections::{BTreeMap, HashMap};
use std::fmt;

#[derive(Debug)]
pub struct Shape {
    size: u32,
    names: Vec<String>,
}

impl Shape {
    pub fn area(&self, scale: u32) -> u32 {
        log(scale);
        self.size * scale
    }

    fn reset(&mut self) {
        self.size = 0;
    }
}

fn pick(n: u32) -> &'static str {
    match n {
        0 => "none",
        1 => "one",
        _ => "many",
    }
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "side")]),
        (
            "reordered",
            &[
                ("    fn reset(&mut self) {\n        self.size = 0;\n    }\n", ""),
                (
                    "    pub fn area",
                    "    fn reset(&mut self) {\n        self.size = 0;\n    }\n\n    pub fn area",
                ),
            ],
        ),
        (
            "wrapped",
            &[("        log(scale);\n", "        if scale > 1 {\n            log(scale);\n        }\n")],
        ),
        (
            "extracted",
            &[
                ("        log(scale);\n        self.size * scale\n", "        self.times(scale)\n"),
                (
                    "    fn reset",
                    "    fn times(&self, scale: u32) -> u32 {\n        log(scale);\n        self.size * scale\n    }\n\n    fn reset",
                ),
            ],
        ),
        (
            "signature",
            &[(
                "pub fn area(&self, scale: u32) -> u32",
                "fn area(&mut self, scale: u64, up: bool) -> Option<u32>",
            )],
        ),
        (
            "imports",
            &[("{BTreeMap, HashMap}", "{BTreeMap, BTreeSet}"), ("use std::fmt;\n", "use std::io;\n")],
        ),
        ("arms", &[("        1 => \"one\",\n", "        1 => \"single\",\n        2 => \"two\",\n")]),
        ("a field", &[("    names: Vec<String>,\n", "    names: Vec<String>,\n    is_open: bool,\n")]),
        ("an attribute", &[("#[derive(Debug)]", "#[derive(Debug, Clone)]\n#[non_exhaustive]")]),
        ("only a comment", &[("        log(scale);", "        // first\n        log(scale);")]),
        ("only white space", &[("log(scale);", "log( scale );")]),
        ("an error", &[("log(scale);", "log(scale;")]),
    ];
    check(
        "a.rs",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces field_identifier in Shape.side: [-size-] [+side+]
                1 replaces field_identifier in Shape.area: [-size-] [+side+]
                2 replaces field_identifier in Shape.reset: [-size-] [+side+]
            reordered
                0 moves away function_item in Shape.area: [-pub fn area(&self, scale: u32) -> u32 {-] [-log(scale);-] [-self.size * scale-] [-}-]
                1 moves here function_item in Shape.area: [+pub fn area(&self, scale: u32) -> u32 {+] [+log(scale);+] [+self.size * scale+] [+}+]
            wrapped
                0 inserts expression_statement in Shape.area: [+if scale > 1 {+] [+}+]
            extracted
                0 replaces field_expression in Shape.area: [-log-] [+self.times+]
                1 deletes call_expression in Shape.area: [-;
                        self.size * scale-]
                2 inserts function_item in Shape.times: [+fn times(&self, scale: u32) -> u32 {+] [+self.size * scale
                    }+]
                  3 inserts expression_statement in Shape.times: [+log(scale);+]
            signature
                0 deletes visibility_modifier in Shape.area: [-pub-]
                1 inserts mutable_specifier in Shape.area: [+mut+]
                2 replaces primitive_type in Shape.area: [-u32-] [+u64+]
                3 inserts parameter in Shape.area: [+, up: bool+]
                4 inserts generic_type in Shape.area: [+Option<+] [+>+]
            imports
                0 replaces identifier: [-HashMap-] [+BTreeSet+]
                1 deletes use_declaration: [-use std::fmt;-]
                2 inserts use_declaration: [+use std::io;+]
            arms
                0 replaces string_literal in pick: [-"one"-] [+"single"+]
                1 inserts match_arm in pick: [+2 => "two",+]
            a field
                0 inserts field_declaration in Shape.is_open: [+is_open: bool,+]
            an attribute
                0 inserts identifier: [+, Clone+]
                1 inserts attribute_item: [+#[non_exhaustive]+]
            only a comment
                0 changes only the layout of text: [+// first+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes ) in Shape.area: [-)-]
        "#]],
    );
}

#[test]
fn go() {
    let text = r#"package a

import (
	"fmt"
	"os"
)

type Shape struct {
	size int
	name string
}

func (s *Shape) Area(scale int) int {
	fmt.Println(scale)
	return s.size * scale
}

func Reset(s *Shape) error {
	s.size = 0
	return nil
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "side")]),
        (
            "reordered",
            &[
                ("func Reset(s *Shape) error {\n\ts.size = 0\n\treturn nil\n}\n", ""),
                (
                    "func (s *Shape) Area",
                    "func Reset(s *Shape) error {\n\ts.size = 0\n\treturn nil\n}\n\nfunc (s *Shape) Area",
                ),
            ],
        ),
        ("wrapped", &[("\tfmt.Println(scale)\n", "\tif scale > 1 {\n\t\tfmt.Println(scale)\n\t}\n")]),
        ("signature", &[("Area(scale int) int", "Area(scale int, up bool) (int, error)")]),
        ("imports", &[("\t\"os\"\n", "\t\"os\"\n\t\"strings\"\n")]),
        ("a field", &[("\tname string\n", "\tname string\n\topen bool\n")]),
        ("only a comment", &[("\ts.size = 0", "\t// none\n\ts.size = 0")]),
        ("only white space", &[("s.size * scale", "s.size*scale")]),
        ("an error", &[("return nil", "return nil)")]),
    ];
    check(
        "a.go",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces field_identifier in Shape.side: [-size-] [+side+]
                1 replaces field_identifier in Area: [-size-] [+side+]
                2 replaces field_identifier in Reset: [-size-] [+side+]
            reordered
                0 moves away method_declaration in Area: [-func (s *Shape) Area(scale int) int {
                	fmt.Println(scale)
                	return s.size * scale
                }-]
                1 moves here method_declaration in Area: [+func (s *Shape) Area(scale int) int {
                	fmt.Println(scale)
                	return s.size * scale
                }+]
            wrapped
                0 inserts if_statement in Area: [+if scale > 1 {+] [+}+]
            signature
                0 inserts parameter_declaration in Area: [+, up bool+]
                1 inserts parameter_list in Area: [+(+] [+, error)+]
            imports
                0 inserts import_spec: [+"strings"+]
            a field
                0 inserts field_declaration in Shape.open: [+open bool+]
            only a comment
                0 changes only the layout of text: [+// none+]
            only white space
                0 changes only the layout of text: 
            an error
                0 inserts line in Reset: [+)+]
        "#]],
    );
}

#[test]
fn data() {
    let json = "{\n  \"name\": \"a\",\n  \"size\": [1, 2, 3],\n  \"last\": true\n}\n";
    let edits: Edits<'_> = &[
        ("a value", &[("\"a\"", "\"b\"")]),
        ("an entry", &[("  \"size\"", "  \"more\": null,\n  \"size\"")]),
        ("elements", &[("[1, 2, 3]", "[1, 3, 4]")]),
        ("the last entry", &[(",\n  \"last\": true", "")]),
    ];
    check(
        "a.json",
        json,
        edits,
        expect![[r#"
        a value
            0 replaces string: [-"a"-] [+"b"+]
        an entry
            0 inserts pair: [+,
              "more": null+]
        elements
            0 deletes number: [-, 2-]
            1 inserts number: [+, 4+]
        the last entry
            0 deletes pair: [-,
              "last": true-]
    "#]],
    );

    let yaml = "jobs:\n  test:\n    os: linux\n    steps:\n      - uses: checkout@v1\n      - run: make\n";
    let edits: Edits<'_> = &[
        ("a value", &[("linux", "macos-10.15")]),
        ("a step", &[("      - run: make\n", "      - run: make\n      - run: make test\n")]),
        ("an entry", &[("    os: linux\n", "    os: linux\n    name: all\n")]),
    ];
    check(
        "a.yaml",
        yaml,
        edits,
        expect![[r#"
        a value
            0 replaces flow_node: [-linux-] [+macos-10.15+]
        a step
            0 inserts block_sequence_item: [+- run: make test+]
        an entry
            0 inserts block_mapping_pair: [+name: all+]
    "#]],
    );

    let toml = "[package]\nname = \"a\"\nversion = \"1.0\"\n\n[dependencies]\nb = \"2\"\n";
    let edits: Edits<'_> = &[
        ("a value", &[("\"1.0\"", "{ workspace = true }")]),
        ("an entry", &[("b = \"2\"\n", "b = \"2\"\nc = \"3\"\n")]),
    ];
    check(
        "a.toml",
        toml,
        edits,
        expect![[r#"
        a value
            0 replaces inline_table in name = "a": [-"1.0"-] [+{+] [+}+]
              1 inserts pair in name = "a": [+workspace = true+]
        an entry
            0 inserts pair in b = "2": [+c = "3"+]
    "#]],
    );

    let xml = "<?xml version=\"1.0\"?>\n<a>\n  <b x=\"1\">text</b>\n  <c/>\n</a>\n";
    let edits: Edits<'_> = &[
        ("an attribute", &[("x=\"1\"", "x=\"2\" y=\"3\"")]),
        ("an element", &[("  <c/>\n", "  <c/>\n  <d>more</d>\n")]),
        ("text", &[("text", "other")]),
    ];
    check(
        "a.xml",
        xml,
        edits,
        expect![[r#"
        an attribute
            0 replaces AttValue: [-"1"-] [+"2"+]
            1 inserts Attribute: [+y="3"+]
        an element
            0 inserts element: [+<d>more</d>+]
        text
            0 replaces CharData: [-text-] [+other+]
    "#]],
    );
}
