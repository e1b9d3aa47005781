//! The grid: how many changes, how many culprits, how they need each other, and who knows of it.

use super::{Args, Cost, cost, in_parallel};
use crate::table::Table;
use nub_search::algorithm::Algorithm;
use nub_search::laws::{Naming, Oracle, Simulated, random_couplings};
use nub_search::{Config, Coupling, Couplings, Random};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    All,
    Half,
    Nothing,
}

/// A mean size that is larger by less is the same.
const LARGER: f64 = 0.05;

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    pub n: usize,
    pub d: usize,
    /// Couplings that touch a change, on average.
    pub couplings: usize,
    pub known: Known,
}

/// Who ran: a published search is the same whatever a failed build names, since it does not listen.
type Runner = (Algorithm, Naming);

/// The mean over the instances of a row.
#[derive(Clone, Debug, Default)]
struct Mean {
    runs: f64,
    builds: f64,
    tests: f64,
    size: f64,
    optimal: f64,
    given_up: bool,
}

impl Mean {
    fn cost(&self) -> f64 {
        self.builds + self.tests
    }

    fn shown(&self) -> String {
        match self.given_up {
            true => "-".to_owned(),
            false => format!("{:.0} / {:.0} / {:.1}", self.builds, self.tests, self.size),
        }
    }
}

struct Row {
    setting: Setting,
    optimum: f64,
    limit: f64,
    means: HashMap<Runner, Mean>,
}

pub fn report(args: &Args) -> String {
    let mut settings = Vec::new();
    for (couplings, known) in tables(args) {
        for &n in &args.n {
            for &d in args.d.iter().filter(|d| **d < n) {
                settings.push(Setting { n, d, couplings, known });
            }
        }
    }
    let rows = in_parallel(&settings, |setting| measure(setting, args));
    let mut text = String::from(
        "## Culprits and couplings\n\nEach cell: builds (configs tried) / tests (those that built) / size of the \
         result, means over random problems. `-`: given up at the limit of time or of tries, or not tried because hopeless. Limit: \
         log2 C(n,d) + d. A failed build names none, one or all of the couplings it breaks; only pith listens.\n\n",
    );
    for (couplings, known) in tables(args) {
        text += &title(couplings, known);
        text += &table(rows.iter().filter(|r| (r.setting.couplings, r.setting.known) == (couplings, known)));
        text += "\n";
    }
    text + &goals(&rows)
}

fn tables(args: &Args) -> Vec<(usize, Known)> {
    let known = |k: usize| match k {
        0 => vec![Known::All],
        _ => vec![Known::All, Known::Half, Known::Nothing],
    };
    args.couplings.iter().flat_map(|&k| known(k).into_iter().map(move |known| (k, known))).collect()
}

fn title(couplings: usize, known: Known) -> String {
    match (couplings, known) {
        (0, _) => "### No couplings (monotone)\n\n".to_owned(),
        (k, Known::All) => format!("### {k} couplings a change, all known\n\n"),
        (k, Known::Half) => format!("### {k} couplings a change, half of them known\n\n"),
        (k, Known::Nothing) => format!("### {k} couplings a change, none known\n\n"),
    }
}

fn runners(setting: &Setting) -> Vec<Runner> {
    let own = match setting.known {
        Known::All => vec![Naming::Nothing],
        _ => vec![Naming::Nothing, Naming::One, Naming::All],
    };
    let own = own.into_iter().map(|naming| (Algorithm::Pith, naming));
    own.chain(Algorithm::published().map(|algorithm| (algorithm, Naming::Nothing))).collect()
}

/// Searches by belief propose little at a time; where most proposals close to all that is left, they do not end
/// in hours on a hundred thousand changes. Nor do forms of ddmin where couplings are dense, and those that start again
/// after each success least of all.
fn is_hopeless(setting: &Setting, algorithm: Algorithm) -> bool {
    let couplings = setting.couplings * setting.n;
    match algorithm {
        Algorithm::Pith => false,
        Algorithm::Sweep => couplings > 100_000,
        Algorithm::Ddmin | Algorithm::Wddmin | Algorithm::Ddj => couplings > 4000,
        _ => couplings > 0 && setting.n > 10_000,
    }
}

fn measure(setting: &Setting, args: &Args) -> Row {
    let instances = if setting.n >= 1000 { args.instances.div_ceil(10) } else { args.instances };
    let mut row =
        Row { setting: *setting, optimum: 0.0, limit: limit(setting.n, setting.d), means: HashMap::new() };
    for instance in 0..instances {
        let oracle = problem(setting, instance as u64);
        let optimum = oracle.optimum();
        row.optimum += optimum.len() as f64 / instances as f64;
        for runner in runners(setting) {
            let mean = row.means.entry(runner).or_default();
            mean.given_up |= is_hopeless(setting, runner.0) || !args.asks_for(runner.0);
            if mean.given_up {
                continue;
            }
            let oracle = Simulated { naming: runner.1, ..oracle.clone() };
            let search = runner.0.start(&oracle.problem(), instance as u64);
            let most = 10_000.max(6 * setting.n);
            add(mean, &cost(search, &oracle, most, Duration::from_secs(args.seconds)), &optimum);
        }
    }
    eprintln!("{setting:?}");
    for mean in row.means.values_mut() {
        for value in [&mut mean.builds, &mut mean.tests, &mut mean.size, &mut mean.optimal] {
            *value /= mean.runs.max(1.0);
        }
    }
    row
}

fn add(mean: &mut Mean, cost: &Cost, optimum: &Config) {
    mean.given_up |= !cost.finished;
    mean.runs += 1.0;
    mean.builds += cost.builds as f64;
    mean.tests += cost.tests as f64;
    mean.size += cost.best.len() as f64;
    mean.optimal += f64::from(cost.best.len() <= optimum.len());
}

/// A random problem of the row.
pub fn problem(setting: &Setting, instance: u64) -> Simulated {
    let Setting { n, d, couplings, known } = *setting;
    let mut random = Random::new(instance * 1_000_003 + (n * 31 + d) as u64);
    let mut culprits = Config::empty();
    while culprits.len() < d {
        culprits = culprits.with(random.below(n) as u32);
    }
    let needs = random_couplings(n, couplings as f64, &mut random);
    let all = (0..n as u32).flat_map(|a| needs[a as usize].iter().map(move |&b| Coupling::certain(a, b)));
    let told = match known {
        Known::All => 1.0,
        Known::Half => 0.5,
        Known::Nothing => 0.0,
    };
    let known = Couplings::given(all.filter(|_| random.chance(told)).collect::<Vec<_>>());
    Simulated { needs: Arc::new(needs), known, ..Simulated::monotone(n, culprits) }
}

fn limit(n: usize, d: usize) -> f64 {
    let bits: f64 = (0..d).map(|i| ((n - i) as f64 / (i + 1) as f64).log2()).sum();
    bits + d as f64
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let rows: Vec<&Row> = rows.collect();
    let Some(first) = rows.first() else { return String::new() };
    let runners = runners(&first.setting);
    let several = runners.iter().filter(|r| r.0 == Algorithm::Pith).count() > 1;
    let head = runners.iter().map(|(algorithm, naming)| match (algorithm, naming) {
        (Algorithm::Pith, naming) if several => format!("pith, named: {naming:?}").to_lowercase(),
        _ => algorithm.to_string(),
    });
    let mut table = Table::new(["n", "d", "limit", "optimum"].map(String::from).into_iter().chain(head));
    for row in rows {
        let Setting { n, d, .. } = row.setting;
        let start =
            [n.to_string(), d.to_string(), format!("{:.0}", row.limit), format!("{:.1}", row.optimum)];
        table.row(start.into_iter().chain(runners.iter().map(|r| row.means[r].shown())));
    }
    table.to_string()
}

fn goals(rows: &[Row]) -> String {
    let pith = |row: &Row, naming| row.means.get(&(Algorithm::Pith, naming)).cloned().unwrap_or_default();
    let mut text = String::from("### What was aimed at, and what came out\n\n");

    let ratio = |r: &Row| pith(r, Naming::Nothing).builds / r.limit;
    let few = rows.iter().filter(|r| r.setting.couplings == 0 && r.setting.d <= 10).map(ratio);
    text += &format!(
        "- No couplings, at most ten culprits: at most 1.3 times the limit; measured at most {:.2}.\n",
        few.fold(0.0, f64::max)
    );

    let unknown: Vec<&Row> = rows.iter().filter(|r| r.setting.known != Known::All).collect();
    let against_c2d2 = |naming| {
        let both = unknown.iter().filter_map(|r| {
            // The better of the paper's and the authors' way to resolve broken builds.
            let both = [Algorithm::C2d2, Algorithm::C2d2AsCoded].map(|a| &r.means[&(a, Naming::Nothing)]);
            let finished = both.into_iter().filter(|m| !m.given_up);
            let c2d2 = finished.min_by(|a, b| a.cost().total_cmp(&b.cost()))?;
            let own = pith(r, naming);
            Some((own.cost() / c2d2.cost(), own.size - c2d2.size))
        });
        let both: Vec<(f64, f64)> = both.collect();
        let worst = both.iter().map(|b| b.0).fold(0.0, f64::max);
        let larger = both.iter().filter(|b| b.1 > LARGER).count();
        (worst, both.len(), larger)
    };
    for (naming, goal) in [(Naming::One, 0.25), (Naming::All, 0.25), (Naming::Nothing, 1.0)] {
        let (worst, compared, larger) = against_c2d2(naming);
        text += &format!(
            "- Couplings not all known, builds name {naming:?}: builds and tests at most {goal} of C2D2's; measured at most \
             {worst:.2} over the {compared} rows that C2D2 finishes; larger results in {larger} of them.\n"
        );
    }
    for naming in [Naming::Nothing, Naming::One, Naming::All] {
        let optimal: Vec<f64> =
            unknown.iter().map(|r| pith(r, naming)).filter(|m| !m.given_up).map(|m| m.optimal).collect();
        let mean = 100.0 * optimal.iter().sum::<f64>() / optimal.len().max(1) as f64;
        text += &format!(
            "- Couplings not all known, builds name {naming:?}: the optimum in {mean:.1}% of the instances, mean of the {} rows that pith finishes (goal 95%).\n",
            optimal.len()
        );
    }

    text += &against_best(rows);
    text + "\n"
}

/// How pith fares against the best published search of each row.
fn against_best(rows: &[Row]) -> String {
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for row in rows {
        let own = &row.means[&(Algorithm::Pith, Naming::Nothing)];
        let as_small = |m: &Mean| !m.given_up && (own.given_up || m.size <= own.size + LARGER);
        let published = Algorithm::published().map(|a| (a, &row.means[&(a, Naming::Nothing)]));
        let best = published.filter(|(_, m)| as_small(m)).min_by(|a, b| a.1.cost().total_cmp(&b.1.cost()));
        let Some((best, other)) = best else { continue };
        let ratio = if own.given_up { f64::INFINITY } else { own.cost() / other.cost() };
        let Setting { n, d, couplings, known } = row.setting;
        let cell = format!("{best} at n {n}, d {d}, {couplings} couplings, {known:?} known");
        ratios.push((ratio, format!("{cell} ({} against {})", own.shown(), other.shown())));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let over: Vec<&(f64, String)> = ratios.iter().filter(|r| r.0 > 1.1).collect();
    let mut text = format!(
        "- Every row, builds naming nothing: builds and tests at most 1.1 times those of the best published search, \
         which is the one with the fewest among those that finish with results not larger than pith's on average (a search \
         that stops earlier with more has not done the same job). Measured: at most {:.2}; more than 1.1 in {} of the {} \
         rows that have such a search.\n",
        ratios.first().map_or(0.0, |r| r.0),
        over.len(),
        ratios.len()
    );
    for (ratio, cell) in over {
        text += &format!("  - {ratio:.2} times {cell}\n");
    }
    text
}
