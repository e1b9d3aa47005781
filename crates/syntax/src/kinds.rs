//! The kinds of node of a language, with what its profile says of each.

use crate::profile::{Profile, Role};
use std::collections::HashMap;

pub(crate) struct Kinds {
    /// None for a language that is read by hand.
    pub(crate) grammar: Option<tree_sitter::Language>,
    list: Vec<KindFacts>,
    /// Our number of each kind of the grammar: kinds that read the same are one.
    of_symbol: Vec<u16>,
    numbers: HashMap<(String, bool), u16>,
    fields: Vec<String>,
}

pub(crate) struct KindFacts {
    pub(crate) name: String,
    pub(crate) is_named: bool,
    pub(crate) role: Role,
    pub(crate) is_comment: bool,
    pub(crate) is_atom: bool,
    pub(crate) is_number: bool,
    pub(crate) is_modifier: bool,
    pub(crate) is_scope: bool,
}

impl Kinds {
    pub(crate) fn new(grammar: Option<tree_sitter::Language>, profile: &Profile) -> Kinds {
        let mut kinds = Kinds {
            grammar: None,
            list: Vec::new(),
            of_symbol: Vec::new(),
            numbers: HashMap::new(),
            fields: Vec::new(),
        };
        match &grammar {
            Some(grammar) => {
                for symbol in 0..grammar.node_kind_count() as u16 {
                    let name = grammar.node_kind_for_id(symbol).unwrap_or("");
                    let number = kinds.add(name, grammar.node_kind_is_named(symbol), profile);
                    kinds.of_symbol.push(number);
                }
                let fields = 1..=grammar.field_count() as u16;
                kinds.fields =
                    fields.map(|id| grammar.field_name_for_id(id).unwrap_or("").to_owned()).collect();
            }
            None => crate::sexp::kinds().for_each(|(name, is_named)| {
                kinds.add(name, is_named, profile);
            }),
        }
        Kinds { grammar, ..kinds }
    }

    fn add(&mut self, name: &str, is_named: bool, profile: &Profile) -> u16 {
        *self.numbers.entry((name.to_owned(), is_named)).or_insert_with(|| {
            self.list.push(KindFacts::new(name, is_named, profile));
            self.list.len() as u16 - 1
        })
    }

    pub(crate) fn get(&self, kind: u16) -> &KindFacts {
        &self.list[kind as usize]
    }

    /// Our number of a symbol of the grammar.
    pub(crate) fn of_symbol(&self, symbol: u16) -> Option<u16> {
        self.of_symbol.get(symbol as usize).copied()
    }

    /// The number of a kind with a name, or of one that is spelled out.
    pub(crate) fn number(&self, name: &str, is_named: bool) -> Option<u16> {
        self.numbers.get(&(name.to_owned(), is_named)).copied()
    }

    /// The name of a field; they count from 1.
    pub(crate) fn field(&self, id: u16) -> Option<&str> {
        self.fields.get((id as usize).checked_sub(1)?).map(String::as_str)
    }

    /// The number of a field, from 1.
    pub(crate) fn field_number(&self, name: &str) -> Option<u16> {
        self.fields.iter().position(|field| *field == name).map(|at| at as u16 + 1)
    }
}

impl KindFacts {
    fn new(kind: &str, is_named: bool, profile: &Profile) -> KindFacts {
        let is_in = |list: &[String]| is_named && list.iter().any(|k| k == kind);
        let role = match () {
            _ if is_in(&profile.declarations) => Role::Declaration,
            _ if is_in(&profile.statements) => Role::Statement,
            _ if is_in(&profile.lists) => Role::List,
            _ if is_in(&profile.identifiers) => Role::Identifier,
            _ if is_in(&profile.texts) => Role::Text,
            _ => Role::Other,
        };
        KindFacts {
            name: kind.to_owned(),
            is_named,
            role,
            is_comment: is_in(&profile.comments),
            is_atom: is_in(&profile.atoms),
            is_number: is_in(&profile.numbers),
            is_modifier: is_in(&profile.modifiers),
            is_scope: is_in(&profile.scopes),
        }
    }
}
