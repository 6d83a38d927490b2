//! Data for the page's script: compressed, and written in letters that no HTML parser looks at.

use std::io::BufWriter;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::{Serialize, Serializer as _};

use super::ReportError;

/// Bytes that are compressed at a time.
const PIECE: usize = 1 << 16;

/// A value as JSON in zlib data (RFC 1950) in base64: what `DecompressionStream('deflate')` reads in a browser.
pub(super) fn packed(value: &impl Serialize) -> Result<String, ReportError> {
    packed_by(|out| Ok(serde_json::to_writer(out, value)?))
}

/// The same as [`packed`] of a list whose entries are made one at a time: of a hundred thousand texts only one is there twice.
pub(super) fn packed_list<T: Serialize>(entries: impl Iterator<Item = T>) -> Result<String, ReportError> {
    packed_by(|out| Ok(serde_json::Serializer::new(out).collect_seq(entries)?))
}

fn packed_by(
    write: impl FnOnce(&mut BufWriter<ZlibEncoder<Vec<u8>>>) -> Result<(), ReportError>,
) -> Result<String, ReportError> {
    let mut out = BufWriter::with_capacity(PIECE, ZlibEncoder::new(Vec::new(), Compression::default()));
    write(&mut out)?;
    let encoder = out.into_inner().map_err(|error| serde_json::Error::io(error.into_error()))?;
    Ok(base64(&encoder.finish().map_err(serde_json::Error::io)?))
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn entries_made_one_at_a_time_are_the_list_as_a_whole() {
        let entry = |i: u32| format!("{i} {}", "日本 text ".repeat(i as usize % 97));
        let whole: Vec<String> = (0..2_000).map(entry).collect();
        assert_eq!(packed_list((0..2_000).map(entry)).unwrap(), packed(&whole).unwrap());
        let mut plain = String::new();
        let bytes = base64_bytes(&packed(&whole).unwrap());
        std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(&bytes[..]), &mut plain).unwrap();
        assert_eq!(plain, serde_json::to_string(&whole).unwrap());
    }

    fn base64_bytes(text: &str) -> Vec<u8> {
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let four = |four: &[u8]| {
            let word = four.iter().fold(0, |word, c| word << 6 | u32::from(digit(*c)));
            let known = four.iter().filter(|c| **c != b'=').count() - 1;
            word.to_be_bytes()[1..=known].to_vec()
        };
        text.as_bytes().chunks(4).flat_map(four).collect()
    }

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
        let text = packed(&"</script><!-- \u{2028}&".repeat(400)).unwrap();
        assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c)));
        assert!(text.len() < 400, "{} letters for 8 kB of the same words", text.len());
    }
}
