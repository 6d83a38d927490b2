//! What every figure is called and what it means, in both languages.

use super::Lang;

/// The names and the definition of a figure.
#[derive(Debug, Clone, Copy)]
struct Term {
    name: &'static str,
    en: [&'static str; 2],
    ja: [&'static str; 2],
}

const fn term(name: &'static str, en: [&'static str; 2], ja: [&'static str; 2]) -> Term {
    Term { name, en, ja }
}

static TERMS: &[Term] = &[
    term(
        "interval",
        [
            "interval",
            "The values that the data leave plausible. Shown intervals have level 95 %; the gate decides on 90 %, which bounds each side at 95 %.",
        ],
        ["信頼区間", "データから見てありうる値の範囲。表示は95 %、合否の判断は90 %（片側ずつ95 %）の区間による。"],
    ),
    term(
        "agreement_decisive",
        [
            "decisive agreement",
            "Share of items on which the judge picks the side the human picked, where both picked one.",
        ],
        ["一致率（決着のみ）", "判定者と人がともに一方を選んだ項目のうち、同じ側を選んだ割合。"],
    ),
    term(
        "agreement_half_credit",
        [
            "half-credit agreement",
            "The same over all judged items; half a point where exactly one of judge and human says tie.",
        ],
        ["一致率（引き分け半点）", "判定のある全項目での一致率。一方だけが引き分けなら0.5点とする。"],
    ),
    term(
        "agreement_strict",
        [
            "strict agreement",
            "Share of judged items with exactly the human label; a tie counts only where the human says tie.",
        ],
        ["一致率（厳密）", "人のラベルと完全に同じ判定の割合。引き分けは人も引き分けの場合だけ一致とする。"],
    ),
    term(
        "agreement_strict_worst_case",
        ["strict agreement, worst case", "Strict agreement with every missing verdict counted as wrong."],
        ["一致率（厳密・最悪）", "判定なしをすべて誤りとした厳密な一致率。"],
    ),
    term(
        "agreement_both_orders",
        ["agreement in both orders", "Share of items on which both orders give the human label."],
        ["一致率（両順）", "両方の提示順で人のラベルと同じになった割合。"],
    ),
    term(
        "agreement_mean_of_orders",
        [
            "agreement, mean of orders",
            "Mean over both orders of being equal to the human label; a missing verdict is wrong.",
        ],
        ["一致率（順の平均）", "二つの提示順それぞれの一致の平均。判定なしは誤りとする。"],
    ),
    term(
        "agreement_excl_inconsistent",
        ["agreement on consistent items", "Strict agreement over the items on which both orders agree."],
        ["一致率（両順一致のみ）", "両順の判定が同じ項目に限った厳密な一致率。"],
    ),
    term(
        "agreement_lenient",
        [
            "lenient agreement",
            "Counts every tie on either side as agreement. For comparison with published work; no gate uses it.",
        ],
        ["一致率（寛容）", "どちらかが引き分けなら一致とみなす。公表値との比較用で、合否には使わない。"],
    ),
    term(
        "kappa_strict",
        [
            "Cohen's kappa",
            "Strict agreement beyond what the two sets of labels would share by chance: 0 is chance, 1 is perfect.",
        ],
        ["コーエンのκ", "偶然の一致を除いた厳密な一致。0は偶然と同じ、1は完全な一致。"],
    ),
    term(
        "kappa_decisive",
        ["decisive kappa", "Kappa over the items on which both picked a side."],
        ["κ（決着のみ）", "ともに一方を選んだ項目でのκ。"],
    ),
    term(
        "kappa_excl_inconsistent",
        ["kappa on consistent items", "Kappa over the items on which both orders agree."],
        ["κ（両順一致のみ）", "両順の判定が同じ項目でのκ。"],
    ),
    term(
        "kappa_between_orders",
        ["kappa between orders", "Agreement of the judge with itself after the swap, beyond chance."],
        ["順どうしのκ", "提示順を入れ替えたときの判定者自身との一致（偶然を除く）。"],
    ),
    term(
        "ac1",
        ["Gwet's AC1", "Chance-corrected agreement that stays meaningful where one label dominates."],
        ["GwetのAC1", "一つのラベルに偏った場合でも安定な、偶然を除いた一致。"],
    ),
    term(
        "alpha",
        ["Krippendorff's alpha", "Chance-corrected agreement of judge and humans taken as interchangeable annotators."],
        ["クリッペンドルフのα", "判定者と人を同等の評価者とみなした、偶然を除いた一致。"],
    ),
    term(
        "flip_rate",
        [
            "flip rate",
            "Share of items whose two orders name different responses: the verdict followed the position. First of three readings.",
        ],
        ["反転率", "提示順を入れ替えると選ぶ回答が変わった項目の割合。三つの読み方の一つ目。"],
    ),
    term(
        "flip_rate_decisive",
        [
            "flip rate on decisive items",
            "The same, only over items on which both orders picked a side. Second reading.",
        ],
        ["反転率（両順決着）", "両順とも一方を選んだ項目に限った反転率。二つ目の読み方。"],
    ),
    term(
        "inconsistency_rate",
        [
            "inconsistency rate",
            "Share of items whose two orders differ in any way, a win beside a tie included: 1 − position consistency. Third reading.",
        ],
        [
            "不一致率",
            "両順の判定が少しでも異なる項目の割合（勝ちと引き分けの組も含む）。1 − 順序一貫性。三つ目の読み方。",
        ],
    ),
    term(
        "one_tie_rate",
        ["win and tie", "Share of items with a win in one order and a tie in the other."],
        ["勝ちと引き分け", "一方の順で勝ち、もう一方の順で引き分けとなった項目の割合。"],
    ),
    term(
        "position_consistency",
        ["position consistency", "Share of items whose two orders give the same answer."],
        ["順序一貫性", "両順の判定が同じ項目の割合。"],
    ),
    term(
        "flip_first_rate",
        ["flips to the first", "Share of items on which the response shown first won both times."],
        ["先への反転", "両順とも先に示した回答が選ばれた項目の割合。"],
    ),
    term(
        "flip_second_rate",
        ["flips to the second", "Share of items on which the response shown second won both times."],
        ["後への反転", "両順とも後に示した回答が選ばれた項目の割合。"],
    ),
    term(
        "flip_excess",
        ["flips beyond noise", "Flip rate minus the rate at which the same order, asked again, changes its answer."],
        ["雑音を超える反転", "反転率から、同じ順で再度判定したときの変化率を引いたもの。"],
    ),
    term(
        "first_win_single",
        ["first slot wins", "Share of decisive single verdicts that name the response shown first; 50 % is no lean."],
        ["先の勝率", "決着した個々の判定のうち、先に示した回答を選んだ割合。50 %なら偏りなし。"],
    ),
    term(
        "prefers_longer_combined",
        [
            "longer response wins",
            "Share of decisive verdicts that name the longer response. Not a bias by itself: longer may be better.",
        ],
        [
            "長い回答の勝率",
            "決着した判定のうち長い回答を選んだ割合。長い方が本当に良いこともあり、それだけでは偏りではない。",
        ],
    ),
    term(
        "length_error_gap",
        [
            "length error gap",
            "Error rate where the human prefers the shorter response minus error rate where the human prefers the longer.",
        ],
        ["長さによる誤り差", "人が短い方を選んだ項目の誤り率 − 人が長い方を選んだ項目の誤り率。"],
    ),
    term(
        "error_gold_shorter_decisive",
        [
            "wrong where the shorter is right",
            "Share of wrong decisive verdicts where the human label is the shorter response.",
        ],
        ["短い方が正しい場合の誤り", "人のラベルが短い回答の項目での、決着した判定の誤り率。"],
    ),
    term(
        "error_gold_longer_decisive",
        [
            "wrong where the longer is right",
            "Share of wrong decisive verdicts where the human label is the longer response.",
        ],
        ["長い方が正しい場合の誤り", "人のラベルが長い回答の項目での、決着した判定の誤り率。"],
    ),
    term(
        "no_verdict_rate",
        [
            "no verdict",
            "Share of planned judgments without a readable verdict. They are counted and never taken for a tie.",
        ],
        ["判定なし", "予定した判定のうち、読み取れる判定がなかった割合。引き分けとして扱うことはない。"],
    ),
    term(
        "beats_controls",
        [
            "beats the controls",
            "Smallest advantage in half-credit agreement over the control judges: first, second, longest, shortest, tie, coin.",
        ],
        ["対照に対する優位", "対照判定者に対する一致率（引き分け半点）の差のうち最小のもの。"],
    ),
    term(
        "min_labels",
        ["labelled items", "Number of judged items with a human label."],
        ["ラベル付き項目", "判定済みで人のラベルがある項目の数。"],
    ),
    term(
        "both_classes",
        ["both sides in the gold", "The human labels must name a and b at least once each."],
        ["両側のラベル", "人のラベルにaとbの両方が含まれること。"],
    ),
    term(
        "single_order_rows",
        ["one order only", "Share of items that were judged in one order only."],
        ["片順のみ", "一方の提示順でしか判定されていない項目の割合。"],
    ),
    term(
        "both_wrong",
        ["both wrong", "Share of labelled items on which both judges miss the human label: the double fault."],
        ["両者とも誤り", "二つの判定者がともに人のラベルと異なった項目の割合。"],
    ),
    term(
        "jury_coverage",
        ["coverage of the jury", "Share of items on which the jury rules instead of abstaining."],
        ["合議の被覆率", "合議が棄権せずに結論を出した項目の割合。"],
    ),
    term(
        "shared_errors",
        [
            "shared errors",
            "Share of a member's errors that another member makes too. The larger, the less a vote can repair.",
        ],
        ["誤りの共有", "ある判定者の誤りのうち、別の判定者も誤った割合。大きいほど、投票では正せない。"],
    ),
    term(
        "win_rate",
        [
            "win rate",
            "Mean score: 1 for a win in both orders, 0 for a loss in both, ½ for everything else that was judged. The headline.",
        ],
        ["勝率", "平均得点。両順で勝てば1、両順で負ければ0、判定のあるその他は½。主たる指標。"],
    ),
    term(
        "score",
        ["graded score", "Mean of the two orders' scores: a win beside a tie counts ¾ instead of ½."],
        ["段階得点", "両順の得点の平均。勝ちと引き分けの組は½ではなく¾とする。"],
    ),
    term(
        "decided",
        ["decided rate", "Share of wins among items won by the same side in both orders; read it with its coverage."],
        ["決着勝率", "両順で同じ側が勝った項目のうちの勝ちの割合。被覆率と併せて読む。"],
    ),
    term(
        "coverage",
        ["coverage", "Share of judged items that were won by the same side in both orders."],
        ["被覆率", "判定のある項目のうち、両順で同じ側が勝った割合。"],
    ),
    term(
        "length_controlled",
        [
            "length-controlled (local fit)",
            "Win rate were both responses of every item equally long, by a logistic fit on this run alone. The fit of the AlpacaEval leaderboard uses outside data.",
        ],
        [
            "勝率（長さ調整・局所適合）",
            "両回答の長さが等しいとした場合の勝率。この比較だけで当てはめたロジスティックモデルによる（AlpacaEvalの公式値とは異なる）。",
        ],
    ),
    term(
        "correction",
        [
            "correction",
            "The rate that people would give, estimated from human labels on a random part of the items, or else from the judge's record on the gold set of its certificate.",
        ],
        [
            "補正",
            "人が判定した場合の値の推定。無作為に選んだ項目の人のラベル、または証明書にある判定者の正解率による。",
        ],
    ),
    term(
        "odds_ratio",
        ["odds ratio", "How many times as often one side alone wins as the other side alone; 1 is no difference."],
        ["オッズ比", "一方だけが勝つ回数が、他方だけが勝つ回数の何倍か。1は差なし。"],
    ),
    term(
        "mcnemar",
        [
            "McNemar's test",
            "Compares the wins of both sides that survived the swap; items without such a win say nothing.",
        ],
        ["マクネマー検定", "入れ替えても変わらない双方の勝ち数を比べる。そのような勝ちのない項目は情報を持たない。"],
    ),
];

fn find(name: &str) -> Option<&'static Term> {
    let last = name.rsplit('.').next().unwrap_or(name);
    TERMS.iter().find(|term| term.name == last)
}

/// The label of a figure; its name in words where it has none.
pub(super) fn label(name: &str, lang: Lang) -> String {
    find(name).map_or_else(
        || super::visible::visible_line(name).replace('_', " "),
        |term| if lang == Lang::En { term.en[0] } else { term.ja[0] }.to_owned(),
    )
}

/// The definition of a figure, where there is one.
pub(super) fn definition(name: &str, lang: Lang) -> Option<&'static str> {
    find(name).map(|term| if lang == Lang::En { term.en[1] } else { term.ja[1] })
}

/// The names of all terms in the order in which they are explained.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TERMS.iter().map(|term| term.name)
}
