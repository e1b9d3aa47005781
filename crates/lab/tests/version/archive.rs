//! Archives, and what is refused of them.

use crate::sandbox::{Sandbox, check, paths};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::{Archive, Limits};
use std::io::Write;
use tar::EntryType::{self, Fifo, Link, Regular, Symlink};

/// Kind, name, and content or link target.
type TarEntry<'a> = (EntryType, &'a str, &'a str);

/// A directory `old` to compare with, and a release folder to pack.
fn release() -> Sandbox {
    let s = Sandbox::empty();
    s.write("old/src/a.c", "1");
    s.write("foo-1.3/src/a.c", "2");
    s.write("foo-1.3/configure", "#!/bin/sh\n");
    s.make_executable("foo-1.3/configure");
    s.link("foo-1.3/latest", "src/a.c");
    s.write("foo-1.3/.git/config", "");
    s
}

const RELEASE: &str = r##"
    configure: exec "#!/bin/sh\n"
    latest: link "src/a.c"
    src/a.c: file "2""##;

#[test]
fn every_format_gives_the_same_version_without_its_top_folder() {
    let s = release();
    s.run("tar", &["-cf", "foo.tar", "foo-1.3"]);
    s.run("tar", &["-czf", "foo.tar.gz", "foo-1.3"]);
    s.run("tar", &["-cJf", "foo.tar.xz", "./foo-1.3"]);
    s.run("tar", &["-cjf", "foo.tar.bz2", "foo-1.3"]);
    s.run("tar", &["--format=v7", "-cf", "v7.tar", "foo-1.3"]);
    s.run("tar", &["--format=posix", "-cf", "posix.tar", "foo-1.3"]);
    s.run("zip", &["-q", "-r", "--symlinks", "foo.zip", "foo-1.3"]);
    s.run("cp", &["foo.tar.gz", "no-extension"]);
    for name in [
        "foo.tar",
        "foo.tar.gz",
        "foo.tar.xz",
        "foo.tar.bz2",
        "v7.tar",
        "posix.tar",
        "foo.zip",
        "no-extension",
    ] {
        let pair = s.pair(&["old", name]).unwrap_or_else(|e| panic!("{name}: {e}"));
        check(&pair, r#"src/a.c: file "1""#, RELEASE);
        assert_eq!(pair.new.name, format!("`{}`", s.here.join(name).display()));
        assert!(pair.new.origin().is_none());
    }
    // The directory is ignored by no rule here, so both are one version.
    assert!(s.refusal(&["foo-1.3", "foo.zip"]).contains("have the same files"));
}

#[test]
fn an_archive_made_by_git_is_the_version_it_was_made_from() {
    let s = Sandbox::with_commit();
    s.write(format!("{}/long", "deep/".repeat(40)), "x");
    s.commit("v2");
    s.git("archive --prefix=foo/ -o ../v2.tar.gz v2");
    s.git("archive --prefix=foo/ -o ../v2.zip v2");
    for archive in ["../v2.tar.gz", "../v2.zip"] {
        assert!(s.refusal(&["v2", archive]).contains("have the same files"));
        assert_eq!(s.pair(&["v1", archive]).unwrap().new.tree.len(), 2);
    }
}

#[test]
fn the_top_folder_stays_if_it_is_part_of_the_project() {
    let s = Sandbox::empty();
    s.write("src/a.c", "1");
    s.run("tar", &["-cf", "old.tar", "src"]);
    s.write("README", "");
    s.write("src/a.c", "2");
    s.run("tar", &["-cf", "new.tar", "src", "README"]);
    let pair = s.pair(&["old.tar", "new.tar"]).unwrap();
    assert_eq!(
        (paths(&pair.old.tree), paths(&pair.new.tree)),
        (vec!["src/a.c".into()], vec!["README".into(), "src/a.c".into()])
    );
}

/// A tar archive of these entries, however wrong they are.
fn tar(s: &Sandbox, name: &str, entries: &[TarEntry]) {
    let mut builder = tar::Builder::new(Vec::new());
    for (kind, path, content) in entries {
        let mut header = tar::Header::new_ustar();
        let is_file = *kind == Regular;
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(if is_file { content.len() as u64 } else { 0 });
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        if !is_file {
            header.as_old_mut().linkname[..content.len()].copy_from_slice(content.as_bytes());
        }
        header.set_cksum();
        builder.append(&header, if is_file { content.as_bytes() } else { b"" }).unwrap();
    }
    s.write(name, builder.into_inner().unwrap());
}

#[test]
fn a_name_that_leads_outside_is_refused() {
    let s = release();
    for name in ["../evil", "/etc/evil", "a/../../evil", "a/.."] {
        tar(&s, "evil.tar", &[(Regular, "good", ""), (Regular, name, "x")]);
        let refusal = format!("archive `$/evil.tar` is refused, its entry `{name}` would be written outside");
        assert_eq!(s.refusal(&["old", "evil.tar"]), refusal);
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("../evil", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"x").unwrap();
    s.write("evil.zip", zip.finish().unwrap().into_inner());
    assert_eq!(
        s.refusal(&["old", "evil.zip"]),
        "archive `$/evil.zip` is refused, its entry `../evil` would be written outside"
    );
}

#[test]
fn a_link_that_leads_outside_is_refused() {
    let s = release();
    let refused: &[(&str, &[TarEntry])] = &[
        ("d/l", &[(Symlink, "top/d/l", "/etc/passwd")]),
        ("d/l", &[(Symlink, "top/d/l", "../../sibling")]),
        ("l", &[(Symlink, "top/l", "..")]),
        ("x", &[(Symlink, "top/a/b/up", "../.."), (Symlink, "top/x", "a/b/up/..")]),
        ("x", &[(Symlink, "top/x", "y/../.."), (Regular, "top/y/z", "")]),
    ];
    for (link, entries) in refused {
        tar(&s, "evil.tar", entries);
        let target = entries.last().filter(|e| e.0 == Symlink).unwrap_or(&entries[0]).2;
        assert_eq!(
            s.refusal(&["old", "evil.tar"]),
            format!("archive `$/evil.tar` is refused, its link `{link}` leads outside, to `{target}`")
        );
    }
    let allowed: &[&[TarEntry]] = &[
        &[(Symlink, "top/d/l", "../x")],
        &[(Symlink, "top/d/l", "..")],
        &[(Symlink, "top/a", "b"), (Symlink, "top/b", "a")],
        &[(Symlink, "top/dangling", "no/where/../at/all")],
    ];
    for entries in allowed {
        tar(&s, "good.tar", entries);
        s.pair(&["old", "good.tar"]).unwrap();
    }
}

#[test]
fn the_last_of_two_entries_with_one_path_wins() {
    let s = release();
    tar(
        &s,
        "twice.tar",
        &[
            (Regular, "a", "1"),
            (Regular, "b", "1"),
            (Regular, "a", "2"),
            (Symlink, "b", "a"),
            (Regular, "c", "1"),
            (Regular, "c-", "1"),
            (Regular, "c/d", "2"),
            (Regular, "e/f", "1"),
            (Regular, "e", "2"),
        ],
    );
    let pair = s.pair(&["old", "twice.tar"]).unwrap();
    check(
        &pair,
        r#"src/a.c: file "1""#,
        r#"a: file "2"
           b: link "a"
           c-: file "1"
           c/d: file "2"
           e: file "2""#,
    );
}

#[test]
fn a_hard_link_is_a_second_file() {
    let s = release();
    tar(&s, "hard.tar", &[(Regular, "top/a", "x"), (Link, "top/b", "top/a")]);
    check(&s.pair(&["old", "hard.tar"]).unwrap(), r#"src/a.c: file "1""#, "a: file \"x\"\nb: file \"x\"");
    tar(&s, "hard.tar", &[(Link, "top/b", "top/a")]);
    assert_eq!(
        s.refusal(&["old", "hard.tar"]),
        "archive `$/hard.tar` is refused, its entry `top/b` is a hard link to no earlier entry"
    );
    tar(&s, "hard.tar", &[(Link, "top/b", "../../etc/passwd")]);
    assert_eq!(
        s.refusal(&["old", "hard.tar"]),
        "archive `$/hard.tar` is refused, its entry `../../etc/passwd` would be written outside"
    );
}

#[test]
fn a_pipe_in_an_archive_is_refused() {
    let s = release();
    tar(&s, "odd.tar", &[(Fifo, "p", "")]);
    assert_eq!(
        s.refusal(&["old", "odd.tar"]),
        "archive `$/odd.tar` is refused, its entry `p` is of a kind no version has (Fifo)"
    );
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused() {
    let s = release();
    s.write("foo-1.3/zeros", vec![0; 5_000_000]);
    s.run("tar", &["-cJf", "bomb.tar.xz", "foo-1.3"]);
    s.run("zip", &["-q", "-r", "bomb.zip", "foo-1.3"]);
    for name in ["bomb.tar.xz", "bomb.zip"] {
        assert!(s.here.join(name).metadata().unwrap().len() < 50_000);
        let spec = PairSpec::parse(&s.here, &["old".into(), name.into()], None).unwrap();
        let small = Limits { bytes: 1_000_000, ..Limits::default() };
        assert_eq!(
            s.message(spec.load(small)),
            format!(
                "archive `$/{name}` is refused, it unpacks to more than 1000000 bytes; \
                 if you trust it, unpack it and name the folder"
            )
        );
        let few = Limits { entries: 2, ..Limits::default() };
        assert!(s.message(spec.load(few)).contains("it unpacks to more than 2 entries"));
        spec.load(Limits { bytes: 5_100_000, entries: 20 }).unwrap();
    }
}

#[test]
fn a_damaged_archive_is_an_error() {
    let s = release();
    s.write(
        "foo-1.3/noise",
        (0..200_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<u8>>(),
    );
    s.run("tar", &["-czf", "foo.tar.gz", "foo-1.3"]);
    s.run("tar", &["-cJf", "foo.tar.xz", "foo-1.3"]);
    s.run("zip", &["-q", "-r", "foo.zip", "foo-1.3"]);
    for name in ["foo.tar.gz", "foo.tar.xz", "foo.zip"] {
        let whole = std::fs::read(s.here.join(name)).unwrap();
        s.write("cut", &whole[..whole.len() / 2]);
        assert!(Archive::read(&s.here.join(name), Limits::default()).is_ok());
        let refusal = s.refusal(&["old", "cut"]);
        assert!(refusal.starts_with("failed to read archive `$/cut`: "), "{name}: {refusal}");
    }
}
