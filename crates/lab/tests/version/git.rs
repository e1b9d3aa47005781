//! Revisions, ranges and the working tree.

use crate::sandbox::{Sandbox, check, paths};
use nub_lab::version::{EntryKind, RelPath, Snapshot};
use std::sync::Arc;

#[test]
fn nothing_said_means_head_and_the_working_tree_with_untracked_files() {
    let s = Sandbox::with_commit();
    s.write(".gitignore", "*.o\nbuild/\n");
    s.write("gone.txt", "bye");
    s.commit("v2");
    s.write("a.txt", "changed\n");
    s.write("new/b.txt", "untracked");
    s.write("a.o", "ignored");
    s.write("build/x/y", "ignored");
    s.remove("gone.txt");
    let pair = s.pair(&[]).unwrap();
    check(
        &pair,
        r#".gitignore: file "*.o\nbuild/\n"
           a.txt: file "one\ntwo\nthree\n"
           gone.txt: file "bye""#,
        r#".gitignore: file "*.o\nbuild/\n"
           a.txt: file "changed\n"
           new/b.txt: file "untracked""#,
    );
    assert_eq!((pair.old.name.as_str(), pair.new.name.as_str()), ("`HEAD`", "the working tree"));
}

#[test]
fn staged_files_count_as_they_are_on_disk() {
    let s = Sandbox::with_commit();
    s.write("staged", "index");
    s.write("intended", "disk");
    s.git("add staged");
    s.git("add -N intended");
    s.write("staged", "disk");
    let pair = s.pair(&[]).unwrap();
    let found = format!("{:?}", pair.new.tree);
    assert!(
        found.contains(r#"staged: file "disk""#) && found.contains(r#"intended: file "disk""#),
        "{found}"
    );
}

#[test]
fn one_revision_is_compared_with_the_working_tree() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    s.commit("v2");
    s.write("a.txt", "3");
    check(&s.pair(&["v2"]).unwrap(), r#"a.txt: file "2""#, r#"a.txt: file "3""#);
    check(&s.pair(&["v1"]).unwrap(), r#"a.txt: file "one\ntwo\nthree\n""#, r#"a.txt: file "3""#);
}

#[test]
fn two_revisions_and_a_range_are_the_same() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    s.commit("v2");
    s.write("a.txt", "not committed");
    for said in
        [&["v1", "v2"][..], &["v1..v2"], &["v1..main"], &["v1.."], &["HEAD~1", "HEAD"], &["v1", "v2^{tree}"]]
    {
        check(&s.pair(said).unwrap(), r#"a.txt: file "one\ntwo\nthree\n""#, r#"a.txt: file "2""#);
    }
}

#[test]
fn three_dots_start_from_the_merge_base() {
    let s = Sandbox::with_commit();
    s.git("checkout -q -b topic");
    s.write("topic", "t");
    s.commit("t1");
    s.git("checkout -q main");
    s.write("trunk", "m");
    s.commit("m1");
    let pair = s.pair(&["main...topic"]).unwrap();
    assert_eq!(
        (paths(&pair.old.tree), paths(&pair.new.tree)),
        (vec!["a.txt".into()], vec!["a.txt".into(), "topic".into()])
    );
    assert_eq!(pair.old.name, "the merge base of `main` and `topic`");
    assert_eq!(paths(&s.pair(&["...topic"]).unwrap().old.tree), ["a.txt"]);

    s.git("checkout -q --orphan island");
    s.commit("i1");
    assert_eq!(
        s.refusal(&["main...island"]),
        "`main` and `island` have no common ancestor; use `main..island` to compare them directly"
    );
}

#[test]
fn a_subtree_can_be_a_version() {
    let s = Sandbox::repository();
    s.write("old/x", "1");
    s.write("new/x", "2");
    s.commit("v1");
    check(&s.pair(&["HEAD:old", "HEAD:new"]).unwrap(), r#"x: file "1""#, r#"x: file "2""#);
    assert_eq!(
        s.refusal(&["HEAD:old/x"]),
        "`HEAD:old/x` is a single file, not a version; name a commit or a tree"
    );
}

#[test]
fn a_subfolder_sees_the_whole_repository() {
    let s = Sandbox::with_commit();
    s.write("sub/deep/x", "1");
    s.commit("v2");
    s.write("a.txt", "new");
    s.write("other", "untracked");
    let s = s.from("sub/deep");
    let pair = s.pair(&[]).unwrap();
    assert_eq!(paths(&pair.new.tree), ["a.txt", "other", "sub/deep/x"]);
    assert_eq!(paths(&pair.old.tree), ["a.txt", "sub/deep/x"]);
    assert_eq!(pair.subfolder.unwrap().to_string(), "sub/deep");
    assert_eq!(paths(&s.pair(&["v1", "v2"]).unwrap().new.tree), ["a.txt", "sub/deep/x"]);
}

#[test]
fn a_linked_worktree_has_its_own_head_and_files() {
    let s = Sandbox::with_commit();
    s.git("worktree add -q ../linked -b other");
    let s = s.from("../linked");
    s.write("a.txt", "here");
    check(&s.pair(&[]).unwrap(), r#"a.txt: file "one\ntwo\nthree\n""#, r#"a.txt: file "here""#);
}

#[test]
fn a_bare_repository_has_revisions_but_no_working_tree() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    s.commit("v2");
    s.git("clone -q --bare . ../bare");
    let s = s.from("../bare");
    let pair = s.pair(&["v1", "v2"]).unwrap();
    check(&pair, r#"a.txt: file "one\ntwo\nthree\n""#, r#"a.txt: file "2""#);
    assert!(pair.new.origin().is_none());
    let refusal = "`$/bare` has no working tree (it is bare, or inside `.git`); name two revisions";
    assert_eq!(s.refusal(&[]), refusal);
    assert_eq!(s.refusal(&["v1"]), refusal);
}

#[test]
fn a_shallow_clone_says_that_it_is_shallow() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    s.commit("v2");
    let url = format!("file://{}", s.here.display());
    s.run("git", &["clone", "-q", "--depth=1", &url, "../shallow"]);
    let s = s.from("../shallow");
    s.write("a.txt", "3");
    check(&s.pair(&[]).unwrap(), r#"a.txt: file "2""#, r#"a.txt: file "3""#);
    assert_eq!(
        s.refusal(&["HEAD~1"]),
        "no such revision `HEAD~1` (branches: main); this clone is shallow, \
         `git fetch --unshallow` gets the rest of its history"
    );
}

#[test]
fn a_partial_clone_is_not_fetched_into() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    s.commit("v2");
    s.git("config uploadpack.allowFilter true");
    let url = format!("file://{}", s.here.display());
    s.run("git", &["clone", "-q", "--filter=blob:none", &url, "../partial"]);
    let s = s.from("../partial");
    assert_eq!(
        s.refusal(&["v1", "v2"]),
        "the content of `a.txt` at `v1` is not in this clone; if the clone is partial, \
         `git fetch --refetch --no-filter` completes it"
    );
    s.write("a.txt", "3");
    check(&s.pair(&[]).unwrap(), r#"a.txt: file "2""#, r#"a.txt: file "3""#);
}

#[test]
fn a_submodule_is_its_commit_and_its_files_come_alongside() {
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
    s.commit("v2");
    let recorded = s.git("rev-parse HEAD:lib");
    s.write("lib/b.txt", "x");
    s.run("git", &["-C", "lib", "add", "-A"]);
    s.run("git", &["-C", "lib", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "b"]);
    s.write("lib/not-committed", "x");
    let checked_out = s.run("git", &["-C", "lib", "rev-parse", "HEAD"]);
    assert_ne!(recorded, checked_out);

    let pair = s.pair(&[]).unwrap();
    let lib = RelPath::new(b"lib").unwrap();
    let content = |tree: &Snapshot| String::from_utf8(tree.get(&lib).unwrap().content.to_vec()).unwrap();
    assert_eq!((content(&pair.old.tree), content(&pair.new.tree)), (recorded, checked_out));
    assert_eq!(pair.new.tree.get(&lib).unwrap().kind, EntryKind::Submodule);
    assert_eq!(paths(&pair.new.tree), [".gitmodules", "a.txt", "lib"]);
    assert_eq!(pair.new.origin().unwrap().alongside, [lib]);
}

#[test]
fn a_nested_repository_is_not_read_but_comes_alongside() {
    let s = Sandbox::with_commit();
    s.git("clone -q . nested");
    s.write("a.txt", "2");
    let pair = s.pair(&[]).unwrap();
    assert_eq!(paths(&pair.new.tree), ["a.txt"]);
    assert_eq!(pair.new.origin().unwrap().alongside, [RelPath::new(b"nested").unwrap()]);
}

#[test]
fn build_products_are_listed_at_their_topmost_ignored_folder() {
    let s = Sandbox::with_commit();
    s.write(".gitignore", "target/\nnode_modules\n*.pyc\n");
    s.commit("v2");
    s.write("target/debug/deps/x", "");
    s.write("web/node_modules/left-pad/index.js", "");
    s.write("lib/a.pyc", "");
    s.write("lib/a.py", "");
    for said in [&[][..], &["v1", "v2"]] {
        let origin = s.pair(said).unwrap().old.origin().unwrap().clone();
        assert_eq!(origin.root, s.here);
        let mut alongside: Vec<String> = origin.alongside.iter().map(RelPath::to_string).collect();
        alongside.sort();
        assert_eq!(alongside, ["lib/a.pyc", "target", "web/node_modules"]);
    }
}

#[test]
fn unusual_names_links_and_modes_are_read() {
    let s = Sandbox::repository();
    s.write("line\nbreak", "1");
    s.write(b"latin-\xe9".to_vec(), "2");
    s.write("-x y\t\"z\\", "3");
    s.write("run", "echo\n");
    s.make_executable("run");
    s.link("link", "../outside");
    s.write("empty", "");
    s.commit("v1");
    let listing = r#"
        -x y\t\"z\\: file "3"
        empty: file ""
        latin-\xe9: file "2"
        line\nbreak: file "1"
        link: link "../outside"
        run: exec "echo\n""#;
    s.write("more", "untracked");
    check(
        &s.pair(&[]).unwrap(),
        listing,
        &listing.replace("run: exec", "more: file \"untracked\"\nrun: exec"),
    );
    s.remove("more");
    s.write(b"\xff\n".to_vec(), "untracked");
    s.remove("link");
    s.write("link/now/folder", "x");
    s.remove("run");
    s.link("run", "empty");
    let pair = s.pair(&[]).unwrap();
    check(
        &pair,
        listing,
        r#"
        -x y\t\"z\\: file "3"
        empty: file ""
        latin-\xe9: file "2"
        line\nbreak: file "1"
        link/now/folder: file "x"
        run: link "empty"
        \xff\n: file "untracked""#,
    );
}

#[test]
fn a_tracked_file_behind_a_link_is_gone() {
    let s = Sandbox::repository();
    s.write("d/x", "1");
    s.commit("v1");
    s.run("mv", &["d", "../elsewhere"]);
    s.link("d", "../elsewhere");
    check(&s.pair(&[]).unwrap(), r#"d/x: file "1""#, r#"d: link "../elsewhere""#);
}

#[test]
fn line_endings_that_git_converts_are_no_change() {
    let s = Sandbox::repository();
    s.git("config core.autocrlf true");
    s.write("a.txt", "one\r\ntwo\r\n");
    s.write("b.txt", "one\r\n");
    s.commit("v1");
    assert_eq!(s.git("cat-file -s HEAD:b.txt"), "4", "the blob has no carriage return");
    s.write("a.txt", "one\r\n2\r\n");
    check(
        &s.pair(&[]).unwrap(),
        r#"a.txt: file "one\r\ntwo\r\n"
           b.txt: file "one\r\n""#,
        r#"a.txt: file "one\r\n2\r\n"
           b.txt: file "one\r\n""#,
    );
}

#[test]
fn attributes_apply_to_both_revisions() {
    let s = Sandbox::repository();
    s.write(".gitattributes", "*.bat text eol=crlf\n");
    s.write("a.bat", "x\n");
    s.write("line\nbreak.bat", "x\n");
    s.commit("v1");
    s.write("a.bat", "y\n");
    s.commit("v2");
    let pair = s.pair(&["v1", "v2"]).unwrap();
    let shown = format!("{:?}", pair.new.tree);
    assert!(shown.contains(r#"a.bat: file "y\r\n""#), "{shown}");
    assert!(shown.contains(r#"line\nbreak.bat: file "x\r\n""#), "{shown}");
}

#[test]
fn an_unmodified_large_file_is_no_change_and_its_filter_is_not_run() {
    let s = Sandbox::repository();
    // As the LFS filter would: content in the working tree, a pointer in the repository.
    s.run("git", &["config", "filter.lfs.clean", "cat >/dev/null; echo pointer"]);
    s.run("git", &["config", "filter.lfs.smudge", "touch ran; echo content"]);
    s.git("config filter.lfs.required true");
    s.write(".gitattributes", "*.bin filter=lfs\n");
    s.write("big.bin", "content\n");
    s.write("a.txt", "1");
    s.commit("v1");
    assert_eq!(s.git("cat-file blob HEAD:big.bin"), "pointer");
    // The index was written in the same second as the file, which git then has to look into; time passes.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    s.git("update-index --refresh");
    s.write("a.txt", "2");
    let pair = s.pair(&[]).unwrap();
    let shown = format!("{:?}", pair.old.tree);
    assert!(shown.contains(r#"big.bin: file "content\n""#), "{shown}");
    s.commit("v2");
    let shown = format!("{:?}", s.pair(&["v1", "v2"]).unwrap().old.tree);
    assert!(shown.contains(r#"big.bin: file "pointer\n""#), "{shown}");
    assert!(!s.here.join("ran").exists());
}

#[test]
fn modes_on_disk_mean_nothing_where_git_does_not_trust_them() {
    let s = Sandbox::with_commit();
    s.git("config core.fileMode false");
    s.make_executable("a.txt");
    s.write("b", "");
    check(
        &s.pair(&[]).unwrap(),
        r#"a.txt: file "one\ntwo\nthree\n""#,
        r#"a.txt: file "one\ntwo\nthree\n"
           b: file """#,
    );
}

#[test]
fn a_file_outside_a_sparse_checkout_is_not_deleted() {
    let s = Sandbox::repository();
    s.write("in/x", "1");
    s.write("out/y", "2");
    s.commit("v1");
    s.git("sparse-checkout set in");
    assert!(!s.here.join("out/y").exists());
    s.write("in/x", "3");
    check(
        &s.pair(&[]).unwrap(),
        "in/x: file \"1\"\nout/y: file \"2\"",
        "in/x: file \"3\"\nout/y: file \"2\"",
    );
}

#[test]
fn a_conflict_is_read_as_it_is_on_disk() {
    let s = Sandbox::with_commit();
    s.write("b.txt", "1\n");
    s.commit("base");
    s.git("checkout -q -b topic");
    s.write("a.txt", "topic\n");
    s.remove("b.txt");
    s.commit("t");
    s.git("checkout -q main");
    s.write("a.txt", "main\n");
    s.write("b.txt", "2\n");
    s.commit("m");
    std::process::Command::new("git").args(["merge", "-q", "topic"]).current_dir(&s.here).output().unwrap();
    assert!(s.git("status --porcelain").contains("UD b.txt"));
    let new = format!("{:?}", s.pair(&[]).unwrap().new.tree);
    assert!(new.starts_with(r#"a.txt: file "<<<<<<< HEAD\nmain\n"#), "{new}");
    assert!(new.ends_with("b.txt: file \"2\\n\"\n"), "{new}");
}

#[test]
fn what_both_versions_have_is_held_once() {
    let s = Sandbox::with_commit();
    s.write("same", "same");
    s.commit("v2");
    s.write("a.txt", "2");
    s.commit("v3");
    s.write("a.txt", "3");
    for said in [&[][..], &["v2", "v3"]] {
        let pair = s.pair(said).unwrap();
        let same = RelPath::new(b"same").unwrap();
        let content = |tree: &Snapshot| Arc::clone(&tree.get(&same).unwrap().content);
        assert!(Arc::ptr_eq(&content(&pair.old.tree), &content(&pair.new.tree)));
    }
}

#[test]
fn a_misspelt_revision_is_answered_with_the_nearest_names() {
    let s = Sandbox::with_commit();
    s.git("branch feature/parser");
    assert_eq!(
        s.refusal(&["feature/praser"]),
        "no such revision `feature/praser`; did you mean `feature/parser`? (branches: feature/parser, main)"
    );
    assert_eq!(
        s.refusal(&["mian~1", "v1"]),
        "no such revision `mian~1`; did you mean `main`? (branches: feature/parser, main)"
    );
    assert_eq!(s.refusal(&["zebra"]), "no such revision `zebra` (branches: feature/parser, main)");
    let nowhere = "0123456789012345678901234567890123456789";
    assert_eq!(
        s.refusal(&[nowhere]),
        format!("no such revision `{nowhere}` (branches: feature/parser, main)")
    );
    assert_eq!(s.refusal(&["v1..nowhere"]), "no such revision `nowhere` (branches: feature/parser, main)");
    assert_eq!(s.refusal(&["--all"]), "no such revision `--all` (branches: feature/parser, main)");
}

#[test]
fn a_repository_without_commits_says_so() {
    let s = Sandbox::repository();
    s.write("a", "");
    assert_eq!(
        s.refusal(&[]),
        "`$/repo` has no commits yet, so there is no HEAD to compare with; commit first, or name two directories"
    );
}

#[test]
fn outside_a_repository_there_are_no_revisions() {
    let s = Sandbox::empty();
    assert_eq!(s.refusal(&[]), "`$` is not in a git repository; name two directories or archives");
    assert_eq!(
        s.refusal(&["v1", "v2"]),
        "`v1` is neither a directory nor an archive, and no revision, for `$` is not in a git repository"
    );
}

#[test]
fn identical_versions_are_refused() {
    let s = Sandbox::with_commit();
    assert_eq!(
        s.refusal(&[]),
        "`HEAD` and the working tree have the same files, so there is nothing to search; name two versions that differ"
    );
    assert!(s.refusal(&["v1", "main"]).starts_with("`v1` and `main` have the same files"));
}

#[test]
fn a_word_with_two_meanings_is_not_guessed_about() {
    let s = Sandbox::with_commit();
    s.write("docs/x", "");
    s.commit("v2");
    s.git("branch docs v1");
    assert_eq!(
        s.refusal(&["docs", "v2"]),
        "`docs` is both a revision and a directory; say `./docs` for a directory or `docs~0` for the revision"
    );
    assert_eq!(paths(&s.pair(&["./docs", "v1"]).unwrap().old.tree), ["x"]);
    assert_eq!(paths(&s.pair(&["docs~0", "v2"]).unwrap().old.tree), ["a.txt"]);
}

#[test]
fn too_many_words_are_refused() {
    let s = Sandbox::with_commit();
    assert_eq!(s.refusal(&["v1", "v1", "v1"]), "3 versions are named; nub compares two");
    assert_eq!(
        s.refusal(&["v1..v1", "v1"]),
        "`v1..v1` names two versions already; leave the other version or --patch out"
    );
}

#[test]
fn a_part_of_the_working_tree_is_not_compared_with_the_whole() {
    let s = Sandbox::with_commit();
    s.write("src/x", "");
    s.commit("v2");
    for part in ["src", "src/", "."] {
        assert_eq!(
            s.refusal(&[part]),
            format!(
                "`{part}` is part of the working tree it would be compared with; name a second version, \
                 or limit the paths with --only"
            )
        );
    }
    s.write("copy/a.txt", "good");
    check(
        &s.pair(&["copy"]).unwrap(),
        r#"a.txt: file "good""#,
        "a.txt: file \"one\\ntwo\\nthree\\n\"\ncopy/a.txt: file \"good\"\nsrc/x: file \"\"",
    );
}
