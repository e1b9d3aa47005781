//! A syntax tree with what comparing it needs: hashes, token numbers, and which children are elements of a list.
//!
//! Where a text could not be read, the part around it is taken apart into its lines, each a token by itself, in a
//! list: so error regions are compared by lines, within a tree, and all that follows needs to know nothing of it.

use nub_syntax::{Freedom, Kind, ListFacts, Node, Role, Tree};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// No node, no token, no edit.
pub(crate) const NONE: u32 = u32::MAX;

/// One version's tree.
pub(crate) struct Plant {
    pub(crate) text: Arc<[u8]>,
    nodes: Vec<Data>,
    /// The tokens in order, by node.
    pub(crate) tokens: Vec<Node>,
    /// The bytes after the last token.
    pub(crate) tail: Range<usize>,
    /// The names of the kinds, by number.
    kinds: HashMap<u16, &'static str>,
    /// Kinds of a list and of what is in it, and whether the grammar lets it be there many times.
    repeats: HashMap<(u16, u16), bool>,
    /// What the grammar says about kinds of list.
    lists: HashMap<u16, ListFacts>,
}

struct Data {
    kind: Kind,
    field: u16,
    sort: Sort,
    /// Whether its kind has a name in the grammar.
    is_named: bool,
    parent: u32,
    size: u32,
    hash: u64,
    /// The number of its first token, and how many it has.
    token: u32,
    n_tokens: u32,
    lead: u32,
    start: u32,
    end: u32,
}

impl Data {
    /// The root of a text without tokens.
    const EMPTY: Data = Data {
        kind: Kind::ERROR,
        field: 0,
        sort: Sort::List,
        is_named: true,
        parent: 0,
        size: 1,
        hash: 0,
        token: 0,
        n_tokens: 0,
        lead: 0,
        start: 0,
        end: 0,
    };
}

/// What a node is, as far as comparing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Declaration,
    Statement,
    List,
    /// Text in quotes, with code in it.
    Text,
    Other,
}

/// Field names by number, shared by both versions.
#[derive(Default)]
pub(crate) struct Fields(HashMap<&'static str, u16>);

impl Fields {
    fn number(&mut self, field: Option<&'static str>) -> u16 {
        let next = self.0.len() as u16 + 1;
        field.map_or(0, |field| *self.0.entry(field).or_insert(next))
    }

    /// The number of a field, 0 if no node fills it.
    pub(crate) fn find(&self, field: &str) -> u16 {
        self.0.get(field).copied().unwrap_or(0)
    }
}

impl Plant {
    pub(crate) fn of(tree: &Tree, fields: &mut Fields) -> Plant {
        let text = Arc::clone(tree.text());
        let nodes = Vec::with_capacity(tree.len());
        let (kinds, repeats, lists) = (HashMap::new(), HashMap::new(), HashMap::new());
        let plant = Plant { text, nodes, tokens: Vec::new(), tail: tree.tail(), kinds, repeats, lists };
        let broken = broken(tree);
        let mut builder = Builder { tree, plant, fields, broken, open: Vec::new() };
        builder.grow();
        builder.plant
    }

    /// Makes the root of a text without tokens like that of another text: grammars differ in what nothing is.
    pub(crate) fn grow_like(&mut self, other: &Plant) {
        if self.tokens.is_empty() {
            self.nodes = vec![Data { kind: other.kind(0), ..Data::EMPTY }];
            self.tail = 0..self.text.len();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn kind(&self, node: Node) -> Kind {
        self.nodes[node as usize].kind
    }

    /// The name of its kind.
    pub(crate) fn kind_name(&self, node: Node) -> &'static str {
        self.kinds.get(&self.kind(node).number()).copied().unwrap_or("line")
    }

    /// Whether the grammar gives a node in a list a place of its own there: the call of another constructor.
    pub(crate) fn is_fixed(&self, list: Node, node: Node) -> bool {
        self.repeats.get(&(self.kind(list).number(), self.kind(node).number())) == Some(&false)
    }

    /// What the grammar says about a list, as far as it can be asked.
    pub(crate) fn list_facts(&self, list: Node) -> Option<ListFacts> {
        self.lists.get(&self.kind(list).number()).copied()
    }

    /// The declaration that a node belongs to: the outermost function around it, or else the innermost declaration.
    pub(crate) fn declaration(&self, node: Node) -> Option<Node> {
        let around = std::iter::once(node).chain(self.ancestors(node));
        let mut innermost = None;
        let mut function = None;
        for node in around.filter(|&n| self.sort(n) == Sort::Declaration) {
            innermost = innermost.or(Some(node));
            let name = self.kind_name(node);
            if ["function", "method", "constructor"].iter().any(|word| name.contains(word)) {
                function = Some(node);
            }
        }
        function.or(innermost)
    }

    pub(crate) fn sort(&self, node: Node) -> Sort {
        self.nodes[node as usize].sort
    }

    pub(crate) fn is_named(&self, node: Node) -> bool {
        self.nodes[node as usize].is_named
    }

    pub(crate) fn is_text(&self, node: Node) -> bool {
        self.sort(node) == Sort::Text
    }

    /// Whether it can stand alone among its like: a statement or a declaration.
    pub(crate) fn is_item(&self, node: Node) -> bool {
        matches!(self.sort(node), Sort::Declaration | Sort::Statement)
    }

    /// The number of the field it fills, 0 for none.
    pub(crate) fn field(&self, node: Node) -> u16 {
        self.nodes[node as usize].field
    }

    /// Equal for nodes that read the same but for trivia.
    pub(crate) fn hash(&self, node: Node) -> u64 {
        self.nodes[node as usize].hash
    }

    pub(crate) fn parent(&self, node: Node) -> Option<Node> {
        (node != 0).then(|| self.nodes[node as usize].parent)
    }

    /// The nodes around it, innermost first.
    pub(crate) fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |&n| self.parent(n))
    }

    pub(crate) fn size(&self, node: Node) -> u32 {
        self.nodes[node as usize].size
    }

    pub(crate) fn subtree(&self, node: Node) -> Range<Node> {
        node..node + self.size(node)
    }

    pub(crate) fn contains(&self, outer: Node, inner: Node) -> bool {
        self.subtree(outer).contains(&inner)
    }

    pub(crate) fn children(&self, node: Node) -> impl Iterator<Item = Node> + Clone + '_ {
        let end = node + self.size(node);
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| Some(child + self.size(child)).filter(|&next| next < end))
    }

    pub(crate) fn child(&self, node: Node, field: u16) -> Option<Node> {
        self.children(node).find(|&child| field != 0 && self.field(child) == field)
    }

    pub(crate) fn is_token(&self, node: Node) -> bool {
        node != 0 && self.size(node) == 1
    }

    /// The numbers of its tokens.
    pub(crate) fn token_range(&self, node: Node) -> Range<u32> {
        let data = &self.nodes[node as usize];
        data.token..data.token + data.n_tokens
    }

    pub(crate) fn n_tokens(&self, node: Node) -> u32 {
        self.nodes[node as usize].n_tokens
    }

    /// Its bytes without the trivia before it.
    pub(crate) fn bytes(&self, node: Node) -> Range<usize> {
        let data = &self.nodes[node as usize];
        data.start as usize..data.end as usize
    }

    /// The bytes of the trivia before it.
    pub(crate) fn trivia(&self, node: Node) -> Range<usize> {
        let data = &self.nodes[node as usize];
        data.lead as usize..data.start as usize
    }

    /// Its bytes with the trivia before it.
    pub(crate) fn whole(&self, node: Node) -> Range<usize> {
        let data = &self.nodes[node as usize];
        data.lead as usize..data.end as usize
    }

    pub(crate) fn spelled(&self, node: Node) -> &[u8] {
        &self.text[self.bytes(node)]
    }
}

/// The nodes with an error in them.
fn broken(tree: &Tree) -> HashSet<Node> {
    let mut broken = HashSet::new();
    if tree.has_error() {
        for error in (0..tree.len() as Node).filter(|&n| tree.kind(n) == Kind::ERROR) {
            let around = std::iter::successors(Some(error), |&n| tree.parent(n));
            for node in around {
                if !broken.insert(node) {
                    break;
                }
            }
        }
    }
    broken
}

struct Builder<'a> {
    tree: &'a Tree,
    plant: Plant,
    fields: &'a mut Fields,
    broken: HashSet<Node>,
    /// The nodes that are not closed yet, and where their subtrees end in the tree.
    open: Vec<(Node, Node)>,
}

impl Builder<'_> {
    /// Copies the tree, node by node.
    fn grow(&mut self) {
        let tree = self.tree;
        let mut node = tree.root();
        while (node as usize) < tree.len() {
            self.close_until(node);
            if tree.is_token(node) {
                self.token(tree.kind(node), node, tree.is_named(node), node);
                node += 1;
            } else if self.is_plain_text(node) {
                // Quotes change together.
                let last = node + tree.size(node) - 1;
                self.token_of(node, node + 1, last);
                node = last + 1;
            } else if self.is_taken_apart(node) {
                self.lines(node);
                node += tree.size(node);
            } else {
                let sort = match tree.role(node) {
                    _ if node == tree.root() => Sort::List,
                    Role::Declaration => Sort::Declaration,
                    Role::Statement => Sort::Statement,
                    Role::List => Sort::List,
                    Role::Text => Sort::Text,
                    _ => Sort::Other,
                };
                self.open(tree.kind(node), node, sort);
                if sort == Sort::List {
                    self.look_for_repeats(node);
                    self.look_for_facts(node);
                }
                node += 1;
            }
        }
        self.close_until(node);
    }

    /// Asks the grammar which statements and declarations in a list are elements of it, once for each kind.
    fn look_for_repeats(&mut self, list: Node) {
        let tree = self.tree;
        let pair = |child: Node| (tree.kind(list).number(), tree.kind(child).number());
        let is_item = |child: Node| matches!(tree.role(child), Role::Declaration | Role::Statement);
        let is_new = |child: Node| is_item(child) && !self.plant.repeats.contains_key(&pair(child));
        if !tree.children(list).any(is_new) {
            return;
        }
        let Some(shape) = tree.shape(list) else { return };
        let mut is_element = vec![false; shape.children().len()];
        for freedom in shape.freedoms() {
            if let Freedom::List { elements, .. } = freedom {
                elements.iter().for_each(|element| is_element[element.clone()].fill(true));
            }
        }
        for (&child, is_element) in shape.children().iter().zip(is_element) {
            if is_item(child) {
                self.plant.repeats.entry(pair(child)).or_insert(is_element);
            }
        }
    }

    /// Asks the grammar about a list, once for each kind.
    fn look_for_facts(&mut self, list: Node) {
        let tree = self.tree;
        let kind = tree.kind(list).number();
        if self.plant.lists.contains_key(&kind) {
            return;
        }
        let Some(shape) = tree.shape(list) else { return };
        let first = shape.children().iter().position(|&child| tree.is_named(child));
        if let Some(facts) = first.and_then(|first| shape.list_of(first)) {
            self.plant.lists.insert(kind, facts);
        }
    }

    /// Whether a node is a text in quotes with no code in it.
    fn is_plain_text(&self, node: Node) -> bool {
        let tree = self.tree;
        tree.role(node) == Role::Text && tree.children(node).all(|child| tree.is_token(child))
    }

    /// Whether only lines are left of a node: it is an error, or has one where no list of elements holds it.
    fn is_taken_apart(&self, node: Node) -> bool {
        let tree = self.tree;
        if node == tree.root() || !self.broken.contains(&node) {
            return false;
        }
        let is_list = tree.role(node) == Role::List;
        tree.kind(node) == Kind::ERROR
            || !is_list && tree.children(node).any(|child| tree.kind(child) == Kind::ERROR)
    }

    /// Makes a list of lines of a node.
    fn lines(&mut self, node: Node) {
        let tree = self.tree;
        self.open(Kind::ERROR, node, Sort::List);
        let mut first = None;
        let mut last = node;
        for token in tree.tokens(node) {
            let starts_line = tree.text()[tree.trivia(token)].contains(&b'\n');
            match first {
                Some(start) if starts_line => {
                    self.token(Kind::ERROR, start, true, last);
                    first = Some(token);
                }
                None => first = Some(token),
                Some(_) => {}
            }
            last = token;
        }
        if let Some(start) = first {
            self.token(Kind::ERROR, start, true, last);
        }
        self.close_until(node + tree.size(node));
    }

    fn open(&mut self, kind: Kind, node: Node, sort: Sort) {
        let parent = self.parent();
        let field = self.fields.number(self.tree.field(node));
        let token = self.plant.tokens.len() as u32;
        let hash = mix(0x9e37_79b9_7f4a_7c15, kind_number(kind));
        let is_named = self.tree.is_named(node);
        let new = self.plant.nodes.len() as Node;
        self.name_kind(kind, node);
        let size = 0;
        self.plant.nodes.push(Data {
            kind,
            field,
            sort,
            is_named,
            parent,
            size,
            hash,
            token,
            n_tokens: 0,
            lead: 0,
            start: 0,
            end: 0,
        });
        self.open.push((new, node + self.tree.size(node)));
    }

    /// Notes what a kind is called, from a node of it.
    fn name_kind(&mut self, kind: Kind, node: Node) {
        let name = match kind {
            Kind::ERROR => return,
            Kind::HIDDEN => "text",
            _ => self.tree.kind_name(node),
        };
        self.plant.kinds.entry(kind.number()).or_insert(name);
    }

    fn parent(&self) -> Node {
        self.open.last().map_or(0, |&(node, _)| node)
    }

    /// Closes the nodes that end before a node of the tree.
    fn close_until(&mut self, node: Node) {
        while let Some((open, _)) = self.open.pop_if(|&mut (_, end)| end <= node) {
            self.close(open);
        }
    }

    fn close(&mut self, node: Node) {
        let size = self.plant.nodes.len() as u32 - node;
        self.plant.nodes[node as usize].size = size;
        let mut hash = self.plant.hash(node);
        let mut child = node + 1;
        while child < node + size {
            hash = mix(hash, self.plant.hash(child));
            child += self.plant.size(child);
        }
        let token = self.plant.nodes[node as usize].token;
        let n_tokens = self.plant.tokens.len() as u32 - token;
        let first = self.plant.nodes.get(node as usize + 1).map_or((0, 0), |first| (first.lead, first.start));
        let end = self.plant.tokens.last().map_or(0, |&last| self.plant.nodes[last as usize].end);
        let data = &mut self.plant.nodes[node as usize];
        (data.hash, data.n_tokens, data.end) = (hash, n_tokens, end);
        (data.lead, data.start) = first;
    }

    /// Adds a token for a node that reaches from one token of the tree to another.
    fn token_of(&mut self, node: Node, first: Node, last: Node) {
        self.name_kind(self.tree.kind(node), node);
        self.token(self.tree.kind(node), first, true, last);
        let field = self.fields.number(self.tree.field(node));
        if let Some(data) = self.plant.nodes.last_mut() {
            data.field = field;
        }
    }

    /// Adds a token that reaches from one token of the tree to another.
    fn token(&mut self, kind: Kind, first: Node, is_named: bool, last: Node) {
        let tree = self.tree;
        let (lead, bytes) = (tree.trivia(first).start as u32, tree.bytes(first).start..tree.bytes(last).end);
        let parent = self.parent();
        let field = self.fields.number(tree.field(first));
        let hash = mix(crate::words::hash(&tree.text()[bytes.clone()]), kind_number(kind));
        let token = self.plant.tokens.len() as u32;
        self.name_kind(kind, first);
        self.plant.tokens.push(self.plant.nodes.len() as Node);
        let sort = match tree.role(first) {
            Role::Declaration => Sort::Declaration,
            Role::Statement => Sort::Statement,
            _ => Sort::Other,
        };
        let (start, end) = (bytes.start as u32, bytes.end as u32);
        self.plant.nodes.push(Data {
            kind,
            field,
            sort,
            is_named,
            parent,
            size: 1,
            hash,
            token,
            n_tokens: 1,
            lead,
            start,
            end,
        });
    }
}

fn kind_number(kind: Kind) -> u64 {
    u64::from(kind.number())
}

fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed ^ (mixed >> 32)).wrapping_add(hash.rotate_left(17))
}
