//! How well real version pairs are woven by syntax: changes, time, memory, and how many random closed configs of a
//! file whose two versions can be read can be read too.

mod difft;

use crate::table::Table;
use nub_change::{Level, Patchwork, RelPath, Snapshot};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::Limits;
use nub_search::random::Random;
use nub_search::{Config, Coupling, Couplings};
use nub_syntax::{Language, Tree};
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Which cases, and how much of them.
#[derive(clap::Args)]
pub struct Args {
    /// Where set-up trees are kept: a folder with `<case>/good` and `<case>/bad`
    #[arg(long)]
    cache: PathBuf,
    /// The cases by name; all of them if none is given
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// How many random configs of each file are tried
    #[arg(long, default_value_t = 20)]
    configs: usize,
    /// Show this many configs of each case that cannot be read
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// The program `difft`, to be measured on the same files
    #[arg(long)]
    difft: Option<PathBuf>,
    /// Write the table to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

/// What was seen of one case.
#[derive(Default)]
struct Seen {
    files: usize,
    /// Files of which a version could not be read.
    unreadable: usize,
    configs: usize,
    read: usize,
}

/// Weaves each case and prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut names = args.cases.clone();
    if names.is_empty() {
        for entry in fs::read_dir(&args.cache)? {
            let entry = entry?;
            if entry.path().join("good").is_dir() && entry.path().join("bad").is_dir() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
    }
    let head = [
        "case",
        "line changes",
        "changes",
        "couplings",
        "by lines, s",
        "by syntax, s",
        "render, ms",
        "MB",
        "peak, MB",
        "files",
        "unreadable",
        "configs",
        "read",
        "rate",
    ];
    let mut table = Table::new(head);
    let mut beside = Table::new(["case", "files", "MB", "nub, s", "difft, s", "difft, peak MB", "by lines"]);
    let mut all = Seen::default();
    for name in &names {
        let said: Vec<OsString> =
            ["good", "bad"].map(|side| args.cache.join(name).join(side).into_os_string()).into();
        let pair = PairSpec::parse(Path::new("."), &said, None)?.load(Limits::default())?;
        let (old, new) = (&pair.old.tree, &pair.new.tree);
        let start = processor_seconds();
        let lines = Patchwork::between(old, new).changes().len();
        let by_lines = processor_seconds() - start;
        let start = processor_seconds();
        let patchwork = Patchwork::by_syntax(old, new);
        let by_syntax = processor_seconds() - start;
        let peak = peak_megabytes("self");
        if patchwork.render(&Config::empty()) != *old || patchwork.render(&patchwork.full()) != *new {
            return Err(format!("{name}: the ends are not the versions").into());
        }
        let (milliseconds, megabytes) = render(&patchwork);
        let seen = look(args, name, &patchwork, [old, new]);
        if let Some(program) = &args.difft {
            let [old, new] = difft::differing([old, new]);
            let start = processor_seconds();
            drop(Patchwork::by_syntax(&old, &new));
            let seconds = processor_seconds() - start;
            let taken = difft::run(program, [&old, &new])?;
            let bytes: usize = new.iter().map(|(_, entry)| entry.content.len()).sum();
            beside.row([
                name.clone(),
                new.iter().count().to_string(),
                format!("{:.1}", bytes as f64 / 1e6),
                format!("{seconds:.2}"),
                format!("{:.2}", taken.seconds),
                taken.megabytes.to_string(),
                taken.by_lines.to_string(),
            ]);
        }
        table.row([
            name.clone(),
            lines.to_string(),
            patchwork.changes().len().to_string(),
            patchwork.couplings().len().to_string(),
            format!("{:.2}", by_lines),
            format!("{:.2}", by_syntax),
            format!("{milliseconds:.2}"),
            format!("{megabytes:.1}"),
            peak.to_string(),
            seen.files.to_string(),
            seen.unreadable.to_string(),
            seen.configs.to_string(),
            seen.read.to_string(),
            rate(&seen),
        ]);
        eprintln!("{name}: {} changes, {} s, {}", patchwork.changes().len(), by_syntax, rate(&seen));
        all.files += seen.files;
        all.unreadable += seen.unreadable;
        all.configs += seen.configs;
        all.read += seen.read;
    }
    let mut report = format!(
        "# Weaves by syntax\n\nWritten by `nub-bench weaves --configs {}`. A config is a random closed set of the \
         changes of one file whose two versions can be read by the grammar; *read* counts the configs whose text \
         can be read as well. Seconds are of one processor. *Render* is the time to make all files that differ, of \
         so many MB, for a config of every second change. Files of which a version cannot be read are counted, and \
         not tried. The peak is of the whole process up to then.\n\n{table}\nIn all: {} of {} configs can be read \
         ({}); {} of {} files could not be tried.\n",
        args.configs,
        all.read,
        all.configs,
        rate(&all),
        all.unreadable,
        all.files
    );
    if args.difft.is_some() {
        report += &format!(
            "\n## Beside difft\n\nThe same files in the same run: those of known languages that are in both versions \
             and differ. Both use one processor; `difft` draws its JSON. *By lines* are the files that are too much \
             for `difft`'s limits, and that it compares by lines.\n\n{beside}"
        );
    }
    if let Some(out) = &args.out {
        fs::create_dir_all(out.parent().unwrap_or(out))?;
        fs::write(out, &report)?;
    }
    print!("{report}");
    Ok(())
}

fn rate(seen: &Seen) -> String {
    match seen.configs {
        0 => "-".into(),
        n => format!("{:.3} %", 100.0 * seen.read as f64 / n as f64),
    }
}

/// How many milliseconds it takes to render all files that differ, and how many megabytes they are.
fn render(patchwork: &Patchwork) -> (f64, f64) {
    let config: Config = (0..patchwork.changes().len() as u32).step_by(2).collect();
    let start = processor_seconds();
    let difference = patchwork.difference(&Config::empty(), &config);
    let milliseconds = 1e3 * (processor_seconds() - start);
    let bytes: usize = difference.written.iter().map(|(_, entry)| entry.content.len()).sum();
    (milliseconds, bytes as f64 / 1e6)
}

/// Tries random configs of each file.
fn look(args: &Args, name: &str, patchwork: &Patchwork, versions: [&Snapshot; 2]) -> Seen {
    let certain = patchwork.couplings().into_iter().filter(|c| c.probability >= Coupling::CERTAIN);
    let couplings = Couplings::given(certain);
    let files = patchwork.grouping(Level::File);
    let mut random = Random::new(1);
    let mut seen = Seen::default();
    let mut shown = 0;
    for group in 0..files.len() as u32 {
        let changes = files.changes(group);
        let first = &patchwork.changes()[changes[0] as usize];
        let paths: Vec<&RelPath> = [&first.old, &first.new].into_iter().flatten().map(|p| &p.path).collect();
        let Some(language) = std::str::from_utf8(paths[0].as_bytes()).ok().and_then(Language::of_path) else {
            continue;
        };
        seen.files += 1;
        let parses = |text: &[u8]| !Tree::parse(language, text.into()).has_error();
        let ends = paths.iter().flat_map(|path| versions.iter().filter_map(|version| version.get(path)));
        if ends.into_iter().any(|entry| !parses(&entry.content)) {
            seen.unreadable += 1;
            continue;
        }
        for i in 0..args.configs {
            let odds = [0.5, 0.1, 0.9, 0.3][i % 4];
            let some: Config = changes.iter().copied().filter(|_| random.chance(odds)).collect();
            let config = couplings.close(&some);
            let Some(entry) = paths.iter().rev().find_map(|path| patchwork.entry(&config, path)) else {
                continue;
            };
            seen.configs += 1;
            if parses(&entry.content) {
                seen.read += 1;
            } else if shown < args.show {
                shown += 1;
                let out = std::env::temp_dir().join(format!("weave-{name}-{shown}"));
                let _ = fs::write(&out, &entry.content);
                eprintln!("{name}: {} {} of {}: {}", paths[0], config.len(), changes.len(), out.display());
                smallest(patchwork, &couplings, &config, paths[0], &parses);
            }
        }
    }
    seen
}

/// Shows which few changes are enough to make a file unreadable.
fn smallest(
    patchwork: &Patchwork,
    couplings: &Couplings,
    config: &Config,
    path: &RelPath,
    parses: &dyn Fn(&[u8]) -> bool,
) {
    let fails = |config: &Config| patchwork.entry(config, path).is_some_and(|entry| !parses(&entry.content));
    let mut left = config.clone();
    for k in config.iter() {
        let fewer = left.minus(&couplings.dependents(&[k].into(), &left));
        if fails(&fewer) {
            left = fewer;
        }
    }
    for k in left.iter() {
        let change = &patchwork.changes()[k as usize];
        let line = change.new.as_ref().map_or(0, |place| place.lines.start + 1);
        eprintln!("  {k} {} (new line {line}): {}", change.description(), patchwork.text_of(k));
    }
    if let Some(entry) = patchwork.entry(&left, path) {
        let _ = fs::write(std::env::temp_dir().join("weave-smallest"), &entry.content);
    }
}

/// How long this process was computing so far, whatever else the machine does; it has one thread.
fn processor_seconds() -> f64 {
    let said = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    said.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn peak_megabytes(process: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kb| kb.parse::<usize>().ok()).unwrap_or(0) / 1024
}
