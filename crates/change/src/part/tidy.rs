//! Writes a text so that it can be read: a statement a line, as far in as it is nested.
//!
//! Nothing is asked of a language but its tree: what stands in a list of statements or declarations begins a line,
//! and so does the bracket that closes one. Between tokens of a line what was blank is one blank, but for brackets,
//! commas and semicolons, which look the same everywhere. Why several texts? In some languages the end of a line
//! means something. The first text joins lines, the second leaves them where they are, the last only loses blanks
//! that cannot be seen; whoever asks takes the first that is still what it was.

use nub_syntax::{Node, Role, Tree};

/// How far in a nested line is.
const INDENT: usize = 4;

/// The text in tidier ways, the tidiest first; those that would be read as something else are left out.
pub fn tidied(tree: &Tree) -> Vec<Vec<u8>> {
    let nested = [Breaks::Join, Breaks::Keep].map(|breaks| by_nesting(tree, breaks));
    let reads_alike = |text: &Vec<u8>| is_same(tree, &Tree::parse(tree.language(), text.as_slice().into()));
    let mut texts: Vec<Vec<u8>> =
        nested.into_iter().chain([tidied_lines(tree.text())]).filter(reads_alike).collect();
    texts.dedup();
    texts.retain(|text| text[..] != tree.text()[..]);
    texts
}

/// The text without blanks at the ends of lines, empty lines at its ends, more than one between, and what all lines
/// are in.
pub fn tidied_lines(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let mut lines: Vec<&[u8]> = lines.skip_while(|line| line.is_empty()).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    let blanks = |line: &&[u8]| line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    let common = lines.iter().filter(|line| !line.is_empty()).map(blanks).min().unwrap_or(0);
    let mut out = Vec::with_capacity(text.len());
    for line in lines {
        out.extend_from_slice(&line[common.min(line.len())..]);
        out.push(b'\n');
    }
    out
}

/// Whether two texts are the same but for what stands between their tokens.
fn is_same(one: &Tree, other: &Tree) -> bool {
    let nodes = 0..one.len() as Node;
    one.len() == other.len()
        && nodes.into_iter().all(|node| {
            let same = one.kind(node) == other.kind(node) && one.size(node) == other.size(node);
            same && (!one.is_token(node) || one.spelled(node) == other.spelled(node))
        })
}

/// What becomes of line ends inside a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Join,
    Keep,
}

/// What stands before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// What stood there, made tidy.
    Same,
    /// Exactly what stood there.
    Exact,
    /// It begins a line so many blocks deep.
    Line(usize),
    /// It begins a line if it did, as an `else` does.
    Clause(usize),
}

fn by_nesting(tree: &Tree, breaks: Breaks) -> Vec<u8> {
    let gaps = gaps(tree);
    let (mut out, mut depth, mut before): (Vec<u8>, usize, &[u8]) = (Vec::new(), 0, b"");
    for token in tree.tokens(0) {
        let (trivia, spelled) = (&tree.text()[tree.trivia(token)], tree.spelled(token));
        let is_blank = trivia.iter().all(u8::is_ascii_whitespace);
        if let Gap::Line(at) | Gap::Clause(at) = gaps[token as usize] {
            depth = at;
        }
        let breaks_line = trivia.contains(&b'\n');
        match gaps[token as usize] {
            Gap::Exact => out.extend_from_slice(trivia),
            _ if out.is_empty() => out.extend_from_slice(trivia.trim_ascii_start()),
            _ if !is_blank => out.extend_from_slice(trivia),
            Gap::Line(_) => line(&mut out, depth),
            Gap::Clause(_) if breaks_line => line(&mut out, depth),
            _ if breaks_line && spelled.starts_with(b"#") => line(&mut out, 0),
            _ if breaks_line && in_directive(&out) => line(&mut out, depth),
            _ if breaks_line && breaks == Breaks::Keep => line(&mut out, depth + 1),
            _ => out.extend_from_slice(between(before, spelled, !trivia.is_empty())),
        }
        out.extend_from_slice(spelled);
        before = spelled;
    }
    let tail = &tree.text()[tree.tail()];
    if !tail.iter().all(u8::is_ascii_whitespace) {
        out.extend_from_slice(tail.trim_ascii_end());
    }
    out.push(b'\n');
    out
}

fn line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + INDENT * depth, b' ');
}

/// Whether the line so far is one for a preprocessor, which ends with the line.
fn in_directive(out: &[u8]) -> bool {
    let begin = out.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
    out[begin..].starts_with(b"#")
}

/// What stands between two tokens of a line.
fn between(before: &[u8], after: &[u8], is_apart: bool) -> &'static [u8] {
    match (before, after) {
        (_, b"," | b";" | b")" | b"]") | (b"(" | b"[", _) => b"",
        (b"," | b";", _) => b" ",
        _ if is_apart => b" ",
        _ => b"",
    }
}

/// What stands before each token, by node.
fn gaps(tree: &Tree) -> Vec<Gap> {
    let mut gaps = vec![Gap::Same; tree.len()];
    // How many blocks each node is in.
    let mut depths = vec![0; tree.len()];
    for node in 0..tree.len() as Node {
        let depth = depths[node as usize];
        if tree.role(node) == Role::Text || opens_a_quote(tree, node) {
            // What is quoted stays as it is.
            tree.tokens(node).skip(1).for_each(|token| gaps[token as usize] = Gap::Exact);
        }
        let is_block = is_block(tree, node);
        let mut after_block = false;
        for child in tree.children(node) {
            let in_line = tree.is_named(child) && (node == 0 || is_block);
            depths[child as usize] = depth + usize::from(in_line && node != 0);
            let first = tree.tokens(child).next();
            let is_end = is_block && !tree.is_named(child) && matches!(tree.spelled(child), b"}" | b"end");
            match first {
                Some(first) if in_line || is_end => gaps[first as usize] = Gap::Line(depths[child as usize]),
                Some(first) if after_block => gaps[first as usize] = Gap::Clause(depth),
                _ => {}
            }
            let is_statement = matches!(tree.role(node), Role::Statement | Role::Declaration);
            after_block = is_statement && tree.subtree(child).any(|inside| self::is_block(tree, inside));
        }
    }
    gaps
}

/// Whether it is a list of what begins lines.
fn is_block(tree: &Tree, node: Node) -> bool {
    let begins_line = |child: Node| matches!(tree.role(child), Role::Statement | Role::Declaration);
    tree.role(node) == Role::List && tree.children(node).any(begins_line)
}

/// Whether a node begins with a token that is a quote, as texts with something to fill in do.
fn opens_a_quote(tree: &Tree, node: Node) -> bool {
    let first = tree.children(node).next().filter(|&child| tree.is_token(child));
    first.is_some_and(
        |token| matches!(tree.spelled(token), [.., b'"' | b'\'' | b'`'] if tree.bytes(token).len() < 5),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_syntax::Language;

    fn tidy(language: &str, text: &str) -> Vec<String> {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        tidied(&tree).into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn a_statement_stands_in_a_line_as_far_in_as_it_is_nested() {
        let text = "int x;int f(int a,int b){if(a){g( b );h();}\n\n  return\n a  + b;}";
        let tidied = "int x;\nint f(int a, int b){\n    if(a){\n        g(b);\n        h();\n    }\n    return a + b;\n}\n";
        assert_eq!(tidy("c", text)[0], tidied);
        assert_eq!(tidy("c", tidied), Vec::<String>::new(), "what is tidy stays");
    }

    #[test]
    fn lines_that_mean_something_stay() {
        let text = "#define A \\\n  1\n#ifdef A\nint x; int y;\n#endif\n";
        for text in tidy("c", text) {
            assert!(text.contains("#ifdef A\n") && text.contains("\n#endif"), "{text}");
        }
        let text = "if a:\n  if b:\n     f(c,\n d)\n     g()\n  else:\n     h( )\n";
        let expected = "if a:\n    if b:\n        f(c, d)\n        g()\n    else:\n        h()\n";
        assert_eq!(tidy("python", text)[0], expected);
    }

    #[test]
    fn what_is_quoted_or_a_comment_stays_as_it_is() {
        let text = "let a = `x  ${ b }  y`;  // one  two\nf( \"p  q\" );";
        let tidied = &tidy("javascript", text)[0];
        assert_eq!(tidied, "let a = `x  ${ b }  y`;  // one  two\nf(\"p  q\");\n");
    }

    #[test]
    fn lines_lose_what_cannot_be_seen() {
        assert_eq!(tidied_lines(b"\n  a \n\n\n    b\n\n"), b"a\n\n  b\n");
        assert_eq!(tidied_lines(b"a"), b"a\n");
    }
}
