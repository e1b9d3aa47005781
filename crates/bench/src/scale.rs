//! What `nub reduce` itself costs: reading a large text, and each test beside the test.
//!
//! Times are those of the processor, all threads together, so that they mean the same on a busy machine.

use crate::table::Table;
use nub_change::part::{Pass, Reader};
use nub_change::{Entry, RelPath, Snapshot};
use nub_lab::process::{Cancel, Guard, Program};
use nub_lab::reduce::{Plan, Property, Reduced, Test, reduce};
use nub_syntax::{Language, Tree};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often a text is read.
const TIMES: u32 = 5;

/// What nub itself costs.
#[derive(Serialize, Deserialize)]
pub struct Own {
    /// Whether it was measured with a release.
    release: bool,
    reading: Vec<Reading>,
    reducing: Vec<Reducing>,
}

/// Reading a text of 1 MB, in ms.
#[derive(Serialize, Deserialize)]
struct Reading {
    language: String,
    parser: f64,
    tree: f64,
    cut: f64,
}

/// Reducing a made program.
#[derive(Serialize, Deserialize)]
struct Reducing {
    input: String,
    tests: usize,
    bytes: usize,
    seconds: f64,
    /// Processor time of nub alone, in ms a test.
    own: f64,
    /// What preparing and clearing away a test takes, in ms.
    beside: f64,
}

/// Measures what nub itself costs.
pub fn measure(cache: &Path) -> Result<Own, Box<dyn Error>> {
    let parsers: [tree_sitter::Language; 3] = [
        tree_sitter_c::LANGUAGE.into(),
        tree_sitter_javascript::LANGUAGE.into(),
        tree_sitter_python::LANGUAGE.into(),
    ];
    let mut reading = Vec::new();
    for ((name, path, unit), parser) in LANGUAGES.into_iter().zip(parsers) {
        let text: Arc<[u8]> = made(unit, 1 << 20).into_bytes().into();
        let language = Language::named(name).ok_or("a language that nub knows")?;
        let mut alone = tree_sitter::Parser::new();
        alone.set_language(&parser)?;
        let parser = mean(|| alone.parse(&text, None))?;
        let tree = mean(|| Tree::parse(language, Arc::clone(&text)).len())?;
        let cut = mean(|| {
            let mut reader = Reader::of_file(path, &text);
            reader.offer(Pass::Lists, &text).map_or(0, |offer| offer.parts.full().len())
        })?;
        reading.push(Reading { language: name.into(), parser: ms(parser), tree: ms(tree), cut: ms(cut) });
    }
    let mut reducing = Vec::new();
    for (size, input) in [(100 << 10, "100 kB"), (1 << 20, "1 MB"), (10 << 20, "10 MB")] {
        let before = processor()?;
        let reduced = reduced(size, cache)?;
        let own = processor()?.saturating_sub(before);
        let tests = reduced.tests.max(1);
        reducing.push(Reducing {
            input: input.into(),
            tests: reduced.tests,
            bytes: reduced.after.bytes,
            seconds: reduced.elapsed.as_secs_f64(),
            own: ms(own / tests as u32),
            beside: ms(reduced.overhead / tests as u32),
        });
    }
    Ok(Own { release: !cfg!(debug_assertions), reading, reducing })
}

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let built = if self.release { "a release" } else { "a build for development, which is slower" };
        writeln!(
            f,
            "Measured with {built}. Reading a text of 1 MB, in ms of processor time; the goal is 50 for nub's tree, of \
             which the first column is the parser's share:\n"
        )?;
        let mut reading = Table::new([
            "language",
            "tree-sitter alone",
            "nub's tree",
            "and all lists cut, with who uses what",
        ]);
        for row in &self.reading {
            let times = [row.parser, row.tree, row.cut].map(|time| format!("{time:.1}"));
            reading.row([row.language.clone()].into_iter().chain(times));
        }
        writeln!(
            f,
            "{reading}\nMade programs in C of which one call matters, reduced with `grep` as the test; the goal is 3 ms a \
             test at 100 kB:\n"
        )?;
        let mut reducing = Table::new([
            "input",
            "tests",
            "bytes left",
            "s",
            "processor ms a test, nub alone",
            "ms a test beside it",
        ]);
        for row in &self.reducing {
            let times = [row.seconds, row.own, row.beside].map(|time| format!("{time:.1}"));
            let counts = [row.input.clone(), row.tests.to_string(), row.bytes.to_string()];
            reducing.row(counts.into_iter().chain(times));
        }
        write!(f, "{reducing}")
    }
}

/// A language, a file name that tells it, and a piece of a program, in which `%` stands for a number.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("c", "a.c", C),
    (
        "javascript",
        "a.js",
        "function f%(a, b) {\n  const c = a ? [b, %] : g(a => a.x);\n  for (let i = 0; i < c; i++) { h({ c, 'd': i }); }\n  return c;\n}\n",
    ),
    (
        "python",
        "a.py",
        "def f%(a, b=%):\n    c = [x for x in a if x > b]\n    for i in range(b):\n        c.append((i, a[i] + 'text'))\n    return c\n\n",
    ),
];
const C: &str = "static int f%(int a, int b) {\n    int c = a + b * %;\n    for (int i = 0; i < c; i++) {\n        if (i & 1) c -= g(a, &b);\n    }\n    return c;\n}\n\n";

fn made(unit: &str, size: usize) -> String {
    let mut text = String::with_capacity(size + unit.len());
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&unit.replace('%', &number.to_string()));
    }
    text
}

fn reduced(size: usize, cache: &Path) -> Result<Reduced, Box<dyn Error>> {
    let text =
        made(C, size / 2) + "int main(void) {\n    while (x) { boom(x, 7); }\n}\n" + &made(C, size / 2);
    let mut input = Snapshot::new();
    input.insert(RelPath::new("in.c")?, Entry::file(text.into_bytes()));
    let plan = Plan {
        input,
        test: Test::Command(Program::Shell("grep -q 'boom(' @@".into())),
        property: Property::default(),
        any_failure: false,
        timeout: None,
        memory: None,
        language: None,
        algorithm: None,
        passes: Pass::DEFAULT.to_vec(),
        tidy: false,
        jobs: 1,
        budget: None,
        out: cache.join("runs").join("scale"),
        scratch: cache.join("scratch"),
        fresh: true,
        count_readable: false,
    };
    let guard = Guard::this_executable()?;
    Ok(reduce(&plan, &guard, &Cancel::new()?, &mut |_| {}, &mut |_| Ok(()))?)
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

fn mean<T>(mut work: impl FnMut() -> T) -> Result<Duration, Box<dyn Error>> {
    let before = processor()?;
    for _ in 0..TIMES {
        std::hint::black_box(work());
    }
    Ok(processor()?.saturating_sub(before) / TIMES)
}

/// The processor time that this process has had.
fn processor() -> Result<Duration, Box<dyn Error>> {
    let [user, system, _, _] = times()?;
    Ok(user + system)
}

/// The processor time that this process and all that it has started and that has ended have had.
pub fn processor_in_all() -> Result<Duration, Box<dyn Error>> {
    Ok(times()?.iter().sum())
}

/// User and system time, of this process and of those it has waited for.
fn times() -> Result<[Duration; 4], Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may hold blanks; the times are the 12th to 15th words after it, in ticks.
    let (_, words) = stat.rsplit_once(')').ok_or("a process has a name")?;
    let words: Vec<&str> = words.split_whitespace().skip(11).take(4).collect();
    let mut times = [Duration::ZERO; 4];
    for (time, word) in times.iter_mut().zip(words) {
        *time = Duration::from_millis(10 * word.parse::<u64>()?);
    }
    Ok(times)
}
