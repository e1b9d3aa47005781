//! A text as a tree of tokens, from its syntax or from its brackets and lines.
//!
//! Where no grammar is known, a text still has a shape: brackets that match, lines, lines that are further in
//! than the one before them, and what stands between commas.
//!
//! ```text
//!   a:                      block ─┬─ a :
//!     b: [1, 2]                    ├─ line ─── b : [ ... ] ─┬─ 1 ,
//!     c                            │                        └─ 2
//!   d                              └─ line ─── c
//!                           line ──── d
//! ```

use nub_syntax::Tree;
use std::ops::Range;
use std::sync::Arc;

/// A word of the text and the white space and comments before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Where what stands before it begins.
    pub lead: u32,
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl Leaf {
    /// Its own bytes.
    pub fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The bytes before it.
    pub fn trivia(&self) -> Range<usize> {
        self.lead as usize..self.start as usize
    }
}

/// A text as a tree: nodes in preorder, leaves are tokens, and tokens with what stands before them spell the text.
#[derive(Clone, Debug)]
pub struct Outline {
    text: Arc<[u8]>,
    sizes: Vec<u32>,
    leaves: Vec<Option<Leaf>>,
    tail: Range<usize>,
}

impl Outline {
    /// The shape of a syntax tree; nodes have the same numbers.
    pub fn of_tree(tree: &Tree) -> Outline {
        let nodes = 0..tree.len() as u32;
        let leaf = |node: u32| {
            let (trivia, bytes) = (tree.trivia(node), tree.bytes(node));
            Leaf { lead: trivia.start as u32, start: bytes.start as u32, end: bytes.end as u32 }
        };
        Outline {
            text: Arc::clone(tree.text()),
            sizes: nodes.clone().map(|node| tree.size(node)).collect(),
            leaves: nodes.map(|node| tree.is_token(node).then(|| leaf(node))).collect(),
            tail: tree.tail(),
        }
    }

    /// The shape of a text by its brackets, lines and commas.
    pub fn of_text(text: Arc<[u8]>) -> Outline {
        let words = words(&text);
        let tail = words.last().map_or(0, |word| word.end as usize)..text.len();
        let mut shaper = Shaper { text: &text, sizes: vec![1], leaves: vec![None] };
        let tokens = bracketed(&text, &words);
        shaper.lines(&tokens);
        shaper.sizes[0] = shaper.sizes.len() as u32;
        let Shaper { sizes, leaves, .. } = shaper;
        Outline { text, sizes, leaves, tail }
    }

    /// What is inside long tokens, such as quoted texts and scripts in a page, and inside comments, by its brackets,
    /// lines and commas.
    ///
    /// A node below the root is a token or a comment; those that were looked into have nodes below them.
    pub fn inside_tokens(&self) -> Outline {
        let mut shaper = Shaper { text: &self.text, sizes: vec![1], leaves: vec![None] };
        for leaf in self.leaves.iter().flatten() {
            let comment = comment_before(&self.text, *leaf);
            if let Some(comment) = comment {
                let tokens = bracketed(&self.text, &words_inside(&self.text, comment));
                shaper.node(|shaper| shaper.lines(&tokens));
            }
            let leaf = Leaf { lead: comment.map_or(leaf.lead, |comment| comment.end), ..*leaf };
            let words = if is_long(&self.text, leaf) { words_inside(&self.text, leaf) } else { Vec::new() };
            if words.len() < 2 {
                shaper.leaf(leaf);
            } else {
                let tokens = bracketed(&self.text, &words);
                shaper.node(|shaper| shaper.lines(&tokens));
            }
        }
        shaper.sizes[0] = shaper.sizes.len() as u32;
        let Shaper { sizes, leaves, .. } = shaper;
        Outline { text: Arc::clone(&self.text), sizes, leaves, tail: self.tail() }
    }

    /// The text as one list of pieces, each a token: lines, or bytes.
    pub fn of_pieces(text: Arc<[u8]>, ends: impl IntoIterator<Item = usize>) -> Outline {
        let (mut sizes, mut leaves, mut at) = (vec![1], vec![None], 0);
        for end in ends {
            leaves.push(Some(Leaf { lead: at, start: at, end: end as u32 }));
            sizes.push(1);
            at = end as u32;
        }
        sizes[0] = sizes.len() as u32;
        Outline { tail: at as usize..text.len(), text, sizes, leaves }
    }

    /// The text.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is nothing but the root.
    pub fn is_empty(&self) -> bool {
        self.sizes.len() <= 1
    }

    /// The sizes of all subtrees.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The token that a node is.
    pub fn leaf(&self, node: u32) -> Option<Leaf> {
        self.leaves[node as usize]
    }

    /// How many tokens there are.
    pub fn tokens(&self) -> usize {
        self.leaves.iter().flatten().count()
    }

    /// The children of a node.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        let end = node + self.sizes[node as usize];
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| {
            Some(child + self.sizes[child as usize]).filter(|&next| next < end)
        })
    }

    /// What stands after the last token.
    pub fn tail(&self) -> Range<usize> {
        self.tail.clone()
    }
}

/// From this length on a token is looked into.
const LONG: usize = 8;

fn is_long(text: &[u8], leaf: Leaf) -> bool {
    leaf.bytes().len() >= LONG && !text[leaf.bytes()].iter().all(|&b| is_word(b))
}

/// Whether a byte is one of a word: everything outside ASCII is.
pub(super) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// What stands before a token and is more than white space.
fn comment_before(text: &[u8], leaf: Leaf) -> Option<Leaf> {
    let is_seen = |b: &u8| !b.is_ascii_whitespace();
    let first = text[leaf.trivia()].iter().position(is_seen)?;
    let last = text[leaf.trivia()].iter().rposition(is_seen)?;
    Some(Leaf { lead: leaf.lead, start: leaf.lead + first as u32, end: leaf.lead + last as u32 + 1 })
}

/// The words of a long token or a comment, each with the blanks before it.
fn words_inside(text: &[u8], leaf: Leaf) -> Vec<Leaf> {
    let (mut words, mut lead, mut at) = (Vec::new(), leaf.lead as usize, leaf.start as usize);
    while at < leaf.end as usize {
        let start = at;
        at += 1;
        if is_word(text[start]) {
            while at < leaf.end as usize && is_word(text[at]) {
                at += 1;
            }
        } else if text[start].is_ascii_whitespace() && at < leaf.end as usize {
            continue;
        }
        words.push(Leaf { lead: lead as u32, start: start as u32, end: at as u32 });
        lead = at;
    }
    words
}

/// Words, numbers, closed quotes and single signs.
fn words(text: &[u8]) -> Vec<Leaf> {
    let (mut words, mut lead, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let b = text[at];
        if b.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        if is_word(b) {
            while text.get(at).is_some_and(|&b| is_word(b)) {
                at += 1;
            }
        } else if b == b'"' || b == b'\'' {
            at = quote_end(text, start).unwrap_or(at);
        }
        words.push(Leaf { lead: lead as u32, start: start as u32, end: at as u32 });
        lead = at;
    }
    words
}

/// The end of a quote that closes in its line.
fn quote_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while let Some(&b) = text.get(at) {
        match b {
            b'\n' => return None,
            b'\\' => at += 2,
            b if b == text[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// A word, or what stands between two brackets with both of them.
enum Token {
    Word(Leaf),
    Brackets(Leaf, Vec<Token>, Leaf),
}

impl Token {
    fn first(&self) -> &Leaf {
        match self {
            Token::Word(leaf) | Token::Brackets(leaf, ..) => leaf,
        }
    }

    fn is(&self, text: &[u8], sign: u8) -> bool {
        matches!(self, Token::Word(leaf) if text[leaf.bytes()] == [sign])
    }
}

/// Nests the words by brackets; a bracket without its other half is a word.
fn bracketed(text: &[u8], words: &[Leaf]) -> Vec<Token> {
    let mut open: Vec<(Leaf, u8, Vec<Token>)> = Vec::new();
    let mut out: Vec<Token> = Vec::new();
    for &word in words {
        let sign = if word.end == word.start + 1 { text[word.start as usize] } else { 0 };
        let closes = match sign {
            b'(' => {
                open.push((word, b')', std::mem::take(&mut out)));
                continue;
            }
            b'[' => {
                open.push((word, b']', std::mem::take(&mut out)));
                continue;
            }
            b'{' => {
                open.push((word, b'}', std::mem::take(&mut out)));
                continue;
            }
            b')' | b']' | b'}' => open.iter().rposition(|(_, closer, _)| *closer == sign),
            _ => None,
        };
        match closes {
            None => out.push(Token::Word(word)),
            Some(which) => {
                while open.len() > which + 1 {
                    unopen(&mut open, &mut out);
                }
                if let Some((opener, _, before)) = open.pop() {
                    let inside = std::mem::replace(&mut out, before);
                    out.push(Token::Brackets(opener, inside, word));
                }
            }
        }
    }
    while !open.is_empty() {
        unopen(&mut open, &mut out);
    }
    out
}

/// Makes a plain word of the innermost bracket that is open.
fn unopen(open: &mut Vec<(Leaf, u8, Vec<Token>)>, out: &mut Vec<Token>) {
    if let Some((opener, _, before)) = open.pop() {
        let inside = std::mem::replace(out, before);
        out.push(Token::Word(opener));
        out.extend(inside);
    }
}

struct Shaper<'a> {
    text: &'a [u8],
    sizes: Vec<u32>,
    leaves: Vec<Option<Leaf>>,
}

impl Shaper<'_> {
    fn leaf(&mut self, leaf: Leaf) {
        self.sizes.push(1);
        self.leaves.push(Some(leaf));
    }

    fn node(&mut self, inside: impl FnOnce(&mut Self)) {
        let node = self.sizes.len();
        self.sizes.push(1);
        self.leaves.push(None);
        inside(self);
        self.sizes[node] = (self.sizes.len() - node) as u32;
    }

    /// How far in the line begins that a token begins, if it does begin one.
    fn indent(&self, token: &Token) -> Option<usize> {
        let leaf = token.first();
        let trivia = &self.text[leaf.trivia()];
        let newline = trivia.iter().rposition(|&b| b == b'\n');
        newline.map(|at| trivia.len() - at - 1).or_else(|| (leaf.lead == 0).then_some(trivia.len()))
    }

    /// Groups tokens by lines, and lines under the line before them that is further out.
    fn lines(&mut self, tokens: &[Token]) {
        let starts: Vec<(usize, usize)> =
            tokens.iter().enumerate().filter_map(|(i, token)| Some((i, self.indent(token)?))).collect();
        let first = starts.first().map_or(tokens.len(), |&(i, _)| i);
        self.items(&tokens[..first]);
        self.blocks(tokens, &starts);
    }

    fn blocks(&mut self, tokens: &[Token], starts: &[(usize, usize)]) {
        let mut at = 0;
        while at < starts.len() {
            let (start, indent) = starts[at];
            let inner = starts[at + 1..].iter().take_while(|(_, deeper)| *deeper > indent).count();
            let end = |i: usize| starts.get(i).map_or(tokens.len(), |&(start, _)| start);
            self.node(|shaper| {
                shaper.items(&tokens[start..end(at + 1)]);
                // The tokens of a nested line end where the next line begins.
                let upto = end(at + 1 + inner);
                shaper.blocks(&tokens[..upto], &starts[at + 1..at + 1 + inner]);
            });
            at += 1 + inner;
        }
    }

    /// Groups tokens by commas and semicolons; what ends with one is a node, so that it goes with its sign.
    fn items(&mut self, tokens: &[Token]) {
        let separates = |token: &Token| token.is(self.text, b',') || token.is(self.text, b';');
        if tokens.len() < 2 || !tokens.iter().any(separates) {
            tokens.iter().for_each(|token| self.token(token));
            return;
        }
        let text = self.text;
        let ends = |token: &Token| token.is(text, b',') || token.is(text, b';');
        for item in tokens.split_inclusive(ends) {
            match item {
                [only] => self.token(only),
                _ => self.node(|shaper| item.iter().for_each(|token| shaper.token(token))),
            }
        }
    }

    fn token(&mut self, token: &Token) {
        match token {
            Token::Word(leaf) => self.leaf(*leaf),
            Token::Brackets(open, inside, close) => self.node(|shaper| {
                shaper.leaf(*open);
                shaper.lines(inside);
                shaper.leaf(*close);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(outline: &Outline, node: u32) -> String {
        match outline.leaf(node) {
            Some(leaf) => String::from_utf8_lossy(&outline.text[leaf.bytes()]).into_owned(),
            None => {
                let inside: Vec<String> = outline.children(node).map(|child| shown(outline, child)).collect();
                format!("<{}>", inside.join(" "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let outline = Outline::of_text(text.as_bytes().into());
        assert_eq!(shown(&outline, 0), expected);
        let mut spelled = Vec::new();
        for leaf in (0..outline.len() as u32).filter_map(|node| outline.leaf(node)) {
            spelled.extend_from_slice(&text.as_bytes()[leaf.lead as usize..leaf.end as usize]);
        }
        spelled.extend_from_slice(&text.as_bytes()[outline.tail()]);
        assert_eq!(spelled, text.as_bytes());
    }

    #[test]
    fn of_text_nests_lines_by_how_far_in_they_are() {
        check("a:\n  b: 1\n  c\nd\n", "<<a : <b : 1> <c>> <d>>");
        check("  a\nb", "<<a> <b>>");
    }

    #[test]
    fn of_text_nests_brackets_across_lines_and_splits_at_commas() {
        check("f(a, b)", "<<f <( <a ,> b )>>>");
        check("f {\n  x;\n  y\n}\ng", "<<f <{ <<x ;>> <y> }>> <g>>");
        check("a ) (b \"c d\" 'e", "<<a ) ( b \"c d\" ' e>>");
    }

    #[test]
    fn of_pieces_is_a_flat_list() {
        let outline = Outline::of_pieces((*b"a\nb\n").into(), [2, 4]);
        assert_eq!(shown(&outline, 0), "<a\n b\n>");
    }
}
