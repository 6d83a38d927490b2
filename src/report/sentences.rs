//! Whole sentences about an answer, built from its data. The analysis has the English ones, which JSON holds too.

use crate::analysis::compare::Banner;
use crate::analysis::gate::{Criterion, Why};
use crate::analysis::jury::Note;
use crate::analysis::unmeasured::Unmeasured;
use crate::analysis::warning::{Warning, some};
use crate::domain::NoVerdict;

use super::Lang;
use super::format;
use super::remarks::remark_ja;
use super::visible::visible_line;
use super::words::Words;

/// What a reader has to know.
pub(super) fn warning(warning: &Warning, lang: Lang) -> String {
    let text = match lang {
        Lang::En => warning.to_string(),
        Lang::Ja => warning_ja(warning),
    };
    visible_line(&text).into_owned()
}

fn warning_ja(warning: &Warning) -> String {
    match warning {
        Warning::Part { judged, all } => {
            format!("この判定者に尋ねたのは全{all}件のうち{judged}件であり、数値はその分だけについてのもの")
        }
        Warning::CutOff { replies, planned } => {
            format!("{planned}件のうち{replies}件の返答が上限で切れた。判定者の `max_tokens` を増やすこと")
        }
        Warning::Unreadable => {
            "読み取れた返答がない。プロンプトは、契約が読み取る形式を求めているか（`tribunal prompt read` で確認できる）".to_owned()
        }
        Warning::Rejected(names) => format!("サーバーが {} を拒否したため、要求から除いた", names.join("、")),
        Warning::OneOrder { rows, judged } => format!(
            "判定済み{judged}件のうち{rows}件は片方の提示順しかない。一致率にはそのまま数え、位置の指標からは除く"
        ),
        Warning::Repeated { rows, items } => format!(
            "{items}件を繰り返し尋ね、計{rows}行になる。nは行数だが、区間は項目を単位とする。不足のときは、同じ項目の反復ではなく項目を増やす"
        ),
        Warning::NoVerdicts { without, planned, kinds } => {
            let words = Words::of(Lang::Ja);
            let kinds: Vec<String> =
                kinds.iter().map(|(kind, count)| format!("{}{count}件", none_word(*kind, words))).collect();
            format!("{planned}回の判定のうち{without}回は判定なし：{}", kinds.join("、"))
        }
        Warning::NoGold => "人のラベルが付いた項目がないので、位置の指標だけを示す".to_owned(),
        Warning::OneClass => {
            "人のラベルが一種類しかない。κは何も測らず、一致率は常に同じ答えを返す判定者に有利になる".to_owned()
        }
        Warning::ManyCategories { found, most } => {
            format!("カテゴリが{found}個あり、個別に示すには多すぎる（最大{most}個）")
        }
        Warning::ManyJudges { found, most } => format!(
            "判定者が{found}名おり、一組ずつ比べるには多すぎる（最大{most}名）。--judge で選ぶか、--jury-member で合議の一員を指定する"
        ),
        Warning::Disputed { items, first } => format!(
            "{items}件は票の最多が決まらず、引き分けとして数える（--disputed drop で除外できる）：{}",
            some(first, *items)
        ),
        Warning::FewUnits { units, method } => {
            format!("独立な単位は{units}個だけである。正式な区間の方法は `{method}`")
        }
        Warning::SeeBounds { without, planned } => {
            format!("{planned}回の判定のうち{without}回は判定なし。上下限を参照")
        }
        Warning::LabelsLeftOut { items, used } => format!(
            "ラベル付き{}件のうち{items}件は、この判定者の両順の判定がないため補正から除いた。残る{used}件が無作為標本と言えるのは、判定の欠落が優劣と無関係な場合だけである",
            items + used
        ),
        Warning::FlipsAboveGate { rate, interval: [lower, upper], most } => format!(
            "これらの項目では{}で判定が提示位置に従い（95 %区間 {} – {}）、証明書のゲートの限度{}を超える。正解セットでの成績より悪く、証明書の内容がここでは成り立たない可能性がある",
            format::percent(*rate),
            format::percent(*lower),
            format::percent(*upper),
            format::percent(*most)
        ),
        Warning::TellsLittleApart { decided, judged, flip_rate } => {
            let followed = flip_rate
                .map_or_else(String::new, |rate| format!("、{}で判定が提示位置に従った", format::percent(rate)));
            format!(
                "判定された{judged}項目のうち、この判定者が一方を選んだのは{decided}項目{followed}。見分けられない項目は引き分けに数えられるため、50 %に近い勝率は「劣らない」ことの証拠にならない。別の判定者がこれらの項目を判定するまで、要件は未決のままとする"
            )
        }
        Warning::LanguageGap(names) => {
            format!("証明書の正解セットには、次の言語の項目がない：{}", names.join("、"))
        }
        Warning::CategoryGap(names) => {
            format!("証明書の正解セットには、次のカテゴリの項目がない：{}", names.join("、"))
        }
        Warning::ModelUnknownAtTrial(served) => format!(
            "証明書には応答したモデル名がなく、今回の応答は {} による。審査したモデルと同じかどうかは分からない",
            served.join("、")
        ),
        Warning::ModelUnknownNow(wanted) => format!(
            "証明書は応答モデル {wanted} に対するものだが、今回の応答にはモデル名がない。同じかどうかは分からない"
        ),
        Warning::OtherModel { wanted, served } => format!(
            "証明書は応答モデル {wanted} に対するものだが、今回の応答は {} による。この証明書は有効でない",
            served.join("、")
        ),
        Warning::Reruns { runs, with_this_judge } => format!(
            "これらの項目の比較は{runs}回目である（うちこの判定者では{with_this_judge}回）。良い結果が出るまで繰り返すと、偶然が成果に見える"
        ),
        Warning::NotAsPlanned(deviation) => format!(
            "事前登録と異なる：`{}` の計画は {}、実際は {}",
            deviation.field, deviation.planned, deviation.done
        ),
        Warning::OfFile { file, remark } => format!("{file}：{}", remark_ja(remark)),
        Warning::Note(text) => text.clone(),
    }
}

/// What a reader has to know of a jury.
pub(super) fn note(note: Note, lang: Lang) -> String {
    match (lang, note) {
        (Lang::En, note) => note.to_string(),
        (Lang::Ja, Note::OnlyAgrees) => {
            "この合議が結論を出すのは全員が同じ答えのときだけである。誤りを避けて棄権はできるが、誤りを正すことはない".to_owned()
        }
        (Lang::Ja, Note::Alike) => {
            "判定者たちは同じ項目で誤っている。ある判定者の誤りの半分超を別の判定者も犯しており、投票ではほとんど正せない".to_owned()
        }
        (Lang::Ja, Note::OneSeat { rows }) => format!("一名にしか尋ねていない{rows}件は除いた"),
        (Lang::Ja, Note::Small { units }) => format!(
            "独立な単位は{units}個だけである。ここで成績が良いからと選んだ判定者は他では成績が下がり、その合議も同じである"
        ),
    }
}

/// Why there is no verdict, in a word.
pub(super) fn none_word(kind: NoVerdict, words: &Words) -> &'static str {
    match kind {
        NoVerdict::Unparsed => words.none_unparsed,
        NoVerdict::Refused => words.none_refused,
        NoVerdict::Filtered => words.none_filtered,
        NoVerdict::Truncated => words.none_truncated,
        NoVerdict::Failed => words.none_failed,
        NoVerdict::Missing => words.none_missing,
    }
}

/// What a criterion was decided on beside its figure, where there is something; in Japanese.
pub(super) fn why_ja(criterion: &Criterion) -> Option<String> {
    Some(match &criterion.why {
        Why::Figure | Why::Advantage(_) => return None,
        Why::Classes { judged: 2, .. } => "判定済みのラベルにaとbの両方がある".to_owned(),
        Why::Classes { judged, there: 2 } => {
            format!("ラベルにはaとbの両方があるが、両順序の判定があるのはそのうち{judged}種類だけ")
        }
        Why::Classes { there, .. } => {
            format!("ラベルにはaとbのうち{there}種類しかない。もう一方の項目を加えること")
        }
        Why::Labels { judged, least } => {
            format!("人のラベルがある判定済みの項目は{judged}件、必要なのは{least}件以上")
        }
        Why::Models(models) => {
            let listed: Vec<String> =
                models.iter().map(|(model, calls)| format!("{}（{calls}回）", visible_line(model))).collect();
            format!("この判定者に複数のモデルが応答した：{}。変わらないモデルを指定すること", listed.join("、"))
        }
    })
}

/// A figure that could not be had.
pub(super) fn gap(gap: Unmeasured, lang: Lang) -> &'static str {
    if lang == Lang::En {
        return gap.figure();
    }
    match gap {
        Unmeasured::Agreement => "人との一致",
        Unmeasured::Direction => "位置バイアスの向き",
        Unmeasured::Position => "位置バイアス",
        Unmeasured::Length => "長さバイアス",
        Unmeasured::Noise => "位置バイアスと区別した雑音",
        Unmeasured::Humans => "個々の人と比べた判定者",
    }
}

/// What would allow it.
pub(super) fn needs(gap: Unmeasured, lang: Lang) -> &'static str {
    if lang == Lang::En {
        return gap.needs();
    }
    match gap {
        Unmeasured::Agreement => "人のラベル（ファイルの `gold` か `gold_votes`、または --gold FILE）",
        Unmeasured::Direction => "`merged` だけでなく、各提示順の判定（`ab` と `ba`）",
        Unmeasured::Position => "同じ項目の両順での判定",
        Unmeasured::Length => "`len_a_chars` と `len_b_chars`、または回答の本文",
        Unmeasured::Noise => "--repeats 2 以上",
        Unmeasured::Humans => "各ラベルに `annotator` がある `gold_votes`（1項目につき2件以上）",
    }
}

/// The banner of a comparison that no certificate backs: its kind for styling, and its sentence.
pub(super) fn banner(banner: Banner, words: &Words) -> (&'static str, &'static str) {
    match banner {
        Banner::Uncalibrated => ("uncalibrated", words.banner_uncalibrated),
        Banner::Control => ("control", words.banner_control),
        Banner::Recorded => ("recorded", words.banner_recorded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::prereg::Deviation;
    use crate::report::remarks::examples::remarks;

    /// Every warning that the analysis gives, with data that is no language.
    fn warnings() -> Vec<Warning> {
        let names = || vec!["X-1".to_owned()];
        vec![
            Warning::Part { judged: 1, all: 2 },
            Warning::CutOff { replies: 1, planned: 2 },
            Warning::Unreadable,
            Warning::Rejected(names()),
            Warning::OneOrder { rows: 1, judged: 2 },
            Warning::NoVerdicts { without: 1, planned: 2, kinds: NoVerdict::ALL.map(|kind| (kind, 1)).to_vec() },
            Warning::NoGold,
            Warning::OneClass,
            Warning::ManyCategories { found: 201, most: 200 },
            Warning::ManyJudges { found: 21, most: 20 },
            Warning::Disputed { items: 2, first: names() },
            Warning::FewUnits { units: 3, method: "t_clustered" },
            Warning::SeeBounds { without: 1, planned: 2 },
            Warning::LanguageGap(names()),
            Warning::CategoryGap(names()),
            Warning::ModelUnknownAtTrial(names()),
            Warning::ModelUnknownNow("X-1".to_owned()),
            Warning::OtherModel { wanted: "X-1".to_owned(), served: names() },
            Warning::Repeated { rows: 90, items: 30 },
            Warning::LabelsLeftOut { items: 3, used: 40 },
            Warning::FlipsAboveGate { rate: 0.3, interval: [0.25, 0.35], most: 0.2 },
            Warning::TellsLittleApart { decided: 3, judged: 40, flip_rate: Some(0.9) },
            Warning::Reruns { runs: 3, with_this_judge: 2 },
            Warning::NotAsPlanned(Deviation { field: "n", planned: "2".to_owned(), done: "1".to_owned() }),
        ]
        .into_iter()
        .chain(remarks().into_iter().map(|remark| Warning::OfFile { file: "X.jsonl".to_owned(), remark }))
        .collect()
    }

    /// Two English words in a row outside code and flags make a sentence that was left in English.
    fn is_english(text: &str) -> bool {
        let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("。");
        let words: Vec<&str> = plain.split(' ').collect();
        let word = |text: &str| {
            let text = text.trim_end_matches([';', ',', ':', '?']);
            text.len() > 1 && text.chars().all(|c| c.is_ascii_lowercase())
        };
        words.windows(2).any(|pair| word(pair[0]) && word(pair[1]))
    }

    #[test]
    fn no_japanese_sentence_is_left_in_english() {
        for warning in warnings() {
            let (english, japanese) = (super::warning(&warning, Lang::En), super::warning(&warning, Lang::Ja));
            assert!(is_english(&english), "{english}");
            assert!(!is_english(&japanese) && !japanese.is_ascii(), "{japanese}");
        }
        for note in [Note::OnlyAgrees, Note::Alike, Note::OneSeat { rows: 2 }, Note::Small { units: 3 }] {
            let (english, japanese) = (super::note(note, Lang::En), super::note(note, Lang::Ja));
            assert!(is_english(&english) && !is_english(&japanese) && !japanese.is_ascii(), "{english} {japanese}");
        }
        for gap in [
            Unmeasured::Agreement,
            Unmeasured::Direction,
            Unmeasured::Position,
            Unmeasured::Length,
            Unmeasured::Noise,
            Unmeasured::Humans,
        ] {
            for japanese in [super::gap(gap, Lang::Ja), needs(gap, Lang::Ja)] {
                assert!(!is_english(japanese) && !japanese.is_ascii(), "{japanese}");
            }
        }
    }
}
