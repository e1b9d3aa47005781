//! Names and literals: who uses what, and how to say it with fewer or shorter words.

use super::respell::Respelled;
use nub_search::tree::{Edit, Pruning};
use nub_search::{Coupling, Couplings};
use nub_syntax::{Entity, Node, Role, Tree};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How sure a use of a name is to need the declaration of that name beside it.
const LIKELY: f64 = 0.8;

/// Which siblings need which: one that uses a name needs the one that declares it.
pub fn couplings(tree: &Tree, pruning: &Pruning) -> Couplings {
    let mut part_of: HashMap<Node, u32> = HashMap::new();
    for (part, edit) in pruning.edits().iter().enumerate() {
        if let Edit::Drop(node) = edit {
            part_of.insert(*node, part as u32);
        }
    }
    let mut found = Vec::new();
    for list in (0..tree.len() as Node).filter(|&node| tree.role(node) == Role::List || node == 0) {
        let mut declared: HashMap<&[u8], u32> = HashMap::new();
        let elements: Vec<(Node, u32)> =
            tree.children(list).filter_map(|child| Some((child, *part_of.get(&child)?))).collect();
        for &(element, part) in &elements {
            for name in declares(tree, element) {
                declared.entry(name).or_insert(part);
            }
        }
        if declared.is_empty() {
            continue;
        }
        for &(element, part) in &elements {
            let mut needed: Vec<u32> = words(tree, element)
                .filter_map(|name| declared.get(tree.spelled(name)).copied())
                .filter(|&needed| needed != part)
                .collect();
            needed.sort_unstable();
            needed.dedup();
            let needs = |needed| Coupling { dependent: part, needed, probability: LIKELY };
            found.extend(needed.into_iter().map(needs));
        }
    }
    Couplings::given(found)
}

/// Tokens that could be names: some grammars take well-known names for words of the language.
pub(super) fn words(tree: &Tree, node: Node) -> impl Iterator<Item = Node> + '_ {
    tree.tokens(node).filter(|&token| is_word(tree, token))
}

fn is_word(tree: &Tree, token: Node) -> bool {
    let spelled = tree.spelled(token);
    tree.is_named(token)
        && spelled.first().is_some_and(|b| !b.is_ascii_digit())
        && spelled.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80)
}

/// How likely a declaration of names that nothing else uses is to matter, compared with others.
pub(super) const UNUSED: f64 = 0.02;

/// How suspicious each part is: declarations that nothing uses, or only others of their sort, hardly are.
pub fn priors(tree: &Tree, pruning: &Pruning) -> Vec<f64> {
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    words(tree, 0).for_each(|word| *count.entry(tree.spelled(word)).or_default() += 1);
    let mut priors = vec![1.0; pruning.edits().len()];
    // By name, how often the parts that declare it have it themselves; and by part, how many of its names are used.
    let mut declaring: BTreeMap<&[u8], Vec<(usize, usize)>> = BTreeMap::new();
    let mut used = vec![0; pruning.edits().len()];
    for (part, edit) in pruning.edits().iter().enumerate() {
        let Edit::Drop(node) = *edit else { continue };
        let mut inside: BTreeMap<&[u8], usize> =
            declares(tree, node).into_iter().map(|name| (name, 0)).collect();
        // Some names are called from outside.
        if inside.is_empty() || inside.contains_key(&b"main"[..]) {
            continue;
        }
        for word in words(tree, node) {
            inside.entry(tree.spelled(word)).and_modify(|times| *times += 1);
        }
        used[part] = inside.len();
        inside.into_iter().for_each(|(name, times)| declaring.entry(name).or_default().push((times, part)));
    }
    declaring.values_mut().for_each(|parts| parts.sort_unstable());
    let mut fewer: Vec<&[u8]> = declaring.keys().copied().collect();
    while let Some(name) = fewer.pop() {
        let Some(parts) = declaring.get_mut(name) else { continue };
        let all = count.get(name).copied().unwrap_or(0);
        while let Some((_, part)) = parts.pop_if(|(times, _)| all <= *times) {
            used[part] -= 1;
            if let (0, Edit::Drop(node)) = (used[part], pruning.edits()[part]) {
                priors[part] = UNUSED;
                for word in words(tree, node).map(|word| tree.spelled(word)) {
                    count.entry(word).and_modify(|all| *all = all.saturating_sub(1));
                    fewer.push(word);
                }
            }
        }
    }
    priors
}

/// Who needs whom in the whole text: what is inside an element needs that element, and what uses a name needs the
/// element that declares it, found as far out as it may be.
pub fn deep_couplings(tree: &Tree, pruning: &Pruning) -> Couplings {
    let mut part_of: BTreeMap<Node, u32> = BTreeMap::new();
    for (part, edit) in pruning.edits().iter().enumerate() {
        if let Edit::Drop(node) = edit {
            part_of.insert(*node, part as u32);
        }
    }
    let mut declared: HashMap<Node, HashMap<&[u8], Node>> = HashMap::new();
    for &element in part_of.keys() {
        let list = tree.parent(element).unwrap_or(0);
        for name in declares(tree, element) {
            // Of several that declare it the first counts.
            let first = declared.entry(list).or_default().entry(name).or_insert(element);
            *first = (*first).min(element);
        }
    }
    let above = |node: Node| std::iter::successors(tree.parent(node), |&node| tree.parent(node));
    let enclosing = |node: Node| above(node).find_map(|node| part_of.get(&node).copied());
    let mut found: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for (&element, &part) in &part_of {
        if let Some(outer) = enclosing(element) {
            found.insert((part, outer), 1.0);
        }
    }
    for word in words(tree, 0) {
        let Some(part) = part_of.get(&word).copied().or_else(|| enclosing(word)) else { continue };
        let name = tree.spelled(word);
        let declaring = above(word).find_map(|list| declared.get(&list)?.get(name).copied());
        let Some(element) = declaring.filter(|&element| !tree.subtree(element).contains(&word)) else {
            continue;
        };
        found.entry((part, part_of[&element])).or_insert(LIKELY);
    }
    let coupling = |((dependent, needed), probability)| Coupling { dependent, needed, probability };
    Couplings::given(found.into_iter().map(coupling))
}

fn names(tree: &Tree, node: Node) -> impl Iterator<Item = Node> + '_ {
    tree.tokens(node).filter(|&token| tree.role(token) == Role::Identifier)
}

/// The names that a declaration declares for its siblings.
pub(super) fn declares(tree: &Tree, node: Node) -> Vec<&[u8]> {
    let mut found = Vec::new();
    collect_declared(tree, node, 0, &mut found);
    found
}

fn collect_declared<'a>(tree: &'a Tree, node: Node, depth: usize, found: &mut Vec<&'a [u8]>) {
    if depth > 0 && tree.is_token(node) && is_word(tree, node) {
        found.push(tree.spelled(node));
        return;
    }
    if depth > 8 {
        return;
    }
    for child in tree.children(node) {
        match tree.field(child) {
            Some("name" | "declarator") => collect_declared(tree, child, depth + 1, found),
            // A type that is declared on the way: `struct s { ... } x;`
            Some("type") if tree.child(child, "body").is_some() => {
                collect_declared(tree, child, depth + 1, found);
            }
            // The constants of an enumeration are known beside it.
            Some("body") => {
                let names = tree.children(child).filter_map(|element| tree.child(element, "name"));
                let constants = names
                    .filter(|&name| tree.name(name).is_some_and(|name| name.entity == Entity::EnumConstant));
                found.extend(constants.map(|name| tree.spelled(name)));
            }
            _ => {}
        }
    }
}

/// Names that can be done without: what declares one goes, and what it stands for, or another name like it, takes the
/// place of its uses.
///
/// Every part is one name with one replacement; the likeliest come first.
pub fn inlined_names(tree: &Tree) -> Respelled {
    let mut respelled = Respelled::new(Arc::clone(tree.text()));
    for list in (0..tree.len() as Node).filter(|&node| tree.role(node) == Role::List || node == 0) {
        let mut before: HashMap<nub_syntax::Kind, Vec<u8>> = HashMap::new();
        for element in tree.children(list) {
            let [name] = declares(tree, element)[..] else { continue };
            let mut instead: Vec<Vec<u8>> = Vec::new();
            collect_values(tree, element, 0, &mut instead);
            instead.extend(before.insert(tree.kind(element), name.to_vec()));
            instead.retain(|text| text != name);
            let uses: Vec<Node> = words(tree, list)
                .filter(|&token| tree.spelled(token) == name && !tree.subtree(element).contains(&token))
                .collect();
            if uses.is_empty() {
                continue;
            }
            let gone = tree.trivia(element).start..tree.bytes(element).end;
            for text in instead {
                let text: Arc<[u8]> = text.into();
                let uses = uses.iter().map(|&token| (tree.bytes(token), Arc::clone(&text)));
                respelled.add(uses.chain([(gone.clone(), [].into())]));
            }
        }
    }
    respelled
}

/// The longest text that takes the place of a name, in tokens.
const LONGEST_VALUE: usize = 6;

/// What a declaration gives its name: a value or a type.
fn collect_values(tree: &Tree, node: Node, depth: usize, found: &mut Vec<Vec<u8>>) {
    for child in tree.children(node) {
        match tree.field(child) {
            Some("value" | "right" | "type") if tree.tokens(child).count() <= LONGEST_VALUE => {
                found.push(tree.spelled(child).to_vec());
            }
            Some("name" | "declarator") if depth < 8 => collect_values(tree, child, depth + 1, found),
            _ => {}
        }
    }
}

/// Every long name as a short one.
pub fn shorter_names(tree: &Tree) -> Respelled {
    let mut respelled = Respelled::new(Arc::clone(tree.text()));
    let clusters = clusters(tree);
    let taken: Vec<&Vec<u8>> = clusters.values().flat_map(|spellings| spellings.keys()).collect();
    let letters = (b'a'..=b'z').chain(b'A'..=b'Z').map(|b| vec![b]);
    let mut free = letters.filter(|letter| !taken.contains(&letter));
    let mut given: BTreeMap<&Vec<u8>, Arc<[u8]>> = BTreeMap::new();
    for spellings in clusters.values() {
        for spelling in spellings.keys().filter(|spelling| spelling.len() > 1) {
            if !given.contains_key(spelling) {
                let Some(letter) = free.next() else { continue };
                given.insert(spelling, letter.into());
            }
        }
    }
    for (spelling, short) in given {
        let places = clusters.values().filter_map(|spellings| spellings.get(spelling)).flatten();
        respelled.add(places.map(|&token| (tree.bytes(token), Arc::clone(&short))));
    }
    respelled
}

/// Every name as the shortest of its kind.
pub fn merged_names(tree: &Tree) -> Respelled {
    let mut respelled = Respelled::new(Arc::clone(tree.text()));
    for spellings in clusters(tree).values() {
        let Some(one) = spellings.keys().min_by_key(|spelling| spelling.len()) else { continue };
        let shared: Arc<[u8]> = one.as_slice().into();
        for (_, places) in spellings.iter().filter(|(spelling, _)| *spelling != one) {
            respelled.add(places.iter().map(|&token| (tree.bytes(token), Arc::clone(&shared))));
        }
    }
    respelled
}

/// Names by kind and spelling.
fn clusters(tree: &Tree) -> BTreeMap<nub_syntax::Kind, BTreeMap<Vec<u8>, Vec<Node>>> {
    let mut clusters: BTreeMap<_, BTreeMap<Vec<u8>, Vec<Node>>> = BTreeMap::new();
    for name in names(tree, 0) {
        let spellings = clusters.entry(tree.kind(name)).or_default();
        spellings.entry(tree.spelled(name).to_vec()).or_default().push(name);
    }
    clusters
}

/// Numbers and quoted texts in a shorter way.
pub fn literals(tree: &Tree) -> Respelled {
    let mut respelled = Respelled::new(Arc::clone(tree.text()));
    for token in tree.tokens(0) {
        let spelled = tree.spelled(token);
        let shorter: Option<&[u8]> = match spelled {
            [b'0'..=b'9', _, ..] => Some(b"0"),
            [b'"', .., b'"'] if spelled.len() > 2 && !spelled.starts_with(b"\"\"\"") => Some(b"\"\""),
            [b'\'', .., b'\''] if spelled.len() > 3 && !spelled.starts_with(b"'''") => Some(b"''"),
            _ => None,
        };
        if let Some(shorter) = shorter {
            respelled.add([(tree.bytes(token), shorter.into())]);
        }
    }
    respelled
}
