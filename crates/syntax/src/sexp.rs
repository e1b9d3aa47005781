//! S-expressions read by hand, for languages that have no grammar to link: SMT-LIB, Lisp, WebAssembly's text.
//!
//! There is little to know: brackets, words, strings, comments. What differs between these languages is data
//! of their profiles. A bracket that closes nothing and one that is never closed are marked as errors, and
//! nothing else can be wrong.

use crate::builder::Builder;
use crate::kinds::Kinds;
use crate::profile::Reader;
use crate::tree::Kind;
use std::ops::Range;

/// The names of the kinds, and whether they are names and not spelled out.
pub(crate) fn kinds() -> impl Iterator<Item = (&'static str, bool)> {
    let named =
        ["source", "list", "symbol", "quoted_symbol", "string", "character", "number", "prefixed", "comment"];
    let signs = ["(", ")", "[", "]", "{", "}", "prefix"];
    named.into_iter().map(|name| (name, true)).chain(signs.into_iter().map(|sign| (sign, false)))
}

/// Reads a text, which may hold any bytes.
pub(crate) fn read(builder: &mut Builder, reader: &Reader, kinds: &Kinds) {
    Reading { text: builder.text().clone().as_ref(), at: 0, reader, kinds, builder, open: Vec::new() }
        .source();
}

struct Reading<'a> {
    text: &'a [u8],
    at: usize,
    reader: &'a Reader,
    kinds: &'a Kinds,
    builder: &'a mut Builder,
    /// What is open: the bracket that closes a list, or none for what a prefix stands before.
    open: Vec<Option<u8>>,
}

impl Reading<'_> {
    fn source(mut self) {
        self.builder.push(self.kind("source", true), 0);
        while self.skip() {
            self.item();
        }
        for open in std::mem::take(&mut self.open).into_iter().rev() {
            if open.is_some() {
                self.builder.mark_missing();
            }
            self.builder.leave(self.text.len());
        }
        self.builder.leave(self.text.len());
    }

    fn kind(&self, name: &str, is_named: bool) -> Kind {
        Kind::new(self.kinds.number(name, is_named).expect("the reader's kinds are all numbered"))
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn starts_with(&self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// Goes to the next item; false at the end.
    fn skip(&mut self) -> bool {
        loop {
            self.at += self.rest().len() - self.rest().trim_ascii_start().len();
            let from = self.at;
            if self.starts_with(&self.reader.line_comment) {
                self.at += self.rest().iter().position(|&byte| byte == b'\n').unwrap_or(self.rest().len());
            } else if !self.block_comment() {
                return self.at < self.text.len();
            }
            self.builder.comment(from..self.at);
        }
    }

    /// Goes past a comment in brackets, if there is one.
    fn block_comment(&mut self) -> bool {
        let Some((open, close)) =
            self.reader.block_comment.as_ref().filter(|(open, _)| self.starts_with(open))
        else {
            return false;
        };
        let mut depth = 0;
        while self.at < self.text.len() {
            if self.starts_with(open) {
                (self.at, depth) = (self.at + open.len(), depth + 1);
            } else if self.starts_with(close) {
                (self.at, depth) = (self.at + close.len(), depth - 1);
                if depth == 0 {
                    break;
                }
            } else {
                self.at += 1;
            }
        }
        true
    }

    fn item(&mut self) {
        let byte = self.text[self.at];
        let bracket = |side: usize| self.reader.brackets.iter().find(|pair| pair.as_bytes()[side] == byte);
        if let Some(pair) = bracket(0) {
            let close = pair.as_bytes()[1];
            self.builder.push(self.kind("list", true), 0);
            self.sign();
            self.open.push(Some(close));
        } else if bracket(1).is_some() {
            if self.open.last() == Some(&Some(byte)) {
                self.sign();
                self.open.pop();
                self.builder.leave(self.at);
                self.close_prefixes();
            } else {
                self.builder.error(self.at..self.at + 1);
                self.at += 1;
            }
        } else if let Some(characters) = self.reader.characters.as_ref().filter(|lead| self.starts_with(lead))
        {
            let start = self.at;
            self.at = (self.at + characters.len() + 1).min(self.text.len());
            self.word();
            self.token("character", start..self.at);
        } else if let Some(prefix) = self.reader.prefixes.iter().find(|prefix| self.starts_with(prefix)) {
            self.builder.push(self.kind("prefixed", true), 0);
            self.builder.token(self.kind("prefix", false), 0, self.at..self.at + prefix.len());
            self.at += prefix.len();
            self.open.push(None);
        } else {
            self.atom(byte);
        }
    }

    fn sign(&mut self) {
        let sign = (self.text[self.at] as char).to_string();
        let kind = self.kind(&sign, false);
        self.builder.token(kind, 0, self.at..self.at + 1);
        self.at += 1;
    }

    fn atom(&mut self, first: u8) {
        let start = self.at;
        let kind = match first {
            b'"' => {
                self.quoted(b'"', self.reader.doubled_quotes);
                "string"
            }
            b'|' if self.reader.bars => {
                self.quoted(b'|', true);
                "quoted_symbol"
            }
            _ => {
                self.at += 1;
                self.word();
                let digits = self.text[start..self.at].trim_ascii_start();
                let digits = digits.strip_prefix(b"-").unwrap_or(digits);
                if digits.first().is_some_and(u8::is_ascii_digit) { "number" } else { "symbol" }
            }
        };
        self.token(kind, start..self.at);
    }

    /// Goes past text in quotes, or to the end if they are not closed.
    fn quoted(&mut self, quote: u8, is_doubled: bool) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' if !is_doubled => self.at = (self.at + 1).min(self.text.len()),
                _ if byte != quote => {}
                _ if is_doubled && self.text.get(self.at) == Some(&quote) => self.at += 1,
                _ => return,
            }
        }
    }

    fn word(&mut self) {
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b';')
                || self.reader.brackets.iter().any(|pair| pair.as_bytes().contains(byte))
        };
        self.at += self.rest().iter().position(ends).unwrap_or(self.rest().len());
    }

    fn token(&mut self, kind: &str, bytes: Range<usize>) {
        self.builder.token(self.kind(kind, true), 0, bytes);
        self.close_prefixes();
    }

    /// Closes what stood before the expression that just ended.
    fn close_prefixes(&mut self) {
        while self.open.last() == Some(&None) {
            self.open.pop();
            self.builder.leave(self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, Tree};

    fn check(language: &str, text: &str, shape: &str) {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        assert_eq!(draw(&tree, 0), shape);
    }

    fn draw(tree: &Tree, node: u32) -> String {
        if tree.is_token(node) {
            return String::from_utf8_lossy(tree.spelled(node)).into_owned();
        }
        let children: Vec<String> = tree.children(node).map(|child| draw(tree, child)).collect();
        format!("{}<{}>", tree.kind_name(node), children.join(" "))
    }

    #[test]
    fn smtlib_reads_commands_strings_and_quoted_symbols() {
        check(
            "smtlib",
            "; start\n(assert (= |a b| \"x\"\"(y\")) ; end\n(check-sat)",
            "source<list<( assert list<( = |a b| \"x\"\"(y\" )> )> list<( check-sat )>>",
        );
    }

    #[test]
    fn lisp_reads_prefixes_characters_and_nested_comments() {
        check(
            "lisp",
            "'(a #\\( #| x #| y |# |# `,b) [1 \"\\\"\"]",
            "source<prefixed<' list<( a #\\( prefixed<` prefixed<, b>> )>> list<[ 1 \"\\\"\" ]>>",
        );
    }

    #[test]
    fn a_bracket_without_its_other_is_an_error() {
        let parse = |text: &str| Tree::parse(Language::named("smtlib").unwrap(), text.as_bytes().into());
        assert!(parse("(a (b)").has_error());
        assert!(parse("a) b").has_error());
        assert!(!parse("(a) b").has_error());
        check("smtlib", "(a (b", "source<list<( a list<( b>>>");
    }
}
