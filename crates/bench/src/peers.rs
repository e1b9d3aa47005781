//! Other reducers on the same inputs, by their own commands.
//!
//! Each is found on the path. It gets a script that counts its runs and then does what the case's script does, one
//! test at a time, and is stopped by the clock; the last input that the script found interesting is its result.
//!
//! treereduce is another program for each of its languages, and runs only where there is one. Left out: picireny, which
//! wants an ANTLR jar, a grammar and the name of its first rule for every language, and comes with none of them.

use crate::inputs::Bench;
use crate::inputs::record::Found;
use nub_change::part::count_tokens;
use std::error::Error;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Another reducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Peer {
    /// C-Vise
    Cvise,
    /// C-Reduce
    Creduce,
    /// Shrink Ray
    Shrinkray,
    /// picire, by lines and then by characters
    Picire,
    /// lithium, by lines
    Lithium,
    /// treereduce, where there is one for the language
    Treereduce,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Peer::Cvise => "cvise",
            Peer::Creduce => "creduce",
            Peer::Shrinkray => "shrinkray",
            Peer::Picire => "picire",
            Peer::Lithium => "lithium",
            Peer::Treereduce => "treereduce",
        })
    }
}

impl Peer {
    /// Whether it reads files of this name.
    pub fn reads(self, file: &str) -> bool {
        self != Peer::Treereduce || [".c", ".js"].iter().any(|ending| file.ends_with(ending))
    }

    fn words(self, test: &str, file: &str) -> Vec<String> {
        let is_c = file.ends_with(".c") || file.ends_with(".cpp");
        let words: &[&str] = match self {
            Peer::Cvise if is_c => &["cvise", "--n", "1", test, file],
            Peer::Cvise => &["cvise", "--n", "1", "--not-c", test, file],
            Peer::Creduce if is_c => &["creduce", "--n", "1", test, file],
            Peer::Creduce => &["creduce", "--n", "1", "--not-c", test, file],
            Peer::Shrinkray => &["shrinkray", "--parallelism", "1", "--no-llm", "--ui", "basic", test, file],
            Peer::Picire => &["picire", "--atom", "both", "--test", test, "--input", file, "--out", "out"],
            Peer::Lithium => &["lithium", "condition.py", file],
            Peer::Treereduce => &[
                if is_c { "treereduce-c" } else { "treereduce-javascript" },
                "--jobs",
                "1",
                "--interesting-exit-code",
                "0",
                "--source",
                file,
                "--",
                test,
                "@@",
            ],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}

/// Runs a reducer on an input for a time.
pub fn run(peer: Peer, bench: &Bench) -> Result<Found, Box<dyn Error>> {
    let (input, most) = (&bench.input, bench.most);
    let folder = bench.cache.join("peers").join(format!("{}-{peer}", bench.case));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let name = input.file_name().ok_or("an input has a name")?;
    let file = folder.join(name);
    fs::copy(input, &file)?;
    let (test, count) = (folder.join("test.sh"), folder.join("count"));
    // picire gives the path of the candidate and runs elsewhere, treereduce one of a file with another name; the others
    // run beside it.
    let best = folder.join("best");
    let body = format!(
        "#!/bin/bash\necho >> '{count}'\nexport TOOLS='{tools}'\ncase \"$1\" in\n\
         */'{name}') cd \"$(dirname \"$1\")\";;\n\
         */*) d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; cp \"$1\" \"$d/\"'{name}'; cd \"$d\";;\nesac\n\
         bash '{script}' || exit $?\ncp '{name}' '{best}'\n",
        count = count.display(),
        tools = bench.tools.display(),
        script = bench.script.display(),
        name = Path::new(name).display(),
        best = best.display(),
    );
    fs::write(&test, body)?;
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755))?;
    // lithium asks a function; the file is the last argument.
    let condition = format!(
        "import subprocess\n\ndef interesting(args, prefix):\n    return subprocess.call(['{}']) == 0\n",
        test.display()
    );
    fs::write(folder.join("condition.py"), condition)?;
    let words = peer.words(&test.to_string_lossy(), &name.to_string_lossy());
    let log = fs::File::create(folder.join("log"))?;
    let mut child = Command::new("timeout")
        .args(["--kill-after=5", &format!("{}s", most.as_secs())])
        .args(&words)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()?;
    let status = child.wait()?;
    let tests = fs::read(&count).unwrap_or_default().len();
    if tests == 0 {
        // It is not installed, or does not start: no result, rather than that of a tool that finds nothing.
        return Err(format!("{peer} has run no test: see {}", folder.join("log").display()).into());
    }
    let result = fs::read(&best).or_else(|_| fs::read(input))?;
    Ok(Found { tokens: count_tokens(&result), tests, finished: status.success(), readable: (0, 0) })
}
