//! Workspaces with real tools in them: whatever was built before, a test sees the config it is asked about.

#![allow(clippy::unwrap_used)]

use nub_change::{Entry, EntryKind, Patchwork, RelPath, Snapshot};
use nub_lab::workspace::{Along, Origin, Workspace};
use nub_search::{Config, Random};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

fn path(text: &str) -> RelPath {
    RelPath::try_from(text).unwrap()
}

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    files.iter().map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
}

/// A workspace, and the temporary folder that holds it.
struct Bench {
    patchwork: Arc<Patchwork>,
    workspace: Workspace,
    folder: TempDir,
}

impl Bench {
    fn new(old: &[(&str, &str)], new: &[(&str, &str)]) -> Bench {
        Bench::of(Patchwork::between(&snapshot(old), &snapshot(new)))
    }

    fn of(patchwork: Patchwork) -> Bench {
        let origin = Origin { patchwork: Arc::new(patchwork), along: None, clean: false };
        Bench::from(origin)
    }

    fn from(origin: Origin) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let patchwork = Arc::clone(&origin.patchwork);
        Bench { patchwork, workspace: Workspace::new(folder.path().join("w"), origin.into()), folder }
    }

    fn move_to(&mut self, config: impl Into<Config>) {
        self.workspace.move_to(&config.into()).unwrap();
    }

    /// What a shell line prints in the workspace.
    fn sh(&self, line: &str) -> String {
        let run = Command::new("sh")
            .args(["-c", line])
            .env_remove("PYTHONDONTWRITEBYTECODE")
            .current_dir(self.workspace.dir())
            .output()
            .unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(run.status.success(), "`{line}` failed: {}{}", said(&run.stdout), said(&run.stderr));
        said(&run.stdout)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.workspace.dir().join(name)
    }

    /// Asserts that the files of the version are there, byte for byte, and returns what else there is.
    fn others(&self, config: &Config) -> Vec<String> {
        let mut version = self.patchwork.render(config);
        let mut others = Vec::new();
        let mut folders = vec![self.workspace.dir().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let place = entry.unwrap().path();
                let found = fs::symlink_metadata(&place).unwrap();
                let name = place.strip_prefix(self.workspace.dir()).unwrap();
                if found.is_dir() {
                    folders.push(place);
                    continue;
                }
                let executable = found.permissions().mode() & 0o100 != 0;
                let entry = match found.is_symlink() {
                    true => Entry::symlink(fs::read_link(&place).unwrap().as_os_str().as_bytes()),
                    false => {
                        let file = Entry::file(fs::read(&place).unwrap());
                        Entry { kind: EntryKind::File { executable }, ..file }
                    }
                };
                match version.remove(&RelPath::new(name.as_os_str().as_bytes()).unwrap()) {
                    Some(expected) => assert_eq!(entry, expected, "{}", name.display()),
                    None => others.push(name.display().to_string()),
                }
            }
        }
        assert!(version.is_empty(), "missing: {version:?}");
        others
    }
}

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|run| run.status.success());
    if !found {
        println!("left out: there is no {tool} here");
    }
    found
}

/// The configs of three changes in an order that comes back to each, and the number each shows.
fn rapid() -> impl Iterator<Item = (Config, String)> {
    [0, 1, 0, 2, 3, 1, 7, 6, 4, 5, 0, 7].into_iter().map(|bits: u32| {
        let has = |i: u32| bits >> i & 1;
        let config = (0..3).filter(|&i| has(i) == 1).collect();
        (config, format!("{}{}{}\n", 1 + has(0), 1 + has(1), 1 + has(2)))
    })
}

/// Three files with a `#` each, which is 1 in the old version and 2 in the new, so that sizes tell nothing;
/// and the rest of both versions.
fn three_digits(files: [(&str, &str); 3], rest: &[(&str, &str)]) -> Bench {
    let version = |digit: &str| -> Snapshot {
        let files = files.iter().map(|(name, text)| (*name, text.replace('#', digit)));
        let all = files.chain(rest.iter().map(|(name, text)| (*name, text.to_string())));
        all.map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
    };
    let bench = Bench::of(Patchwork::between(&version("1"), &version("2")));
    assert_eq!(bench.patchwork.changes().len(), 3);
    bench
}

/// Moves through the configs as fast as the command allows; it must show the number of each.
fn check_rapid(bench: &mut Bench, command: &str) {
    for (config, number) in rapid() {
        bench.move_to(config.clone());
        assert_eq!(bench.sh(command), number, "`{command}` of {config:?}");
    }
}

const MAKEFILE: &str = "\
prog: a.o b.o c.o main.o\n\tcc -o $@ $^
%.o: %.c\n\tcc -c -o $@ $<\n\techo $@ >> made
";

#[test]
fn with_other_numbers_a_workspace_keeps_what_was_built() {
    let (old, new) = ([("a", "1\n"), ("b", "1\n2\n")], [("a", "one\n"), ("b", "one\ntwo\n")]);
    let mut bench = Bench::new(&old, &new);
    bench.move_to([0]);
    bench.sh("touch product");
    // The same new version, and an old one of which only `b` is other.
    let finer = Patchwork::between(&snapshot(&[("a", "one\n"), ("b", "1\ntwo\n")]), &snapshot(&new));
    let (full, finer) = (bench.patchwork.full(), Arc::new(finer));
    let origin = Origin { patchwork: Arc::clone(&finer), along: None, clean: false };
    bench.workspace.renumber(&full, origin.into(), &finer.full());
    bench.patchwork = Arc::clone(&finer);
    assert_eq!(bench.others(&finer.full()), ["product"]);
    bench.move_to([]);
    assert_eq!(bench.others(&Config::empty()), ["product"]);
    assert_eq!(bench.workspace.toward(&finer.full()).digest(), bench.workspace.anew(&finer.full()).digest());
}

#[test]
fn make_builds_what_a_move_has_changed_and_nothing_else() {
    if !has("make") || !has("cc") {
        return;
    }
    let main = "#include <stdio.h>\nint a(void); int b(void); int c(void);
                int main(void) { printf(\"%d%d%d\\n\", a(), b(), c()); return 0; }\n";
    let mut bench = three_digits(
        [
            ("a.c", "int a(void) { return #; }\n"),
            ("b.c", "int b(void) { return #; }\n"),
            ("c.c", "int c(void) { return #; }\n"),
        ],
        &[("Makefile", MAKEFILE), ("main.c", main)],
    );
    check_rapid(&mut bench, "make >log && ./prog");

    for (config, made) in
        [(vec![], "a.o\nb.o\nc.o\n"), (vec![1], "b.o\n"), (vec![0], "a.o\nb.o\n"), (vec![0], "")]
    {
        bench.sh("rm made; touch made");
        bench.move_to(Config::from_iter(config));
        bench.sh("make");
        let mut now: Vec<String> = bench.sh("cat made").lines().map(|line| format!("{line}\n")).collect();
        now.sort();
        assert_eq!(now.concat(), made);
    }
}

#[test]
fn a_make_that_compares_whole_seconds_is_not_misled() {
    let make = "newer() { [ ! -e $2 ] || [ $(stat -c %Y $1) -gt $(stat -c %Y $2) ]; }
                for x in a b c; do
                    if newer $x $x.out; then cat $x >$x.out; fi
                    if newer $x.out all; then again=1; fi
                done
                if [ \"$again\" ]; then cat a.out b.out c.out | tr -d '\\n' >all; fi
                cat all; echo";
    let mut bench = three_digits([("a", "#\n"), ("b", "#\n"), ("c", "#\n")], &[]);
    check_rapid(&mut bench, make);
}

#[test]
fn a_tool_that_notes_the_time_of_its_run_is_not_misled() {
    let tool = "for x in a b c; do
                    if [ ! -e $x.noted ] || [ $(date -r $x +%s%N) -gt $(cat $x.noted) ]; then
                        date +%s%N >$x.noted; cat $x >$x.out
                    fi
                done; cat a.out b.out c.out | tr -d '\\n'; echo";
    let mut bench = three_digits([("a", "#\n"), ("b", "#\n"), ("c", "#\n")], &[]);
    check_rapid(&mut bench, tool);
}

#[test]
fn nothing_is_dated_in_the_future() {
    let mut bench = three_digits([("a", "#\n"), ("b", "#\n"), ("c", "#\n")], &[]);
    check_rapid(&mut bench, "touch now; find . -newer now; cat a b c | tr -d '\\n'; echo");
}

#[test]
fn python_does_not_import_what_it_compiled_before() {
    if !has("python3") {
        return;
    }
    let mut bench = three_digits(
        [("a.py", "x = #\n"), ("p/b.py", "x = #\n"), ("p/c.py", "x = #\n")],
        &[("p/__init__.py", "")],
    );
    bench.move_to([]);
    // Started without detours, it imports several times a second, which is what it is not made for.
    let python = bench.sh("python3 -c 'import sys; print(sys.executable)'");
    let import = "-S -c 'import a, p.b, p.c; print(a.x, p.b.x, p.c.x, sep=\"\")'";
    check_rapid(&mut bench, &format!("{} {import}", python.trim()));
    assert!(bench.path("p/__pycache__").is_dir(), "it does compile");
}

#[test]
fn cargo_builds_every_config() {
    let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let main = "mod a;\nmod b;\nmod c;\nfn main() { println!(\"{}{}{}\", a::X, b::X, c::X); }\n";
    let mut bench = three_digits(
        [
            ("src/a.rs", "pub const X: u8 = #;\n"),
            ("src/b.rs", "pub const X: u8 = #;\n"),
            ("src/c.rs", "pub const X: u8 = #;\n"),
        ],
        &[("Cargo.toml", manifest), ("src/main.rs", main)],
    );
    for (config, number) in rapid().take(5) {
        bench.move_to(config.clone());
        let run = "env -u CARGO_TARGET_DIR cargo run -q --offline";
        assert_eq!(bench.sh(run), number, "{config:?}");
    }
}

#[test]
fn a_removed_source_takes_its_compiled_forms_and_all_that_is_made_of_its_folder() {
    if !has("make") || !has("python3") {
        return;
    }
    let makefile = "all: $(wildcard src/*.txt)\n\tcat $^ >all\n";
    let old = [("Makefile", makefile), ("src/a.txt", "a\n"), ("main.py", "")];
    let new = [
        ("Makefile", makefile),
        ("src/a.txt", "a\n"),
        ("main.py", ""),
        ("src/b.txt", "b\n"),
        ("q/m.py", "x = 1\n"),
    ];
    let mut bench = Bench::new(&old, &new);
    let build = "make -s && cat all && python3 -c 'import q.m' 2>/dev/null && echo q";
    bench.move_to(bench.patchwork.full());
    assert_eq!(bench.sh(build), "a\nb\nq\n");
    bench.move_to([]);
    assert_eq!(bench.sh("make -s && cat all; python3 -c 'import q' 2>/dev/null || echo none"), "a\nnone\n");
    assert_eq!(bench.others(&Config::empty()), ["all"]);
    assert!(!bench.path("q").exists());
}

#[test]
fn a_link_that_points_elsewhere_dates_what_it_points_to() {
    if !has("make") {
        return;
    }
    let common = [("Makefile", "out: in\n\tcat in >out\n"), ("one", "1\n"), ("two", "2\n")];
    let (mut old, mut new) = (snapshot(&common), snapshot(&common));
    old.insert(path("in"), Entry::symlink(*b"one"));
    new.insert(path("in"), Entry::symlink(*b"two"));
    let mut bench = Bench::of(Patchwork::between(&old, &new));
    for (config, text) in [(Config::empty(), "1\n"), (Config::full(1), "2\n"), (Config::empty(), "1\n")] {
        bench.move_to(config);
        assert_eq!(bench.sh("make -s && cat out"), text);
    }
}

#[test]
fn what_a_test_does_to_the_version_is_undone() {
    let common = [("a", "1\n"), ("d/b", "2\n"), ("d/e/c", "3\n"), ("x", "4\n")];
    let changed = [("a", "5\n"), ("d/b", "2\n"), ("d/e/c", "3\n"), ("x", "4\n"), ("n/new", "6\n")];
    for harm in [
        "echo 9 >a",
        "echo 9 >x; touch -r d/b x",
        "rm a; rm -r d",
        "chmod +x a; chmod 000 x",
        "rm -r d; echo file >d",
        "rm a; mkdir a; echo deep >a/deep",
        "rm -r d; ln -s ../outside d",
        "rm -r n; ln -s ../outside n",
        "rm a; ln -s ../outside/b a",
        "mv d/e d/f; chmod 000 d",
        "rm -rf f; mv d f; mkdir d d/e; mv f/b d/e/c",
        "cp -p a a2; mv a2 a",
        "ln -f x second; echo 9 >second",
        "ln -f x n/second",
        "echo 9 >n/second",
        "truncate -s 1 x",
    ] {
        let mut bench = Bench::new(&common, &changed);
        let outside = bench.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        // The same as in the version, so that only the way there tells.
        [("b", "2\n"), ("new", "6\n")]
            .iter()
            .for_each(|(name, text)| fs::write(outside.join(name), text).unwrap());
        let before = times(&outside);
        bench.move_to([]);
        // The first look is at everything, those after it at what the system tells.
        for config in [bench.patchwork.full(), Config::empty(), bench.patchwork.full(), Config::empty()] {
            bench.sh(&format!("mkdir -p n; {harm}"));
            bench.move_to(config.clone());
            bench.others(&config);
            assert_eq!(times(&outside), before, "after {harm}");
        }
    }
}

#[test]
fn a_file_that_only_looks_touched_is_not_written_again() {
    let mut bench = Bench::new(&[("a", "1\n"), ("b", "1\n")], &[("a", "2\n"), ("b", "1\n")]);
    bench.move_to([]);
    bench.sh("ln b link; touch -d '2001-01-01' b");
    let before = fs::metadata(bench.path("b")).unwrap();
    bench.move_to([0]);
    let after = fs::metadata(bench.path("b")).unwrap();
    assert_eq!((after.ino(), after.mtime()), (before.ino(), before.mtime()));
    assert_eq!(after.mtime(), 978_307_200, "as the test left it");
}

/// Versions with every kind of entry and change in few paths, so that they get in each other's way.
fn tangled(random: &mut Random) -> Snapshot {
    let mut version = Snapshot::new();
    for name in ["a", "a/b", "a/c", "b", "b/a/a", "b/a/b", "c"] {
        let path = path(name);
        let blocked = path.folders().any(|folder| version.get(&folder).is_some());
        if blocked || random.chance(0.4) {
            continue;
        }
        let text: String = (0..random.below(6)).map(|_| format!("{}\n", random.below(4))).collect();
        let executable = random.chance(0.3);
        let entry = match random.below(5) {
            0 => Entry::symlink(*b"../c"),
            1 => Entry::file([0, random.below(3) as u8]),
            _ => Entry { kind: EntryKind::File { executable }, ..Entry::file(text.as_bytes()) },
        };
        version.insert(path, entry);
    }
    version
}

#[test]
fn every_config_of_tangled_versions_is_reached_from_every_other() {
    let mut random = Random::new(3);
    for _ in 0..30 {
        let patchwork = Patchwork::between(&tangled(&mut random), &tangled(&mut random));
        let n = patchwork.changes().len() as u32;
        let mut bench = Bench::of(patchwork);
        let mut digests = std::collections::HashMap::new();
        for _ in 0..12 {
            let config: Config = (0..n).filter(|_| random.chance(0.5)).collect();
            let step = bench.workspace.toward(&config);
            assert_eq!(step.digest(), bench.workspace.anew(&config).digest(), "however it is reached");
            let tree = bench.patchwork.render(&config);
            assert_eq!(digests.entry(step.digest()).or_insert_with(|| tree.clone()), &tree);
            bench.workspace.go(step).unwrap();
            assert_eq!(bench.others(&config), Vec::<String>::new());
        }
    }
}

#[test]
fn a_workspace_that_broke_is_made_anew() {
    let mut bench = Bench::new(&[("a", "1\n")], &[("a", "2\n")]);
    bench.move_to([]);
    fs::remove_dir_all(bench.workspace.dir()).unwrap();
    let error = bench.workspace.move_to(&[0].into()).unwrap_err();
    assert_eq!(error.to_string(), format!("failed to look into `{}`", bench.workspace.dir().display()));
    bench.move_to([0]);
    assert_eq!(bench.others(&[0].into()), Vec::<String>::new());
}

#[test]
fn clean_leaves_nothing_of_the_test_before() {
    let patchwork = Patchwork::between(&snapshot(&[("a", "1\n")]), &snapshot(&[("a", "2\n")]));
    let mut bench = Bench::from(Origin { patchwork: patchwork.into(), along: None, clean: true });
    for config in [Config::empty(), Config::full(1), Config::full(1)] {
        bench.move_to(config.clone());
        assert_eq!(bench.others(&config), Vec::<String>::new());
        bench.sh("echo product >product; echo 3 >a");
    }
}

#[test]
fn what_comes_along_is_fresh_where_its_sources_are_the_same() {
    if !has("make") {
        return;
    }
    let tree = tempfile::tempdir().unwrap();
    let makefile = "%.out: %.in\n\tcp $< $@\n\techo $@ >>made\n";
    let put = |name: &str, text: &str| fs::write(tree.path().join(name), text).unwrap();
    put("Makefile", makefile);
    put("a.in", "a\n");
    put("b.in", "old\n");
    fs::create_dir(tree.path().join("deps")).unwrap();
    symlink(tree.path().join("a.out"), tree.path().join("deps/link")).unwrap();
    assert!(
        Command::new("make")
            .args(["-sC"])
            .arg(tree.path())
            .args(["a.out", "b.out"])
            .status()
            .unwrap()
            .success()
    );
    fs::remove_file(tree.path().join("made")).unwrap();
    let before = times(tree.path());

    let old = [("Makefile", makefile), ("a.in", "a\n"), ("b.in", "old\n")];
    let new = [("Makefile", makefile), ("a.in", "a\n"), ("b.in", "new\n")];
    let patchwork = Arc::new(Patchwork::between(&snapshot(&old), &snapshot(&new)));
    let paths = ["a.out", "b.out", "deps", "nothing"].map(path).to_vec();
    let along = Along { from: tree.path().to_path_buf(), paths };
    let mut bench = Bench::from(Origin { patchwork, along: Some(along), clean: false });
    bench.move_to([0]);
    assert_eq!(bench.sh("make -s a.out b.out && cat a.out b.out made"), "a\nnew\nb.out\n");
    bench.sh("echo through >deps/link");
    assert_eq!(bench.sh("cat a.out"), "through\n");
    assert_eq!(times(tree.path()), before, "the user's tree is only read");
    assert_eq!(fs::read_to_string(tree.path().join("a.out")).unwrap(), "a\n");
}

fn times(folder: &Path) -> Vec<(String, i64, i64)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let stat = entry.metadata().unwrap();
            (entry.file_name().into_string().unwrap(), stat.mtime(), stat.mtime_nsec())
        })
        .collect();
    found.sort();
    found
}
