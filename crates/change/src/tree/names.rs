//! What declarations are called.

use super::plant::{Fields, Plant, Sort};
use nub_syntax::Node;

/// The fields that lead to a name, in the numbers of two plants.
pub(crate) struct Names {
    name: u16,
    /// Where the name is further down: `int *f(void)` in C, `export const f` in JavaScript.
    further: [u16; 4],
    parameters: u16,
    /// What an entry is known by, in a mapping.
    key: u16,
    body: u16,
}

impl Names {
    pub(crate) fn of(fields: &Fields) -> Names {
        let further = ["declarator", "definition", "declaration", "type"].map(|field| fields.find(field));
        let [name, parameters, key, body] =
            ["name", "parameters", "key", "body"].map(|field| fields.find(field));
        Names { name, further, parameters, key, body }
    }

    /// The node that spells the name of a declaration.
    pub(crate) fn name(&self, plant: &Plant, node: Node) -> Option<Node> {
        let mut at = node;
        for _ in 0..8 {
            if let Some(name) = plant.child(at, self.name) {
                return Some(name);
            }
            let further = self.further.iter().find_map(|&field| plant.child(at, field));
            match further.or_else(|| plant.children(at).find(|&c| plant.sort(c) == Sort::Declaration)) {
                Some(child) => at = child,
                None => break,
            }
        }
        // The innermost declarator is the name itself, in C.
        (at != node && plant.n_tokens(at) <= 4).then_some(at)
    }

    /// What a declaration, or an entry of a mapping, is known by: its kind and name, and its parameters if it may
    /// have namesakes.
    pub(crate) fn key(&self, plant: &Plant, node: Node, with_parameters: bool) -> Option<u64> {
        if plant.is_token(node) {
            return None;
        }
        let entry = self.entry(plant, node).or_else(|| self.assigned(plant, node));
        if entry.is_none() && plant.sort(node) != Sort::Declaration {
            return None;
        }
        let name = match entry.or_else(|| self.name(plant, node)) {
            Some(name) => plant.hash(name),
            // Without a name, a declaration is known by all it has before its body or value.
            None => {
                let is_header = |&c: &Node| plant.sort(c) != Sort::List && plant.spelled(c) != b"=";
                let header = plant.children(node).take_while(is_header);
                header.fold(7, |hash, part| mix(hash, plant.hash(part)))
            }
        };
        let parameters = match with_parameters {
            true => self.parameters(plant, node).map_or(0, |parameters| plant.hash(parameters)),
            false => 0,
        };
        Some(mix(mix(u64::from(plant.kind(node).number()), name), parameters))
    }

    /// The key of an entry: an attribute, an argument with a name, an arm of a match.
    fn entry(&self, plant: &Plant, node: Node) -> Option<Node> {
        let mut children = plant.children(node);
        let (first, second) = (children.next()?, children.next());
        let is_first = second.is_some_and(|second| matches!(plant.spelled(second), b"=" | b":" | b"=>"));
        plant.child(node, self.key).or((is_first && plant.is_named(first)).then_some(first))
    }

    /// What a statement gives a function or class to, which is its name then: `Parser.prototype.next`.
    pub(crate) fn assigned(&self, plant: &Plant, node: Node) -> Option<Node> {
        let assignment = plant.children(node).next().filter(|_| plant.sort(node) == Sort::Statement)?;
        let mut children = plant.children(assignment);
        let (target, sign, value) = (children.next()?, children.next()?, children.next()?);
        let has_body = plant.child(value, self.body).is_some_and(|body| plant.sort(body) == Sort::List);
        (plant.spelled(sign) == b"=" && has_body).then_some(target)
    }

    fn parameters(&self, plant: &Plant, node: Node) -> Option<Node> {
        let mut at = node;
        for _ in 0..8 {
            if let Some(parameters) = plant.child(at, self.parameters) {
                return Some(parameters);
            }
            at = self.further.iter().find_map(|&field| plant.child(at, field))?;
        }
        None
    }
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
