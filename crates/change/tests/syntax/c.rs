//! C.

use crate::check;
use expect_test::expect;

#[test]
fn directives_come_and_go() {
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
fn braces_around_one_statement_are_a_wrapper() {
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
fn functions_that_change_places_move() {
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
            0 moves away function_definition in f: [-int f(int n) {
              if (n > LIMIT)
                return 0;
              total += n;
              return total;
            }-]
            1 moves here function_definition in f: [+int f(int n) {
              if (n > LIMIT)
                return 0;
              total += n;
              return total;
            }+]
        "#]],
    );
}

#[test]
fn a_condition_grows() {
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
fn a_changed_signature_is_its_parts() {
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
fn a_part_under_a_directive_is_a_list() {
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
fn a_comment_is_layout() {
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
            0 changes only the layout of text: [+/* so far */+]
        "#]],
    );
}
