//! The changes found between small pairs of programs, one snapshot for each sort of edit and language.

#![allow(clippy::unwrap_used, reason = "all of this is a test")]

mod languages;

use expect_test::{Expect, expect};
use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_search::{Config, Couplings};
use nub_syntax::{Language, Tree};

fn version(path: &str, text: &str) -> Snapshot {
    [(RelPath::try_from(path).unwrap(), Entry::file(text.as_bytes()))].into_iter().collect()
}

fn check(path: &str, old: &str, new: &str, expected: Expect) {
    expected.assert_eq(&changes(path, old, new));
}

/// Lists the changes, and checks that every closed config of up to eight of them can be read.
fn changes(path: &str, old: &str, new: &str) -> String {
    let patchwork = Patchwork::by_syntax(&version(path, old), &version(path, new));
    let file = RelPath::try_from(path).unwrap();
    let n = patchwork.changes().len();
    assert_eq!(patchwork.render(&Config::empty()), version(path, old));
    assert_eq!(patchwork.render(&patchwork.full()), version(path, new));
    let couplings = Couplings::given(patchwork.couplings());
    let language = Language::of_path(path).unwrap();
    let parses = |text: &[u8]| !Tree::parse(language, text.into()).has_error();
    if parses(old.as_bytes()) && parses(new.as_bytes()) {
        for bits in 0..1u32 << n.min(8) {
            let config = couplings.close(&(0..n as u32).filter(|k| bits >> (k % 8) & 1 == 1).collect());
            let entry = patchwork.entry(&config, &file).unwrap();
            assert!(parses(&entry.content), "{config}:\n{}", String::from_utf8_lossy(&entry.content));
        }
    }
    let mut shown = String::new();
    for change in patchwork.changes() {
        let depth = std::iter::successors(change.parent, |&k| patchwork.changes()[k as usize].parent).count();
        let text = patchwork.text_of(change.number);
        shown += &format!("{}{} {}: {text}\n", "  ".repeat(depth), change.number, change.description());
    }
    for coupling in couplings_beside_nesting(&patchwork) {
        shown += &format!("{} needs {}\n", coupling.0, coupling.1);
    }
    shown
}

fn couplings_beside_nesting(patchwork: &Patchwork) -> Vec<(u32, u32)> {
    let nested = |a: u32, b: u32| patchwork.changes()[a as usize].parent == Some(b);
    let couplings = patchwork.couplings();
    let pairs = couplings.iter().map(|c| (c.dependent, c.needed));
    pairs.filter(|&(a, b)| !nested(a, b) && !nested(b, a)).collect()
}

#[test]
fn java_a_renamed_variable_is_a_change_at_each_place() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int sum;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return sum;
    }
}
",
        expect![[r#"
            0 replaces variable_declarator in A.sum: [-total-] [+sum+]
            1 replaces identifier in A.g: [-total-] [+sum+]
        "#]],
    );
}

#[test]
fn java_members_that_change_places_move() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    int g() {
        return total;
    }

    void f(int n) {
        a(n);
        b();
        c();
    }
}
",
        expect![[r#"
            0 moves method_declaration in A.f: [-void f(int n) {-] [-a(n);-] [-b();-] [-c();-] [-}-] [+void f(int n) {+] [+a(n);+] [+b();+] [+c();+] [+}+]
        "#]],
    );
}

#[test]
fn java_a_wrapped_block_stays_in_its_wrapper() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        if (n > 0) {
            log();
            a(n + 1);
            b();
        }
        c();
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 inserts if_statement in A.f: [+if (n > 0) {+] [+}+]
              1 inserts expression_statement in A.f: [+log();+]
            2 inserts binary_expression in A.f: [++ 1+]
        "#]],
    );
}

#[test]
fn java_an_extracted_method_takes_its_statements_along() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        int x = b(n, total);
        total += x;
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        helper(n);
        c();
    }

    void helper(int n) {
        int x = b(n, total);
        total += x;
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 moves local_variable_declaration in A.helper: [-int x = b(n, total);-] [+int x = b(n, total);+]
            1 moves expression_statement in A.helper: [-total += x;-] [+total += x;+]
            2 inserts expression_statement in A.f: [+helper(n);+]
            3 inserts method_declaration in A.helper: [+void helper(int n) {+] [+}+]
            0 needs 3
            1 needs 3
        "#]],
    );
}

#[test]
fn java_a_changed_signature_is_its_parts() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    public long f(int n, String name) throws Oops {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 replaces modifiers in A.f: [-void-] [+public long+] [+throws Oops+]
            1 inserts formal_parameter in A.f: [+, String name+]
        "#]],
    );
}

#[test]
fn java_imports_come_and_go() {
    check(
        "A.java",
        r"import a.B;
import a.C;
import a.E;

class A {}
",
        r"import a.C;
import a.D;
import a.E;
import a.F;

class A {}
",
        expect![[r#"
            0 deletes import_declaration: [-import a.B;-]
            1 inserts import_declaration: [+import a.D;+]
            2 inserts import_declaration: [+import a.F;+]
        "#]],
    );
}

#[test]
fn java_a_comment_is_layout() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        // the second
        b();
        c();
    }

    /** Tells. */
    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 changes only the layout of text in A.f: [+// the second+]
            1 changes only the layout of text in A.g: [+/** Tells. */+]
        "#]],
    );
}

#[test]
fn java_white_space_is_layout() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        a( n );  b();
        c();
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 changes only the layout of text in A.f: 
        "#]],
    );
}

#[test]
fn java_a_text_with_an_error_is_compared_by_lines_there() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        a(n);
        b(;
        d();
        c();
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 inserts line in A.f: [+b(;+]
            1 replaces identifier in A.f: [-b-] [+d+]
        "#]],
    );
}

#[test]
fn java_a_new_class_is_a_tree_of_changes() {
    check(
        "A.java",
        r"class A {}
",
        r"class A {}

class B {
    int x = 1;

    B() {
        a();
        b();
    }
}
",
        expect![[r#"
            0 inserts class_declaration in B: [+class B {+] [+}+]
              1 inserts field_declaration in B.x: [+int x = 1;+]
              2 inserts constructor_declaration in B: [+B() {+] [+}+]
                3 inserts expression_statement in B: [+a();+]
                4 inserts expression_statement in B: [+b();+]
        "#]],
    );
}

#[test]
fn java_arguments_carry_their_commas() {
    check(
        "A.java",
        r"class A {
    int total;

    void f(int n) {
        a(n, 1);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        r"class A {
    int total;

    void f(int n) {
        a(x, n, 2, y);
        b();
        c();
    }

    int g() {
        return total;
    }
}
",
        expect![[r#"
            0 inserts identifier in A.f: [+x,+]
            1 replaces decimal_integer_literal in A.f: [-1-] [+2+]
            2 inserts identifier in A.f: [+, y+]
        "#]],
    );
}

#[test]
fn c_directives_come_and_go() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r"#include <stdio.h>
#include <stdlib.h>
#define LIMIT 20
#define MORE 1

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        expect![[r#"
            0 inserts preproc_include: [+#include <stdlib.h>+]
            1 replaces preproc_arg in LIMIT: [-10-] [+20+]
            2 inserts preproc_def in MORE: [+#define MORE 1+]
        "#]],
    );
}

#[test]
fn c_braces_around_one_statement_are_a_wrapper() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r#"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT) {
    puts("much");
    return 0;
  }
  total += n;
  return total;
}
"#,
        expect![[r#"
            0 inserts compound_statement in f: [+{+] [+}+]
              1 inserts expression_statement in f: [+puts("much");+]
        "#]],
    );
}

#[test]
fn c_functions_that_change_places_move() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}

int g(void) {
  return f(3);
}
",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int g(void) {
  return f(3);
}

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        expect![[r#"
            0 moves function_definition in f: [-int f(int n) {
              if (n > LIMIT)
                return 0;
              total += n;
              return total;
            }-] [+int f(int n) {
              if (n > LIMIT)
                return 0;
              total += n;
              return total;
            }+]
        "#]],
    );
}

#[test]
fn c_a_condition_grows() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT && total < 5)
    return 0;
  total += n;
  return total;
}
",
        expect![[r#"
            0 inserts binary_expression in f: [+&& total < 5+]
        "#]],
    );
}

#[test]
fn c_a_changed_signature_is_its_parts() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

long f(const char *s, int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        expect![[r#"
            0 replaces sized_type_specifier in f: [-int-] [+long+]
            1 inserts parameter_declaration in f: [+const char *s,+]
        "#]],
    );
}

#[test]
fn c_a_part_under_a_directive_is_a_list() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

#ifdef X
int a;
int b;
#endif
static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r"#include <stdio.h>
#define LIMIT 10

#ifdef X
int b;
int c;
#endif
static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        expect![[r#"
            0 deletes declaration in a: [-int a;-]
            1 inserts declaration in c: [+int c;+]
        "#]],
    );
}

#[test]
fn c_a_comment_is_layout() {
    check(
        "a.c",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n;
  return total;
}
",
        r"#include <stdio.h>
#define LIMIT 10

static int total;

int f(int n) {
  if (n > LIMIT)
    return 0;
  total += n; /* so far */
  return total;
}
",
        expect![[r#"
            0 changes only the layout of text in f: [+/* so far */+]
        "#]],
    );
}

#[test]
fn python_wrapped_statements_are_indented_with_their_wrapper() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        with lock:
            if n:
                a(n)
                d()
            b()
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 inserts with_statement in A.f: [+with lock:
                        if n:+]
              1 inserts expression_statement in A.f: [+d()+]
        "#]],
    );
}

#[test]
fn python_unwrapped_statements_are_indented_without() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        if n:
            a(n)
            d()
            b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b(1)
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 deletes expression_statement in A.f: [-if n:-]
              1 deletes expression_statement in A.f: [-d()-]
            2 inserts integer in A.f: [+1+]
        "#]],
    );
}

#[test]
fn python_members_that_change_places_move() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def g(self):
        return self.total

    def f(self, n):
        a(n)
        b()
        c()
",
        expect![[r#"
            0 moves function_definition in A.f: [-def f(self, n):-] [-a(n)-] [-b()-] [-c()-] [+def f(self, n):+] [+a(n)+] [+b()+] [+c()+]
        "#]],
    );
}

#[test]
fn python_a_body_is_never_empty() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        self.total += 1
        done()
",
        expect![[r#"
            0 replaces expression_statement in A.g: [-return self.total-] [+self.total += 1+]
            1 inserts expression_statement in A.g: [+done()+]
        "#]],
    );
}

#[test]
fn python_imports_come_and_go() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import sys
import re
from x import y


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 deletes import_statement in os: [-import os-]
            1 inserts import_statement in re: [+import re+]
            2 inserts import_from_statement in y: [+from x import y+]
        "#]],
    );
}

#[test]
fn python_a_changed_signature_is_its_parts() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, m, n=1, *rest) -> int:
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 inserts identifier in A.f: [+, m+]
            1 inserts default_parameter in A.f: [+=1+]
            2 inserts list_splat_pattern in A.f: [+, *rest+]
            3 inserts -> in A.f: [+-> int+]
        "#]],
    );
}

#[test]
fn python_another_indentation_is_layout() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
  def f(self, n):
    a(n)
    b()
    d()
    c()

  def g(self):
    return self.total
",
        expect![[r#"
            0 changes only the layout of text: 
            1 inserts expression_statement in A.f: [+d()+]
        "#]],
    );
}

#[test]
fn python_a_comment_is_layout() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        # two
        b()  # second
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 changes only the layout of text in A.f: [+# two+] [+# second+]
        "#]],
    );
}

#[test]
fn python_a_text_with_an_error_is_compared_by_lines_there() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b((
        c()

    def g(self):
        return self.total
",
        expect![[r#"
            0 replaces line in A.f: [-b()-] [+b((
                    c()

                def g(self):
                    return self.total+]
            1 deletes expression_statement in A.f: [-c()-]
            2 deletes function_definition in A.g: [-def g(self):
                    return self.total-]
        "#]],
    );
}

#[test]
fn python_a_new_function_is_a_tree_of_changes() {
    check(
        "a.py",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total
",
        r"import os
import sys


class A:
    def f(self, n):
        a(n)
        b()
        c()

    def g(self):
        return self.total


def h(x):
    '''Tells.'''
    if x:
        one()
        two()
    return x
",
        expect![[r#"
            0 inserts function_definition in h: [+def h(x):
                '''Tells.'''+]
              1 inserts if_statement in h: [+if x:
                    one()+]
                2 inserts expression_statement in h: [+two()+]
              3 inserts return_statement in h: [+return x+]
        "#]],
    );
}

#[test]
fn javascript_a_wrapped_block_stays_in_its_wrapper() {
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
fn javascript_lines_end_without_semicolons() {
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
fn javascript_members_come_and_move() {
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
fn javascript_entries_carry_their_commas() {
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
fn javascript_imports_change() {
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
fn javascript_a_callback_is_wrapped() {
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
fn javascript_a_comment_is_layout() {
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
            0 changes only the layout of text in f: [+// the end+]
        "#]],
    );
}
