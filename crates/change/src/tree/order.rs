//! All tokens of two texts in one sequence.
//!
//! Parts that are kept have the same order in both texts. Between two of them, what ends something around the first
//! goes before what begins something around the second, so that wrappers close and open like brackets; and what
//! replaces each other stands side by side. A moved part is in the sequence twice, at its old and at its new place.

use super::plant::{NONE, Plant};
use super::script::{NEW, OLD, Script};
use crate::weave::Literal;
use nub_syntax::Node;
use std::collections::VecDeque;

/// The sequence.
pub(crate) struct Order {
    pub(crate) items: Vec<Item>,
    /// The conditions of moved parts; the first is that of all the rest.
    pub(crate) places: Vec<Vec<Literal>>,
    /// The moved part at each place, in the old and the new tree.
    pub(crate) movables: Vec<[Node; 2]>,
}

/// A token in the sequence: of the old text, of the new, or of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) token: [u32; 2],
    /// The place it is at, by number.
    pub(crate) place: u32,
}

impl Item {
    pub(crate) fn is_kept(&self) -> bool {
        self.token[OLD] != NONE && self.token[NEW] != NONE
    }
}

impl Order {
    pub(crate) fn of(plants: [&Plant; 2], script: &Script<'_>) -> Order {
        let items = Vec::with_capacity(plants[OLD].tokens.len().max(plants[NEW].tokens.len()) + 1);
        let mut layer = Layer {
            plants,
            script,
            order: Order { items, places: vec![Vec::new()], movables: vec![[0, 0]] },
        };
        layer.lay();
        // The ends of the texts stand for a last token that is always there.
        let token = plants.map(|plant| plant.tokens.len() as u32);
        layer.order.items.push(Item { token, place: 0 });
        layer.order
    }
}

/// Lays one token behind the other.
struct Layer<'a> {
    plants: [&'a Plant; 2],
    script: &'a Script<'a>,
    order: Order,
}

impl Layer<'_> {
    /// Lays all tokens in one sequence.
    fn lay(&mut self) {
        let mut pending = vec![Task::Pair([0, 0], 0)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Pair(nodes, place) => self.lay_pair(nodes, place, &mut pending),
                Task::Single(side, node, place) if self.script.matching.is_moved(side, node) => {
                    let other = self.script.matching.moved[side][&node];
                    let nodes = if side == OLD { [node, other] } else { [other, node] };
                    let k = self.script.moves[side][&node];
                    let mut condition = self.order.places[place as usize].clone();
                    condition.push(literal(side, k));
                    self.order.places.push(condition);
                    self.order.movables.push(nodes);
                    pending.push(Task::Pair(nodes, self.order.places.len() as u32 - 1));
                }
                Task::Single(side, node, place) => {
                    let mut token = [NONE, NONE];
                    token[side] = self.plants[side].token_range(node).start;
                    self.order.items.push(Item { token, place });
                }
            }
        }
    }

    /// Lays two nodes that belong together, or says what is to be laid for them, last first.
    fn lay_pair(&mut self, [o, n]: [Node; 2], place: u32, pending: &mut Vec<Task>) {
        let [old, new] = self.plants;
        if old.hash(o) == new.hash(n) {
            let tokens = old.token_range(o).zip(new.token_range(n));
            self.order.items.extend(tokens.map(|(a, b)| Item { token: [a, b], place }));
            return;
        }
        if old.is_token(o) {
            pending.extend([Task::Single(NEW, n, place), Task::Single(OLD, o, place)]);
            return;
        }
        let mut tasks = Vec::new();
        let mut pieces = [OLD, NEW].map(|side| self.pieces(side, [o, n][side]).into_iter());
        let mut last: [Option<Node>; 2] = [None, None];
        loop {
            let mut next = [None, None];
            let entries = [OLD, NEW].map(|side| {
                let mut entries = Vec::new();
                for piece in pieces[side].by_ref() {
                    if self.script.matching.kept(side, piece).is_some() {
                        next[side] = Some(piece);
                        break;
                    }
                    entries.push(piece);
                }
                entries
            });
            debug_assert_eq!(
                next[OLD].map(|node| self.script.matching.partner[OLD][node as usize]),
                next[NEW],
                "what is kept is in the same order"
            );
            let singles = self.in_order(entries, last, next);
            tasks.extend(singles.into_iter().map(|(side, node)| Task::Single(side, node, place)));
            let [Some(a), Some(b)] = next else { break };
            tasks.push(Task::Pair([a, b], place));
            last = next;
        }
        pending.extend(tasks.into_iter().rev());
    }

    /// What is below a node: parts that are kept, moved parts, and single tokens that come or go.
    fn pieces(&self, side: usize, top: Node) -> Vec<Node> {
        let plant = self.plants[side];
        let mut pieces = Vec::new();
        let mut node = top + 1;
        while node < top + plant.size(top) {
            let is_paired = self.script.matching.partner[side][node as usize] != NONE;
            if is_paired || plant.is_token(node) {
                pieces.push(node);
                node += plant.size(node);
            } else {
                node += 1;
            }
        }
        pieces
    }

    /// What comes and goes between two kept parts, in one order.
    fn in_order(
        &self,
        entries: [Vec<Node>; 2],
        last: [Option<Node>; 2],
        next: [Option<Node>; 2],
    ) -> Vec<(usize, Node)> {
        if let Some(side) = (0..2).find(|&side| entries[1 - side].is_empty()) {
            return entries[side].iter().map(|&node| (side, node)).collect();
        }
        let ranks = [OLD, NEW].map(|side| {
            let rank = |&node: &Node| self.rank(side, node, last[side], next[side]);
            entries[side].iter().map(rank).collect::<Vec<Rank>>()
        });
        let mut ordered = Vec::new();
        for now in [Rank::Closes, Rank::Between, Rank::Opens] {
            let blocks = [OLD, NEW].map(|side| {
                let ranked = entries[side].iter().zip(&ranks[side]).filter(|(_, rank)| **rank == now);
                self.blocks(side, ranked.map(|(&node, _)| node))
            });
            ordered.extend(in_step(blocks));
        }
        ordered
    }

    /// Groups what comes or goes by the outermost edit it does so with.
    fn blocks(&self, side: usize, entries: impl Iterator<Item = Node>) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for node in entries {
            let mut edit = match self.script.matching.is_moved(side, node) {
                true => NONE,
                false => self.script.owner[side][node as usize],
            };
            while edit != NONE && self.script.edits[edit as usize].parent != NONE {
                edit = self.script.edits[edit as usize].parent;
            }
            match blocks.last_mut() {
                Some((last, nodes)) if *last == edit && edit != NONE => nodes.push(node),
                _ => blocks.push((edit, vec![node])),
            }
        }
        blocks
    }

    /// Whether a node without partner ends what is around the kept token before it, or begins what is around the
    /// one after it.
    fn rank(&self, side: usize, node: Node, last: Option<Node>, next: Option<Node>) -> Rank {
        let plant = self.plants[side];
        let is_lone = |&n: &Node| self.script.matching.partner[side][n as usize] == NONE;
        for around in plant.ancestors(node).take_while(is_lone) {
            let holds = |token: Option<Node>| token.is_some_and(|token| plant.contains(around, token));
            match (holds(last), holds(next)) {
                (true, true) => return Rank::Between,
                (true, false) => return Rank::Closes,
                (false, true) => return Rank::Opens,
                (false, false) => {}
            }
        }
        Rank::Between
    }
}

/// An edit, or [`NONE`], and what comes or goes with it: tokens and moved parts.
type Block = (u32, Vec<Node>);

/// Old and new blocks in one order, with what replaces each other side by side.
fn in_step(blocks: [Vec<Block>; 2]) -> Vec<(usize, Node)> {
    let [olds, news] = blocks;
    let mut news = VecDeque::from(news);
    let mut ordered = Vec::new();
    for (edit, nodes) in olds {
        let same = news.iter().position(|(other, _)| *other == edit && edit != NONE);
        let mut before: Vec<Block> = news.drain(..same.map_or(0, |same| same + 1)).collect();
        let replacing = before.pop();
        ordered.extend(before.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
        ordered.extend(nodes.into_iter().map(|node| (OLD, node)));
        ordered.extend(replacing.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
    }
    ordered.extend(news.into_iter().flat_map(|(_, nodes)| nodes).map(|node| (NEW, node)));
    ordered
}

/// Something to be laid: two nodes that belong together, or one that comes or goes, and its place.
enum Task {
    Pair([Node; 2], u32),
    Single(usize, Node, u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Closes,
    Between,
    Opens,
}

/// The condition of text that an edit takes from the old text, or puts into the new.
pub(crate) fn literal(side: usize, edit: u32) -> Literal {
    if side == OLD { Literal::Unless(edit) } else { Literal::When(edit) }
}
