//! The last number in a text, as a numeric check reads it.

/// The last number in `text`: digits with an optional sign, fraction and exponent. Thousands commas (`1,234.5`) and
/// full-width forms (`１２３`) are read; a comma that does not part thousands ends the number. A sign counts unless it
/// follows a letter or digit (`10-20` ends in 20, `GPT-4` in 4). What has two points (`3.1.4`) is no number.
pub(super) fn last(text: &str) -> Option<f64> {
    let letters: Vec<char> = text.chars().map(narrow).collect();
    let mut found = None;
    let mut place = 0;
    while place < letters.len() {
        if letters[place].is_ascii_digit() || starts_fraction(&letters, place) {
            let end = run_end(&letters, place);
            if let Some(value) = read_run(&letters, place, end) {
                found = Some(value);
            }
            place = exponent_end(&letters, end).unwrap_or(end);
        } else {
            place += 1;
        }
    }
    found
}

/// Full-width digits, signs and points as their ASCII forms.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff10}'..='\u{ff19}' | '．' | '，' | '＋' | '－' => {
            char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter)
        }
        '−' => '-',
        _ => letter,
    }
}

fn starts_fraction(letters: &[char], place: usize) -> bool {
    letters[place] == '.' && letters.get(place + 1).is_some_and(char::is_ascii_digit)
}

/// The end of the run of digits, commas and points; a comma or point belongs to it only before a digit.
fn run_end(letters: &[char], start: usize) -> usize {
    let mut end = start;
    while end < letters.len() {
        let joins = matches!(letters[end], '.' | ',') && letters.get(end + 1).is_some_and(char::is_ascii_digit);
        if !letters[end].is_ascii_digit() && !joins {
            break;
        }
        end += 1;
    }
    end
}

fn read_run(letters: &[char], start: usize, end: usize) -> Option<f64> {
    let run: String = letters[start..end].iter().collect();
    let grouped = is_grouped(&run);
    let body = if grouped { run.replace(',', "") } else { run.rsplit(',').next().unwrap_or_default().to_owned() };
    if body.matches('.').count() > 1 {
        return None;
    }
    let exponent: String = exponent_end(letters, end).map(|to| letters[end..to].iter().collect()).unwrap_or_default();
    let value: f64 = format!("{body}{exponent}").parse().ok()?;
    // The sign stands before the whole run, so it belongs to the number only where the run is one number.
    let negative = (grouped || !run.contains(',')) && is_negated(letters, start);
    value.is_finite().then_some(if negative { -value } else { value })
}

/// True for `1,234` and `12,345,678.9`: commas that part thousands.
fn is_grouped(run: &str) -> bool {
    let whole = run.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let head = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    !rest.is_empty()
        && (1..=3).contains(&head.len())
        && rest.iter().all(|group| group.len() == 3)
        && run.matches(',').count() == rest.len()
}

/// The end of an exponent that starts at `place`, if one does.
fn exponent_end(letters: &[char], place: usize) -> Option<usize> {
    if !matches!(letters.get(place), Some('e' | 'E')) {
        return None;
    }
    let digits = if matches!(letters.get(place + 1), Some('+' | '-')) { place + 2 } else { place + 1 };
    let count = letters.get(digits..)?.iter().take_while(|letter| letter.is_ascii_digit()).count();
    let end = digits + count;
    // `1e5x` is a word, not a number with an exponent.
    let word = letters.get(end).is_some_and(char::is_ascii_alphabetic);
    (count > 0 && !word).then_some(end)
}

fn is_negated(letters: &[char], start: usize) -> bool {
    let before = |place: usize| place.checked_sub(1).map(|at| letters[at]);
    let mut place = start;
    if matches!(before(place), Some('$' | '¥' | '€' | '£' | '￥')) {
        place -= 1;
    }
    before(place) == Some('-') && !before(place - 1).is_some_and(|letter| letter.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_is_read() {
        for (text, wanted) in [
            ("First 3, then 42.", Some(42.0)),
            ("The answer is 1,234,567.5 dollars", Some(1_234_567.5)),
            ("one of 1,2,3", Some(3.0)),
            ("1,2345", Some(2345.0)),
            ("答えは１，２３４．５です", Some(1234.5)),
            ("答えは−５", Some(-5.0)),
            ("-$5.25", Some(-5.25)),
            ("x = -7", Some(-7.0)),
            ("pages 10-20", Some(20.0)),
            ("GPT-4", Some(4.0)),
            ("about 1.5e-3", Some(0.0015)),
            ("2e", Some(2.0)),
            ("42 (see 3.1.4)", Some(42.0)),
            (".5", Some(0.5)),
            ("42...", Some(42.0)),
            ("-", None),
            ("none", None),
            ("1e999", None),
            ("", None),
        ] {
            assert_eq!(last(text), wanted, "{text}");
        }
    }
}
