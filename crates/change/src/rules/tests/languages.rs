//! What is special to a language.

use super::{Pair, check};
use crate::rules::Rule;

#[test]
fn rust_a_struct_that_is_made_names_all_its_fields() {
    let old = "struct S {\n    a: u32,\n}\nfn f() -> S {\n    S {\n        a: 1,\n    }\n}\n";
    let new = "struct S {\n    a: u32,\n    b: u32,\n}\nfn f() -> S {\n    S {\n        a: 1,\n        b: 2,\n    }\n}\n";
    let pair = Pair::of(&[("a.rs", old)], &[("a.rs", new)]);
    pair.check(Rule::AllFields, &[("+b: u32", "+b: 2")]).check(Rule::Member, &[("+b: 2", "+b: u32")]);
}

#[test]
fn rust_a_match_has_an_arm_for_each_variant() {
    let old = "enum E {\n    A,\n}\nfn f(e: E) -> u32 {\n    match e {\n        E::A => 1,\n    }\n}\n";
    let new = "enum E {\n    A,\n    B,\n}\nfn f(e: E) -> u32 {\n    match e {\n        E::A => 1,\n        E::B => 2,\n    }\n}\n";
    let pair = Pair::of(&[("a.rs", old)], &[("a.rs", new)]);
    pair.check(Rule::AllVariants, &[("+    B,", "+E::B => 2")])
        .check(Rule::Member, &[("+E::B => 2", "+    B,")]);
    let rest = |text: &str| text.replace("        E::A => 1,\n", "        E::A => 1,\n        _ => 0,\n");
    Pair::of(&[("a.rs", &rest(old))], &[("a.rs", &rest(new))]).check(Rule::AllVariants, &[]);
}

#[test]
fn rust_a_use_declaration_needs_what_it_names() {
    let old: &[(&str, &str)] = &[("src/a.rs", "pub fn f() {}\n"), ("src/b.rs", "fn g() {}\n")];
    let new: &[(&str, &str)] = &[
        ("src/a.rs", "pub fn f() {}\npub fn h(x: u32) {}\n"),
        ("src/b.rs", "use crate::a::h;\nfn g() { h(1); }\n"),
    ];
    let pair = Pair::of(old, new);
    pair.check(Rule::Imported, &[("+use crate", "+pub fn h")]);
    pair.check(Rule::Declared, &[("+h(1)", "+use crate")]);
}

#[test]
fn javascript_functions_are_declared_imported_or_assigned_to_a_prototype() {
    let old = "const pp = P.prototype\npp.a = function() {\n  return 1\n}\n";
    let new =
        "const pp = P.prototype\npp.b = function() { return 2 }\npp.a = function() {\n  return this.b()\n}\n";
    check(Rule::Member, "a.js", old, new, &[("+return this.b()", "+pp.b")]);
    let old: &[(&str, &str)] = &[("a.ts", "export const a = 1\n"), ("b.ts", "f(1)\n")];
    let new: &[(&str, &str)] = &[
        ("a.ts", "export const a = 1\nexport function g(x: number) {}\n"),
        ("b.ts", "import {g} from './a'\nf(1)\ng(2)\n"),
    ];
    let pair = Pair::of(old, new);
    pair.check(Rule::Imported, &[("+import {g}", "+export function g")]);
    pair.check(Rule::Declared, &[("+g(2)", "+import {g}")]);
}

#[test]
fn typescript_members_of_an_interface_are_known() {
    let old = "interface I {\n  a: number\n}\nfunction f(i: I) {\n  return 0\n}\n";
    let new = "interface I {\n  a: number\n  b: number\n}\nfunction f(i: I) {\n  return i.b\n}\n";
    check(Rule::Member, "a.ts", old, new, &[("+return i.b", "+b: number")]);
}

#[test]
fn go_functions_are_seen_in_the_whole_package() {
    let old: &[(&str, &str)] =
        &[("p/a.go", "package p\n\nfunc f() {\n}\n"), ("p/b.go", "package p\n\nvar x = 1\n")];
    let new: &[(&str, &str)] = &[
        ("p/a.go", "package p\n\nfunc f() {\n\tg(1, 2)\n}\n"),
        ("p/b.go", "package p\n\nvar x = 1\n\nfunc g(a, b int) {}\n"),
    ];
    let pair = Pair::of(old, new);
    pair.check(Rule::Declared, &[("+g(1, 2)", "+func g")]).check(Rule::Call, &[("+g(1, 2)", "+func g")]);
}

#[test]
fn c_macros_are_used_in_macros() {
    let old = "#define A 1\nint x = 0;\n";
    let new = "#define B 2\n#define A (B + 1)\nint x = 0;\n";
    check(Rule::Declared, "a.c", old, new, &[("+#define A (B", "+#define B")]);
}

#[test]
fn cpp_a_method_is_declared_in_its_class_and_called_on_an_object() {
    let old: &[(&str, &str)] =
        &[("a.hpp", "class A {\npublic:\n  void f();\n};\n"), ("b.cpp", "void g(A& a) {\n  a.f();\n}\n")];
    let new: &[(&str, &str)] = &[
        ("a.hpp", "class A {\npublic:\n  void f();\n  void h(int n);\n};\n"),
        ("b.cpp", "void g(A& a) {\n  a.f();\n  a.h(1);\n}\n"),
    ];
    Pair::of(old, new).check(Rule::Member, &[("+a.h(1)", "+void h")]);
}

#[test]
fn cpp_a_header_is_read_as_what_includes_it() {
    let old: &[(&str, &str)] =
        &[("a.h", "class A {\npublic:\n  void f();\n};\n"), ("a.cpp", "void A::f() { }\n")];
    let new: &[(&str, &str)] = &[
        ("a.h", "class A {\npublic:\n  void f();\n  void g();\n};\n"),
        ("a.cpp", "void A::f() { }\nvoid A::g() { }\n"),
    ];
    Pair::of(old, new).check(Rule::InClass, &[("+void A::g", "+void g();")]);
}
