//! The changes found between small pairs of programs, one snapshot for each sort of edit and language.

#![allow(clippy::unwrap_used, reason = "all of this is a test")]

mod c;
mod java;
mod javascript;
mod languages;
mod others;
mod python;

use expect_test::Expect;
use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_search::{Config, Coupling, Couplings};
use nub_syntax::{Language, Tree};

fn version(path: &str, text: &str) -> Snapshot {
    [(RelPath::try_from(path).unwrap(), Entry::file(text.as_bytes()))].into_iter().collect()
}

fn check(path: &str, old: &str, new: &str, expected: Expect) {
    expected.assert_eq(&changes(path, old, new));
}

/// Lists the changes, and checks that every closed config of up to eight of them can be read.
fn changes(path: &str, old: &str, new: &str) -> String {
    let patchwork = Patchwork::by_syntax(&version(path, old), &version(path, new));
    let file = RelPath::try_from(path).unwrap();
    let n = patchwork.changes().len();
    assert_eq!(patchwork.render(&Config::empty()), version(path, old));
    assert_eq!(patchwork.render(&patchwork.full()), version(path, new));
    let certain = patchwork.couplings().into_iter().filter(|c| c.probability >= Coupling::CERTAIN);
    let couplings = Couplings::given(certain);
    let language = Language::of_path(path).unwrap();
    let parses = |text: &[u8]| !Tree::parse(language, text.into()).has_error();
    if parses(old.as_bytes()) && parses(new.as_bytes()) {
        for bits in 0..1u32 << n.min(8) {
            let config = couplings.close(&(0..n as u32).filter(|k| bits >> (k % 8) & 1 == 1).collect());
            let entry = patchwork.entry(&config, &file).unwrap();
            assert!(parses(&entry.content), "{config}:\n{}", String::from_utf8_lossy(&entry.content));
        }
    }
    let mut shown = String::new();
    for change in patchwork.changes() {
        let depth = std::iter::successors(change.parent, |&k| patchwork.changes()[k as usize].parent).count();
        let text = patchwork.text_of(change.number);
        shown += &format!("{}{} {}: {text}\n", "  ".repeat(depth), change.number, change.description());
    }
    let likely = patchwork.changes().iter().filter(|change| change.is_loose);
    for (child, parent) in likely.filter_map(|change| Some((change.number, change.parent?))) {
        shown += &format!("{child} could be without {parent}\n");
    }
    for coupling in couplings_beside_nesting(&patchwork) {
        shown += &format!("{} needs {}\n", coupling.0, coupling.1);
    }
    shown
}

fn couplings_beside_nesting(patchwork: &Patchwork) -> Vec<(u32, u32)> {
    let nested = |a: u32, b: u32| patchwork.changes()[a as usize].parent == Some(b);
    let couplings = patchwork.couplings();
    let pairs = couplings.iter().map(|c| (c.dependent, c.needed));
    pairs.filter(|&(a, b)| !nested(a, b) && !nested(b, a)).collect()
}
