//! The drawings of the pages on the algorithms: what each search asks, question by question.

mod drawing;

use drawing::{Drawing, Row};
use nub_search::algorithm::Algorithm;
use nub_search::combine::{Grouping, Stages};
use nub_search::laws::{Naming, Oracle, Simulated};
use nub_search::list::{Add, Dd, Ddmin};
use nub_search::tree::{Hdd, Shape};
use nub_search::{Answer, Config, Problem, Search};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// How many changes most drawings have, of which three are culprits.
const CHANGES: usize = 64;

/// The searches that are also drawn at work on changes that need each other.
const ALSO_COUPLED: [Algorithm; 4] = [Algorithm::Pith, Algorithm::Ddmin, Algorithm::ProbDd, Algorithm::C2d2];

/// DDJ, which without couplings is a ddmin, C2D2 in other dress, and what is drawn on a problem made for it.
const NOT_DRAWN: [Algorithm; 6] = [
    Algorithm::Ddj,
    Algorithm::C2d2AsCoded,
    Algorithm::C2d2NoColdStart,
    Algorithm::C2d2NoEqualChances,
    Algorithm::C2d2NoStartAfresh,
    Algorithm::Add,
];

/// Writes all drawings to a folder.
pub fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, svg) in drawings() {
        std::fs::write(folder.join(name), svg)?;
    }
    Ok(())
}

/// All drawings, by the names of their files.
fn drawings() -> Vec<(String, String)> {
    let drawn = Algorithm::ALL.into_iter().filter(|a| !NOT_DRAWN.contains(a));
    let mut all: Vec<(String, Drawing)> = drawn.map(|a| (a.to_string(), alone(a))).collect();
    let unexplained = needy(Naming::Nothing);
    all.extend(ALSO_COUPLED.map(|a| (format!("{a}-coupled"), at_work_on(a, &unexplained))));
    all.push(("pith-named".to_owned(), at_work_on(Algorithm::Pith, &needy(Naming::All))));
    all.extend(
        [("dd", dd()), ("add", add()), ("hdd", hdd()), ("stages", stages())].map(|(n, d)| (n.into(), d)),
    );
    all.into_iter().map(|(name, drawing)| (format!("{name}.svg"), drawing.to_svg())).collect()
}

/// A search on changes that do not need each other, those by weight on large and small ones.
fn alone(algorithm: Algorithm) -> Drawing {
    let oracle = match algorithm {
        Algorithm::Exhaustive => Simulated::monotone(6, [1, 2, 4]),
        _ => Simulated::monotone(CHANGES, [11, 12, 47]),
    };
    let by_weight = matches!(algorithm, Algorithm::Wddmin | Algorithm::WProbDd);
    let weights: Vec<u32> = match by_weight {
        true => (0..CHANGES as u32).map(|i| if i % 9 == 2 { 24 } else { 2 + i * i % 7 }).collect(),
        false => vec![1; oracle.n],
    };
    let problem = oracle.problem().with_weights(weights.clone());
    Drawing { widths: weights, ..minimising(algorithm.name(), algorithm.start(&problem, 1), &oracle) }
}

/// A search on changes that need each other.
fn at_work_on(algorithm: Algorithm, oracle: &Simulated) -> Drawing {
    let builds = match oracle.naming {
        Naming::Nothing => "builds that name nothing",
        Naming::One => "builds that name one need",
        Naming::All => "builds that name what they miss",
    };
    let title = format!("{algorithm}, {builds}");
    Drawing { arcs: arcs(oracle), ..minimising(&title, algorithm.start(&oracle.problem(), 1), oracle) }
}

/// Changes of which some need others, unknown to the search; two are culprits.
fn needy(naming: Naming) -> Simulated {
    let mut needs = vec![Vec::new(); 24];
    for (a, b) in [(5, 2), (9, 10), (10, 9), (16, 19), (20, 7), (7, 6), (13, 14), (22, 21)] {
        needs[a as usize].push(b);
    }
    Simulated { needs: Arc::new(needs), naming, ..Simulated::monotone(24, [5, 16]) }
}

fn arcs(oracle: &Simulated) -> Vec<(u32, u32)> {
    let needs = oracle.needs.iter().enumerate();
    needs.flat_map(|(a, needed)| needed.iter().map(move |b| (a as u32, *b))).collect()
}

fn dd() -> Drawing {
    let oracle = Simulated::monotone(CHANGES, [11, 12, 47]);
    let start = Dd::new(Config::empty(), Config::full(CHANGES));
    let difference = |dd: &Dd| dd.difference().clone();
    drawn("dd", "the difference", start, &oracle, difference)
}

fn add() -> Drawing {
    let oracle = needy(Naming::Nothing);
    let start = Add::new((3..=12).collect(), Config::full(oracle.n));
    let dubious = |add: &Add| add.dubious().clone();
    Drawing { arcs: arcs(&oracle), ..drawn("add", "what is dubious", start, &oracle, dubious) }
}

/// A tree in the order of its text, so that every subtree is a run of columns.
fn hdd() -> Drawing {
    let mut parents: Vec<Option<u32>> = vec![None];
    for class in 0..4 {
        let class_node = parents.len() as u32;
        parents.push(Some(0));
        for method in 0..2 + class % 2 {
            let method_node = parents.len() as u32;
            parents.push(Some(class_node));
            parents.extend(vec![Some(method_node); 3 + method % 2]);
        }
    }
    let shape = Shape::new(parents);
    let oracle = Simulated::monotone(shape.len(), [17, 18, 40]);
    let start = Hdd::new(&shape, &shape.problem(), |p: &Problem| Ddmin::new(p.full.clone()));
    let span = |node: u32| (node, shape.subtree(node).iter().last().unwrap_or(node));
    let level = |depth| shape.level(depth).iter().map(span).collect::<Vec<_>>();
    let levels = (0..).map(level).take_while(|level| !level.is_empty()).collect();
    Drawing { levels, ..minimising("hdd over ddmin", start, &oracle) }
}

/// Files and their declarations, each given by where it begins.
fn stages() -> Drawing {
    let oracle = Simulated::monotone(CHANGES, [11, 12, 47]);
    let begins: [&[u32]; 2] = [&[0, 9, 26, 31, 50], &[0, 5, 9, 11, 17, 20, 26, 31, 35, 41, 46, 50, 58, 62]];
    let grouping = |begins: &[u32]| {
        let group = |i: u32| begins.iter().filter(|begin| **begin <= i).count() as u32;
        Grouping::new((0..CHANGES as u32).map(|i| Some(group(i))))
    };
    let spans = |begins: &[u32]| {
        let ends = begins[1..].iter().copied().chain([CHANGES as u32]);
        begins.iter().zip(ends).map(|(begin, end)| (*begin, end - 1)).collect()
    };
    let ddmin = |p: &Problem| Ddmin::new(p.full.clone());
    let start = Stages::new(&oracle.problem(), begins.map(grouping), ddmin);
    Drawing { levels: begins.map(spans).into(), ..minimising("stages of ddmin", start, &oracle) }
}

/// A search for a small failing config: what is open is the smallest it knows.
fn minimising<S: Search>(title: &str, start: S, oracle: &Simulated) -> Drawing {
    drawn(title, "what is kept", start, oracle, S::best)
}

fn drawn<S: Search>(
    title: &str,
    band: &'static str,
    start: S,
    oracle: &Simulated,
    open: impl Fn(&S) -> Config,
) -> Drawing {
    let (rows, end) = record(start, |config| oracle.test(config), &open);
    Drawing {
        title: title.to_owned(),
        band,
        widths: vec![1; oracle.n],
        levels: Vec::new(),
        arcs: Vec::new(),
        culprits: oracle.culprits.clone(),
        rows,
        found: open(&end),
    }
}

/// Runs a search as [`nub_search::search()`] does, asking each config once, and notes what was open at each question.
fn record<S: Search>(
    start: S,
    test: impl Fn(&Config) -> Answer,
    open: impl Fn(&S) -> Config,
) -> (Vec<Row>, S) {
    let (mut state, mut rows) = (start, Vec::new());
    let mut known: HashMap<Config, Answer> = HashMap::new();
    loop {
        let held = state.cases().find_map(|case| {
            let answer = known.entry(case.config.clone()).or_insert_with(|| {
                let answer = test(&case.config);
                rows.push(Row { asked: case.config.clone(), outcome: answer.outcome, open: open(&state) });
                answer
            });
            (case.next)(answer)
        });
        match held.or_else(|| state.otherwise()) {
            Some(next) => state = next,
            None => return (rows, state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_committed_drawings_are_those_that_the_command_writes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/algorithms");
        let files =
            folder.read_dir().expect("the folder of the pages").map(|entry| entry.expect("a file").path());
        let committed: BTreeMap<String, String> = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "svg"))
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, std::fs::read_to_string(&path).expect("a drawing is text"))
            })
            .collect();
        let written: BTreeMap<String, String> = drawings().into_iter().collect();
        let names = |drawings: &BTreeMap<String, String>| drawings.keys().cloned().collect::<Vec<_>>();
        let again = "write them again: cargo run --release -p nub-bench -- plots";
        assert_eq!(names(&committed), names(&written), "{again}");
        for (name, svg) in &written {
            // Some checkouts end lines in two bytes.
            assert!(committed[name].lines().eq(svg.lines()), "`{name}` is out of date; {again}");
        }
    }

    #[test]
    fn a_drawing_has_a_row_for_each_config_that_is_asked() {
        let oracle = Simulated::monotone(4, [3]);
        let (rows, end) = record(Ddmin::new(Config::full(4)), |c| oracle.test(c), Ddmin::best);
        let asked: Vec<String> = rows.iter().map(|row| format!("{} of {}", row.asked, row.open)).collect();
        assert_eq!(asked, ["{0,1} of {0-3}", "{2,3} of {0-3}", "{2} of {2,3}", "{3} of {2,3}"]);
        assert_eq!(end.best(), [3].into());
    }
}
