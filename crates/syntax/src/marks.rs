//! What a program runs, told by the program: a statement at the beginning of each block that leaves a mark.
//!
//! ```text
//!   int f(int a) { if (a) { g(); } }
//!                  ^mark 0  ^mark 1     each makes a file of its number, when it is first run
//! ```
//!
//! The statement and the kinds of blocks that it can begin are in the profile of a language. Nothing else changes, so
//! whoever runs the marked text sees what the text itself would have done, and then knows which blocks it went through.

use crate::{Language, Node, Role, Tree};

impl Language {
    /// Whether its texts can be marked.
    pub fn has_marks(self) -> bool {
        self.profile().marks.is_some()
    }
}

impl Tree {
    /// The blocks that a mark can be put into, by its number.
    pub fn marked_blocks(&self) -> Vec<Node> {
        self.marks().map(|(block, _)| block).collect()
    }

    /// The text with a mark in each block; one that is run makes a file in `folder`, whose name is its number.
    pub fn marked(&self, folder: &str) -> Vec<u8> {
        let Some(marks) = &self.language().profile().marks else { return self.text().to_vec() };
        let (mut out, mut at) = (Vec::with_capacity(2 * self.text().len()), 0);
        for (number, (_, first)) in self.marks().enumerate() {
            let start = self.bytes(first).start;
            out.extend(&self.text()[at..start]);
            let number = number.to_string();
            let mark = marks.statement.replace("{file}", &format!("{folder}/{number}"));
            out.extend(mark.replace("{number}", &number).as_bytes());
            let own_line = self.line_before(start).filter(|_| self.wants_line(first));
            out.extend(own_line.unwrap_or(b" "));
            at = start;
        }
        out.extend(&self.text()[at..]);
        out
    }

    /// Blocks, each with the statement that a mark goes before.
    fn marks(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        let marks = self.language().profile().marks.as_ref();
        let has = |kinds: &[String], node: Node| kinds.iter().any(|kind| kind == self.kind_name(node));
        let blocks = (1..self.len() as Node).filter(move |&node| {
            let parent = self.parent(node).unwrap_or_default();
            marks.is_some_and(|marks| has(&marks.blocks, node) && !has(&marks.not_in, parent))
        });
        blocks.filter_map(move |block| {
            let begins = |child: &Node| {
                matches!(self.role(*child), Role::Statement | Role::Declaration)
                    || marks.is_some_and(|marks| has(&marks.blocks, *child))
            };
            Some((block, self.children(block).find(begins)?))
        })
    }

    /// Whether nothing can stand before a statement in its line. Anything else stays in its line, whose number may matter.
    fn wants_line(&self, statement: Node) -> bool {
        let profile = self.language().profile();
        let is_block = |node: Node| {
            profile.marks.iter().flat_map(|marks| &marks.blocks).any(|kind| kind == self.kind_name(node))
        };
        let begins_block = profile.indented && self.subtree(statement).any(is_block);
        begins_block || self.text()[self.bytes(statement).start] == b'#'
    }

    /// The line break and the indentation before a byte, if nothing else is before it in its line.
    fn line_before(&self, at: usize) -> Option<&[u8]> {
        let before = &self.text()[..at];
        let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = before[..at - indent].strip_suffix(b"\n")?;
        Some(&before[line.len()..])
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, Tree};

    fn tree(language: &str, text: &str) -> Tree {
        Tree::parse(Language::named(language).unwrap(), text.as_bytes().into())
    }

    /// The text with `@` in the place of each mark.
    fn check(language: &str, text: &str, expected: &str) {
        let tree = tree(language, text);
        let mut marked = String::from_utf8(tree.marked("/tmp/a")).unwrap();
        let statement = &tree.language().profile().marks.as_ref().unwrap().statement;
        for number in 0..tree.marked_blocks().len() {
            let mark = statement.replace("{file}", &format!("/tmp/a/{number}"));
            marked = marked.replacen(&mark.replace("{number}", &number.to_string()), "@", 1);
        }
        assert_eq!(marked, expected);
    }

    #[test]
    fn a_mark_begins_each_block_and_no_switch_but_its_cases() {
        let text = "int f(int a) {\n  if (a) { g(); }\n  switch (a) { case 1: g(); break; default: { h(); } }\n}\nint e() {}\nint h() {\n#if A\n  g();\n#endif\n}\n";
        let expected = "int f(int a) {\n  @ if (a) { @ g(); }\n  switch (a) { case 1: @ g(); break; default: @ { @ h(); } }\n}\nint e() {}\nint h() {\n@\n#if A\n  g();\n#endif\n}\n";
        check("c", text, expected);
    }

    #[test]
    fn a_mark_has_a_line_of_its_own_only_before_what_cannot_share_one() {
        let text = "def f(a):\n    if a: return 1\n    else:\n\n        for b in a:\n            pass\n";
        let expected = "def f(a):\n    @\n    if a: @ return 1\n    else:\n\n        @\n        for b in a:\n            @ pass\n";
        check("python", text, expected);
    }

    #[test]
    fn a_marked_sample_of_any_language_can_be_read_and_has_the_blocks_it_had() {
        let mut known = 0;
        for language in Language::all().filter(|language| language.has_marks()) {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/");
            let text = std::fs::read(format!("{folder}{}", language.name())).unwrap();
            let tree = Tree::parse(language, text.into());
            assert!(!tree.marked_blocks().is_empty(), "{}", language.name());
            let marked = Tree::parse(language, tree.marked("/tmp/a").into());
            let broken = marked.first_error().map(|at| String::from_utf8_lossy(&marked.text()[at..]));
            assert_eq!(broken, None, "{}", language.name());
            known += 1;
        }
        assert!(known > 0);
    }
}
