//! Nothing that came from outside acts, in any format.

use tribunal::report::{Colour, Format, Lang, TableOptions};
use unicode_width::UnicodeWidthStr;

use super::{calibration, comparison, fixture};

fn pages() -> Vec<String> {
    let (one, two) = (fixture::hostile_calibration(), fixture::hostile_comparison());
    [Lang::En, Lang::Ja]
        .into_iter()
        .flat_map(|lang| [calibration(&one, lang, Format::Html), comparison(&two, lang, Format::Html)])
        .collect()
}

/// The tags of a page as a parser sees them: outside script and style, up to their `>`.
fn tags(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let after = &rest[start..];
        let end = after.find('>').map_or(after.len(), |end| end + 1);
        let tag = &after[..end];
        found.push(tag);
        rest = &after[end..];
        for raw in ["script", "style"] {
            if tag[1..].starts_with(raw) {
                rest = &rest[rest.find(&format!("</{raw}")).unwrap()..];
            }
        }
    }
    found
}

#[test]
fn hostile_text_makes_no_tag() {
    for page in pages() {
        let tags = tags(&page);
        let count = |name: &str| tags.iter().filter(|tag| tag[1..].starts_with(name)).count();
        assert_eq!(count("script"), 3, "two blocks of data and the one script");
        assert_eq!(count("style"), 1);
        assert_eq!(count("img"), 0);
        assert_eq!(count("!--"), 0);
        let outside_quotes = |tag: &&str| tag.split('"').step_by(2).collect::<String>();
        assert!(tags.iter().map(outside_quotes).all(|tag| !tag.contains("onload") && !tag.contains("onerror")));
        assert!(page.contains("&lt;/script&gt;"), "the text is still there to be read");
    }
}

#[test]
fn the_blocks_of_data_unpack_and_say_what_was_said() {
    for page in pages() {
        let texts = block(&page, "texts");
        let prompt = texts[2]["p"].as_str().unwrap();
        assert!(prompt.starts_with("</script><script>window.PWNED=1"), "{prompt}");
        assert!(prompt.contains('␀') && prompt.contains("⟨U+202E⟩"), "{prompt}");
        let verdicts = block(&page, "verdicts");
        assert_eq!(verdicts["ids"][2], "hostile");
        for column in verdicts["columns"].as_array().unwrap() {
            for part in ["ab", "ba", "outcome", "agrees"] {
                assert_eq!(column[part].as_str().unwrap().len(), 60, "one letter an item");
            }
        }
        let outcomes = verdicts["columns"].as_array().unwrap().iter().map(|column| column["outcome"].as_str().unwrap());
        let of_hostile: String = outcomes.map(|letters| char::from(letters.as_bytes()[2])).collect();
        assert_eq!(of_hostile.replace('-', ""), "D", "one judge, a flip to the first shown");
    }
}

/// A block of data as the page's script sees it.
pub fn block(page: &str, id: &str) -> serde_json::Value {
    let (_, after) = page.split_once(&format!("<script type=\"text/plain\" id=\"{id}\">")).unwrap();
    let letters = after.split('<').next().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(&decode(letters)[..]), &mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_policy_allows_the_page_its_own_script_and_nothing_else() {
    use sha2::Digest as _;
    let page = calibration(&fixture::calibration(), Lang::En, Format::Html);
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (kind, open, close) in [("script-src", "<script>", "</script>"), ("style-src", "<style>", "</style>")] {
        let start = page.rfind(open).unwrap() + open.len();
        let own = &page[start..start + page[start..].find(close).unwrap()];
        let (_, hash) = policy.split_once(&format!("{kind} 'sha256-")).unwrap();
        assert_eq!(decode(hash.split('\'').next().unwrap()), sha2::Sha256::digest(own.as_bytes()).to_vec(), "{kind}");
    }
    // Nothing that the policy would have to forbid: styles and handlers in attributes.
    assert!(tags(&page).iter().all(|tag| !tag.contains(" style=") && !tag.contains(" on")));
    for outside in ["http://", "https://", "src=\"", "@import", "url(//"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

pub fn decode(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let bits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let bytes = bits.chunks(4).flat_map(|chunk| {
        let word = chunk.iter().fold(0, |word, six| word << 6 | six) << (6 * (4 - chunk.len()));
        word.to_be_bytes()[1..chunk.len()].to_vec()
    });
    bytes.collect()
}

#[test]
fn no_format_lets_a_control_character_through() {
    let (one, two) = (fixture::hostile_calibration(), fixture::hostile_comparison());
    let plain = Format::Table(TableOptions { width: 80, colour: Colour::Off });
    for format in [plain, Format::Markdown, Format::Html, Format::JsonLines, Format::JUnit, Format::Csv] {
        for text in [calibration(&one, Lang::En, format), comparison(&two, Lang::Ja, format)] {
            // A table for spreadsheets ends its lines as RFC 4180 has it.
            let text = if format == Format::Csv { text.replace("\r\n", "\n") } else { text };
            let acting = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{2069}').contains(&c);
            assert_eq!(text.chars().filter(|c| acting(*c)).count(), 0, "{format:?}");
        }
    }
}

#[test]
fn markup_in_markdown_is_text() {
    let text = calibration(&fixture::hostile_calibration(), Lang::En, Format::Markdown);
    let own =
        text.replace("<details>", "").replace("</details>", "").replace("<summary>", "").replace("</summary>", "");
    assert!(!own.contains('<'), "{own}");
    let own = own.replace("\\]", "");
    assert!(!own.contains("](") && !own.contains('@') && !own.contains(" **b**"));
}

#[test]
fn tables_fit_their_width() {
    let (one, two) = (fixture::hostile_calibration(), fixture::comparison());
    for width in [60, 80, 120] {
        let format = Format::Table(TableOptions { width, colour: Colour::Off });
        for lang in [Lang::En, Lang::Ja] {
            for text in [
                calibration(&fixture::calibration(), lang, format),
                calibration(&one, lang, format),
                comparison(&two, lang, format),
            ] {
                for line in text.lines() {
                    assert!(line.width() <= usize::from(width), "{} > {width}: {line}", line.width());
                }
            }
        }
    }
}

#[test]
fn colour_is_written_only_when_asked_for() {
    let answer = fixture::calibration();
    let with = |colour| calibration(&answer, Lang::En, Format::Table(TableOptions { width: 120, colour }));
    assert!(!with(Colour::Off).contains('\u{1b}'));
    assert!(with(Colour::On).contains("\u{1b}[1;31mFAIL"));
}
