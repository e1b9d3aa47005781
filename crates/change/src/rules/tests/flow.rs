use super::{Pair, check};
use crate::rules::Rule;

#[test]
fn return_value_a_method_and_its_returns_change_type_together() {
    // UR2.
    let old = "class A {\n  void f(int a) {\n    if (a == 0)\n      return;\n    g();\n  }\n}\n";
    let new =
        "class A {\n  int f(int a) {\n    if (a == 0)\n      return 1;\n    g();\n    throw null;\n  }\n}\n";
    check(Rule::ReturnValue, "A.java", old, new, &[("+int f", "+return 1"), ("+return 1", "+int f")]);
}

#[test]
fn ends_a_method_with_a_type_ends_with_a_return() {
    let old = "class A {\n  void f() {\n    g();\n  }\n}\n";
    let new = "class A {\n  int f() {\n    g();\n    return 1;\n  }\n}\n";
    check(Rule::Ends, "A.java", old, new, &[("+int f", "+return 1")]);
    let old = "class A {\n  int f() {\n    g();\n    return zzzzz;\n  }\n}\n";
    let new = "class A {\n  int f() {\n    g();\n    h();\n    i();\n    j();\n    throw new E(1, 2, 3, 4);\n  }\n}\n";
    check(Rule::Ends, "A.java", old, new, &[("-return", "+throw")]);
}

#[test]
fn unreachable_nothing_follows_a_jump() {
    let old = "class A {\n  void f() {\n    g();\n    return;\n  }\n}\n";
    let new =
        "class A {\n  void f() {\n    g();\n    iiii();\n    kkkk();\n    llll();\n    mmmm();\n  }\n}\n";
    check(
        Rule::Unreachable,
        "A.java",
        old,
        new,
        &[("+iiii", "-return"), ("+kkkk", "-return"), ("+llll", "-return"), ("+mmmm", "-return")],
    );
}

#[test]
fn initialized_a_variable_that_is_read_was_assigned() {
    // DR2.
    let old = "class A {\n  int f() {\n    int a;\n    g();\n    return 0;\n  }\n}\n";
    let new = "class A {\n  int f() {\n    int a;\n    a = 1;\n    g();\n    return a;\n  }\n}\n";
    check(Rule::Initialized, "A.java", old, new, &[("+return a", "+a = 1")]);
}

#[test]
fn agree_a_value_keeps_its_type() {
    let old = "class A {\n  int f() { return 1; }\n  void g() {\n    int a = f();\n  }\n}\n";
    let new = "class A {\n  long f() { return 1; }\n  void g() {\n    long a = f();\n  }\n}\n";
    check(Rule::Agree, "A.java", old, new, &[("+long a", "+long f"), ("+long f", "+long a")]);
    let old = "class A {\n  int\n  f() {\n    int b = g;\n    h();\n    return b;\n  }\n}\n";
    let new = "class A {\n  long\n  f() {\n    long b = g;\n    h();\n    return b;\n  }\n}\n";
    check(Rule::Agree, "A.java", old, new, &[("+long b", "-  int"), ("-  int", "+long b")]);
    let old = "class A {\n  void f(int a) { }\n  void g() {\n    int b = 1;\n    f(b);\n  }\n}\n";
    let new = "class A {\n  void f(String a) { }\n  void g() {\n    String b = null;\n    f(b);\n  }\n}\n";
    check(Rule::Agree, "A.java", old, new, &[("+String b", "+f(String a)"), ("+f(String a)", "+String b")]);
    let old = "interface I {\n  int f();\n}\nclass B implements I {\n  public int f() { return 1; }\n}\n";
    let new = "interface I {\n  long f();\n}\nclass B implements I {\n  public long f() { return 1; }\n}\n";
    check(
        Rule::Agree,
        "A.java",
        old,
        new,
        &[("+  long f();", "+public long f"), ("+public long f", "+  long f();")],
    );
}

#[test]
fn throws_an_exception_that_is_thrown_is_declared() {
    // UR3.
    let old = "class A {\n  void f() {\n    g();\n  }\n}\n";
    let new = "class A {\n  void f() throws E {\n    g();\n    throw new E();\n  }\n}\n";
    check(Rule::Throws, "A.java", old, new, &[("+throw new E", "+throws E")]);
    check(Rule::Throws, "A.java", new, old, &[("-throws E", "-throw new E")]);
}

#[test]
fn throws_who_calls_a_method_that_throws_declares_or_catches_it() {
    let old = "class A {\n  void f() { a(); }\n\n  void g() {\n    f();\n  }\n}\n";
    let new = "class A {\n  void f() throws E { a(); }\n\n  void g() throws E {\n    f();\n  }\n}\n";
    check(Rule::Throws, "A.java", old, new, &[("+void f() throws E", "+void g() throws E")]);
    let new = "class A {\n  void f() throws E { a(); }\n\n  void g() {\n    try {\n    f();\n    } catch (E e) { }\n  }\n}\n";
    let pair = Pair::of(&[("A.java", old)], &[("A.java", new)]);
    pair.check(Rule::Throws, &[("+void f() throws E", "+catch (E e)")]);
    pair.check(Rule::Caught, &[("+catch (E e)", "+void f() throws E")]);
}

#[test]
fn override_throws_a_method_throws_what_the_overridden_one_does() {
    // UR5.
    let old =
        "class A {\n  void f() throws E { a(); }\n}\nclass B extends A {\n  void f() throws E { b(); }\n}\n";
    let new = "class A {\n  void f() { a(); }\n}\nclass B extends A {\n  void f() { b(); }\n}\n";
    check(
        Rule::OverrideThrows,
        "A.java",
        old,
        new,
        &[("-void f() throws E { a();", "-void f() throws E { b();")],
    );
}

#[test]
fn loop_a_continue_is_in_a_loop() {
    // DR6.
    let old = "class A { void f() {\n  while (a) {\n    if (b)\n      continue;\n    g();\n  }\n} }\n";
    let new = "class A { void f() {\n    if (b)\n      h();\n    g();\n} }\n";
    check(Rule::Loop, "A.java", old, new, &[("-while", "-continue")]);
    let old = "def f(x):\n    g()\n";
    let new = "def f(x):\n    g()\n    for a in x:\n        break\n";
    check(Rule::Loop, "a.py", old, new, &[("+break", "+for a")]);
}

#[test]
fn unpacked_a_value_is_taken_apart_in_as_many_parts_as_it_has() {
    let old = "def f():\n    return 1, 2\n\n\nx, y = f()\n";
    let new = "def f():\n    return 1, 2, 3\n\n\nx, y, z = f()\n";
    let both = [("+return 1, 2, 3", "+x, y, z"), ("+x, y, z", "+return 1, 2, 3")];
    check(Rule::Unpacked, "a.py", old, new, &both);
    let old =
        "package a\n\nfunc f() (int, int) {\n\treturn 1, 2\n}\n\nfunc g() {\n\tx, y := f()\n\tuse(x, y)\n}\n";
    let new = old.replace("1, 2", "1, 2, 3").replace("x, y :=", "x, y, _ :=");
    check(Rule::Unpacked, "a.go", old, &new, &[("+return 1", "+x, y, _"), ("+x, y, _", "+return 1")]);
}

#[test]
fn unpacked_the_parts_of_a_pattern_come_and_go_together_and_with_the_value() {
    let pair = Pair::of(
        &[("a.py", "scheme, place, path = split(url)\n")],
        &[("a.py", "scheme, user, host, path, query = parse(url)\n")],
    );
    let (patchwork, couplings) = pair.by_syntax();
    let change = |text: &str| patchwork.full().iter().find(|&k| patchwork.text_of(k).contains(text)).unwrap();
    let together = ["host", "query", "parse"].map(change);
    for change in together {
        let closed = couplings.close(&[change].into());
        assert!(together.iter().all(|other| closed.contains(*other)), "{change}: {closed}");
    }
}
