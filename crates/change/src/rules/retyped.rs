//! Declarations that change together with the way they are used.
//!
//! Types are not resolved here, so no rule can tell that `top` is a pointer no longer. But where a declaration
//! changes, and nearly all uses of its name change as well, the two have to do with each other:
//!
//! ```text
//!     StkId top;       ->   StkIdRel top;        the new declaration does not go with a use in the old wording,
//!     n = L->top - 1;  ->   n = L->top.p - 1;    the old one not with a use in the new wording
//! ```
//!
//! A use or two may change by chance; many, of which few stay as they were, do not.

use super::fact::{Fact, Name};
use super::laws::Scope;
use super::reader::Read;
use std::collections::{BTreeMap, HashMap};

/// The part of a declaration that others rely on: what is before its name, and its parameters.
pub(super) struct Header {
    pub(super) fact: Fact,
    pub(super) name: Name,
    pub(super) scope: Scope,
    pub(super) is_old: bool,
    /// Whether it is reached through an object only.
    pub(super) is_field: bool,
    /// Its text without the names of its parameters.
    pub(super) text: Vec<u8>,
}

/// How a name is used in both versions.
#[derive(Default)]
pub(super) struct Uses {
    /// How many uses stay as they are.
    kept: usize,
    /// Where one is in the wording of the old version, and where in that of the new.
    worded: [Vec<Fact>; 2],
}

impl Uses {
    pub(super) fn add(&mut self, fact: Fact, is_kept: bool, is_old: bool) {
        match (is_kept, is_old) {
            (true, true) => self.kept += 1,
            (true, false) => {}
            (false, _) => self.worded[usize::from(!is_old)].push(fact),
        }
    }

    /// The share of the uses that change, as far as so few of them can tell.
    fn share(&self) -> f64 {
        let changed = self.worded[0].len().min(self.worded[1].len()) as f64;
        changed / (changed + self.kept as f64 + 1.0)
    }
}

/// The uses of names, by whether an object is named before them.
#[derive(Default)]
pub(super) struct Wordings {
    of_object: HashMap<Name, Uses>,
    bare: HashMap<Name, Uses>,
}

impl Wordings {
    pub(super) fn add(&mut self, name: Name, of_object: bool, fact: Fact, is_kept: bool, is_old: bool) {
        let uses = if of_object { &mut self.of_object } else { &mut self.bare };
        uses.entry(name).or_default().add(fact, is_kept, is_old);
    }

    fn of(&self, name: Name, is_field: bool) -> Option<&Uses> {
        let of_object = self.of_object.get(&name).filter(|uses| uses.share() >= LIKELY);
        if is_field { of_object } else { of_object.or_else(|| self.bare.get(&name)) }
    }
}

/// A smaller share of changed uses is chance: two of two are enough, one of one is not.
const LIKELY: f64 = 0.66;

/// Finds the declarations that change with their uses, and hands them to the rules.
pub(super) fn find(read: &mut Read) {
    let mut declared: BTreeMap<(Name, Scope), [Vec<&Header>; 2]> = BTreeMap::new();
    for header in &read.headers {
        declared.entry((header.name, header.scope)).or_default()[usize::from(!header.is_old)].push(header);
    }
    for ((name, _), [old, new]) in declared {
        let texts = |all: &[&Header]| {
            let mut texts: Vec<Vec<u8>> = all.iter().map(|header| header.text.clone()).collect();
            texts.sort();
            texts
        };
        if old.is_empty() || new.is_empty() || texts(&old) == texts(&new) {
            continue;
        }
        let uses = read.wordings.of(name, old[0].is_field).filter(|uses| uses.share() >= LIKELY);
        let Some(uses) = uses else { continue };
        for (headers, worded) in [(&old, &uses.worded[1]), (&new, &uses.worded[0])] {
            for header in headers {
                read.laws.mismatch.extend(worded.iter().map(|&used| (header.fact, used, name)));
            }
        }
    }
}
