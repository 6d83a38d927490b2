//! Data for the page's script: compressed, and written in letters that no HTML parser looks at.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The text as zlib data (RFC 1950) in base64: what `DecompressionStream('deflate')` reads in a browser.
pub(super) fn packed(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(text.len() / 4), Compression::default());
    // Writing to a Vec cannot fail, and neither can its last block.
    encoder.write_all(text.as_bytes()).expect("writing to a Vec cannot fail");
    base64(&encoder.finish().expect("writing to a Vec cannot fail"))
}

/// Base64 with padding (RFC 4648, section 4), as a content security policy wants its hashes.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, index| word << 8 | usize::from(chunk.get(index).copied().unwrap_or(0)));
        for digit in 0..4 {
            let shown = digit <= chunk.len();
            out.push(if shown { char::from(ALPHABET[word >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_vectors_of_its_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn what_is_packed_holds_no_sign_that_a_parser_looks_at() {
        let text = packed(&"</script><!-- \u{2028}&".repeat(400));
        assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c)));
        assert!(text.len() < 400, "{} letters for 8 kB of the same words", text.len());
    }
}
