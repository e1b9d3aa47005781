//! JavaScript.

use crate::check;
use expect_test::expect;

#[test]
fn a_wrapped_block_stays_in_its_wrapper() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  try {
    a(n)
  } catch (e) {
    log(e)
  }
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 inserts try_statement in f: [+try {+] [+} catch (e) {+] [+}+]
              1 inserts expression_statement in f: [+log(e)+]
        "#]],
    );
}

#[test]
fn lines_end_without_semicolons() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  const x = g({ one: 1, two: 2 })
  b(x)
  return x + 1
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 deletes expression_statement in f: [-a(n)-]
            1 inserts expression_statement in f: [+b(x)+]
            2 inserts binary_expression in f: [++ 1+]
        "#]],
    );
}

#[test]
fn members_come_and_move() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  run() { return this.count }
  size = 1;
  count = 0;
}
"#,
        expect![[r#"
            0 deletes field_definition in A: [-count = 0;-]
            1 inserts field_definition in A: [+size = 1;+]
            2 inserts field_definition in A: [+count = 0;+]
        "#]],
    );
}

#[test]
fn entries_carry_their_commas() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ zero: 0, two: 3, four })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 deletes pair in f: [-one: 1,-]
            1 inserts pair in f: [+zero: 0,+]
            2 replaces number in f: [-2-] [+3+]
            3 inserts shorthand_property_identifier in f: [+, four+]
        "#]],
    );
}

#[test]
fn imports_change() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a, b } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 inserts import_specifier: [+, b+]
        "#]],
    );
}

#[test]
fn a_callback_is_wrapped() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = once(() => g({ one: 1, two: 2 }))
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 inserts call_expression in f: [+once(() =>+] [+)+]
        "#]],
    );
}

#[test]
fn a_comment_is_layout() {
    check(
        "a.js",
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        r#"import { a } from "a";

export function f(n) {
  a(n)
  const x = g({ one: 1, two: 2 })
  // the end
  return x
}

class A {
  count = 0;
  run() { return this.count }
}
"#,
        expect![[r#"
            0 changes only the layout of text: [+// the end+]
        "#]],
    );
}

#[test]
fn functions_given_to_a_name_are_known_by_it() {
    check(
        "a.js",
        "p.first = function(a) {\n  one(a);\n  two(a);\n  three(a);\n};\n\np.second = function(b) {\n  four(b);\n};\n",
        "p.first = function(a) {\n  five(a);\n};\n\np.other = function(a) {\n  one(a);\n  two(a);\n  three(a);\n  six();\n};\n\np.second = function(b) {\n  four(b);\n};\n",
        expect![[r#"
            0 moves away expression_statement: [-one(a);-]
            1 moves away expression_statement: [-two(a);-]
            2 moves away expression_statement: [-three(a);-]
            3 inserts expression_statement: [+five(a);+]
            4 inserts expression_statement: [+p.other = function(a) {+] [+};+]
              5 moves here expression_statement: [+one(a);+]
              6 moves here expression_statement: [+two(a);+]
              7 moves here expression_statement: [+three(a);+]
              8 inserts expression_statement: [+six();+]
        "#]],
    );
}

#[test]
fn both_tags_of_an_element_change_together() {
    check(
        "a.xml",
        "<a><b>x</b></a>\n",
        "<a><c>x</c></a>\n",
        expect![[r#"
        0 replaces Name: [-b-] [+c+]
        1 replaces Name: [-b-] [+c+]
        1 needs 0
        0 needs 1
    "#]],
    );
}
