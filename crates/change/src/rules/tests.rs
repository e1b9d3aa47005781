//! Each rule on a pair of small programs: all that it says of changes by lines, and that it holds by syntax too.

mod classes;
mod flow;
mod languages;
mod names;
mod text;

use super::*;
use crate::change::Change;
use crate::patchwork::Detail;
use crate::snapshot::{RelPath, Snapshot};
use nub_search::Couplings;

pub(super) type Files<'a> = &'a [(&'a str, &'a str)];

pub(super) fn version(files: Files<'_>) -> Snapshot {
    let entry = |(path, text): &(&str, &str)| (RelPath::new(path).unwrap(), Entry::file(text.as_bytes()));
    files.iter().map(entry).collect()
}

/// Two programs, and which couplings follow from a rule.
pub(super) struct Pair {
    old: Snapshot,
    new: Snapshot,
    patchwork: Patchwork,
    ruled: Vec<Ruled>,
}

impl Pair {
    pub(super) fn of(old: Files<'_>, new: Files<'_>) -> Pair {
        Pair::by(Detail::Lines, version(old), version(new))
    }

    fn by(detail: Detail, old: Snapshot, new: Snapshot) -> Pair {
        let patchwork = Patchwork::by(detail, &old, &new);
        let (ruled, _) = by_rule(&patchwork);
        Pair { old, new, patchwork, ruled }
    }

    /// The change that takes away (`-text`) or puts in (`+text`) a line with this text, or does something to a file.
    fn change(&self, said: &str) -> u32 {
        let found = self.touching(said);
        assert!(!found.is_empty(), "no change {said:?} in {:#?}", self.said());
        found[0]
    }

    fn said(&self) -> Vec<String> {
        let say = |c: &Change| {
            let (old, new) = (lines_at(&self.old, c.old.as_ref()), lines_at(&self.new, c.new.as_ref()));
            format!("{} {} -{:?} +{:?}", c.number, c.path(), old, new)
        };
        self.patchwork.changes().iter().map(say).collect()
    }

    /// All that a rule says with enough certainty to be followed is this.
    pub(super) fn check(&self, rule: Rule, expected: &[(&str, &str)]) -> &Pair {
        let is_it = |r: &&Ruled| r.rule == rule && r.coupling.probability >= 0.5;
        let found: Vec<(u32, u32)> =
            self.ruled.iter().filter(is_it).map(|r| (r.coupling.dependent, r.coupling.needed)).collect();
        let mut wanted: Vec<(u32, u32)> =
            expected.iter().map(|(a, b)| (self.change(a), self.change(b))).collect();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{rule} in {:#?}\n{:#?}", self.said(), self.ruled);
        self.check_by_syntax(rule, expected);
        self
    }

    /// Where changes are parts of the syntax, one of those on a line still leads to the other line.
    fn check_by_syntax(&self, rule: Rule, expected: &[(&str, &str)]) {
        if rule == Rule::Refactored {
            // It is told by texts that lines keep whole.
            return;
        }
        let pair = Pair::by(Detail::Syntax, self.old.clone(), self.new.clone());
        let couplings = pair.couplings();
        for (dependent, needed) in expected {
            let (from, to) = (pair.touching(dependent), pair.touching(needed));
            let leads = from.iter().any(|&change| {
                let closed = couplings.close(&[change].into());
                to.iter().any(|change| closed.contains(*change))
            });
            assert!(
                from.is_empty() || to.is_empty() || leads,
                "{rule}: {dependent:?} does not lead to {needed:?} in {:#?}\n{:#?}\n{:?}",
                pair.said(),
                pair.ruled,
                pair.patchwork.couplings(),
            );
        }
    }

    /// All couplings, certain and likely.
    fn couplings(&self) -> Couplings {
        let ruled = self.ruled.iter().map(|ruled| ruled.coupling);
        Couplings::given(self.patchwork.couplings().into_iter().chain(ruled))
    }

    /// The same pair by syntax, and its couplings.
    pub(super) fn by_syntax(&self) -> (Patchwork, Couplings) {
        let pair = Pair::by(Detail::Syntax, self.old.clone(), self.new.clone());
        let couplings = pair.couplings();
        (pair.patchwork, couplings)
    }

    /// The changes that touch a line that the old version has (`-text`) or the new one (`+text`).
    fn touching(&self, said: &str) -> Vec<u32> {
        let (sign, text) = said.split_at(1);
        let touches = |change: &&Change| match sign {
            "-" => lines_at(&self.old, change.old.as_ref()).contains(text),
            "+" => lines_at(&self.new, change.new.as_ref()).contains(text),
            _ => change.path().to_string() == said,
        };
        self.patchwork.changes().iter().filter(touches).map(|change| change.number).collect()
    }
}

fn lines_at(version: &Snapshot, place: Option<&crate::Place>) -> String {
    let Some(place) = place else { return String::new() };
    let Some(entry) = version.get(&place.path) else { return String::new() };
    let text = String::from_utf8_lossy(&entry.content).into_owned();
    text.lines().skip(place.lines.start).take(place.lines.len()).collect::<Vec<_>>().join("\n")
}

/// Checks what a rule says about two versions of one file.
pub(super) fn check(rule: Rule, path: &str, old: &str, new: &str, expected: &[(&str, &str)]) {
    Pair::of(&[(path, old)], &[(path, new)]).check(rule, expected);
}

#[test]
fn every_rule_has_a_name_of_its_own_and_a_sentence() {
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
    for rule in Rule::ALL {
        assert!(
            rule.sentence().ends_with('.') && (0.5..=Coupling::CERTAIN).contains(&rule.prior()),
            "{rule}"
        );
        assert!(rule.languages().iter().all(|name| Language::named(name).is_some()), "{rule}");
    }
}

#[test]
fn a_rule_that_fails_for_a_name_in_one_version_is_doubted() {
    // `size` is also somebody else's: the old version uses it without a definition that we know.
    let old = "class A {\n  int f(Object o) { return o.size(); }\n  int g() { return 0; }\n}\n";
    let new = "class A {\n  int f(Object o) { return o.size(); }\n  int size() { return 1; }\n  int x;\n  int g() { return b.size(); }\n}\n";
    check(Rule::Member, "A.java", old, new, &[]);
    check(
        Rule::Member,
        "A.java",
        &old.replace("o.size()", "1"),
        &new.replace("o.size()", "1"),
        &[("+b.size()", "+int size")],
    );
}

#[test]
fn the_surest_rule_speaks_for_a_coupling() {
    let pair = Pair::of(
        &[("a.c", "int g(void) { return 1; }\n\n\nint main(void) { return 0; }\n")],
        &[("a.c", "int f(void) { return 1; }\n\n\nint main(void) { return f(); }\n")],
    );
    let pairs: Vec<(u32, u32)> =
        couplings(&pair.patchwork).iter().map(|r| (r.coupling.dependent, r.coupling.needed)).collect();
    assert_eq!(pairs, [(pair.change("+f()"), pair.change("+int f"))]);
    assert!(pair.ruled.len() > 1, "several rules say it: {:?}", pair.ruled);
}

#[test]
fn texts_that_are_no_programs_say_nothing_and_break_nothing() {
    let odd =
        ["", "\n", "}{)(", "class", "def f(", "\u{feff}int", "#if\n#endif\n#endif", "a\0b", "((((((((("];
    for path in ["a.c", "a.cpp", "A.java", "a.py", "a.js", "a.ts", "a.rs", "a.go", "a.txt", "Makefile"] {
        for old in odd {
            for new in odd {
                for detail in [Detail::Lines, Detail::Syntax] {
                    Pair::by(detail, version(&[(path, old)]), version(&[(path, new)]));
                }
            }
        }
    }
}
