//! Couplings from rules: what the languages themselves say about which change needs which.
//!
//! DDJ (Hashimoto, Mori, Izumida, ESEC/FSE 2018) couples tree edits by some five hundred queries, most of them one law
//! of Java turned many ways: put in a method before its call, take a call away before its method, change both names
//! at once. Here the law is stated once, about programs and not about edits (a call has a method), and the ways
//! follow from where the facts that it speaks of are true; see `clause`. So the rules do not care whether the changes
//! are lines or syntax nodes.
//!
//! ```text
//!   both versions --Reader--> facts, each with a condition --Laws--> demands --judge--> couplings
//! ```
//!
//! A coupling from a rule is likely, not certain: names are not resolved by type, and what is imported from elsewhere
//! is not looked at. A build that succeeds without one refutes it.

mod brackets;
mod clause;
pub mod declarations;
mod fact;
mod grammar;
mod laws;
mod reader;
pub mod refactoring;
mod retyped;
mod rule;
#[cfg(test)]
mod tests;

pub use rule::Rule;

use crate::change::nesting;
use crate::patchwork::Patchwork;
use crate::side::Side;
use crate::snapshot::{Entry, RelPath};
use crate::weave::Literal;
use clause::{Clause, Verdict, judge};
use fact::{Fact, Facts, Name};
use grammar::Grammar;
use laws::Scope;
use nub_search::{Config, Coupling};
use nub_syntax::{Language, Tree};
use reader::{Read, Reader, module_names};
use refactoring::Refactoring;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A coupling and the rule it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruled {
    /// Which change needs which, and how likely.
    pub coupling: Coupling,
    /// The rule that says so.
    pub rule: Rule,
}

/// Larger files are not read: they are mostly data or made by programs.
const LARGE: usize = 16 << 20;

/// How much less sure a rule is about a name for which it fails in one of the versions.
const DOUBTED: f64 = 0.5;

/// So many declarations of a name may all be meant by its uses.
const FEW_WAYS: usize = 3;

/// What can be blamed in more ways than these says nothing of any.
const MANY_WAYS: usize = 64;

/// All that the rules tell about the changes between two versions.
pub struct Findings {
    /// The couplings, in order of their changes; the surest rule speaks for each.
    pub couplings: Vec<Ruled>,
    /// The refactorings, by kind.
    pub refactorings: Vec<Refactoring>,
}

/// The couplings that follow from the rules, in order of their changes; the surest rule speaks for each.
pub fn couplings(patchwork: &Patchwork) -> Vec<Ruled> {
    findings(patchwork).couplings
}

/// The couplings that follow from the rules, and the refactorings.
pub fn findings(patchwork: &Patchwork) -> Findings {
    let (all, refactorings) = by_rule(patchwork);
    let mut surest: Vec<Ruled> = Vec::new();
    for ruled in all {
        let pair = |ruled: &Ruled| (ruled.coupling.dependent, ruled.coupling.needed);
        match surest.last_mut() {
            Some(last) if pair(last) == pair(&ruled) => {
                if ruled.coupling.probability > last.coupling.probability {
                    *last = ruled;
                }
            }
            _ => surest.push(ruled),
        }
    }
    Findings { couplings: surest, refactorings }
}

/// The couplings that follow from each rule, and the refactorings.
fn by_rule(patchwork: &Patchwork) -> (Vec<Ruled>, Vec<Refactoring>) {
    let mut read = read(patchwork);
    let refactorings = refactoring::of_read(patchwork, &read);
    retyped::find(&mut read);
    brackets::pair(&mut read);
    cool(&mut read);
    read.laws.run();
    let mut ruled = couple(patchwork, &read);
    ruled.extend(refactorings.iter().flat_map(Refactoring::ring));
    ruled.sort_by_key(|r| (r.coupling.dependent, r.coupling.needed, r.rule));
    ruled.dedup();
    (ruled, refactorings)
}

fn read(patchwork: &Patchwork) -> Read {
    let mut read = Read::default();
    let always = read.facts.fact((u32::MAX, 0, 0), vec![]);
    read.laws.always.push((always,));
    // A header says by its company whether it is C or C++.
    let mut paths = patchwork.at.keys().chain(patchwork.common.paths());
    let has_cpp = paths.any(|path| language_of(path) == Some(cpp()));
    for (number, file) in (0..).zip(&patchwork.files) {
        for (condition, path) in file.path.alternatives() {
            for module in module_names(path.as_bytes()) {
                let fact = read.facts.fact((number, u32::MAX, u32::MAX), condition.clone());
                let module = read.facts.name(&module);
                read.laws.file.push((fact, module));
            }
            // The folder `a/b` is that of the packages `a.b` and `b`.
            let parts: Vec<&[u8]> = path.as_bytes().split(|&b| b == b'/').collect();
            let scope = file_scope(&mut read.facts, number);
            for start in 0..parts.len() - 1 {
                let fact = read.facts.fact((number, u32::MAX, u32::MAX), condition.clone());
                let package = read.facts.name(&parts[start..parts.len() - 1].join(&b'.'));
                read.laws.lies_in.push((fact, scope, package));
            }
        }
        for Parsed { path, tree, side, grammar } in parsed(patchwork, number, has_cpp) {
            Reader::read(&mut read, number, path.as_bytes(), &tree, &side, grammar);
        }
    }
    // What no change touches is there as well.
    let wanted: HashSet<Name> = read.laws.imports_file.iter().map(|(_, module)| *module).collect();
    for path in patchwork.common.paths() {
        for module in module_names(path.as_bytes()) {
            let module = read.facts.name(&module);
            if wanted.contains(&module) {
                let fact = read.facts.fact((u32::MAX, 0, 0), vec![]);
                read.laws.file.push((fact, module));
            }
        }
    }
    read
}

/// One version of a file, parsed.
struct Parsed<'a> {
    path: &'a RelPath,
    tree: Tree,
    side: Side<'a>,
    grammar: &'static Grammar,
}

/// The old and the new version of a file, as far as each is there and written in a language that the rules know.
fn parsed(patchwork: &Patchwork, number: u32, has_cpp: bool) -> impl Iterator<Item = Parsed<'_>> {
    let file = &patchwork.files[number as usize];
    [(Config::empty(), true), (patchwork.full(), false)].into_iter().filter_map(move |(config, is_old)| {
        let path = file.path.get(&config)?;
        let text = file.weave.render(&config);
        let language = match language_of(path)? {
            language if language.name() == "c" && has_cpp && path.as_bytes().ends_with(b".h") => cpp(),
            language => language,
        };
        let grammar = Grammar::of(language.name())?;
        let is_read = text.len() <= LARGE && Entry::file(text.clone()).is_text();
        is_read.then(|| {
            let side = match is_old {
                true => Side::old(number, &file.weave),
                false => Side::new(number, &file.weave),
            };
            Parsed { path, tree: Tree::parse(language, text), side, grammar }
        })
    })
}

fn cpp() -> Language {
    Language::named("cpp").expect("the rules know C++")
}

fn language_of(path: &RelPath) -> Option<Language> {
    std::str::from_utf8(path.as_bytes()).ok().and_then(Language::of_path)
}

/// The scope of a file.
fn file_scope(facts: &mut Facts, number: u32) -> Scope {
    facts.name(format!("file {number}").as_bytes())
}

/// Leaves out facts about names of which nothing changes: most of a program, and no rule can use them.
fn cool(read: &mut Read) {
    let hot = &read.hot;
    let laws = &mut read.laws;
    laws.defines.retain(|fact| hot.contains(&fact.2));
    laws.member.retain(|fact| hot.contains(&fact.1));
    laws.takes.retain(|fact| hot.contains(&fact.1));
    laws.uses.retain(|fact| hot.contains(&fact.2));
    laws.uses_member.retain(|fact| hot.contains(&fact.1));
    laws.uses_from.retain(|fact| hot.contains(&fact.1));
    laws.calls.retain(|fact| hot.contains(&fact.1));
    laws.calls_member.retain(|fact| hot.contains(&fact.1));
    laws.calls_in.retain(|fact| hot.contains(&fact.1));
    laws.unique.retain(|fact| hot.contains(&fact.2));
    laws.reads.retain(|fact| hot.contains(&fact.1));
    laws.bare.retain(|fact| hot.contains(&fact.1));
    laws.unpacks.retain(|fact| hot.contains(&fact.1));
    laws.gives.retain(|fact| hot.contains(&fact.1));
    laws.passes.retain(|fact| hot.contains(&fact.1) || hot.contains(&fact.4));
    for relation in [&mut laws.abstracts, &mut laws.implements] {
        relation.retain(|fact| hot.contains(&fact.1));
    }
    for relation in [&mut laws.inside, &mut laws.module] {
        relation.sort_unstable();
        relation.dedup();
    }
}

/// What a rule asks for in the presence of one or two facts.
type Demand = (Rule, Name, Fact, Fact);

fn couple(patchwork: &Patchwork, read: &Read) -> Vec<Ruled> {
    let mut demands: BTreeMap<Demand, Vec<Fact>> = BTreeMap::new();
    for &(rule, topic, a, b, c) in &read.laws.meets {
        demands.entry((rule, topic, a, b)).or_default().push(c);
    }
    for &(rule, topic, a, b) in &read.laws.clash {
        demands.entry((rule, topic, a, b)).or_default();
    }
    let mut doubted: HashSet<(Rule, Name)> = HashSet::new();
    let mut stated: Vec<(Rule, Name, Clause)> = Vec::new();
    for (&(rule, topic, a, b), alternatives) in &demands {
        let premise = [read.facts.condition(a), read.facts.condition(b)].concat();
        let alternatives: Vec<&[Literal]> = alternatives.iter().map(|&c| read.facts.condition(c)).collect();
        match judge(&premise, &alternatives) {
            Verdict::Holds => {}
            Verdict::Broken => drop(doubted.insert((rule, topic))),
            Verdict::Clauses(all) => stated.extend(all.into_iter().map(|clause| (rule, topic, clause))),
        }
    }
    let mut times: HashMap<(Rule, Name), i32> = HashMap::new();
    for (rule, topic, _) in &stated {
        *times.entry((*rule, *topic)).or_default() += 1;
    }
    let nesting = Nesting::of(patchwork);
    let mut found: BTreeMap<(u32, u32, Rule), f64> = BTreeMap::new();
    for (rule, topic, clause) in stated {
        let is_doubted = topic != laws::NOTHING && doubted.contains(&(rule, topic));
        let prior = rule.prior() * if is_doubted { DOUBTED } else { 1.0 };
        let may_mean_all = topic != laws::NOTHING && clause.asks_apart;
        let Clause { given, wanted, .. } = nesting.shorten(clause);
        // Of several that can be to blame, each is as likely as the other. But where many uses are each about one of
        // two or three declarations in a file, hardly any of these is about none.
        let ways = given.len() * wanted.len();
        if ways > MANY_WAYS {
            continue;
        }
        let is_one = |all: &BTreeSet<u32>| {
            let files: BTreeSet<u32> = all.iter().map(|&k| patchwork.marks[k as usize].file).collect();
            files.len() == 1
        };
        let mean_all = may_mean_all && ways <= FEW_WAYS && is_one(&given) && is_one(&wanted);
        let uses = if mean_all { times[&(rule, topic)] } else { 1 };
        let probability = prior * (1.0 - (1.0 - 1.0 / ways as f64).powi(uses));
        for (a, b) in given.iter().flat_map(|&a| wanted.iter().map(move |&b| (a, b))) {
            let known = found.entry((a, b, rule)).or_insert(0.0);
            *known = known.max(probability);
        }
    }
    let ruled = |((dependent, needed, rule), probability)| Ruled {
        coupling: Coupling { dependent, needed, probability },
        rule,
    };
    found.into_iter().filter(|((a, b, _), _)| a != b && !nesting.knows(*a, *b)).map(ruled).collect()
}

/// What is certain already.
struct Nesting(HashMap<u32, Vec<u32>>);

impl Nesting {
    fn of(patchwork: &Patchwork) -> Nesting {
        let mut needs: HashMap<u32, Vec<u32>> = HashMap::new();
        for coupling in nesting(&patchwork.changes) {
            needs.entry(coupling.dependent).or_default().push(coupling.needed);
        }
        Nesting(needs)
    }

    fn knows(&self, dependent: u32, needed: u32) -> bool {
        self.0.get(&dependent).is_some_and(|all| all.contains(&needed))
    }

    /// Leaves out what others in the clause say already: a change given with one that needs it, one wanted beside
    /// one that it needs.
    fn shorten(&self, clause: Clause) -> Clause {
        let Clause { given, wanted, asks_apart } = clause;
        let needs = |k: &u32| self.0.get(k).map_or(&[][..], Vec::as_slice);
        let implied: HashSet<u32> = given.iter().flat_map(needs).copied().collect();
        let implies = |k: &u32| needs(k).iter().any(|other| other != k && wanted.contains(other));
        Clause {
            given: given.iter().copied().filter(|k| !implied.contains(k)).collect(),
            wanted: wanted.iter().copied().filter(|k| !implies(k)).collect(),
            asks_apart,
        }
    }
}
