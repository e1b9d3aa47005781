//! The same changes at several levels of detail, for searching in stages.

use nub_search::Config;

/// How finely changes are told apart: in a text with a known syntax, and in any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// All changes of a file together.
    File,
    /// All changes of a function, a field or another declaration; a run of changed lines, a new file of lines.
    Declaration,
    /// All changes of a statement; a few lines of a long run.
    Statement,
    /// Every change by itself: of a node, a token or a line.
    Node,
}

impl Level {
    /// All levels, coarsest first; every group of a level lies inside one group of the level before.
    pub const ALL: [Level; 4] = [Level::File, Level::Declaration, Level::Statement, Level::Node];
}

/// The changes in groups: every change is in exactly one, groups are numbered in the order of their changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    groups: Vec<Vec<u32>>,
    group_of: Vec<u32>,
}

impl Grouping {
    /// Puts neighbours with equal keys into one group; `keys` has one for each change.
    pub(crate) fn by_key<K: PartialEq>(keys: impl IntoIterator<Item = K>) -> Grouping {
        let mut grouping = Grouping { groups: Vec::new(), group_of: Vec::new() };
        let mut last = None;
        for (change, key) in keys.into_iter().enumerate() {
            if last.as_ref() != Some(&key) {
                grouping.groups.push(Vec::new());
                last = Some(key);
            }
            grouping.group_of.push(grouping.groups.len() as u32 - 1);
            grouping.groups.last_mut().expect("one was just made").push(change as u32);
        }
        grouping
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there are no groups, because there are no changes.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The changes of a group, ascending.
    pub fn changes(&self, group: u32) -> &[u32] {
        &self.groups[group as usize]
    }

    /// The group a change is in.
    pub fn group_of(&self, change: u32) -> u32 {
        self.group_of[change as usize]
    }

    /// The changes of some groups.
    pub fn expand(&self, groups: &Config) -> Config {
        groups.iter().flat_map(|group| self.changes(group).iter().copied()).collect()
    }

    /// The groups that have one of these changes.
    pub fn touched(&self, changes: &Config) -> Config {
        changes.iter().map(|change| self.group_of(change)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expanding_the_touched_groups_covers_the_changes() {
        let grouping = Grouping::by_key(["a", "a", "b", "c", "c"]);
        assert_eq!(grouping.len(), 3);
        let touched = grouping.touched(&[1, 2].into());
        assert_eq!(touched, [0, 1].into());
        assert_eq!(grouping.expand(&touched), [0, 1, 2].into());
    }
}
