//! The user's repository and files are only read.

use crate::sandbox::Sandbox;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Every file and folder below with its content and times.
fn everything(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for child in std::fs::read_dir(folder).unwrap() {
        let path = child.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path.clone(), (metadata.modified().unwrap(), content));
        if metadata.is_dir() {
            found.extend(everything(&path));
        }
    }
    found
}

#[test]
fn no_way_of_loading_touches_the_repository() {
    let s = Sandbox::with_commit();
    s.git("clone -q . ../library");
    let library = s.root().join("library");
    s.run(
        "git",
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            library.to_str().unwrap(),
            "lib",
        ],
    );
    s.write(".gitattributes", "*.txt text=auto\n");
    s.write(".gitignore", "target/\n");
    s.write("b.txt", "b\n");
    s.commit("v2");
    s.git("config core.untrackedCache true");
    s.write("../monitor", "#!/bin/sh\ntouch ran\n");
    s.make_executable("../monitor");
    s.git("config core.fsmonitor ../monitor");
    s.git("config index.threads true");
    s.write("untracked", "x");
    s.write("target/x", "x");
    s.write("a.txt", "one\nchanged\n");
    s.write("../fix.diff", "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n");
    // Same content, other time: git would like to note that in the index.
    let later = SystemTime::now() + Duration::from_secs(5);
    std::fs::File::options().write(true).open(s.here.join("b.txt")).unwrap().set_modified(later).unwrap();

    let before = everything(&s.root());
    for said in [&[][..], &["v1"], &["v1..v2"], &["v1...v2"], &["v2", "../library"], &["../library", "."]] {
        s.pair(said).unwrap();
    }
    s.patched(&["v2"], "../fix.diff").unwrap();
    s.patched(&[], "../fix.diff").unwrap();
    s.refusal(&["nonsense"]);
    let after = everything(&s.root());
    let changed: Vec<_> =
        after.iter().filter(|(path, file)| before.get(*path) != Some(file)).map(|(p, _)| p).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert_eq!(before.len(), after.len());
    s.git("status");
    assert_ne!(before, everything(&s.root()), "plain git does write here, so the test can fail");
}
