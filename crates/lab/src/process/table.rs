//! The table of running processes: who is whose child, and in which group.
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
}

/// The processes that run now; none where the system has no `/proc`.
pub(super) fn table() -> Vec<Entry> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit))
        .filter_map(|entry| fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse(&String::from_utf8_lossy(&stat)))
        .collect()
}

/// How many processes are below `root`, at any depth.
pub(super) fn count_below(root: Pid, table: &[Entry]) -> u64 {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for entry in table {
        children.entry(entry.parent).or_default().push(entry.pid);
    }
    let mut count = 0;
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        // Taken out when met: the table was not read at one moment and may hold a ring.
        let below = children.remove(&pid).unwrap_or_default();
        count += below.len() as u64;
        open.extend(below);
    }
    count
}

/// Reads `pid (name) state parent group ...`; the name may itself hold parentheses and blanks.
fn parse(stat: &str) -> Option<Entry> {
    let (pid, _) = stat.split_once(' ')?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_ascii_whitespace().skip(1);
    let mut next = || words.next()?.parse().ok().map(Pid::from_raw);
    Some(Entry { pid: Pid::from_raw(pid.parse().ok()?), parent: next()?, group: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32) -> Entry {
        Entry { pid: Pid::from_raw(pid), parent: Pid::from_raw(parent), group: Pid::from_raw(group) }
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse_the_parser() {
        assert_eq!(parse("42 (sh) S 7 40 40 0"), Some(entry(42, 7, 40)));
        assert_eq!(parse("42 (a) R 1 (b)) S 7 40 40 0"), Some(entry(42, 7, 40)));
        assert_eq!(parse("42 (gone"), None);
    }

    #[test]
    fn processes_are_counted_at_any_depth_and_a_ring_ends() {
        let table = [entry(2, 1, 2), entry(3, 2, 2), entry(4, 3, 4), entry(9, 8, 9), entry(8, 9, 9)];
        assert_eq!(count_below(Pid::from_raw(1), &table), 3);
        assert_eq!(count_below(Pid::from_raw(8), &table), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_in_the_table() {
        let me = nix::unistd::getpid();
        let mine = table().into_iter().find(|entry| entry.pid == me);
        assert_eq!(mine.map(|entry| entry.parent), Some(nix::unistd::getppid()));
    }
}
