//! A plan as tables and sentences: for a terminal, for Markdown.

use crate::analysis::gate::{Counted, Decision};
use crate::analysis::plan::{Assumption, Cost, LabelRow, LabelSource, Plan};

use super::format::{self, unit_of};
use super::glossary::label;
use super::text::TableOptions;
use super::text_table::{Table, wrap};
use super::words::Words;
use super::{Lang, ReportError, csv, envelope, flat, jsonl, markdown};

/// How a plan is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFormat {
    /// Tables for a terminal.
    Table(TableOptions),
    /// The envelope for machines, in full precision.
    Json,
    /// A head and one object a figure.
    JsonLines,
    /// The same records as one long table.
    Csv,
    /// For a comment or a page.
    Markdown,
}

/// Writes a plan. The same plan gives the same bytes.
pub fn render_plan(plan: &Plan, format: PlanFormat, lang: Lang) -> Result<String, ReportError> {
    Ok(match format {
        PlanFormat::Json => envelope("plan", plan)?,
        PlanFormat::JsonLines => jsonl::render("plan", &flat::of("plan", plan)?, None)?,
        PlanFormat::Csv => csv::render(&flat::of("plan", plan)?),
        PlanFormat::Table(options) => text(plan, options, lang),
        PlanFormat::Markdown => marked(plan, lang),
    })
}

/// A titled table.
struct Part {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    note: Option<String>,
}

fn text(plan: &Plan, options: TableOptions, lang: Lang) -> String {
    let phrases = Phrases::of(lang);
    let mut out = String::new();
    let width = usize::from(options.width);
    for Part { title, head, rows, note } in parts(plan, lang) {
        out.push_str(&wrap(&title, width, 0).join("\n"));
        out.push('\n');
        let mut table = Table::new(head);
        for row in rows {
            table.row(row, None);
        }
        out.push_str(&table.draw(options));
        if let Some(note) = note {
            out.push_str(&wrap(&note, width, 0).join("\n"));
            out.push('\n');
        }
        out.push('\n');
    }
    out.push_str(phrases.assumptions);
    out.push('\n');
    for assumption in &plan.assumptions {
        out.push_str("- ");
        out.push_str(&wrap(&sentence(assumption, lang), width, 2).join("\n  "));
        out.push('\n');
    }
    out
}

fn marked(plan: &Plan, lang: Lang) -> String {
    let phrases = Phrases::of(lang);
    let mut out = format!("## {}\n", phrases.title);
    for Part { title, head, rows, note } in parts(plan, lang) {
        markdown::heading(&mut out, &markdown::escape(&title));
        markdown::table(&mut out, &head, rows.into_iter());
        if let Some(note) = note {
            out.push('\n');
            markdown::line(&mut out, &markdown::escape(&note));
        }
    }
    markdown::heading(&mut out, phrases.assumptions);
    for assumption in &plan.assumptions {
        markdown::line(&mut out, &format!("- {}", markdown::escape(&sentence(assumption, lang))));
    }
    out
}

fn parts(plan: &Plan, lang: Lang) -> [Part; 3] {
    let phrases = Phrases::of(lang);
    [items(plan, phrases), costs(plan, phrases), labels(plan, phrases, lang)]
}

fn items(plan: &Plan, phrases: &Phrases) -> Part {
    let row = |effect: &crate::analysis::plan::EffectRow| {
        let power = effect.mcnemar.power_exact.map_or_else(|| "–".to_owned(), format::percent);
        vec![
            format::percent(effect.win_rate),
            format::count(effect.items),
            format::count(effect.mcnemar.items),
            power,
            effect.mcnemar.items_exact.map_or_else(|| "–".to_owned(), format::count),
            format::count(rounded(effect.stopping.items_mean)),
            format!("{} ({})", format::percent(effect.stopping.decided), format::count(effect.stopping.supply)),
        ]
    };
    let width = &plan.half_width;
    let points = format::percent(width.half_width).replace(" %", "");
    let note = phrases.fill(
        phrases.half_width,
        &[&points, &format::round_percent(width.level), &format::count(width.items_most), &format::count(width.items)],
    );
    Part {
        title: phrases.items_title.to_owned(),
        head: phrases.items_head.map(str::to_owned).to_vec(),
        rows: plan.effects.iter().map(row).collect(),
        note: Some(note),
    }
}

fn costs(plan: &Plan, phrases: &Phrases) -> Part {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut line = |what: String, cost: &Cost| {
        let unknown = || phrases.unknown.to_owned();
        rows.push(vec![
            what,
            format::count(cost.calls),
            cost.tokens.map_or_else(unknown, |tokens| format::count(rounded(tokens))),
            cost.usd.map_or_else(unknown, format::dollars),
            cost.hours.map_or_else(unknown, hours),
        ]);
    };
    for effect in &plan.effects {
        let rate = format::percent(effect.win_rate);
        line(rate.clone(), &effect.cost);
        line(phrases.fill(phrases.when_stopping, &[&rate]), &effect.cost_stopping);
    }
    line(
        phrases.fill(phrases.for_half_width, &[&format::percent(plan.half_width.half_width).replace(" %", "")]),
        &plan.half_width.cost,
    );
    Part {
        title: phrases.costs_title.to_owned(),
        head: phrases.costs_head.map(str::to_owned).to_vec(),
        rows,
        note: None,
    }
}

fn labels(plan: &Plan, phrases: &Phrases, lang: Lang) -> Part {
    let words = Words::of(lang);
    let row = |row: &LabelRow| {
        let unit = unit_of(&row.criterion);
        let assumed = match (row.assumed, row.source) {
            (Some(point), LabelSource::Default) => format!("{} ({})", format::plain(point, unit), phrases.by_default),
            (Some(point), _) => format!("{} ({})", format::plain(point, unit), phrases.by_pilot),
            (None, _) => "–".to_owned(),
        };
        let needed = match (row.source, row.labels) {
            (LabelSource::Point, _) => phrases.any.to_owned(),
            (LabelSource::Unknown, _) => phrases.needs_pilot.to_owned(),
            (_, Some(n)) => format::count(n),
            (_, None) => phrases.none_foreseeable.to_owned(),
        };
        vec![
            label(&row.criterion, lang),
            format::limit(row.limit, unit),
            assumed,
            words.counted(Counted::of(&row.criterion)).to_owned(),
            needed,
            row.decision
                .filter(|decision| *decision != Decision::Inconclusive)
                .map_or_else(|| "–".to_owned(), |decision| words.criterion_word(decision).to_owned()),
            row.at_best.map_or_else(|| "–".to_owned(), format::count),
        ]
    };
    Part {
        title: phrases.labels_title.to_owned(),
        head: phrases.labels_head.map(str::to_owned).to_vec(),
        rows: plan.labels.iter().map(row).collect(),
        note: None,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

fn hours(hours: f64) -> String {
    if hours < 1.0 { format!("{:.1} min", hours * 60.0) } else { format!("{hours:.1} h") }
}

fn sentence(assumption: &Assumption, lang: Lang) -> String {
    match lang {
        Lang::En => assumption.to_string(),
        Lang::Ja => japanese(assumption),
    }
}

fn japanese(assumption: &Assumption) -> String {
    match assumption {
        Assumption::Effects => {
            "勝率は仮定である。意味のある最小の値を選ぶこと。試行で観測された勝率は用いない".to_owned()
        }
        Assumption::Risk { alpha, power } => {
            format!("誤って差ありとする両側の危険{}、差を検出できる確率{}", format::percent(*alpha), format::percent(*power))
        }
        Assumption::Spread { ties, flips, outcomes } => {
            let from = outcomes.map_or_else(
                || "既定値（試行 --pilot があれば分かる）".to_owned(),
                |n| format!("試行の{n}件の結果による"),
            );
            format!(
                "引き分け{}、両順で食い違う結果{}：{from}。どちらも得点は½",
                format::percent(*ties),
                format::percent(*flips)
            )
        }
        Assumption::Clusters { units: None, .. } => {
            "項目は互いに独立とする。群があればより多くの項目が必要になる（試行があれば分かる）".to_owned()
        }
        Assumption::Clusters { effect, units: Some(units) } => {
            format!("デザイン効果{effect:.2}：試行の{units}単位による。項目数はすべてこれを含む")
        }
        Assumption::Repeats { repeats, factor: None } => {
            format!("{repeats}回の反復は分散を減らさないものとする（減り方は反復のある試行でしか分からない）")
        }
        Assumption::Repeats { repeats, factor: Some(factor) } => {
            format!("{repeats}回の反復により、項目の得点の分散は{}になる：試行による", format::percent(*factor))
        }
        Assumption::McNemar => {
            "項目数：勝率の区間について、正規近似による。マクネマー検定は両順で一貫した勝ちだけを用いる。式（コナー）も正規近似であり、その件数での正確な検定の検出力は目標を下回るため、それを添え、目標に達する件数を「正確」に示す".to_owned()
        }
        Assumption::Stopping => format!(
            "早期の打ち切り：固定した件数の{}倍の項目に対する{}回の模擬の平均。1単位に1得点。真の勝率が、固定した件数の想定よりも50 %から離れているほど節約になる",
            crate::analysis::plan::SUPPLY,
            crate::analysis::plan::RUNS
        ),
        Assumption::Labels { tried, flip_rate } => format!(
            "ラベル数：ゲートと同じ区間が{}で決まり、それ以上でも決まる単位数。各基準の指標を構成する行を、限度の側に丸めた整数で数える（一致率では、判定とラベルがともに決着した行）",
            match (tried, flip_rate) {
                (true, _) => "試行の値".to_owned(),
                (false, None) => "標準的な判定者の値（一致率85 %）".to_owned(),
                (false, Some(flips)) => format!("標準的な判定者の値（一致率85 %、反転は上と同じ{}）", format::percent(*flips)),
            }
        ),
        Assumption::Usage { recorded: 0 } => {
            "この判定者の呼び出しでトークン数の記録があるものはなく、トークン数は不明".to_owned()
        }
        Assumption::Usage { recorded } => format!("トークン数は記録された{recorded}回の呼び出しの平均"),
        Assumption::NoPrice => "価格が不明（判定者の `price` を設定する）なので、費用も不明".to_owned(),
        Assumption::Time { concurrency, known: true } => {
            format!("時間：記録された呼び出しの平均所要時間で同時に{concurrency}件、または速度制限のうち遅い方")
        }
        Assumption::Time { known: false, .. } => "この判定者の所要時間の記録がないので、時間は不明".to_owned(),
    }
}

/// The words of a plan.
struct Phrases {
    title: &'static str,
    items_title: &'static str,
    items_head: [&'static str; 7],
    half_width: &'static str,
    costs_title: &'static str,
    costs_head: [&'static str; 5],
    when_stopping: &'static str,
    for_half_width: &'static str,
    labels_title: &'static str,
    labels_head: [&'static str; 7],
    assumptions: &'static str,
    unknown: &'static str,
    any: &'static str,
    needs_pilot: &'static str,
    none_foreseeable: &'static str,
    by_default: &'static str,
    by_pilot: &'static str,
}

static EN: Phrases = Phrases {
    title: "Plan",
    items_title: "Items until it is decided, by the win rate that is true",
    items_head: [
        "win rate",
        "items",
        "McNemar, by formula",
        "exact power of that",
        "McNemar, exact",
        "stopping early, mean",
        "decided (of items in hand)",
    ],
    half_width: "For an interval of the win rate of ±{} points at {}: {} items whatever the ties, {} with those assumed.",
    costs_title: "What that takes",
    costs_head: ["for", "calls", "tokens", "cost", "time"],
    when_stopping: "{}, stopping early",
    for_half_width: "±{} points",
    labels_title: "How many of what it counts until a criterion of the gate is decided",
    labels_head: ["criterion", "limit", "assumed", "counts", "needed", "it then", "without any error"],
    assumptions: "Assumptions",
    unknown: "unknown",
    any: "any (decided on the point)",
    needs_pilot: "unknown (needs --pilot with --gold)",
    none_foreseeable: "no foreseeable number",
    by_default: "default",
    by_pilot: "pilot",
};

static JA: Phrases = Phrases {
    title: "計画",
    items_title: "真の勝率ごとの、決着までに必要な項目数",
    items_head: [
        "勝率",
        "項目数",
        "マクネマー（式）",
        "その正確な検出力",
        "マクネマー（正確）",
        "早期打ち切りの平均",
        "決着の割合（用意する項目数）",
    ],
    half_width: "勝率の区間を±{}ポイント（{}）とするには：引き分けの割合によらず{}件、仮定した割合では{}件。",
    costs_title: "必要な費用と時間",
    costs_head: ["対象", "呼び出し", "トークン", "費用", "時間"],
    when_stopping: "{}（早期打ち切り）",
    for_half_width: "±{}ポイント",
    labels_title: "ゲートの基準が決まるまでに必要な数（基準が数えるものの件数）",
    labels_head: ["基準", "限度", "仮定した値", "数えるもの", "必要数", "その結論", "誤りがない場合"],
    assumptions: "仮定",
    unknown: "不明",
    any: "何件でもよい（点推定で判断）",
    needs_pilot: "不明（--pilot と --gold が必要）",
    none_foreseeable: "現実的な件数では決まらない",
    by_default: "既定値",
    by_pilot: "試行",
};

impl Phrases {
    fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ja => &JA,
        }
    }

    #[allow(clippy::unused_self, reason = "reads as the words of a language being filled")]
    fn fill(&self, pattern: &str, values: &[&str]) -> String {
        super::words::fill(pattern, values)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::gate::GateRules;
    use crate::analysis::plan::{CallTerms, FLIPS, Options, TIES, plan};
    use crate::stats::power::Risk;

    fn planned() -> Plan {
        let options = Options {
            effects: vec![0.6, 0.7],
            risk: Risk::USUAL,
            half_width: 0.05,
            repeats: 2,
            ties: TIES,
            flips: FLIPS,
            rules: GateRules::default(),
            calls: CallTerms { concurrency: 8, ..CallTerms::default() },
            seed: 1,
        };
        plan(None, None, &options).unwrap()
    }

    #[test]
    fn every_format_says_what_is_assumed_and_what_is_unknown() {
        let table = render_plan(&planned(), PlanFormat::Table(TableOptions::default()), Lang::En).unwrap();
        let marked = render_plan(&planned(), PlanFormat::Markdown, Lang::En).unwrap();
        for text in [&table, &marked] {
            for part in ["60.0 %", "unknown", "Assumptions", "381", "10.0 % ties", "price is unknown"] {
                assert!(text.contains(part), "no {part} in: {text}");
            }
            assert!(!text.contains('$'), "{text}");
        }
        let json = render_plan(&planned(), PlanFormat::Json, Lang::En).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&json["kind"], &json["result"]["effects"][0]["cost"]["usd"]),
            (&"plan".into(), &serde_json::Value::Null)
        );
        assert_eq!(json["result"]["half_width"]["items_most"], 381);
    }

    #[test]
    fn the_japanese_plan_has_no_english_sentence_left() {
        let text = render_plan(&planned(), PlanFormat::Markdown, Lang::Ja).unwrap();
        for english in ["items", "assumed", "unknown", "labels", "early"] {
            assert!(!text.contains(english), "{english} in: {text}");
        }
        assert!(text.contains("不明") && text.contains("381"));
    }
}
