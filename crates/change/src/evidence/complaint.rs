//! Places and names in the messages of compilers and interpreters.
//!
//! Tools differ in words, but nearly all write the place as `path:line`, `path(line,column)` or `File "path", line n`
//! and put the name they stumble over in quotes of some kind; javac and go have a line of their own for it. So one
//! reader serves gcc, clang, javac, rustc, tsc, go, Python and node; a tool it does not understand yields nothing.

use regex::Regex;
use std::sync::LazyLock;

/// One complaint of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The file as the tool calls it, and the line, counted from 0.
    pub place: Option<(String, usize)>,
    /// The names it mentions.
    pub names: Vec<String>,
}

/// A tool that finds very much wrong rarely means all of it.
const MOST: usize = 30;

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:File "([^"]+)", line (\d+)|(?:^|[\s(])((?:[A-Za-z]:)?[^\s:"'(),]+\.[A-Za-z0-9_+]+)(?::(\d+)|\((\d+),\d+\)))"#,
    )
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"[`'‘"]([^`'‘’"]{1,120})[`'’"]"#));
static SYMBOL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*symbol:\s+\w+\s+([A-Za-z_$][\w$]*)|undefined: ([A-Za-z_][\w.]*)"));
static THROWN: LazyLock<Regex> = LazyLock::new(|| pattern(r"Error: ([A-Za-z_$][\w$]*) is not defined"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_$][\w$]+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests use")
}

/// The complaints in what a tool printed, in order.
///
/// The message of a complaint is the line with its place, the lines after it up to the next place, and the lines
/// just before it where a tool says first what is wrong and then where.
pub(super) fn complaints(output: &str) -> Vec<Complaint> {
    let lines: Vec<&str> = output.lines().collect();
    let mut complaints: Vec<Complaint> = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for line in &lines {
        let names = names_in(line);
        match place_in(line) {
            Some(place) => {
                let mut all = std::mem::take(&mut before);
                all.extend(names);
                complaints.push(Complaint { place: Some(place), names: all });
            }
            None if line.starts_with("error") || line.trim().is_empty() => before = names,
            None => match complaints.last_mut() {
                Some(last) => last.names.extend(names),
                None => before.extend(names),
            },
        }
        if complaints.len() >= MOST {
            break;
        }
    }
    if complaints.is_empty() && !before.is_empty() {
        complaints.push(Complaint { place: None, names: before });
    }
    for complaint in &mut complaints {
        let mut seen = std::collections::HashSet::new();
        complaint.names.retain(|name| seen.insert(name.clone()));
    }
    complaints.retain(|complaint| complaint.place.is_some() || !complaint.names.is_empty());
    complaints
}

fn place_in(line: &str) -> Option<(String, usize)> {
    let found = PLACE.captures(line)?;
    let path = found.get(1).or(found.get(3))?.as_str();
    let number = found.get(2).or(found.get(4)).or(found.get(5))?.as_str();
    let line: usize = number.parse().ok()?;
    Some((path.to_owned(), line.checked_sub(1)?))
}

fn names_in(line: &str) -> Vec<String> {
    let quoted = QUOTED.captures_iter(line).map(|found| found[1].to_owned());
    let quoted =
        quoted.flat_map(|text| NAME.find_iter(&text).map(|m| m.as_str().to_owned()).collect::<Vec<_>>());
    let symbols = SYMBOL.captures_iter(line).chain(THROWN.captures_iter(line));
    let symbols = symbols.filter_map(|found| found.iter().flatten().nth(1).map(|m| m.as_str().to_owned()));
    quoted.chain(symbols).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, place: Option<(&str, usize)>, names: &[&str]) {
        let found = complaints(output);
        let expected = place.map(|(path, line)| (path.to_owned(), line));
        let complaint = found.iter().find(|c| c.place == expected).unwrap_or_else(|| panic!("{found:?}"));
        for name in names {
            assert!(complaint.names.iter().any(|n| n == name), "{name} in {complaint:?}");
        }
    }

    #[test]
    fn gcc_and_clang() {
        check(
            "cJSON.c: In function 'add':\ncJSON.c:2270:9: error: 'after_inserted' undeclared (first use in this function)\n",
            Some(("cJSON.c", 2269)),
            &["after_inserted"],
        );
        check(
            "src/lapi.c:12:5: error: unknown type name ‘StkIdRel’\n",
            Some(("src/lapi.c", 11)),
            &["StkIdRel"],
        );
    }

    #[test]
    fn a_linker_names_without_a_line() {
        check(
            "/usr/bin/ld: undefined reference to `luaF_close'\ncollect2: error: ld returned 1 exit status\n",
            None,
            &["luaF_close"],
        );
    }

    #[test]
    fn rustc() {
        check(
            "error[E0425]: cannot find function `take_till` in this scope\n   --> src/ascii/mod.rs:40:9\n    |\n",
            Some(("src/ascii/mod.rs", 39)),
            &["take_till"],
        );
    }

    #[test]
    fn javac() {
        check(
            "src/IOCase.java:77: error: cannot find symbol\n        foo();\n  symbol:   method forName(String)\n  location: class IOCase\n",
            Some(("src/IOCase.java", 76)),
            &["forName"],
        );
    }

    #[test]
    fn tsc_and_go() {
        check(
            "src/a.ts(12,5): error TS2304: Cannot find name 'isDraft'.\n",
            Some(("src/a.ts", 11)),
            &["isDraft"],
        );
        check("./x.go:7:2: undefined: resize\n", Some(("./x.go", 6)), &["resize"]);
    }

    #[test]
    fn python_and_node() {
        check(
            "Traceback (most recent call last):\n  File \"/w/a.py\", line 3, in <module>\n    resize()\nNameError: name 'resize' is not defined\n",
            Some(("/w/a.py", 2)),
            &["resize"],
        );
        check(
            "/w/lib/x.js:9\n  formats(1)\n  ^\n\nReferenceError: formats is not defined\n    at Object.<anonymous> (/w/lib/x.js:9:3)\n",
            Some(("/w/lib/x.js", 8)),
            &[],
        );
    }
}
