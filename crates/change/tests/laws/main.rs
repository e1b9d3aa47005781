//! What every patchwork obeys, on generated versions.

#![allow(clippy::unwrap_used, reason = "all of this is a test")]

mod git;
mod program;
mod version;

use nub_change::{Detail, Entry, Level, Patchwork, RelPath, Snapshot};
use nub_search::{Config, Coupling, Couplings};
use nub_syntax::{Language, Tree};
use program::pair_of_programs;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use version::{config, pair_of_shuffled_texts, pair_of_texts, pair_of_versions, pick};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_empty_config_is_the_old_version_and_the_full_one_the_new((old, new) in pair_of_versions()) {
        let patchwork = Patchwork::between(&old, &new);
        prop_assert_eq!(patchwork.render(&Config::empty()), old);
        prop_assert_eq!(patchwork.render(&patchwork.full()), new);
    }

    #[test]
    fn moved_blocks_are_at_their_places_in_both_versions((old, new) in pair_of_shuffled_texts()) {
        let (patchwork, path) = woven(&old, &new);
        let text = |config: &Config| patchwork.entry(config, &path).unwrap().content.to_vec();
        prop_assert_eq!(text(&Config::empty()), old);
        prop_assert_eq!(text(&patchwork.full()), new);
    }

    #[test]
    fn every_config_renders_to_a_version((old, new) in pair_of_versions(), bits in config()) {
        let patchwork = Patchwork::between(&old, &new);
        let version = patchwork.render(&pick(&bits, patchwork.changes().len()));
        prop_assert_eq!(version.clash(), None);
    }

    #[test]
    fn a_difference_turns_one_config_into_another(
        (old, new) in pair_of_versions(), from in config(), to in config(),
    ) {
        let patchwork = Patchwork::between(&old, &new);
        let n = patchwork.changes().len();
        let (from, to) = (pick(&from, n), pick(&to, n));
        let mut version = patchwork.render(&from);
        let difference = patchwork.difference(&from, &to);
        for path in &difference.removed {
            prop_assert!(version.remove(path).is_some(), "{} is removed but not there", path);
        }
        for (path, entry) in difference.written {
            prop_assert_ne!(version.get(&path), Some(&entry), "{} is written but the same", path);
            version.insert(path, entry);
        }
        prop_assert_eq!(version, patchwork.render(&to));
    }

    #[test]
    fn an_entry_and_its_trace_are_what_is_rendered((old, new) in pair_of_versions(), bits in config()) {
        let patchwork = Patchwork::between(&old, &new);
        let config = pick(&bits, patchwork.changes().len());
        for (path, entry) in patchwork.render(&config).iter() {
            prop_assert_eq!(patchwork.entry(&config, path), Some(entry.clone()));
            if let Some(trace) = patchwork.trace(&config, path) {
                prop_assert_eq!(trace.text(), &entry.content);
            }
        }
    }

    #[test]
    fn the_levels_refine_each_other((old, new) in pair_of_versions()) {
        let patchwork = Patchwork::between(&old, &new);
        let groupings = Level::ALL.map(|level| patchwork.grouping(level));
        for grouping in &groupings {
            prop_assert_eq!(grouping.expand(&Config::full(grouping.len())), patchwork.full());
        }
        for pair in groupings.windows(2) {
            for group in 0..pair[1].len() as u32 {
                let changes: Config = pair[1].changes(group).iter().copied().collect();
                prop_assert_eq!(pair[0].touched(&changes).len(), 1);
            }
        }
    }

    #[test]
    fn in_a_closed_config_every_change_shows((old, new) in pair_of_versions(), bits in config()) {
        let patchwork = Patchwork::between(&old, &new);
        let couplings = Couplings::given(patchwork.couplings());
        let config = couplings.close(&pick(&bits, patchwork.changes().len()));
        let version = patchwork.render(&config);
        for k in config.iter() {
            // Without the change and all that needs it, something is different.
            let needs_it = |other: &u32| couplings.close(&[*other].into()).contains(k);
            let fewer = config.minus(&config.iter().filter(needs_it).collect());
            prop_assert_ne!(patchwork.render(&fewer), version.clone(), "{} in {}", k, config);
        }
    }

    #[test]
    fn every_line_is_where_its_origin_says((old, new) in pair_of_texts(), bits in config()) {
        let (patchwork, path) = woven(&old, &new);
        let config = pick(&bits, patchwork.changes().len());
        let Some(trace) = patchwork.trace(&config, &path) else { return Ok(()) };
        // A last line may end with `\r` and another version's `\r\n` come after it.
        let content = |line: &[u8]| -> Vec<u8> {
            let end = line.iter().rposition(|&b| b != b'\n' && b != b'\r').map_or(0, |i| i + 1);
            line[..end].to_vec()
        };
        let lines = |text: &[u8]| text.split_inclusive(|&b| b == b'\n').map(content).collect::<Vec<_>>();
        let (old, new, rendered) = (lines(&old), lines(&new), lines(trace.text()));
        prop_assert_eq!(rendered.len(), trace.len());
        for (i, line) in rendered.iter().enumerate() {
            let origin = trace.origin(i).unwrap();
            for (text, number) in [(&old, origin.old), (&new, origin.new)] {
                if let Some(number) = number {
                    prop_assert_eq!(text.get(number), Some(line), "line {} of {}", i, config);
                }
            }
            let inserted = origin.changes.iter().any(|&k| config.contains(k));
            let kept_back = origin.changes.iter().any(|&k| !config.contains(k));
            // What was put into a block that did not move is in neither version just so.
            prop_assert!(origin.old.is_some() || origin.new.is_some() || (inserted && kept_back));
            prop_assert!(origin.old.is_some() || inserted, "an inserted line has its change");
            prop_assert!(origin.new.is_some() || kept_back, "an old line has the change that is not made");
        }
    }

    #[test]
    fn a_change_that_matters_is_on_a_line_or_in_a_gap((old, new) in pair_of_texts(), bits in config()) {
        let (patchwork, path) = woven(&old, &new);
        let config = pick(&bits, patchwork.changes().len());
        let Some(trace) = patchwork.trace(&config, &path) else { return Ok(()) };
        let mut seen: Config = (0..=trace.len()).flat_map(|i| trace.gap(i)).collect();
        for i in 0..trace.len() {
            seen = seen.union(&trace.origin(i).unwrap().changes.into_iter().collect());
        }
        for k in patchwork.full().iter() {
            let toggled = if config.contains(k) { config.without(k) } else { config.with(k) };
            // A final newline that is there belongs to no line.
            let differs = |a: &[u8], b: &[u8]| a.trim_ascii_end() != b.trim_ascii_end();
            if differs(&patchwork.entry(&toggled, &path).unwrap().content, trace.text()) {
                prop_assert!(seen.contains(k), "{} in {}", k, config);
            }
        }
    }
}

/// The same programs every time: that a config can be read holds of nearly all, and `nub-bench weaves` measures of how
/// many.
const SEED: RngSeed = RngSeed::Fixed(1);

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn a_syntax_weave_has_the_versions_at_its_ends((language, old, new) in pair_of_programs()) {
        for detail in [Detail::Syntax, Detail::Parts] {
            let (patchwork, path) = woven_by(detail, language.path(), &old, &new);
            let text = |config: &Config| {
                String::from_utf8_lossy(&patchwork.entry(config, &path).unwrap().content).into_owned()
            };
            prop_assert_eq!(&text(&Config::empty()), &old);
            prop_assert_eq!(&text(&patchwork.full()), &new);
        }
    }

    #[test]
    fn every_closed_config_of_programs_can_be_read(
        (language, old, new) in pair_of_programs(), all_bits in prop::collection::vec(config(), 8),
        detail in prop::sample::select(vec![Detail::Syntax, Detail::Parts]),
    ) {
        let (patchwork, path) = woven_by(detail, language.path(), &old, &new);
        let certain = patchwork.couplings().into_iter().filter(|c| c.probability >= Coupling::CERTAIN);
        let couplings = Couplings::given(certain);
        let grammar = Language::of_path(language.path()).unwrap();
        let is_read = |text: &[u8]| !Tree::parse(grammar, text.into()).has_error();
        prop_assume!(is_read(old.as_bytes()) && is_read(new.as_bytes()));
        for bits in all_bits {
            let config = couplings.close(&pick(&bits, patchwork.changes().len()));
            let text = patchwork.entry(&config, &path).unwrap().content;
            let shown = String::from_utf8_lossy(&text);
            prop_assert!(is_read(&text), "{config} of\n{old}\n-----\n{new}\n-----\n{shown}");
        }
    }

    #[test]
    fn the_levels_of_programs_refine_each_other((language, old, new) in pair_of_programs()) {
        let (patchwork, _) = woven_by(Detail::Syntax, language.path(), &old, &new);
        let groupings = Level::ALL.map(|level| patchwork.grouping(level));
        for pair in groupings.windows(2) {
            for group in 0..pair[1].len() as u32 {
                let changes: Config = pair[1].changes(group).iter().copied().collect();
                prop_assert_eq!(pair[0].touched(&changes).len(), 1);
            }
        }
        for change in patchwork.changes() {
            prop_assert!(change.parent.is_none_or(|parent| parent < change.number));
        }
    }
}

fn woven_by(detail: Detail, name: &str, old: &str, new: &str) -> (Patchwork, RelPath) {
    let path = RelPath::try_from(name).unwrap();
    let version =
        |text: &str| -> Snapshot { [(path.clone(), Entry::file(text.as_bytes()))].into_iter().collect() };
    (Patchwork::by(detail, &version(old), &version(new)), path)
}

fn woven(old: &[u8], new: &[u8]) -> (Patchwork, RelPath) {
    let path = RelPath::try_from("f").unwrap();
    let version = |text: &[u8]| -> Snapshot { [(path.clone(), Entry::file(text))].into_iter().collect() };
    (Patchwork::between(&version(old), &version(new)), path)
}
