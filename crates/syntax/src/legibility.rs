//! Where a text cannot be read as its language: broken syntax, and indentation that the grammar lets pass.

use crate::{Node, Tree};

impl Tree {
    /// The byte at which the text stops to make sense, if it does.
    pub fn first_error(&self) -> Option<usize> {
        let broken =
            self.has_error().then(|| self.error_regions().next().map_or(0, |node| self.bytes(node).start));
        broken.or_else(|| self.language().profile().indented.then(|| self.wrong_indent()).flatten())
    }

    /// The first line whose indentation is that of no block around it, or that opens a block where none may
    /// begin or none where one must.
    fn wrong_indent(&self) -> Option<usize> {
        let mut blocks = vec![0];
        let mut opens = false;
        for line in self.logical_lines() {
            let deepest = blocks.last().copied().unwrap_or_default();
            match (opens, line.column > deepest) {
                (true, true) => blocks.push(line.column),
                (false, false) => {
                    blocks.retain(|&block| block <= line.column);
                    if blocks.last() != Some(&line.column) {
                        return Some(line.start);
                    }
                }
                _ => return Some(line.start),
            }
            opens = line.opens;
        }
        opens.then(|| self.tail().start)
    }

    /// Lines that are not continued: brackets, long strings and `\` join what follows.
    fn logical_lines(&self) -> Vec<LogicalLine> {
        let mut lines: Vec<LogicalLine> = Vec::new();
        let mut depth = 0;
        for token in self.tokens(self.root()) {
            if depth == 0
                && let Some(column) = self.column_of_first(token)
            {
                lines.push(LogicalLine { start: self.bytes(token).start, column, opens: false });
            }
            match self.kind_name(token) {
                "(" | "[" | "{" | "string_start" => depth += 1,
                ")" | "]" | "}" | "string_end" => depth -= 1,
                _ => {}
            }
            if let Some(line) = lines.last_mut() {
                line.opens = depth == 0 && self.spelled(token) == b":";
            }
        }
        lines
    }

    /// The column of a token that is the first of its line, unless the line goes on from the one before.
    fn column_of_first(&self, token: Node) -> Option<usize> {
        let trivia = self.trivia(token);
        let is_first_of_all = trivia.start == 0;
        let trivia = &self.text()[trivia];
        let Some(end) = trivia.iter().rposition(|&byte| byte == b'\n') else {
            return is_first_of_all.then(|| columns(trivia));
        };
        let line = trivia[..end].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_continued = line.trim_ascii_end().ends_with(b"\\") && !line.contains(&b'#');
        (!is_continued).then(|| columns(&trivia[end + 1..]))
    }
}

/// A line of a program, however many of the text it takes.
struct LogicalLine {
    start: usize,
    column: usize,
    /// Whether a block must follow.
    opens: bool,
}

/// How far white space reaches; a tab leads to the next multiple of eight.
fn columns(indent: &[u8]) -> usize {
    indent.iter().fold(0, |column, byte| match byte {
        b' ' => column + 1,
        b'\t' => column / 8 * 8 + 8,
        _ => column,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Language, Tree};

    /// The number of the line that cannot be read, from 1.
    fn wrong_line(language: &str, text: &str) -> Option<usize> {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        Some(text[..tree.first_error()?].lines().count().max(1))
    }

    #[test]
    fn broken_syntax_is_where_it_is_broken() {
        assert_eq!(wrong_line("rust", "fn f() { 1 }\n"), None);
        assert!(wrong_line("rust", "fn f() {}\nfn g() { match x { => } }\n").is_some());
    }

    #[test]
    fn indentation_is_that_of_a_block_around() {
        let right = [
            "if a:\n    b()\n    if c: d()\n    e()\nelse:\n  f()\n",
            "def f(a,\n  b=[\n1]):\n    \"\"\"a\nb\n\"\"\"\n    return a + \\\nb\n",
            "if a:  # goes on \\\n    b()\n    c()\n",
            "x = {\n  1: 2,\n}\ny = f'{x!r:\n>3}'\nz = x[1:\n2]\n",
            "# only a comment\n",
            "class A:\n\tx: int = 1\n\n        y = lambda: 1\n",
        ];
        for text in right {
            assert_eq!(wrong_line("python", text), None, "{text}");
        }
        let wrong = [
            "a()\n    b()\n",
            "if a:\nb()\n",
            "if a:\n        b()\n    c()\n",
            "def f():\n    if a:\n    b()\n",
        ];
        for text in wrong {
            assert!(wrong_line("python", text).is_some(), "{text}");
        }
    }
}
