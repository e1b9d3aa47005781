//! Products that are named after their source.
//!
//! When a source is rewritten or goes, its compiled forms go with it. For most tools the times of files say
//! enough, but Python takes a `.pyc` for fresh if it notes the source's size and its time in whole seconds,
//! which two tests in one second can share; and where the source is gone, no time says so: `Foo.class` would
//! stay on the class path.

/// Endings of sources, and of what compilers make of them.
const FORMS: [(&[&str], &[&str]); 3] = [
    (&["py", "pyw"], &["pyc", "pyo"]),
    (&["c", "cc", "cpp", "cxx", "c++", "C", "m", "mm", "s", "S", "f", "f90", "cu"], &["o", "obj", "lo", "d"]),
    (&["java", "kt", "scala", "groovy"], &["class"]),
];

/// Whether a file has the ending of a compiled form.
pub(super) fn is_compiled(name: &[u8]) -> bool {
    FORMS.iter().any(|(_, compiled)| has_ending(name, compiled))
}

/// Whether a file has the name of a compiled form of a source: `a.cpython-313.pyc` of `a.py`, `A$1.class` of
/// `A.java`.
pub(super) fn is_compiled_from(product: &[u8], source: &[u8]) -> bool {
    let Some(dot) = source.iter().rposition(|&b| b == b'.') else { return false };
    let same_kind = |(sources, compiled): &(&[&str], &[&str])| {
        has_ending(source, sources) && has_ending(product, compiled)
    };
    let rest = product.strip_prefix(&source[..dot]);
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'.' | b'$'))) && FORMS.iter().any(same_kind)
}

fn has_ending(name: &[u8], endings: &[&str]) -> bool {
    let dot = name.iter().rposition(|&b| b == b'.');
    dot.is_some_and(|dot| endings.iter().any(|ending| ending.as_bytes() == &name[dot + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_forms_are_known_by_name_and_kind() {
        let check = |product: &str, source: &str| is_compiled_from(product.as_bytes(), source.as_bytes());
        for (product, source) in [
            ("a.cpython-313.pyc", "a.py"),
            ("a.cpython-313-pytest-8.3.4.pyc", "a.py"),
            ("a.pyc", "a.py"),
            ("a.o", "a.c"),
            ("a.c.o", "a.c"),
            ("a.b.o", "a.b.cc"),
            ("A$B$1.class", "A.java"),
        ] {
            assert!(check(product, source), "{product} of {source}");
            assert!(is_compiled(product.as_bytes()));
        }
        for (product, source) in
            [("ab.o", "a.c"), ("a.o", "a.py"), ("a.pyc", "a.c"), ("a.h", "a.c"), ("a.o", "a")]
        {
            assert!(!check(product, source), "{product} of {source}");
        }
    }
}
