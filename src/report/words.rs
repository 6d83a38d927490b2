//! Every label and sentence of a report, both languages side by side. Definitions of figures are in `glossary`.

use serde::Serialize;

use crate::analysis::compare::Favours;
use crate::analysis::gate::{Counted, Decision};
use crate::analysis::outcome::Outcome;
use crate::stats::Reason;

use super::Lang;

macro_rules! words {
    ($($name:ident: $en:expr, $ja:expr;)*) => {
        /// The words of one language.
        #[derive(Debug, Serialize)]
        pub(super) struct Words { $(pub(super) $name: &'static str,)* }
        static EN: Words = Words { $($name: $en,)* };
        static JA: Words = Words { $($name: $ja,)* };
    };
}

words! {
    lang: "en", "ja";
    calibration: "Judge calibration", "判定者の較正";
    comparison: "Comparison", "比較";
    theme: "Light / dark", "明暗の切替";
    skip: "Skip to the decision", "結論へ移動";

    decision: "Decision", "結論";
    decision_pass: "PASS", "合格";
    decision_fail: "FAIL", "不合格";
    decision_inconclusive: "INCONCLUSIVE", "判定保留";
    criterion_pass: "holds", "適合";
    criterion_fail: "fails", "不適合";
    criterion_inconclusive: "undecided", "未決";
    control: "control", "対照";
    all_hold: "all {} criteria hold", "{}個の基準をすべて満たす";
    some_fail: "{} of {} criteria fail: {}", "{1}個中{0}個の基準に不適合：{2}";
    some_undecided: "{} of {} criteria are undecided: {}", "{1}個中{0}個の基準が未決：{2}";
    no_criteria: "there was nothing to decide on", "判断の材料がない";
    also_undecided: "undecided: {}", "未決：{}";
    gold_line: "{} labelled items of {}, {} groups", "ラベル付き{}件（全{}件、{}群）";
    overall_pass: "Every judge on trial may be used.", "審査した判定者はすべて使用できる。";
    overall_fail: "At least one judge on trial is not fit for use.", "使用に適さない判定者がある。";
    overall_inconclusive: "The data do not decide yet.", "現在のデータでは決められない。";

    limit: "limit", "限度";
    criterion: "criterion", "基準";
    criteria: "Criteria", "基準";
    open_criteria: "Criteria that fail or are undecided", "不適合または未決の基準";
    decided_on: "decided on", "判断の区間";
    decides_interval: "the whole 90 % interval has to be on the good side", "90 %区間の全体が限度の良い側にあることが条件";
    at_level: " ({} interval)", "（{}区間）";
    decides_point: "decided on the point, not the interval", "区間ではなく点推定で判断";
    good_side: "lies wholly on the good side", "全体が良い側にある";
    bad_side: "lies wholly on the bad side", "全体が悪い側にある";
    straddles: "straddles the limit", "限度をまたいでいる";
    no_figure: "cannot be decided", "判断できない";
    labels_needed: "about {} {} would decide", "{1}が約{0}件あれば決まる";
    labels_needed_here: "about {} {} would decide, here about {} {}", "{1}が約{0}件あれば決まる（このデータでは{3}約{2}件に当たる）";
    counted_decisive: "decisive pairs", "ともに決着した組";
    counted_decisive_unequal: "decisive pairs of unequal length", "ともに決着した、長さの異なる組";
    counted_judged: "judged pairs", "判定済みの組";
    counted_two_orders: "pairs judged in both orders", "両順で判定済みの組";
    counted_judgments: "judgments", "判定";
    counted_labels: "labels", "ラベル";
    items_unit: "items", "項目";
    groups_unit: "groups", "群";
    would_decide: "At this win rate about {} {} would decide against {3}; there are {2}", "この勝率なら、{3}との比較は{1}が約{0}件あれば決まる（現在{2}件）";
    nothing_decides: "The win rate is too close to {} for any foreseeable number of items to decide", "勝率が{}に近すぎ、現実的な件数では決まらない";
    repeats_do_not: "; more repeats of the same items are no substitute", "。同じ項目の反復では代わりにならない";
    items_lost: "{} items, {} judged in both orders", "{}件中、両順で判定できたのは{}件";
    labels_needed_head: "what would decide", "決まる件数";
    value_95: "value, 95 % interval", "値と95 %区間";
    shaded: "The shaded side is the good side; the tall mark is the limit. Bars are the deciding 90 % intervals.",
            "網掛けが良い側、縦線が限度。横棒は判断に用いる90 %区間。";

    scorecard: "Scorecard", "成績表";
    judge: "judge", "判定者";
    judges: "Judges", "判定者";
    figure: "figure", "指標";
    value: "value", "値";
    n: "n", "n";
    method: "method", "方法";
    fingerprint: "fingerprint", "指紋";
    model: "model", "モデル";
    certificate: "certificate", "証明書";
    estimates: "Estimates", "推定値";
    estimates_note: "Every bar is a 95 % interval. Filled marks are judges on trial, hollow marks are controls: baselines that a judge has to beat.",
                    "横棒は95 %信頼区間。塗りつぶしは審査中の判定者、白抜きは対照（判定者が上回るべき基準）。";
    flow: "Where both orders lead", "提示順を入れ替えた結果";
    flow_note: "Each item is judged twice, with the responses swapped. Only a verdict that survives the swap counts.",
               "各項目は回答の順を入れ替えて2回判定する。入れ替えても変わらない判定だけを有効とする。";
    consistent: "same answer in both orders", "両順で同じ答え";
    flow_first: "flip to the first shown", "先に示した側へ反転";
    flow_second: "flip to the second shown", "後に示した側へ反転";
    flow_half: "a win and a tie", "一方だけ引き分け";
    direction_unknown_segment: "inconsistent, direction unknown", "不一致（向きは不明）";
    confusion: "Confusion with the human label", "人のラベルとの混同行列";
    confusion_note: "Rows: human label. Columns: the judge's combined verdict. Shade: share of the row.",
                    "行は人のラベル、列は判定者の総合判定。濃さは行の中の割合。";
    gold: "human label", "人のラベル";
    tie: "tie", "引き分け";
    by_length: "Error by length", "長さ別の誤り率";
    by_length_note: "Share of wrong decisive verdicts where the human label is the longer and where it is the shorter response. A judge that errs much more on the shorter one rewards length.",
                    "人のラベルが長い回答の場合と短い回答の場合の、決着した判定の誤り率。短い側で誤りが多い判定者は、長さに点を与えている。";
    decisive_errors: "decisive errors", "決着した判定の誤り";
    shorter_right: "shorter is right", "短い方が正解";
    longer_right: "longer is right", "長い方が正解";
    by_category: "By category", "カテゴリ別";
    by_language: "By language", "言語別";
    every_figure: "Every figure", "すべての指標";
    humans: "Humans among themselves", "人どうしの一致";
    accounting: "Judgments", "判定の内訳";
    planned: "planned", "予定";
    judged: "judged", "判定済";
    identical: "identical responses", "同一の回答";

    versus: "Judges against each other", "判定者どうしの比較";
    versus_note: "On the same items, first minus second. Right alone: items on which only the one or only the other gives the human label, with McNemar's exact p, corrected for the number of pairs (Holm).",
                 "同じ項目での比較（前者−後者）。「単独正解」は前者だけ、後者だけが人のラベルと一致した項目の数。pは正確マクネマー検定で、組の数についてHolm補正済み。";
    pair: "pair", "組";
    right_alone: "right alone", "単独正解";
    strict_difference: "strict agreement, difference", "一致率（厳密）の差";
    half_difference: "half-credit agreement, difference", "一致率（引き分け半点）の差";
    flip_difference: "flip rate, difference", "反転率の差";
    kappa_each_other: "kappa with each other", "相互のκ";
    pairs_more: "{} more pairs with larger p are in the JSON output.", "pがより大きい残りの{}組はJSON出力にある。";
    pair_missing: "{}: on {} labelled items one of the two has no verdict; whatever it were, the difference in strict agreement would lie between {} and {}",
                  "{}：ラベル付き{}件で、どちらかの判定がない。それが何であっても、厳密な一致率の差は {} から {} の間になる";
    jury: "Jury", "合議";
    jury_note: "The judges vote with their combined verdicts; an inconsistent judge votes for a tie, and without enough votes for one class the jury abstains; against its members an abstention counts as half a point, whatever the label. Nothing is decided on these figures: no gate, no certificate.",
               "各判定者の総合判定を一票とする。両順で不一致の判定者は引き分けに投票し、一つの答えに票が足りなければ合議は棄権する。判定者との比較では、棄権はラベルによらず0.5点と数える。これらの数値は合否にも証明書にも使わない。";
    rule_majority: "majority of those asked", "尋ねた判定者の過半数";
    rule_unanimous: "all of those asked", "尋ねた判定者の全員一致";
    jury_line: "{} members ({}), {}: it rules on {} of {} items. a {}, b {}, tie {}; abstains for no majority {}, for too few votes {}",
               "{}名（{}）、{}：全{4}件のうち {3} で結論を出す。a {5}、b {6}、引き分け {7}。棄権：多数なし {8}、票不足 {9}";
    jury_better: "The jury is better than its best member, {}: {}", "合議は最良の判定者 {} を上回る：{}";
    jury_worse: "The jury is worse than its best member, {}: {}", "合議は最良の判定者 {} を下回る：{}";
    jury_open: "Nothing shows that the jury is better or worse than its best member, {}: {}",
               "合議が最良の判定者 {} より良いとも悪いとも言えない：{}";
    jury_measure: "of half-credit agreement. The best member was found on these very items; the interval chooses it anew in each resample.",
                  "（引き分け半点の一致率）。最良の判定者は同じ項目で選んだものであり、区間は再標本ごとに選び直している。";
    jury_shared: "Of a member's errors, another member makes {} too; unrelated errors would be shared as often as members err, {}. On {} of the items every member is wrong: no rule repairs those.",
                 "ある判定者の誤りのうち {} は別の判定者も誤っている。誤りが無関係なら、共有される割合は誤り率 {} と同じになる。全員が誤った項目は {} で、どんな規則でも正せない。";
    jury_gains: "Jury minus member", "合議と各判定者の差";
    jury_and_members: "Jury and members", "合議と各判定者";
    member: "member", "判定者";
    best_member: "best member", "最良の判定者";
    mean_member: "mean of the members", "判定者の平均";
    right_alone_jury: "right alone, jury : member", "単独正解（合議：判定者）";

    not_measured: "What could not be measured", "測れなかったもの";
    nothing_missing: "Everything on the list was measured.", "一覧の指標はすべて測定した。";
    needs: "needs", "必要なもの：";
    warnings: "Warnings", "注意";
    not_estimable: "not estimable", "推定不能";

    items: "Items", "項目";
    items_shown: "Every verdict is here. The texts of {} of {} items are in this page: flips {}, disagreements with the label {}, no verdict {}, others {}, drawn by the seed; --show-items N or --show-items all puts in more.",
                 "判定はすべてここにある。本文は全{1}件のうち{0}件を収録：反転 {2}、ラベルと不一致 {3}、判定なし {4}、その他 {5}（シードにより抽出）。--show-items N または --show-items all で増やせる。";
    text_cut: "{} more characters are left out here", "以下{}文字を省略";
    text_left_out: "The texts of this item are not in this page.", "この項目の本文はこのページに収録していない。";
    no_stream: "This browser cannot unpack the items; everything above is complete without them.",
               "このブラウザーでは項目を展開できない。ここまでの内容はすべて読める。";
    loading: "unpacking…", "展開中…";
    sort: "sort", "並べ替え";
    sort_set: "in the order of the set", "項目セットの順";
    sort_telling: "most telling first", "注目すべき順";
    sort_category: "by category", "カテゴリ順";
    sort_label: "by human label", "人のラベル順";
    any_label: "any label", "すべてのラベル";
    no_label: "no label", "ラベルなし";
    differences: "mark what differs", "違いを強調";
    only_texts: "with texts only", "本文のある項目のみ";
    first_page: "first page", "最初";
    last_page: "last page", "最後";
    items_all: "{} items.", "全{}件。";
    items_none: "No items were handed to this report.", "このレポートには項目が含まれていない。";
    no_script: "The items can be browsed where scripts are allowed; everything above is complete without them.",
               "項目の閲覧にはスクリプトが必要。ここまでの内容はスクリプトなしで完全に読める。";
    show: "show", "表示";
    filter_all: "all items", "すべて";
    filter_flips: "flips", "反転";
    filter_disagree: "disagreements with the label", "ラベルと不一致";
    filter_none: "no verdict", "判定なし";
    any_judge: "any judge", "すべての判定者";
    any_category: "any category", "すべてのカテゴリ";
    search: "search ids and texts", "IDと本文を検索";
    keys: "Keys: j / k or arrows move, Enter opens, n / p turn the page, / searches, Esc leaves a field.", "キー操作：j / k または矢印で移動、Enter 開閉、n / p ページ、/ 検索、Esc で入力欄を離れる";
    previous: "previous", "前へ";
    next: "next", "次へ";
    no_match: "No item matches.", "該当する項目はない。";
    prompt: "prompt", "プロンプト";
    response: "response", "回答";
    no_text: "not recorded", "記録なし";
    why: "why", "理由";
    shown_first: "{} shown first", "{}を先に提示";
    raw: "raw completion", "生の出力";
    reasoning: "reasoning", "思考";
    said_first: "first", "先";
    said_second: "second", "後";
    agrees: "agrees", "一致";
    disagrees: "disagrees", "不一致";
    category: "category", "カテゴリ";
    language: "language", "言語";
    group: "group", "群";
    of: "of", "/";

    charts: "Charts", "図";
    as_table: "the numbers", "数値";
    table: "table", "表";
    mean: "mean", "平均";
    orders: "The verdict in one order against the other", "一方の順での判定ともう一方の順での判定";
    orders_note: "Left: what the judge said with A shown first; right: with B shown first. A level ribbon is the same answer twice; one that crosses between A and B follows the place, not the response.",
                 "左はAを先に、右はBを先に示したときの判定。水平な帯は両順で同じ答え、AとBの間を渡る帯は回答ではなく位置に従った判定。";
    no_verdict_class: "no verdict", "判定なし";
    confidence: "Stated probability against how often it is right", "示した確率と実際の正解率";
    confidence_note: "Reliability diagram. On the diagonal, what a judge calls 80 % certain is right in 80 % of the cases; below it the judge is overconfident. Bars are 95 % intervals over items or groups.",
                     "信頼度図。対角線上なら、80 %と示した判定は80 %が正しい。下にあれば自信過剰。縦棒は項目または群についての95 %区間。";
    stated: "stated probability of the side named", "選んだ側の確率";
    right_share: "share right", "正解の割合";
    by_length_score: "Score by difference in length", "長さの差と得点";
    by_length_score_note: "Items in bins of about equal size by the length of A minus that of B. Filled: score of A by the judge; hollow: by the human labels of the same items. Bars are 95 % intervals, the curve is a logistic fit to the judge's single verdicts. A judge that rises where people do not rewards length.",
                          "Aの長さ−Bの長さで項目をほぼ同数の階級に分けた。塗りは判定者によるAの得点、白抜きは同じ項目の人のラベルによる得点。縦棒は95 %区間、曲線は個々の判定へのロジスティック回帰。人にない上昇があれば、判定者は長さに点を与えている。";
    score_of: "score of {}", "{}の得点";
    length_difference: "length of A − length of B, characters", "Aの長さ − Bの長さ（文字数）";
    length_fit: "Fit: log-odds = {} · tanh(difference / {2}) + {1}, from n = {3}.", "回帰：対数オッズ = {0} · tanh(差 / {2}) + {1}（n = {3}）";
    no_fit: "No curve:", "曲線なし：";
    lengths: "How lengths differ", "長さの差の分布";
    lengths_note: "Number of rows by the length of A minus that of B; the outer bars hold all beyond.",
                  "Aの長さ−Bの長さごとの件数。両端の棒はその外側をすべて含む。";
    multiples_note: "One panel a category, all on one scale. Bars are 95 % intervals; with many categories some lie far out by chance alone.",
                    "カテゴリごとの小図（目盛は共通）。横棒は95 %区間。カテゴリが多いと、偶然だけで外れるものもある。";
    panels_more: "{} more categories with fewer items are under “Every figure” and in the JSON output.",
                 "件数の少ない残り{}カテゴリは「すべての指標」とJSON出力にある。";
    categories_more: "{} more categories with fewer items are in the table and in the JSON output.",
                     "件数の少ない残り{}カテゴリは表とJSON出力にある。";
    gap_length: "whether length decides", "長さの影響";
    gap_checks: "pass or fail by deterministic checks", "検査による合否";
    gap_categories: "differences between categories", "カテゴリ間の差";
    gap_confidence: "whether stated probabilities come true", "示した確率の信頼度";
    gap_correction: "the rate as people would judge it", "人が判定した場合の割合";
    gap_orders: "which order each verdict was given in", "どの順での判定か";
    needs_lengths: "`len_a_chars` and `len_b_chars`, or the texts of the responses", "`len_a_chars` と `len_b_chars`、または回答の本文";
    needs_checks: "`checks` in the items", "項目の `checks`";
    needs_categories: "`category` in the items, at least two of them", "項目の `category`（2種類以上）";
    needs_probabilities: "probabilities (`p` in recorded verdicts, or read = \"logprobs\") on items with a human label",
                         "人のラベルがある項目での確率（記録済み判定の `p`、または read = \"logprobs\"）";
    needs_orders: "`ab` and `ba` instead of `merged` alone", "`merged` だけでなく `ab` と `ba`";

    how_to_read: "How to read this", "読み方";
    term: "term", "用語";
    provenance: "Provenance", "来歴";
    reproduce: "The command that makes this again", "再現するコマンド";
    inputs: "Inputs", "入力";
    role: "role", "役割";
    path: "path", "パス";
    records: "records", "件数";
    digest: "SHA-256", "SHA-256";
    seed: "seed", "シード";
    resamples: "resamples", "再標本数";
    generator: "generator", "乱数生成器";
    date: "date", "日時";
    version: "tool version", "ツールのバージョン";

    favours_a: "{} is better", "{}の方が良い";
    favours_undecided: "undecided", "未決";
    no_worse: "{} is no worse than {} by more than {} points", "{}は{}より{}ポイントを超えて劣らない";
    equivalent: "no difference of more than {} points", "{}ポイントを超える差はない";
    between: "{} against {}", "{} 対 {}";
    rates: "Win rate of {}, in three readings", "{}の勝率：三つの読み方";
    rates_note: "Share won by {}. The line is 50 %: no difference. Bars are 95 % intervals.",
                "{}の勝ちの割合。縦線は50 %（差なし）。横棒は95 %信頼区間。";
    outcomes: "Outcomes", "結果の内訳";
    outcome: "outcome", "結果";
    count: "count", "件数";
    share: "share", "割合";
    tests: "Tests", "検定";
    test: "test", "検定";
    data: "data", "データ";
    mcnemar_exact: "McNemar, exact", "マクネマー検定（正確）";
    mcnemar_mid: "McNemar, mid-p", "マクネマー検定（mid-p）";
    sign_test: "sign test, graded score", "符号検定（段階得点）";
    permutation: "paired permutation, graded score", "対応のある並べ替え検定（段階得点）";
    detectable: "Smallest effect that 80 % of such samples would have shown: a win rate {} away from 50 %",
                "このような標本の80 %が検出できる最小の効果：勝率の50 %からの差{}";
    intervals: "Other intervals of the win rate", "勝率の他の区間";
    bounds: "Bounds for missing verdicts", "判定なしの上下限";
    bounds_note: "{} items have no verdict. Were they all lost, the win rate would be {}; all won, {}.",
                 "判定のない項目は{}件。すべて負けとすると勝率は{}、すべて勝ちとすると{}。";
    bounds_none: "No verdict is missing.", "判定のない項目はない。";
    few_units: "Fewer than 20 resampling units: the intervals are wide for a reason.",
               "再抽出の単位が20未満なので、区間は広い。";
    correction: "Corrected for the judge's measured error", "判定者の誤りを補正した値";
    as_judged: "{}, as judged", "{}（判定のまま）";
    as_corrected: "{}, as people would judge", "{}（人が判定した場合の推定）";
    valid_every_item: "Every item carries a human label: the labels themselves are the answer for the people who labelled, the raw rate is the answer of this judge.",
                      "すべての項目に人のラベルがある。人の答えはラベルそのものであり、判定のままの値はこの判定者の答えである。";
    valid_random_sample: "The raw rate is the answer of this judge. The corrected one is that of the people who labelled, and valid if the {} labelled items are a random sample of the {}; weight of the judge {}.",
                         "判定のままの値はこの判定者の答えである。補正した値は人の答えの推定であり、ラベル付きの{}件が全{}件からの無作為標本である場合に妥当（判定者の重み {}）。";
    valid_record: "The raw rate is the answer of this judge. The corrected one is that of the people who labelled {}, and valid if the judge errs here as it did there ({} right, lower bound {}), equally often in favour of either side.",
                  "判定のままの値はこの判定者の答えである。補正した値は {} にラベルを付けた人の答えの推定であり、判定者がそこと同じ割合で（正解 {}、下限 {}）どちらの側にも偏らずに誤る場合に妥当。";
    no_correction: "Not corrected: {}. The raw rate is the answer of this judge, not of people.",
                   "補正できない：{}。判定のままの値はこの判定者の答えであり、人の答えではない。";
    and: "; and ", "。また、";
    lacks_gold: "no item carries a human label", "人のラベルが付いた項目がない";
    lacks_random_sample: "nobody said that the labelled items are a random sample (--gold-sample random)",
                         "ラベル付きの項目が無作為標本かどうか不明（--gold-sample random で宣言する）";
    lacks_whole_sample: "not all items that were drawn for labelling carry a label", "抽出した項目の一部にラベルがない";
    lacks_one_sample: "the items were drawn in several samples", "項目が複数の標本に分かれている";
    lacks_more_gold: "fewer than 10 labelled items", "ラベル付きの項目が10件未満";
    lacks_spread: "the labels leave no error to estimate", "ラベルから誤差を推定できない";
    lacks_certificate: "no certificate with the judge's accuracy opened the door", "判定者の正解率を示す証明書がない";
    lacks_decided: "no item was decided", "決着した項目がない";
    lacks_informative: "the judge's accuracy may be one half or less", "判定者の正解率が2分の1以下の可能性がある";
    effect: "One side alone minus the other alone, of all units: {} (Tango); odds ratio {}", "一方だけの割合の差（全単位中）：{}（Tango）、オッズ比 {}";
    checks: "By the checks of the items, without a judge", "項目の検査による比較（判定者なし）";
    passes: "{} passes", "{}の合格率";
    required_better: "Required: better. The lower bound of the win rate has to be above {} and is {}: {}",
                     "要件：優れていること。勝率の下限が{}を上回る必要があり、実際は{}：{}";
    required_no_worse: "Required: no worse by more than {}. The lower bound of the win rate has to be above {} and is {}: {}",
                       "要件：{}を超えて劣らないこと。勝率の下限が{}を上回る必要があり、実際は{}：{}";
    prereg: "Pre-registration", "事前登録";
    planned_head: "planned", "計画";
    done_head: "done", "実施";
    field: "field", "項目名";
    as_planned: "as planned", "計画どおり";
    prereg_answer: "By the plan: {}, lower bound above {}: {}", "計画による答え：{}、下限が{}を上回ること：{}";
    interaction: "One win rate in all {} categories? {} (permutation of {} units). Significant in one and not in another is no difference between them.",
                 "全{}カテゴリで勝率は等しいか：{}（{}単位の並べ替え）。一方で有意、他方で有意でないことは、カテゴリ間の差を意味しない。";
    no_interaction: "Whether categories differ was not tested: {}", "カテゴリ間の差は検定していない：{}";
    p_holm: "p after Holm", "p（Holm補正後）";
    judge_line: "Judged by {}, {} items, {} groups, flip rate {}", "判定者 {}、{}件、{}群、反転率 {}";
    win_interval: "the win rate of {}, {}, {}", "{}の勝率 {} は{}";
    above_half: "lies wholly above 50 %", "区間全体が50 %を上回る";
    below_half: "lies wholly below 50 %", "区間全体が50 %を下回る";
    holds_half: "does not settle which side is better", "優劣を決めない";
    opposed: "win rate and graded score point to different sides", "勝率と段階得点が異なる側を指している";
    over_control: "over {}", "{}に対して";
    no_certificate: "none", "なし";

    banner_uncalibrated: "Uncalibrated judge: nothing below is backed by a certificate.",
                         "未較正の判定者：以下の数値は証明書に裏付けられていない。";
    banner_failed: "This judge was tried on {} ({}) and FAILED on {}. ", "この判定者は{}での審査（{}）で不合格となった：{}。";
    banner_open: "This judge was tried on {} ({}), which left undecided: {}. ", "この判定者は{}で審査された（{}）が、次が未決である：{}。";
    listed: ", ", "、";
    banner_control: "Control judge: a known answer or a dumb baseline, not a measurement of quality.",
                    "対照判定者：既知の答えまたは単純な基準であり、品質の測定ではない。";
    banner_recorded: "Recorded verdicts of a judge without a certificate.", "証明書のない判定者の記録済み判定。";

    outcome_a: "{} wins in both orders", "両順で{}の勝ち";
    outcome_tie: "tie in both orders", "両順で引き分け";
    outcome_half: "{} and a tie", "{}と引き分け";
    outcome_identical: "identical responses, not asked", "同一の回答（判定せず）";
    outcome_none: "no verdict", "判定なし";
    none_unparsed: "unreadable", "読み取れず";
    none_refused: "refused", "拒否";
    none_filtered: "filtered", "フィルタ";
    none_truncated: "cut off", "途中で切断";
    none_failed: "call failed", "呼び出し失敗";
    none_missing: "missing", "欠落";
    same_inputs: "The same inputs, recorded completions and seed give the same bytes.",
                 "同じ入力、記録済みの出力、シードからは同じバイト列が得られる。";
}

impl Words {
    /// The words of a language.
    pub(super) fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ja => &JA,
        }
    }

    pub(super) fn is_english(&self) -> bool {
        self.lang == "en"
    }

    /// The word over a judge.
    pub(super) fn decision(&self, decision: Decision) -> &'static str {
        match decision {
            Decision::Pass => self.decision_pass,
            Decision::Inconclusive => self.decision_inconclusive,
            Decision::Fail => self.decision_fail,
        }
    }

    /// The word beside a criterion.
    pub(super) fn criterion_word(&self, decision: Decision) -> &'static str {
        match decision {
            Decision::Pass => self.criterion_pass,
            Decision::Inconclusive => self.criterion_inconclusive,
            Decision::Fail => self.criterion_fail,
        }
    }

    /// The sentence over all judges.
    pub(super) fn overall(&self, decision: Decision) -> &'static str {
        match decision {
            Decision::Pass => self.overall_pass,
            Decision::Inconclusive => self.overall_inconclusive,
            Decision::Fail => self.overall_fail,
        }
    }

    /// Which of two systems is better.
    pub(super) fn favours(&self, favours: Favours, a: &str, b: &str) -> String {
        match favours {
            Favours::A => fill(self.favours_a, &[a]),
            Favours::B => fill(self.favours_a, &[b]),
            Favours::Undecided => self.favours_undecided.to_owned(),
        }
    }

    /// An outcome with the names of both sides.
    pub(super) fn outcome_of(&self, outcome: Outcome, a: &str, b: &str) -> String {
        match outcome {
            Outcome::AWins => fill(self.outcome_a, &[a]),
            Outcome::BWins => fill(self.outcome_a, &[b]),
            Outcome::Tie => self.outcome_tie.to_owned(),
            Outcome::FlipFirst => self.flow_first.to_owned(),
            Outcome::FlipSecond => self.flow_second.to_owned(),
            Outcome::HalfA => fill(self.outcome_half, &[a]),
            Outcome::HalfB => fill(self.outcome_half, &[b]),
            Outcome::Inconsistent => self.direction_unknown_segment.to_owned(),
            Outcome::NoVerdict => self.outcome_none.to_owned(),
        }
    }

    /// Why there is no number, in words.
    /// What a criterion's `n` counts.
    pub(super) fn counted(&self, counted: Counted) -> &'static str {
        match counted {
            Counted::DecisiveRows => self.counted_decisive,
            Counted::DecisiveUnequalRows => self.counted_decisive_unequal,
            Counted::JudgedRows => self.counted_judged,
            Counted::TwoOrderRows => self.counted_two_orders,
            Counted::Judgments => self.counted_judgments,
            Counted::Labels => self.counted_labels,
        }
    }

    pub(super) fn reason(&self, reason: Reason) -> &'static str {
        let english = self.is_english();
        let pick = |en, ja| if english { en } else { ja };
        match reason {
            Reason::Empty => pick("nothing to count", "対象がない"),
            Reason::TooFew => pick("too few units", "単位が少なすぎる"),
            Reason::Constant => pick("every value is the same", "値がすべて同じ"),
            Reason::Separated => pick("a perfect split", "完全に分離している"),
            Reason::Disconnected => pick("parts of the data cannot be compared", "比較できない部分がある"),
            Reason::NotConverged => pick("the fit did not settle", "当てはめが収束しない"),
            Reason::Invalid => pick("outside what the method covers", "手法の対象外"),
            Reason::NoGold => pick("no human label", "人のラベルがない"),
            Reason::DirectionUnknown => {
                pick("only the fold of both orders was recorded", "両順をまとめた結果しか記録がない")
            }
            Reason::NotRecorded => pick("not recorded", "記録がない"),
            Reason::NoRepeats => pick("each order was asked once", "各順の判定が1回だけ"),
            Reason::NotInformative => pick("the judge is no better than chance", "判定者が偶然と区別できない"),
        }
    }
}

/// Fills `{}` in order, and `{0}`, `{1}` by position. What is filled in is never looked at again.
pub(super) fn fill(pattern: &str, values: &[&str]) -> String {
    let mut out = String::with_capacity(pattern.len() + 32);
    let mut next = 0;
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((inside, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let index = inside.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        out.push_str(values.get(index).copied().unwrap_or(""));
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_with_braces_are_not_filled_again() {
        assert_eq!(fill("{} of {}", &["{}", "2"]), "{} of 2");
        assert_eq!(fill("{1}:{0}", &["a", "b"]), "b:a");
    }

    #[test]
    fn both_languages_have_the_same_number_of_slots() {
        let slots = |words: &Words| {
            let value = serde_json::to_value(words).unwrap();
            let map = value.as_object().unwrap().clone();
            map.into_iter().map(|(name, text)| (name, text.as_str().unwrap().matches('{').count())).collect::<Vec<_>>()
        };
        assert_eq!(slots(&EN), slots(&JA));
    }
}
