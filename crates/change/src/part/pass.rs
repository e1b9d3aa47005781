//! The passes of a reduction, each a way to cut a text into parts.

use super::chunks::is_binary;
use super::cut::{Cut, prune};
use super::outline::{Outline, is_word};
use super::respell::Respelled;
use super::unrun::unrun;
use super::{
    Chunked, Grammar, Parts, Reached, blots, comments, couplings, deep_couplings, inlined_names, letters,
    literals, long_words, merged_letters, merged_names, priors, shorter_names, stand_ins, tidied,
    tidied_lines,
};
use nub_search::{Config, Couplings};
use nub_syntax::{Kind, Language, Node, Tree};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A pass, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Whole files.
    Files,
    /// Chunks of what is no text, by the lengths that are written in it, and bytes in them.
    Chunks,
    /// Comments and empty lines.
    Comments,
    /// Blocks of a large program that its test does not run, with all that only they use.
    Unrun,
    /// Bodies, blocks and statements of a large text, each with all that only it uses.
    Bodies,
    /// Elements of lists: declarations, statements, arguments; blocks of lines where no grammar is known.
    Lists,
    /// Elements of all lists at once, each with what uses its names; for what is still large after the lists.
    Uses,
    /// All that the grammar lets go, and nodes that give way to one below them.
    Tree,
    /// All that the grammar lets go, level by level.
    Hdd,
    /// The same, the children of one node at a time.
    HddR,
    /// Elements of lists, level by level.
    CoarseHdd,
    /// Rows of tokens, whether the grammar has a name for them or not.
    Tokens,
    /// Words inside long tokens, such as quoted texts.
    Texts,
    /// Letters of words that are too long for names, and all of a short text of which no grammar is known.
    Letters,
    /// Lines.
    Lines,
    /// Tokens without which a short text can no longer be read: what reads it may be more lenient.
    Rough,
    /// Two signs side by side in a short text, as one word.
    Blots,
    /// Letters, or bytes of what is no text.
    Bytes,
    /// Declarations that go, with what they stand for in the place of their uses.
    Inline,
    /// Shorter numbers and quotes.
    Literals,
    /// Shorter names.
    Names,
    /// Names that become one.
    Merge,
    /// One word in the place of several.
    StandIns,
}

/// A pass that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass(String);

impl fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        write!(f, "no pass is called `{}`; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownPass {}

impl Pass {
    /// All of them, in the order that suits most.
    pub const ALL: [Pass; 23] = [
        Pass::Files,
        Pass::Chunks,
        Pass::Comments,
        Pass::Unrun,
        Pass::Bodies,
        Pass::Lists,
        Pass::Uses,
        Pass::Tree,
        Pass::Hdd,
        Pass::HddR,
        Pass::CoarseHdd,
        Pass::Lines,
        Pass::Texts,
        Pass::Tokens,
        Pass::Letters,
        Pass::Inline,
        Pass::Literals,
        Pass::Names,
        Pass::Merge,
        Pass::StandIns,
        Pass::Rough,
        Pass::Blots,
        Pass::Bytes,
    ];

    /// What is done unless somebody asks for something else.
    pub const DEFAULT: [Pass; 18] = [
        Pass::Files,
        Pass::Chunks,
        Pass::Comments,
        Pass::Unrun,
        Pass::Bodies,
        Pass::Lists,
        Pass::Uses,
        Pass::Tree,
        Pass::Texts,
        Pass::Tokens,
        Pass::Letters,
        Pass::Inline,
        Pass::Literals,
        Pass::Names,
        Pass::Merge,
        Pass::StandIns,
        Pass::Rough,
        Pass::Blots,
    ];

    /// Whether the grammar decides what it tries; the variants of HDD ask it only about nodes one by one, as published.
    pub fn is_guided(self) -> bool {
        matches!(self, Pass::Unrun | Pass::Bodies | Pass::Lists | Pass::Uses | Pass::Tree)
    }

    /// Whether it makes texts that can no longer be read.
    pub fn is_rough(self) -> bool {
        matches!(self, Pass::Rough | Pass::Blots)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Files => "files",
            Pass::Chunks => "chunks",
            Pass::Comments => "comments",
            Pass::Unrun => "unrun",
            Pass::Bodies => "bodies",
            Pass::Lists => "lists",
            Pass::Uses => "uses",
            Pass::Tree => "tree",
            Pass::Hdd => "hdd",
            Pass::HddR => "hddr",
            Pass::CoarseHdd => "coarse-hdd",
            Pass::Tokens => "tokens",
            Pass::Texts => "texts",
            Pass::Letters => "letters",
            Pass::Rough => "rough",
            Pass::Blots => "blots",
            Pass::Lines => "lines",
            Pass::Bytes => "bytes",
            Pass::Inline => "inline",
            Pass::Literals => "literals",
            Pass::Names => "names",
            Pass::Merge => "merge",
            Pass::StandIns => "stand-ins",
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(name: &str) -> Result<Pass, UnknownPass> {
        Pass::ALL.into_iter().find(|pass| pass.name() == name).ok_or_else(|| UnknownPass(name.to_owned()))
    }
}

/// How many words and signs a text has: a measure of size that is the same for every language and tool.
pub fn count_tokens(text: &[u8]) -> usize {
    let begins = |i: usize| {
        let b = text[i];
        !b.is_ascii_whitespace() && (!is_word(b) || i == 0 || !is_word(text[i - 1]))
    };
    (0..text.len()).filter(|&i| begins(i)).count()
}

/// How a text is read, and what was found out about its grammar.
#[derive(Debug)]
pub struct Reader {
    grammar: Option<Grammar>,
    /// The last text and its tree: passes that find nothing leave the text to the next.
    last: Option<Read>,
}

/// A text and its tree, if enough of it can be read.
#[derive(Clone, Debug)]
struct Read {
    text: Arc<[u8]>,
    tree: Option<Arc<Tree>>,
}

impl Read {
    fn reads(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| !tree.has_error())
    }
}

/// What a pass has to offer on a text.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The text in parts.
    pub parts: Parts,
    /// Which parts need which.
    pub couplings: Couplings,
    /// How suspicious each part is, relative to the others; empty when all are alike.
    pub priors: Vec<f64>,
    /// The sets worth taking out, where not any set will do.
    pub sets: Option<Vec<Config>>,
}

/// A text of which more than this share cannot be read is better cut by its brackets and lines.
const MOST_UNREADABLE: f64 = 0.25;
/// A text with fewer tokens than this needs no look at who uses what.
const LARGE: usize = 1500;
/// A text with more tokens than this is not cut into rows of tokens.
const MOST_TOKENS: usize = 2000;
/// A text with more bytes than this is not looked at letter by letter.
const MOST_LETTERS: usize = 1000;
/// How many rows of tokens are looked at.
const MOST_ROWS: usize = 4000;
/// At most so many names are put in the place of others.
const MOST_NAMES: usize = 200;
/// The longest row, and the longest where a grammar has told what can go together.
const LONGEST_ROW: usize = 8;
const LONGEST_PARSED_ROW: usize = 3;
/// A text with more words and signs than this is not said in other words.
const MOST_REWORDED: usize = 200;
/// A text with more tokens than this is not made unreadable.
const MOST_ROUGH: usize = 40;

impl Reader {
    /// Reads by a language, or by brackets and lines.
    pub fn new(language: Option<Language>) -> Reader {
        Reader { grammar: language.map(Grammar::new), last: None }
    }

    /// Reads a file as its name tells, or else as it begins.
    pub fn of_file(path: &str, text: &[u8]) -> Reader {
        Reader::new(Language::of_path(path).or_else(|| Language::of_content(text)))
    }

    /// Reads by the language of a name.
    pub fn named(name: &str) -> Option<Reader> {
        Language::named(name).map(|language| Reader::new(Some(language)))
    }

    /// The language, if one is known.
    pub fn language(&self) -> Option<&'static str> {
        self.grammar.as_ref().map(|grammar| grammar.language().name())
    }

    /// Whether a text can be read without an error; `None` where no grammar is known.
    pub fn reads(&self, text: &[u8]) -> Option<bool> {
        let grammar = self.grammar.as_ref()?;
        let last = self.last.as_ref().filter(|last| last.text[..] == *text);
        Some(last.map_or_else(|| grammar.reads(text), |last| last.reads()))
    }

    /// The text in tidier ways, the tidiest first.
    pub fn tidied(&self, text: &Arc<[u8]>) -> Vec<Vec<u8>> {
        match self.read(text) {
            Some(tree) => tidied(&tree),
            None => [tidied_lines(text)].into_iter().filter(|tidy| tidy[..] != text[..]).collect(),
        }
    }

    /// The tree of a text, unless too little of it can be read.
    fn parse(&mut self, text: &Arc<[u8]>) -> Option<Arc<Tree>> {
        if let Some(last) = self.last.as_ref().filter(|last| last.text == *text) {
            return last.tree.clone();
        }
        let tree = self.read(text).map(Arc::new);
        self.last = Some(Read { text: Arc::clone(text), tree: tree.clone() });
        tree
    }

    fn read(&self, text: &Arc<[u8]>) -> Option<Tree> {
        let grammar = self.grammar.as_ref()?;
        let tree = Tree::parse(grammar.language(), Arc::clone(text));
        let errors = (0..tree.len() as Node).filter(|&node| {
            let above = tree.parent(node).filter(|&above| tree.kind(above) == Kind::ERROR);
            tree.kind(node) == Kind::ERROR && above.is_none()
        });
        let unread: usize = errors.map(|node| tree.bytes(node).len()).sum();
        (!tree.has_error() || (unread as f64) < MOST_UNREADABLE * text.len() as f64).then_some(tree)
    }

    /// What a pass has to offer; `None` if there is nothing to try.
    pub fn offer(&mut self, pass: Pass, text: &Arc<[u8]>) -> Option<Offer> {
        // Brackets, lines and words mean nothing in what is no text.
        let is_binary = self.grammar.is_none() && is_binary(text);
        let is_for_texts =
            matches!(pass, Pass::Lists | Pass::Tree | Pass::Texts | Pass::Tokens | Pass::Merge);
        if is_binary && (is_for_texts || pass.is_rough()) {
            return None;
        }
        let offer = match (pass, self.parse(text)) {
            (Pass::Chunks, _) => is_binary.then(|| Offer::of(Parts::Chunked(Chunked::new(Arc::clone(text))))),
            // What they offer depends on more than the text.
            (Pass::Files | Pass::Unrun, _) => None,
            (Pass::Lines, _) => Some(Offer::of(lines(text).prune(Cut::Tokens))),
            (Pass::Bytes, _) => Some(bytes(text)),
            (Pass::Letters, _) if is_binary && text.len() > MOST_LETTERS => {
                Some(Offer::of(Parts::Chunked(Chunked::runs(Arc::clone(text)))))
            }
            (Pass::Letters, _) if self.grammar.is_none() && text.len() <= MOST_LETTERS => Some(bytes(text)),
            (Pass::Letters, _) => Some(Offer::of(Parts::Respelled(long_words(text)))),
            (Pass::Texts, tree) => {
                let outline =
                    tree.as_deref().map_or_else(|| Outline::of_text(Arc::clone(text)), Outline::of_tree);
                Some(Offer::of(outline.inside_tokens().prune_inside()))
            }
            (Pass::Lists | Pass::CoarseHdd, Some(tree)) => self.prune(&tree, Cut::Lists),
            (Pass::Bodies, Some(tree)) => self.bodies(&tree),
            (Pass::Uses, Some(tree)) => self.uses(&tree),
            (Pass::Hdd | Pass::HddR, Some(tree)) => self.prune(&tree, Cut::Nodes),
            (Pass::Tree, Some(tree)) => self.prune(&tree, Cut::Tree),
            (Pass::Tokens, Some(tree)) => self.rows(&tree),
            (Pass::Comments, Some(tree)) => Some(Offer::of(Parts::Respelled(comments(&tree)))),
            (Pass::Literals, Some(tree)) => Some(Offer::of(Parts::Respelled(literals(&tree)))),
            (Pass::Names, Some(tree)) => Some(Offer::of(Parts::Respelled(shorter_names(&tree)))),
            (Pass::Merge, tree) => merge(tree.as_deref(), text),
            (Pass::Inline, Some(tree)) => self.inline(&tree),
            (Pass::StandIns, tree) => self.stand_ins(tree, text),
            (Pass::Rough, tree) => self.rough(tree, text),
            (Pass::Blots, _) => blot(text),
            (Pass::Lists | Pass::CoarseHdd, None) => Some(outlined(text, Cut::Lists)),
            (Pass::Hdd | Pass::HddR, None) => Some(outlined(text, Cut::Nodes)),
            (Pass::Tree, None) => Some(outlined(text, Cut::Tree)),
            (Pass::Tokens, None) => {
                let outline = Outline::of_text(Arc::clone(text));
                let tokens = outline.tokens();
                (tokens <= MOST_TOKENS).then(|| {
                    let sets = rows(tokens, LONGEST_ROW).collect();
                    Offer { sets: Some(sets), ..Offer::of(outline.prune(Cut::Tokens)) }
                })
            }
            (
                Pass::Comments | Pass::Bodies | Pass::Uses | Pass::Literals | Pass::Names | Pass::Inline,
                None,
            ) => None,
        };
        offer.filter(|offer| !offer.parts.full().is_empty())
    }

    fn prune(&mut self, tree: &Tree, cut: Cut) -> Option<Offer> {
        let parts = prune(tree, cut, self.grammar.as_mut()?);
        let Parts::Pruned(pruned) = &parts else { return None };
        let (couplings, priors) = (couplings(tree, &pruned.pruning), priors(tree, &pruned.pruning));
        Some(Offer { couplings, priors, ..Offer::of(parts) })
    }

    /// A large program that tells what it runs: it makes a file in `folder` for each block, named by a number.
    pub fn marked(&mut self, text: &Arc<[u8]>, folder: &str) -> Option<Vec<u8>> {
        self.grammar.as_ref().filter(|grammar| grammar.language().has_marks())?;
        let tree = self.parse(text)?;
        (tree.tokens(0).count() >= LARGE).then(|| tree.marked(folder))
    }

    /// The blocks that were not run, with all that only they use; `ran` are the numbers of those that were.
    pub fn unrun(&mut self, text: &Arc<[u8]>, ran: &Config) -> Option<Offer> {
        let tree = self.parse(text)?;
        let unrun = unrun(&tree, ran);
        let Parts::Pruned(pruned) = prune(&tree, Cut::Lists, self.grammar.as_mut()?) else { return None };
        let offer = Offer::reached(Reached::among(&tree, pruned, &unrun));
        (!offer.parts.full().is_empty()).then_some(offer)
    }

    fn bodies(&mut self, tree: &Tree) -> Option<Offer> {
        if tree.tokens(0).count() < LARGE {
            return None;
        }
        let Parts::Pruned(pruned) = prune(tree, Cut::Lists, self.grammar.as_mut()?) else { return None };
        Some(Offer::reached(Reached::new(tree, pruned)))
    }

    fn uses(&mut self, tree: &Tree) -> Option<Offer> {
        if tree.tokens(0).count() < LARGE {
            return None;
        }
        let parts = prune(tree, Cut::Lists, self.grammar.as_mut()?);
        let Parts::Pruned(pruned) = &parts else { return None };
        let (couplings, priors) = (deep_couplings(tree, &pruned.pruning), priors(tree, &pruned.pruning));
        Some(Offer { couplings, priors, ..Offer::of(parts) })
    }

    fn inline(&self, tree: &Tree) -> Option<Offer> {
        let parts = Parts::Respelled(inlined_names(tree));
        let (full, grammar) = (parts.full(), self.grammar.as_ref()?);
        let reads = |part: &u32| tree.has_error() || grammar.reads(&parts.render(&full.without(*part)));
        let sets = full.iter().take(MOST_NAMES).filter(reads).map(|part| [part].into()).collect();
        Some(Offer { sets: Some(sets), ..Offer::of(parts) })
    }

    /// Words in the place of several, with which the text can still be read.
    fn stand_ins(&self, tree: Option<Arc<Tree>>, text: &Arc<[u8]>) -> Option<Offer> {
        if count_tokens(text) > MOST_REWORDED {
            return None;
        }
        let parts = Parts::Respelled(stand_ins(text, tree.as_deref()));
        let grammar = self.grammar.as_ref().filter(|_| tree.is_some_and(|tree| !tree.has_error()));
        let full = parts.full();
        let reads =
            |part: &u32| grammar.is_none_or(|grammar| grammar.reads(&parts.render(&full.without(*part))));
        let sets = full.iter().filter(reads).map(|part| [part].into()).collect();
        Some(Offer { sets: Some(sets), ..Offer::of(parts) })
    }

    /// Rows of tokens without which the text can still be read.
    fn rows(&mut self, tree: &Tree) -> Option<Offer> {
        let tokens = tree.tokens(0).count();
        let grammar = self.grammar.as_mut()?;
        if tokens > MOST_TOKENS {
            return None;
        }
        let parts = prune(tree, Cut::Tokens, grammar);
        let full = parts.full();
        let reads = |row: &Config| tree.has_error() || grammar.reads(&parts.render(&full.minus(row)));
        // Where nothing is known of what can be read, longer rows are too many.
        let longest = if tree.has_error() { 1 } else { LONGEST_PARSED_ROW };
        let sets = rows(tokens, longest).filter(reads).collect();
        Some(Offer { sets: Some(sets), ..Offer::of(parts) })
    }

    /// Single tokens and pairs of brackets without which the text can no longer be read; all of them once it cannot.
    fn rough(&self, tree: Option<Arc<Tree>>, text: &Arc<[u8]>) -> Option<Offer> {
        let readable = tree.filter(|tree| !tree.has_error());
        let outline =
            readable.as_deref().map_or_else(|| Outline::of_text(Arc::clone(text)), Outline::of_tree);
        let tokens = outline.tokens();
        if tokens > MOST_ROUGH {
            return None;
        }
        let sets = brackets(&outline).into_iter().chain(rows(tokens, 1));
        let parts = outline.prune(Cut::Tokens);
        let (full, grammar) = (parts.full(), self.grammar.as_ref().filter(|_| readable.is_some()));
        let breaks =
            |set: &Config| grammar.is_none_or(|grammar| !grammar.reads(&parts.render(&full.minus(set))));
        let sets = sets.filter(breaks).collect();
        Some(Offer { sets: Some(sets), ..Offer::of(parts) })
    }
}

/// Names that become one, in a text that is short enough for that.
fn merge(tree: Option<&Tree>, text: &Arc<[u8]>) -> Option<Offer> {
    let merged = || tree.map_or_else(|| merged_letters(text), merged_names);
    (count_tokens(text) <= MOST_REWORDED).then(|| Offer::of(Parts::Respelled(merged())))
}

/// Pairs of signs as words, in a text that is short enough for that.
fn blot(text: &Arc<[u8]>) -> Option<Offer> {
    let parts = Parts::Respelled(blots(text));
    let sets = parts.full().iter().map(|part| [part].into()).collect();
    (count_tokens(text) <= MOST_ROUGH).then(|| Offer { sets: Some(sets), ..Offer::of(parts) })
}

/// The brackets of a text, each with the one that closes it, as places among the tokens.
fn brackets(outline: &Outline) -> Vec<Config> {
    let (mut open, mut found): (Vec<(u32, u8)>, Vec<Config>) = (Vec::new(), Vec::new());
    let leaves = (0..outline.len() as u32).filter_map(|node| outline.leaf(node));
    for (place, leaf) in leaves.enumerate() {
        match &outline.text()[leaf.bytes()] {
            b"(" => open.push((place as u32, b')')),
            b"[" => open.push((place as u32, b']')),
            b"{" => open.push((place as u32, b'}')),
            [closer] if open.last().is_some_and(|(_, expected)| expected == closer) => {
                found.extend(open.pop().map(|(opener, _)| Config::from([opener, place as u32])));
            }
            _ => {}
        }
    }
    found
}

/// Rows of tokens, longer ones last and the last tokens first.
fn rows(tokens: usize, longest: usize) -> impl Iterator<Item = Config> {
    let longest = (MOST_ROWS / tokens.max(1)).clamp(1, longest);
    (1..=longest.min(tokens)).flat_map(move |length| {
        (0..=tokens - length).rev().map(move |start| (start as u32..(start + length) as u32).collect())
    })
}

impl Offer {
    fn of(parts: Parts) -> Offer {
        Offer { parts, couplings: Couplings::none(), priors: Vec::new(), sets: None }
    }

    fn reached(reached: Reached) -> Offer {
        let (couplings, priors) = (reached.couplings().clone(), reached.priors().to_vec());
        Offer { couplings, priors, ..Offer::of(Parts::Reached(reached)) }
    }
}

fn outlined(text: &Arc<[u8]>, cut: Cut) -> Offer {
    Offer::of(Outline::of_text(Arc::clone(text)).prune(cut))
}

fn lines(text: &Arc<[u8]>) -> Outline {
    let ends = text.split_inclusive(|&b| b == b'\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    });
    Outline::of_pieces(Arc::clone(text), ends)
}

fn bytes(text: &Arc<[u8]>) -> Offer {
    Offer::of(Parts::Respelled(Respelled::without(Arc::clone(text), letters(text))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_search::Search;
    use nub_search::list::Attempts;

    fn offer(language: &str, pass: Pass, text: &str) -> Offer {
        Reader::named(language).unwrap().offer(pass, &text.as_bytes().into()).unwrap()
    }

    /// Every text that is left when one part goes, in order.
    fn without_one(offer: &Offer) -> Vec<String> {
        let full = offer.parts.full();
        let texts = full.iter().map(|part| offer.parts.render(&full.without(part)));
        texts.map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn a_full_config_is_the_text_in_every_pass_and_language() {
        let texts = [
            ("c", "#define A 1\n/* c */ int f(int a, int b) { return (a) + b; } // end\n"),
            ("python", "# a\ndef f(a, b):\n    if a:\n        return b  # c\n    else:\n        pass\n"),
            ("javascript", "class A { static { f(`x${y}`) } } // z"),
        ];
        for (language, text) in texts {
            for pass in Pass::ALL.into_iter().filter(|pass| *pass != Pass::Files) {
                let offer = Reader::named(language).unwrap().offer(pass, &text.as_bytes().into());
                let Some(offer) = offer else { continue };
                let same = offer.parts.render(&offer.parts.full());
                assert_eq!(String::from_utf8_lossy(&same), text, "{pass} of {language}");
            }
        }
    }

    #[test]
    fn lists_lose_elements_with_their_separators() {
        let texts = without_one(&offer("c", Pass::Lists, "int x; int f(int a, int b) { g(); h(); }"));
        for expected in [
            "int f(int a, int b) { g(); h(); }",
            "int x;",
            "int x; int f(int b) { g(); h(); }",
            "int x; int f(int a) { g(); h(); }",
            "int x; int f(int a, int b) { h(); }",
            "int x; int f(int a, int b) { g(); }",
        ] {
            assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:#?}");
        }
    }

    #[test]
    fn what_the_grammar_repeats_is_a_list_and_its_elements_go_with_what_ends_them() {
        let inside = "UPDATE a SET b = 1;\n".repeat(8);
        let offer = offer("sql", Pass::Lists, &format!("BEGIN;\n{inside}COMMIT;\nSELECT 1;\n"));
        let texts = without_one(&offer);
        let fewer = "UPDATE a SET b = 1;\n".repeat(7);
        for expected in [format!("BEGIN;\n{fewer}COMMIT;\nSELECT 1;\n"), format!("BEGIN;\n{inside}COMMIT;\n")]
        {
            assert!(texts.contains(&expected), "{expected} in {texts:#?}");
        }
    }

    #[test]
    fn a_document_keeps_its_outermost_element() {
        let offer = offer("xml", Pass::Lists, "<?xml version=\"1.0\"?>\n<a><b/><c/></a>");
        assert_eq!(String::from_utf8(offer.parts.render(&Config::empty())).unwrap(), "<a> </a>");
    }

    #[test]
    fn tree_lets_nodes_give_way_to_those_below_and_moves_blocks_out() {
        let texts = without_one(&offer(
            "python",
            Pass::Tree,
            "if a:\n    f()\n    if b:\n        g()\n        h()\n",
        ));
        for expected in ["f()\nif b:\n    g()\n    h()\n", "if a:\n    f()\n    g()\n    h()\n"] {
            assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:#?}");
        }
        let texts = without_one(&offer("c", Pass::Tree, "int f() { return(a + b); }"));
        for expected in ["int f() { return a + b; }", "int f() { return(a); }", "int f() { return; }"] {
            assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:#?}");
        }
    }

    #[test]
    fn what_the_tree_lets_go_alone_can_always_be_read() {
        for (language, text) in [
            (
                "c",
                "struct s { int a; char *b; };\nint f(struct s *p, int n) { for (int i = 0; i < n; i++) if (p->a) p->a += i ? n : -n; else return 1; return 0; }",
            ),
            (
                "python",
                "import os, sys\nclass A(B):\n    x: int = 1\n    def f(self, *a, k=2):\n        return [y for y in a if y] + [1, 2]\n",
            ),
            (
                "javascript",
                "const {a, b: [c]} = f(1, ...d); async function* g(x = 1) { for await (const y of x) yield* y?.z`t${1}`; }",
            ),
        ] {
            let grammar = Reader::named(language).unwrap().grammar.unwrap();
            assert!(grammar.reads(text.as_bytes()));
            let texts = without_one(&offer(language, Pass::Tree, text));
            let broken: Vec<&String> = texts.iter().filter(|text| !grammar.reads(text.as_bytes())).collect();
            assert!(broken.len() * 100 <= texts.len(), "{} of {}: {broken:#?}", broken.len(), texts.len());
        }
    }

    #[test]
    fn of_a_list_that_cannot_be_empty_the_smallest_element_stays() {
        let offer = offer("javascript", Pass::Lists, "y = (f(1), b, c(2));");
        // The first part is the statement.
        let text = String::from_utf8(offer.parts.render(&[0].into())).unwrap();
        assert_eq!(text, "y = (b);");
    }

    #[test]
    fn a_comment_gives_way_to_nothing_or_to_an_empty_line() {
        let texts = without_one(&offer("yaml", Pass::Comments, "- - # one\n    a\n"));
        assert_eq!(texts, ["- -\n    a\n", "- -\n\n    a\n"]);
    }

    #[test]
    fn uses_couple_a_definition_with_whatever_names_it_and_parts_with_what_is_around_them() {
        let text = "int f() { return 1; }\nint main() { int x; x = f(); g(); }\n";
        let tree = Tree::parse(Language::named("c").unwrap(), text.as_bytes().into());
        let mut grammar = Grammar::new(tree.language());
        let parts = prune(&tree, Cut::Lists, &mut grammar);
        let Parts::Pruned(pruned) = &parts else { unreachable!("a tree is pruned") };
        let couplings = deep_couplings(&tree, &pruned.pruning);
        let full = parts.full();
        let without = |part: u32| {
            let unit = couplings.dependents(&[part].into(), &full);
            String::from_utf8(parts.render(&full.minus(&unit))).unwrap()
        };
        let texts: Vec<String> = full.iter().map(without).collect();
        for expected in ["int main() { int x; g(); }\n", "int f() { return 1; }\nint main() { g(); }\n"] {
            assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:#?}");
        }
    }

    #[test]
    fn declarations_that_only_unused_ones_use_are_hardly_suspicious() {
        let text = "int a; int b() { return a; } int c() { return b(); } int d; int main() { return d; }";
        let offer = offer("c", Pass::Lists, text);
        let full = offer.parts.full();
        let hardly: Config = full.iter().filter(|&part| offer.priors[part as usize] < 0.5).collect();
        let left = String::from_utf8(offer.parts.render(&full.minus(&hardly))).unwrap();
        assert_eq!(left, "int d; int main() { return d; }");
    }

    #[test]
    fn the_constants_of_an_enumeration_are_declared_with_it() {
        let text = "typedef enum { A, B } t; int f() { return B; } int g() { return 0; }";
        let offer = offer("c", Pass::Lists, text);
        let full = offer.parts.full();
        let without =
            |part: u32| offer.parts.render(&full.minus(&offer.couplings.dependents(&[part].into(), &full)));
        let texts: Vec<String> = full.iter().map(|part| String::from_utf8(without(part)).unwrap()).collect();
        assert!(texts.contains(&"int g() { return 0; }".to_owned()), "{texts:?}");
    }

    #[test]
    fn inline_puts_what_a_name_stands_for_in_its_place() {
        let offer = offer("c", Pass::Inline, "typedef char b;\ntypedef b int8_t;\nint8_t x;\n");
        let texts = without_one(&offer);
        assert!(texts.iter().any(|text| text == "typedef char b;\nb x;\n"), "{texts:#?}");
        assert!(texts.iter().any(|text| text.trim() == "typedef char int8_t;\nint8_t x;"), "{texts:#?}");
    }

    #[test]
    fn tokens_go_in_rows_that_can_be_read() {
        let offer = offer("c", Pass::Tokens, "int x = 1;");
        let search = Attempts::new(offer.parts.full(), offer.sets.clone().unwrap());
        let asked: Vec<String> =
            search.cases().map(|case| String::from_utf8(offer.parts.render(&case.config)).unwrap()).collect();
        assert!(asked.contains(&"int x;".to_owned()), "{asked:?}");
        assert!(!asked.contains(&"int x = ;".to_owned()), "{asked:?}");
    }

    #[test]
    fn texts_lose_words_inside_quotes() {
        let texts = without_one(&offer("c", Pass::Texts, "char *s = \"one two three\";"));
        assert!(texts.contains(&"char *s = \"one three\";".to_owned()), "{texts:?}");
    }

    #[test]
    fn texts_lose_words_inside_comments() {
        let texts = without_one(&offer("c", Pass::Texts, "int a; /* one two */ int b;"));
        assert!(texts.contains(&"int a; /* two */ int b;".to_owned()), "{texts:?}");
    }

    #[test]
    fn letters_go_from_a_short_text_without_a_grammar_and_from_long_words_of_any() {
        let offer = |reader: &mut Reader, text: &str| reader.offer(Pass::Letters, &text.as_bytes().into());
        let mut unknown = Reader::new(None);
        assert_eq!(without_one(&offer(&mut unknown, "a b").unwrap()), [" b", "ab", "a "]);
        assert!(offer(&mut unknown, &"word ".repeat(MOST_LETTERS)).is_none());
        let mut c = Reader::named("c").unwrap();
        for known in ["int a;", "((((("] {
            assert!(offer(&mut c, known).is_none());
        }
        assert_eq!(offer(&mut c, &format!("int {};", "a".repeat(100))).unwrap().parts.full().len(), 100);
    }

    #[test]
    fn what_is_no_text_is_cut_into_chunks_and_not_by_brackets_and_lines() {
        let bytes: Arc<[u8]> = b"\x00\x01(\xff)\n\x02\x03".to_vec().into();
        let mut reader = Reader::new(None);
        assert!(matches!(reader.offer(Pass::Chunks, &bytes).unwrap().parts, Parts::Chunked(_)));
        assert!(reader.offer(Pass::Lists, &bytes).is_none() && reader.offer(Pass::Tree, &bytes).is_none());
        assert!(reader.offer(Pass::Chunks, &b"(a)\n"[..].into()).is_none());
    }

    #[test]
    fn rough_takes_what_the_grammar_does_not_let_go() {
        let offer = offer("c", Pass::Rough, "int a[(1)];");
        let search = Attempts::new(offer.parts.full(), offer.sets.clone().unwrap());
        let asked: Vec<String> =
            search.cases().map(|case| String::from_utf8(offer.parts.render(&case.config)).unwrap()).collect();
        assert!(asked.contains(&"int a(1)];".to_owned()), "{asked:?}");
        let grammar = Reader::named("c").unwrap().grammar.unwrap();
        assert!(!asked.iter().any(|text| grammar.reads(text.as_bytes())), "{asked:?}");
    }

    #[test]
    fn count_tokens_counts_words_and_signs() {
        assert_eq!(count_tokens(b"int a_1 = (b+ 23);"), 9);
        assert_eq!(count_tokens(b"  "), 0);
    }
}
