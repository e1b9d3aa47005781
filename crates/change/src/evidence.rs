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

use crate::patchwork::Patchwork;
use crate::snapshot::RelPath;
use crate::weave::Literal;
use crate::words::words;
use complaint::{Complaint, complaints};
use nub_search::{Config, Coupling};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How sure a hint by name and place is.
const BY_NAME_AND_PLACE: f64 = 0.9;
/// How sure a hint by name alone is.
const BY_NAME: f64 = 0.75;
/// How sure a hint by place alone is.
const BY_PLACE: f64 = 0.6;
/// More changes that mention a name than this say nothing about who needs whom.
const TOO_COMMON: usize = 6;

/// Which changes mention which words, for reading the messages of builds.
#[derive(Clone, Debug)]
pub struct Evidence {
    puts_in: HashMap<Vec<u8>, Vec<u32>>,
    takes_away: HashMap<Vec<u8>, Vec<u32>>,
}

impl Evidence {
    /// Looks through the text of all changes.
    pub fn of(patchwork: &Patchwork) -> Evidence {
        let mut evidence = Evidence { puts_in: HashMap::new(), takes_away: HashMap::new() };
        for file in &patchwork.files {
            for piece in file.weave.pieces() {
                for literal in piece.when {
                    let index = match literal {
                        Literal::When(_) => &mut evidence.puts_in,
                        Literal::Unless(_) => &mut evidence.takes_away,
                    };
                    for word in words(piece.text).filter(|word| word.len() > 1) {
                        let mentions = index.entry(word.to_vec()).or_default();
                        if mentions.last() != Some(&literal.change()) {
                            mentions.push(literal.change());
                        }
                    }
                }
            }
        }
        evidence
    }

    /// The couplings that the output of a failed build suggests; each is broken in the config.
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
        let here = Here::at(patchwork, config, complaint);
        let mut blamed = Vec::new();
        for name in &complaint.names {
            let all =
                |index: &HashMap<Vec<u8>, Vec<u32>>| index.get(name.as_bytes()).cloned().unwrap_or_default();
            let (put_in, taken) = (all(&self.puts_in), all(&self.takes_away));
            let split = |changes: &[u32], applied: bool| -> Vec<u32> {
                changes.iter().copied().filter(|c| config.contains(*c) == applied).collect()
            };
            // What is used here would be put in by a change that is not applied.
            let missing = few(&split(&put_in, false), &here.file);
            blamed.extend(pairs(&here.applied, &missing, BY_NAME_AND_PLACE));
            // What is used here was taken away by an applied change, and this use would go with another.
            let lost = few(&split(&taken, true), &here.file);
            blamed.extend(pairs(&lost, &here.absent, BY_NAME_AND_PLACE));
            if blamed.is_empty() {
                let applied = few(&[split(&put_in, true), lost].concat(), &here.file);
                let absent = few(&[missing, split(&taken, false)].concat(), &here.file);
                blamed.extend(pairs(&applied, &absent, BY_NAME));
            }
        }
        if blamed.is_empty() {
            blamed.extend(pairs(&here.applied, &here.absent, BY_PLACE));
        }
        blamed
    }
}

fn pairs(dependents: &[u32], needed: &[u32], probability: f64) -> Vec<(u32, u32, f64)> {
    let pair = |a: &u32| needed.iter().map(move |b| (*a, *b, probability)).collect::<Vec<_>>();
    dependents.iter().flat_map(pair).collect()
}

/// The changes, if they are few; of many, those of this file, if they are few.
fn few(changes: &[u32], file: &BTreeSet<u32>) -> Vec<u32> {
    if changes.len() <= TOO_COMMON {
        return changes.to_vec();
    }
    let near: Vec<u32> = changes.iter().copied().filter(|c| file.contains(c)).collect();
    if near.len() <= TOO_COMMON { near } else { Vec::new() }
}

/// The changes around the place of a complaint.
#[derive(Default)]
struct Here {
    applied: Vec<u32>,
    absent: Vec<u32>,
    /// All changes of the file.
    file: BTreeSet<u32>,
}

impl Here {
    fn at(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Here {
        let Some((path, line)) = &complaint.place else { return Here::default() };
        let Some(path) = find(patchwork, path) else { return Here::default() };
        let Some(trace) = patchwork.trace(config, path) else { return Here::default() };
        let on_line = |line: usize| -> Vec<u32> {
            let origin = trace.origin(line).map(|origin| origin.changes.clone()).unwrap_or_default();
            origin.into_iter().chain(trace.gap(line)).collect()
        };
        let mut around: BTreeSet<u32> = on_line(*line).into_iter().collect();
        // A parser often complains one line after the one that is to blame.
        around.extend(trace.gap(line + 1));
        if around.is_empty() && *line > 0 {
            around.extend(on_line(line - 1));
        }
        let (applied, absent) = around.into_iter().partition(|change| config.contains(*change));
        let file = patchwork.at.get(path).into_iter().flatten();
        let file = file.flat_map(|&file| patchwork.files[file as usize].weave.changes()).collect();
        Here { applied, absent, file }
    }
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
            let has = |c: &&crate::Change| c.old.as_ref().is_some_and(|p| p.lines.contains(&line));
            patchwork.changes().iter().find(has).unwrap().number
        };
        let (definition, call) = (with(0), with(5));
        let config: Config = patchwork.changes().iter().map(|c| c.number).filter(|c| *c != call).collect();
        let said = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    f()\nNameError: name 'f' is not defined\n";
        // One-letter words are too common to follow by name, so the place must do.
        assert!(read(&patchwork, &config, said).iter().all(|(_, needed)| *needed == call));
        assert!(config.contains(definition));
    }

    #[test]
    fn a_message_without_place_or_known_name_says_nothing() {
        let old = version(&[("a.c", "int a;\n")]);
        let new = version(&[("a.c", "int b;\n")]);
        let patchwork = Patchwork::between(&old, &new);
        assert!(read(&patchwork, &Config::empty(), "make: *** [all] Error 1\n").is_empty());
    }
}
