//! Python.

use crate::check;
use expect_test::expect;
use nub_change::{Entry, Patchwork, RelPath, Snapshot};

#[test]
fn wrapped_statements_are_indented_with_their_wrapper() {
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
fn unwrapped_statements_are_indented_without() {
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
fn members_that_change_places_move() {
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
            0 moves away function_definition in A.f: [-def f(self, n):-] [-a(n)-] [-b()-] [-c()-]
            1 moves here function_definition in A.f: [+def f(self, n):+] [+a(n)+] [+b()+] [+c()+]
        "#]],
    );
}

#[test]
fn a_body_is_never_empty() {
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
fn imports_come_and_go() {
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
fn a_changed_signature_is_its_parts() {
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
fn another_indentation_is_layout() {
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
fn a_comment_is_layout() {
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
            0 changes only the layout of text: [+# two+] [+# second+]
        "#]],
    );
}

#[test]
fn a_text_with_an_error_is_compared_by_lines_there() {
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
fn a_new_function_is_a_tree_of_changes() {
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
fn a_moved_statement_is_taken_out_and_put_in() {
    check(
        "a.py",
        "def f(xs):\n    total = add(xs, 1)\n    for x in xs:\n        x.show()\n    # The end.\n    return total\n",
        "def f(xs):\n    for x in xs:\n        x.show()\n    # What is shown counts.\n    total = add(xs, 1)\n    return total\n",
        expect![[r#"
            0 moves away expression_statement in f: [-total = add(xs, 1)-]
            1 changes only the layout of text: [+# What is shown counts.+] [-# The end.-]
            2 moves here expression_statement in f: [+total = add(xs, 1)+]
        "#]],
    );
}

#[test]
fn a_function_that_went_to_another_file_is_two_halves_of_a_move() {
    let function = "def f(a, b):\n    if a > b:\n        return a - b\n    return b - a\n";
    let old = [("a.py", format!("import os\n\n{function}\nx = 1\n")), ("b.py", "y = 2\n".to_owned())];
    let new = [("a.py", "import os\n\nx = 1\n".to_owned()), ("b.py", format!("y = 2\n\n{function}"))];
    let snapshot = |files: [(&str, String); 2]| -> Snapshot {
        files
            .into_iter()
            .map(|(path, text)| (RelPath::try_from(path).unwrap(), Entry::file(text.as_bytes())))
            .collect()
    };
    let patchwork = Patchwork::by_syntax(&snapshot(old), &snapshot(new));
    let shown: Vec<String> = patchwork
        .changes()
        .iter()
        .map(|change| {
            format!("{} {} {}, twin {:?}", change.number, change.path(), change.description(), change.twin)
        })
        .collect();
    expect![[r#"
        0 a.py moves away function_definition in f, twin Some(2)
        1 a.py moves away return_statement in f, twin Some(3)
        2 b.py moves here function_definition in f, twin Some(0)
        3 b.py moves here return_statement in f, twin Some(1)"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn what_loses_its_brackets_keeps_its_distance_from_the_word_before_them() {
    let version = |text: &str| -> Snapshot {
        [(RelPath::try_from("a.py").unwrap(), Entry::file(text.as_bytes()))].into_iter().collect()
    };
    let text = |assertion: &str| format!("def f():\n    a = 1\n    {assertion}\n    b = empty | expr\n");
    let old = version(&text("assert(r'.abc (abc )' == namedPortConnection)"));
    let new = version(&text("assert r\".abc (abc )\" == namedPortConnection"));
    let patchwork = Patchwork::by_syntax(&old, &new);
    let is_there = |change: u32| {
        let between = version(&text("assert r'.abc (abc )' == namedPortConnection"));
        patchwork.render(&[change].into()) == between
    };
    assert!((0..patchwork.changes().len() as u32).any(is_there));
}

#[test]
fn of_two_of_a_name_the_one_that_is_alike_stays() {
    let lines: String = (0..9).map(|i| format!("    ('word{i}', Token{i}),\n")).collect();
    let old = format!("WORDS = {{'root': [\n{lines}]}}\n\nWORDS = [(f(a), b) for a, b in WORDS['root']]\n");
    let new = format!("WORDS = [\n    ('other', Token),\n{lines}]\n");
    check(
        "a.py",
        &old,
        &new,
        expect![[r#"
            0 deletes list: [-{'root':-] [-}-]
            1 inserts tuple: [+('other', Token),+]
            2 deletes expression_statement: [-WORDS = [(f(a), b) for a, b in WORDS['root']]-]
        "#]],
    );
}

#[test]
fn what_has_brackets_of_its_own_does_not_change_with_those_around_it() {
    let lines = |indent: &str, new: &str| -> String {
        let line = |i: usize| format!("{indent}('word{i}', Token{i}),\n{}", if i == 4 { new } else { "" });
        (0..9).map(line).collect()
    };
    let old = format!("WORDS = {{\n    'root': [\n{}    ]}}\n", lines("        ", ""));
    let new = format!("WORDS = [\n{}]\n", lines("    ", "    ('other', Token),\n"));
    let version = |text: &str| -> Snapshot {
        [(RelPath::try_from("a.py").unwrap(), Entry::file(text.as_bytes()))].into_iter().collect()
    };
    let patchwork = Patchwork::by_syntax(&version(&format!("def f():\n    pass\n\n\n{old}")), &version(&new));
    let inserted = patchwork.changes().iter().find(|change| change.what == "tuple").unwrap().number;
    let needs_more = |coupling: &nub_search::Coupling| coupling.dependent == inserted;
    assert!(!patchwork.couplings().iter().any(needs_more), "{:?}", patchwork.couplings());
}
