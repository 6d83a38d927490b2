//! The word that was probably meant.

/// The candidate nearest to `word`, if it is at most a third of the letters away.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate)).min()?;
    (near.0 <= word.chars().count().max(near.1.chars().count()).div_ceil(3)).then_some(near.1)
}

/// Number of letters to insert, remove or change (Levenshtein).
fn distance(one: &str, two: &str) -> usize {
    // Names are short; a hostile one shall not cost a quadratic wait.
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().take(64).collect(), two.chars().take(64).collect());
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, x) in one.iter().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in two.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(nearest("opnai", ["openai", "ollama"]), Some("openai"));
        assert_eq!(nearest("mini", ["control:first"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
