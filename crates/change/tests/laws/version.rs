//! Generated pairs of versions: small, with few different lines, so that much is alike.

use nub_change::{Entry, EntryKind, RelPath, Snapshot};
use nub_search::Config;
use proptest::prelude::*;

const LINES: [&[u8]; 14] = [
    b"a",
    b"b",
    b"c",
    b"  a",
    b"\tb",
    b"",
    b"  ",
    b"}",
    b"x = 1;",
    b"x = 2;",
    b"return x;",
    b"\xff\xfe",
    b"a\rb",
    b"-- q",
];

const PATHS: [&[u8]; 12] = [
    b"a",
    b"a/b",
    b"a/b/c",
    b"a/d",
    b"a-b",
    b"b",
    b"b/x",
    b"with space",
    b"tab\t\"quote\"\\",
    b"\xc3\xa4/\xff",
    b"new\nline",
    b"z",
];

/// Two texts: mostly similar, or in another order.
pub fn pair_of_texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    prop_oneof![2 => pair_of_edited_texts(), 1 => pair_of_shuffled_texts()]
}

fn pair_of_edited_texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (text(), prop::collection::vec(edit(), 0..6), text(), prop::bool::weighted(0.8)).prop_map(
        |(old, edits, other, similar)| match similar {
            true => (old.clone(), edits.iter().fold(old, |text, edit| edit.apply(&text))),
            false => (old, other),
        },
    )
}

/// Two texts of several blocks, in another order and edited.
pub fn pair_of_shuffled_texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let block = (2..9usize, text());
    let blocks = prop::collection::vec(block, 2..7).prop_map(|blocks| {
        let body = |(b, (len, more)): (usize, (usize, Vec<u8>))| -> Vec<u8> {
            let own = (0..len).flat_map(|line| format!("  line {line} of {b}\n").into_bytes());
            let head = format!("block {b}\n").into_bytes();
            let mut more = more;
            more.extend(if more.last().is_none_or(|&last| last == b'\n') { &b""[..] } else { b"\n" });
            head.into_iter().chain(own).chain(more).chain(*b"}\n").collect()
        };
        blocks.into_iter().enumerate().map(body).collect::<Vec<Vec<u8>>>()
    });
    let shuffled = blocks.prop_flat_map(|blocks| (Just(blocks.clone()), Just(blocks).prop_shuffle()));
    (shuffled, prop::collection::vec(edit(), 0..5)).prop_map(|((old, new), edits)| {
        (old.concat(), edits.iter().fold(new.concat(), |text, edit| edit.apply(&text)))
    })
}

/// Two versions, the new one made from the old by edits, moves, copies, removals and new entries.
pub fn pair_of_versions() -> impl Strategy<Value = (Snapshot, Snapshot)> {
    let entries = prop::collection::vec((path(), entry()), 0..6);
    (entries, prop::collection::vec(step(), 0..7)).prop_map(|(entries, steps)| {
        let mut old = Snapshot::new();
        entries.into_iter().for_each(|(path, entry)| put(&mut old, path, entry));
        let mut new = old.clone();
        steps.iter().for_each(|step| step.apply(&mut new));
        (old, new)
    })
}

/// Which changes are in a config, however many there are.
pub fn config() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(any::<bool>(), 1..40)
}

/// The config of `n` changes that the bits stand for.
pub fn pick(bits: &[bool], n: usize) -> Config {
    (0..n as u32).filter(|&k| bits[k as usize % bits.len()]).collect()
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop::collection::vec((prop::sample::select(&LINES[..]), ending()), 0..14);
    (lines, any::<bool>()).prop_map(|(lines, is_terminated)| {
        let usual = lines.first().map_or(&b"\n"[..], |line| line.1);
        // Mostly the endings of one file are alike.
        let count = lines.len();
        let mut text = Vec::new();
        for (i, (line, ending)) in lines.into_iter().enumerate() {
            text.extend_from_slice(line);
            if is_terminated || i + 1 < count {
                text.extend_from_slice(if i % 5 == 4 { ending } else { usual });
            }
        }
        text
    })
}

fn ending() -> impl Strategy<Value = &'static [u8]> {
    prop::sample::select(vec![&b"\n"[..], b"\n", b"\r\n"])
}

#[derive(Clone, Debug)]
enum LineEdit {
    Insert(usize, Vec<u8>),
    Delete(usize, usize),
    Replace(usize, Vec<u8>),
    EndWithoutNewline,
    EndWithNewline,
}

fn edit() -> impl Strategy<Value = LineEdit> {
    prop_oneof![
        3 => (any::<usize>(), text()).prop_map(|(at, text)| LineEdit::Insert(at, text)),
        3 => (any::<usize>(), 1..4usize).prop_map(|(at, len)| LineEdit::Delete(at, len)),
        3 => (any::<usize>(), text()).prop_map(|(at, text)| LineEdit::Replace(at, text)),
        1 => Just(LineEdit::EndWithoutNewline),
        1 => Just(LineEdit::EndWithNewline),
    ]
}

impl LineEdit {
    fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let len = lines.len();
        match self {
            LineEdit::Insert(at, text) => lines.insert(at % (len + 1), text.clone()),
            LineEdit::Delete(at, count) => {
                let start = at % (len + 1);
                lines.drain(start..len.min(start + count));
            }
            LineEdit::Replace(at, text) if len > 0 => lines[at % len] = text.clone(),
            LineEdit::Replace(..) => {}
            LineEdit::EndWithoutNewline => {
                let text = lines.concat();
                return text.strip_suffix(b"\n").map_or(text.clone(), <[u8]>::to_vec);
            }
            LineEdit::EndWithNewline if len > 0 => lines.push(b"\n".to_vec()),
            LineEdit::EndWithNewline => {}
        }
        lines.concat()
    }
}

fn path() -> impl Strategy<Value = RelPath> {
    prop::sample::select(&PATHS[..]).prop_map(|path| RelPath::new(path).unwrap())
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        6 => (text(), any::<bool>()).prop_map(|(text, executable)| {
            Entry { kind: EntryKind::File { executable }, content: text.into() }
        }),
        1 => prop::collection::vec(any::<u8>(), 0..80).prop_map(|mut bytes| {
            bytes.push(0);
            Entry::file(bytes)
        }),
        // A link into a loop would keep git from looking at what is to replace it.
        1 => prop::sample::select(vec![&b"nowhere"[..], b"no/where"]).prop_map(Entry::symlink),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Edit(usize, LineEdit),
    Put(RelPath, Entry),
    Move(usize, RelPath),
    Copy(usize, RelPath),
    Remove(usize),
    Chmod(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (any::<usize>(), edit()).prop_map(|(i, edit)| Step::Edit(i, edit)),
        1 => (path(), entry()).prop_map(|(path, entry)| Step::Put(path, entry)),
        2 => (any::<usize>(), path()).prop_map(|(i, path)| Step::Move(i, path)),
        1 => (any::<usize>(), path()).prop_map(|(i, path)| Step::Copy(i, path)),
        1 => any::<usize>().prop_map(Step::Remove),
        1 => any::<usize>().prop_map(Step::Chmod),
    ]
}

impl Step {
    fn apply(&self, version: &mut Snapshot) {
        if let Step::Put(path, entry) = self {
            return put(version, path.clone(), entry.clone());
        }
        let (Step::Edit(i, _) | Step::Move(i, _) | Step::Copy(i, _) | Step::Remove(i) | Step::Chmod(i)) =
            self
        else {
            unreachable!("all others choose an entry")
        };
        if version.is_empty() {
            return;
        }
        let (path, entry) =
            version.iter().nth(i % version.len()).map(|(p, e)| (p.clone(), e.clone())).unwrap();
        match self {
            Step::Edit(..) if entry.kind == EntryKind::Symlink => {}
            Step::Edit(_, edit) => {
                version.insert(path, Entry { content: edit.apply(&entry.content).into(), ..entry });
            }
            Step::Move(_, to) => {
                version.remove(&path);
                put(version, to.clone(), entry);
            }
            Step::Copy(_, to) => put(version, to.clone(), entry),
            Step::Chmod(_) => {
                if let EntryKind::File { executable } = entry.kind {
                    let kind = EntryKind::File { executable: !executable };
                    version.insert(path, Entry { kind, ..entry });
                }
            }
            Step::Remove(_) | Step::Put(..) => drop(version.remove(&path)),
        }
    }
}

/// Puts an entry at a path and takes away what cannot be there beside it.
fn put(version: &mut Snapshot, path: RelPath, entry: Entry) {
    let inside: Vec<RelPath> = version.inside(&path).map(|(inner, _)| inner.clone()).collect();
    for other in path.folders().chain(inside) {
        version.remove(&other);
    }
    version.insert(path, entry);
}
