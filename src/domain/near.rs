//! Near misses: the name somebody probably meant.

/// Longer words are no slips of a pen, and a hostile one shall not cost a quadratic wait.
const LONGEST: usize = 128;

/// The candidate closest to `wanted`, if it is close enough to be a slip of the pen: the same but for case, dashes, dots
/// and spaces, or at most one edit (two from six letters on; a swap of neighbours is one edit). The first of equals.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > LONGEST {
        return None;
    }
    let plain = simplified(wanted);
    let allowed = if plain.len() < 6 { 1 } else { 2 };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(wanted.len()) <= 8)
        .map(|candidate| (distance(&plain, &simplified(candidate)), candidate))
        .filter(|&(edits, _)| edits <= allowed && edits < plain.len())
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// The same as the end of a message: `; did you mean `x`?`, or nothing where nothing is near.
pub fn did_you_mean<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, candidates).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn simplified(name: &str) -> Vec<char> {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(one: &[char], two: &[char]) -> usize {
    let width = two.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=one.len() {
        let mut now = vec![i; width];
        for j in 1..width {
            let substituted = last[j - 1] + usize::from(one[i - 1] != two[j - 1]);
            now[j] = substituted.min(last[j] + 1).min(now[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == two[j - 2] && one[i - 2] == two[j - 1] {
                now[j] = now[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, now);
    }
    last[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        assert_eq!(nearest("response_b", ["id", "reponse_b"]), Some("reponse_b"));
        assert_eq!(nearest("response_a", ["Response-A"]), Some("Response-A"));
        assert_eq!(nearest("label", ["lable", "lab"]), Some("lable"));
        assert_eq!(nearest("opnai", ["openai", "ollama"]), Some("openai"));
        assert_eq!(nearest("langauge", ["language", "version"]), Some("language"));
        assert_eq!(nearest("tags", ["task"]), None);
        assert_eq!(nearest("id", ["x", "ab"]), None);
        assert_eq!(nearest("mini", ["control:first"]), None);
        assert_eq!(nearest("q", ["r"]), None);
        assert_eq!(nearest("x", []), None);
    }

    #[test]
    fn a_near_miss_ends_a_message_and_a_far_one_adds_nothing() {
        assert_eq!(did_you_mean("mino", ["mini"]), "; did you mean `mini`?");
        assert_eq!(did_you_mean("other", ["mini"]), "");
    }

    #[test]
    fn letters_are_counted_as_people_count_them() {
        assert_eq!(distance(&simplified("kitten"), &simplified("sitting")), 3);
        assert_eq!(nearest("日本語の問い", ["日本語の問"]), Some("日本語の問"));
    }

    #[test]
    fn a_hostile_name_is_near_nothing_and_costs_nothing() {
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&long, [long.as_str(), &long[1..]]), None);
    }
}
