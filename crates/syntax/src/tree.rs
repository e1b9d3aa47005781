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
//! its own) becomes a token like any other, so the tokens with their trivia spell the text. A node is a run of
//! the list: its descendants follow it, `size` of them in all with itself, so a subtree is a slice.

use crate::language::Language;
use crate::profile::Role;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{Parser, TreeCursor};

/// A kind of node: the number of its name in the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(u16);

impl Kind {
    /// What could not be read.
    pub const ERROR: Kind = Kind(u16::MAX);
    /// A token that the grammar reads without a name.
    pub const HIDDEN: Kind = Kind(u16::MAX - 1);

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
    nodes: Vec<Data>,
    has_error: bool,
}

#[derive(Clone, Debug)]
struct Data {
    kind: Kind,
    /// The number of the field it fills in its parent, from 1; 0 for none.
    field: u16,
    parent: u32,
    /// How many nodes the subtree has.
    size: u32,
    /// Where its trivia starts.
    lead: u32,
    start: u32,
    end: u32,
}

/// A node of a tree: its number in preorder, 0 for the root.
pub type Node = u32;

impl Tree {
    /// Parses a text; what cannot be read is marked as an error.
    pub fn parse(language: Language, text: Arc<[u8]>) -> Tree {
        let mut parser = Parser::new();
        parser
            .set_language(&language.entry().grammar)
            .expect("the grammars fit the library they are linked with");
        let parsed = parser.parse(&*text, None).expect("a parser with a language and no limit ends");
        let mut builder = Builder {
            tree: Tree { language, nodes: Vec::new(), has_error: parsed.root_node().has_error(), text },
            open: Vec::new(),
            lead: 0,
            seen: 0,
        };
        builder.walk(parsed.walk());
        builder.tree
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
            Kind(kind) => &self.language.entry().kinds[kind as usize].name,
        }
    }

    /// Whether its kind has a name in the grammar, and is not spelled out.
    pub fn is_named(&self, node: Node) -> bool {
        match self.kind(node) {
            Kind::ERROR | Kind::HIDDEN => true,
            Kind(kind) => self.language.entry().kinds[kind as usize].is_named,
        }
    }

    /// What it is to somebody who edits programs.
    pub fn role(&self, node: Node) -> Role {
        match self.kind(node) {
            Kind::ERROR | Kind::HIDDEN => Role::Other,
            Kind(kind) => self.language.entry().kinds[kind as usize].role,
        }
    }

    /// The field it fills in its parent, by the grammar's name.
    pub fn field(&self, node: Node) -> Option<&'static str> {
        self.language.entry().grammar.field_name_for_id(self.nodes[node as usize].field)
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

/// Copies the parser's tree node by node.
struct Builder {
    tree: Tree,
    /// The nodes that are not closed yet, outermost first.
    open: Vec<Node>,
    /// The end of the last token: where the trivia of the next begins.
    lead: usize,
    /// The end of the last token or comment: what comes after and is no white space was hidden.
    seen: usize,
}

impl Builder {
    fn walk(&mut self, mut cursor: TreeCursor<'_>) {
        loop {
            if self.enter(&cursor) {
                if cursor.goto_first_child() {
                    continue;
                }
                self.leave(cursor.node().end_byte());
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave(cursor.node().end_byte());
            }
        }
    }

    /// Opens the node at the cursor; false if it is trivia or a token, and there is nothing to look for in it.
    fn enter(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let node = cursor.node();
        let entry = self.tree.language.entry();
        let kind = entry.kind_of_symbol.get(node.kind_id() as usize).copied().filter(|_| !node.is_error());
        let facts = kind.map(|kind| &entry.kinds[kind as usize]);
        let kind = kind.map_or(Kind::ERROR, Kind);
        let field = cursor.field_id().map_or(0, |field| field.get());
        let bytes = node.byte_range();
        if self.open.is_empty() {
            self.push(kind, field);
            return true;
        }
        self.hidden(bytes.start);
        if facts.is_some_and(|facts| facts.is_comment) {
            self.seen = self.seen.max(bytes.end);
            false
        } else if node.child_count() == 0 || facts.is_some_and(|facts| facts.is_atom) {
            self.token(kind, field, bytes);
            false
        } else {
            self.push(kind, field);
            true
        }
    }

    /// Closes the innermost open node, which ends at a byte; one without tokens was nothing.
    fn leave(&mut self, end: usize) {
        self.hidden(end);
        let node = self.open.pop().expect("every node that is left was entered");
        let size = self.tree.nodes.len() as u32 - node;
        if size == 1 && !self.open.is_empty() {
            self.tree.nodes.pop();
            return;
        }
        let first = self.tree.nodes.get(node as usize + 1).map(|child| (child.lead, child.start));
        let data = &mut self.tree.nodes[node as usize];
        data.size = size;
        (data.lead, data.start) = first.unwrap_or((0, 0));
        data.end = self.lead as u32;
    }

    fn push(&mut self, kind: Kind, field: u16) {
        let parent = self.open.last().copied().unwrap_or(0);
        let node = self.tree.nodes.len() as Node;
        self.tree.nodes.push(Data { kind, field, parent, size: 1, lead: 0, start: 0, end: 0 });
        self.open.push(node);
    }

    /// Makes a token of whatever stands between what was seen and a byte.
    fn hidden(&mut self, to: usize) {
        let Some(text) = self.tree.text.get(self.seen..to) else { return };
        let blank =
            |i: usize| text[i].is_ascii_whitespace() || (text[i] == b'\\' && text.get(i + 1) == Some(&b'\n'));
        let (Some(first), Some(last)) =
            ((0..text.len()).find(|&i| !blank(i)), (0..text.len()).rfind(|&i| !blank(i)))
        else {
            return;
        };
        self.token(Kind::HIDDEN, 0, self.seen + first..self.seen + last + 1);
    }

    fn token(&mut self, kind: Kind, field: u16, bytes: Range<usize>) {
        // Newlines that a grammar counts as tokens are trivia here, and some tokens take in space around them.
        let text = &self.tree.text[bytes.clone()];
        let end = bytes.start + text.trim_ascii_end().len();
        let start = bytes.end - text.trim_ascii_start().len();
        if start >= end || start < self.seen {
            return;
        }
        let parent = self.open.last().copied().unwrap_or(0);
        let (lead, start, end) = (self.lead as u32, start as u32, end as u32);
        self.tree.nodes.push(Data { kind, field, parent, size: 1, lead, start, end });
        self.lead = end as usize;
        self.seen = end as usize;
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
}
