//! Java.

use crate::{check, version};
use expect_test::expect;
use nub_change::Patchwork;

#[test]
fn a_renamed_variable_is_a_change_at_each_place() {
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
fn members_that_change_places_move() {
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
            0 moves away method_declaration in A.f: [-void f(int n) {-] [-a(n);-] [-b();-] [-c();-] [-}-]
            1 moves here method_declaration in A.f: [+void f(int n) {+] [+a(n);+] [+b();+] [+c();+] [+}+]
        "#]],
    );
}

#[test]
fn a_wrapped_block_stays_in_its_wrapper() {
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
fn an_extracted_method_takes_its_statements_along() {
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
            0 moves away local_variable_declaration in A.f: [-int x = b(n, total);-]
            1 moves away expression_statement in A.f: [-total += x;-]
            2 inserts expression_statement in A.f: [+helper(n);+]
            3 inserts method_declaration in A.helper: [+void helper(int n) {+] [+}+]
              4 moves here local_variable_declaration in A.helper: [+int x = b(n, total);+]
              5 moves here expression_statement in A.helper: [+total += x;+]
        "#]],
    );
}

#[test]
fn a_changed_signature_is_its_parts() {
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
fn imports_come_and_go() {
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
fn a_comment_is_layout() {
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
            0 changes only the layout of text: [+// the second+] [+/** Tells. */+]
        "#]],
    );
}

#[test]
fn white_space_is_layout() {
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
            0 changes only the layout of text: 
        "#]],
    );
}

#[test]
fn a_text_with_an_error_is_compared_by_lines_there() {
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
fn a_new_class_is_a_tree_of_changes() {
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
fn arguments_carry_their_commas() {
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
fn a_statement_of_a_new_block_could_be_without_the_block() {
    check(
        "A.java",
        "class A {\n    void f(int n) {\n        a(n);\n    }\n}\n",
        "class A {\n    void f(int n) {\n        a(n);\n        if (n > 0) {\n            b();\n            while (c()) {\n                d();\n            }\n        }\n    }\n}\n",
        expect![[r#"
            0 inserts if_statement in A.f: [+if (n > 0) {+] [+}+]
              1 inserts expression_statement in A.f: [+b();+]
              2 inserts while_statement in A.f: [+while (c()) {+] [+}+]
                3 inserts expression_statement in A.f: [+d();+]
            1 could be without 0
            2 could be without 0
            3 could be without 2
        "#]],
    );
}

#[test]
fn a_comment_before_a_new_statement_is_no_part_of_it() {
    check(
        "A.java",
        "class A {\n    void f(int n) {\n        a(n);\n    }\n}\n",
        "class A {\n    void f(int n) {\n        // first\n        b();\n        a(n);\n        c(); // last\n        d();\n    }\n}\n",
        expect![[r#"
            0 changes only the layout of text: [+// first+] [+// last+]
            1 inserts expression_statement in A.f: [+b();+]
            2 inserts expression_statement in A.f: [+c();+]
            3 inserts expression_statement in A.f: [+d();+]
        "#]],
    );
}

#[test]
fn the_resources_of_a_block_are_never_none() {
    check(
        "A.java",
        "class A {\n    void f() {\n        try (In a = in(); In b = in()) {\n            g();\n        }\n    }\n}\n",
        "class A {\n    void f() {\n        try (Out c = out(1, 2, 3)) {\n            g();\n        }\n    }\n}\n",
        expect![[r#"
            0 replaces resource in A.f: [-In a = in()-] [+Out c = out(1, 2, 3)+]
            1 deletes resource in A.f: [-; In b = in()-]
        "#]],
    );
}

#[test]
fn what_stood_close_to_a_sign_that_goes_stands_where_the_sign_stood() {
    let text = |condition: &str| format!("class A {{\n  boolean f() {{\n    return {condition};\n  }}\n}}\n");
    let (old, new) = (text("a != null && !b.g()"), text("c != null && c.g()"));
    let patchwork = Patchwork::by_syntax(&version("A.java", &old), &version("A.java", &new));
    let sign = patchwork.changes().iter().find(|change| patchwork.text_of(change.number).contains('!'));
    let without = [sign.unwrap().number].into();
    assert_eq!(patchwork.render(&without), version("A.java", &text("a != null && b.g()")));
}
