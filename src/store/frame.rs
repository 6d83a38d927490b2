//! One line: `{"v":1,"sha256":"<64 digits>",…}`, the frame of the journal and of run files.
//!
//! The digest is taken over the line without its own field (and without the newline), so it covers the version too:
//! a version that a flipped bit made up is damage, not a format of the future.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::Digest;

/// Version of the line format.
pub(super) const FORMAT: u64 = 1;

const HEAD: &[u8] = b"{\"v\":";
const DIGEST_FIELD: &[u8] = b",\"sha256\":\"";
/// How every line of this version starts; used to tell damaged lines from foreign ones, and to find a line within another.
const FRAME: &[u8] = b"{\"v\":1,\"sha256\":\"";
/// A line is recognised as ours when at least so many bytes of [`FRAME`] are in place: damage seldom takes five.
const FRAME_RECOGNISED: usize = FRAME.len() - 5;

/// The payload (a JSON object) as a line, newline included.
pub(super) fn encode<T: Serialize + DeserializeOwned>(payload: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = Vec::new();
    append(payload, &mut line)?;
    check::<T>(&line)?;
    Ok(line)
}

/// Whether a line can be read back: what cannot (JSON nested too deeply) must not count as saved.
pub(super) fn check<T: DeserializeOwned>(line: &[u8]) -> Result<(), serde_json::Error> {
    serde_json::from_slice::<T>(line).map(drop)
}

/// Writes the payload as a line behind `lines`, newline included, unchecked. After an error `lines` is as it was.
pub(super) fn append<T: Serialize>(payload: &T, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let start = lines.len();
    lines.extend_from_slice(FRAME);
    lines.extend_from_slice(&[b'0'; 64]);
    lines.push(b'"');
    let fields = lines.len();
    if let Err(error) = serde_json::to_writer(&mut *lines, payload) {
        lines.truncate(start);
        return Err(error);
    }
    // The fields are `{…}`; their opening brace becomes the comma behind the digest.
    lines[fields] = b',';
    let head = start + HEAD.len() + 1;
    let digest = Digest::of_joined([&lines[start..head], &lines[fields..]]);
    lines[start + FRAME.len()..][..64].copy_from_slice(&digest.digits());
    lines.push(b'\n');
    Ok(())
}

/// What one line turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Line<T> {
    /// A whole payload.
    Whole(Box<T>),
    /// An intact line of another format version.
    OtherVersion(u64),
    /// Anything else.
    Damaged,
}

/// Reads a line (without its newline).
pub(super) fn decode<T: DeserializeOwned>(line: &[u8]) -> Line<T> {
    let Some((version, digest, covered)) = split(line) else { return Line::Damaged };
    if Digest::of_joined(covered) != digest {
        return Line::Damaged;
    }
    if version != FORMAT {
        return Line::OtherVersion(version);
    }
    serde_json::from_slice(line).map_or(Line::Damaged, |payload| Line::Whole(Box::new(payload)))
}

/// The version, the digest as written, and the two pieces of the line that it covers.
fn split(line: &[u8]) -> Option<(u64, Digest, [&[u8]; 2])> {
    let after_head = line.strip_prefix(HEAD)?;
    let digits = after_head.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let version = std::str::from_utf8(&after_head[..digits]).ok()?.parse().ok()?;
    let after_field = after_head[digits..].strip_prefix(DIGEST_FIELD)?;
    let (digest, rest) = after_field.split_at_checked(64)?;
    // Upper-case digits are the same number but not what was written.
    if digest.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let digest = Digest::parse(std::str::from_utf8(digest).ok()?)?;
    let rest = rest.strip_prefix(b"\"")?;
    Some((version, digest, [&line[..HEAD.len() + digits], rest]))
}

/// True when the line is, or once was, one of ours.
pub(super) fn is_recognised(line: &[u8]) -> bool {
    line.iter().zip(FRAME).filter(|(found, wanted)| found == wanted).count() >= FRAME_RECOGNISED
}

/// True when a last line without its newline is, or was to become, one of ours; it may be shorter than the frame.
pub(super) fn is_recognised_tail(tail: &[u8]) -> bool {
    is_recognised(tail) || FRAME.starts_with(tail)
}

/// Where a payload stands within a damaged line.
#[derive(Debug, PartialEq)]
pub(super) struct Salvaged<T> {
    /// First byte in the line.
    pub at: usize,
    /// Bytes.
    pub length: usize,
    /// What was found.
    pub payload: T,
}

/// Whole payloads within a damaged line: when a newline was lost, its neighbours need not be.
pub(super) fn salvage<T: DeserializeOwned>(line: &[u8]) -> Vec<Salvaged<T>> {
    let mut starts: Vec<usize> =
        line.windows(FRAME.len()).enumerate().filter(|(_, window)| *window == FRAME).map(|(at, _)| at).collect();
    starts.push(line.len());
    let mut found = Vec::new();
    for pair in starts.windows(2) {
        // The byte before the next line is what became of the newline.
        for end in [pair[1], pair[1].saturating_sub(1)] {
            if let Some(Line::Whole(payload)) = line.get(pair[0]..end).map(decode) {
                found.push(Salvaged { at: pair[0], length: end - pair[0], payload: *payload });
                break;
            }
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::store::record::{Record, tests::record};

    #[test]
    fn a_record_survives_its_line_and_the_line_is_plain_json() {
        let line = encode(&record(7)).unwrap();
        assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        assert_eq!(decode(&line[..line.len() - 1]), Line::Whole(Box::new(record(7))));
        let value: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(value["v"], 1);
        assert_eq!(value["judge"], "mini");
    }

    #[test]
    fn any_changed_byte_is_damage_and_never_another_record_or_version() {
        let line = encode(&record(7)).unwrap();
        let line = &line[..line.len() - 1];
        for at in 0..line.len() {
            for mask in [0x01, 0x02, 0x20, 0x80, 0xff] {
                let mut changed = line.to_vec();
                changed[at] ^= mask;
                assert_eq!(decode::<Record>(&changed), Line::Damaged, "byte {at} ^ {mask:#x}");
            }
        }
    }

    #[test]
    fn an_intact_line_of_another_version_says_so() {
        let covered = br#"{"v":2,"key":"x"}"#;
        let line = format!(r#"{{"v":2,"sha256":"{}","key":"x"}}"#, Digest::of(covered));
        assert_eq!(decode::<Record>(line.as_bytes()), Line::OtherVersion(2));
    }

    #[test]
    fn a_lost_newline_loses_neither_neighbour() {
        let (one, two) = (encode(&record(1)).unwrap(), encode(&record(2)).unwrap());
        for lost in [b"x".as_slice(), b""] {
            let merged = [&one[..one.len() - 1], lost, &two[..two.len() - 1]].concat();
            let found = salvage(&merged);
            assert_eq!(
                found.iter().map(|found: &Salvaged<Record>| found.payload.clone()).collect::<Vec<_>>(),
                [record(1), record(2)]
            );
            let (at, length) = (found[1].at, found[1].length);
            assert_eq!(&merged[at..at + length], &two[..two.len() - 1]);
        }
    }
}
