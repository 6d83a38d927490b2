//! What is said around the texts while labelling, in English and Japanese.

use super::session::Counts;
use crate::analysis::raters::RatersAgreement;
use crate::report::Lang;

/// The fixed words of a language.
#[derive(Debug)]
pub(super) struct Words {
    lang: Lang,
    pub prompt: &'static str,
    pub reference: &'static str,
    pub rubric: &'static str,
    pub first: &'static str,
    pub second: &'static str,
    pub empty: &'static str,
    /// The keys, each with its meaning.
    pub keys: &'static [&'static str],
    /// Those that scroll.
    pub scroll: &'static [&'static str],
    /// The keys where every pair is labelled or skipped.
    pub end_keys: &'static [&'static str],
    pub all_done: &'static str,
    pub all_but_skipped: &'static str,
    pub nothing_to_undo: &'static str,
    pub undone: &'static str,
    pub any_key: &'static str,
    pub no_such_key: &'static str,
    pub nobody_else: &'static str,
    /// Before the file of the labels, and before the command that makes gold of it.
    pub labels: &'static str,
    pub as_gold: &'static str,
}

static EN: Words = Words {
    lang: Lang::En,
    prompt: "Prompt",
    reference: "Reference answer",
    rubric: "Rubric",
    first: "Answer A",
    second: "Answer B",
    empty: "(empty)",
    keys: &[
        "[a] A is better",
        "[b] B is better",
        "[t] tie",
        "[s] skip",
        "[u] undo",
        "[i] agreement",
        "[?] keys",
        "[q] quit",
    ],
    scroll: &["[space] next page", "[PageUp] page before", "[↑] [↓] a line"],
    end_keys: &["[u] undo", "[s] skipped ones again", "[i] agreement", "[q] quit"],
    all_done: "Every pair has your label.",
    all_but_skipped: "Every pair is labelled or skipped.",
    nothing_to_undo: "there is nothing to take back",
    undone: "taken back",
    any_key: "any key goes on",
    no_such_key: "no such key",
    nobody_else: "No pair has labels of two people yet.",
    labels: "labels",
    as_gold: "as gold",
};

static JA: Words = Words {
    lang: Lang::Ja,
    prompt: "プロンプト",
    reference: "参照回答",
    rubric: "評価基準",
    first: "回答A",
    second: "回答B",
    empty: "（空）",
    keys: &[
        "[a] Aが良い",
        "[b] Bが良い",
        "[t] 同等",
        "[s] 後回し",
        "[u] 取り消し",
        "[i] 一致度",
        "[?] キー一覧",
        "[q] 終了",
    ],
    scroll: &["[space] 次のページ", "[PageUp] 前のページ", "[↑] [↓] 一行"],
    end_keys: &["[u] 取り消し", "[s] 後回しを再び", "[i] 一致度", "[q] 終了"],
    all_done: "すべてのペアにラベルを付けました。",
    all_but_skipped: "すべてのペアがラベル付き、または後回しです。",
    nothing_to_undo: "取り消すものがありません",
    undone: "取り消しました",
    any_key: "何かキーを押すと続きます",
    no_such_key: "そのキーはありません",
    nobody_else: "二人以上のラベルがあるペアはまだありません。",
    labels: "ラベル",
    as_gold: "正解にするには",
};

impl Words {
    pub fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ja => &JA,
        }
    }

    /// `12 of 50, 3 skipped`.
    pub fn progress(&self, counts: Counts) -> String {
        let Counts { labelled, skipped, all } = counts;
        match (self.lang, skipped) {
            (Lang::En, 0) => format!("{labelled} of {all} labelled"),
            (Lang::En, _) => format!("{labelled} of {all} labelled, {skipped} skipped"),
            (Lang::Ja, 0) => format!("{all}件中{labelled}件"),
            (Lang::Ja, _) => format!("{all}件中{labelled}件、後回し{skipped}件"),
        }
    }

    /// Which lines of a long text are on the screen.
    pub fn part(&self, from: usize, to: usize, all: usize) -> String {
        match self.lang {
            Lang::En => format!("lines {from}–{to} of {all}"),
            Lang::Ja => format!("{all}行中{from}–{to}行"),
        }
    }

    /// The agreement so far, one sentence a line.
    pub fn agreement(&self, found: &RatersAgreement) -> Vec<String> {
        if found.shared == 0 {
            return vec![self.nobody_else.to_owned()];
        }
        let RatersAgreement { raters, shared, compared, agreeing, .. } = found;
        let share = found.raw.as_ref().map_or_else(
            |_| String::new(),
            // No line is broken before the sign.
            |e| format!(" ({:.0}\u{a0}% [{:.0}, {:.0}])", 100.0 * e.point, 100.0 * e.lower, 100.0 * e.upper),
        );
        let alpha = match (&found.alpha, &found.alpha_interval) {
            (Ok(alpha), Ok(e)) => format!("{alpha:.2} [{:.2}, {:.2}]", e.lower, e.upper),
            (Ok(alpha), Err(_)) => format!("{alpha:.2}"),
            (Err(absence), _) => match self.lang {
                Lang::En => format!("not estimable ({})", absence.reason.as_str()),
                Lang::Ja => format!("推定できません（{}）", absence.reason.as_str()),
            },
        };
        match self.lang {
            Lang::En => vec![
                format!(
                    "{raters} annotators, {shared} shared {}: {agreeing} of {compared} label {}{share}",
                    if *shared == 1 { "pair" } else { "pairs" },
                    if *compared == 1 { "pair agrees" } else { "pairs agree" },
                ),
                format!("Krippendorff's alpha {alpha}, n = {shared}"),
            ],
            Lang::Ja => vec![
                format!("注釈者{raters}人、共通のペア{shared}件：ラベルの組{compared}のうち{agreeing}が一致{share}"),
                format!("クリッペンドルフのα {alpha}、n = {shared}"),
            ],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::raters::agree;
    use crate::domain::Preference::{A, B, Tie};
    use crate::stats::seed::Seed;

    #[test]
    fn progress_names_what_was_skipped_only_where_something_was() {
        let counts = Counts { labelled: 12, skipped: 3, all: 50 };
        assert_eq!(Words::of(Lang::En).progress(counts), "12 of 50 labelled, 3 skipped");
        assert_eq!(Words::of(Lang::En).progress(Counts { skipped: 0, ..counts }), "12 of 50 labelled");
        assert_eq!(Words::of(Lang::Ja).progress(counts), "50件中12件、後回し3件");
    }

    #[test]
    fn agreement_is_said_with_its_n_and_its_absence_with_the_reason() {
        let labels = |labels: &[crate::domain::Preference]| labels.iter().map(|label| Some(*label)).collect::<Vec<_>>();
        let said = Words::of(Lang::En).agreement(&agree(&[labels(&[A, B, Tie]), labels(&[A, B, A])], Seed(1)));
        assert!(said[0].starts_with("2 annotators, 3 shared pairs: 2 of 3 label pairs agree (67\u{a0}% ["), "{said:?}");
        let one = Words::of(Lang::En).agreement(&agree(&[labels(&[A]), labels(&[A])], Seed(1)));
        assert!(one[0].starts_with("2 annotators, 1 shared pair: 1 of 1 label pair agrees"), "{one:?}");
        assert!(said[1].contains("n = 3"), "{said:?}");
        let constant = Words::of(Lang::En).agreement(&agree(&[labels(&[A, A]), labels(&[A, A])], Seed(1)));
        assert!(constant[1].contains("not estimable (constant)"), "{constant:?}");
        assert_eq!(Words::of(Lang::Ja).agreement(&agree(&[], Seed(1))).len(), 1);
    }
}
