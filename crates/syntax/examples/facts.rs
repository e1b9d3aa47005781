//! Writes `facts/*.facts`: what each kind of node is made of, taken from the grammars' own `grammar.json`.
//!
//! ```text
//! cargo run -p nub-syntax --features all-languages --example facts
//! ```
//!
//! tree-sitter tells which kinds there are, but not which children repeat, which may be left out, and what
//! may stand in their place. Its grammars say so in their sources, which lie in cargo's registry. A line of
//! facts is
//!
//! ```text
//! argument_list = "(" (expression ("," expression)*)? ")"
//! ```
//!
//! in terms of nodes one can see. Rules without a node of their own are written with `:` and stand for what
//! they are made of; a node that has such a rule's name is written `'name`. Text that has no node,
//! precedence, conflicts and whatever else serves only to parse is left out.
//!
//! Why not in a build script? It would have to find the registry and read megabytes of JSON in every build of
//! every user, for what changes only with a grammar's version. A test makes the facts anew and tells when
//! they are old.

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    for (language, text) in all() {
        fs::write(path(&language), text)?;
    }
    Ok(())
}

/// Where the facts of a language are kept.
pub fn path(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("facts/{language}.facts"))
}

/// The facts of every language that has a grammar and is built in, by name.
pub fn all() -> BTreeMap<String, String> {
    let mut command = MetadataCommand::new();
    command.manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    if cfg!(feature = "all-languages") {
        command.features(CargoOpt::AllFeatures);
    }
    let metadata = command.exec().expect("cargo can tell where the grammars are");
    let grammars = nub_syntax::Language::all().filter_map(|language| {
        let (package, json) = grammar(&metadata, language.name())?;
        let json: Value = serde_json::from_str(&json).expect("a grammar is valid JSON");
        Some((language.name().to_owned(), format!("# From {package}.\n{}", Grammar::new(&json).facts())))
    });
    grammars.collect()
}

/// The grammar of a language and the package it comes in; none if it is read by hand.
fn grammar(metadata: &Metadata, language: &str) -> Option<(String, String)> {
    let (package, folder) = match language {
        "csharp" => ("c-sharp", ""),
        "dtd" => ("xml", "dtd/"),
        "kotlin" => ("kotlin-ng", ""),
        "markdown" => ("md", "tree-sitter-markdown/"),
        "ocaml" => ("ocaml", "grammars/ocaml/"),
        "ocaml-interface" => ("ocaml", "grammars/interface/"),
        "php" => ("php", "php/"),
        "sql" => ("sequel", ""),
        "toml" => ("toml-ng", ""),
        "tsx" => ("typescript", "tsx/"),
        "typescript" => ("typescript", "typescript/"),
        "xml" => ("xml", "xml/"),
        _ => (language, ""),
    };
    let name = format!("tree-sitter-{package}");
    let package = metadata.packages.iter().find(|package| package.name.as_str() == name)?;
    let file = package.manifest_path.parent()?.join(format!("{folder}src/grammar.json"));
    let json = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
    Some((format!("{name} {}", package.version), json))
}

/// What a node may be made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Expr {
    /// Nothing that has a node.
    Empty,
    /// A node of a kind with a name, or what a rule without a node stands for.
    Name(String),
    /// A node that is spelled out.
    Sign(String),
    Seq(Vec<Expr>),
    Choice(Vec<Expr>),
    Optional(Box<Expr>),
    Repeat(Box<Expr>),
    Repeat1(Box<Expr>),
    Field(String, Box<Expr>),
}

struct Grammar<'a> {
    json: &'a Value,
    /// Rules without a node of their own.
    hidden: BTreeSet<&'a str>,
    /// Rules whose nodes never stand alone: what refers to them is replaced by what they are made of.
    inline: BTreeSet<&'a str>,
    externals: BTreeSet<&'a str>,
    /// How often each string is a token.
    strings: BTreeMap<&'a str, usize>,
    /// Hidden rules that are made of nothing one can see.
    blank: BTreeSet<&'a str>,
}

impl<'a> Grammar<'a> {
    fn new(json: &'a Value) -> Grammar<'a> {
        let names = |key: &str| -> BTreeSet<&'a str> {
            json[key].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect()
        };
        let rules = json["rules"].as_object().expect("a grammar has rules");
        let inline = names("inline");
        let mut hidden: BTreeSet<&str> = names("supertypes").union(&inline).copied().collect();
        hidden.extend(rules.keys().map(String::as_str).filter(|name| name.starts_with('_')));
        let externals = json["externals"].as_array().into_iter().flatten();
        let externals = externals.filter_map(|external| external["name"].as_str()).collect();
        let mut strings = BTreeMap::new();
        rules.values().for_each(|rule| count(rule, &mut strings));
        let mut grammar = Grammar { json, hidden, inline, externals, strings, blank: BTreeSet::new() };
        loop {
            let is_blank =
                |name: &&&str| json["rules"].get(**name).is_some() && grammar.body(name) == Expr::Empty;
            let blank: BTreeSet<&str> = grammar.hidden.iter().filter(is_blank).copied().collect();
            if blank == grammar.blank {
                return grammar;
            }
            grammar.blank = blank;
        }
    }

    /// The facts as text, a line for each kind.
    fn facts(&self) -> String {
        let rules = self.json["rules"].as_object().expect("a grammar has rules");
        let mut made_of: BTreeMap<String, BTreeSet<Expr>> = BTreeMap::new();
        let mut alike: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, rule) in rules {
            if !self.hidden.contains(name.as_str()) {
                made_of.entry(name.clone()).or_default().insert(self.body(name));
            }
            self.renamed(rule, &mut made_of, &mut alike);
        }
        let mut text = String::new();
        let extras = self.json["extras"].as_array().into_iter().flatten();
        for extra in extras.filter_map(|extra| extra["name"].as_str()).filter(|name| !name.starts_with('_')) {
            writeln!(text, "extra {extra}").expect("a string can be written to");
        }
        for (_, names) in alike.into_iter().filter(|(_, names)| names.len() > 1) {
            let names: Vec<String> = names.into_iter().collect();
            writeln!(text, "alike {}", names.join(" ")).expect("a string can be written to");
        }
        let hidden = self
            .hidden
            .iter()
            .filter(|name| rules.contains_key(**name))
            .map(|name| (*name, ':', self.body(name)));
        let seen =
            made_of.iter().map(|(name, ways)| (name.as_str(), '=', choice(ways.iter().cloned().collect())));
        for (name, sign, body) in hidden.chain(seen).filter(|(_, _, body)| *body != Expr::Empty) {
            writeln!(text, "{name} {sign} {}", write(&body, 0)).expect("a string can be written to");
        }
        text
    }

    /// What a rule is made of; nothing if it is a token.
    fn body(&self, name: &str) -> Expr {
        let rule = &self.json["rules"][name];
        // A string that stands alone and nowhere else is the rule's own token.
        let is_own = matches!(rule["type"].as_str(), Some("STRING" | "TOKEN" | "IMMEDIATE_TOKEN"))
            && string(rule).is_some_and(|text| self.strings.get(text) == Some(&1))
            && !self.hidden.contains(name);
        if is_token(rule) || is_own { Expr::Empty } else { self.expr(rule) }
    }

    fn expr(&self, rule: &Value) -> Expr {
        if let Some(text) = string(rule) {
            // A token at the end of the text, or one of white space, has no node in our trees.
            return if text.trim_matches('\0').trim().is_empty() {
                Expr::Empty
            } else {
                Expr::Sign(text.to_owned())
            };
        }
        let content = &rule["content"];
        let members = || rule["members"].as_array().into_iter().flatten().map(|member| self.expr(member));
        match rule["type"].as_str().expect("every rule has a type") {
            "BLANK" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => Expr::Empty,
            "SYMBOL" => self.symbol(rule["name"].as_str().expect("a symbol has a name")),
            "SEQ" => seq(members().collect()),
            "CHOICE" => choice(members().collect()),
            "REPEAT" => repeat(self.expr(content), false),
            "REPEAT1" => repeat(self.expr(content), true),
            "FIELD" => match self.expr(content) {
                Expr::Empty => Expr::Empty,
                inner => Expr::Field(
                    rule["name"].as_str().expect("a field has a name").to_owned(),
                    Box::new(inner),
                ),
            },
            "ALIAS" => {
                let value = rule["value"].as_str().expect("an alias has a value").to_owned();
                match rule["named"] == true {
                    true if self.hidden.contains(value.as_str()) => Expr::Name(format!("'{value}")),
                    true => Expr::Name(value),
                    false if value.trim().is_empty() => Expr::Empty,
                    false => Expr::Sign(value),
                }
            }
            _ => self.expr(content),
        }
    }

    fn symbol(&self, name: &str) -> Expr {
        let is_rule = self.json["rules"].get(name).is_some();
        let is_token = name.starts_with('_') && (!is_rule || self.externals.contains(name));
        if is_token || self.blank.contains(name) { Expr::Empty } else { Expr::Name(name.to_owned()) }
    }

    /// Notes what is given other names in a rule: what nodes of those names are made of, and which are one
    /// token.
    fn renamed(
        &self,
        rule: &Value,
        made_of: &mut BTreeMap<String, BTreeSet<Expr>>,
        alike: &mut BTreeMap<String, BTreeSet<String>>,
    ) {
        if rule["type"] == "ALIAS" && rule["named"] == true {
            let value = rule["value"].as_str().expect("an alias has a value");
            let content = strip(&rule["content"]);
            match content["name"].as_str().filter(|_| content["type"] == "SYMBOL") {
                Some(name) if self.externals.contains(name) || self.json["rules"].get(name).is_none() => {}
                Some(name) => {
                    let body = self.body(name);
                    if body == Expr::Empty {
                        let same = alike.entry(name.to_owned()).or_default();
                        same.insert(value.to_owned());
                        same.extend((!self.hidden.contains(name)).then(|| name.to_owned()));
                    } else if self.inline.contains(name) {
                        // Each part of an inlined rule takes the other name.
                        made_of.entry(value.to_owned()).or_default().insert(self.unfolded(&body));
                    } else {
                        made_of.entry(value.to_owned()).or_default().insert(body);
                    }
                }
                None if is_token(content) || string(content).is_some() => {}
                None => drop(made_of.entry(value.to_owned()).or_default().insert(self.expr(content))),
            }
        }
        for member in rule["members"].as_array().into_iter().flatten() {
            self.renamed(member, made_of, alike);
        }
        if rule["content"].is_object() {
            self.renamed(&rule["content"], made_of, alike);
        }
    }

    /// What the parts of an expression are made of.
    fn unfolded(&self, body: &Expr) -> Expr {
        match body {
            Expr::Name(name) if self.json["rules"].get(name).is_some() => self.body(name),
            Expr::Choice(parts) | Expr::Seq(parts) => {
                choice(parts.iter().map(|part| self.unfolded(part)).collect())
            }
            Expr::Optional(part) | Expr::Repeat(part) | Expr::Repeat1(part) | Expr::Field(_, part) => {
                self.unfolded(part)
            }
            Expr::Name(_) | Expr::Sign(_) | Expr::Empty => Expr::Empty,
        }
    }
}

/// A rule without what only ranks it.
fn strip(rule: &Value) -> &Value {
    match rule["type"].as_str() {
        Some("PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "RESERVED") => strip(&rule["content"]),
        _ => rule,
    }
}

/// The string that a rule is, which then is a token that can be seen.
fn string(rule: &Value) -> Option<&str> {
    let rule = strip(rule);
    match rule["type"].as_str() {
        Some("STRING") => rule["value"].as_str(),
        Some("TOKEN" | "IMMEDIATE_TOKEN") => string(&rule["content"]),
        _ => None,
    }
}

/// Whether a rule is a token and no string.
fn is_token(rule: &Value) -> bool {
    let is_lexical = matches!(strip(rule)["type"].as_str(), Some("PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN"));
    is_lexical && string(rule).is_none()
}

fn count<'a>(rule: &'a Value, strings: &mut BTreeMap<&'a str, usize>) {
    if let Some(text) = string(rule) {
        *strings.entry(text).or_default() += 1;
    } else if !is_token(rule) {
        rule["members"].as_array().into_iter().flatten().for_each(|member| count(member, strings));
        if rule["content"].is_object() {
            count(&rule["content"], strings);
        }
    }
}

fn seq(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Expr::Empty => {}
            Expr::Seq(inner) => flat.extend(inner),
            part => flat.push(part),
        }
    }
    match flat.len() {
        0 => Expr::Empty,
        1 => flat.remove(0),
        _ => Expr::Seq(flat),
    }
}

fn choice(parts: Vec<Expr>) -> Expr {
    let (mut flat, mut is_optional) = (Vec::new(), false);
    for part in parts {
        let (inner, may_lack) = match part {
            Expr::Optional(inner) => (*inner, true),
            inner => (inner, false),
        };
        is_optional |= may_lack;
        match inner {
            Expr::Empty => is_optional = true,
            Expr::Choice(inner) => flat.extend(inner),
            inner => flat.push(inner),
        }
    }
    let mut seen = BTreeSet::new();
    flat.retain(|part| seen.insert(part.clone()));
    match (flat.len(), is_optional) {
        (0, _) => Expr::Empty,
        (1, false) => flat.remove(0),
        (_, false) => Expr::Choice(flat),
        (1, true) => optional(flat.remove(0)),
        (_, true) => optional(Expr::Choice(flat)),
    }
}

fn optional(part: Expr) -> Expr {
    match part {
        Expr::Repeat1(inner) => Expr::Repeat(inner),
        Expr::Empty | Expr::Optional(_) | Expr::Repeat(_) => part,
        part => Expr::Optional(Box::new(part)),
    }
}

fn repeat(part: Expr, at_least_one: bool) -> Expr {
    match part {
        Expr::Empty => Expr::Empty,
        Expr::Optional(inner) => Expr::Repeat(inner),
        Expr::Repeat(inner) => Expr::Repeat(inner),
        part if at_least_one => Expr::Repeat1(Box::new(part)),
        part => Expr::Repeat(Box::new(part)),
    }
}

/// An expression as text; inside what binds tighter it is put in brackets.
fn write(expr: &Expr, binding: u8) -> String {
    let join = |parts: &[Expr], sign: &str, own: u8| {
        parts.iter().map(|part| write(part, own)).collect::<Vec<_>>().join(sign)
    };
    let (text, own) = match expr {
        Expr::Empty => ("()".to_owned(), 3),
        Expr::Name(name) => (name.clone(), 3),
        Expr::Sign(text) => (Value::String(text.clone()).to_string(), 3),
        Expr::Choice(parts) => (join(parts, " | ", 1), 0),
        Expr::Seq(parts) => (join(parts, " ", 2), 1),
        Expr::Optional(part) => (write(part, 3) + "?", 3),
        Expr::Repeat(part) => (write(part, 3) + "*", 3),
        Expr::Repeat1(part) => (write(part, 3) + "+", 3),
        Expr::Field(name, part) => (format!("{name}:{}", write(part, 3)), 2),
    };
    if own < binding { format!("({text})") } else { text }
}
