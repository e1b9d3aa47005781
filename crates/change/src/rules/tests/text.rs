use super::{Pair, check};
use crate::rules::Rule;

#[test]
fn brackets_come_and_go_together() {
    let old = "int f(int a) {\n  g();\n  h();\n}\n";
    let new = "int f(int a) {\n  if (a) {\n  g();\n  }\n  h();\n}\n";
    check(Rule::Brackets, "a.c", old, new, &[("+if (a) {", "+}"), ("+}", "+if (a) {")]);
    check(Rule::Brackets, "a.c", new, old, &[("-if (a) {", "-}"), ("-}", "-if (a) {")]);
    let (old, new) = ("int a;\nint b;\n", "#ifdef X\nint a;\n#endif\nint b;\n");
    check(Rule::Brackets, "a.c", old, new, &[("+#ifdef", "+#endif"), ("+#endif", "+#ifdef")]);
}

#[test]
fn brackets_in_a_line_that_is_replaced_are_closed_by_either_of_two_lines() {
    let old = "int f(int a) {\n  if (a) {\n    g();\n  }\n  h();\n}\n";
    let new = "int f(int a) {\n  if (a > 1) {\n    g();\n  h();\n  }\n}\n";
    check(Rule::Brackets, "a.c", old, new, &[("-  }", "+  }"), ("+  }", "-  }")]);
}

#[test]
fn quoted_texts_and_comments_begin_and_end() {
    let old = "int a;\nint b;\n";
    let new = "int a;\n/*\n * Why\n */\nint b;\n";
    let both = [("+/*", "+ */"), ("+ */", "+/*"), ("+ * Why", "+/*")];
    check(Rule::Quoted, "a.c", old, new, &both);
    check(Rule::Quoted, "a.c", new, old, &[("-/*", "- */"), ("- */", "-/*"), ("-/*", "- * Why")]);
    let old = "def f():\n    a()\n";
    let new = "def f():\n    \"\"\"\n    Why\n    \"\"\"\n    a()\n";
    let pair = Pair::of(&[("a.py", old)], &[("a.py", new)]);
    assert_eq!(pair.ruled.iter().filter(|r| r.rule == Rule::Quoted).count(), 3, "{:?}", pair.ruled);
    let kept = "def f():\n    \"\"\"\n    Why\n    Because\n    \"\"\"\n    a()\n";
    check(Rule::Quoted, "a.py", new, kept, &[]);
    let old = "#define A(x) \\\n  f(x)\n";
    let new = "#define A(x) \\\n  f(x) \\\n  + 1\n";
    check(Rule::Quoted, "a.c", old, new, &[("+f(x) \\", "++ 1")]);
}

#[test]
fn whole_statements_come_and_go_with_all_their_lines() {
    let old = "x = 1\n";
    let new = "x = 1\ny = a + \\\n    b + \\\n    c\n";
    check(Rule::Whole, "a.py", old, new, &[("+y = a", "+    b"), ("+    b", "+    c"), ("+    c", "+y = a")]);
    check(Rule::Whole, "a.py", new, old, &[("-    b", "-y = a"), ("-    c", "-    b"), ("-y = a", "-    c")]);
}

#[test]
fn enclosed_statements_need_their_method_and_members_their_class() {
    // DR1: inserting a statement requires inserting the enclosing method body.
    let old = "class A {\n  int a;\n}\n";
    let new = "class A {\n  int a;\n  void f() {\n    g();\n  }\n}\n";
    check(Rule::Enclosed, "A.java", old, new, &[("+g();", "+void f")]);
    check(Rule::Enclosed, "A.java", new, old, &[("-void f", "-g();")]);
    // A method whose head is worded in another way is still there.
    let old = "class A {\n  void f( int a ) {\n    a();\n  }\n}\n";
    let new = "class A {\n  void f(int a) {\n    a();\n    g();\n  }\n}\n";
    check(Rule::Enclosed, "A.java", old, new, &[]);
    // A statement in braces needs its function, but not the `if` around it.
    let old = "void f() {\n  a();\n}\n";
    check(Rule::Enclosed, "a.c", old, "void f() {\n  a();\n  if (x) {\n    b();\n  }\n}\n", &[]);
}

#[test]
fn enclosed_lines_of_python_need_the_line_that_opens_their_block() {
    let old = "def f():\n    a()\n";
    let new = "def f():\n    a()\n    if x:\n        b()\n        c()\n";
    let pair = Pair::of(&[("a.py", old)], &[("a.py", new)]);
    pair.check(Rule::Enclosed, &[("+b()", "+if x"), ("+c()", "+if x")]);
    pair.check(Rule::Suite, &[("+if x", "+b()")]);
}

#[test]
fn suite_a_block_whose_lines_are_all_replaced_is_never_empty() {
    let old = "def f():\n    aaaa(1)\n    bbbb(2)\n    cccc(3)\n";
    let new = "def f():\n    return None\n    zzzz = [7]\n    wwww = {}\n";
    check(Rule::Suite, "a.py", old, new, &[("-aaaa", "+return None")]);
}

#[test]
fn refactored_an_extracted_variable_comes_with_its_use() {
    let old = "int f(int a) {\n  g();\n  return compute(a, 1);\n}\n";
    let new = "int f(int a) {\n  int value = compute(a, 1);\n  g();\n  return value;\n}\n";
    check(
        Rule::Refactored,
        "a.c",
        old,
        new,
        &[("+int value", "+return value"), ("+return value", "+int value")],
    );
}

#[test]
fn try_clause_a_try_needs_a_catch_or_finally() {
    let old = "class A {\n  void f() {\n    g();\n  }\n}\n";
    let new = "class A {\n  void f() {\n    try {\n    g();\n    } finally { h(); }\n  }\n}\n";
    check(Rule::TryClause, "A.java", old, new, &[("+try", "+finally")]);
    let both = "class A {\n  void f() {\n    try {\n    g();\n    }\n    catch (E e) { i(); }\n    finally { h(); }\n  }\n}\n";
    check(Rule::TryClause, "A.java", old, both, &[]);
}

#[test]
fn else_an_else_needs_its_if() {
    let old = "int f(int a) {\n  g();\n  return 0;\n}\n";
    let new = "int f(int a) {\n  if (a)\n    g();\n  else\n    h();\n  return 0;\n}\n";
    let pair = Pair::of(&[("a.c", old)], &[("a.c", new)]);
    pair.check(Rule::Else, &[("+else", "+if (a)")]);
}

#[test]
fn member_of_two_declarations_of_a_name_each_is_likely_needed_where_there_are_many_uses() {
    let old = "struct A { int sidx; };\nstruct B { int sidx; };\nvoid f(struct A *a, struct B *b) {\n  a->sidx = 1;\n  int x;\n  b->sidx = 2;\n  int y;\n  a->sidx = 3;\n}\n";
    let new = old.replace("sidx", "ridx");
    let pair = Pair::of(&[("a.c", old)], &[("a.c", &new)]);
    let uses = ["+a->ridx = 1", "+b->ridx = 2", "+a->ridx = 3"];
    let declared = ["+struct A", "+struct B"];
    let pairs = |from: &[&'static str], to: &[&'static str]| {
        let pair = |a: &&'static str| to.iter().map(|b| (*a, *b)).collect::<Vec<_>>();
        from.iter().flat_map(pair).collect::<Vec<_>>()
    };
    pair.check(Rule::Member, &[pairs(&declared, &uses), pairs(&uses, &declared)].concat());
}

#[test]
fn brackets_that_close_another_block_in_the_other_version_do_so_where_theirs_has_gone() {
    let old = "void f() {\n  for (;;) {\n    g();\n  }\n}\nint x;\n";
    let new = "void f() {\n    g();\n  }\nint x;\n";
    let pair = Pair::of(&[("a.c", old)], &[("a.c", new)]);
    pair.check(Rule::Brackets, &[("-  for", "-}"), ("-}", "-  for")]);
}

#[test]
fn enclosed_a_method_does_not_need_the_last_constant_of_its_enumeration() {
    let text = |constant: &str, more: &str, x: &str| {
        format!(
            "enum E {{\n  A(1),\n  {constant};\n{more}\n  /** One. */\n  int f(int {x}) {{\n    return {x};\n  }}\n}}\n"
        )
    };
    let old = text("B(2)", "", "x");
    let more = "  static int h = 4;\n\n  /** Another. */\n  static int g(int y) {\n    return 7;\n  }\n";
    let new = text("LAST(\"quite another\", g(3, 4))", more, "z");
    Pair::of(&[("E.java", &old)], &[("E.java", &new)])
        .check(Rule::Enclosed, &[("+return 7", "+static int g")]);
}
