//! `git apply` takes every patch, and gives what the config renders.

use crate::version::{config, pair_of_versions, pick};
use nub_change::{Entry, EntryKind, Patchwork, RelPath, Snapshot};
use nub_search::Config;
use proptest::prelude::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_from_one_config_to_another_applies(
        (old, new) in pair_of_versions(), from in config(), to in config(),
    ) {
        let patchwork = Patchwork::between(&old, &new);
        let n = patchwork.changes().len();
        check(&patchwork, &pick(&from, n), &pick(&to, n));
    }

    #[test]
    fn the_patch_of_all_changes_applies_there_and_back((old, new) in pair_of_versions()) {
        let patchwork = Patchwork::between(&old, &new);
        check(&patchwork, &Config::empty(), &patchwork.full());
        check(&patchwork, &patchwork.full(), &Config::empty());
    }
}

fn check(patchwork: &Patchwork, from: &Config, to: &Config) {
    let folder = tempfile::tempdir().unwrap();
    write(&patchwork.render(from), folder.path());
    let patch = patchwork.patch(from, to);
    let file = folder.path().join(".patch");
    fs::write(&file, &patch).unwrap();
    if !patch.is_empty() {
        let out = Command::new("git")
            .args(["apply", "--whitespace=nowarn", ".patch"])
            .env("GIT_CEILING_DIRECTORIES", folder.path())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{said}\n{}", String::from_utf8_lossy(&patch));
    }
    fs::remove_file(&file).unwrap();
    let applied = read(folder.path());
    assert_eq!(applied, patchwork.render(to), "{}", String::from_utf8_lossy(&patch));
}

fn write(version: &Snapshot, root: &Path) {
    for (path, entry) in version.iter() {
        let file = root.join(OsStr::from_bytes(path.as_bytes()));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        match entry.kind {
            EntryKind::File { executable } => {
                fs::write(&file, &entry.content).unwrap();
                let mode = if executable { 0o755 } else { 0o644 };
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            }
            EntryKind::Symlink => symlink(OsStr::from_bytes(&entry.content), &file).unwrap(),
            EntryKind::Submodule => unreachable!("none are generated"),
        }
    }
}

fn read(root: &Path) -> Snapshot {
    let mut version = Snapshot::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for found in fs::read_dir(folder).unwrap() {
            let file = found.unwrap().path();
            let meta = fs::symlink_metadata(&file).unwrap();
            let path = RelPath::new(file.strip_prefix(root).unwrap().as_os_str().as_bytes()).unwrap();
            if meta.is_dir() {
                folders.push(file);
            } else if meta.is_symlink() {
                version.insert(path, Entry::symlink(fs::read_link(&file).unwrap().as_os_str().as_bytes()));
            } else {
                let executable = meta.permissions().mode() & 0o100 != 0;
                let content = fs::read(&file).unwrap().into();
                version.insert(path, Entry { kind: EntryKind::File { executable }, content });
            }
        }
    }
    version
}
