//! What a failed build says about which change needs which.
//!
//! A compiler names a place and a thing it misses there. Both lead back to changes: the place through the trace of
//! the rendered file, the thing through the words that changes put in or take away.
//!
//! ```text
//!   main.c:7: error: 'resize' undeclared
//!        |              |
//!        v              v
//!   line 7 is there     `resize` would be put in by change 12, which is not applied:
//!   by change 30        30 needs 12
//! ```
//!
//! The other way round: where an applied change takes a declaration away and the line that still uses it stays
//! because its own change is not applied, the first needs the second. These are hints with a probability, not
//! facts: a config that builds without one refutes it.

mod complaint;
mod mentions;
mod module;
mod scene;

pub use complaint::headline;

use crate::patchwork::Patchwork;
use crate::snapshot::RelPath;
use crate::weave::Choice;
use crate::words::words;
use complaint::{Complaint, Remedy, complaints};
pub(crate) use mentions::any_path;
use mentions::{Mentions, is_by_hand, is_name, written_in};
use nub_search::{Config, Coupling};
use scene::{Here, Scene, Surroundings, annotated, guards, located, new_lines, old_lines};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How sure a hint by name and place is.
const BY_NAME_AND_PLACE: f64 = 0.9;
/// How sure a hint by name alone is.
const BY_NAME: f64 = 0.75;
/// How sure a hint by two places is.
const BY_PLACES: f64 = 0.8;
/// How sure a hint by place alone is.
const BY_PLACE: f64 = 0.6;
/// How sure a hint by a line and the head of what it is in is.
const BY_HEAD: f64 = 0.5;
/// More pairs of definition and use than this say nothing about who needs whom, ...
const TOO_MANY: usize = 12;
/// ... unless all of them are about so few definitions.
const FEW: usize = 2;

/// More pairs than this, by name alone, say nothing either.
const TOO_VAGUE: usize = 4;

/// A function with more changes than this is not taken for a whole.
const LARGE_UNIT: usize = 200;

/// Which changes mention and define which words, for reading the messages of builds.
#[derive(Clone, Debug)]
pub struct Evidence {
    puts_in: Mentions,
    takes_away: Mentions,
    /// The changes on a line that mentions a word, whatever they do to it.
    beside: HashMap<Vec<u8>, BTreeSet<u32>>,
    /// The file of each change.
    file: Vec<u32>,
    /// The folder at the top that each file is in, ...
    top: Vec<Vec<u8>>,
    /// ... and what it is written in.
    written_in: Vec<String>,
    /// The changes in each function, or other part of a program, of a file.
    units: HashMap<(u32, u32), Vec<u32>>,
}

impl Evidence {
    /// Looks through the text of all changes.
    pub fn of(patchwork: &Patchwork) -> Evidence {
        let mut evidence = Evidence {
            puts_in: Mentions::default(),
            takes_away: Mentions::default(),
            beside: HashMap::new(),
            file: patchwork.marks.iter().map(|mark| mark.file).collect(),
            top: patchwork.files.iter().map(|file| top_folder(&file.path)).collect(),
            written_in: patchwork.files.iter().map(|file| written_in(&file.path)).collect(),
            units: HashMap::new(),
        };
        for (change, mark) in (0..).zip(&patchwork.marks) {
            evidence.units.entry((mark.file, mark.unit)).or_default().push(change);
        }
        for (number, file) in (0..).zip(&patchwork.files) {
            let sides = [(&mut evidence.takes_away, true), (&mut evidence.puts_in, false)];
            for (mentions, is_old) in sides {
                mentions.add(number, file, is_old);
            }
            let by_hand = file.weave.pieces().enumerate().filter(|(_, piece)| is_by_hand(piece.text));
            for (i, piece) in by_hand {
                let (before, after) = file.weave.around(i);
                let names = [before, piece.text, after].into_iter().flat_map(words);
                for word in names.filter(|word| word.len() > 1 && is_name(word)) {
                    let beside = evidence.beside.entry(word.to_vec()).or_default();
                    beside.extend(piece.when.iter().map(|literal| literal.change()));
                }
            }
        }
        evidence.puts_in.leave_out_shared(&mut evidence.takes_away);
        evidence
    }

    /// The couplings that the output of a failed build suggests.
    ///
    /// Some are broken in the config, and others are alike: where a definition is missing, all uses of its name need
    /// it, those too that are not applied.
    pub fn read(&self, patchwork: &Patchwork, config: &Config, output: &str) -> Vec<Coupling> {
        let mut found: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let complaints = complaints(output).into_iter();
        for complaint in complaints.flat_map(|complaint| located(patchwork, config, complaint)) {
            for (dependent, needed, probability) in self.blame(patchwork, config, &complaint) {
                let known = found.entry((dependent, needed)).or_insert(0.0);
                *known = known.max(probability);
            }
        }
        for pair in module::imports_lacking(patchwork, config, output) {
            found.entry(pair).or_insert(BY_NAME_AND_PLACE);
        }
        let coupling = |((dependent, needed), probability)| Coupling { dependent, needed, probability };
        found.into_iter().map(coupling).collect()
    }

    fn blame(&self, patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Vec<(u32, u32, f64)> {
        let scene = Scene { patchwork, config, here: Here::at(patchwork, config, complaint) };
        let mut blamed = self.between_places(&scene, complaint);
        let guards = guards(patchwork, config, complaint);
        let annotated = annotated(patchwork, config, complaint);
        for name in complaint.names.iter().chain(&guards).chain(&annotated) {
            self.blame_name(&scene, name, &mut blamed);
        }
        if blamed.is_empty() {
            for name in &scene.here.words {
                blamed.extend(self.reshaped(&scene, name, BY_PLACE));
            }
        }
        if blamed.is_empty() {
            blamed.extend(pairs(&scene.here.applied, &scene.here.absent, BY_PLACE));
        }
        if blamed.is_empty() {
            blamed.extend(self.around(&scene, complaint));
        }
        if blamed.is_empty() && complaint.is_compilers {
            let names = complaint.names.iter().chain(&annotated);
            blamed.extend(names.flat_map(|name| self.declared_twice(&scene, name)));
        }
        if blamed.is_empty() && complaint.is_compilers {
            blamed.extend(self.whole_function(&scene, complaint));
        }
        blamed
    }

    /// What is declared twice: a method and what it overrides or implements.
    fn declared_twice(&self, scene: &Scene<'_>, name: &str) -> Vec<(u32, u32, f64)> {
        let declared = [self.puts_in.all_definitions(name), self.takes_away.all_definitions(name)].concat();
        self.near(&scene.applied(&declared), &scene.absent(&declared), BY_NAME)
    }

    /// All changes of the function that a compiler refuses, one needing the next, where some of them are applied and
    /// others are not: two versions of a function hardly mix.
    fn whole_function(&self, scene: &Scene<'_>, complaint: &Complaint) -> Vec<(u32, u32, f64)> {
        let around = complaint.place.as_ref().map(|place| scene.around(place)).unwrap_or_default();
        let unit = |change: u32| {
            let mark = &scene.patchwork.marks[change as usize];
            self.units.get(&(mark.file, mark.unit))
        };
        let is_mixed = |unit: &&Vec<u32>| {
            unit.len() <= LARGE_UNIT && !scene.applied(unit).is_empty() && !scene.absent(unit).is_empty()
        };
        let mixed = around.into_iter().flatten().filter_map(unit).find(is_mixed);
        let Some(unit) = mixed else { return Vec::new() };
        let chain = [scene.applied(unit), scene.absent(unit)].concat();
        chain.windows(2).map(|pair| (pair[0], pair[1], BY_HEAD)).collect()
    }

    /// A line and those that it belongs to, where one is of the other version: what stands above it and is said of it,
    /// or the heads of what it is in.
    fn around(&self, scene: &Scene<'_>, complaint: &Complaint) -> Vec<(u32, u32, f64)> {
        let Some(place) = &complaint.place else { return Vec::new() };
        let Surroundings { said_of_it, heads, .. } = scene.surroundings(place);
        let split = |changes: &[u32]| (scene.applied(changes), scene.absent(changes));
        let (applied, absent) = split(&said_of_it);
        let mut found = pairs(&applied, &absent, BY_PLACE);
        if found.is_empty() {
            let (applied, absent) = split(&heads);
            found.extend(pairs(&applied, &scene.here.absent, BY_HEAD));
            found.extend(pairs(&scene.here.applied, &absent, BY_HEAD));
        }
        found.retain(|(dependent, needed, _)| dependent != needed);
        if found.len() <= TOO_MANY { found } else { Vec::new() }
    }

    /// A use and what it is a use of, where a complaint shows both and one of them is of the other version; or what it
    /// shows and what would mend it.
    fn between_places(&self, scene: &Scene<'_>, complaint: &Complaint) -> Vec<(u32, u32, f64)> {
        let at = |place: &(String, usize)| {
            let there = Complaint { place: Some(place.clone()), ..Complaint::default() };
            Here::at(scene.patchwork, scene.config, &there)
        };
        let also: Vec<Here> = complaint.also.iter().map(at).collect();
        let mut found = Vec::new();
        let named = |changes: &[u32]| self.those_that_name(changes, &complaint.names);
        for there in &also {
            found.extend(self.near(&named(&scene.here.applied), &named(&there.absent), BY_PLACES));
            found.extend(self.near(&named(&there.applied), &named(&scene.here.absent), BY_PLACES));
        }
        if found.is_empty() && !also.is_empty() {
            let header = self.header(scene, complaint);
            let (applied, absent) = (scene.applied(&header), scene.absent(&header));
            for there in &also {
                found.extend(self.near(&applied, &named(&there.absent), BY_NAME));
                found.extend(self.near(&named(&there.applied), &absent, BY_NAME));
            }
        }
        for remedy in &complaint.remedies {
            let (given, taken) = self.mending(scene, remedy);
            for there in also.iter().chain([&scene.here]) {
                found.extend(self.near(&there.applied, &given, BY_PLACES));
                found.extend(self.near(&taken, &there.absent, BY_PLACES));
            }
            if given.is_empty() && taken.is_empty() {
                // What is there is declared otherwise than it was: `T: Bound`, where `Bound` has lost what it gave.
                let beside = remedy.beside.iter();
                found.extend(beside.flat_map(|name| self.reshaped(scene, name, BY_PLACES)));
            }
        }
        found.retain(|(dependent, needed, _)| dependent != needed);
        found
    }

    /// The changes in the headers of what a complaint is in that are beside a name of it: what is asked of whoever is
    /// called must be asked of the caller too.
    fn header(&self, scene: &Scene<'_>, complaint: &Complaint) -> Vec<u32> {
        let Some(place) = &complaint.place else { return Vec::new() };
        let named = complaint.names.iter().filter_map(|name| self.beside.get(name.as_bytes()));
        let named: BTreeSet<u32> = named.flatten().copied().collect();
        scene.surroundings(place).headers.intersection(&named).copied().collect()
    }

    /// Of several changes on a line those that put in or take away a name in question, or else all.
    fn those_that_name(&self, changes: &[u32], names: &[String]) -> Vec<u32> {
        let of =
            |mentions: &Mentions, name: &str| [mentions.uses(name), &mentions.all_definitions(name)].concat();
        let naming: BTreeSet<u32> = names
            .iter()
            .flat_map(|name| [of(&self.puts_in, name), of(&self.takes_away, name)].concat())
            .filter(|change| changes.contains(change))
            .collect();
        if naming.is_empty() { changes.to_vec() } else { naming.into_iter().collect() }
    }

    /// The changes that would put in what mends a complaint, and those that took it away: next to where it is wanted, or
    /// else in the same file.
    fn mending(&self, scene: &Scene<'_>, remedy: &Remedy) -> (Vec<u32>, Vec<u32>) {
        let all = |mentions: &Mentions| -> Vec<u32> {
            remedy.names.iter().flat_map(|name| mentions.uses(name)).copied().collect()
        };
        let (given, taken) = (scene.absent(&all(&self.puts_in)), scene.applied(&all(&self.takes_away)));
        let within = |changes: &[u32]| -> (Vec<u32>, Vec<u32>) {
            let near = |all: &[u32]| all.iter().copied().filter(|change| changes.contains(change)).collect();
            (near(&given), near(&taken))
        };
        let around = scene.around(&remedy.place);
        let next = around
            .iter()
            .map(|changes| within(changes))
            .find(|(given, taken)| !(given.is_empty() && taken.is_empty()));
        next.unwrap_or_else(|| {
            let file = scene.file(&remedy.place);
            let is_there = |change: &u32| file == Some(self.file[*change as usize]);
            let inside: Vec<u32> = given.iter().chain(&taken).copied().filter(is_there).collect();
            if inside.len() <= TOO_VAGUE { within(&inside) } else { Default::default() }
        })
    }

    /// Adds what a name in a complaint tells; the vaguer ways only where nothing is known yet.
    fn blame_name(&self, scene: &Scene<'_>, name: &str, blamed: &mut Vec<(u32, u32, f64)>) {
        let Scene { patchwork, here, .. } = scene;
        let of_others = blamed.len();
        // What is used would be defined by a change that is not applied: the use needs it.
        let users = scene.applied(self.puts_in.uses(name));
        let from = if here.applied.is_empty() { &users } else { &here.applied };
        let missing = scene.absent(&self.puts_in.definitions(name, &new_lines(patchwork, from)));
        blamed.extend(self.near(&here.applied, &missing, BY_NAME_AND_PLACE));
        // What is still used was defined where an applied change took it away: that needs the use to go too.
        let goers = scene.absent(self.takes_away.uses(name));
        let from = if here.absent.is_empty() { &goers } else { &here.absent };
        let lost = scene.applied(&self.takes_away.definitions(name, &old_lines(patchwork, from)));
        blamed.extend(self.near(&lost, &here.absent, BY_NAME_AND_PLACE));
        if blamed.is_empty() {
            blamed.extend(self.by_scope(scene, name, &users, &goers));
        }
        if blamed.is_empty() {
            blamed.extend(self.near(&users, &missing, BY_NAME));
            blamed.extend(self.near(&lost, &goers, BY_NAME));
            // What has come from one place comes from another: an import, most often.
            let lost = scene.applied(&self.takes_away.all_definitions(name));
            let elsewhere = [&self.puts_in.all_definitions(name), self.puts_in.uses(name)].concat();
            blamed.extend(self.within_file(&lost, &scene.absent(&elsewhere), BY_NAME));
        }
        if blamed.is_empty() {
            blamed.extend(self.reshaped(scene, name, BY_NAME));
        }
        if blamed.is_empty() {
            let mentioned = |of: &Mentions| [&of.definitions(name, &[]), of.uses(name)].concat();
            let all = [mentioned(&self.puts_in), mentioned(&self.takes_away)].concat();
            blamed.extend(few_pairs(&scene.applied(&all), &scene.absent(&all)));
        }
        if blamed.is_empty() {
            let all: Vec<u32> = self.beside.get(name.as_bytes()).into_iter().flatten().copied().collect();
            blamed.extend(few_pairs(&scene.applied(&all), &scene.absent(&all)));
        }
        blamed.extend(self.alike(name, &blamed[of_others..], &missing, &lost));
    }

    /// Uses whose own definition is not there, and definitions that went before a use that knows no other.
    fn by_scope(&self, scene: &Scene<'_>, name: &str, users: &[u32], goers: &[u32]) -> Vec<(u32, u32, f64)> {
        let mut found = Vec::new();
        for &user in users {
            let seen = self.puts_in.inner_definitions(name, &new_lines(scene.patchwork, &[user]));
            if scene.applied(&seen).is_empty() {
                found.extend(pairs(&[user], &scene.absent(&seen), BY_NAME));
            }
        }
        for &goer in goers {
            let seen = self.takes_away.inner_definitions(name, &old_lines(scene.patchwork, &[goer]));
            if scene.absent(&seen).is_empty() {
                found.extend(pairs(&scene.applied(&seen), &[goer], BY_NAME));
            }
        }
        found.retain(|(dependent, needed, _)| dependent != needed);
        if found.len() <= 2 * TOO_MANY { found } else { Vec::new() }
    }

    /// A name that is declared otherwise than the line that uses it expects: whichever of the two is new needs the
    /// other to be new as well.
    fn reshaped(&self, scene: &Scene<'_>, name: &str, probability: f64) -> Vec<(u32, u32, f64)> {
        let Scene { patchwork, here, .. } = scene;
        let (new, old) = (new_lines(patchwork, &here.applied), old_lines(patchwork, &here.absent));
        let shapes = [self.puts_in.shapes(name, &new), self.takes_away.shapes(name, &old)].concat();
        let mut found = self.near(&scene.applied(&shapes), &here.absent, probability);
        found.extend(self.near(&here.applied, &scene.absent(&shapes), probability));
        found.retain(|(dependent, needed, _)| dependent != needed);
        found
    }

    /// Pairs within a file.
    fn within_file(&self, dependents: &[u32], needed: &[u32], probability: f64) -> Vec<(u32, u32, f64)> {
        let mut pairs = pairs(dependents, needed, probability);
        pairs.retain(|pair| self.file[pair.0 as usize] == self.file[pair.1 as usize]);
        if pairs.len() <= TOO_MANY { pairs } else { Vec::new() }
    }

    /// What holds of other uses of a name in the same file, where uses need a single definition, or the taking away of
    /// one needs the uses to go.
    fn alike(
        &self,
        name: &str,
        blamed: &[(u32, u32, f64)],
        missing: &[u32],
        lost: &[u32],
    ) -> Vec<(u32, u32, f64)> {
        let same_file = |a: u32, b: u32| self.file[a as usize] == self.file[b as usize];
        let only = |mut changes: Vec<u32>| {
            changes.sort_unstable();
            changes.dedup();
            if let [one] = changes[..] { Some(one) } else { None }
        };
        let defining =
            only(blamed.iter().map(|pair| pair.1).filter(|needed| missing.contains(needed)).collect());
        let undefining =
            only(blamed.iter().map(|pair| pair.0).filter(|taking| lost.contains(taking)).collect());
        let mut alike = Vec::new();
        for &(dependent, needed, probability) in blamed {
            if Some(needed) == defining {
                let uses = self.puts_in.uses(name).iter().filter(|&&user| same_file(user, dependent));
                alike.extend(uses.map(|&user| (user, needed, probability)));
            }
            if Some(dependent) == undefining {
                let uses = self.takes_away.uses(name).iter().filter(|&&user| same_file(user, needed));
                alike.extend(uses.map(|&user| (dependent, user, probability)));
            }
        }
        alike.retain(|(dependent, needed, _)| dependent != needed);
        alike.sort_by_key(|&(dependent, needed, _)| (dependent, needed));
        alike.dedup_by_key(|(dependent, needed, _)| (*dependent, *needed));
        alike
    }

    /// Pairs within a file, where both sides have changes in one; else within a folder at the top, which tells sources
    /// from what is made of them; else all pairs of the same language. Too many say nothing.
    fn near(&self, dependents: &[u32], needed: &[u32], probability: f64) -> Vec<(u32, u32, f64)> {
        let files = |pair: &(u32, u32, f64)| [pair.0, pair.1].map(|change| self.file[change as usize]);
        let mut all = pairs(dependents, needed, probability);
        all.retain(|pair| {
            let [a, b] = files(pair);
            self.written_in[a as usize] == self.written_in[b as usize]
        });
        let is_same = |[a, b]: [u32; 2]| a == b;
        let is_close = |[a, b]: [u32; 2]| self.top[a as usize] == self.top[b as usize];
        let within = |near: &dyn Fn([u32; 2]) -> bool| -> Option<Vec<(u32, u32, f64)>> {
            let pairs: Vec<_> = all.iter().filter(|pair| near(files(pair))).copied().collect();
            Some(pairs).filter(|pairs| !pairs.is_empty())
        };
        let chosen = within(&is_same).or_else(|| within(&is_close)).unwrap_or_else(|| all.clone());
        let few = dependents.len() <= FEW || needed.len() <= FEW;
        if few || chosen.len() <= TOO_MANY { chosen } else { Vec::new() }
    }
}

/// The first part of a file's path, if it is in a folder.
fn top_folder(path: &Choice<RelPath>) -> Vec<u8> {
    let first = any_path(path);
    let end = first.iter().position(|&b| b == b'/').unwrap_or(0);
    first[..end].to_vec()
}

fn pairs(dependents: &[u32], needed: &[u32], probability: f64) -> Vec<(u32, u32, f64)> {
    let pair = |a: &u32| needed.iter().map(move |b| (*a, *b, probability)).collect::<Vec<_>>();
    dependents.iter().flat_map(pair).collect()
}

/// All pairs, if they are few enough to say something.
fn few_pairs(dependents: &[u32], needed: &[u32]) -> Vec<(u32, u32, f64)> {
    let few = dependents.len() * needed.len() <= TOO_VAGUE;
    if few { pairs(dependents, needed, BY_NAME) } else { Vec::new() }
}

#[cfg(test)]
mod tests;
