//! What readers of files warn of, in the words of pages that are not in English.

use crate::domain::{AgainstVotes, Fate, Names, Preference, Remark};

/// The warning in Japanese.
pub(super) fn remark_ja(remark: &Remark) -> String {
    match remark {
        Remark::EmptyResponses(items) => format!("{}件の回答が空である：{}", items.number(), listed(items)),
        Remark::IdenticalResponses(items) => format!(
            "{}件は二つの回答が同一であり、--ask-identical を付けないかぎり尋ねずに引き分けとする：{}",
            items.number(),
            listed(items)
        ),
        Remark::SharedPrompts { items } => format!(
            "{items}件は他の項目とプロンプトが同一なのに group がない。`group` か --group-by を指定しないと、区間が狭くなりすぎる"
        ),
        Remark::SharedOrigin { items, values, field } => format!(
            "{items}件の `{field}` の値は{values}種類しかないのに group がない。項目単位の区間は狭くなりすぎるので、--group-by {field} でまとめて再標本化する"
        ),
        Remark::UnnamedJudge { name } => format!("判定者の名前がどの行にもないため、`{name}` と呼ぶ"),
        Remark::OneSide { here, there, items } => {
            format!("{here} の{}件は {there} にないため除いた：{}", items.number(), listed(items))
        }
        Remark::FieldsDiffer { used, fields } => {
            format!("項目のフィールドが二つのファイルで異なり、{used} の値を使う：{}", listed(fields))
        }
        Remark::Slip { found, meant } => format!("`{found}` は未知のフィールドである。`{meant}` の誤りではないか"),
        // Why is in the parser's own English; the line that is said on the terminal has it.
        Remark::CutOff { .. } => "最後の記録は途中で切れているため除いた".to_owned(),
        Remark::AgainstVotes { first, all } => {
            let one = |AgainstVotes { id, line, label, votes }: &AgainstVotes| {
                format!("{id}（{line}行目：ラベル{}、票{}）", word(*label), word(*votes))
            };
            let first: Vec<String> = first.iter().map(one).collect();
            format!("{all}件でラベルが票の最多と異なり、ラベルの方を使う：{}", some(&first, *all))
        }
        Remark::Disputed { items, fate } => {
            let fate = match fate {
                Fate::Tie => "引き分けとして数える",
                Fate::Unlabelled => "ラベルなしとする",
            };
            format!("{}件は票の最多が決まらず、{fate}：{}", items.number(), listed(items))
        }
        Remark::OneClass { labels, label } => format!(
            "{labels}件のラベルがすべて{}である。一種類だけでは、判定者が何をしてもκは0か定義されず、何も測れない",
            word(*label)
        ),
        Remark::BlankLabels(rows) => format!("ラベルのない{}行を除いた：{}", rows.number(), listed(rows)),
        Remark::AnnotatorsDiffer { agreeing, compared, items } => format!(
            "ラベル{compared}組のうち{agreeing}組で人どうしが一致し、{}件では一致しない：{}",
            items.number(),
            listed(items)
        ),
        Remark::LabelsKept { first, all } => {
            let kept = |(id, label): &(String, Preference)| format!("{id}（{}のまま）", word(*label));
            let first: Vec<String> = first.iter().map(kept).collect();
            format!("項目自身の `gold` と異なるラベルがあり、`gold` の方を使う：{}", some(&first, *all))
        }
    }
}

/// A label as reports call it.
fn word(label: Preference) -> &'static str {
    match label {
        Preference::A => "a",
        Preference::B => "b",
        Preference::Tie => "引き分け",
    }
}

fn listed(names: &Names) -> String {
    some(&names.first, names.number())
}

fn some(first: &[String], all: usize) -> String {
    let more = all.saturating_sub(first.len());
    let rest = if more > 0 { format!("、ほか{more}件") } else { String::new() };
    format!("{}{rest}", first.join("、"))
}

#[cfg(test)]
pub(super) mod examples {
    use super::*;

    /// Every remark, with data that is no language. A new one without an example does not compile here.
    pub(in crate::report) fn remarks() -> Vec<Remark> {
        let names = || Names { first: vec!["X-1".to_owned()], more: 3 };
        let (file, other) = ("X.jsonl".to_owned(), "Y.jsonl".to_owned());
        let against = AgainstVotes { id: "X-1".to_owned(), line: 3, label: Preference::Tie, votes: Preference::B };
        let all = vec![
            Remark::EmptyResponses(names()),
            Remark::IdenticalResponses(names()),
            Remark::SharedPrompts { items: 5 },
            Remark::SharedOrigin { items: 6, values: 2, field: "question" },
            Remark::UnnamedJudge { name: "judge" },
            Remark::OneSide { here: file.clone(), there: other, items: names() },
            Remark::FieldsDiffer { used: file, fields: names() },
            Remark::Slip { found: "promt".to_owned(), meant: "prompt" },
            Remark::CutOff { why: "the last line ends inside a character".to_owned() },
            Remark::AgainstVotes { first: vec![against], all: 2 },
            Remark::Disputed { items: names(), fate: Fate::Tie },
            Remark::Disputed { items: names(), fate: Fate::Unlabelled },
            Remark::OneClass { labels: 9, label: Preference::A },
            Remark::BlankLabels(names()),
            Remark::AnnotatorsDiffer { agreeing: 4, compared: 6, items: names() },
            Remark::LabelsKept { first: vec![("X-1".to_owned(), Preference::Tie)], all: 2 },
        ];
        let place = |remark: &Remark| match remark {
            Remark::EmptyResponses(_) => 0,
            Remark::IdenticalResponses(_) => 1,
            Remark::SharedPrompts { .. } => 2,
            Remark::SharedOrigin { .. } => 3,
            Remark::UnnamedJudge { .. } => 4,
            Remark::OneSide { .. } => 5,
            Remark::FieldsDiffer { .. } => 6,
            Remark::Slip { .. } => 7,
            Remark::CutOff { .. } => 8,
            Remark::AgainstVotes { .. } => 9,
            Remark::Disputed { .. } => 10,
            Remark::OneClass { .. } => 11,
            Remark::BlankLabels(_) => 12,
            Remark::AnnotatorsDiffer { .. } => 13,
            Remark::LabelsKept { .. } => 14,
        };
        let there: std::collections::BTreeSet<usize> = all.iter().map(place).collect();
        assert_eq!(there.len(), 15, "one example of each");
        all
    }
}
