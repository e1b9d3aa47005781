//! What a kind of node is made of, as places and the steps between them (Glushkov's automaton).
//!
//! Each place of the expression that a child can fill is a state; a step leads from one place to those that
//! may come next. Where the children of a node are, place by place, tells which of them are elements of a
//! list and which could be left out: each place knows the lists and optional parts around it, and a step that
//! goes back to the beginning of a list knows which.

use crate::facts::Form;

#[derive(Debug)]
pub(crate) struct Automaton {
    pub(crate) places: Vec<Place>,
    /// What may come first.
    pub(crate) first: Vec<Step>,
    /// What may come after each place.
    pub(crate) next: Vec<Vec<Step>>,
    /// Whether each place may come last.
    pub(crate) is_last: Vec<bool>,
    /// Whether there may be no child at all.
    pub(crate) may_be_empty: bool,
    pub(crate) parts: Vec<PartFacts>,
}

#[derive(Debug)]
pub(crate) struct Place {
    /// The kinds that may stand here and the fields they then fill, in order.
    pub(crate) kinds: Vec<(u16, u16)>,
    /// The lists and optional parts around it, outermost first, by number; with whether it is in a separator.
    pub(crate) within: Vec<(u16, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) to: u16,
    /// The list whose next element this step begins.
    pub(crate) again: Option<u16>,
}

/// A list or an optional part.
#[derive(Debug)]
pub(crate) struct PartFacts {
    pub(crate) is_list: bool,
    /// For a list: whether it may have no element.
    pub(crate) may_be_empty: bool,
    /// For a list: the kinds its separator may have, and whether it may be left out.
    pub(crate) separator: Vec<u16>,
    pub(crate) needs_separator: bool,
    pub(crate) may_trail: bool,
}

/// The ends of a part of the expression.
struct Ends {
    first: Vec<Step>,
    last: Vec<u16>,
    may_be_empty: bool,
}

impl Automaton {
    pub(crate) fn new(form: &Form) -> Automaton {
        let mut automaton = Automaton {
            places: Vec::new(),
            first: Vec::new(),
            next: Vec::new(),
            is_last: Vec::new(),
            may_be_empty: false,
            parts: Vec::new(),
        };
        let ends = automaton.add(form, &mut Vec::new(), false);
        automaton.is_last = vec![false; automaton.places.len()];
        for place in ends.last {
            automaton.is_last[place as usize] = true;
        }
        Automaton { first: ends.first, may_be_empty: ends.may_be_empty, ..automaton }
    }

    /// Whether a kind may stand at a place; with a field it must fill, if given.
    pub(crate) fn may_be(&self, place: u16, kind: u16, field: Option<u16>) -> bool {
        let kinds = &self.places[place as usize].kinds;
        match field {
            Some(field) => kinds.binary_search(&(kind, field)).is_ok(),
            None => {
                kinds.get(kinds.partition_point(|&(other, _)| other < kind)).is_some_and(|&(k, _)| k == kind)
            }
        }
    }

    /// Adds the places of a form; `may_lack` tells that a list is all of an optional part.
    fn add(&mut self, form: &Form, within: &mut Vec<(u16, bool)>, may_lack: bool) -> Ends {
        match form {
            Form::One(kinds) => {
                let place = self.places.len() as u16;
                self.places.push(Place { kinds: kinds.clone(), within: within.clone() });
                self.next.push(Vec::new());
                Ends { first: vec![Step { to: place, again: None }], last: vec![place], may_be_empty: false }
            }
            Form::Seq(forms) => {
                let mut whole = Ends { first: Vec::new(), last: Vec::new(), may_be_empty: true };
                for form in forms {
                    let part = self.add(form, within, false);
                    self.connect(&whole.last, &part.first, None);
                    if whole.may_be_empty {
                        whole.first.extend(&part.first);
                    }
                    if !part.may_be_empty {
                        whole.last.clear();
                    }
                    whole.last.extend(part.last);
                    whole.may_be_empty &= part.may_be_empty;
                }
                whole
            }
            Form::Choice(forms) => {
                let mut whole = Ends { first: Vec::new(), last: Vec::new(), may_be_empty: false };
                for form in forms {
                    let part = self.add(form, within, false);
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                    whole.may_be_empty |= part.may_be_empty;
                }
                whole
            }
            // An optional list is a list that may be empty, and no optional part besides.
            Form::Optional(inner) if matches!(**inner, Form::List { .. }) => {
                Ends { may_be_empty: true, ..self.add(inner, within, true) }
            }
            Form::Optional(inner) => {
                let part = self.part(false, false);
                within.push((part, false));
                let ends = self.add(inner, within, false);
                within.pop();
                Ends { may_be_empty: true, ..ends }
            }
            Form::List { item, separator, may_trail } => {
                self.list(item, separator.as_deref(), *may_trail, within, may_lack)
            }
        }
    }

    fn part(&mut self, is_list: bool, may_be_empty: bool) -> u16 {
        let separator = Vec::new();
        self.parts.push(PartFacts {
            is_list,
            may_be_empty,
            separator,
            needs_separator: false,
            may_trail: false,
        });
        self.parts.len() as u16 - 1
    }

    fn list(
        &mut self,
        item: &Form,
        separator: Option<&Form>,
        may_trail: bool,
        within: &mut Vec<(u16, bool)>,
        may_lack: bool,
    ) -> Ends {
        let list = self.part(true, may_lack);
        within.push((list, false));
        let items = self.add(item, within, false);
        within.pop();
        let Some(separator) = separator else {
            self.connect(&items.last, &items.first, Some(list));
            return items;
        };
        within.push((list, true));
        let from = self.places.len();
        let separators = self.add(separator, within, false);
        within.pop();
        let facts = &mut self.parts[list as usize];
        facts.separator =
            self.places[from..].iter().flat_map(|place| &place.kinds).map(|&(kind, _)| kind).collect();
        (facts.needs_separator, facts.may_trail) = (!separators.may_be_empty, may_trail);
        self.connect(&items.last, &separators.first, None);
        self.connect(&separators.last, &items.first, Some(list));
        if separators.may_be_empty {
            self.connect(&items.last, &items.first, Some(list));
        }
        let mut ends = items;
        if ends.may_be_empty {
            self.connect(&separators.last, &separators.first, None);
            ends.first.extend(&separators.first);
        }
        if may_trail || ends.may_be_empty {
            ends.last.extend(&separators.last);
        }
        ends
    }

    fn connect(&mut self, from: &[u16], to: &[Step], again: Option<u16>) {
        for &place in from {
            for step in to {
                let step = Step { to: step.to, again: again.or(step.again) };
                let steps = &mut self.next[place as usize];
                if !steps.iter().any(|known| known.to == step.to) {
                    steps.push(step);
                }
            }
        }
    }
}
