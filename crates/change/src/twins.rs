//! What was taken out of one file and put into another as it was: the halves of a move.
//!
//! Inside a file the matching of its trees finds moves. Between files, a part that is gone from one and new in another
//! is known by its text, if nothing else that is gone, and nothing else that is new, reads like it.

use crate::change::{Change, Kind};
use crate::weave::{Literal, Weave};
use crate::words;
use std::collections::HashMap;

/// A part with fewer words than these may well be there by chance.
const LEAST: u32 = 12;

/// Finds the halves of moves from file to file among changes of trees.
pub(crate) fn find<'a>(changes: &mut [Change], weaves: impl Iterator<Item = &'a Weave>) {
    let texts = texts(changes, weaves);
    let part = |change: &Change| -> Option<&[u8]> {
        let is_half = matches!(change.kind, Kind::Delete | Kind::Insert) && change.twin.is_none();
        texts.get(&change.number).filter(|_| is_half).map(|text| &text[..])
    };
    // What is gone and what is new under each text, if it is one part each.
    let mut halves: HashMap<&[u8], [Parts; 2]> = HashMap::new();
    for change in changes.iter() {
        let Some(text) = part(change).filter(|text| words::weight(text) >= LEAST) else { continue };
        let half = &mut halves.entry(text).or_default()[usize::from(change.kind == Kind::Insert)];
        // What is all of another part, around it, stands for that.
        let is_inner =
            change.parent.is_some_and(|parent| texts.get(&parent).is_some_and(|outer| **outer == *text));
        *half = match *half {
            Parts::None => Parts::One(change.number),
            seen if is_inner => seen,
            _ => Parts::Several,
        };
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for half in halves.values() {
        if let [Parts::One(gone), Parts::One(new)] = *half
            && changes[gone as usize].path() != changes[new as usize].path()
        {
            pairs.push((gone, new));
        }
    }
    pairs.sort_unstable();
    for (gone, new) in pairs {
        // Parts of parts are pairs of their own, if they are large; small ones follow what they lie in.
        let (inner_gone, inner_new) = (inside(changes, gone), inside(changes, new));
        let is_alike = inner_gone.len() == inner_new.len()
            && inner_gone.iter().zip(&inner_new).all(|(a, b)| texts.get(a) == texts.get(b));
        let inner = is_alike.then(|| inner_gone.into_iter().zip(inner_new));
        for (gone, new) in inner.into_iter().flatten().chain([(gone, new)]) {
            if changes[gone as usize].twin.is_none() && changes[new as usize].twin.is_none() {
                changes[gone as usize].twin = Some(new);
                changes[new as usize].twin = Some(gone);
            }
        }
    }
}

/// How many parts of a version have a text.
#[derive(Clone, Copy, Default)]
enum Parts {
    #[default]
    None,
    One(u32),
    Several,
}

/// What each deletion takes away and each insertion puts in, with what lies in it; white space does not count.
fn texts<'a>(changes: &[Change], weaves: impl Iterator<Item = &'a Weave>) -> HashMap<u32, Vec<u8>> {
    let mut texts: HashMap<u32, Vec<u8>> = HashMap::new();
    for weave in weaves {
        for piece in weave.pieces() {
            let (k, kind) = match *piece.when {
                [Literal::Unless(k)] => (k, Kind::Delete),
                [Literal::When(k)] => (k, Kind::Insert),
                _ => continue,
            };
            let around = std::iter::successors(Some(k), |&k| changes[k as usize].parent);
            for k in around.take_while(|&k| changes[k as usize].kind == kind) {
                let text = texts.entry(k).or_default();
                for word in piece.text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
                    text.extend_from_slice(word);
                    text.push(b' ');
                }
            }
        }
    }
    texts
}

/// The changes that lie in a change, in order; what lies in a change comes after it.
fn inside(changes: &[Change], change: u32) -> Vec<u32> {
    let mut found = vec![change];
    for other in &changes[change as usize + 1..] {
        match other.parent {
            Some(parent) if found.binary_search(&parent).is_ok() => found.push(other.number),
            _ if other.path() != changes[change as usize].path() => break,
            _ => {}
        }
    }
    found.split_off(1)
}
