//! A parsed text as a value: nodes in preorder, every byte either in a token or in the trivia before one.
//!
//! ```text
//!     text     /* one */ f ( x ) ;  // end
//!     token              f ( x ) ;
//!     trivia   .........  . . . .         each token carries what stands before it,
//!     tail                         .......  and the text what stands after the last
//! ```
//!
//! White space and comments are trivia and no nodes. What a grammar hides (text it reads without a node of
//! its own) becomes a token like any other, so the tokens with their trivia spell the text. A node is a run
//! of the list: its descendants follow it, `size` of them in all with itself, so a subtree is a slice.

use crate::language::Language;
use crate::profile::Role;
use std::ops::Range;
use std::sync::Arc;

/// A kind of node: the number of its name in the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(u16);

impl Kind {
    /// What could not be read.
    pub const ERROR: Kind = Kind(u16::MAX);
    /// A token that the grammar reads without a name.
    pub const HIDDEN: Kind = Kind(u16::MAX - 1);

    pub(crate) fn new(number: u16) -> Kind {
        Kind(number)
    }

    /// Its number among the kinds of its language.
    pub(crate) fn index(self) -> Option<u16> {
        (self != Kind::ERROR && self != Kind::HIDDEN).then_some(self.0)
    }

    /// Its number, the same in every run of one version of a grammar.
    pub fn number(self) -> u16 {
        self.0
    }
}

/// A text and its syntax.
#[derive(Clone, Debug)]
pub struct Tree {
    language: Language,
    text: Arc<[u8]>,
    pub(crate) nodes: Vec<Data>,
    pub(crate) has_error: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Data {
    kind: Kind,
    /// The number of the field it fills in its parent, from 1; 0 for none. The two high bits are flags.
    field: u16,
    parent: u32,
    /// How many nodes the subtree has.
    pub(crate) size: u32,
    /// Where its trivia starts.
    pub(crate) lead: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Data {
    /// It is an error or lacks a token.
    pub(crate) const BROKEN: u16 = 0x8000;
    /// Something in its subtree is broken.
    pub(crate) const HAS_ERROR: u16 = 0x4000;

    pub(crate) fn new(kind: Kind, field: u16, parent: Node, lead: usize, bytes: Range<usize>) -> Data {
        let (lead, start, end) = (lead as u32, bytes.start as u32, bytes.end as u32);
        Data { kind, field, parent, size: 1, lead, start, end }
    }

    pub(crate) fn flags(&self) -> u16 {
        self.field & (Data::BROKEN | Data::HAS_ERROR)
    }

    pub(crate) fn add_flags(&mut self, flags: u16) {
        self.field |= flags;
    }
}

/// A node of a tree: its number in preorder, 0 for the root.
pub type Node = u32;

impl Tree {
    /// Parses a text; what cannot be read is marked as an error.
    pub fn parse(language: Language, text: Arc<[u8]>) -> Tree {
        crate::builder::build(language, text)
    }

    pub(crate) fn empty(language: Language, text: Arc<[u8]>) -> Tree {
        Tree { language, text, nodes: Vec::new(), has_error: false }
    }

    /// The language it was parsed by.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// Whether some part of the text could not be read.
    pub fn has_error(&self) -> bool {
        self.has_error
    }

    /// The whole text.
    pub fn root(&self) -> Node {
        0
    }

    /// How many nodes there are; they are numbered from 0 in preorder.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the text has no token.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// What sort of node it is.
    pub fn kind(&self, node: Node) -> Kind {
        self.nodes[node as usize].kind
    }

    /// The name of its kind; for a keyword or sign the text itself.
    pub fn kind_name(&self, node: Node) -> &'static str {
        match self.kind(node) {
            Kind::ERROR => "ERROR",
            Kind::HIDDEN => "HIDDEN",
            Kind(kind) => &self.language.kinds().get(kind).name,
        }
    }

    /// Whether its kind has a name in the grammar, and is not spelled out.
    pub fn is_named(&self, node: Node) -> bool {
        match self.kind(node) {
            Kind::ERROR | Kind::HIDDEN => true,
            Kind(kind) => self.language.kinds().get(kind).is_named,
        }
    }

    /// What it is to somebody who edits programs.
    pub fn role(&self, node: Node) -> Role {
        match self.kind(node) {
            Kind::ERROR | Kind::HIDDEN => Role::Other,
            Kind(kind) => self.language.kinds().get(kind).role,
        }
    }

    /// The field it fills in its parent, by the grammar's name.
    pub fn field(&self, node: Node) -> Option<&'static str> {
        self.language.kinds().field(self.field_number(node))
    }

    pub(crate) fn field_number(&self, node: Node) -> u16 {
        self.nodes[node as usize].field & !(Data::BROKEN | Data::HAS_ERROR)
    }

    /// Whether it could not be read or lacks a token: its children are not as the grammar foresees. What
    /// stands in it and is not broken is whole: a function in a file whose brackets do not match.
    pub fn is_broken(&self, node: Node) -> bool {
        self.nodes[node as usize].flags() & Data::BROKEN != 0
    }

    /// Whether it or anything in it is broken.
    pub fn has_error_in(&self, node: Node) -> bool {
        self.nodes[node as usize].flags() & Data::HAS_ERROR != 0
    }

    /// The broken nodes in preorder: the tokens right in them are where callers fall back to lines.
    pub fn error_regions(&self) -> impl Iterator<Item = Node> + '_ {
        let mut node = 0;
        std::iter::from_fn(move || {
            while (node as usize) < self.len() {
                let here = node;
                node += if self.has_error_in(here) { 1 } else { self.size(here) };
                if self.is_broken(here) {
                    return Some(here);
                }
            }
            None
        })
    }

    /// Whether it is a number.
    pub fn is_number(&self, node: Node) -> bool {
        self.kind(node).index().is_some_and(|kind| self.language.kinds().get(kind).is_number)
    }

    /// Whether it says something about the declaration it stands in: `static`, an annotation.
    pub fn is_modifier(&self, node: Node) -> bool {
        self.kind(node).index().is_some_and(|kind| self.language.kinds().get(kind).is_modifier)
    }

    /// The node around it.
    pub fn parent(&self, node: Node) -> Option<Node> {
        (node != 0).then(|| self.nodes[node as usize].parent)
    }

    /// How many nodes its subtree has, itself included; they are `node..node + size`.
    pub fn size(&self, node: Node) -> u32 {
        self.nodes[node as usize].size
    }

    /// Its subtree in preorder, itself first.
    pub fn subtree(&self, node: Node) -> Range<Node> {
        node..node + self.size(node)
    }

    /// Its children in order.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + Clone + '_ {
        let end = node + self.size(node);
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| Some(child + self.size(child)).filter(|&next| next < end))
    }

    /// The first child that fills a field.
    pub fn child(&self, node: Node, field: &str) -> Option<Node> {
        self.children(node).find(|&child| self.field(child) == Some(field))
    }

    /// Whether it has no children: it is a word of the text.
    pub fn is_token(&self, node: Node) -> bool {
        self.size(node) == 1 && node != 0
    }

    /// The tokens of its subtree in order.
    pub fn tokens(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.subtree(node).filter(|&n| self.is_token(n))
    }

    /// Its bytes without the trivia before it.
    pub fn bytes(&self, node: Node) -> Range<usize> {
        let data = &self.nodes[node as usize];
        data.start as usize..data.end as usize
    }

    /// The bytes of the trivia before it.
    pub fn trivia(&self, node: Node) -> Range<usize> {
        let data = &self.nodes[node as usize];
        data.lead as usize..data.start as usize
    }

    /// The bytes after the last token.
    pub fn tail(&self) -> Range<usize> {
        self.nodes[0].end as usize..self.text.len()
    }

    /// Its text without the trivia before it.
    pub fn spelled(&self, node: Node) -> &[u8] {
        &self.text[self.bytes(node)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(language: &str, text: &str) -> Tree {
        Tree::parse(Language::named(language).unwrap(), text.as_bytes().into())
    }

    fn tokens(tree: &Tree) -> Vec<String> {
        tree.tokens(0).map(|token| String::from_utf8_lossy(tree.spelled(token)).into_owned()).collect()
    }

    #[test]
    fn tokens_with_their_trivia_spell_the_text() {
        for (language, text) in [
            ("c", "#define A \\\n  1\n/* x */ int f(void) { return A; } // end\n"),
            ("python", "# hello\ndef f(a):\n    'doc'\n    return a  # end\n\n\nx = 1\n"),
            ("javascript", "`a${b}c`; x = /re/g\ny = 1 // z"),
            ("java", ""),
            ("rust", "  // only a comment\n"),
        ] {
            let tree = parse(language, text);
            let mut spelled = Vec::new();
            for token in tree.tokens(0) {
                spelled.extend_from_slice(&tree.text()[tree.trivia(token)]);
                spelled.extend_from_slice(tree.spelled(token));
            }
            spelled.extend_from_slice(&tree.text()[tree.tail()]);
            assert_eq!(String::from_utf8_lossy(&spelled), text, "{:?}", tokens(&tree));
        }
    }

    #[test]
    fn comments_are_trivia_and_fields_are_known() {
        let tree = parse("java", "class A { /** doc */ int f() { return 1; } }");
        let class = tree.children(0).next().unwrap();
        assert_eq!(tree.kind_name(class), "class_declaration");
        assert_eq!(tree.role(class), Role::Declaration);
        assert_eq!(tree.spelled(tree.child(class, "name").unwrap()), b"A");
        let method = tree.children(tree.child(class, "body").unwrap()).nth(1).unwrap();
        assert_eq!(&tree.text()[tree.trivia(method)], b" /** doc */ ");
        assert_eq!(tree.parent(method), tree.child(class, "body"));
    }

    #[test]
    fn what_cannot_be_read_is_marked() {
        let tree = parse("c", "int f( { ] return; }");
        assert!(tree.has_error());
        assert_eq!(tokens(&tree).concat(), "intf({]return;}");
    }

    #[test]
    fn error_regions_are_the_broken_nodes_and_the_rest_is_whole() {
        let tree = parse("java", "class A { int f() { return 1; } int ] g() { } } class B { }");
        let regions: Vec<&[u8]> = tree.error_regions().map(|node| tree.spelled(node)).collect();
        assert_eq!(regions, [b"]"]);
        let whole = tree.children(0).filter(|&class| !tree.has_error_in(class));
        assert_eq!(whole.map(|class| tree.spelled(class)).collect::<Vec<_>>(), [b"class B { }"]);
        assert!(!tree.is_broken(tree.children(0).next().unwrap()));
    }

    #[test]
    fn a_function_in_a_file_that_cannot_be_read_is_whole() {
        let tree = parse("c", "void f(void) { x(); }\n} } )\nvoid g(void) { y(); }");
        let functions = (0..tree.len() as Node).filter(|&node| tree.kind_name(node) == "function_definition");
        assert_eq!(functions.filter(|&node| !tree.has_error_in(node)).count(), 2);
    }

    #[test]
    fn what_lacks_a_token_is_broken() {
        let tree = parse("c", "int f(void) { return 1 }");
        let regions: Vec<&[u8]> = tree.error_regions().map(|node| tree.spelled(node)).collect();
        assert_eq!(regions, [b"return 1"]);
        assert_eq!(parse("c", "int f(void) { return 1; }").error_regions().count(), 0);
    }

    #[test]
    fn white_space_in_a_string_counts() {
        let tree = parse("python", "f' a {  b }  '");
        assert_eq!(tokens(&tree), ["f'", " a ", "{", "b", "}", "  ", "'"]);
    }
}
