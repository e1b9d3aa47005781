//! Whether a text was laid out anew: indented otherwise, or by a formatter.
//!
//! By lines, everything differs then, and what was edited on the way drowns. Seen without their white space, many of the
//! lines that went are lines that came.

use std::collections::HashMap;

/// As many lines that differ in white space only show that it was meant, ...
const LEAST: usize = 8;
/// ... if they are this share of those that went, or of those that came.
const SHARE: f64 = 1.0 / 3.0;
/// Less than this is on many a line.
const SHORT: usize = 3;

/// Whether much of what differs by lines differs in white space only.
pub(crate) fn is_laid_out_anew(old: &[u8], new: &[u8]) -> bool {
    let (old, new) = (counted(old), counted(new));
    let [gone, come] = [without(&old, &new), without(&new, &old)];
    let alike: usize = gone.iter().map(|(words, n)| *n.min(come.get(words).unwrap_or(&0))).sum();
    let [gone, come]: [usize; 2] = [&gone, &come].map(|lines| lines.values().sum());
    alike >= LEAST && alike as f64 >= SHARE * gone.min(come) as f64
}

/// How often each line stands in a text.
fn counted(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// The lines of one text that are not in another, without their white space; how often there are more of each.
fn without(these: &HashMap<&[u8], usize>, those: &HashMap<&[u8], usize>) -> HashMap<Vec<u8>, usize> {
    let mut left: HashMap<Vec<u8>, usize> = HashMap::new();
    for (line, count) in these {
        let more = count.saturating_sub(*those.get(line).unwrap_or(&0));
        let words: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if more > 0 && words.len() >= SHORT {
            *left.entry(words).or_default() += more;
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty statements, each with its indentation.
    fn text(indent: impl Fn(usize) -> String, statement: impl Fn(usize) -> String) -> Vec<u8> {
        (0..20).map(|i| format!("{}{}\n", indent(i), statement(i))).collect::<String>().into_bytes()
    }

    #[test]
    fn a_text_in_another_style_is_laid_out_anew_though_some_of_it_was_edited() {
        let old = text(|_| "    ".into(), |i| format!("call( {i} );"));
        let tabs =
            text(|_| "\t".into(), |i| if i < 15 { format!("call({i});") } else { format!("other({i});") });
        assert!(is_laid_out_anew(&old, &tabs));
        assert!(is_laid_out_anew(&tabs, &old));
    }

    #[test]
    fn a_text_of_which_little_was_indented_otherwise_is_not() {
        let old = text(|_| String::new(), |i| format!("call({i});"));
        let wrapped = text(|i| if i < 5 { "    ".into() } else { String::new() }, |i| format!("call({i});"));
        assert!(!is_laid_out_anew(&old, &wrapped));
        let rewritten = text(|_| "\t".into(), |i| format!("other({i});"));
        assert!(!is_laid_out_anew(&old, &rewritten));
        assert!(!is_laid_out_anew(&old, &old));
    }
}
