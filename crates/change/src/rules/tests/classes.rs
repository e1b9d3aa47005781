use super::{Pair, check};
use crate::rules::Rule;

#[test]
fn inherits_an_inherited_member_needs_its_supertype() {
    let old = "class A {\n  int a;\n}\nclass B {\n  void f() {\n  }\n}\n";
    let new = "class A {\n  int a;\n}\nclass B extends A {\n  void f() {\n    g(a);\n  }\n}\n";
    check(Rule::Inherits, "A.java", old, new, &[("+g(a)", "+class B extends A")]);
    check(Rule::Inherits, "A.java", new, old, &[("-class B extends A", "-g(a)")]);
}

#[test]
fn implemented_an_abstract_method_needs_a_concrete_one_in_each_subclass() {
    // DR3.
    let old = "abstract class A {\n  int a;\n}\nclass B extends A {\n  int b;\n}\nclass C extends A {\n  int c;\n}\n";
    let new = "abstract class A {\n  int a;\n  abstract void f();\n}\nclass B extends A {\n  int b;\n  void f() { b(); }\n}\nclass C extends A {\n  int c;\n  void f() { c(); }\n}\n";
    check(
        Rule::Implemented,
        "A.java",
        old,
        new,
        &[("+abstract void f", "+b();"), ("+abstract void f", "+c();")],
    );
}

#[test]
fn implemented_an_interface_that_a_class_comes_to_implement_needs_its_methods() {
    let old = "interface I {\n  void f();\n}\nclass B {\n  int b;\n}\n";
    let new = "interface I {\n  void f();\n}\nclass B implements I {\n  int b;\n  public void f() { }\n}\n";
    check(Rule::Implemented, "A.java", old, new, &[("+class B implements I", "+public void f")]);
    let old = "trait T {\n    fn a(&self);\n}\nstruct S;\nimpl T for S {\n    fn a(&self) {}\n}\n";
    let new = "trait T {\n    fn a(&self);\n    fn b(&self);\n}\nstruct S;\nimpl T for S {\n    fn a(&self) {}\n    fn b(&self) {}\n}\n";
    let both = [("+fn b(&self);", "+fn b(&self) {}")];
    check(Rule::Implemented, "a.rs", old, new, &both);
}

#[test]
fn implemented_each_implementation_of_a_trait_for_a_type_has_its_methods() {
    let block = |of: &str, method: &str| {
        format!("impl<'a> T<{of}> for &'a S {{\n    fn a(&self) {{ {of}() }}\n{method}}}\n")
    };
    let text = |with: [&str; 3]| {
        let [declared, one, two] = with;
        format!(
            "trait T<X> {{\n    fn a(&self);\n{declared}}}\nstruct S;\n{}{}",
            block("u8", one),
            block("u16", two)
        )
    };
    let old = text(["    fn b(&self);\n", "    fn b(&self) { 1 }\n", "    fn b(&self) { 2 }\n"]);
    let new = text(["", "", ""]);
    let pairs = [("-fn b(&self) { 1 }", "-fn b(&self);"), ("-fn b(&self) { 2 }", "-fn b(&self);")];
    check(Rule::Implemented, "a.rs", &old, &new, &pairs);
    let back = [("-fn b(&self);", "-fn b(&self) { 1 }"), ("-fn b(&self);", "-fn b(&self) { 2 }")];
    check(Rule::Overrides, "a.rs", &old, &new, &back);
}

#[test]
fn overrides_what_says_that_it_overrides_needs_the_method_and_the_supertype() {
    let old = "class A {\n  int a;\n}\nclass B extends A {\n  int b;\n}\n";
    let new = "class A {\n  int a;\n  void f() { g(); }\n}\nclass B extends A {\n  int b;\n  @Override void f() { }\n}\n";
    check(Rule::Overrides, "A.java", old, new, &[("+@Override", "+g();")]);
    let old = "class A {\n  void f() { }\n}\nclass B {\n  int b;\n}\n";
    let new = "class A {\n  void f() { }\n}\nclass B extends A {\n  int b;\n  @Override void f() { }\n}\n";
    check(Rule::Overrides, "A.java", old, new, &[("+@Override", "+extends A")]);
}

#[test]
fn abstract_class_a_class_with_an_abstract_method_is_abstract() {
    let old = "class A {\n  int a;\n}\n";
    let new = "abstract class A {\n  int a;\n  abstract void f();\n}\n";
    check(Rule::AbstractClass, "A.java", old, new, &[("+abstract void f", "+abstract class A")]);
}

#[test]
fn instantiated_an_abstract_class_is_not() {
    let old = "class A {\n  int a;\n}\nclass B {\n  Object o = new A();\n}\n";
    let new = "abstract class A {\n  int a;\n}\nclass B {\n  Object o = null;\n}\n";
    check(Rule::Instantiated, "A.java", old, new, &[("+abstract class A", "-new A()")]);
    check(Rule::Instantiated, "A.java", new, old, &[("+new A()", "-abstract class A")]);
}

#[test]
fn body_a_method_loses_abstract_and_gets_a_body_together() {
    // UR6.
    let old = "abstract class A {\n  abstract\n  void f()\n  ;\n}\n";
    let new = "abstract class A {\n  void f()\n  { g(); }\n}\n";
    let pair = Pair::of(&[("A.java", old)], &[("A.java", new)]);
    pair.check(Rule::Body, &[("+{ g(); }", "-  abstract"), ("-  abstract", "+{ g(); }")]);
}

#[test]
fn final_method_what_is_final_is_not_overridden_or_extended() {
    let old = "class A {\n  final\n  void f() { }\n}\nclass B extends A {\n  int b;\n}\n";
    let new = "class A {\n  void f() { }\n}\nclass B extends A {\n  int b;\n  void f() { }\n}\n";
    check(Rule::FinalMethod, "A.java", old, new, &[("+  void f", "-final")]);
    let old = "final\nclass A {\n  int a;\n}\nclass B {\n  int b;\n}\n";
    let new = "class A {\n  int a;\n}\nclass B extends A {\n  int b;\n}\n";
    check(Rule::FinalMethod, "A.java", old, new, &[("+extends A", "-final")]);
}

#[test]
fn visible_a_method_is_as_visible_as_the_one_it_overrides() {
    let old = "class A {\n  void f() { a(); }\n}\nclass B extends A {\n  void f() { b(); }\n}\n";
    let new =
        "class A {\n  public void f() { a(); }\n}\nclass B extends A {\n  public void f() { b(); }\n}\n";
    check(Rule::Visible, "A.java", old, new, &[("+a();", "+b();")]);
}

#[test]
fn constructor_a_subclass_calls_a_constructor_that_is_there() {
    let old = "class A {\n  int a;\n}\nclass B extends A {\n  int b;\n  B() { f(); }\n}\n";
    let new = "class A {\n  int a;\n  A(int n) { }\n}\nclass B extends A {\n  int b;\n  B() { super(1); f(); }\n}\n";
    let pair = Pair::of(&[("A.java", old)], &[("A.java", new)]);
    pair.check(Rule::Constructor, &[("+A(int n)", "+super(1)")])
        .check(Rule::Call, &[("+super(1)", "+A(int n)")]);
}

#[test]
fn final_a_final_variable_with_a_value_is_not_assigned() {
    let old = "class A {\n  int a = 1;\n  void f() {\n    a = 2;\n    g();\n  }\n}\n";
    let new = "class A {\n  final int a = 1;\n  void f() {\n    g();\n  }\n}\n";
    check(Rule::Final, "A.java", old, new, &[("+final", "-a = 2")]);
    check(Rule::Final, "A.java", new, old, &[("+a = 2", "-final")]);
}

#[test]
fn static_a_member_used_in_a_static_method_is_static() {
    let old = "class A {\n  int a = 1;\n  static int f() {\n    return 1;\n  }\n}\n";
    let new = "class A {\n  static int a = 1;\n  static int f() {\n    return a;\n  }\n}\n";
    check(Rule::Static, "A.java", old, new, &[("+return a", "+static int a")]);
}

#[test]
fn private_a_private_member_is_not_used_elsewhere() {
    let old = "class A {\n  private int count;\n}\nclass B {\n  int f(A a) {\n    return 0;\n  }\n}\n";
    let new = "class A {\n  int count;\n}\nclass B {\n  int f(A a) {\n    return a.count;\n  }\n}\n";
    check(Rule::Private, "A.java", old, new, &[("+return a.count", "-private")]);
    check(Rule::Private, "A.java", new, old, &[("+private", "-return a.count")]);
}

#[test]
fn file_name_a_public_class_and_its_file_are_renamed_together() {
    let text = "package p;\n\npublic class A {\n  int one;\n  int two;\n  int three;\n  int four;\n}\n";
    let pair = Pair::of(&[("p/A.java", text)], &[("p/B.java", &text.replace("class A", "class B"))]);
    pair.check(Rule::FileName, &[("+class B", "p/B.java"), ("p/B.java", "+class B")]);
}

#[test]
fn package_a_file_moves_with_its_package() {
    let text = "package p.a;\n\nclass A {\n  int one;\n  int two;\n  int three;\n  int four;\n}\n";
    let pair = Pair::of(&[("src/p/a/A.java", text)], &[("src/p/b/A.java", &text.replace("p.a", "p.b"))]);
    pair.check(Rule::Package, &[("+package p.b", "src/p/b/A.java"), ("src/p/b/A.java", "+package p.b")]);
}
