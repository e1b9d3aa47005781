//! The drawings of the pages on the algorithms: what each search asks, question by question.

use nub_search::algorithm::Algorithm;
use nub_search::laws::{Conversation, Oracle, Simulated, converse};
use nub_search::{Config, Outcome, Problem};
use std::fmt::Write;
use std::path::Path;

const CHANGES: usize = 64;
const CELL: usize = 8;
const MARGIN: usize = 40;

/// Writes one drawing for each search.
pub fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let oracle = Simulated::monotone(CHANGES, [11, 12, 47]);
    for algorithm in Algorithm::ALL.into_iter().filter(|a| *a != Algorithm::Exhaustive) {
        let search = algorithm.start(&Problem::new(CHANGES), &Config::empty(), 1);
        let said = converse(search, |config| oracle.test(config));
        std::fs::write(folder.join(format!("{algorithm}.svg")), drawing(algorithm, &said, &oracle.culprits))?;
    }
    Ok(())
}

/// One row a question, one column a change; dark where the config holds it, red rows fail.
fn drawing(algorithm: Algorithm, said: &Conversation, culprits: &Config) -> String {
    let asked: Vec<_> = said.questions.iter().filter(|q| q.repeats.is_none()).collect();
    let (width, height) = (CHANGES * CELL + MARGIN + 10, asked.len() * CELL + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"16\">{algorithm}: {} tests for {} of {CHANGES} changes</text>\n",
        asked.len(),
        culprits.len()
    );
    for culprit in culprits.iter() {
        let x = MARGIN + culprit as usize * CELL + CELL / 2;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"34\" text-anchor=\"middle\" fill=\"#c00\">v</text>");
    }
    for (row, question) in asked.iter().enumerate() {
        let y = MARGIN + row * CELL;
        let fails = question.answer.outcome == Outcome::Fail;
        if row % 10 == 9 {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                MARGIN - 6,
                y + CELL,
                row + 1
            );
        }
        for (first, last) in runs(&question.config) {
            let (x, w) = (MARGIN + first * CELL, (last - first + 1) * CELL);
            let colour = if fails { "#d0453a" } else { "#9fb4c7" };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{}\" fill=\"{colour}\"/>",
                CELL - 1
            );
        }
    }
    svg + "</svg>\n"
}

fn runs(config: &Config) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for i in config.iter().map(|i| i as usize) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == i => *last = i,
            _ => runs.push((i, i)),
        }
    }
    runs
}
