//! Parts of a text that can be said in a shorter way.

use nub_search::{Config, Problem};
use nub_syntax::Tree;
use std::ops::Range;
use std::sync::Arc;

/// A text with places that have a second spelling; without its part a place is written the second way.
#[derive(Clone, Debug)]
pub struct Respelled {
    text: Arc<[u8]>,
    /// In the order of the text, none inside another.
    places: Vec<Place>,
    parts: usize,
}

#[derive(Clone, Debug)]
struct Place {
    part: u32,
    bytes: Range<usize>,
    instead: Arc<[u8]>,
}

impl Respelled {
    /// Nothing has a second spelling yet.
    pub fn new(text: Arc<[u8]>) -> Respelled {
        Respelled { text, places: Vec::new(), parts: 0 }
    }

    /// Each of these places, which come in the order of the text, is a part that goes.
    pub fn without(text: Arc<[u8]>, places: impl IntoIterator<Item = Range<usize>>) -> Respelled {
        let nothing: Arc<[u8]> = [].into();
        let place = |(part, bytes)| Place { part: part as u32, bytes, instead: Arc::clone(&nothing) };
        let places: Vec<Place> = places.into_iter().enumerate().map(place).collect();
        Respelled { text, parts: places.len(), places }
    }

    /// Adds a part: places that are written the second way together.
    pub fn add(&mut self, places: impl IntoIterator<Item = (Range<usize>, Arc<[u8]>)>) -> u32 {
        let part = self.parts as u32;
        self.parts += 1;
        self.places.extend(places.into_iter().map(|(bytes, instead)| Place { part, bytes, instead }));
        self.places.sort_by_key(|place| (place.bytes.start, place.part));
        part
    }

    /// All parts, with the bytes each would save.
    pub fn problem(&self) -> Problem {
        let mut weights = vec![0u32; self.parts];
        for place in &self.places {
            weights[place.part as usize] += place.bytes.len().saturating_sub(place.instead.len()) as u32;
        }
        Problem::new(self.parts).with_weights(weights)
    }

    /// The text with the second spelling wherever a part is not kept; where two speak of one place the first counts.
    pub fn render(&self, kept: &Config) -> Vec<u8> {
        let (mut out, mut at) = (Vec::with_capacity(self.text.len()), 0);
        for place in self.places.iter().filter(|place| !kept.contains(place.part)) {
            if place.bytes.start < at {
                continue;
            }
            out.extend_from_slice(&self.text[at..place.bytes.start]);
            out.extend_from_slice(&place.instead);
            at = place.bytes.end;
        }
        out.extend_from_slice(&self.text[at..]);
        out
    }
}

/// Of so few comments each may also give way to an empty line, where a line must be there.
const FEW: usize = 20;

/// The comments and empty lines of a text, each a part.
pub fn comments(tree: &Tree) -> Respelled {
    let text = tree.text();
    let mut respelled = Respelled::new(Arc::clone(text));
    let gaps = tree.tokens(0).map(|token| tree.trivia(token)).chain([tree.tail()]);
    let mut comments = Vec::new();
    for gap in gaps {
        let plain = plain(&text[gap.clone()]);
        if plain.len() < gap.len() {
            if plain.starts_with(b"\n") && !text[gap.clone()].iter().all(u8::is_ascii_whitespace) {
                comments.push((gap.clone(), [b"\n", &plain[..]].concat()));
            }
            respelled.add([(gap, plain.into())]);
        }
    }
    if comments.len() <= FEW {
        for (gap, blank) in comments.into_iter().filter(|(gap, blank)| blank.len() < gap.len()) {
            respelled.add([(gap, blank.into())]);
        }
    }
    respelled
}

/// The same gap without comments: the end of the line and how far in the next one is, or a space.
fn plain(gap: &[u8]) -> Vec<u8> {
    let continues = gap.windows(2).any(|w| w == b"\\\n");
    if continues {
        return gap.to_vec();
    }
    match gap.iter().rposition(|&b| b == b'\n') {
        Some(newline) => {
            let indent = gap[newline + 1..].iter().take_while(|&&b| b == b' ' || b == b'\t').count();
            gap[newline..newline + 1 + indent].to_vec()
        }
        None if gap.is_empty() => Vec::new(),
        None => vec![b' '],
    }
}
