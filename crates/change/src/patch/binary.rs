//! Binary content in a patch: the names git gives to contents, and its literals.
//!
//! A literal is the content compressed with zlib, in lines of at most 52 bytes; a line starts with a letter
//! for its length, and every four bytes are five digits to the base 85.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// The name git gives to a file's content, in repositories that use SHA-1.
pub(super) fn blob_id(content: &[u8]) -> String {
    let mut sha1 = sha1_smol::Sha1::new();
    sha1.update(format!("blob {}\0", content.len()).as_bytes());
    sha1.update(content);
    sha1.digest().to_string()
}

/// A content as a literal of a binary patch.
pub(super) fn literal(content: &[u8]) -> Vec<u8> {
    let mut out = format!("literal {}\n", content.len()).into_bytes();
    for line in compress_to_vec_zlib(content, 9).chunks(52) {
        let len = line.len() as u8;
        out.push(if len <= 26 { b'A' + len - 1 } else { b'a' + len - 27 });
        out.extend(line.chunks(4).flat_map(base85));
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Up to four bytes as five digits, filled up with zeros.
fn base85(bytes: &[u8]) -> [u8; 5] {
    let mut word =
        bytes.iter().zip([24, 16, 8, 0]).fold(0u32, |word, (&b, shift)| word | u32::from(b) << shift);
    let mut digits = [0; 5];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(word % 85) as usize];
        word /= 85;
    }
    digits
}
