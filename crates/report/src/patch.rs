//! A patch for people to look at.

use anstyle::{AnsiColor, Style};
use nub_change::patch_lines;

/// The patch with the colours git gives it, and otherwise the same bytes.
pub fn coloured(patch: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(patch.len() * 2);
    for (line, in_hunk) in patch_lines(patch) {
        let style = style_of(line, in_hunk);
        let (text, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |text| (text, b"\n"));
        shown.extend_from_slice(style.render().to_string().as_bytes());
        shown.extend_from_slice(text);
        shown.extend_from_slice(style.render_reset().to_string().as_bytes());
        shown.extend_from_slice(end);
    }
    shown
}

fn style_of(line: &[u8], in_hunk: bool) -> Style {
    match line.first() {
        Some(b'@') => AnsiColor::Cyan.on_default(),
        Some(b'+') if in_hunk => AnsiColor::Green.on_default(),
        Some(b'-') if in_hunk => AnsiColor::Red.on_default(),
        Some(b' ' | b'\\') if in_hunk => Style::new(),
        _ => Style::new().bold(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n";

    #[test]
    fn each_kind_of_line_has_its_colour() {
        let shown = String::from_utf8(coloured(PATCH.as_bytes())).unwrap().replace('\x1b', "^");
        expect_test::expect![[r#"
            ^[1mdiff --git a/f b/f^[0m
            ^[1m--- a/f^[0m
            ^[1m+++ b/f^[0m
            ^[36m@@ -1,2 +1,2 @@^[0m
             one
            ^[31m-two^[0m
            ^[32m+2^[0m
            \ No newline at end of file
        "#]]
        .assert_eq(&shown);
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let shown = coloured(b"@@ -0,0 +1 @@\n+\xff\xfe");
        assert!(shown.windows(3).any(|bytes| bytes == b"+\xff\xfe"), "{}", shown.escape_ascii());
    }
}
