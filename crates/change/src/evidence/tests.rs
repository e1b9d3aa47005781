//! What messages of builds tell, on small programs.

use super::*;
use crate::change::Change;
use crate::snapshot::{Entry, Snapshot};

fn version(files: &[(&str, &str)]) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for (path, text) in files {
        snapshot.insert(RelPath::new(path).unwrap(), Entry::file(text.as_bytes()));
    }
    snapshot
}

/// Reads what a build of the config that has only the changes matching `applied` said.
fn read(patchwork: &Patchwork, config: &Config, output: &str) -> Vec<(u32, u32)> {
    let evidence = Evidence::of(patchwork);
    evidence.read(patchwork, config, output).iter().map(|c| (c.dependent, c.needed)).collect()
}

#[test]
fn a_use_needs_the_declaration_that_is_not_there() {
    let old = version(&[("a.h", "int size;\n"), ("src/main.c", "int main() {\n  return 0;\n}\n")]);
    let new = version(&[
        ("a.h", "int size;\nint resize(int);\n"),
        ("src/main.c", "int main() {\n  return resize(3);\n}\n"),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let use_it = patchwork.changes().iter().find(|c| c.path().name() == b"main.c").unwrap().number;
    let declare = 1 - use_it;
    let said = "src/main.c:2:10: error: implicit declaration of function 'resize'\n";
    assert_eq!(read(&patchwork, &[use_it].into(), said), [(use_it, declare)]);
    let absolute = "/tmp/x/0/src/main.c:2:10: error: implicit declaration of function 'resize'\n";
    assert_eq!(read(&patchwork, &[use_it].into(), absolute), [(use_it, declare)]);
}

#[test]
fn what_a_linker_misses_is_where_the_file_has_its_name() {
    let old = version(&[
        ("gc.h", "struct state { int running; };\n"),
        (
            "gc.c",
            "#include \"gc.h\"\nvoid step(struct state *g) {\n  if (g->running) {\n    work(g);\n  }\n}\n",
        ),
    ]);
    let new = version(&[
        ("gc.h", "struct state { int stopped; };\n#define running(g) ((g)->stopped == 0)\n"),
        (
            "gc.c",
            "#include \"gc.h\"\nvoid step(struct state *g) {\n  if (running(g)) {\n    work(g);\n  }\n}\n",
        ),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let number = |path: &str, text: &str| {
        let is = |c: &&Change| c.path().to_string() == path && patchwork.text_of(c.number).contains(text);
        patchwork.changes().iter().find(is).unwrap().number
    };
    let (call, macro_of_it) = (number("gc.c", "running(g)"), number("gc.h", "#define"));
    let said = "/usr/bin/ld: /tmp/cc1.o: in function `step':\ngc.c:(.text+0x3a9): undefined reference to `running'\ncollect2: error: ld returned 1 exit status\n";
    assert_eq!(read(&patchwork, &[call].into(), said), [(call, macro_of_it)]);
}

#[test]
fn taking_a_declaration_away_needs_its_use_to_go() {
    let old = version(&[("a.py", "def f():\n    pass\n\n\nx = 1\nf()\ny = 2\n")]);
    let new = version(&[("a.py", "x = 1\ny = 2\n")]);
    let patchwork = Patchwork::between(&old, &new);
    let with = |line: usize| {
        let has = |c: &&Change| c.old.as_ref().is_some_and(|p| p.lines.contains(&line));
        patchwork.changes().iter().find(has).unwrap().number
    };
    let (definition, call) = (with(0), with(5));
    let config: Config = patchwork.changes().iter().map(|c| c.number).filter(|c| *c != call).collect();
    let said = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    f()\nNameError: name 'f' is not defined\n";
    // One-letter words are too common to follow by name, so the place must do.
    assert!(read(&patchwork, &config, said).iter().all(|(_, needed)| *needed == call));
    assert!(config.contains(definition));
}

#[test]
fn a_bound_needs_the_bound_of_whoever_calls() {
    let text = |copy: &str, twice: &str| {
        format!(
            "fn copy<T>(x: T)\nwhere\n    {copy}\n{{}}\n\nfn twice<T>(x: T)\nwhere\n    {twice}\n{{\n    copy(x)\n}}\n"
        )
    };
    let old = version(&[("src/a.rs", &text("T: Eq,", "T: Eq,"))]);
    let new = version(&[("src/a.rs", &text("T: Eq + Clone,", "T: Eq + Clone,"))]);
    let patchwork = Patchwork::between(&old, &new);
    let said = "error[E0277]: the trait bound `T: Clone` is not satisfied\n  --> src/a.rs:10:10\n   |\n10 |     copy(x)\n   |     ---- ^ the trait `Clone` is not implemented for `T`\n   |\nnote: required by a bound in `copy`\n  --> src/a.rs:3:13\n   |\n1  | fn copy<T>(x: T)\n   |    ---- required by a bound in this function\n2  | where\n3  |     T: Eq + Clone,\n   |             ^^^^^ required by this bound in `copy`\nhelp: consider further restricting type parameter `T` with trait `Clone`\n   |\n8  |     T: Eq + Clone,\n   |           +++++++\n\n";
    assert_eq!(read(&patchwork, &[0].into(), said), [(0, 1)]);
}

#[test]
fn what_a_bound_gave_is_mended_where_the_compiler_would_write_it_or_else_in_the_same_file() {
    let text = |bound: &str, body: &str| {
        format!(
            "pub trait Uint: {bound} {{\n    fn one() -> Self;\n}}\n\npub fn zero<O>() -> O\nwhere\n    O: Uint,\n{{\n    {body}\n}}\n"
        )
    };
    let other = |name: &str| format!("fn f<{name}>(x: {name}) {{\n    g(x);\n}}\n");
    let old = version(&[("src/a.rs", &text("Default", "O::default()")), ("src/b.rs", &other("O"))]);
    let new = version(&[("src/a.rs", &text("Sized", "O::one()")), ("src/b.rs", &other("P"))]);
    let patchwork = Patchwork::between(&old, &new);
    // The body is that of the old version, and the type parameters of another file have nothing to do with it.
    let said = "error[E0599]: no function or associated item named `default` found for type parameter `O` in the current scope\n --> src/a.rs:9:8\n  |\n5 | pub fn zero<O>() -> O\n  |             - function or associated item `default` not found for this type parameter\n...\n9 |     O::default()\n  |        ^^^^^^^ function or associated item not found in `O`\n  |\n  = help: items from traits can only be used if the type parameter is bounded by the trait\nhelp: the following trait defines an item `default`, perhaps you need to restrict type parameter `O` with it:\n  |\n7 |     O: Uint + Default,\n  |             +++++++++\n\n";
    assert_eq!(read(&patchwork, &[0, 2].into(), said), [(0, 1)]);

    // Where nothing that went is called what the compiler would write, it is what the bound itself gave.
    let [old, new] = [("Number", "O::default()"), ("Sized", "O::one()")]
        .map(|(bound, body)| version(&[("src/a.rs", &text(bound, body))]));
    let patchwork = Patchwork::between(&old, &new);
    assert_eq!(read(&patchwork, &[0].into(), said), [(0, 1)]);
}

#[test]
fn a_package_in_the_place_of_a_module_needs_its_imports() {
    let old = version(&[("kit.py", "class Word:\n    pass\n")]);
    let new = version(&[
        ("kit/__init__.py", "# The kit.\nversion = 1\nfrom .core import *\n"),
        ("kit/core.py", "class Word:\n    pass\n\n\nclass Line:\n    pass\n"),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let is_in = |c: &&Change, path: &str| c.path().to_string() == path;
    let package = patchwork.changes().iter().find(|c| is_in(c, "kit/__init__.py")).unwrap().number;
    let import = patchwork.changes().iter().find(|c| patchwork.text_of(c.number).contains("import"));
    let import = import.unwrap().number;
    assert_ne!(package, import);
    let config = patchwork.full().without(import);
    for said in [
        "AttributeError(\"module 'kit' has no attribute 'Word'\")\n",
        "ImportError: cannot import name 'Word' from 'kit' (/w/kit/__init__.py)\n",
    ] {
        assert!(read(&patchwork, &config, said).contains(&(package, import)), "{said}");
    }
    assert_eq!(read(&patchwork, &config, "AttributeError: module 'other' has no attribute 'Word'\n"), []);
}

mod odd_messages {
    use super::*;
    use proptest::prelude::*;

    fn fragment() -> impl Strategy<Value = String> {
        let known = [
            "a.c",
            "b/m.py",
            ":",
            "2",
            "0",
            "18446744073709551615",
            "99999999999999999999",
            "(",
            ",",
            ")",
            "'",
            "`",
            "\"",
            "resize",
            "File \"b/m.py\", line ",
            "error",
            "error: ",
            "\n",
            "\n\n",
            " --> ",
            "{\"rendered\":\"",
            "\\n",
            "\\u00",
            "symbol: method ",
            "undefined: ",
            "Error: ",
            " is not defined",
            "\u{1f980}",
            "\u{feff}",
            "‘",
            "’",
            "[ERROR]",
        ];
        prop_oneof![
            4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
            1 => any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn break_nothing_and_name_only_couplings_of_what_is_there_or_missing(
            fragments in proptest::collection::vec(fragment(), 0..40),
            bits in any::<u32>(),
        ) {
            let old = version(&[("a.c", "int size;\nint b;\n"), ("b/m.py", "def f():\n    pass\n")]);
            let new = version(&[("a.c", "int resize;\nint c;\n"), ("b/m.py", "x = 1\ndef g():\n    resize\n")]);
            let patchwork = Patchwork::between(&old, &new);
            let all = patchwork.full();
            let config: Config = all.iter().filter(|k| bits >> k & 1 == 1).collect();
            let evidence = Evidence::of(&patchwork);
            for coupling in evidence.read(&patchwork, &config, &fragments.concat()) {
                let Coupling { dependent, needed, .. } = coupling;
                prop_assert!(dependent != needed && all.contains(dependent) && all.contains(needed));
                prop_assert!(config.contains(dependent) || !config.contains(needed));
                prop_assert!((0.5..Coupling::CERTAIN).contains(&coupling.probability));
            }
        }
    }
}

#[test]
fn all_uses_need_the_one_definition_however_many_there_are() {
    let uses: String = (0..40).map(|i| format!("a{i} = wrapped({i})\n")).collect();
    let old = version(&[("m.py", "x = 1\n")]);
    let new = version(&[("m.py", &format!("from kit import wrapped\nx = 1\n{uses}"))]);
    let patchwork = Patchwork::between(&old, &new);
    let all = patchwork.full();
    let said = "cannot tell: NameError(\"name 'wrapped' is not defined\")\n";
    let expected: Vec<(u32, u32)> = (1..=40).map(|user| (user, 0)).collect();
    assert_eq!(read(&patchwork, &all.without(0), said), expected);
    assert_eq!(read(&patchwork, &[7].into(), said), expected, "one of them tells of all");
}

#[test]
fn all_uses_need_the_import_though_what_it_imports_is_missing_too() {
    let old = version(&[("kit.py", "y = 1\n"), ("m.py", "x = 1\n")]);
    let new = version(&[
        ("kit.py", "y = 1\ndef wrapped(a):\n    return a\n"),
        ("m.py", "from kit import wrapped\nx = 1\na = wrapped(1)\nb = wrapped(2)\n"),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let with = |word: &str| {
        let has = |k: &u32| patchwork.text_of(*k).contains(word);
        patchwork.full().iter().find(has).unwrap()
    };
    let (import, a, b) = (with("from kit"), with("a = wrapped"), with("b = wrapped"));
    let said = "cannot tell: NameError(\"name 'wrapped' is not defined\")\n";
    assert_eq!(read(&patchwork, &[a].into(), said), [(a, import), (b, import)]);
}

#[test]
fn an_import_that_goes_needs_the_one_that_comes_in_its_place() {
    let old = version(&[("m.py", "from a import kit\nx = 1\ny = 2\nkit(x)\n")]);
    let new = version(&[("m.py", "x = 1\ny = 2\nfrom b import kit\nkit(x)\n")]);
    let patchwork = Patchwork::between(&old, &new);
    let (goes, comes) = (0, 1);
    let said = "cannot tell: NameError(\"name 'kit' is not defined\")\n";
    assert_eq!(read(&patchwork, &[goes].into(), said), [(goes, comes)]);
}

#[test]
fn a_use_needs_the_definition_in_its_own_function() {
    let functions = |body: &str| {
        let names = ["f", "g", "h", "i", "j"];
        names.map(|name| format!("def {name}():\n    x = {name}\n{body}    y = {name}\n")).concat()
    };
    let old = version(&[("m.py", &functions(""))]);
    let new = version(&[("m.py", &functions("    total = 1\n    z = 0\n    print(total)\n"))]);
    let patchwork = Patchwork::between(&old, &new);
    let with = |word: &str| {
        let has = |k: &u32| patchwork.text_of(*k).contains(word);
        patchwork.full().iter().filter(has).collect::<Vec<u32>>()
    };
    let (defined, used) = (with("total = 1"), with("print(total)"));
    assert_eq!((defined.len(), used.len()), (5, 5));
    let config: Config = patchwork.full().minus(&defined[1..4].iter().copied().collect());
    let said = "cannot tell: NameError(\"name 'total' is not defined\")\n";
    let expected: Vec<(u32, u32)> = (1..4).map(|i| (used[i], defined[i])).collect();
    assert_eq!(read(&patchwork, &config, said), expected);
}

#[test]
fn a_value_defines_a_name_only_where_names_need_no_declaration() {
    for (path, value_defines) in [("a.c", false), ("a.py", true)] {
        let old = version(&[(path, "x;\ny;\nz;\n")]);
        let new = version(&[(path, "x;\nint total;\ny;\ntotal = 1;\nz;\nf(total);\n")]);
        let patchwork = Patchwork::between(&old, &new);
        let said = format!("{path}:4:3: error: 'total' undeclared\n");
        let found = read(&patchwork, &[2].into(), &said);
        let expected = if value_defines { vec![(0, 1), (2, 1)] } else { vec![(1, 0), (2, 0)] };
        assert_eq!(found, expected);
    }
}

#[test]
fn comments_and_variables_of_other_functions_define_nothing() {
    let old = version(&[("a.c", "int f(int n) {\n  return 0;\n}\nint g(void) {\n  return 1;\n}\n")]);
    let new = version(&[(
        "a.c",
        "/* the new total */\nint f(int n) {\n  int total = n;\n  return 0;\n}\nint g(void) {\n  return total;\n}\nint total;\n",
    )]);
    let patchwork = Patchwork::between(&old, &new);
    let with = |word: &str| {
        let has = |k: &u32| patchwork.text_of(*k).contains(word);
        patchwork.full().iter().find(has).unwrap()
    };
    let (used, defined) = (with("return total"), with("+int total;"));
    let said = "a.c:5:10: error: 'total' undeclared (first use in this function)\n";
    assert_eq!(read(&patchwork, &[used].into(), said), [(used, defined)]);
}

#[test]
fn a_line_that_is_worded_anew_defines_and_uses_what_it_did_before() {
    let old = version(&[("a.c", "int total = 1;\nint x;\nint f(void) {\n  return 0;\n}\n")]);
    let new = version(&[("a.c", "int total = 2;\nint x;\nint f(void) {\n  return total;\n}\n")]);
    let patchwork = Patchwork::between(&old, &new);
    let said = "a.c:4:10: error: 'total' undeclared (first use in this function)\n";
    assert_eq!(Evidence::of(&patchwork).puts_in.definitions("total", &[]), [] as [u32; 0]);
    assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)], "its shape still may matter");
}

#[test]
fn a_line_that_uses_a_field_of_another_type_goes_with_its_declaration() {
    let text = |declared: &str, used: &str| {
        version(&[
            ("a.h", &format!("struct S {{\n  int n;\n  {declared};\n}};\n")),
            ("a.c", &format!("void f(struct S *s) {{\n  g(1);\n  {used};\n  g(2);\n}}\n")),
        ])
    };
    let patchwork = Patchwork::between(&text("int *top", "s->top++"), &text("struct R top", "s->top.p++"));
    let of = |name: &str| {
        let is_it = |c: &&Change| c.path().to_string() == name;
        patchwork.changes().iter().find(is_it).unwrap().number
    };
    let (declared, used) = (of("a.h"), of("a.c"));
    let said = "a.c:3:9: error: wrong type argument to increment\n";
    assert_eq!(read(&patchwork, &[declared].into(), said), [(declared, used)]);
    let said = "a.c:3:9: error: ‘s->top’ is a pointer; did you mean to use ‘->’?\n";
    assert_eq!(read(&patchwork, &[used].into(), said), [(used, declared)]);
}

#[test]
fn what_is_made_of_the_sources_does_not_define_what_they_use() {
    let old =
        version(&[("src/a.js", "f();\n"), ("src/b.js", "x;\n"), ("out/all.js", "x;\n"), ("out/m", "x\n")]);
    let define = "function resize() {}\n";
    let long = format!("{}{define}", "x ".repeat(mentions::LONG_LINE));
    let new = version(&[
        ("src/a.js", "f();\nresize();\n"),
        ("src/b.js", &format!("x;\n{define}")),
        ("out/all.js", &format!("x;\n{define}")),
        ("out/m", &long),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let of = |name: &str| {
        let is_it = |c: &&Change| c.path().to_string() == name;
        patchwork.changes().iter().find(is_it).unwrap().number
    };
    let said = "src/a.js:2\nReferenceError: resize is not defined\n";
    assert_eq!(read(&patchwork, &[of("src/a.js")].into(), said), [(of("src/a.js"), of("src/b.js"))]);
}

#[test]
fn a_number_on_the_line_of_a_name_goes_with_the_number_on_another_such_line() {
    let version_of = |patch: u32| {
        let header = format!("#define VERSION_PATCH {patch}\nint f(void);\n");
        let source =
            format!("#include \"a.h\"\n#if (VERSION_PATCH != {patch})\n    #error not the same\n#endif\n");
        version(&[("a.h", &header), ("a.c", &source)])
    };
    let patchwork = Patchwork::by_syntax(&version_of(15), &version_of(16));
    assert_eq!(patchwork.changes().len(), 2);
    let said = "a.c:3:6: error: #error not the same\n";
    assert_eq!(read(&patchwork, &[0].into(), said), [(0, 1)]);
    assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)]);
}

#[test]
fn a_renamed_definition_is_found_though_only_its_name_changes() {
    let old = version(&[("a.c", "int total;\nint f(void) {\n  return total;\n}\n")]);
    let new = version(&[("a.c", "int sum;\nint f(void) {\n  return sum;\n}\n")]);
    let patchwork = Patchwork::by_syntax(&old, &new);
    assert_eq!(patchwork.changes().len(), 2);
    let said = "a.c:3:10: error: 'sum' undeclared (first use in this function)\n";
    assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)]);
}

#[test]
fn two_places_of_a_complaint_go_together() {
    let text = |declared: &str, used: &str| {
        version(&[("a.h", &format!("int x;\n{declared};\n")), ("a.c", &format!("int y;\n{used}\n"))])
    };
    let patchwork =
        Patchwork::between(&text("int f(int)", "int f(int a) {}"), &text("int f(char)", "int f(char a) {}"));
    let of = |name: &str| {
        let is_it = |c: &&Change| c.path().to_string() == name;
        patchwork.changes().iter().find(is_it).unwrap().number
    };
    let said = "a.c:2:5: error: conflicting types\na.h:2:5: note: here\n";
    let (declared, used) = (of("a.h"), of("a.c"));
    assert_eq!(read(&patchwork, &[used].into(), said), [(used, declared)]);
    assert_eq!(read(&patchwork, &[declared].into(), said), [(declared, used)]);
}

#[test]
fn of_several_changes_on_a_line_the_one_with_the_name_is_meant() {
    let old = version(&[("a.rs", "#[derive(Clone, Hash, Ord)]\nstruct A(u8);\nfn main() {}\n")]);
    let new = version(&[(
        "a.rs",
        "#[derive(Clone)]\nstruct A(u8);\nimpl Hash for A { fn hash() {} }\nfn main() {}\n",
    )]);
    let patchwork = Patchwork::by_syntax(&old, &new);
    let with = |text: &str| {
        let is_it = |c: &&Change| patchwork.text_of(c.number).contains(text);
        patchwork.changes().iter().find(is_it).unwrap().number
    };
    let (derived, written) = (with(", Hash"), with("impl"));
    assert_ne!(derived, with("Ord"));
    let said = "error[E0119]: conflicting implementations of trait `Hash` for type `A`\n --> a.rs:1:17\n  |\n1 | #[derive(Clone, Hash, Ord)]\n  |                 ^^^^ conflicting implementation for `A`\n2 | struct A(u8);\n3 | impl Hash for A { fn hash() {} }\n  | --------------- first implementation here\n\n";
    assert_eq!(read(&patchwork, &[written].into(), said), [(written, derived)]);
}

#[test]
fn what_is_asked_of_whoever_is_called_is_asked_of_the_caller() {
    let others = |bound: &str| -> String {
        (0..4).map(|i| format!("\nfn other{i}<I>()\nwhere\n    I: {bound},\n{{\n}}\n")).collect()
    };
    let text = |bound: &str| {
        format!(
            "fn outer<I>(input: I)\nwhere\n    I: Iterator,\n    I: {bound},\n{{\n    let a = 1;\n    inner(input)\n}}\n\nfn inner<I>(input: I)\nwhere\n    I: {bound},\n{{\n}}\n{}",
            others(bound)
        )
    };
    let patchwork = Patchwork::between(
        &version(&[("a.rs", &text("Compare<&'static str>"))]),
        &version(&[("a.rs", &text("Compare<char>"))]),
    );
    let (outer, inner) = (0, 1);
    let said = |bound: &str| {
        format!(
            "error[E0277]: the trait bound `I: {bound}` is not satisfied\n --> a.rs:7:11\n  |\n7 |     inner(input)\n  |     ----- ^^^^^ the trait `{bound}` is not implemented for `I`\n  |\nnote: required by a bound in `inner`\n  --> a.rs:12:8\n   |\n10 | fn inner<I>(input: I)\n   |    ----- required by a bound in this function\n11 | where\n12 |     I: {bound},\n   |        ^^^^^ required by this bound in `inner`\n\n"
        )
    };
    assert_eq!(read(&patchwork, &[inner].into(), &said("Compare<char>")), [(inner, outer)]);
    assert_eq!(read(&patchwork, &[outer].into(), &said("Compare<&'static str>")), [(outer, inner)]);
}

#[test]
fn a_message_without_place_or_known_name_says_nothing() {
    let old = version(&[("a.c", "int a;\n")]);
    let new = version(&[("a.c", "int b;\n")]);
    let patchwork = Patchwork::between(&old, &new);
    assert!(read(&patchwork, &Config::empty(), "make: *** [all] Error 1\n").is_empty());
}

#[test]
fn a_comment_that_must_be_there_goes_with_what_it_is_said_of() {
    let item = "    /// What it does.\n    #[inline]\n    pub fn f(self) {}\n";
    let old = version(&[("src/a.rs", &format!("impl A {{\n{item}    fn g() {{}}\n}}\n"))]);
    let new = version(&[("src/a.rs", "impl A {\n    #[inline]\n    fn g() {}\n}\n")]);
    let patchwork = Patchwork::between(&old, &new);
    let at = |line: usize| {
        let has = |c: &&Change| c.old.as_ref().is_some_and(|p| p.lines.contains(&line));
        patchwork.changes().iter().find(has).unwrap().number
    };
    let (comment, method) = (at(1), at(3));
    let said = "error: missing documentation for a method\n --> src/a.rs:3:5\n  |\n3 |     pub fn f(self) {}\n  |     ^^^^^^^^^^^^^^\n\n";
    assert_eq!(read(&patchwork, &[comment].into(), said), [(comment, method)]);
}

#[test]
fn a_line_goes_with_the_head_of_what_it_is_in() {
    let text = |result: &str, value: &str| {
        format!(
            "macro_rules! reader {{\n    () => {{\n        fn read(\n            &self,\n        ) -> {result} {{\n            match self.next() {{\n                Err(e) => Err({value}),\n            }}\n        }}\n    }};\n}}\n"
        )
    };
    let old = version(&[("src/a.rs", &text("Result<u8>", "Error::Io(e)"))]);
    let new = version(&[("src/a.rs", &text("io::Result<u8>", "e"))]);
    let patchwork = Patchwork::between(&old, &new);
    let said = "error[E0308]: mismatched types\n --> src/a.rs:7:31\n\n";
    assert_eq!(read(&patchwork, &[0].into(), said), [(0, 1)]);
    assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)]);
}

#[test]
fn an_override_needs_what_it_overrides() {
    let [iface, class] = ["Shape.java", "Box.java"];
    let old = version(&[
        (iface, "interface Shape {\n    int size();\n}\n"),
        (class, "class Box implements Shape {\n    public int size() { return 1; }\n}\n"),
    ]);
    let new = version(&[
        (iface, "interface Shape {\n    int size();\n    int depth(int of);\n}\n"),
        (
            class,
            "class Box implements Shape {\n    public int size() { return 1; }\n\n    @Override\n    public int depth(int of) { return of; }\n}\n",
        ),
    ]);
    let patchwork = Patchwork::between(&old, &new);
    let in_file = |name: &str| -> Vec<u32> {
        let all = patchwork.changes().iter().filter(|change| change.path().name() == name.as_bytes());
        all.map(|change| change.number).collect()
    };
    let (declared, defined) = (in_file(iface)[0], in_file(class));
    let said = "Box.java:4: error: method does not override or implement a method from a supertype\n    @Override\n    ^\n";
    let found = read(&patchwork, &defined.iter().copied().collect(), said);
    assert_eq!(found, [(defined[0], declared)]);
    let said = "Box.java:1: error: Box is not abstract and does not override abstract method depth(int) in Shape\nclass Box implements Shape {\n^\n";
    assert_eq!(read(&patchwork, &[declared].into(), said), [(declared, defined[1])]);
}

#[test]
fn where_nothing_is_named_the_changes_of_a_function_go_together() {
    let text = |body: &str| {
        format!(
            "class A {{\n    int f(int x) {{\n{body}    }}\n\n    int g() {{\n        return 1;\n    }}\n}}\n"
        )
    };
    let old = version(&[("A.java", &text("        return x;\n"))]);
    let new = version(&[(
        "A.java",
        &text("        if (x > 0) {\n            return h(x);\n        }\n        y();\n        return 0;\n"),
    )]);
    let patchwork = Patchwork::between(&old, &new);
    let all = patchwork.full();
    let config = all.without(all.last().unwrap());
    let said = "A.java:9: error: missing return statement\n    }\n    ^\n";
    let found = read(&patchwork, &config, said);
    assert!(!found.is_empty() && found.iter().any(|(_, needed)| !config.contains(*needed)), "{found:?}");
    // What fails while it runs says nothing of the kind.
    let said = "Traceback (most recent call last):\n  File \"A.java\", line 9, in f\nTypeError: oh\n";
    assert_eq!(read(&patchwork, &config, said), []);
}
