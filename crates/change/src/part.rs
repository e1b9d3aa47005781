//! The parts of one text: what can go from it, and what it reads like without.
//!
//! A *pass* of `nub reduce` cuts the current text into numbered parts. A config is the set of parts that stay;
//! the full one is the text, byte for byte, and every config renders. [`Pruned`] texts lose subtrees and tokens,
//! [`Respelled`] ones say something in a shorter way; both are plain values that know nothing of tests.
//!
//! ```text
//!   text ──> Outline (syntax tree, or brackets and lines) ──> Pruned ──> render(config)
//!        └─> names, words, literals, comments ──────────────> Respelled ─┘
//! ```

mod chunks;
mod cut;
mod join;
mod names;
mod outline;
pub mod pass;
mod reach;
mod respell;
mod tidy;
mod trial;
mod unrun;
mod words;

pub use chunks::Chunked;
pub use cut::{Cut, prune};
pub use names::{couplings, deep_couplings, inlined_names, literals, merged_names, priors, shorter_names};
pub use outline::Outline;
pub use pass::{Offer, Pass, Reader, count_tokens};
pub use reach::Reached;
pub use respell::{Respelled, comments};
pub use tidy::{tidied, tidied_lines};
pub use trial::Grammar;
pub use words::{blots, letters, long_words, merged_letters, stand_ins};

use nub_search::tree::Pruning;
use nub_search::{Config, Problem};
use std::sync::Arc;

/// A text in parts.
#[derive(Clone, Debug)]
pub enum Parts {
    /// Parts that go.
    Pruned(Pruned),
    /// Parts that go with all that only they use.
    Reached(Reached),
    /// Chunks that go, and the lengths around them.
    Chunked(Chunked),
    /// Parts that are said in a shorter way.
    Respelled(Respelled),
}

impl Parts {
    /// All parts.
    pub fn full(&self) -> Config {
        self.problem().full
    }

    /// All parts with their sizes.
    pub fn problem(&self) -> Problem {
        match self {
            Parts::Pruned(pruned) => pruned.pruning.problem(),
            Parts::Reached(reached) => reached.problem(),
            Parts::Chunked(chunked) => chunked.problem(),
            Parts::Respelled(respelled) => respelled.problem(),
        }
    }

    /// The text that is left when only these parts stay as they are.
    pub fn render(&self, kept: &Config) -> Vec<u8> {
        match self {
            Parts::Pruned(pruned) => pruned.render(kept),
            Parts::Reached(reached) => reached.render(kept),
            Parts::Chunked(chunked) => chunked.render(kept),
            Parts::Respelled(respelled) => respelled.render(kept),
        }
    }
}

/// A text as a tree whose parts go or give way.
#[derive(Clone, Debug)]
pub struct Pruned {
    outline: Arc<Outline>,
    /// The tree and its parts.
    pub pruning: Pruning,
}

impl Pruned {
    /// The text that is left.
    pub fn render(&self, kept: &Config) -> Vec<u8> {
        join::join(&self.outline, &self.pruning, kept)
    }

    /// How many tokens are left.
    pub fn tokens(&self, kept: &Config) -> usize {
        self.pruning.live(kept).into_iter().filter(|&node| self.outline.leaf(node).is_some()).count()
    }
}
