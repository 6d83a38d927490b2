//! A hand-made calibration and comparison with numbers as they occur, texts in two scripts, and texts that attack.

use tribunal::analysis::calibration::{Calibration, GoldSummary, Scorecard};
use tribunal::analysis::compare::{
    Banner, Bounds, CategoryRow, Comparison, Favours, Interaction, McNemarResult, Odds, OutcomeShares, Outcomes,
    Required, Requirement, Reruns,
};
use tribunal::analysis::correction::{Correction, Inputs, JudgeAccuracy, Method, ValidWhen};
use tribunal::analysis::discordant::ChecksResult;
use tribunal::analysis::figures::{Entry, Figures, Test};
use tribunal::analysis::gate::{Criterion, DecideOn, Decision, Gate, Limit, Why};
use tribunal::analysis::jury::{Gain, Jury, Note, Rule, Rulings, Worth};
use tribunal::analysis::outcome::{Accounting, Outcome, Tally};
use tribunal::analysis::prereg::{Deviation, Held, Metric, Plan, Prereg, Stopping};
use tribunal::analysis::series::{
    Confidence, ConfidenceBin, Length, LengthBin, LengthCount, LengthFit, Orders, Series,
};
use tribunal::analysis::unmeasured::Unmeasured;
use tribunal::analysis::versus::{Overlap, Paired, Versus, WorstCase};
use tribunal::analysis::warning::Warning;
use tribunal::domain::{
    Digest, Fingerprint, InputFile, NoVerdict, Order, Preference, Reading, RunManifest, SystemName, Verdict,
};
use tribunal::report::{ItemRecord, ItemTable, JudgeRecord, OrderRecord};
use tribunal::stats::{Estimate, Figure, NotEstimable, Reason};

/// Texts that would act if any format let them.
pub const HOSTILE: &str = "</script><script>window.PWNED=1</script><img src=x onerror=\"PWNED=1\">\
<svg onload=PWNED=1><style>*{display:none}</style><!-- ]]> {{ 7*7 }} {% raw %} \u{0}\u{1b}[31m\u{202e}evil\u{2066}\u{2028} \
| a | **b** [x](javascript:alert(1)) ![i](http://h/i) @team";

/// A share with its Wilson interval.
pub fn share(k: u64, n: u64) -> Figure {
    if n == 0 {
        return Err(NotEstimable::with_counts(Reason::Empty, 0, 0));
    }
    let (z, count) = (1.959_963_984_540_054_f64, n as f64);
    let p = k as f64 / count;
    let middle = (p + z * z / (2.0 * count)) / (1.0 + z * z / count);
    let half = z / (1.0 + z * z / count) * (p * (1.0 - p) / count + z * z / (4.0 * count * count)).sqrt();
    Ok(Estimate {
        point: p,
        lower: (middle - half).max(0.0),
        upper: (middle + half).min(1.0),
        level: 0.95,
        n,
        k: Some(k),
        k_half: None,
        method: "wilson",
    })
}

/// Any other figure.
#[allow(clippy::unnecessary_wraps, reason = "a figure is a result")]
pub fn plain(point: f64, half: f64, n: u64, method: &'static str) -> Figure {
    Ok(Estimate { point, lower: point - half, upper: point + half, level: 0.95, n, k: None, k_half: None, method })
}

/// The same at 90 %.
fn narrower(figure: &Figure) -> Figure {
    let mut found = figure.clone()?;
    let factor = 1.645 / 1.96;
    found.lower = found.point - (found.point - found.lower) * factor;
    found.upper = found.point + (found.upper - found.point) * factor;
    found.level = 0.9;
    Ok(found)
}

struct Said {
    cells: [[u64; 3]; 3],
    flips: [u64; 2],
    half: u64,
    kappa: f64,
    shorter: [u64; 2],
    longer: [u64; 2],
    missing: u64,
}

fn figures(said: &Said) -> Figures {
    let cells = said.cells;
    let total: u64 = cells.iter().flatten().sum();
    let diagonal = cells[0][0] + cells[1][1] + cells[2][2];
    let decisive = cells[0][0] + cells[1][1];
    let decisive_n = decisive + cells[0][1] + cells[1][0];
    let both_tie = cells[0][2] + cells[1][2] + cells[2][0] + cells[2][1];
    let half_credit = 2 * diagonal + both_tie;
    let [first, second] = said.flips;
    let inconsistent = first + second + said.half;
    let mut out = Figures::new();
    out.count("rows", total + said.missing);
    out.count("judged", total);
    out.figure("agreement_decisive", share(decisive, decisive_n));
    out.figure("agreement_half_credit", with_halves(half_credit, total));
    out.figure("agreement_strict", share(diagonal, total));
    out.figure("agreement_lenient", share(diagonal + both_tie, total));
    out.figure("kappa_strict", plain(said.kappa, 0.11, total, "bca"));
    out.figure("ac1", plain(said.kappa + 0.04, 0.1, total, "bca"));
    out.push("confusion", Entry::Matrix(cells));
    out.figure("position_consistency", share(total - inconsistent, total));
    out.figure("inconsistency_rate", share(inconsistent, total));
    out.figure("flip_rate", share(first + second, total));
    out.figure("flip_rate_decisive", share(first + second, total - said.half));
    out.figure("flip_first_rate", share(first, total));
    out.figure("flip_second_rate", share(second, total));
    out.figure("one_tie_rate", share(said.half, total));
    let detectable = Ok(0.21);
    out.push("direction", Entry::Test(Test { p: 0.013, k: first, n: first + second, method: "binomial", detectable }));
    out.figure("length_error_gap", gap(said));
    let mut length = Figures::new();
    length.figure("error_gold_shorter_decisive", share(said.shorter[0], said.shorter[1]));
    length.figure("error_gold_longer_decisive", share(said.longer[0], said.longer[1]));
    out.push("length", Entry::Group(length));
    out.figure("no_verdict_rate", share(said.missing * 2, (total + said.missing) * 2));
    out.figure("flip_excess", Err(NotEstimable::because(Reason::NoRepeats)));
    let mut parts = Figures::new();
    for (name, k, n) in [("arithmetic", 21, 23), ("code", 17, 22), ("要約", 9, 14)] {
        let mut part = Figures::new();
        part.figure("agreement_decisive", share((k * decisive / decisive_n.max(1)).min(n), n));
        parts.push(name, Entry::Group(part));
    }
    out.push("by_category", Entry::Group(parts));
    out
}

fn with_halves(k_half: u64, n: u64) -> Figure {
    let mut found = share(k_half / 2, n)?;
    (found.point, found.k, found.k_half, found.method) = (k_half as f64 / n as f64 / 2.0, None, Some(k_half), "bca");
    Ok(found)
}

fn gap(said: &Said) -> Figure {
    let [short, long] = [said.shorter, said.longer].map(|[k, n]| k as f64 / n as f64);
    plain(short - long, 0.13, said.shorter[1] + said.longer[1], "newcombe")
}

fn criterion(name: &str, figures: &Figures, limit: Limit) -> Criterion {
    let figure = figures.get(name);
    let point = name == "no_verdict_rate";
    let mut decided_on = narrower(&figure);
    if let (true, Ok(on)) = (point, &mut decided_on) {
        (on.lower, on.upper, on.method) = (on.point, on.point, "point");
    }
    let decision = decided_on.as_ref().map_or(Decision::Inconclusive, |on| limit.decide(on.lower, on.upper));
    let decide = if point { DecideOn::Point } else { DecideOn::Interval };
    let labels_needed = (decision == Decision::Inconclusive).then_some(410);
    Criterion {
        name: name.to_owned(),
        decision,
        figure,
        decided_on,
        decide,
        limit,
        labels_needed,
        gold_needed: labels_needed,
        reason: String::new(),
        why: Why::Figure,
    }
}

fn card(name: &str, model: &str, said: &Said, on_trial: Option<Figure>) -> Scorecard {
    let figures = figures(said);
    let gate = on_trial.map(|advantage| {
        let mut criteria = vec![
            criterion("flip_rate", &figures, Limit::Max(0.20)),
            criterion("agreement_decisive", &figures, Limit::Min(0.75)),
            criterion("kappa_strict", &figures, Limit::Min(0.40)),
            criterion("length_error_gap", &figures, Limit::Max(0.20)),
            criterion("no_verdict_rate", &figures, Limit::Max(0.05)),
        ];
        let mut all = Figures::new();
        all.figure("beats_controls", advantage);
        criteria.push(criterion("beats_controls", &all, Limit::Above(0.0)));
        Gate::of(criteria)
    });
    let planned: u64 = said.cells.iter().flatten().sum::<u64>() + said.missing;
    let tally = Tally { planned, judged: planned - said.missing, none: [said.missing, 0, 0, 0, 0, 0] };
    Scorecard {
        name: name.into(),
        fingerprint: Fingerprint(Digest::of(name.as_bytes()).to_string()),
        model: (!model.is_empty()).then(|| model.to_owned()),
        accounting: Accounting { ab: tally, ba: tally, identical: 0 },
        series: gate.as_ref().map(|_| series(planned)),
        not_measured: gate.iter().map(|_| Unmeasured::Noise).collect(),
        certificate: gate.as_ref().map(|_| format!("certificates/{name}.json")),
        figures,
        figures_clustered: Figures::new(),
        gate,
        warnings: Vec::new(),
    }
}

/// One judge that passes, one that fails, one that is undecided; three controls.
pub fn calibration() -> Calibration {
    let good = Said {
        cells: [[58, 2, 1], [1, 53, 2], [3, 2, 14]],
        flips: [4, 2],
        half: 3,
        kappa: 0.867,
        shorter: [2, 48],
        longer: [1, 66],
        missing: 0,
    };
    let bad = Said {
        cells: [[38, 12, 11], [14, 28, 14], [5, 4, 8]],
        flips: [39, 4],
        half: 9,
        kappa: 0.262,
        shorter: [21, 40],
        longer: [5, 52],
        missing: 2,
    };
    let unsure = Said {
        cells: [[45, 7, 9], [6, 41, 9], [6, 4, 9]],
        flips: [17, 7],
        half: 6,
        kappa: 0.512,
        shorter: [8, 44],
        longer: [5, 55],
        missing: 0,
    };
    let control = |cells: [[u64; 3]; 3], flips| Said {
        cells,
        flips,
        half: 0,
        kappa: 0.01,
        shorter: [20, 40],
        longer: [27, 55],
        missing: 0,
    };
    let mut judges = vec![
        card("mini", "gpt-4.1-mini-2025-04-14", &good, Some(plain(0.291, 0.07, 136, "bca"))),
        card("local-8b", "llama-3.1-8b-instruct", &bad, Some(plain(-0.013, 0.08, 134, "bca"))),
        card("審判-中", "", &unsure, Some(plain(0.142, 0.09, 136, "bca"))),
    ];
    judges[1].warnings.push(Warning::NoVerdicts { without: 2, planned: 272, kinds: vec![(NoVerdict::Unparsed, 2)] });
    Calibration {
        decision: Decision::Fail,
        judges,
        controls: vec![
            baseline("control:coin?seed=7", &control([[16, 14, 31], [13, 15, 28], [4, 5, 10]], [33, 36])),
            baseline("control:first", &control([[0, 0, 61], [0, 0, 56], [0, 0, 19]], [136, 0])),
            baseline("control:longest", &control([[38, 22, 1], [25, 30, 1], [9, 10, 0]], [0, 0])),
        ],
        versus: vec![
            versus("mini", "local-8b", [68, 57, 6, 5], 0.31),
            versus("mini", "審判-中", [88, 37, 7, 4], 0.44),
            versus("local-8b", "審判-中", [58, 16, 37, 25], 0.29),
        ],
        jury: Some(jury()),
        humans: humans(),
        gold: GoldSummary {
            name: "core.jsonl".to_owned(),
            digest: Digest::of(b"gold"),
            items: 140,
            labelled: 136,
            labels: [61, 56, 19],
            disputed: 2,
            groups: 120,
            categories: vec!["arithmetic".to_owned(), "code".to_owned(), "要約".to_owned()],
            languages: vec!["en".to_owned(), "ja".to_owned()],
        },
        warnings: vec![Warning::Disputed { items: 2, first: vec!["q7".to_owned(), "q9".to_owned()] }],
    }
}

/// Right of both, of the first alone, of the second alone, of neither.
fn paired([both, a_only, b_only, neither]: [u64; 4]) -> Paired {
    let n = both + a_only + b_only + neither;
    let point = (a_only as f64 - b_only as f64) / n as f64;
    Paired {
        both,
        a_only,
        b_only,
        neither,
        voices: [a_only, b_only],
        p_exact: 0.000_21,
        p_mid: 0.000_18,
        p_holm: 0.000_63,
        difference: plain(point, 0.11, n, "tango"),
    }
}

fn versus(a: &str, b: &str, right: [u64; 4], kappa: f64) -> Versus {
    let n: u64 = right.iter().sum();
    let missing = if a == "local-8b" || b == "local-8b" { 2 } else { 0 };
    Versus {
        a: a.into(),
        b: b.into(),
        verdicts: Overlap { both: n, only_a: missing, only_b: 0, none: 0 },
        right: paired(right),
        half_credit: plain(0.17, 0.09, n, "t_clustered"),
        flips: paired([3, 3, 40, n - 46]),
        agreement: share(right[0] + 10, n),
        kappa: plain(kappa, 0.12, n, "bca"),
        both_wrong: share(right[3], n),
        bounds: WorstCase { lower: Some(0.34), upper: Some(0.389), missing },
    }
}

/// A jury of the three that adds nothing to the best of them.
fn jury() -> Jury {
    let mut figures = Figures::new();
    figures.count("rows", 138);
    figures.figure("agreement_decisive", share(104, 112));
    figures.figure("agreement_strict", share(113, 128));
    figures.figure("agreement_half_credit", plain(0.91, 0.05, 128, "t_clustered"));
    figures.figure("kappa_strict", plain(0.81, 0.09, 128, "bca"));
    figures.figure("flip_rate", share(9, 124));
    let gain = |member: &str, point: f64| Gain {
        member: member.into(),
        difference: plain(point, 0.06, 136, "t_clustered"),
        p: 0.031,
        p_holm: 0.062,
        right: paired([100, 13, 5, 10]),
    };
    Jury {
        members: ["local-8b", "mini", "審判-中"].map(Into::into).to_vec(),
        rule: Rule::Majority,
        rulings: Rulings { a: 57, b: 52, tie: 19, no_majority: 8, too_few_votes: 2 },
        coverage: share(128, 138),
        figures,
        errors: share(117, 404),
        shared_errors: share(96, 230),
        all_wrong: share(3, 136),
        best: Some("mini".into()),
        over_best: plain(-0.021, 0.05, 136, "bca"),
        worth: Worth::Undecided,
        over_mean: plain(0.084, 0.04, 136, "t_clustered"),
        gains: vec![gain("local-8b", 0.19), gain("mini", -0.021), gain("審判-中", 0.09)],
        notes: vec![Note::Small { units: 84 }],
    }
}

fn baseline(name: &str, said: &Said) -> Scorecard {
    card(name, "", said, None)
}

fn humans() -> Figures {
    let mut humans = Figures::new();
    humans.figure("pairwise_vote_agreement", share(1552, 2368));
    humans.figure("alpha", plain(0.52, 0.04, 961, "bca"));
    humans
}

const OUTCOMES: Outcomes = Outcomes {
    a_wins: 96,
    b_wins: 151,
    tie: 41,
    flip_first: 52,
    flip_second: 17,
    half_a: 14,
    half_b: 20,
    inconsistent: 0,
    identical: 3,
    no_verdict: 6,
};

/// A comparison that favours `b`.
pub fn comparison() -> Comparison {
    let tally = |missing| Tally { planned: 400, judged: 400 - missing, none: [missing, 0, 0, 0, 0, 0] };
    let rate = |point: f64, half: f64, method| plain(point, half, 394, method);
    Comparison {
        a: "prompt-v1".to_owned(),
        b: "prompt-v2".to_owned(),
        judge: "mini".into(),
        fingerprint: Fingerprint(Digest::of(b"mini").to_string()),
        items: 400,
        items_judged: 396,
        groups: 380,
        outcomes: OUTCOMES,
        outcome_shares: OutcomeShares(OUTCOMES),
        win_rate: rate(0.430, 0.039, "bca_clustered"),
        score: rate(0.426, 0.041, "bca_clustered"),
        decided: share(96, 247),
        coverage: share(247, 394),
        win_rate_intervals: vec![rate(0.430, 0.039, "bca_clustered"), rate(0.430, 0.0395, "t_clustered")],
        length_controlled: rate(0.447, 0.045, "length_control"),
        correction: correction(),
        few_units: false,
        mcnemar: mcnemar([96, 151], [0.000_56, 0.000_49], -0.145, Some(0.64)),
        sign_test: Test { p: 0.0007, k: 110, n: 281, method: "sign", detectable: Ok(0.08) },
        permutation: Test { p: 0.0004, k: 3, n: 380, method: "sign_flip", detectable: Ok(0.057) },
        detectable: Ok(0.056),
        checks: Some(ChecksResult {
            items: 60,
            a_passes: share(41, 60),
            b_passes: share(53, 60),
            mcnemar: mcnemar([0, 12], [0.000_49, 0.000_24], -0.2, None),
        }),
        stopping: None,
        would_decide: None,
        tried: None,
        bounds: Bounds { all_lost: Some(0.4235), all_won: Some(0.4385), missing: 6 },
        flip_rate: share(69, 391),
        by_category: vec![
            category("code", 150, 0.391, 0.06, 0.0021, 0.0063),
            category("要約", 130, 0.443, 0.065, 0.09, 0.18),
            category("writing", 120, 0.462, 0.07, 0.31, 0.31),
        ],
        interaction: Some(Ok(Interaction {
            p: 0.23,
            categories: 3,
            units: 380,
            method: "permutation_between_categories",
        })),
        requirement: Some(Required {
            requirement: Requirement::NoWorse { margin: 0.05 },
            bound: 0.45,
            held: Held::Undecided,
        }),
        prereg: Some(prereg()),
        series: series(400),
        ledger: Some(Reruns { runs: 3, with_this_judge: 2 }),
        accounting: Accounting { ab: tally(4), ba: tally(3), identical: 3 },
        certificate: None,
        banner: Some(Banner::Uncalibrated),
        decision: Favours::B,
        reason: String::new(),
        warnings: vec![Warning::LanguageGap(vec!["ja".to_owned()])],
    }
}

fn mcnemar([a_only, b_only]: [u64; 2], [p_exact, p_mid]: [f64; 2], effect: f64, ratio: Option<f64>) -> McNemarResult {
    let odds_ratio = match ratio {
        Some(ratio) => Ok(Odds { ratio: Some(ratio), lower: ratio / 1.3, upper: Some(ratio * 1.3) }),
        None => Err(NotEstimable::because(Reason::Empty)),
    };
    McNemarResult { a_only, b_only, p_exact, p_mid, effect: plain(effect, 0.08, a_only + b_only, "tango"), odds_ratio }
}

fn correction() -> Correction {
    Correction {
        method: Some(Method::RoganGladenPooled),
        raw: share(96, 247),
        corrected: plain(0.361, 0.083, 247, "pooled_accuracy"),
        inputs: Inputs::Pooled {
            wins: 96,
            decided: 247,
            decided_worth: 240.5,
            accuracy: JudgeAccuracy {
                k: 111,
                n: 123,
                worth: 118.0,
                gold: "core.jsonl".to_owned(),
                date: "2026-11-01T00:00:00Z".to_owned(),
            },
            accuracy_lower: 0.834,
            unclipped: 0.361,
        },
        valid_when: Some(ValidWhen::JudgeErrsAsOnItsGold),
        missing: Vec::new(),
    }
}

fn prereg() -> Prereg {
    Prereg {
        plan: Plan {
            digest: Digest::of(b"plan"),
            metric: Metric::WinRate,
            n: 500,
            stopping: Stopping::Fixed,
            threshold: None,
            margin: Some(0.05),
            seed: Some(7),
        },
        figure: plain(0.430, 0.039, 394, "bca_clustered"),
        held: Some(Held::Undecided),
        deviations: vec![Deviation { field: "n", planned: "500".to_owned(), done: "400".to_owned() }],
    }
}

fn category(name: &str, items: u64, point: f64, half: f64, p: f64, p_holm: f64) -> CategoryRow {
    let outcomes =
        Outcomes { a_wins: 36, b_wins: 50, tie: items - 101, flip_first: 12, no_verdict: 3, ..Outcomes::default() };
    CategoryRow { category: name.to_owned(), items, outcomes, win_rate: plain(point, half, items, "bca"), p, p_holm }
}

/// What the charts of a judge with so many rows draw.
fn series(rows: u64) -> Series {
    let bin = |index: u64| LengthBin {
        from: -380 + 150 * i64::try_from(index).unwrap(),
        to: -240 + 150 * i64::try_from(index).unwrap(),
        mean_difference: -311.25 + 150.0 * index as f64,
        score: plain(0.37 + 0.06 * index as f64, 0.09, rows / 5, "bca"),
        gold: plain(0.44 + 0.02 * index as f64, 0.1, rows / 5, "bca"),
    };
    let count = |index: u64| LengthCount {
        from: (index > 0).then(|| -400 + 100 * i64::try_from(index).unwrap()),
        to: (index < 7).then(|| -300 + 100 * i64::try_from(index).unwrap()),
        n: [3, 9, 17, 31, 40, 22, 11, 2][usize::try_from(index).unwrap()],
    };
    let confident = |index: u64| ConfidenceBin {
        from: 0.5 + 0.05 * index as f64,
        to: 0.55 + 0.05 * index as f64,
        mean_confidence: 0.527 + 0.05 * index as f64,
        right: share(11 + index, 20 + index),
    };
    let curve = (0..5).map(|index| [-300.0 + 150.0 * f64::from(index), 0.36 + 0.065 * f64::from(index)]);
    Series {
        orders: Ok(Orders { cells: [[rows - 71, 39, 4, 0], [9, 11, 2, 1], [3, 0, 1, 0], [0, 1, 0, 0]] }),
        length: Ok(Length {
            n: rows,
            bins: (0..5).map(bin).collect(),
            counts: (0..8).map(count).collect(),
            fit: Ok(LengthFit { slope: 0.812, intercept: -0.094, spread: 216.4, curve: curve.collect(), n: rows }),
        }),
        confidence: Ok(Confidence { n: 245, bins: (0..10).map(confident).collect() }),
    }
}

/// Provenance as a run leaves it.
pub fn manifest() -> RunManifest {
    let input = |role: &str, path: &str, records| InputFile {
        role: role.to_owned(),
        path: path.to_owned(),
        digest: Digest::of(path.as_bytes()),
        records,
    };
    RunManifest {
        version: "0.1.0".to_owned(),
        command: "tribunal calibrate --gold gold/core.jsonl --judge mini --judge local-8b --judge 審判-中 --seed 7"
            .to_owned(),
        date: "2026-11-30T10:00:00Z".to_owned(),
        seed: 7,
        resamples: 10_000,
        generator: "ChaCha8, rand_chacha 0.10".to_owned(),
        inputs: vec![input("gold", "gold/core.jsonl", 140), input("prompt", "prompts/pairwise.en.md", 1)],
    }
}

/// Sixty items: two scripts, flips, a missing verdict, and one that attacks in every text it has.
pub fn items() -> ItemTable {
    let mut records: Vec<ItemRecord> = (0..60).map(item).collect();
    records[2] = hostile();
    ItemTable::new(records)
}

fn item(index: usize) -> ItemRecord {
    let japanese = index % 3 == 1;
    let gold = [Preference::A, Preference::B, Preference::Tie][index % 3];
    let (prompt, a, b) = if japanese {
        (
            "次の文を一文で要約してください。\n会議は来週の火曜日に延期され、場所も三階の小会議室に変わった。資料は前日までに共有する。",
            "会議は来週火曜に三階の小会議室へ変更となり、資料は前日までに共有される。",
            "会議が延期になった。",
        )
    } else {
        (
            "Write a function that returns the largest of three numbers, and say in one sentence how it works.",
            "def largest(a, b, c):\n    return max(a, b, c)\n\nIt asks max for the largest of the three.",
            "def largest(a, b, c):\n    if a > b:\n        return a\n    return c",
        )
    };
    let said = [
        (gold, gold),
        (Preference::A, if index.is_multiple_of(4) { Preference::B } else { Preference::A }),
        (if index.is_multiple_of(7) { Preference::Tie } else { gold }, gold),
    ];
    let names = ["mini", "local-8b", "審判-中"];
    let mut record = ItemRecord {
        category: Some(if japanese { "要約" } else { "code" }.to_owned()),
        lang: Some(if japanese { "ja" } else { "en" }.to_owned()),
        prompt: Some(prompt.to_owned()),
        response_a: Some(a.to_owned()),
        response_b: Some(b.to_owned()),
        model_a: Some(SystemName::from("model-x")),
        gold: Some(gold),
        gold_why: Some(
            if japanese { "aだけが場所の変更に触れている。" } else { "b returns c when b is largest." }.to_owned(),
        ),
        ..ItemRecord::new(format!("{}-{index:03}", if japanese { "ja" } else { "en" }))
    };
    record.judges = names.iter().zip(said).map(|(name, (ab, ba))| judge(name, ab, ba, gold)).collect();
    if index == 5 {
        record.judges[1] = unread(names[1]);
    }
    record
}

fn judge(name: &str, ab: Preference, ba: Preference, gold: Preference) -> JudgeRecord {
    let outcome = Outcome::of(Some(ab), Some(ba));
    let combined = if ab == ba { ab } else { Preference::Tie };
    JudgeRecord {
        judge: name.into(),
        repeat: 0,
        ab: Some(said(Order::Ab, ab)),
        ba: Some(said(Order::Ba, ba)),
        outcome,
        agrees: Some(combined == gold),
    }
}

fn said(order: Order, preference: Preference) -> OrderRecord {
    let verdict = order.verdict_for(preference);
    let letter = match verdict {
        Verdict::First => "[[A]]",
        Verdict::Second => "[[B]]",
        Verdict::Tie => "[[C]]",
    };
    OrderRecord {
        reading: Reading::Said(verdict),
        raw: Some(format!("Both answers address the question. The better one is complete.\n\n{letter}")),
        reasoning: None,
        why: Some(format!("the last line is {letter}")),
    }
}

fn unread(name: &str) -> JudgeRecord {
    let silent = OrderRecord {
        reading: Reading::None(NoVerdict::Unparsed),
        raw: Some("Both are fine in their own way.".to_owned()),
        reasoning: Some("I cannot decide.".to_owned()),
        why: Some("no slot is named".to_owned()),
    };
    JudgeRecord {
        judge: name.into(),
        repeat: 0,
        ab: Some(silent),
        ba: Some(said(Order::Ba, Preference::A)),
        outcome: Outcome::NoVerdict,
        agrees: None,
    }
}

fn hostile() -> ItemRecord {
    let text = Some(HOSTILE.to_owned());
    let attack = OrderRecord {
        reading: Reading::Said(Verdict::First),
        raw: text.clone(),
        reasoning: text.clone(),
        why: text.clone(),
    };
    ItemRecord {
        category: text.clone(),
        lang: text.clone(),
        group: Some(HOSTILE.into()),
        prompt: text.clone(),
        response_a: text.clone(),
        response_b: text.clone(),
        model_a: Some(HOSTILE.into()),
        model_b: Some(HOSTILE.into()),
        gold: Some(Preference::A),
        gold_why: text,
        judges: vec![JudgeRecord {
            judge: "mini".into(),
            repeat: 0,
            ab: Some(attack.clone()),
            ba: Some(attack),
            outcome: Outcome::FlipFirst,
            agrees: Some(false),
        }],
        ..ItemRecord::new("hostile")
    }
}

/// The calibration with every name and sentence replaced by an attack.
pub fn hostile_calibration() -> Calibration {
    let mut answer = calibration();
    for card in answer.judges.iter_mut().chain(&mut answer.controls) {
        card.name = HOSTILE.into();
        card.model = Some(HOSTILE.to_owned());
        card.certificate = Some(HOSTILE.to_owned());
        card.warnings.push(HOSTILE.to_owned().into());
        card.figures.push(HOSTILE, Entry::Word(HOSTILE.to_owned()));
        for criterion in card.gate.iter_mut().flat_map(|gate| &mut gate.criteria) {
            HOSTILE.clone_into(&mut criterion.reason);
        }
    }
    for pair in &mut answer.versus {
        (pair.a, pair.b) = (HOSTILE.into(), HOSTILE.into());
    }
    if let Some(jury) = &mut answer.jury {
        jury.members = vec![HOSTILE.into(); 3];
        jury.best = Some(HOSTILE.into());
        jury.gains.iter_mut().for_each(|gain| gain.member = HOSTILE.into());
    }
    HOSTILE.clone_into(&mut answer.gold.name);
    answer.warnings.push(HOSTILE.to_owned().into());
    answer
}

/// The comparison with every name and sentence replaced by an attack.
pub fn hostile_comparison() -> Comparison {
    let mut answer = comparison();
    (answer.a, answer.b, answer.reason) = (HOSTILE.to_owned(), HOSTILE.to_owned(), HOSTILE.to_owned());
    answer.judge = HOSTILE.into();
    answer.certificate = Some(HOSTILE.to_owned());
    answer.warnings = vec![HOSTILE.to_owned().into(), Warning::LanguageGap(vec![HOSTILE.to_owned()])];
    answer.by_category.iter_mut().for_each(|row| HOSTILE.clone_into(&mut row.category));
    answer
}
