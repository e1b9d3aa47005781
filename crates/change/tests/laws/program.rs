//! Generated pairs of programs: a sample, and the same after a few edits of its statements and members.

use proptest::prelude::*;

/// A language, as far as the generated programs need it.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    Java,
    C,
    Python,
    JavaScript,
}

impl Language {
    pub const ALL: [Language; 4] = [Language::Java, Language::C, Language::Python, Language::JavaScript];

    pub fn path(self) -> &'static str {
        match self {
            Language::Java => "A.java",
            Language::C => "a.c",
            Language::Python => "a.py",
            Language::JavaScript => "a.js",
        }
    }
}

/// Part of a program.
#[derive(Clone, Debug)]
enum Part {
    Call(u8, Vec<u8>),
    Assign(u8, u8),
    If(u8, Vec<Part>),
    IfElse(u8, Vec<Part>, Vec<Part>),
    Comment(u8, Box<Part>),
    Import(u8),
    Function(u8, Vec<u8>, Vec<Part>),
}

/// A language, a program in it, and one made from it.
pub fn pair_of_programs() -> impl Strategy<Value = (Language, String, String)> {
    let functions = prop::collection::vec(function(), 1..5);
    let imports = prop::collection::vec((0..5u8).prop_map(Part::Import), 0..3);
    let edits = prop::collection::vec(edit(), 1..8);
    (prop::sample::select(&Language::ALL[..]), imports, functions, edits, any::<bool>()).prop_map(
        |(language, imports, functions, edits, restyle)| {
            let old: Vec<Part> = imports.into_iter().chain(functions).collect();
            let mut new = old.clone();
            edits.iter().for_each(|edit| edit.apply(&mut new));
            let style = if restyle { "  " } else { "    " };
            (language, Printer::print(language, &old, "    "), Printer::print(language, &new, style))
        },
    )
}

fn statement() -> impl Strategy<Value = Part> {
    let call = (0..6u8, prop::collection::vec(0..6u8, 0..4)).prop_map(|(f, args)| Part::Call(f, args));
    let assign = (0..6u8, 0..6u8).prop_map(|(a, b)| Part::Assign(a, b));
    let leaf = prop_oneof![3 => call, 2 => assign];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let block = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            2 => (0..6u8, block.clone()).prop_map(|(c, body)| Part::If(c, body)),
            1 => (0..6u8, block.clone(), block).prop_map(|(c, a, b)| Part::IfElse(c, a, b)),
            1 => (0..6u8, inner).prop_map(|(c, part)| Part::Comment(c, Box::new(part))),
        ]
    })
}

fn function() -> impl Strategy<Value = Part> {
    let parameters = prop::collection::vec(0..6u8, 0..3);
    let body = prop::collection::vec(statement(), 1..6);
    (0..9u8, parameters, body).prop_map(|(name, parameters, body)| Part::Function(name, parameters, body))
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(Vec<u8>, Part),
    Delete(Vec<u8>),
    Move(Vec<u8>, Vec<u8>),
    Wrap(Vec<u8>, u8),
    Unwrap(Vec<u8>),
    Rename(Vec<u8>, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = || prop::collection::vec(any::<u8>(), 1..4);
    let part = prop_oneof![3 => statement(), 1 => function(), 1 => (0..5u8).prop_map(Part::Import)];
    prop_oneof![
        3 => (place(), part).prop_map(|(at, part)| Edit::Insert(at, part)),
        2 => place().prop_map(Edit::Delete),
        2 => (place(), place()).prop_map(|(from, to)| Edit::Move(from, to)),
        2 => (place(), 0..6u8).prop_map(|(at, c)| Edit::Wrap(at, c)),
        1 => place().prop_map(Edit::Unwrap),
        2 => (place(), 0..6u8).prop_map(|(at, name)| Edit::Rename(at, name)),
    ]
}

impl Edit {
    fn apply(&self, program: &mut Vec<Part>) {
        match self {
            Edit::Insert(at, part) => {
                let at_top = matches!(part, Part::Function(..) | Part::Import(_));
                insert(program, if at_top { &at[..1] } else { at }, part.clone());
            }
            Edit::Delete(at) => drop(take(program, at)),
            Edit::Move(from, to) => {
                if let Some(part) = take(program, from) {
                    let at_top = matches!(part, Part::Function(..) | Part::Import(_));
                    insert(program, if at_top { &to[..1] } else { to }, part);
                }
            }
            Edit::Wrap(at, condition) => {
                if let Some((list, i)) = find(program, at)
                    && !matches!(list[i], Part::Function(..) | Part::Import(_))
                {
                    let end = (i + 2).min(list.len());
                    let wrapped: Vec<Part> = list.drain(i..end).collect();
                    list.insert(i, Part::If(*condition, wrapped));
                }
            }
            Edit::Unwrap(at) => {
                if let Some((list, i)) = find(program, at)
                    && let Part::If(_, body) = list[i].clone()
                {
                    list.splice(i..=i, body);
                }
            }
            Edit::Rename(at, name) => {
                if let Some((list, i)) = find(program, at) {
                    match &mut list[i] {
                        Part::Call(n, _) | Part::Assign(n, _) | Part::If(n, _) | Part::IfElse(n, ..) => {
                            *n = *name;
                        }
                        Part::Comment(n, _) | Part::Import(n) | Part::Function(n, ..) => *n = *name,
                    }
                }
            }
        }
    }
}

/// The list that a place leads into, and the position there.
fn find<'a>(list: &'a mut Vec<Part>, at: &[u8]) -> Option<(&'a mut Vec<Part>, usize)> {
    if list.is_empty() {
        return None;
    }
    let i = at[0] as usize % list.len();
    let goes_on = at.len() > 1 && matches!(list[i], Part::If(..) | Part::IfElse(..) | Part::Function(..));
    if !goes_on {
        return Some((list, i));
    }
    match &mut list[i] {
        Part::If(_, body) | Part::Function(_, _, body) => find(body, &at[1..]),
        Part::IfElse(_, a, b) => find(if at[1].is_multiple_of(2) { a } else { b }, &at[1..]),
        _ => None,
    }
}

fn take(program: &mut Vec<Part>, at: &[u8]) -> Option<Part> {
    let (list, i) = find(program, at)?;
    (list.len() > 1).then(|| list.remove(i))
}

fn insert(program: &mut Vec<Part>, at: &[u8], part: Part) {
    let is_inner = !matches!(part, Part::Function(..) | Part::Import(_));
    let Some((list, i)) = find(program, at) else { return };
    if is_inner && matches!(list[i], Part::Function(..) | Part::Import(_)) {
        if let Part::Function(_, _, body) = &mut list[i] {
            body.push(part);
        }
    } else {
        list.insert(i, part);
    }
}

/// Prints programs; names are letters.
struct Printer {
    language: Language,
    style: &'static str,
    text: String,
}

impl Printer {
    fn print(language: Language, program: &[Part], style: &'static str) -> String {
        let mut printer = Printer { language, style, text: String::new() };
        let is_import = |part: &&Part| matches!(part, Part::Import(_));
        program.iter().filter(is_import).for_each(|part| printer.part(part, 0));
        let is_class = matches!(language, Language::Java | Language::Python);
        match language {
            Language::Java => printer.text += "class A {\n",
            Language::Python => printer.text += &format!("class A:\n{style}x = 0\n"),
            Language::C | Language::JavaScript => {}
        }
        let depth = usize::from(is_class);
        program.iter().filter(|part| !is_import(part)).for_each(|part| printer.part(part, depth));
        if matches!(language, Language::Java) {
            printer.text += "}\n";
        }
        printer.text
    }

    fn line(&mut self, depth: usize, line: &str) {
        self.text += &format!("{}{line}\n", self.style.repeat(depth));
    }

    fn part(&mut self, part: &Part, depth: usize) {
        let end = if matches!(self.language, Language::Java | Language::C) { ";" } else { "" };
        let is_python = matches!(self.language, Language::Python);
        let (open, close) = if is_python { (":", "") } else { (" {", "}") };
        let brackets =
            |c: u8| if is_python { format!("if {}", name(c)) } else { format!("if ({})", name(c)) };
        match part {
            Part::Call(f, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|&a| name(a)).collect();
                self.line(depth, &format!("{}({}){end}", name(*f), arguments.join(", ")));
            }
            Part::Assign(a, b) => self.line(depth, &format!("{} = {} + 1{end}", name(*a), name(*b))),
            Part::If(condition, body) => {
                self.line(depth, &(brackets(*condition) + open));
                self.block(body, depth + 1);
                self.close(close, depth);
            }
            Part::IfElse(condition, body, other) => {
                self.line(depth, &(brackets(*condition) + open));
                self.block(body, depth + 1);
                self.line(depth, &if is_python { "else:".into() } else { format!("{close} else{open}") });
                self.block(other, depth + 1);
                self.close(close, depth);
            }
            Part::Comment(c, part) => {
                let mark = if is_python { "#" } else { "//" };
                self.line(depth, &format!("{mark} {}", name(*c)));
                self.part(part, depth);
            }
            Part::Import(c) => {
                let line = match self.language {
                    Language::Java => format!("import p.{};", name(*c)),
                    Language::C => format!("#define {} {c}", name(*c).to_uppercase()),
                    Language::Python => format!("import {}", name(*c)),
                    Language::JavaScript => format!("import {} from 'p'", name(*c)),
                };
                self.line(0, &line);
            }
            Part::Function(f, parameters, body) => {
                let typed = |&p: &u8| match self.language {
                    Language::Java | Language::C => format!("int {}", name(p)),
                    Language::Python | Language::JavaScript => name(p),
                };
                let parameters: Vec<String> = parameters.iter().map(typed).collect();
                let keyword = match self.language {
                    Language::Java | Language::C => "void",
                    Language::Python => "def",
                    Language::JavaScript => "function",
                };
                let head = format!("{keyword} f{f}({}){open}", parameters.join(", "));
                self.line(depth, &head);
                self.block(body, depth + 1);
                self.close(close, depth);
                self.text += "\n";
            }
        }
    }

    fn block(&mut self, body: &[Part], depth: usize) {
        body.iter().for_each(|part| self.part(part, depth));
    }

    fn close(&mut self, close: &str, depth: usize) {
        if !close.is_empty() {
            self.line(depth, close);
        }
    }
}

fn name(c: u8) -> String {
    ["alpha", "beta", "gamma", "delta", "eps", "zeta"][c as usize % 6].to_owned()
}
