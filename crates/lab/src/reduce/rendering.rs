//! Configs of a pass as whole inputs, and what tells equal inputs from others.

use crate::workspace::Digest;
use nub_change::part::Parts;
use nub_change::{Entry, RelPath, Snapshot};
use nub_search::Config;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

/// How many inputs are kept at hand.
const RECENT: usize = 32;

/// What a pass cuts up.
pub(super) enum Subject {
    /// Which files there are.
    Files(Vec<RelPath>),
    /// The text of one file.
    Text(RelPath, Parts),
}

/// The inputs that the configs of one pass stand for.
pub(super) struct Rendering {
    subject: Subject,
    base: Snapshot,
    /// The digest of all that the pass does not touch.
    rest: Digest,
    digests: RefCell<HashMap<Config, Digest>>,
    recent: RefCell<VecDeque<(Config, Snapshot)>>,
}

/// The digest of an input.
pub(super) fn digest(input: &Snapshot) -> Digest {
    input.iter().fold(Digest::default(), |all, (path, entry)| all.toggle(Digest::of(path, entry)))
}

impl Rendering {
    pub(super) fn new(subject: Subject, base: &Snapshot) -> Rendering {
        let rest = match &subject {
            Subject::Files(_) => Digest::default(),
            Subject::Text(path, _) => {
                let entry = base.get(path).expect("a pass cuts a file that is there");
                digest(base).toggle(Digest::of(path, entry))
            }
        };
        let (digests, recent) = (RefCell::default(), RefCell::default());
        Rendering { subject, base: base.clone(), rest, digests, recent }
    }

    /// The input of a config.
    pub(super) fn input(&self, config: &Config) -> Snapshot {
        let found =
            self.recent.borrow().iter().find(|(known, _)| known == config).map(|(_, input)| input.clone());
        found.unwrap_or_else(|| {
            let input = self.render(config);
            let mut recent = self.recent.borrow_mut();
            recent.push_back((config.clone(), input.clone()));
            if recent.len() > RECENT {
                recent.pop_front();
            }
            input
        })
    }

    fn render(&self, config: &Config) -> Snapshot {
        let mut input = self.base.clone();
        match &self.subject {
            Subject::Files(paths) => {
                for (number, path) in paths.iter().enumerate() {
                    if !config.contains(number as u32) {
                        input.remove(path);
                    }
                }
            }
            Subject::Text(path, parts) => {
                let kind = input.get(path).expect("a pass cuts a file that is there").kind;
                let content = parts.render(config).into();
                input.insert(path.clone(), Entry { kind, content });
            }
        }
        input
    }

    /// The digest of a config's input.
    pub(super) fn digest(&self, config: &Config) -> Digest {
        if let Some(&known) = self.digests.borrow().get(config) {
            return known;
        }
        let input = self.input(config);
        let found = match &self.subject {
            Subject::Files(_) => digest(&input),
            Subject::Text(path, _) => {
                let entry = input.get(path).expect("a pass cuts a file that is there");
                self.rest.toggle(Digest::of(path, entry))
            }
        };
        self.digests.borrow_mut().insert(config.clone(), found);
        found
    }
}
