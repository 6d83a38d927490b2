//! Bytes → text: where a file comes from, how it is packed, and whether it is UTF-8 at all.

use std::fs::File;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::error::DataError;
use super::reached::Reached;
use crate::domain::Notice;

/// What standard input is called in messages.
const STDIN: &str = "<stdin>";

/// Largest unpacked input. Records are kept in memory, and a small gzip file can unpack to any size.
const LARGEST: u64 = 4 << 30;

/// One input as text, with the name under which messages speak of it.
#[derive(Debug, Clone)]
pub struct Source {
    path: String,
    text: String,
    cut: bool,
    reached: Reached,
}

impl Source {
    /// Text from bytes: unpacks gzip (by its magic bytes), strips a byte-order mark and checks UTF-8.
    /// A last character of which bytes are missing is left to the readers: it is the trace of a cut-off write.
    pub fn from_bytes(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<Self, DataError> {
        let (path, bytes) = (path.into(), bytes.into());
        match decoded(bytes) {
            Ok((text, cut)) => Ok(Self { path, text, cut, reached: Reached::default() }),
            Err(notice) => Err(DataError::new(path, notice)),
        }
    }

    /// The name for messages.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text, without a byte-order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How far its records are read: lines of all lines.
    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// True where the input ends in the middle of a character.
    pub(super) fn ends_inside_a_character(&self) -> bool {
        self.cut
    }

    /// The last extension in lower case, not counting `.gz`; empty where there is none.
    pub(super) fn extension(&self) -> String {
        let name = self.path.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default()
    }
}

/// Reads a file, or `stdin` where the path is `-`.
pub fn read_source(path: &str, stdin: &mut dyn Read) -> Result<Source, DataError> {
    read_source_watched(path, stdin, &Reached::default())
}

/// The same, while somebody watches how many bytes came in; of a file it is known how many there are.
pub fn read_source_watched(path: &str, stdin: &mut dyn Read, reached: &Reached) -> Result<Source, DataError> {
    let shown = if path == "-" { STDIN } else { path };
    let mut bytes = Vec::new();
    let mut counted = |from: &mut dyn Read, size: u64| {
        reached.begin(size);
        bytes.reserve(usize::try_from(size.min(LARGEST)).unwrap_or(0));
        Counted { from: &mut from.take(LARGEST), reached, seen: 0 }.read_to_end(&mut bytes)
    };
    let read = if path == "-" {
        counted(stdin, 0)
    } else {
        File::open(path).and_then(|mut file| {
            let size = file.metadata().map_or(0, |about| about.len());
            counted(&mut file, size)
        })
    };
    match read {
        Ok(_) => Source::from_bytes(shown, bytes),
        Err(error) => Err(DataError::new(shown, Notice::error(None, None, format!("cannot be read: {error}")))),
    }
}

/// Tells how much went through it.
struct Counted<'a> {
    from: &'a mut dyn Read,
    reached: &'a Reached,
    seen: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.seen += read as u64;
        self.reached.at(self.seen);
        Ok(read)
    }
}

/// The text, and whether it ends inside a character.
fn decoded(bytes: Vec<u8>) -> Result<(String, bool), Notice> {
    let mut bytes = if bytes.starts_with(&[0x1f, 0x8b]) { unpacked(&bytes)? } else { bytes };
    if looks_like_utf16(&bytes) {
        return Err(Notice::error(
            Some(1),
            None,
            "is not UTF-8 and looks like UTF-16 (a Windows shell writes that); save it as UTF-8",
        ));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        bytes.drain(..3);
    }
    let cut = |(text, cut): (String, bool)| (with_line_feeds(text), cut);
    match String::from_utf8(bytes) {
        Ok(text) => Ok(cut((text, false))),
        Err(error) => {
            let place = error.utf8_error();
            let good = place.valid_up_to();
            let mut bytes = error.into_bytes();
            if place.error_len().is_some() {
                return Err(bad_byte(&bytes, good));
            }
            bytes.truncate(good);
            // The prefix was found valid, so nothing is replaced here.
            Ok(cut((String::from_utf8_lossy(&bytes).into_owned(), true)))
        }
    }
}

/// Text whose first line ends in a carriage return alone (old spreadsheets write that) with line feeds instead, so that its lines
/// are lines to every reader. Cells of such a table may hold line feeds; they stay.
fn with_line_feeds(text: String) -> String {
    let is_alone = |at: usize| !text[at + 1..].starts_with('\n');
    match text.find(['\r', '\n']) {
        Some(at) if text[at..].starts_with('\r') && is_alone(at) => {
            text.split("\r\n").map(|part| part.replace('\r', "\n")).collect::<Vec<_>>().join("\r\n")
        }
        _ => text,
    }
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, Notice> {
    let mut out = Vec::new();
    let refuse = |text: String| Notice::error(None, None, text);
    MultiGzDecoder::new(bytes)
        .take(LARGEST + 1)
        .read_to_end(&mut out)
        .map_err(|error| refuse(format!("is a damaged or cut-off gzip file: {error}")))?;
    if out.len() as u64 > LARGEST {
        return Err(refuse(format!("unpacks to more than {} GiB", LARGEST >> 30)));
    }
    Ok(out)
}

fn looks_like_utf16(bytes: &[u8]) -> bool {
    // JSON and CSV begin with ASCII, of which UTF-16 makes one zero byte each.
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=0x7f, 0, ..] | [0, 1..=0x7f, ..])
}

fn bad_byte(bytes: &[u8], offset: usize) -> Notice {
    let before = &bytes[..offset];
    let line = before.split(|&byte| byte == b'\n').count() as u64;
    let column = offset - before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1) + 1;
    Notice::error(
        Some(line),
        None,
        format!(
            "is not UTF-8: byte 0x{:02x} at byte {column} of line {line} (byte {} of the file); save the file as UTF-8",
            bytes[offset],
            offset + 1
        ),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn concatenated_gzip_members_are_one_text() {
        let bytes = [packed("one\n"), packed("two\n")].concat();
        assert_eq!(Source::from_bytes("x.gz", bytes).unwrap().text(), "one\ntwo\n");
    }

    #[test]
    fn carriage_returns_alone_are_line_ends_where_the_first_line_has_one() {
        let text = |bytes: &str| Source::from_bytes("f", bytes).unwrap().text().to_owned();
        assert_eq!(text("id,label\rq1,a\rq2,\"x\ny\"\r"), "id,label\nq1,a\nq2,\"x\ny\"\n");
        assert_eq!(text("a\r\nb\rc\n"), "a\r\nb\rc\n");
        assert_eq!(text("a\nb\rc\n"), "a\nb\rc\n");
    }

    #[test]
    fn a_cut_gzip_file_is_refused() {
        let mut bytes = packed("some text that is long enough");
        bytes.truncate(bytes.len() - 6);
        assert!(Source::from_bytes("x.gz", bytes).unwrap_err().to_string().contains("gzip"));
    }

    #[test]
    fn standard_input_is_read_and_named() {
        let source = read_source("-", &mut b"\xef\xbb\xbfabc".as_slice()).unwrap();
        assert_eq!((source.path(), source.text()), ("<stdin>", "abc"));
    }

    #[test]
    fn a_latin_1_byte_is_named_by_line_and_byte() {
        let error = Source::from_bytes("f", b"ok\ncaf\xe9 x".to_vec()).unwrap_err();
        assert_eq!(error.notices[0].line, Some(2));
        assert!(error.to_string().contains("byte 0xe9 at byte 4 of line 2 (byte 7 of the file)"), "{error}");
    }

    #[test]
    fn both_byte_orders_of_utf_16_are_named_even_without_a_mark() {
        for bytes in [b"\xff\xfe{\0".to_vec(), b"\xfe\xff\0{".to_vec(), b"{\0\"\0".to_vec(), b"\0{\0\"".to_vec()] {
            assert!(Source::from_bytes("f", bytes).unwrap_err().to_string().contains("UTF-16"));
        }
    }

    #[test]
    fn a_missing_file_is_an_error_with_its_path() {
        let error = read_source("no/such/file.jsonl", &mut std::io::empty()).unwrap_err();
        assert!(error.to_string().starts_with("no/such/file.jsonl: cannot be read"));
    }

    #[test]
    fn the_extension_is_found_under_gz() {
        assert_eq!(Source::from_bytes("a.b/x.TSV.gz", b"x".to_vec()).unwrap().extension(), "tsv");
        assert_eq!(Source::from_bytes("a.b/x", b"x".to_vec()).unwrap().extension(), "");
    }
}
