//! What the kinds of node of a language are made of, by its grammar: read from the lines of `facts/*.facts`.
//!
//! ```text
//! argument_list = "(" (expression ("," expression)*)? ")"
//! ```
//!
//! `examples/facts.rs` writes these lines and says where they come from. A kind is compiled when it is first
//! asked for: rules without a node (`expression` here) are put in place, what can only be one of several
//! nodes becomes one place for all of them, and `x ("," x)*` is recognised as a list with a separator. Rules
//! that contain themselves without a node in between cannot be put in place, and those that are very large
//! should not be; they stand for any number of what they may hold.

use crate::automaton::Automaton;
use crate::kinds::Kinds;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

/// How many places a rule may have to be put in place.
const LARGE: usize = 200;

pub(crate) struct Facts {
    rules: Vec<Rule>,
    /// The rule of each kind, by its number.
    of_kind: HashMap<u16, usize>,
    /// Kinds whose nodes may stand anywhere.
    pub(crate) extras: BTreeSet<u16>,
    /// For kinds that are one token under several names, the first of them.
    alike: HashMap<u16, u16>,
    automata: HashMap<u16, OnceLock<Automaton>>,
}

struct Rule {
    expr: Expr,
    /// For a rule that contains itself or is very large: all it may hold, with fields.
    holds: Option<Vec<(u16, u16)>>,
}

/// What a node may be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expr {
    /// A node of a kind; none if the grammar has no such kind.
    Kind(Option<u16>),
    /// A rule without a node, by number.
    Rule(usize),
    Seq(Vec<Expr>),
    Choice(Vec<Expr>),
    Optional(Box<Expr>),
    Repeat(Box<Expr>),
    Repeat1(Box<Expr>),
    Field(u16, Box<Expr>),
}

/// What a node may be made of, with nothing left to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One node: a kind and the field it fills, 0 for none; in order.
    One(Vec<(u16, u16)>),
    Seq(Vec<Form>),
    Choice(Vec<Form>),
    Optional(Box<Form>),
    List {
        item: Box<Form>,
        separator: Option<Box<Form>>,
        may_trail: bool,
    },
}

impl Facts {
    pub(crate) fn read(text: &str, kinds: &Kinds) -> Facts {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let defined =
            lines.iter().filter_map(|line| line.split_once([' ']).filter(|(_, rest)| rest.starts_with(':')));
        let hidden: HashMap<&str, usize> = defined.enumerate().map(|(at, (name, _))| (name, at)).collect();
        let mut facts = Facts {
            rules: Vec::new(),
            of_kind: HashMap::new(),
            extras: BTreeSet::new(),
            alike: HashMap::new(),
            automata: HashMap::new(),
        };
        let mut shown = Vec::new();
        for line in lines {
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            match (name, rest.split_at_checked(2)) {
                ("extra", _) => facts.extras.extend(kinds.number(rest, true)),
                ("alike", _) => {
                    let same: Vec<u16> =
                        rest.split(' ').filter_map(|name| kinds.number(name, true)).collect();
                    facts.alike.extend(same.iter().map(|kind| (*kind, same[0])));
                }
                (_, Some((": ", body))) => {
                    facts.rules.push(Rule { expr: Reading::new(body, &hidden, kinds).expr(), holds: None });
                }
                (_, Some(("= ", body))) => shown.push((name, body)),
                _ => {}
            }
        }
        for (name, body) in shown {
            if let Some(kind) = kinds.number(name, true) {
                facts.of_kind.insert(kind, facts.rules.len());
                facts.automata.insert(kind, OnceLock::new());
                facts.rules.push(Rule { expr: Reading::new(body, &hidden, kinds).expr(), holds: None });
            }
        }
        let recursive: Vec<bool> = (0..hidden.len()).map(|rule| facts.reaches(rule)).collect();
        let mut places = recursive.iter().map(|&is| is.then_some(1)).collect::<Vec<Option<usize>>>();
        for rule in 0..hidden.len() {
            facts.measure(rule, &mut places);
        }
        for rule in 0..hidden.len() {
            if recursive[rule] || places[rule] == Some(LARGE) {
                let mut holds = BTreeSet::new();
                facts.held(&Expr::Rule(rule), 0, &mut BTreeSet::new(), &mut holds);
                facts.rules[rule].holds = Some(holds.into_iter().collect());
            }
        }
        facts
    }

    /// What a kind of node is made of; none if its nodes have no children.
    pub(crate) fn automaton(&self, kind: u16) -> Option<&Automaton> {
        let rule = &self.rules[*self.of_kind.get(&kind)?];
        Some(self.automata.get(&kind)?.get_or_init(|| Automaton::new(&self.form(&rule.expr, 0))))
    }

    /// Whether a node of one kind is the same token as one of another.
    pub(crate) fn is_alike(&self, one: u16, other: u16) -> bool {
        one == other || self.alike.get(&one).is_some_and(|first| self.alike.get(&other) == Some(first))
    }

    /// Whether a hidden rule contains itself with no node in between.
    fn reaches(&self, from: usize) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(rule) = open.pop() {
            let mut inner = Vec::new();
            hidden_in(&self.rules[rule].expr, &mut inner);
            if inner.contains(&from) {
                return true;
            }
            open.extend(inner.into_iter().filter(|rule| seen.insert(*rule)));
        }
        false
    }

    /// Finds how many places a hidden rule has, where that is not known yet; at most `LARGE`.
    fn measure(&self, rule: usize, known: &mut Vec<Option<usize>>) -> usize {
        if let Some(places) = known[rule] {
            return if places == LARGE { 1 } else { places };
        }
        let places = self.places(&self.rules[rule].expr, known).min(LARGE);
        known[rule] = Some(places);
        self.measure(rule, known)
    }

    /// How many places an expression has; a choice of single ones is one.
    fn places(&self, expr: &Expr, known: &mut Vec<Option<usize>>) -> usize {
        match expr {
            Expr::Kind(_) => 1,
            Expr::Rule(rule) => self.measure(*rule, known),
            Expr::Seq(parts) => parts.iter().map(|part| self.places(part, known)).sum(),
            Expr::Choice(parts) => {
                let places = parts.iter().map(|part| self.places(part, known)).filter(|places| *places > 1);
                1 + places.sum::<usize>()
            }
            Expr::Optional(part) | Expr::Repeat(part) | Expr::Repeat1(part) | Expr::Field(_, part) => {
                self.places(part, known)
            }
        }
    }

    /// Collects the nodes an expression may hold, through all hidden rules.
    fn held(&self, expr: &Expr, field: u16, seen: &mut BTreeSet<usize>, holds: &mut BTreeSet<(u16, u16)>) {
        match expr {
            Expr::Kind(kind) => holds.extend(kind.map(|kind| (kind, field))),
            Expr::Rule(rule) => {
                if seen.insert(*rule) {
                    self.held(&self.rules[*rule].expr, field, seen, holds);
                }
            }
            Expr::Seq(parts) | Expr::Choice(parts) => {
                parts.iter().for_each(|part| self.held(part, field, seen, holds));
            }
            Expr::Optional(part) | Expr::Repeat(part) | Expr::Repeat1(part) => {
                self.held(part, field, seen, holds);
            }
            Expr::Field(inner, part) => self.held(part, *inner, seen, holds),
        }
    }

    fn form(&self, expr: &Expr, field: u16) -> Form {
        let list = |part: &Expr| Form::List {
            item: Box::new(self.form(part, field)),
            separator: None,
            may_trail: false,
        };
        match expr {
            Expr::Kind(kind) => Form::One(kind.map(|kind| (kind, field)).into_iter().collect()),
            Expr::Rule(rule) => match &self.rules[*rule] {
                Rule { holds: Some(holds), .. } => {
                    let holds =
                        holds.iter().map(|&(kind, own)| (kind, if own == 0 { field } else { own })).collect();
                    optional(Form::List {
                        item: Box::new(Form::One(holds)),
                        separator: None,
                        may_trail: false,
                    })
                }
                Rule { expr, .. } => self.form(expr, field),
            },
            Expr::Seq(parts) => self.sequence(parts, field),
            Expr::Choice(parts) => choice(parts.iter().map(|part| self.form(part, field)).collect()),
            Expr::Optional(part) => optional(self.form(part, field)),
            Expr::Repeat(part) => optional(list(part)),
            Expr::Repeat1(part) => list(part),
            Expr::Field(inner, part) => self.form(part, *inner),
        }
    }

    /// A sequence in which `x ("," x)* ","?`, `("," x)+` after an `x` and `(x ",")* x?` are seen as lists.
    fn sequence(&self, parts: &[Expr], field: u16) -> Form {
        let seq = |parts: &[Expr]| Form::Seq(parts.iter().map(|part| self.form(part, field)).collect());
        let mut forms: Vec<Form> = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            let list = |item: &[Expr], separator: &Expr, may_trail: bool| Form::List {
                item: Box::new(seq(item)),
                separator: Some(Box::new(self.form(separator, field))),
                may_trail,
            };
            let found = (at + 1..parts.len()).rev().find_map(|next| {
                let item = &parts[at..next];
                separator_before(&parts[next], item)
                    .map(|(separator, may_trail)| (next, item, separator, may_trail))
            });
            if let Some((next, item, separator, may_trail)) = found {
                let trails = may_trail_by(parts.get(next + 1), separator);
                forms.push(list(item, separator, may_trail || trails));
                at = next + 1 + usize::from(trails);
            } else if let Some((item, separator, length, may_trail)) = separated_after(&parts[at..]) {
                forms.push(list(item, separator, may_trail));
                at += length;
            } else {
                forms.push(self.form(&parts[at], field));
                at += 1;
            }
        }
        let mut at = 0;
        while at + 1 < forms.len() {
            let (before, after) = forms.split_at_mut(at + 1);
            let trails = takes_trailing(&mut before[at], &after[0]);
            at += 1;
            if trails {
                forms.remove(at);
            }
        }
        if forms.len() == 1 { forms.remove(0) } else { Form::Seq(forms) }
    }
}

/// Whether a form is a list, perhaps optional, and the next one a separator that may stand last; it then says
/// so.
fn takes_trailing(form: &mut Form, next: &Form) -> bool {
    match (form, next) {
        (Form::Optional(form), next) => takes_trailing(form, next),
        (Form::List { separator: Some(separator), may_trail, .. }, Form::Optional(last))
            if separator == last =>
        {
            *may_trail = true;
            true
        }
        _ => false,
    }
}

fn hidden_in(expr: &Expr, rules: &mut Vec<usize>) {
    match expr {
        Expr::Kind(_) => {}
        Expr::Rule(rule) => rules.push(*rule),
        Expr::Seq(parts) | Expr::Choice(parts) => parts.iter().for_each(|part| hidden_in(part, rules)),
        Expr::Optional(part) | Expr::Repeat(part) | Expr::Repeat1(part) | Expr::Field(_, part) => {
            hidden_in(part, rules);
        }
    }
}

/// The separator, if an expression goes on with it and the items of a list of which one came before; with
/// whether a separator may stand last.
fn separator_before<'a>(expr: &'a Expr, item: &[Expr]) -> Option<(&'a Expr, bool)> {
    match expr {
        Expr::Repeat(part) | Expr::Repeat1(part) => match &**part {
            Expr::Seq(parts) if parts[1..] == *item => Some((&parts[0], false)),
            _ => None,
        },
        // `"," | ("," x)+ ","?`: one separator is needed, be it the last.
        Expr::Choice(ways) => match &ways[..] {
            [separator, Expr::Seq(parts)] => {
                let (inner, _) = separator_before(parts.first()?, item)?;
                (inner == separator && parts.len() == 2 && may_trail_by(parts.get(1), separator))
                    .then_some((separator, true))
            }
            _ => None,
        },
        _ => None,
    }
}

fn may_trail_by(expr: Option<&Expr>, separator: &Expr) -> bool {
    matches!(expr, Some(Expr::Optional(part)) if **part == *separator)
        || expr.is_some_and(|expr| matches!(separator, Expr::Optional(_)) && expr == separator)
}

/// A list written as `(x ",")* x` or `(x ",")* x?`: item, separator, how many parts it takes, and whether a
/// separator may stand last.
fn separated_after(parts: &[Expr]) -> Option<(&[Expr], &Expr, usize, bool)> {
    let (Expr::Repeat(part) | Expr::Repeat1(part)) = &parts[0] else { return None };
    let Expr::Seq(inner) = &**part else { return None };
    let (separator, item) = inner.split_last()?;
    let next = parts.get(1..1 + item.len());
    if next == Some(item) {
        return Some((item, separator, 1 + item.len(), false));
    }
    let trails = match parts.get(1) {
        Some(Expr::Optional(last)) => match &**last {
            Expr::Seq(last) => *last == *item,
            last => std::slice::from_ref(last) == item,
        },
        _ => false,
    };
    trails.then_some((item, separator, 2, true))
}

fn optional(form: Form) -> Form {
    match form {
        Form::Optional(_) => form,
        form => Form::Optional(Box::new(form)),
    }
}

/// A choice; what can only be single nodes is one place for all of them.
fn choice(forms: Vec<Form>) -> Form {
    let (mut one, mut others, mut may_lack) = (BTreeSet::new(), Vec::new(), false);
    let mut open = forms;
    open.reverse();
    while let Some(form) = open.pop() {
        match form {
            Form::One(kinds) => one.extend(kinds),
            Form::Choice(inner) => open.extend(inner.into_iter().rev()),
            Form::Optional(inner) if matches!(*inner, Form::One(_) | Form::Choice(_)) => {
                may_lack = true;
                open.push(*inner);
            }
            form => others.push(form),
        }
    }
    if !one.is_empty() {
        others.insert(0, Form::One(one.into_iter().collect()));
    }
    let form = if others.len() == 1 { others.remove(0) } else { Form::Choice(others) };
    if may_lack { optional(form) } else { form }
}

/// Reads an expression.
struct Reading<'a> {
    rest: &'a str,
    hidden: &'a HashMap<&'a str, usize>,
    kinds: &'a Kinds,
}

impl<'a> Reading<'a> {
    fn new(rest: &'a str, hidden: &'a HashMap<&'a str, usize>, kinds: &'a Kinds) -> Reading<'a> {
        Reading { rest, hidden, kinds }
    }

    fn expr(&mut self) -> Expr {
        let mut ways = vec![self.seq()];
        while self.take("| ") {
            ways.push(self.seq());
        }
        if ways.len() == 1 { ways.remove(0) } else { Expr::Choice(ways) }
    }

    fn seq(&mut self) -> Expr {
        let mut parts = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            parts.push(self.part());
            self.take(" ");
        }
        if parts.len() == 1 { parts.remove(0) } else { Expr::Seq(parts) }
    }

    fn part(&mut self) -> Expr {
        let mut part = if self.take("(") {
            let inner = self.expr();
            self.take(")");
            inner
        } else if self.rest.starts_with('"') {
            let sign = self.sign();
            Expr::Kind(self.kinds.number(&sign, false))
        } else {
            let end = self.rest.find([' ', ')', '|', '?', '*', '+', ':']).unwrap_or(self.rest.len());
            debug_assert_ne!(end, 0, "a name is expected at {}", self.rest);
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            if self.take(":") {
                let inner = self.part();
                return match self.kinds.field_number(name) {
                    Some(field) => Expr::Field(field, Box::new(inner)),
                    None => inner,
                };
            }
            match self.hidden.get(name) {
                Some(rule) => Expr::Rule(*rule),
                None => Expr::Kind(self.kinds.number(name.trim_start_matches('\''), true)),
            }
        };
        loop {
            part = match () {
                () if self.take("?") => Expr::Optional(Box::new(part)),
                () if self.take("*") => Expr::Repeat(Box::new(part)),
                () if self.take("+") => Expr::Repeat1(Box::new(part)),
                () => return part,
            };
        }
    }

    /// Reads a text in quotes, written as JSON writes it.
    fn sign(&mut self) -> String {
        let mut sign = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    break;
                }
                '\\' => match chars.next().map_or('\\', |(_, c)| c) {
                    'n' => sign.push('\n'),
                    'r' => sign.push('\r'),
                    't' => sign.push('\t'),
                    'f' => sign.push('\u{c}'),
                    'b' => sign.push('\u{8}'),
                    'u' => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        sign.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                    }
                    other => sign.push(other),
                },
                c => sign.push(c),
            }
        }
        sign
    }

    fn take(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}
