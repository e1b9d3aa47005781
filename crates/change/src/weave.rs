//! Old and new text of one file in one sequence of pieces, each with the condition under which it is there.
//!
//! ```text
//!     piece        condition    in {}    in {0}   in {1}   in {0,1}
//!     `let a = `                x        x        x        x
//!     `1`          unless 0     x                 x
//!     `2`          when 0                x                 x
//!     `;`                       x        x        x        x
//!     `use(a);`    when 1                         x        x
//! ```
//!
//! A condition is a conjunction of literals. Lines, tokens and syntax nodes are woven alike: a wrapper is two
//! pieces of one change around text that is kept, a moved text is there twice, `unless` one change takes it
//! from its old place and `when` another puts it at the new one. Nesting is no condition but a coupling, so
//! conditions stay short.
//!
//! Why pieces and not patches applied in turn? A patch can fail to apply, and its place depends on the
//! others; pieces have neither trouble, and a render is one pass of copying.

use nub_search::Config;
use std::ops::Range;
use std::sync::Arc;

/// One term of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// Holds in configs with this change.
    When(u32),
    /// Holds in configs without this change.
    Unless(u32),
}

impl Literal {
    /// Whether the literal holds in a config.
    pub fn holds(self, config: &Config) -> bool {
        match self {
            Literal::When(k) => config.contains(k),
            Literal::Unless(k) => !config.contains(k),
        }
    }

    /// The literal that holds where this one does not.
    pub(crate) fn negated(self) -> Literal {
        match self {
            Literal::When(k) => Literal::Unless(k),
            Literal::Unless(k) => Literal::When(k),
        }
    }

    /// The change it speaks of.
    pub fn change(self) -> u32 {
        match self {
            Literal::When(k) | Literal::Unless(k) => k,
        }
    }
}

/// Alternatives with conditions; the first whose condition holds is chosen, none if none holds.
#[derive(Clone, Debug)]
pub struct Choice<T>(Vec<(Vec<Literal>, T)>);

impl<T> Choice<T> {
    /// One value whatever the config.
    pub fn always(value: T) -> Choice<T> {
        Choice::first(vec![], value)
    }

    /// A value under a condition, and nothing otherwise.
    pub fn first(condition: Vec<Literal>, value: T) -> Choice<T> {
        Choice(vec![(condition, value)])
    }

    /// The same choice with one more value for when nothing before it is chosen.
    pub fn or(mut self, condition: Vec<Literal>, value: T) -> Choice<T> {
        self.0.push((condition, value));
        self
    }

    /// The value for a config.
    pub fn get(&self, config: &Config) -> Option<&T> {
        self.0.iter().find(|(condition, _)| condition.iter().all(|l| l.holds(config))).map(|(_, value)| value)
    }

    /// Every value that is chosen in some config, or would be but for those before it.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Every value with the condition under which it is chosen.
    ///
    /// What the conditions before it exclude is added where it can be said: where they are a single literal.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = (Vec<Literal>, &T)> {
        self.0.iter().enumerate().map(|(i, (condition, value))| {
            let excluded = self.0[..i].iter().filter_map(|(before, _)| match before[..] {
                [Literal::When(k)] => Some(Literal::Unless(k)),
                [Literal::Unless(k)] => Some(Literal::When(k)),
                _ => None,
            });
            (condition.iter().copied().chain(excluded).collect(), value)
        })
    }

    /// The changes the choice depends on.
    pub fn changes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|(condition, _)| condition.iter().map(|l| l.change()))
    }
}

/// Which text a piece is cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(u32);

impl Source {
    /// The old text of the file.
    pub const OLD: Source = Source(0);
    /// The new text of the file.
    pub const NEW: Source = Source(1);
}

/// A piece of text and the condition under which it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Its condition; empty for text that is always there.
    pub when: &'a [Literal],
}

impl Piece<'_> {
    /// Whether the piece is there in a config.
    pub fn is_present(&self, config: &Config) -> bool {
        self.when.iter().all(|l| l.holds(config))
    }

    /// Whether the piece is part of the old text.
    pub fn is_old(&self) -> bool {
        self.when.iter().all(|l| matches!(l, Literal::Unless(_)))
    }

    /// Whether the piece is part of the new text.
    pub fn is_new(&self) -> bool {
        self.when.iter().all(|l| matches!(l, Literal::When(_)))
    }
}

/// The texts of one file, woven: `render(empty)` is the old one, `render(all)` the new, every config renders.
#[derive(Clone, Debug)]
pub struct Weave {
    sources: Vec<Arc<[u8]>>,
    cuts: Vec<Cut>,
    /// The conditions of all pieces one after the other: a list for each would cost more than its text.
    literals: Vec<Literal>,
    /// From this piece on, lines carry the newline before them and not the one after.
    seam: usize,
}

#[derive(Clone, Debug)]
struct Cut {
    source: Source,
    text: Range<usize>,
    literals: Range<u32>,
}

impl Weave {
    /// Starts a weave of an old and a new text.
    pub fn of(old: Arc<[u8]>, new: Arc<[u8]>) -> Weaver {
        Weaver(Weave { sources: vec![old, new], cuts: Vec::new(), literals: Vec::new(), seam: usize::MAX })
    }

    /// The pieces in order.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = Piece<'_>> {
        self.cuts.iter().map(|cut| self.piece(cut))
    }

    /// The pieces in order: which text each is cut from, where, and under which condition it is there.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = (Source, Range<usize>, &[Literal])> {
        self.cuts.iter().map(|cut| (cut.source, cut.text.clone(), self.piece(cut).when))
    }

    pub(crate) fn is_after_seam(&self, i: usize) -> bool {
        i >= self.seam
    }

    pub(crate) fn nth(&self, i: usize) -> Piece<'_> {
        self.piece(&self.cuts[i])
    }

    /// What stands on the same line before and after a piece in the text it is cut from.
    pub(crate) fn around(&self, i: usize) -> (&[u8], &[u8]) {
        let cut = &self.cuts[i];
        let text = &self.sources[cut.source.0 as usize];
        let start = memchr::memrchr(b'\n', &text[..cut.text.start]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &text[cut.text.end..]).map_or(text.len(), |i| cut.text.end + i);
        (&text[start..cut.text.start], &text[cut.text.end..end])
    }

    fn piece(&self, cut: &Cut) -> Piece<'_> {
        let literals = cut.literals.start as usize..cut.literals.end as usize;
        Piece { text: &self.sources[cut.source.0 as usize][cut.text.clone()], when: &self.literals[literals] }
    }

    /// The changes the text depends on; a change may come more than once.
    pub fn changes(&self) -> impl Iterator<Item = u32> + '_ {
        self.literals.iter().map(|l| l.change())
    }

    /// Whether the old pieces spell the old text and the new ones the new text.
    pub(crate) fn is_sound(&self) -> bool {
        spells(self.pieces().filter(Piece::is_old), &self.sources[0])
            && spells(self.pieces().filter(Piece::is_new), &self.sources[1])
    }

    /// Where a weave that is not sound goes wrong.
    fn fault(&self) -> String {
        let mut said = String::new();
        for (side, is_there) in [Piece::is_old, Piece::is_new].into_iter().enumerate() {
            let mut rest = &self.sources[side][..];
            for piece in self.pieces().filter(is_there) {
                let Some(after) = rest.strip_prefix(piece.text) else {
                    let show =
                        |text: &[u8]| String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned();
                    said +=
                        &format!("text {side} goes on {:?}, woven is {:?}; ", show(rest), show(piece.text));
                    break;
                };
                rest = after;
            }
        }
        said
    }

    /// The same weave with other numbers for its changes.
    pub(crate) fn renumbered(mut self, number: &[u32]) -> Weave {
        for literal in &mut self.literals {
            *literal = match *literal {
                Literal::When(k) => Literal::When(number[k as usize]),
                Literal::Unless(k) => Literal::Unless(number[k as usize]),
            };
        }
        self
    }

    /// The text of a config.
    pub fn render(&self, config: &Config) -> Arc<[u8]> {
        let present: Vec<&Cut> = self.cuts.iter().filter(|cut| self.piece(cut).is_present(config)).collect();
        match present[..] {
            [] => [].into(),
            // Files that only move, and those that change as a whole, are shared and not copied.
            [cut] if cut.text == (0..self.sources[cut.source.0 as usize].len()) => {
                Arc::clone(&self.sources[cut.source.0 as usize])
            }
            _ => {
                let mut text = Vec::with_capacity(present.iter().map(|cut| cut.text.len()).sum());
                present.iter().for_each(|cut| text.extend_from_slice(self.piece(cut).text));
                text.into()
            }
        }
    }
}

/// Builds a [`Weave`] piece by piece.
#[derive(Debug)]
pub struct Weaver(Weave);

impl Weaver {
    /// Adds a text that pieces can be cut from: what is moved here from another file.
    pub fn source(&mut self, text: Arc<[u8]>) -> Source {
        self.0.sources.push(text);
        Source(self.0.sources.len() as u32 - 1)
    }

    /// Adds a piece; one that continues the piece before it is joined to it.
    pub fn piece(&mut self, source: Source, text: Range<usize>, when: &[Literal]) {
        let weave = &mut self.0;
        let at_seam = weave.seam == weave.cuts.len();
        if let Some(last) = weave.cuts.last_mut()
            && !at_seam
            && last.source == source
            && last.text.end == text.start
            && weave.literals[last.literals.start as usize..last.literals.end as usize] == *when
        {
            last.text.end = text.end;
            return;
        }
        let start = weave.literals.len() as u32;
        weave.literals.extend_from_slice(when);
        weave.cuts.push(Cut { source, text, literals: start..weave.literals.len() as u32 });
    }

    /// From here on, the lines of pieces carry the newline before them and not the one after.
    ///
    /// Only the origin of blank lines depends on it: all they have is a newline. The first call counts.
    pub fn seam(&mut self) {
        self.0.seam = self.0.seam.min(self.0.cuts.len());
    }

    /// Ends the weave; its old pieces must spell the old text, its new pieces the new text.
    pub fn finish(self) -> Weave {
        let weave = self.0;
        debug_assert!(weave.is_sound(), "{}", weave.fault());
        weave
    }
}

fn spells<'a>(pieces: impl Iterator<Item = Piece<'a>>, mut text: &[u8]) -> bool {
    for piece in pieces {
        match text.strip_prefix(piece.text) {
            Some(rest) => text = rest,
            None => return false,
        }
    }
    text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::Literal::{Unless, When};
    use super::*;

    fn weave(old: &str, new: &str, pieces: &[(Source, &str, &[Literal])]) -> Weave {
        let mut weaver = Weave::of(old.as_bytes().into(), new.as_bytes().into());
        for &(source, text, when) in pieces {
            let whole = if source == Source::OLD { old } else { new };
            let start = whole.find(text).unwrap();
            weaver.piece(source, start..start + text.len(), when);
        }
        weaver.finish()
    }

    fn check(weave: &Weave, config: impl Into<Config>, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&weave.render(&config.into())), expected);
    }

    #[test]
    fn a_wrapper_is_two_pieces_of_one_change_around_what_is_kept() {
        let new = "if (c) { f(); }";
        let pieces: &[(Source, &str, &[Literal])] = &[
            (Source::NEW, "if (c) { ", &[When(0)]),
            (Source::OLD, "f();", &[]),
            (Source::NEW, " }", &[When(0)]),
        ];
        let weave = weave("f();", new, pieces);
        check(&weave, [], "f();");
        check(&weave, [0], new);
    }

    #[test]
    fn a_moved_text_with_an_edit_inside_is_there_once_in_every_config() {
        let pieces: &[(Source, &str, &[Literal])] = &[
            (Source::OLD, "f(1);", &[Unless(0), Unless(1)]),
            (Source::NEW, "f(2);", &[Unless(0), When(1)]),
            (Source::OLD, "g();", &[]),
            (Source::OLD, "f(1);", &[When(0), Unless(1)]),
            (Source::NEW, "f(2);", &[When(0), When(1)]),
        ];
        let weave = weave("f(1);g();", "g();f(2);", pieces);
        check(&weave, [], "f(1);g();");
        check(&weave, [0], "g();f(1);");
        check(&weave, [1], "f(2);g();");
        check(&weave, [0, 1], "g();f(2);");
    }

    #[test]
    fn a_text_moved_in_from_another_file_keeps_its_own_edits() {
        let mut weaver = Weave::of((*b"a").into(), (*b"aF2").into());
        let other = weaver.source((*b"F1").into());
        weaver.piece(Source::OLD, 0..1, &[]);
        weaver.piece(other, 0..1, &[When(0)]);
        weaver.piece(other, 1..2, &[When(0), Unless(1)]);
        weaver.piece(Source::NEW, 2..3, &[When(0), When(1)]);
        let weave = weaver.finish();
        check(&weave, [1], "a");
        check(&weave, [0], "aF1");
        check(&weave, [0, 1], "aF2");
    }

    #[test]
    fn pieces_that_continue_each_other_are_joined() {
        let pieces: &[(Source, &str, &[Literal])] = &[(Source::OLD, "a", &[]), (Source::OLD, "b", &[])];
        assert_eq!(weave("ab", "ab", pieces).pieces().len(), 1);
    }

    #[test]
    fn a_whole_text_is_shared_and_not_copied() {
        let old: Arc<[u8]> = (*b"old").into();
        let mut weaver = Weave::of(Arc::clone(&old), (*b"new").into());
        weaver.piece(Source::OLD, 0..3, &[Unless(0)]);
        weaver.piece(Source::NEW, 0..3, &[When(0)]);
        let weave = weaver.finish();
        assert!(Arc::ptr_eq(&weave.render(&Config::empty()), &old));
        check(&weave, [0], "new");
    }

    #[test]
    fn a_choice_takes_the_first_that_holds() {
        let choice = Choice::first(vec![When(0), When(1)], "new").or(vec![Unless(2)], "old");
        assert_eq!(choice.get(&[0].into()), Some(&"old"));
        assert_eq!(choice.get(&[0, 1, 2].into()), Some(&"new"));
        assert_eq!(choice.get(&[2].into()), None);
    }
}
