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

pub use complaint::headline;

use crate::change::{Change, Place};
use crate::patchwork::Patchwork;
use crate::snapshot::RelPath;
use crate::weave::Choice;
use crate::words::words;
use complaint::{Complaint, complaints};
use mentions::{Lines, Mentions, any_path, is_by_hand, is_name, written_in};
use nub_search::{Config, Coupling};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How sure a hint by name and place is.
const BY_NAME_AND_PLACE: f64 = 0.9;
/// How sure a hint by name alone is.
const BY_NAME: f64 = 0.75;
/// How sure a hint by two places is.
const BY_PLACES: f64 = 0.8;
/// How sure a hint by place alone is.
const BY_PLACE: f64 = 0.6;
/// More pairs of definition and use than this say nothing about who needs whom, ...
const TOO_MANY: usize = 12;
/// ... unless all of them are about so few definitions.
const FEW: usize = 2;

/// More pairs than this, by name alone, say nothing either.
const TOO_VAGUE: usize = 4;

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
        };
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
        for complaint in complaints(output) {
            for (dependent, needed, probability) in self.blame(patchwork, config, &complaint) {
                let known = found.entry((dependent, needed)).or_insert(0.0);
                *known = known.max(probability);
            }
        }
        let coupling = |((dependent, needed), probability)| Coupling { dependent, needed, probability };
        found.into_iter().map(coupling).collect()
    }

    fn blame(&self, patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Vec<(u32, u32, f64)> {
        let scene = Scene { patchwork, config, here: Here::at(patchwork, config, complaint) };
        let mut blamed = self.between_places(&scene, &complaint.also);
        let guards = guards(patchwork, config, complaint);
        for name in complaint.names.iter().chain(&guards) {
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
        blamed
    }

    /// A use and what it is a use of, where a complaint shows both and one of them is of the other version.
    fn between_places(&self, scene: &Scene<'_>, also: &[(String, usize)]) -> Vec<(u32, u32, f64)> {
        let mut found = Vec::new();
        for place in also {
            let also = Complaint { place: Some(place.clone()), ..Complaint::default() };
            let there = Here::at(scene.patchwork, scene.config, &also);
            found.extend(self.near(&scene.here.applied, &there.absent, BY_PLACES));
            found.extend(self.near(&there.applied, &scene.here.absent, BY_PLACES));
        }
        found.retain(|(dependent, needed, _)| dependent != needed);
        found
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

/// The names in the condition of a complaint that the program makes itself, by `#error`.
fn guards(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Vec<String> {
    let place = complaint.place.as_ref().and_then(|(path, line)| Some((find(patchwork, path)?, *line)));
    let Some((path, line)) = place else { return Vec::new() };
    let Some(entry) = patchwork.entry(config, path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&entry.content);
    let directive = |line: &str| line.trim_start().strip_prefix('#').map(|rest| rest.trim_start().to_owned());
    let lines: Vec<&str> = text.lines().take(line + 1).collect();
    if !lines.get(line).and_then(|line| directive(line)).is_some_and(|rest| rest.starts_with("error")) {
        return Vec::new();
    }
    let condition = lines.iter().rev().find_map(|line| directive(line).filter(|rest| is_condition(rest)));
    let condition = condition.unwrap_or_default();
    let names = words(condition.as_bytes()).skip(1).filter(|word| is_name(word));
    names.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn is_condition(directive: &str) -> bool {
    directive.starts_with("if") || directive.starts_with("elif")
}

/// What was built, and where a complaint of it is.
struct Scene<'a> {
    patchwork: &'a Patchwork,
    config: &'a Config,
    here: Here,
}

impl Scene<'_> {
    fn applied(&self, changes: &[u32]) -> Vec<u32> {
        changes.iter().copied().filter(|change| self.config.contains(*change)).collect()
    }

    fn absent(&self, changes: &[u32]) -> Vec<u32> {
        changes.iter().copied().filter(|change| !self.config.contains(*change)).collect()
    }
}

/// The changes around the place of a complaint.
#[derive(Default)]
struct Here {
    applied: Vec<u32>,
    absent: Vec<u32>,
    /// The names on the line.
    words: Vec<String>,
}

impl Here {
    fn at(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Here {
        let Some((path, line)) = &complaint.place else { return Here::default() };
        let Some(path) = find(patchwork, path) else { return Here::default() };
        let Some(trace) = patchwork.trace(config, path) else { return Here::default() };
        let on_line = |line: usize| -> Vec<u32> {
            let origin = trace.origin(line).map(|origin| origin.changes).unwrap_or_default();
            origin.into_iter().chain(trace.gap(line)).collect()
        };
        let mut around: BTreeSet<u32> = on_line(*line).into_iter().collect();
        // A parser often complains one line after the one that is to blame.
        around.extend(trace.gap(line + 1));
        if around.is_empty() && *line > 0 {
            around.extend(on_line(line - 1));
        }
        let (applied, absent) = around.into_iter().partition(|change| config.contains(*change));
        let text = patchwork.entry(config, path).map(|entry| entry.content).unwrap_or_default();
        let text = text.split(|&b| b == b'\n').nth(*line).unwrap_or_default();
        let names = words(text).filter(|word| word.len() > 1 && is_name(word) && is_by_hand(text));
        let words: BTreeSet<String> = names.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        Here { applied, absent, words: words.into_iter().collect() }
    }
}

/// Where changes are in the new version.
fn new_lines(patchwork: &Patchwork, changes: &[u32]) -> Vec<Lines> {
    lines_of(patchwork, changes, |change| change.new.as_ref())
}

/// Where changes are in the old version.
fn old_lines(patchwork: &Patchwork, changes: &[u32]) -> Vec<Lines> {
    lines_of(patchwork, changes, |change| change.old.as_ref())
}

fn lines_of(patchwork: &Patchwork, changes: &[u32], place: impl Fn(&Change) -> Option<&Place>) -> Vec<Lines> {
    let lines = |&k: &u32| {
        let place = place(&patchwork.changes()[k as usize])?;
        Some(Lines { file: patchwork.marks[k as usize].file, lines: place.lines.clone() })
    };
    changes.iter().filter_map(lines).collect()
}

/// The file that a compiler calls `said`: the longest path of the version that `said` ends with.
fn find<'a>(patchwork: &'a Patchwork, said: &str) -> Option<&'a RelPath> {
    let said = said.strip_prefix("./").unwrap_or(said).as_bytes();
    let ends = |path: &&RelPath| {
        let path = path.as_bytes();
        said.ends_with(path) && (said.len() == path.len() || said[said.len() - path.len() - 1] == b'/')
    };
    let inside = |path: &&RelPath| {
        let path = path.as_bytes();
        path.ends_with(said) && path.len() > said.len() && path[path.len() - said.len() - 1] == b'/'
    };
    let whole = patchwork.at.keys().filter(ends).max_by_key(|path| path.as_bytes().len());
    whole.or_else(|| {
        let mut candidates = patchwork.at.keys().filter(inside);
        candidates.next().filter(|_| candidates.next().is_none())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Entry, Snapshot};

    fn version(files: &[(&str, &str)]) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for (path, text) in files {
            snapshot.insert(RelPath::new(path).unwrap(), Entry::file(text.as_bytes()));
        }
        snapshot
    }

    /// Reads what a build of the config that has only the changes matching `applied` said.
    fn read(patchwork: &Patchwork, config: &Config, output: &str) -> Vec<(u32, u32)> {
        let evidence = Evidence::of(patchwork);
        evidence.read(patchwork, config, output).iter().map(|c| (c.dependent, c.needed)).collect()
    }

    #[test]
    fn a_use_needs_the_declaration_that_is_not_there() {
        let old = version(&[("a.h", "int size;\n"), ("src/main.c", "int main() {\n  return 0;\n}\n")]);
        let new = version(&[
            ("a.h", "int size;\nint resize(int);\n"),
            ("src/main.c", "int main() {\n  return resize(3);\n}\n"),
        ]);
        let patchwork = Patchwork::between(&old, &new);
        let use_it = patchwork.changes().iter().find(|c| c.path().name() == b"main.c").unwrap().number;
        let declare = 1 - use_it;
        let said = "src/main.c:2:10: error: implicit declaration of function 'resize'\n";
        assert_eq!(read(&patchwork, &[use_it].into(), said), [(use_it, declare)]);
        let absolute = "/tmp/x/0/src/main.c:2:10: error: implicit declaration of function 'resize'\n";
        assert_eq!(read(&patchwork, &[use_it].into(), absolute), [(use_it, declare)]);
    }

    #[test]
    fn taking_a_declaration_away_needs_its_use_to_go() {
        let old = version(&[("a.py", "def f():\n    pass\n\n\nx = 1\nf()\ny = 2\n")]);
        let new = version(&[("a.py", "x = 1\ny = 2\n")]);
        let patchwork = Patchwork::between(&old, &new);
        let with = |line: usize| {
            let has = |c: &&Change| c.old.as_ref().is_some_and(|p| p.lines.contains(&line));
            patchwork.changes().iter().find(has).unwrap().number
        };
        let (definition, call) = (with(0), with(5));
        let config: Config = patchwork.changes().iter().map(|c| c.number).filter(|c| *c != call).collect();
        let said = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    f()\nNameError: name 'f' is not defined\n";
        // One-letter words are too common to follow by name, so the place must do.
        assert!(read(&patchwork, &config, said).iter().all(|(_, needed)| *needed == call));
        assert!(config.contains(definition));
    }

    mod odd_messages {
        use super::*;
        use proptest::prelude::*;

        fn fragment() -> impl Strategy<Value = String> {
            let known = [
                "a.c",
                "b/m.py",
                ":",
                "2",
                "0",
                "18446744073709551615",
                "99999999999999999999",
                "(",
                ",",
                ")",
                "'",
                "`",
                "\"",
                "resize",
                "File \"b/m.py\", line ",
                "error",
                "error: ",
                "\n",
                "\n\n",
                " --> ",
                "{\"rendered\":\"",
                "\\n",
                "\\u00",
                "symbol: method ",
                "undefined: ",
                "Error: ",
                " is not defined",
                "\u{1f980}",
                "\u{feff}",
                "‘",
                "’",
                "[ERROR]",
            ];
            prop_oneof![
                4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
                1 => any::<String>(),
            ]
        }

        proptest! {
            #[test]
            fn break_nothing_and_name_only_couplings_of_what_is_there_or_missing(
                fragments in proptest::collection::vec(fragment(), 0..40),
                bits in any::<u32>(),
            ) {
                let old = version(&[("a.c", "int size;\nint b;\n"), ("b/m.py", "def f():\n    pass\n")]);
                let new = version(&[("a.c", "int resize;\nint c;\n"), ("b/m.py", "x = 1\ndef g():\n    resize\n")]);
                let patchwork = Patchwork::between(&old, &new);
                let all = patchwork.full();
                let config: Config = all.iter().filter(|k| bits >> k & 1 == 1).collect();
                let evidence = Evidence::of(&patchwork);
                for coupling in evidence.read(&patchwork, &config, &fragments.concat()) {
                    let Coupling { dependent, needed, .. } = coupling;
                    prop_assert!(dependent != needed && all.contains(dependent) && all.contains(needed));
                    prop_assert!(config.contains(dependent) || !config.contains(needed));
                    prop_assert!((0.5..Coupling::CERTAIN).contains(&coupling.probability));
                }
            }
        }
    }

    #[test]
    fn all_uses_need_the_one_definition_however_many_there_are() {
        let uses: String = (0..40).map(|i| format!("a{i} = wrapped({i})\n")).collect();
        let old = version(&[("m.py", "x = 1\n")]);
        let new = version(&[("m.py", &format!("from kit import wrapped\nx = 1\n{uses}"))]);
        let patchwork = Patchwork::between(&old, &new);
        let all = patchwork.full();
        let said = "cannot tell: NameError(\"name 'wrapped' is not defined\")\n";
        let expected: Vec<(u32, u32)> = (1..=40).map(|user| (user, 0)).collect();
        assert_eq!(read(&patchwork, &all.without(0), said), expected);
        assert_eq!(read(&patchwork, &[7].into(), said), expected, "one of them tells of all");
    }

    #[test]
    fn all_uses_need_the_import_though_what_it_imports_is_missing_too() {
        let old = version(&[("kit.py", "y = 1\n"), ("m.py", "x = 1\n")]);
        let new = version(&[
            ("kit.py", "y = 1\ndef wrapped(a):\n    return a\n"),
            ("m.py", "from kit import wrapped\nx = 1\na = wrapped(1)\nb = wrapped(2)\n"),
        ]);
        let patchwork = Patchwork::between(&old, &new);
        let with = |word: &str| {
            let has = |k: &u32| patchwork.text_of(*k).contains(word);
            patchwork.full().iter().find(has).unwrap()
        };
        let (import, a, b) = (with("from kit"), with("a = wrapped"), with("b = wrapped"));
        let said = "cannot tell: NameError(\"name 'wrapped' is not defined\")\n";
        assert_eq!(read(&patchwork, &[a].into(), said), [(a, import), (b, import)]);
    }

    #[test]
    fn an_import_that_goes_needs_the_one_that_comes_in_its_place() {
        let old = version(&[("m.py", "from a import kit\nx = 1\ny = 2\nkit(x)\n")]);
        let new = version(&[("m.py", "x = 1\ny = 2\nfrom b import kit\nkit(x)\n")]);
        let patchwork = Patchwork::between(&old, &new);
        let (goes, comes) = (0, 1);
        let said = "cannot tell: NameError(\"name 'kit' is not defined\")\n";
        assert_eq!(read(&patchwork, &[goes].into(), said), [(goes, comes)]);
    }

    #[test]
    fn a_use_needs_the_definition_in_its_own_function() {
        let functions = |body: &str| {
            let names = ["f", "g", "h", "i", "j"];
            names.map(|name| format!("def {name}():\n    x = {name}\n{body}    y = {name}\n")).concat()
        };
        let old = version(&[("m.py", &functions(""))]);
        let new = version(&[("m.py", &functions("    total = 1\n    z = 0\n    print(total)\n"))]);
        let patchwork = Patchwork::between(&old, &new);
        let with = |word: &str| {
            let has = |k: &u32| patchwork.text_of(*k).contains(word);
            patchwork.full().iter().filter(has).collect::<Vec<u32>>()
        };
        let (defined, used) = (with("total = 1"), with("print(total)"));
        assert_eq!((defined.len(), used.len()), (5, 5));
        let config: Config = patchwork.full().minus(&defined[1..4].iter().copied().collect());
        let said = "cannot tell: NameError(\"name 'total' is not defined\")\n";
        let expected: Vec<(u32, u32)> = (1..4).map(|i| (used[i], defined[i])).collect();
        assert_eq!(read(&patchwork, &config, said), expected);
    }

    #[test]
    fn a_value_defines_a_name_only_where_names_need_no_declaration() {
        for (path, value_defines) in [("a.c", false), ("a.py", true)] {
            let old = version(&[(path, "x;\ny;\nz;\n")]);
            let new = version(&[(path, "x;\nint total;\ny;\ntotal = 1;\nz;\nf(total);\n")]);
            let patchwork = Patchwork::between(&old, &new);
            let said = format!("{path}:4:3: error: 'total' undeclared\n");
            let found = read(&patchwork, &[2].into(), &said);
            let expected = if value_defines { vec![(0, 1), (2, 1)] } else { vec![(1, 0), (2, 0)] };
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn comments_and_variables_of_other_functions_define_nothing() {
        let old = version(&[("a.c", "int f(int n) {\n  return 0;\n}\nint g(void) {\n  return 1;\n}\n")]);
        let new = version(&[(
            "a.c",
            "/* the new total */\nint f(int n) {\n  int total = n;\n  return 0;\n}\nint g(void) {\n  return total;\n}\nint total;\n",
        )]);
        let patchwork = Patchwork::between(&old, &new);
        let with = |word: &str| {
            let has = |k: &u32| patchwork.text_of(*k).contains(word);
            patchwork.full().iter().find(has).unwrap()
        };
        let (used, defined) = (with("return total"), with("+int total;"));
        let said = "a.c:5:10: error: 'total' undeclared (first use in this function)\n";
        assert_eq!(read(&patchwork, &[used].into(), said), [(used, defined)]);
    }

    #[test]
    fn a_line_that_is_worded_anew_defines_and_uses_what_it_did_before() {
        let old = version(&[("a.c", "int total = 1;\nint x;\nint f(void) {\n  return 0;\n}\n")]);
        let new = version(&[("a.c", "int total = 2;\nint x;\nint f(void) {\n  return total;\n}\n")]);
        let patchwork = Patchwork::between(&old, &new);
        let said = "a.c:4:10: error: 'total' undeclared (first use in this function)\n";
        assert_eq!(Evidence::of(&patchwork).puts_in.definitions("total", &[]), [] as [u32; 0]);
        assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)], "its shape still may matter");
    }

    #[test]
    fn a_line_that_uses_a_field_of_another_type_goes_with_its_declaration() {
        let text = |declared: &str, used: &str| {
            version(&[
                ("a.h", &format!("struct S {{\n  int n;\n  {declared};\n}};\n")),
                ("a.c", &format!("void f(struct S *s) {{\n  g(1);\n  {used};\n  g(2);\n}}\n")),
            ])
        };
        let patchwork =
            Patchwork::between(&text("int *top", "s->top++"), &text("struct R top", "s->top.p++"));
        let of = |name: &str| {
            let is_it = |c: &&Change| c.path().to_string() == name;
            patchwork.changes().iter().find(is_it).unwrap().number
        };
        let (declared, used) = (of("a.h"), of("a.c"));
        let said = "a.c:3:9: error: wrong type argument to increment\n";
        assert_eq!(read(&patchwork, &[declared].into(), said), [(declared, used)]);
        let said = "a.c:3:9: error: ‘s->top’ is a pointer; did you mean to use ‘->’?\n";
        assert_eq!(read(&patchwork, &[used].into(), said), [(used, declared)]);
    }

    #[test]
    fn what_is_made_of_the_sources_does_not_define_what_they_use() {
        let old = version(&[
            ("src/a.js", "f();\n"),
            ("src/b.js", "x;\n"),
            ("out/all.js", "x;\n"),
            ("out/m", "x\n"),
        ]);
        let define = "function resize() {}\n";
        let long = format!("{}{define}", "x ".repeat(mentions::LONG_LINE));
        let new = version(&[
            ("src/a.js", "f();\nresize();\n"),
            ("src/b.js", &format!("x;\n{define}")),
            ("out/all.js", &format!("x;\n{define}")),
            ("out/m", &long),
        ]);
        let patchwork = Patchwork::between(&old, &new);
        let of = |name: &str| {
            let is_it = |c: &&Change| c.path().to_string() == name;
            patchwork.changes().iter().find(is_it).unwrap().number
        };
        let said = "src/a.js:2\nReferenceError: resize is not defined\n";
        assert_eq!(read(&patchwork, &[of("src/a.js")].into(), said), [(of("src/a.js"), of("src/b.js"))]);
    }

    #[test]
    fn a_number_on_the_line_of_a_name_goes_with_the_number_on_another_such_line() {
        let version_of = |patch: u32| {
            let header = format!("#define VERSION_PATCH {patch}\nint f(void);\n");
            let source = format!(
                "#include \"a.h\"\n#if (VERSION_PATCH != {patch})\n    #error not the same\n#endif\n"
            );
            version(&[("a.h", &header), ("a.c", &source)])
        };
        let patchwork = Patchwork::by_syntax(&version_of(15), &version_of(16));
        assert_eq!(patchwork.changes().len(), 2);
        let said = "a.c:3:6: error: #error not the same\n";
        assert_eq!(read(&patchwork, &[0].into(), said), [(0, 1)]);
        assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)]);
    }

    #[test]
    fn a_renamed_definition_is_found_though_only_its_name_changes() {
        let old = version(&[("a.c", "int total;\nint f(void) {\n  return total;\n}\n")]);
        let new = version(&[("a.c", "int sum;\nint f(void) {\n  return sum;\n}\n")]);
        let patchwork = Patchwork::by_syntax(&old, &new);
        assert_eq!(patchwork.changes().len(), 2);
        let said = "a.c:3:10: error: 'sum' undeclared (first use in this function)\n";
        assert_eq!(read(&patchwork, &[1].into(), said), [(1, 0)]);
    }

    #[test]
    fn two_places_of_a_complaint_go_together() {
        let text = |declared: &str, used: &str| {
            version(&[("a.h", &format!("int x;\n{declared};\n")), ("a.c", &format!("int y;\n{used}\n"))])
        };
        let patchwork = Patchwork::between(
            &text("int f(int)", "int f(int a) {}"),
            &text("int f(char)", "int f(char a) {}"),
        );
        let of = |name: &str| {
            let is_it = |c: &&Change| c.path().to_string() == name;
            patchwork.changes().iter().find(is_it).unwrap().number
        };
        let said = "a.c:2:5: error: conflicting types\na.h:2:5: note: here\n";
        let (declared, used) = (of("a.h"), of("a.c"));
        assert_eq!(read(&patchwork, &[used].into(), said), [(used, declared)]);
        assert_eq!(read(&patchwork, &[declared].into(), said), [(declared, used)]);
    }

    #[test]
    fn a_message_without_place_or_known_name_says_nothing() {
        let old = version(&[("a.c", "int a;\n")]);
        let new = version(&[("a.c", "int b;\n")]);
        let patchwork = Patchwork::between(&old, &new);
        assert!(read(&patchwork, &Config::empty(), "make: *** [all] Error 1\n").is_empty());
    }
}
