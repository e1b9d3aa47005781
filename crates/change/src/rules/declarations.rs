//! Changes that put in or take away whole declarations: classes, their members, functions, imports.
//!
//! Others likely need them, in ways that rules may not know: C2D2 (Song et al., ISSTA 2024, section 3.4.1) leaves them
//! out of the first set that it tries. What is declared inside a function concerns nobody else and is left in.

use super::{Parsed, parsed};
use crate::change::Kind;
use crate::patchwork::Patchwork;
use crate::side::Side;
use nub_search::Config;
use nub_syntax::{Node, Role, Tree};

/// The changes that put in declarations, with all that lies in these; new files among them.
pub fn put_in(patchwork: &Patchwork) -> Config {
    declarations(patchwork, false, &[Kind::Create, Kind::Copy])
}

/// The changes that take away declarations, with all that lies in these; files that go among them.
pub fn taken_away(patchwork: &Patchwork) -> Config {
    declarations(patchwork, true, &[Kind::Remove])
}

fn declarations(patchwork: &Patchwork, is_old: bool, of_files: &[Kind]) -> Config {
    let mut found: Vec<u32> = Vec::new();
    let whole_files = patchwork.changes().iter().filter(|change| of_files.contains(&change.kind));
    found.extend(whole_files.map(|change| change.number));
    for number in 0..patchwork.files.len() as u32 {
        for Parsed { tree, side, grammar, .. } in parsed(patchwork, number, false) {
            if side.is_old() != is_old {
                continue;
            }
            let mut open = vec![tree.root()];
            while let Some(node) = open.pop() {
                if tree.role(node) == Role::Declaration && is_separate(&tree, &side, node) {
                    found.extend(side.condition(&tree.bytes(node)).map(|literal| literal.change()));
                } else if !grammar.functions.contains(&tree.kind_name(node)) {
                    open.extend(tree.children(node));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Whether both versions have nothing of a node; by lines a closing bracket may be another's.
fn is_separate(tree: &Tree, side: &Side<'_>, node: Node) -> bool {
    let is_closing = |token: Node| matches!(tree.spelled(token), b"}" | b"};" | b"end");
    tree.tokens(node).all(|token| !side.is_kept(&tree.bytes(token)) || is_closing(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patchwork::Detail;
    use crate::rules::tests::version;

    /// The texts of the changes that put in, and of those that take away, declarations, at each detail.
    fn check(name: &str, old: &str, new: &str, puts: &[&str], takes: &[&str]) {
        for detail in [Detail::Lines, Detail::Syntax] {
            let patchwork = Patchwork::by(detail, &version(&[(name, old)]), &version(&[(name, new)]));
            let texts = patchwork.texts();
            let text = |k: u32| {
                String::from_utf8_lossy(&[&texts[k as usize].0[..], &texts[k as usize].1].concat())
                    .trim()
                    .to_owned()
            };
            let joined = |config: Config| config.iter().map(text).collect::<Vec<_>>().join("\n");
            let is_telling = |word: &&str| *word != "}";
            let words = |text: &str| {
                text.split_whitespace().filter(is_telling).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(words(&joined(put_in(&patchwork))), words(&puts.join("\n")), "{detail:?}");
            assert_eq!(words(&joined(taken_away(&patchwork))), words(&takes.join("\n")), "{detail:?}");
        }
    }

    #[test]
    fn members_imports_and_classes_are_found_with_all_that_is_in_them_and_local_variables_are_not() {
        check(
            "A.java",
            "class A {\n  int f() {\n    return 1;\n  }\n  int gone;\n}\n",
            "import java.util.List;\nclass A {\n  int f() {\n    int n = 2;\n    return n;\n  }\n  int g() {\n    return 3;\n  }\n}\n",
            &["import java.util.List;", "int g() {", "return 3;"],
            &["int gone;"],
        );
    }

    #[test]
    fn a_function_of_which_a_part_stays_is_not_new() {
        check(
            "a.py",
            "def f(x):\n    return x\n",
            "import os\n\n\ndef f(x, y):\n    return x\n\n\ndef g():\n    pass\n",
            &["import os", "def g():", "pass"],
            &[],
        );
    }

    #[test]
    fn a_new_file_is_a_declaration_of_what_is_in_it() {
        let (old, new) =
            (version(&[("a.c", "int a;\n")]), version(&[("a.c", "int a;\n"), ("b.c", "int b;\n")]));
        for (old, new, goes) in [(&old, &new, false), (&new, &old, true)] {
            let patchwork = Patchwork::by_syntax(old, new);
            let found = [put_in(&patchwork), taken_away(&patchwork)];
            assert_eq!(found[usize::from(goes)], patchwork.full());
            assert_eq!(found[usize::from(!goes)], Config::empty());
        }
    }
}
