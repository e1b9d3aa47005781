//! Which blocks of a program can be left out because they are not run.

use nub_search::Config;
use nub_syntax::names::Entity;
use nub_syntax::{Node, Tree};
use std::collections::HashSet;

/// The blocks of a marked text that were not run; `ran` are the numbers of the marks that were.
///
/// What holds a block that was run was run, whatever became of its own mark: a macro may be a `switch`, which passes over
/// it. And a block with a label that is named outside of them stays: what jumps there does not compile without it.
pub(super) fn unrun(tree: &Tree, ran: &Config) -> HashSet<Node> {
    let blocks = tree.marked_blocks();
    let mut has_run = vec![false; tree.len()];
    for (_, &block) in (0..).zip(&blocks).filter(|(number, _)| ran.contains(*number)) {
        let mut above = Some(block);
        while let Some(node) = above.filter(|&node| !std::mem::replace(&mut has_run[node as usize], true)) {
            above = tree.parent(node);
        }
    }
    let mut unrun: Vec<Node> = blocks.into_iter().filter(|&block| !has_run[block as usize]).collect();
    let labels: Vec<Label> = labels(tree);
    loop {
        let is_in = |node: Node| unrun.iter().any(|&block| tree.subtree(block).contains(&node));
        let goes: Vec<bool> = labels.iter().map(|label| is_in(label.token)).collect();
        let stays: HashSet<(Node, &[u8])> =
            labels.iter().zip(&goes).filter(|(_, goes)| !*goes).map(|(label, _)| label.key(tree)).collect();
        let jumped_to = |label: &Label| label.is_defined && stays.contains(&label.key(tree));
        let kept: Vec<Node> = labels
            .iter()
            .zip(&goes)
            .filter(|(label, goes)| **goes && jumped_to(label))
            .map(|(label, _)| label.token)
            .collect();
        if kept.is_empty() {
            return unrun.into_iter().collect();
        }
        unrun.retain(|&block| !kept.iter().any(|label| tree.subtree(block).contains(label)));
    }
}

/// A label where it is, or where something jumps to it.
struct Label {
    token: Node,
    /// The part of the text in which it is known.
    around: Node,
    is_defined: bool,
}

impl Label {
    fn key<'a>(&self, tree: &'a Tree) -> (Node, &'a [u8]) {
        (self.around, tree.spelled(self.token))
    }
}

fn labels(tree: &Tree) -> Vec<Label> {
    let mut labels = Vec::new();
    for around in tree.children(0) {
        let names = tree.names(around).filter(|name| name.entity == Entity::Label);
        labels.extend(names.map(|name| Label {
            token: name.node,
            around,
            is_defined: name.definition.is_some(),
        }));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_syntax::Language;

    /// The blocks that go when only these are run, as text.
    fn check(text: &str, ran: &[u32], expected: &[&str]) {
        let tree = Tree::parse(Language::named("c").unwrap(), text.as_bytes().into());
        let mut found: Vec<Node> = unrun(&tree, &ran.iter().copied().collect()).into_iter().collect();
        found.sort_unstable();
        let spelled: Vec<&str> = found
            .iter()
            .map(|&node| std::str::from_utf8(&text.as_bytes()[tree.bytes(node)]).unwrap())
            .collect();
        assert_eq!(spelled, expected);
    }

    #[test]
    fn what_holds_a_block_that_was_run_was_run() {
        check("int f(int a) { SWITCH(a) { CASE(1) { g(); } CASE(2) { h(); } } }", &[0, 2], &["{ h(); }"]);
    }

    #[test]
    fn a_block_that_something_jumps_into_stays_unless_that_goes_too() {
        let text = "int f(int a) { if (a) { b: g(); if (a) { h(); } } if (!a) { goto b; } return 1; }\nint e() { b: return 2; }";
        check(text, &[0], &["{ b: g(); if (a) { h(); } }", "{ h(); }", "{ goto b; }", "{ b: return 2; }"]);
        check(text, &[0, 3, 4], &["{ h(); }"]);
    }
}
