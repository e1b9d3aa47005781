use super::{Pair, check};
use crate::rules::Rule;

#[test]
fn declared_a_use_needs_its_declaration_and_a_declaration_goes_after_its_uses() {
    let old = "class A {\n  void f() {\n    int a = 1;\n  }\n}\n";
    let new = "class A {\n  void f() {\n    int b = 2;\n    int a = 1;\n    g(b);\n  }\n}\n";
    check(Rule::Declared, "A.java", old, new, &[("+g(b)", "+int b")]);
    check(Rule::Declared, "A.java", new, old, &[("-int b", "-g(b)")]);
}

#[test]
fn declared_a_field_and_its_accesses_change_their_names_together() {
    // UR1.
    let old = "class A {\n  int one;\n\n  int f() {\n    return one;\n  }\n}\n";
    let new = old.replace("one", "two");
    check(Rule::Declared, "A.java", old, &new, &[("+int two", "+return two"), ("+return two", "+int two")]);
}

#[test]
fn declared_a_definition_that_moves_must_come_where_it_goes() {
    let old = "#define N 1\nint a;\nint b;\nint c;\nint f() { return N; }\n";
    let new = "int a;\nint b;\nint c;\n#define N 1\nint f() { return N; }\n";
    check(Rule::Declared, "a.c", old, new, &[("-#define", "+#define")]);
}

#[test]
fn declared_a_local_variable_of_another_function_does_not_count() {
    let old = "def f():\n    pass\n\ndef g():\n    pass\n";
    let new = "def f():\n    pass\n    other = 1\n\ndef g():\n    pass\n    h(other)\n";
    check(Rule::Declared, "a.py", old, new, &[]);
}

#[test]
fn type_declared_a_class_that_is_named_is_there() {
    let old: &[(&str, &str)] = &[("p/A.java", "package p;\nclass A {\n  int a;\n}\n")];
    let new: &[(&str, &str)] = &[
        ("p/A.java", "package p;\nclass A {\n  int a;\n  B b;\n}\n"),
        ("p/B.java", "package p;\nclass B { }\n"),
    ];
    Pair::of(old, new).check(Rule::TypeDeclared, &[("+B b;", "+class B")]);
    Pair::of(new, old).check(Rule::TypeDeclared, &[("-class B", "-B b;")]);
}

#[test]
fn type_declared_an_import_goes_after_the_uses_of_what_it_imports() {
    // DR5.
    let old = "import a.b.C;\nclass A {\n  C c;\n  int d;\n}\n";
    let new = "class A {\n  int d;\n}\n";
    check(Rule::TypeDeclared, "A.java", old, new, &[("-import", "-C c;")]);
    check(Rule::TypeDeclared, "A.java", new, old, &[("+C c;", "+import")]);
}

#[test]
fn member_a_field_of_some_object_is_declared_in_some_class() {
    let old = "struct s {\n  int a;\n};\nint f(struct s *p) {\n  return 0;\n}\n";
    let new = "struct s {\n  int a;\n  int b;\n};\nint f(struct s *p) {\n  return p->b;\n}\n";
    check(Rule::Member, "a.c", old, new, &[("+return p->b", "+int b")]);
    check(Rule::Member, "a.c", new, old, &[("-int b", "-return p->b")]);
}

#[test]
fn member_an_attribute_of_ones_own_object_is_set_in_the_class() {
    let old = "class A:\n    def __init__(self):\n        self.a = 1\n\n    def f(self):\n        pass\n";
    let new = "class A:\n    def __init__(self):\n        self.a = 1\n        self.b = 2\n\n    def f(self):\n        pass\n        return self.b\n";
    check(Rule::Member, "a.py", old, new, &[("+return self.b", "+self.b = 2")]);
}

#[test]
fn call_a_parameter_and_its_argument_come_together() {
    // UR4.
    let old = "class A {\n  void f(int a) { }\n\n  void g() {\n    f(1);\n  }\n}\n";
    let new = "class A {\n  void f(int a, int b) { }\n\n  void g() {\n    f(1, 2);\n  }\n}\n";
    let both = [("+f(1, 2)", "+void f(int a, int b)"), ("+void f(int a, int b)", "+f(1, 2)")];
    check(Rule::Call, "A.java", old, new, &both);
    check(Rule::Call, "A.java", new, old, &[("+f(1);", "+void f(int a)"), ("+void f(int a)", "+f(1);")]);
}

#[test]
fn call_a_method_goes_after_its_invocations() {
    // DR4.
    let old = "class A {\n  void f() { }\n\n  void g() {\n    f();\n  }\n}\n";
    let new = "class A {\n\n  void g() {\n  }\n}\n";
    check(Rule::Call, "A.java", old, new, &[("-void f", "-f();")]);
}

#[test]
fn call_optional_and_variadic_parameters_take_fewer_and_more() {
    let old = "def f(a):\n    pass\n\n\nf(1)\n";
    check(
        Rule::Call,
        "a.py",
        old,
        "def f(a, b=1):\n    pass\n\n\nf(1, 2)\n",
        &[("+f(1, 2)", "+def f(a, b=1)")],
    );
    let new = "def f(a, *b):\n    pass\n\n\nf(1, 2)\n";
    check(Rule::Call, "a.py", old, new, &[("+f(1, 2)", "+def f(a, *b)")]);
}

#[test]
fn call_constructors_are_called_with_what_they_take() {
    let old = "class A {\n  A() { }\n\n  static A make() {\n    return new A();\n  }\n}\n";
    let new = "class A {\n  A(int n) { }\n\n  static A make() {\n    return new A(1);\n  }\n}\n";
    let both = [("+new A(1)", "+A(int n)"), ("+A(int n)", "+new A(1)")];
    check(Rule::Call, "A.java", old, new, &both);
    let old = "class A:\n    def __init__(self):\n        pass\n\n\na = A()\n";
    let new = "class A:\n    def __init__(self, n):\n        pass\n\n\na = A(1)\n";
    check(
        Rule::Call,
        "a.py",
        old,
        new,
        &[("+__init__(self, n)", "+a = A(1)"), ("+a = A(1)", "+__init__(self, n)")],
    );
}

#[test]
fn call_through_an_import_reaches_the_function_in_its_file() {
    let old: &[(&str, &str)] = &[("a.py", "def f(x):\n    pass\n"), ("b.py", "from a import f\n\nf(1)\n")];
    let new: &[(&str, &str)] =
        &[("a.py", "def f(x, y):\n    pass\n"), ("b.py", "from a import f\n\nf(1, 2)\n")];
    Pair::of(old, new).check(Rule::Call, &[("+def f(x, y)", "+f(1, 2)"), ("+f(1, 2)", "+def f(x, y)")]);
}

#[test]
fn imported_names_are_declared_where_they_come_from() {
    let old: &[(&str, &str)] = &[("m/a.py", "x = 1\n"), ("m/b.py", "y = 1\n")];
    let new: &[(&str, &str)] =
        &[("m/a.py", "x = 1\ndef f(): pass\n"), ("m/b.py", "from .a import f\ny = 1\n")];
    Pair::of(old, new).check(Rule::Imported, &[("+from .a", "+def f")]);
    Pair::of(new, old).check(Rule::Imported, &[("-def f", "-from .a")]);
    let java: &[(&str, &str)] =
        &[("p/A.java", "package p;\nclass A { }\n"), ("q/B.java", "package q;\nclass B { }\n")];
    let more: &[(&str, &str)] = &[
        ("p/A.java", "package p;\nclass A { }\nclass C { }\n"),
        ("q/B.java", "package q;\nimport p.C;\nclass B { }\n"),
    ];
    Pair::of(java, more).check(Rule::Imported, &[("+import p.C", "+class C")]);
}

#[test]
fn imported_file_what_is_included_is_there() {
    let old: &[(&str, &str)] = &[("a.c", "int a;\n")];
    let new: &[(&str, &str)] = &[("a.c", "#include \"b.h\"\nint a;\n"), ("b.h", "int b;\n")];
    Pair::of(old, new).check(Rule::ImportedFile, &[("+#include", "b.h")]);
    Pair::of(new, old).check(Rule::ImportedFile, &[("b.h", "-#include")]);
    let old: &[(&str, &str)] = &[("m/a.js", "f()\n")];
    let new: &[(&str, &str)] = &[("m/a.js", "const b = require('./b')\nf()\n"), ("m/b.js", "x = 1\n")];
    Pair::of(old, new).check(Rule::ImportedFile, &[("+require", "m/b.js")]);
}

#[test]
fn once_a_method_that_moves_goes_where_it_was_before_it_comes_elsewhere() {
    let old = "class A {\n  int f() { return 1; }\n  int a;\n  int b;\n  int c;\n  int d;\n}\n";
    let new = "class A {\n  int a;\n  int b;\n  int c;\n  int d;\n  int f() { return 1; }\n}\n";
    check(Rule::Once, "A.java", old, new, &[("+int f", "-int f")]);
    let overloaded = "class A {\n  int a;\n  int b;\n  int c;\n  int d;\n  int f(int x) { return 1; }\n}\n";
    check(Rule::Once, "A.java", old, overloaded, &[]);
}

#[test]
fn case_a_switch_has_each_label_once() {
    let old = "void f(int a) {\n  switch (a) {\n  case 1: g(); break;\n  case 2: h(); break;\n  case 3: i(); break;\n  }\n}\n";
    let new = "void f(int a) {\n  switch (a) {\n  case 2: h(); break;\n  case 3: i(); break;\n  case 1: zzzzz(); break;\n  }\n}\n";
    check(Rule::Case, "a.c", old, new, &[("+case 1", "-case 1")]);
}

#[test]
fn label_a_jump_needs_its_label() {
    let old = "void f() {\n  a();\n  b();\n}\n";
    let new = "void f() {\n  goto end;\n  a();\n  end:\n  b();\n}\n";
    check(Rule::Label, "a.c", old, new, &[("+goto end", "+end:")]);
    let old = "class A { void f() {\n  while (a) {\n    g();\n  }\n} }\n";
    let new = "class A { void f() {\n  out:\n  while (a) {\n    g();\n    break out;\n  }\n} }\n";
    check(Rule::Label, "A.java", old, new, &[("+break out", "+out:")]);
}

#[test]
fn used_go_wants_imports_and_local_variables_used() {
    let old = "package a\n\nimport \"os\"\n\nfunc f() {\n\tos.Exit(0)\n}\n";
    let new = "package a\n\nimport \"os\"\nimport \"fmt\"\n\nfunc f() {\n\tos.Exit(0)\n\tfmt.Println()\n}\n";
    check(Rule::Used, "a.go", old, new, &[("+import \"fmt\"", "+fmt.Println")]);
    let new = "package a\n\nimport \"os\"\n\nfunc f() {\n\tx := 1\n\tos.Exit(0)\n\tos.Exit(x)\n}\n";
    let pair = Pair::of(&[("a.go", old)], &[("a.go", new)]);
    pair.check(Rule::Used, &[("+x := 1", "+os.Exit(x)")])
        .check(Rule::Declared, &[("+os.Exit(x)", "+x := 1")]);
}

#[test]
fn prototype_and_definition_take_as_many_parameters() {
    let old: &[(&str, &str)] = &[("a.h", "int f(int a);\n"), ("a.c", "int f(int a) {\n  return 0;\n}\n")];
    let new: &[(&str, &str)] =
        &[("a.h", "int f(int a, int b);\n"), ("a.c", "int f(int a, int b) {\n  return 0;\n}\n")];
    let both = [
        ("+int f(int a, int b);", "+int f(int a, int b) {"),
        ("+int f(int a, int b) {", "+int f(int a, int b);"),
    ];
    Pair::of(old, new).check(Rule::Prototype, &both);
}

#[test]
fn in_class_a_member_defined_outside_is_declared_inside() {
    let old: &[(&str, &str)] = &[("a.hpp", "class A {\n  void f();\n};\n"), ("a.cpp", "void A::f() { }\n")];
    let new: &[(&str, &str)] = &[
        ("a.hpp", "class A {\n  void f();\n  void g();\n};\n"),
        ("a.cpp", "void A::f() { }\nvoid A::g() { }\n"),
    ];
    Pair::of(old, new).check(Rule::InClass, &[("+void A::g", "+void g();")]);
}

#[test]
fn retyped_a_field_changes_with_the_way_it_is_used() {
    let old = "struct S { int top; int n; };\nint f(struct S *s) {\n  int x = 1;\n  g(s->top);\n  int y = 2;\n  return s->top;\n}\n";
    let new = "struct S { Rel top; int n; };\nint f(struct S *s) {\n  int x = 1;\n  g(s->top.p);\n  int y = 2;\n  return s->top.p;\n}\n";
    let both = [
        ("+Rel top", "+g(s->top.p)"),
        ("+Rel top", "+return s->top.p"),
        ("+g(s->top.p)", "+Rel top"),
        ("+return s->top.p", "+Rel top"),
    ];
    check(Rule::Retyped, "a.c", old, new, &both);
    let one_stays = new.replace("g(s->top.p)", "g(s->top)");
    check(Rule::Retyped, "a.c", old, &one_stays, &[]);
}

#[test]
fn retyped_what_a_parameter_is_called_does_not_matter() {
    let text = |name: &str, uses: &str| {
        format!(
            "class A {{\n  static boolean f(final B {name}) {{\n    return {name}.g();\n  }}\n  void h() {{\n{uses}  }}\n}}\n"
        )
    };
    let old = text("one", "    f(x);\n    k();\n    f(y);\n    f(z);\n");
    let new = text("other", "    f(x2);\n    k();\n    f(y2);\n    f(z2);\n");
    check(Rule::Retyped, "A.java", &old, &new, &[]);
    let retyped = new.replace("final B other", "final C other");
    let pair = Pair::of(&[("A.java", &old)], &[("A.java", &retyped)]);
    assert!(pair.ruled.iter().any(|ruled| ruled.rule == Rule::Retyped));
}
