//! How large a patch is, and which of its lines are its own.

use imara_diff::{Algorithm, Diff, InternedInput};

/// How many lines a patch takes away and adds.
pub fn changed_lines(patch: &[u8]) -> usize {
    patch_lines(patch).filter(|(line, in_hunk)| *in_hunk && matches!(line.first(), Some(b'+' | b'-'))).count()
}

/// How many words and signs a patch takes away and puts in, where those that a line keeps do not count.
pub fn changed_tokens(patch: &[u8]) -> usize {
    let mut sum = 0;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (line, in_hunk) in patch_lines(patch) {
        match line.split_first() {
            Some((b'-', text)) if in_hunk => before.extend(tokens(text)),
            Some((b'+', text)) if in_hunk => after.extend(tokens(text)),
            Some((b'\\', _)) => {}
            _ => sum += differing(&mut before, &mut after),
        }
    }
    sum + differing(&mut before, &mut after)
}

fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let together = move |a: &u8, b: &u8| is_word(*a) && is_word(*b);
    text.chunk_by(together).filter(|token| !token.trim_ascii().is_empty())
}

/// How many tokens only one of two texts has; both are empty afterwards.
fn differing(before: &mut Vec<&[u8]>, after: &mut Vec<&[u8]>) -> usize {
    let mut input = InternedInput::default();
    input.update_before(before.drain(..));
    input.update_after(after.drain(..));
    let diff = Diff::compute(Algorithm::Myers, &input);
    (diff.count_removals() + diff.count_additions()) as usize
}

/// The lines of a patch, and whether each is part of a hunk.
pub fn patch_lines(patch: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    patch.split_inclusive(|byte| *byte == b'\n').scan(false, |in_hunk, line| {
        *in_hunk = line.starts_with(b"@@") || (*in_hunk && !line.starts_with(b"diff --git "));
        Some((line, *in_hunk))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n";

    #[test]
    fn changed_lines_are_those_of_hunks() {
        assert_eq!(changed_lines(PATCH.as_bytes()), 2);
        assert_eq!(changed_lines(b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"), 0);
    }

    #[test]
    fn changed_tokens_are_those_that_lines_do_not_keep() {
        let count =
            |lines: &str| changed_tokens(format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n{lines}").as_bytes());
        assert_eq!(count("-if (a < 1) {\n+if (a <= 1) {\n"), 1);
        assert_eq!(count("-one two\n one two\n+one two\n"), 4);
        assert_eq!(count("+f(x);\n"), 5);
    }
}
