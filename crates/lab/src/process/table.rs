//! The table of running processes: who is whose child, in which group, and how busy.
//!
//! Why read all of `/proc` and not a process's own list of children? The kernel offers that list only when
//! built with an option that small machines leave out.

use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs;

/// One running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) pid: Pid,
    pub(super) parent: Pid,
    pub(super) group: Pid,
    /// The time it used of the processor, with that of children it has waited for, in ticks of the system.
    pub(super) ticks: u64,
}

/// Where a process's own times and those of its children stand, behind its state.
const TICKS: std::ops::Range<usize> = 10..14;

/// The processes that run now; none where the system has no `/proc`.
pub(super) fn table() -> Vec<Entry> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
        .filter_map(|entry| fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse(&String::from_utf8_lossy(&stat)))
        .collect()
}

/// The processes below `root`, at any depth.
pub(super) fn below(root: Pid, table: &[Entry]) -> Vec<Entry> {
    let mut children: HashMap<Pid, Vec<Entry>> = HashMap::new();
    for entry in table {
        children.entry(entry.parent).or_default().push(*entry);
    }
    // Taken out when met: the table was not read at one moment and may hold a ring.
    let mut below = children.remove(&root).unwrap_or_default();
    let mut next = 0;
    while let Some(entry) = below.get(next) {
        let more = children.remove(&entry.pid).unwrap_or_default();
        below.extend(more);
        next += 1;
    }
    below
}

/// Reads `pid (name) state parent group ...`; the name may itself hold parentheses and blanks.
fn parse(stat: &str) -> Option<Entry> {
    let (pid, _) = stat.split_once(' ')?;
    let (_, rest) = stat.rsplit_once(')')?;
    let words: Vec<&str> = rest.split_ascii_whitespace().skip(1).collect();
    let process = |word: &str| word.parse().ok().map(Pid::from_raw);
    let ticks = words.get(TICKS)?.iter().map(|word| word.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Entry { pid: process(pid)?, parent: process(words[0])?, group: process(words[1])?, ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32) -> Entry {
        let [pid, parent, group] = [pid, parent, group].map(Pid::from_raw);
        Entry { pid, parent, group, ticks: 10 }
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse_the_parser() {
        let rest = "S 7 40 40 0 -1 9 8 7 6 5 1 2 3 4 20";
        assert_eq!(parse(&format!("42 (sh) {rest}")), Some(entry(42, 7, 40)));
        assert_eq!(parse(&format!("42 (a) R 1 (b)) {rest}")), Some(entry(42, 7, 40)));
        assert_eq!(parse("42 (gone"), None);
        assert_eq!(parse("42 (cut) S 7 40 40 0"), None);
    }

    #[test]
    fn processes_are_counted_at_any_depth_and_a_ring_ends() {
        let table = [entry(2, 1, 2), entry(3, 2, 2), entry(4, 3, 4), entry(9, 8, 9), entry(8, 9, 9)];
        assert_eq!(below(Pid::from_raw(1), &table).len(), 3);
        assert_eq!(below(Pid::from_raw(8), &table).len(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_in_the_table() {
        let me = nix::unistd::getpid();
        let mine = table().into_iter().find(|entry| entry.pid == me);
        assert_eq!(mine.map(|entry| entry.parent), Some(nix::unistd::getppid()));
    }
}
