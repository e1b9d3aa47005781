//! Changes by lines that move only the beginning of a statement or declaration, and leave its end.
//!
//! ```text
//!     def area(w, h):          a line that is taken away
//!         check(w, h)          what is left of it stands in whatever comes before
//!         return w * h
//! ```
//!
//! A search by lines may end so: what is left can be read, does something that nobody meant, and flips the test.

use crate::change::{Kind, Place};
use crate::patchwork::Patchwork;
use nub_search::Config;
use nub_syntax::{Language, Node, Role, Tree};
use std::collections::BTreeSet;

/// Those of some changes that are moved which move a beginning without its end.
pub fn beginnings(patchwork: &Patchwork, moved: &Config) -> Vec<u32> {
    let changes = patchwork.changes();
    let moved: Vec<_> = moved.iter().map(|k| &changes[k as usize]).collect();
    let place = |kind: Kind, change: &crate::Change| match kind {
        Kind::Delete => change.old.clone(),
        Kind::Insert => change.new.clone(),
        _ => None,
    };
    let lone = moved.iter().filter(|change| change.what == "line" && change.twin.is_none());
    let begins = lone.filter(|change| {
        let Some(at) = place(change.kind, change) else { return false };
        let version = if change.kind == Kind::Delete { Config::empty() } else { patchwork.full() };
        let beside = moved.iter().filter_map(|other| match change.kind {
            Kind::Delete => other.old.as_ref(),
            _ => other.new.as_ref(),
        });
        let lines: BTreeSet<usize> =
            beside.filter(|other| other.path == at.path).flat_map(|other| other.lines.clone()).collect();
        last_line(patchwork, &version, &at).is_some_and(|last| !lines.contains(&last))
    });
    begins.map(|change| change.number).collect()
}

/// The last line of the largest statement or declaration that begins where a place does.
fn last_line(patchwork: &Patchwork, version: &Config, at: &Place) -> Option<usize> {
    let language = std::str::from_utf8(at.path.as_bytes()).ok().and_then(Language::of_path)?;
    let entry = patchwork.entry(version, &at.path)?;
    let tree = Tree::parse(language, entry.content);
    let text = tree.text();
    let line_of = |byte: usize| memchr::memchr_iter(b'\n', &text[..byte]).count();
    let first = tree.tokens(tree.root()).find(|&token| line_of(tree.bytes(token).start) >= at.lines.start)?;
    let is_whole = |node: &Node| {
        matches!(tree.role(*node), Role::Statement | Role::Declaration)
            && tree.bytes(*node).start == tree.bytes(first).start
            && !tree.is_broken(*node)
    };
    let around = std::iter::successors(Some(first), |&node| tree.parent(node));
    let node =
        around.filter(is_whole).last().filter(|_| at.lines.contains(&line_of(tree.bytes(first).start)))?;
    let end = tree.bytes(node).start + tree.spelled(node).trim_ascii_end().len();
    Some(line_of(end.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Entry, RelPath, Snapshot};

    /// The texts of the changes by lines that move only a beginning, where those are moved that have one of these words.
    fn check(old: &str, new: &str, moved: &[&str], expected: &[&str]) {
        let version = |text: &str| -> Snapshot {
            [(RelPath::try_from("a.py").unwrap(), Entry::file(text.as_bytes()))].into_iter().collect()
        };
        let patchwork = Patchwork::between(&version(old), &version(new));
        let text = |k: u32| patchwork.text_of(k);
        let is_moved = |k: &u32| moved.iter().any(|word| text(*k).contains(word));
        let moved: Config = patchwork.full().iter().filter(is_moved).collect();
        let found: Vec<String> = beginnings(&patchwork, &moved).into_iter().map(text).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(text, word)| text.contains(word)), "{found:?}");
    }

    const WITH: &str = "a = 1\n\ndef f(x):\n    y = x\n    return y\n\nb = 2\n";
    const WITHOUT: &str = "a = 1\n\nb = 2\n";

    #[test]
    fn a_head_without_its_body_is_only_a_beginning() {
        for (old, new) in [(WITH, WITHOUT), (WITHOUT, WITH)] {
            check(old, new, &["def f"], &["def f"]);
            check(old, new, &["def f", "y = x", "return y"], &[]);
        }
    }

    #[test]
    fn a_whole_statement_a_line_inside_one_and_one_line_for_another_are_none() {
        check(WITH, WITHOUT, &["return y"], &[]);
        check("x = [\n    1,\n]\n", "x = [\n    1,\n    2,\n]\n", &["2,"], &[]);
        check(WITH, &WITH.replace("def f(x)", "def f(x, z)"), &["def f"], &[]);
    }
}
