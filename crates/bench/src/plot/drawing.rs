//! A conversation as a picture: one row a question, one column a change.
//!
//! ```text
//!              v         v             culprits
//!   1   ......████████████████   P     the bar is what was asked, the dots what is open
//!   2   ██████████████........   F     it failed, so the next row has fewer dots
//! ```
//!
//! Coordinates are whole numbers, so that the text is the same on every machine.

use nub_search::{Config, Outcome};
use std::fmt::Write;

const LEFT: usize = 46;
const RIGHT: usize = 76;
const TOP: usize = 34;
const WIDTH: usize = 576;
/// The legend needs as much.
const NARROWEST: usize = 460;
const WIDEST_COLUMN: usize = 24;
const ROW: usize = 11;
const BAR: usize = 7;
const LEVEL: usize = 12;
const ARCS: usize = 26;
const LEGEND: usize = 34;

const INK: &str = "#24292f";
const FAINT: &str = "#6e7781";
const OPEN: &str = "#e6ebf1";
const CULPRIT: &str = "#8f1d14";
const FOUND: &str = "#1a7f37";

/// What a search asked, and all that helps to see why.
pub struct Drawing {
    /// The name of the search.
    pub title: String,
    /// What the light band behind the bars stands for.
    pub band: &'static str,
    /// How wide the columns are, compared with each other.
    pub widths: Vec<u32>,
    /// Runs of columns that belong together, coarsest level first.
    pub levels: Vec<Vec<(u32, u32)>>,
    /// The first needs the second.
    pub arcs: Vec<(u32, u32)>,
    /// The changes to be found.
    pub culprits: Config,
    /// The questions.
    pub rows: Vec<Row>,
    /// What was open at the end.
    pub found: Config,
}

/// One question.
pub struct Row {
    /// The config that was tested.
    pub asked: Config,
    /// What the test said.
    pub outcome: Outcome,
    /// What was open before.
    pub open: Config,
}

impl Drawing {
    /// The drawing as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let header = TOP + self.levels.len() * LEVEL + if self.arcs.is_empty() { 0 } else { ARCS };
        let rows = header + 12;
        let end = rows + self.rows.len() * ROW + 4;
        let width = (self.x(self.widths.len() as u32) + RIGHT).max(NARROWEST);
        let height = end + ROW + LEGEND;

        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\" fill=\"{FAINT}\">\n\
             <title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"13\" fill=\"{INK}\"><tspan font-weight=\"bold\">{}</tspan>\
             <tspan dx=\"8\" font-size=\"11\" fill=\"{FAINT}\">{} questions, {} changes</tspan></text>\n",
            self.title,
            self.title,
            self.rows.len(),
            self.widths.len(),
        );
        self.draw_levels(&mut svg);
        self.draw_arcs(&mut svg, header);
        self.draw_rows(&mut svg, rows);
        self.draw_found(&mut svg, end);
        self.draw_culprits(&mut svg, header, end + BAR);
        self.draw_legend(&mut svg, height - 10);
        svg + "</svg>\n"
    }

    fn draw_levels(&self, svg: &mut String) {
        for (depth, level) in self.levels.iter().enumerate() {
            for &(first, last) in level {
                let (x, w) = (self.x(first), self.x(last + 1) - self.x(first));
                let y = TOP + depth * LEVEL;
                line(
                    svg,
                    format_args!(
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#afb8c1\"/>",
                        w.saturating_sub(2).max(1),
                        LEVEL - 3,
                    ),
                );
            }
        }
    }

    fn draw_arcs(&self, svg: &mut String, base: usize) {
        for &(needy, needed) in &self.arcs {
            let (from, to) = (self.middle(needy), self.middle(needed));
            let rise = (6 + from.abs_diff(to) / 8).min(ARCS - 4) * 2;
            line(
                svg,
                format_args!(
                    "<path d=\"M{from} {base}Q{} {} {to} {base}\" fill=\"none\" stroke=\"#afb8c1\"/>\
                 <circle cx=\"{to}\" cy=\"{base}\" r=\"2\"/>",
                    (from + to) / 2,
                    base.saturating_sub(rise),
                ),
            );
        }
    }

    fn draw_rows(&self, svg: &mut String, top: usize) {
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + index * ROW;
            let (colour, letter) = look(row.outcome);
            line(svg, format_args!("<path d=\"{}\" fill=\"{OPEN}\"/>", self.bars(&row.open, y, ROW)));
            line(svg, format_args!("<path d=\"{}\" fill=\"{colour}\"/>", self.bars(&row.asked, y + 2, BAR)));
            let baseline = y + ROW - 2;
            let number = index + 1;
            if number == 1 || number % 5 == 0 {
                line(
                    svg,
                    format_args!(
                        "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"end\">{number}</text>",
                        LEFT - 8
                    ),
                );
            }
            let right = self.x(self.widths.len() as u32) + 8;
            line(
                svg,
                format_args!(
                    "<text x=\"{right}\" y=\"{baseline}\" fill=\"{colour}\" font-weight=\"bold\">{letter}</text>"
                ),
            );
            let then = self.rows.get(index + 1).map_or(&self.found, |next| &next.open);
            if *then != row.open {
                line(
                    svg,
                    format_args!("<text x=\"{}\" y=\"{baseline}\">{} left</text>", right + 14, then.len()),
                );
            }
        }
    }

    fn draw_found(&self, svg: &mut String, y: usize) {
        line(svg, format_args!("<path d=\"{}\" fill=\"{FOUND}\"/>", self.bars(&self.found, y, BAR)));
        line(
            svg,
            format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{FOUND}\">found</text>",
                LEFT - 8,
                y + BAR,
            ),
        );
    }

    fn draw_culprits(&self, svg: &mut String, top: usize, bottom: usize) {
        for culprit in self.culprits.iter() {
            let x = self.middle(culprit);
            line(
                svg,
                format_args!(
                    "<path d=\"M{x} {}V{bottom}\" stroke=\"{CULPRIT}\" stroke-opacity=\"0.45\" stroke-dasharray=\"2 2\"/>\
                 <path d=\"M{} {}h8l-4 6z\" fill=\"{CULPRIT}\"/>",
                    top + 10,
                    x - 4,
                    top + 4,
                ),
            );
        }
    }

    fn draw_legend(&self, svg: &mut String, baseline: usize) {
        let unresolved = self.rows.iter().any(|row| row.outcome == Outcome::Unresolved);
        let mut x = LEFT;
        let mut entry = |colour: &str, text: &str| {
            line(
                svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"{BAR}\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"{baseline}\">{text}</text>",
                    baseline - BAR,
                    x + 16,
                ),
            );
            x += 16 + 6 * text.len() + 14;
        };
        entry(look(Outcome::Fail).0, "asked, fails");
        entry(look(Outcome::Pass).0, "asked, passes");
        if unresolved {
            entry(look(Outcome::Unresolved).0, "asked, does not build");
        }
        entry(OPEN, self.band);
        line(
            svg,
            format_args!(
                "<path d=\"M{x} {}h8l-4 6z\" fill=\"{CULPRIT}\"/><text x=\"{}\" y=\"{baseline}\">culprit</text>",
                baseline - 7,
                x + 12,
            ),
        );
        if !self.arcs.is_empty() {
            let x = x + 12 + 6 * "culprit".len() + 14;
            line(
                svg,
                format_args!(
                    "<path d=\"M{x} {y}q8 -12 16 0\" fill=\"none\" stroke=\"#afb8c1\"/>\
                 <circle cx=\"{}\" cy=\"{y}\" r=\"2\"/><text x=\"{}\" y=\"{baseline}\">is needed</text>",
                    x + 16,
                    x + 22,
                    y = baseline - 1,
                ),
            );
        }
    }

    /// One bar for each run of changes.
    fn bars(&self, config: &Config, y: usize, height: usize) -> String {
        let mut path = String::new();
        for (first, last) in runs(config) {
            let (x, w) = (self.x(first), self.x(last + 1) - self.x(first));
            // A hair between columns would be lost in the band of what is open; bars keep it.
            let w = if height == BAR { w.saturating_sub(1).max(1) } else { w };
            let _ = write!(path, "M{x} {y}h{w}v{height}h-{w}z");
        }
        path
    }

    /// Where a column begins.
    fn x(&self, column: u32) -> usize {
        let total: usize = self.widths.iter().map(|w| *w as usize).sum();
        let before: usize = self.widths[..column as usize].iter().map(|w| *w as usize).sum();
        LEFT + before * WIDTH.min(WIDEST_COLUMN * self.widths.len()) / total.max(1)
    }

    fn middle(&self, column: u32) -> usize {
        (self.x(column) + self.x(column + 1)) / 2
    }
}

fn line(svg: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(svg, "{element}").expect("writing to a string does not fail");
}

/// The colour and the letter of an outcome.
fn look(outcome: Outcome) -> (&'static str, char) {
    match outcome {
        Outcome::Fail => ("#d1453b", 'F'),
        Outcome::Pass => ("#86a5c3", 'P'),
        Outcome::Unresolved => ("#e0a526", '?'),
    }
}

fn runs(config: &Config) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for i in config.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == i => *last = i,
            _ => runs.push((i, i)),
        }
    }
    runs
}
