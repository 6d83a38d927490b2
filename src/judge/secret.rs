//! Keys: text that is never shown.

use std::fmt;

/// An API key. Shown as `****` wherever it is printed; there is no way to serialise it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Shorter texts are placeholders such as `x`, and masking them would make every message unreadable.
const SHORTEST_MASKED: usize = 4;

impl Secret {
    /// A key, without the white space that files and shells leave around it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// True where there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True for a signed token of three parts, which services take in another place than a plain key.
    pub(super) fn is_token(&self) -> bool {
        self.0.starts_with("eyJ") && self.0.split('.').count() == 3
    }

    /// The key itself: for the request header, nothing else.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the key replaced by `****`.
    pub(super) fn mask(&self, text: String) -> String {
        if self.0.len() < SHORTEST_MASKED {
            return text;
        }
        let text = if text.contains(&self.0) { text.replace(&self.0, "****") } else { text };
        // JSON inside of a text, or cut off in the middle, may spell a slash with a backslash before it.
        if self.0.contains('/') && text.contains('\\') {
            text.replace(&self.0.replace('/', r"\/"), "****")
        } else {
            text
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing_of_itself() {
        let secret = Secret::new("sk-abcdef\n");
        assert_eq!(format!("{secret} {secret:?}"), "**** ****");
        assert_eq!(secret.expose(), "sk-abcdef");
        assert_eq!(secret.mask("bad key sk-abcdef!".to_owned()), "bad key ****!");
        assert_eq!(Secret::new("sk/abc").mask(r#"{"bad":"sk\/abc"#.to_owned()), r#"{"bad":"****"#);
    }

    #[test]
    fn a_placeholder_key_does_not_blot_out_messages() {
        assert_eq!(Secret::new("x").mask("exact".to_owned()), "exact");
    }
}
