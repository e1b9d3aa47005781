//! One word in the place of several: what is said at length may matter only by being there, or by its width.

use super::count_tokens;
use super::outline::is_word;
use super::respell::Respelled;
use nub_syntax::{Kind, Node, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A number stands for most values, ...
const NUMBER: &[u8] = b"0";
/// ... and a name of the same width keeps the layout.
const LETTER: u8 = b'a';

/// What has several words and signs, as one word: first a number, then a name as wide as it was.
///
/// Every part is one place with one replacement; the largest come first. Nothing that is more than half of the text.
pub fn stand_ins(text: &Arc<[u8]>, tree: Option<&Tree>) -> Respelled {
    let most = count_tokens(text) / 2;
    let long = |place: &Range<usize>| (2..=most).contains(&count_tokens(&text[place.clone()]));
    let mut places: Vec<Range<usize>> = places(text, tree).into_iter().filter(long).collect();
    places.sort_by_key(|place| Reverse(count_tokens(&text[place.clone()])));
    let mut respelled = Respelled::new(Arc::clone(text));
    for place in places {
        respelled.add([(place.clone(), NUMBER.into())]);
        if !text[place.clone()].contains(&b'\n') {
            respelled.add([(place.clone(), vec![LETTER; place.len()].into())]);
        }
    }
    respelled
}

/// Two signs side by side as a word as wide, the last first; a sign is what is neither blank nor in a word.
pub fn blots(text: &Arc<[u8]>) -> Respelled {
    let is_sign = |b: &u8| b.is_ascii_punctuation() && *b != b'_';
    let mut respelled = Respelled::new(Arc::clone(text));
    for at in (1..text.len()).rev().filter(|&at| text[at - 1..=at].iter().all(is_sign)) {
        respelled.add([(at - 1..at + 1, [LETTER; 2].into())]);
    }
    respelled
}

/// From this length on a word is no name, but data.
const LONG_WORD: usize = 64;

/// The letters of long words, each a part that goes.
pub fn long_words(text: &Arc<[u8]>) -> Respelled {
    let runs = text.chunk_by(|&a, &b| is_word(a) == is_word(b)).scan(0, |end, run| {
        *end += run.len();
        Some((*end - run.len(), run))
    });
    let long = runs.filter(|(_, run)| is_word(run[0]) && run.len() >= LONG_WORD);
    let letters = long.flat_map(|(at, word)| {
        letters(word).into_iter().map(move |letter| at + letter.start..at + letter.end)
    });
    Respelled::without(Arc::clone(text), letters)
}

/// The letters of a text, or its bytes where it is not UTF-8.
pub fn letters(text: &[u8]) -> Vec<Range<usize>> {
    match std::str::from_utf8(text) {
        Ok(text) => text.char_indices().map(|(at, letter)| at..at + letter.len_utf8()).collect(),
        Err(_) => (0..text.len()).map(|at| at..at + 1).collect(),
    }
}

/// Every letter that is a word as the first of them: names that were shortened, in a text that cannot be read.
pub fn merged_letters(text: &Arc<[u8]>) -> Respelled {
    let mut places: BTreeMap<u8, Vec<Range<usize>>> = BTreeMap::new();
    let in_word = |at: usize| text.get(at).is_some_and(|&b| is_word(b));
    for (at, letter) in text.iter().enumerate().filter(|(_, b)| b.is_ascii_alphabetic()) {
        if !in_word(at + 1) && at.checked_sub(1).is_none_or(|before| !in_word(before)) {
            places.entry(*letter).or_default().push(at..at + 1);
        }
    }
    let mut respelled = Respelled::new(Arc::clone(text));
    if let Some((first, _)) = places.pop_first() {
        for places in places.into_values() {
            respelled.add(places.into_iter().map(|place| (place, [first].into())));
        }
    }
    respelled
}

/// Nodes of the syntax, and what is quoted where the grammar does not look.
fn places(text: &[u8], tree: Option<&Tree>) -> Vec<Range<usize>> {
    let Some(tree) = tree else { return quoted(text, 0..text.len()) };
    let nodes = (1..tree.len() as Node).filter(|&node| tree.kind(node) != Kind::ERROR);
    let unread = tree.tokens(0).map(|token| tree.bytes(token));
    let places = nodes.map(|node| tree.bytes(node)).chain(unread.flat_map(|bytes| quoted(text, bytes)));
    places
        .map(|place| (place.start, place.end))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|(a, b)| a..b)
        .collect()
}

/// The quoted parts of a stretch of text, each on one line.
fn quoted(text: &[u8], within: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), within.start);
    while at < within.end {
        let quote = text[at];
        let rest = &text[at + 1..within.end];
        let length = rest.iter().take_while(|&&b| b != quote && b != b'\n').count();
        let closes = matches!(quote, b'"' | b'\'') && rest.get(length) == Some(&quote);
        if closes {
            found.push(at..at + length + 2);
            at += length + 1;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_syntax::Language;

    fn spelled(language: Option<&str>, text: &str) -> Vec<String> {
        let text: Arc<[u8]> = text.as_bytes().into();
        let tree = language.map(|name| Tree::parse(Language::named(name).unwrap(), Arc::clone(&text)));
        let respelled = stand_ins(&text, tree.as_ref());
        let full = respelled.problem().full;
        full.iter().map(|part| String::from_utf8(respelled.render(&full.without(part))).unwrap()).collect()
    }

    #[test]
    fn what_takes_several_words_gives_way_to_a_number_or_to_a_name_as_wide() {
        let found = spelled(Some("python"), "f(x + sqrt(2) + y)\n");
        for expected in ["f(x + 0 + y)\n", "f(x + aaaaaaa + y)\n"] {
            assert!(found.contains(&expected.to_owned()), "{found:?}");
        }
        assert!(!found.iter().any(|text| text == "0\n"), "that is all of it: {found:?}");
    }

    #[test]
    fn two_signs_side_by_side_become_a_word() {
        let respelled = blots(&b"x=[[{ }]]"[..].into());
        let full = respelled.problem().full;
        let texts = full.iter().map(|part| String::from_utf8(respelled.render(&full.without(part))).unwrap());
        assert_eq!(
            texts.collect::<Vec<_>>(),
            ["x=[[{ }aa", "x=[[{ aa]", "x=[aa }]]", "x=aa{ }]]", "xaa[{ }]]"]
        );
    }

    #[test]
    fn long_words_lose_letters_and_others_do_not() {
        let text = format!("short {} ümlaut", "ü".repeat(LONG_WORD));
        let respelled = long_words(&text.as_bytes().into());
        let full = respelled.problem().full;
        assert_eq!(full.len(), LONG_WORD);
        assert_eq!(respelled.render(&[0, 1].into()), "short üü ümlaut".as_bytes());
    }

    #[test]
    fn letters_are_bytes_where_a_text_is_none() {
        assert_eq!(letters("aü".as_bytes()), [0..1, 1..3]);
        assert_eq!(letters(b"a\xff\xfe"), [0..1, 1..2, 2..3]);
    }

    #[test]
    fn letters_that_are_words_become_one() {
        let respelled = merged_letters(&b"b{ x: y_z; c: b1 }c{"[..].into());
        let full = respelled.problem().full;
        let texts = full.iter().map(|part| String::from_utf8(respelled.render(&full.without(part))).unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), ["b{ x: y_z; b: b1 }b{", "b{ b: y_z; c: b1 }c{"]);
    }

    #[test]
    fn quotes_are_found_where_the_grammar_does_not_look() {
        let script = spelled(Some("html"), "<p>a b c</p><script>if ('x') y('z w')</script>");
        assert!(script.contains(&"<p>a b c</p><script>if (0) y('z w')</script>".to_owned()), "{script:?}");
        assert_eq!(spelled(None, "a b 'c' it's\n'd"), ["a b 0 it's\n'd", "a b aaa it's\n'd"]);
    }
}
