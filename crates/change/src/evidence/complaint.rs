//! Places and names in the messages of compilers and interpreters.
//!
//! Tools differ in words, but nearly all write the place as `path:line`, `path(line,column)` or `File "path", line n`
//! and put the name they stumble over in quotes of some kind; javac, go and node have phrases of their own for it. So
//! one reader serves gcc, clang, javac, rustc, tsc, go, Python, node and esbuild; a tool it does not understand yields
//! nothing. Messages in JSON, as cargo can write them, hold the same text for people, and that is what is read.

use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// One complaint of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The file as the tool calls it, and the line, counted from 0.
    pub place: Option<(String, usize)>,
    /// The file, where a linker says no more.
    pub file: Option<String>,
    /// The names it mentions.
    pub names: Vec<String>,
    /// Other places that it points to, as the declaration of what is used wrongly.
    pub also: Vec<(String, usize)>,
    /// What it says could be written to mend it.
    pub remedies: Vec<Remedy>,
    /// Whether it is not why the build failed.
    pub is_warning: bool,
    /// Whether it is an error that a compiler found, which then has made nothing.
    pub is_compilers: bool,
}

/// What a compiler would write somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remedy {
    pub place: (String, usize),
    /// The names in what it would put in, ...
    pub names: Vec<String>,
    /// ... and those on the line where it would.
    pub beside: Vec<String>,
}

/// A tool that finds very much wrong rarely means all of it.
const MOST: usize = 30;
/// Where a macro is used is rarely why what it writes is wrong.
const CALLED_THERE: &str = "in this macro invocation";
/// A remedy of many lines is no longer a place.
const MOST_REMEDIES: usize = 4;

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:File "([^"]+)", line (\d+)|(?:^|[\s(])((?:[A-Za-z]:)?[^\s:"'(),]+\.[A-Za-z0-9_+]+)(?::(\d+)|\((\d+),\d+\)))"#,
    )
});
/// An apostrophe opens no quote, and a quote inside another counts for itself.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:^|\W)(?:'([^`'‘’"]{1,120})'|"([^`'‘’"]{1,120})"|`([^`'‘’"]{1,120})[`']|‘([^`'‘’"]{1,120})’)"#,
    )
});
static SYMBOL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*symbol:\s+\w+\s+([A-Za-z_$][\w$]*)"));
/// javac names things without quotes, after what they are.
static JAVAC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:method|class|interface|enum|constructor|variable|exception|label|package) ([A-Za-z_$][\w$.]*)",
    )
});
static GO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:undefined: |not used: |call to |field or method |missing method |\bmethod )([A-Za-z_][\w.]*)|([A-Za-z_][\w.]*) (?:undefined|redeclared|declared and not used)",
    )
});
static NODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"Error: ([A-Za-z_$][\w$.]*) is not (?:defined|a function|a constructor|iterable)")
});
/// A linker knows the file and where in the program it is, not the line.
static LINKER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|\s)(\S+\.[A-Za-z+]+):\(\.[^)]*\): undefined reference to "));
/// Python names a function that got too few or too many arguments without quotes.
static PYTHON: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([A-Za-z_][\w.]*)\(\) (?:missing|takes|got) "));
static COMPILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[\s:])(?:fatal )?error(?:\[[A-Z]\d+\])?:\s|: error TS\d+:|\[ERROR\]|: undefined reference to |^[\w./-]+\.go:\d+:\d+: ",
    )
});
/// A compiler that warns, in the line that says where.
static WARNING: LazyLock<Regex> = LazyLock::new(|| pattern(r": warning: |: warning TS\d+:"));
/// A line with another place of the complaint before it.
static FURTHER: LazyLock<Regex> = LazyLock::new(|| pattern(r": note: |^\s*(?:-->|:::) "));
static INTERPRETER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b"));
/// A line that says only in which function, or by which file, the compiler came to what it says next, or repeats the
/// source.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\S+ )?In (?:\w+ )*(?:function|constructor|destructor|instantiation|lambda)\b|^In file included from|^\s+from \S+:\d+|: +required (?:from|by) |^\s*location: |^\s*\d+ +\|",
    )
});
/// A line of source as a compiler shows it, with its number.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(\d+) +[|+~] "));
/// The line below one of source, with marks under what a compiler speaks of.
static MARKED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*\|[ |_]*(?:-+|\^+)(?:[ |^-]|$)"));
/// What a name is qualified by, and what a type or function is made with.
static QUALIFIER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<[^<>]*>|[A-Za-z_]\w*::"));
static ONE_LETTER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[A-Za-z_]$"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_$][\w$]+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests use")
}

/// The complaints in what a tool printed, in order.
///
/// The message of a complaint is the line with its place, the lines after it up to the next place or a blank line, and
/// the lines before it where a tool says first what is wrong and then where.
pub(super) fn complaints(output: &str) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let (mut is_open, mut is_warning, mut is_error) = (false, false, false);
    let lines: Vec<String> = output.lines().flat_map(readable).collect();
    let is_source = |i: usize| lines.get(i + 1).is_some_and(|next| next.trim() == "^");
    // The file that a remedy is for, while one is read, and that of which lines are shown.
    let (mut mending, mut shown): (Option<String>, Option<String>) = (None, None);
    for (i, line) in lines.iter().enumerate() {
        if let (Some(number), Some(path), Some(last)) = (numbered(line), &shown, complaints.last_mut())
            && mending.is_none()
            && lines.get(i + 1).is_some_and(|next| MARKED.is_match(next) && !next.ends_with(CALLED_THERE))
        {
            let place = (path.clone(), number);
            if last.place.as_ref() != Some(&place) && !last.also.contains(&place) && last.also.len() < MOST {
                last.also.push(place);
            }
        }
        if let (Some(number), Some(path), Some(last)) = (numbered(line), &mending, complaints.last_mut()) {
            let marks = lines.get(i + 1).map_or("", String::as_str);
            let [names, beside] = [true, false].map(|is_marked| names_marked(line, marks, is_marked));
            last.remedies.push(Remedy { place: (path.clone(), number), names, beside });
        }
        if is_source(i) || SETTING.is_match(line) {
            continue;
        }
        let names = names_in(line);
        if let Some(file) = LINKER.captures(line).and_then(|found| found.get(1)) {
            let file = Some(file.as_str().to_owned());
            complaints.push(Complaint { file, names, is_compilers: true, ..Complaint::default() });
            (is_open, is_error) = (false, false);
            before.clear();
            continue;
        }
        if line.starts_with("help: ") || line.trim().is_empty() {
            let open = complaints.last().filter(|_| is_open && line.starts_with("help: "));
            mending = open.and_then(|last| last.place.as_ref()).map(|(path, _)| path.clone());
        }
        if let Some(place) = place_in(line) {
            shown = Some(place.0.clone());
            let open = complaints.last_mut().filter(|_| is_open && FURTHER.is_match(line));
            if let Some(last) = open {
                mending = mending.map(|_| place.0.clone());
                last.also.push(place);
                last.names.extend(names);
                continue;
            }
            let names = std::mem::take(&mut before).into_iter().chain(names).collect();
            let is_warning = is_warning || WARNING.is_match(line);
            let is_compilers = !is_warning && (is_error || COMPILER.is_match(line));
            complaints.push(Complaint {
                place: Some(place),
                names,
                is_warning,
                is_compilers,
                ..Complaint::default()
            });
            mending = None;
            is_open = true;
        } else if line.starts_with("error") || line.starts_with("warning") || line.contains("[ERROR]") {
            before = names;
            (is_open, is_warning) = (false, line.starts_with("warning"));
            is_error = !is_warning;
        } else if line.trim().is_empty() {
            (is_open, is_error) = (false, false);
            shown = None;
        } else {
            match complaints.last_mut().filter(|_| is_open) {
                Some(last) => last.names.extend(names),
                None => before.extend(names),
            }
        }
        if complaints.iter().filter(|complaint| !complaint.is_warning).count() >= MOST {
            break;
        }
    }
    // What is said last belongs to the last place, or to none.
    match complaints.last_mut() {
        Some(last) => last.names.append(&mut before),
        None => complaints.push(Complaint { names: before, ..Complaint::default() }),
    }
    if complaints.iter().any(|complaint| !complaint.is_warning) {
        complaints.retain(|complaint| !complaint.is_warning);
    }
    complaints.truncate(MOST);
    for complaint in &mut complaints {
        complaint.remedies.truncate(MOST_REMEDIES);
        let mut seen = HashSet::new();
        complaint.names.retain(|name| seen.insert(name.clone()));
        complaint.names.truncate(MOST);
    }
    complaints.retain(|complaint| complaint.place.is_some() || !complaint.names.is_empty());
    complaints
}

/// The line in which a tool says what is wrong, if there is one that can be told from others.
///
/// A compiler's first complaint is the one to look at, an interpreter's last.
pub fn headline(output: &str) -> Option<String> {
    let lines: Vec<String> = output.lines().flat_map(readable).collect();
    let compiler = lines.iter().find(|line| COMPILER.is_match(line));
    let interpreter = || lines.iter().rev().find(|line| INTERPRETER.is_match(line));
    let last = || lines.iter().rev().find(|line| !line.trim().is_empty());
    let line = compiler.or_else(interpreter).or_else(last)?.trim();
    let cut: String = line.chars().take(WIDE).collect();
    let more = if cut.len() < line.len() { " ..." } else { "" };
    Some(cut + more)
}

/// More of a line than so many letters is not kept.
const WIDE: usize = 200;

/// The lines for people in a line that may be a message in JSON.
fn readable(line: &str) -> Vec<String> {
    let rendered = Some(line).filter(|line| line.starts_with('{'));
    match rendered.and_then(|line| line.split_once("\"rendered\":\"")) {
        Some((_, text)) => unescaped(text).lines().map(str::to_owned).collect(),
        None => vec![line.to_owned()],
    }
}

/// The text of a JSON string up to its closing quote; escapes that say nothing about places and names are dropped.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('u') => drop(chars.by_ref().take(4).count()),
                Some(c @ ('"' | '\\' | '/')) => plain.push(c),
                _ => {}
            },
            c => plain.push(c),
        }
    }
    plain
}

fn place_in(line: &str) -> Option<(String, usize)> {
    let found = PLACE.captures(line)?;
    let path = found.get(1).or(found.get(3))?.as_str();
    let number = found.get(2).or(found.get(4)).or(found.get(5))?.as_str();
    let line: usize = number.parse().ok()?;
    Some((path.to_owned(), line.checked_sub(1)?))
}

/// The number, counted from 0, of a line that a compiler shows.
fn numbered(line: &str) -> Option<usize> {
    NUMBERED.captures(line)?.get(1)?.as_str().parse::<usize>().ok()?.checked_sub(1)
}

/// The names in the part of a line under which a compiler has written `+`, or `~` where it replaces; or in the rest.
fn names_marked(line: &str, marks: &str, is_wanted: bool) -> Vec<String> {
    let mut marks = marks.chars();
    let marked = line.chars().map(|c| (c, matches!(marks.next(), Some('+' | '~'))));
    let wanted: String = marked.map(|(c, is_marked)| if is_marked == is_wanted { c } else { ' ' }).collect();
    NAME.find_iter(&wanted).map(|name| name.as_str().to_owned()).collect()
}

fn names_in(line: &str) -> Vec<String> {
    // What a compiler guesses was meant is there.
    let line = line.split_once("did you mean").map_or(line, |(said, _)| said);
    let quoted = QUOTED.captures_iter(line).filter_map(|found| found.iter().flatten().nth(1));
    let quoted = quoted.flat_map(|text| names_quoted(text.as_str()));
    let phrases = [&*SYMBOL, &*JAVAC, &*GO, &*NODE, &*PYTHON];
    let symbols = phrases.iter().flat_map(|phrase| phrase.captures_iter(line));
    let symbols = symbols.filter_map(|found| found.iter().flatten().nth(1).map(|m| m.as_str()));
    // Of `module.name` the last is what is missing.
    let symbols = symbols.filter_map(|name| name.rsplit('.').find(|part| !part.is_empty()));
    let symbols = symbols.map(str::to_owned);
    quoted.chain(symbols).collect()
}

/// The names in what a message quotes: of a function with its parameters only its own, and never a keyword.
fn names_quoted(text: &str) -> Vec<String> {
    let mut bare = text.to_owned();
    while let std::borrow::Cow::Owned(shorter) = QUALIFIER.replace_all(&bare, "") {
        bare = shorter;
    }
    let names = |text: &str| -> Vec<String> {
        let all = NAME.find_iter(text).map(|name| name.as_str());
        all.filter(|name| !KEYWORDS.contains(name)).map(str::to_owned).collect()
    };
    if ONE_LETTER.is_match(&bare) {
        return vec![bare];
    }
    match bare.split_once('(') {
        Some((before, _)) => names(before).pop().into_iter().collect(),
        None => names(&bare),
    }
}

/// Words that tell how a thing is declared, or what kind of thing it is, and never which.
const KEYWORDS: [&str; 60] = [
    "abstract",
    "async",
    "auto",
    "bool",
    "boolean",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "def",
    "default",
    "double",
    "else",
    "enum",
    "export",
    "extends",
    "extern",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "func",
    "function",
    "if",
    "impl",
    "implements",
    "import",
    "inline",
    "int",
    "interface",
    "let",
    "long",
    "mut",
    "namespace",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "register",
    "return",
    "short",
    "signed",
    "static",
    "struct",
    "switch",
    "template",
    "throws",
    "trait",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "var",
    "virtual",
    "void",
    "while",
];

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

    fn check_lacks(output: &str, place: (&str, usize), name: &str) {
        let found = complaints(output);
        let here = found.iter().filter(|c| c.place == Some((place.0.to_owned(), place.1)));
        here.for_each(|c| assert!(!c.names.iter().any(|n| n == name), "{name} in {c:?}"));
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
    fn of_a_function_with_its_parameters_only_the_name_counts() {
        let said = "a.cpp: In member function ‘virtual bool ns::Box::grow(const char*)’:\na.cpp:7:9: error: no declaration matches ‘char* ns::Doc::identify(char*, ns::Node**, bool)’\n";
        assert_eq!(
            complaints(said),
            [Complaint {
                place: Some(("a.cpp".to_owned(), 6)),
                names: vec!["identify".to_owned()],
                is_compilers: true,
                ..Complaint::default()
            }]
        );
        assert_eq!(names_in("error: no matching call to ‘Doc::make<ns::Text>(Pool&)’"), ["make"]);
        assert_eq!(names_in("error: ‘const struct shape’ has no member named ‘width’"), ["shape", "width"]);
    }

    #[test]
    fn a_note_is_another_place_of_the_complaint_before_it() {
        let places = |said: &str| {
            let all = complaints(said);
            all.into_iter()
                .map(|c| (c.place.unwrap().1, c.also.iter().map(|(_, line)| *line).collect()))
                .collect()
        };
        let gcc: Vec<(usize, Vec<usize>)> = places(
            "a.c:9:5: error: conflicting types for ‘f’\na.h:3:5: note: previous declaration of ‘f’ with type ‘int(void)’\na.c:12:1: error: no\n",
        );
        assert_eq!(gcc, [(8, vec![2]), (11, vec![])]);
        let rustc: Vec<(usize, Vec<usize>)> = places(
            "error[E0107]: struct takes 1 generic argument\n  --> src/a.rs:9:5\n   |\n9  |     B<u8, u8>\n   |\nnote: struct defined here, with 1 generic parameter: `P`\n  --> src/b.rs:3:12\n\nerror[E0425]: cannot find value `x` in this scope\n  --> src/a.rs:20:5\n",
        );
        assert_eq!(rustc, [(8, vec![2]), (19, vec![])]);
        let marked: Vec<(usize, Vec<usize>)> = places(
            "error[E0382]: use of moved value: `buf`\n  --> src/a.rs:8:5\n   |\n2  |     let buf = new();\n   |         --- move occurs here\n...\n6  | |   Ok(x) => break,\n   | |            ----- expected because of this\n7  |     between();\n8  |     take(buf);\n   |          ^^^ value used here after move\n...\n90 |     call!();\n   |     ------- in this macro invocation\n\nerror: no\n --> src/a.rs:20:5\n",
        );
        assert_eq!(marked, [(7, vec![1, 5]), (19, vec![])]);
    }

    #[test]
    fn help_is_a_place_where_it_could_be_mended() {
        let said = "error[E0277]: the trait bound `T: Clone` is not satisfied\n  --> src/a.rs:9:5\n   |\n9  |     copy(x)\n   |     ---- ^ the trait `Clone` is not implemented for `T`\n   |\nnote: required by a bound in `copy`\n  --> src/b.rs:3:12\n   |\n3  | fn copy<T: Clone>(x: T) {}\n   |            ^^^^^ required by this bound in `copy`\nhelp: consider restricting type parameter `T`\n   |\n7  | fn twice<T: Clone>(x: T) {\n   |           +++++++\n\n";
        let all = complaints(said);
        let remedy = Remedy {
            place: ("src/a.rs".to_owned(), 6),
            names: vec!["Clone".to_owned()],
            beside: vec!["fn".to_owned(), "twice".to_owned()],
        };
        assert_eq!(all[0].remedies, [remedy]);
        assert_eq!(all[0].also, [("src/b.rs".to_owned(), 2)]);
    }

    #[test]
    fn warnings_count_only_where_nothing_else_is_said() {
        let places = |said: &str| -> Vec<usize> {
            complaints(said).iter().filter_map(|c| Some(c.place.as_ref()?.1)).collect()
        };
        let warning = |n: usize| format!("warning: unused import: `a`\n  --> src/a.rs:{n}:5\n   |\n\n");
        let warnings: String = (1..50).map(warning).collect();
        let error = "error[E0425]: cannot find value `x` in this scope\n  --> src/a.rs:100:5\n\n";
        assert_eq!(places(&format!("{warnings}{error}{warnings}")), [99]);
        assert_eq!(places(&warnings).len(), MOST);
        let gcc =
            "a.c:3:5: warning: unused variable ‘i’\na.c:3:9: note: here\na.c:7:5: error: ‘x’ undeclared\n";
        assert_eq!(places(gcc), [6]);
        let javac = "A.java:3: warning: [deprecation] f() in B has been deprecated\n    f();\n    ^\nA.java:9: error: cannot find symbol\n  symbol: class C\n";
        assert_eq!(places(javac), [8]);
    }

    #[test]
    fn a_linker_names_the_file_and_what_it_misses() {
        let said = "/usr/bin/ld: /tmp/cc1.o: in function `step':\ngc.c:(.text+0x3a9): undefined reference to `running'\ncollect2: error: ld returned 1 exit status\n";
        let found = complaints(said);
        let linker = found.iter().find(|c| c.file.as_deref() == Some("gc.c")).unwrap();
        assert_eq!(linker.names, ["running"]);
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
    fn a_message_in_quotes_itself_still_quotes_names() {
        let check = |line: &str, expected: &[&str]| assert_eq!(names_in(line), expected, "{line}");
        check("cannot tell: NameError(\"name 'wrap_method' is not defined\")", &["wrap_method"]);
        check(
            "ImportError(\"cannot import name '_CustomInt' from 'kit._types' (/tmp/kit/_types.py)\")",
            &["_CustomInt", "kit", "_types"],
        );
        check("TypeError(\"A.fill() missing 1 required positional argument: 'cls'\")", &["cls", "fill"]);
        check("error: can't find 'size' in `shape.c'", &["size", "shape"]);
        check("error: unknown type name ‘StkIdRel’; did you mean ‘StkId’?", &["StkIdRel"]);
        check("error: ‘n’ undeclared (first use in this function)", &["n"]);
    }

    #[test]
    fn headline_is_a_compilers_first_complaint_and_an_interpreters_last() {
        let check = |output: &str, expected: &str| assert_eq!(headline(output).as_deref(), Some(expected));
        check(
            "a.c: In function 'f':\na.c:3:9: error: 'x' undeclared\n   x;\na.c:4:1: error: 'y'\n",
            "a.c:3:9: error: 'x' undeclared",
        );
        check(
            "error[E0425]: cannot find `x`\n --> src/a.rs:3:5\nerror: aborting\n",
            "error[E0425]: cannot find `x`",
        );
        check(
            "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\n",
            "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
        );
        check("./a.go:3:5: undefined: x\n", "./a.go:3:5: undefined: x");
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nNameError: name 'x' is not defined\n",
            "NameError: name 'x' is not defined",
        );
        check(
            "/x/a.js:3\n  f(;\n    ^\nSyntaxError: Unexpected token ';'\n    at wrap (loader:1:2)\n",
            "SyntaxError: Unexpected token ';'",
        );
        check("make: *** [all] Error 1\n\n", "make: *** [all] Error 1");
        assert_eq!(headline("\n \n"), None);
        assert_eq!(headline(&"x".repeat(300)).unwrap().len(), 204);
    }

    #[test]
    fn rustc() {
        let text = "error[E0425]: cannot find function `take_till` in this scope\n   --> src/ascii/mod.rs:40:9\n    |\n";
        check(text, Some(("src/ascii/mod.rs", 39)), &["take_till"]);
        let two = format!("{text}\n{}", text.replace("take_till", "rest").replace("40", "51"));
        check(&two, Some(("src/ascii/mod.rs", 50)), &["rest"]);
        check_lacks(&two, ("src/ascii/mod.rs", 50), "take_till");
    }

    #[test]
    fn rustc_and_cargo_in_json() {
        let json = r#"{"reason":"compiler-message","message":{"rendered":"\u001b[31merror[E0425]\u001b[0m: cannot find function `take_till` in this scope\n   --> src/ascii/mod.rs:40:9\n","spans":[{"file_name":"x.rs","line_start":1}]}}"#;
        check(json, Some(("src/ascii/mod.rs", 39)), &[]);
        check(&json.replace(r"\u001b[31m", ""), Some(("src/ascii/mod.rs", 39)), &["take_till"]);
        check_lacks(json, ("src/ascii/mod.rs", 39), "reason");
    }

    #[test]
    fn javac() {
        check(
            "src/IOCase.java:77: error: cannot find symbol\n        foo();\n  symbol:   method forName(String)\n  location: class IOCase\n",
            Some(("src/IOCase.java", 76)),
            &["forName"],
        );
        check(
            "A.java:9: error: B is not abstract and does not override abstract method size() in A\n",
            Some(("A.java", 8)),
            &["size"],
        );
        check_lacks(
            "A.java:9: error: cannot find symbol\n    new Other() { class Inner {} }\n    ^\n  symbol: class Other\n  location: class A\n",
            ("A.java", 8),
            "A",
        );
        check_lacks("A.java:9: error: no\n    class Inner {}\n    ^\n", ("A.java", 8), "Inner");
        check(
            "A.java:9: error: method resize in class A cannot be applied to given types;\n  required: int\n",
            Some(("A.java", 8)),
            &["resize"],
        );
        check("A.java:1: error: package a.b does not exist\nimport a.b.C;\n", Some(("A.java", 0)), &["b"]);
        check(
            "A.java:4: error: unreported exception IOException; must be caught or declared to be thrown\n",
            Some(("A.java", 3)),
            &["IOException"],
        );
    }

    #[test]
    fn tsc() {
        let found = "Cannot find name 'isDraft'.\n";
        check(&format!("src/a.ts(12,5): error TS2304: {found}"), Some(("src/a.ts", 11)), &["isDraft"]);
        check(&format!("src/a.ts:12:5 - error TS2304: {found}"), Some(("src/a.ts", 11)), &["isDraft"]);
    }

    #[test]
    fn esbuild() {
        let said = "✘ [ERROR] No matching export in \"src/core.ts\" for import \"isFrozen\"\n\n    src/immer.ts:3:9:\n      3 │ import {isFrozen} from \"./core\"\n        ╵         ~~~~~~~~\n\n✘ [ERROR] Could not resolve \"./plugins\"\n\n    src/immer.ts:7:9:\n";
        check(said, Some(("src/immer.ts", 2)), &["isFrozen"]);
        check(said, Some(("src/immer.ts", 6)), &["plugins"]);
        check_lacks(said, ("src/immer.ts", 6), "isFrozen");
    }

    #[test]
    fn go() {
        check("./x.go:7:2: undefined: resize\n", Some(("./x.go", 6)), &["resize"]);
        check(
            "./x.go:7:4: s.grow undefined (type Stack has no field or method grow)\n",
            Some(("./x.go", 6)),
            &["grow"],
        );
        check("./x.go:3:8: \"fmt\" imported and not used\n", Some(("./x.go", 2)), &["fmt"]);
        check("./x.go:9:2: declared and not used: total\n", Some(("./x.go", 8)), &["total"]);
        check("./x.go:9:2: total declared and not used\n", Some(("./x.go", 8)), &["total"]);
        check("./x.go:9:7: not enough arguments in call to pkg.resize\n", Some(("./x.go", 8)), &["resize"]);
    }

    #[test]
    fn python() {
        let trace = |error: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"/w/a.py\", line 3, in <module>\n    from b import resize\n{error}\n"
            )
        };
        for (error, names) in [
            ("NameError: name 'resize' is not defined", ["resize"]),
            ("ImportError: cannot import name 'resize' from 'b' (/w/b.py)", ["resize"]),
            ("ModuleNotFoundError: No module named 'sizes'", ["sizes"]),
            ("AttributeError: module 'b' has no attribute 'resize'", ["resize"]),
            ("AttributeError: 'Box' object has no attribute 'resize'", ["resize"]),
            ("TypeError: resize() got an unexpected keyword argument 'width'", ["width"]),
        ] {
            check(&trace(error), Some(("/w/a.py", 2)), &names);
        }
        let syntax = "  File \"/w/a.py\", line 12\n    else:\n    ^^^^\nSyntaxError: invalid syntax\n";
        check(syntax, Some(("/w/a.py", 11)), &[]);
        let indented = "  File \"/w/a.py\", line 12\n    x = 1\nIndentationError: expected an indented block after 'if' statement on line 11\n";
        check(indented, Some(("/w/a.py", 11)), &[]);
    }

    #[test]
    fn an_error_that_a_program_shows_in_quotes_has_its_names_in_inner_quotes() {
        let named = |said: &str| complaints(said).into_iter().flat_map(|c| c.names).collect::<Vec<_>>();
        assert_eq!(named("cannot tell: NameError(\"name 'Value' is not defined\")\n"), ["Value"]);
        assert_eq!(named("AttributeError(\"module 'a.b' has no attribute 'c_d'\")\n"), ["c_d"]);
    }

    #[test]
    fn node() {
        let said = |error: &str| {
            format!(
                "/w/lib/x.js:9\n  formats(1)\n  ^\n\n{error}\n    at Object.<anonymous> (/w/lib/x.js:9:3)\n"
            )
        };
        for (error, name) in [
            ("ReferenceError: formats is not defined", "formats"),
            ("TypeError: utils.formats is not a function", "formats"),
            (
                "SyntaxError: The requested module './a.js' does not provide an export named 'formats'",
                "formats",
            ),
            ("TypeError: Cannot read properties of undefined (reading 'formats')", "formats"),
        ] {
            let complaints = complaints(&said(error));
            let has_name = |c: &Complaint| c.names.iter().any(|n| n == name);
            let is_here = |c: &Complaint| c.place == Some(("/w/lib/x.js".to_owned(), 8));
            assert!(complaints.iter().any(|c| is_here(c) && has_name(c)), "{error}: {complaints:?}");
        }
    }

    #[test]
    fn a_tool_that_is_not_understood_yields_nothing() {
        assert_eq!(complaints("make: *** [all] Error 1\n"), []);
        assert_eq!(complaints(""), []);
        assert_eq!(complaints("{\"rendered\":\""), []);
    }
}
