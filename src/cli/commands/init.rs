//! `init`: a folder to begin in.

use std::path::Path;

use crate::cli::args::{InitArgs, LangArg};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, check_target, print, write_file};
use crate::cli::settings::quoted;
use crate::report::visible_line;

/// What a language gets.
struct Kit {
    settings: &'static str,
    prompt: &'static str,
    pairs: &'static str,
    made: &'static str,
    next: &'static str,
    /// Commands to go on with, each with what it shows.
    commands: [(&'static str, &'static str); 7],
    /// What to do once the own judge was tried.
    then: [&'static str; 3],
}

static EN: Kit = Kit {
    settings: include_str!("../../../templates/init/tribunal.en.toml"),
    prompt: include_str!("../../../prompts/pairwise.en.md"),
    pairs: include_str!("../../../templates/init/pairs.en.jsonl"),
    made: "Made",
    next: "Next",
    commands: [
        ("tribunal validate pairs.jsonl", "what is in the example"),
        ("tribunal prompt show --prompt judge.md --pairs pairs.jsonl", "what the judge will be asked"),
        ("tribunal calibrate --judge control:longest", "a judge without sense, on the shipped gold set: it fails"),
        ("tribunal compare --pairs pairs.jsonl --judge control:longest", "the two sides of the example, by that judge"),
        ("tribunal schema settings", "every setting that tribunal.toml can have"),
        ("tribunal calibrate --judge mine --out judge.html", "your own judge, once tribunal.toml names it"),
        (
            "tribunal compare --pairs pairs.jsonl --judge mine --require better --out report.html",
            "after a PASS: is side A better than B? Here A is the new version, and so has to be with --require",
        ),
    ],
    then: [
        "After a FAIL: judge.html says which criteria fail and shows the pairs that the judge got wrong; change judge.md or the model, and try it again.",
        "INCONCLUSIVE: the report says how many more labels would decide; give your own with --gold.",
        "Then put your own pairs in the place of pairs.jsonl: the new version in response_a, the old one in response_b (`tribunal schema pairs` has the fields).",
    ],
};

static JA: Kit = Kit {
    settings: include_str!("../../../templates/init/tribunal.ja.toml"),
    prompt: include_str!("../../../prompts/pairwise.ja.md"),
    pairs: include_str!("../../../templates/init/pairs.ja.jsonl"),
    made: "作成したもの",
    next: "次の手順",
    commands: [
        ("tribunal validate pairs.jsonl", "例の内容を確かめる"),
        ("tribunal prompt show --prompt judge.md --pairs pairs.jsonl", "判定者に尋ねる内容を見る"),
        (
            "tribunal calibrate --judge control:longest --lang ja",
            "長い方を選ぶだけの判定者を、付属の正解で試す（不合格になる）",
        ),
        ("tribunal compare --pairs pairs.jsonl --judge control:longest --lang ja", "例の両側を、その判定者で比べる"),
        ("tribunal schema settings", "tribunal.toml に書けるすべての項目"),
        ("tribunal calibrate --judge mine --lang ja --out judge.html", "tribunal.toml に書いた自分の判定者を試す"),
        (
            "tribunal compare --pairs pairs.jsonl --judge mine --require better --lang ja --out report.html",
            "合格したら：AはBより良いか。--require はAについて問うので、新しいほうをAにする（この例ではそうなっている）",
        ),
    ],
    then: [
        "不合格なら：judge.html に、満たさなかった基準と判定者が誤った対が出ます。judge.md かモデルを変えて、もう一度試してください。",
        "未決なら：決着に必要なラベル数が報告に出ます。自分の正解データは --gold で渡せます。",
        "次に pairs.jsonl を自分のデータに置き換えてください。新しいほうを response_a、古いほうを response_b に入れます（欄の一覧は `tribunal schema pairs`）。",
    ],
};

pub(in crate::cli) fn run(args: &InitArgs) -> Result<Exit, CliError> {
    let kit = if args.lang == LangArg::Ja { &JA } else { &EN };
    // The prompt is the user's from here on, so it gets a name of its own.
    let prompt = kit.prompt.replacen("id: pairwise", "id: judge", 1);
    let files = [("tribunal.toml", kit.settings), ("judge.md", &prompt), ("pairs.jsonl", kit.pairs)];
    let folder = args.folder.as_path();
    std::fs::create_dir_all(folder).map_err(|error| {
        CliError::usage(format!("failed to make the folder {}: {error}", folder.display())).hint("choose another")
    })?;
    let existing = Existing::by_force(args.force);
    // All or none.
    files.iter().try_for_each(|(name, _)| check_target(&folder.join(name), existing))?;
    files.iter().try_for_each(|(name, text)| write_file(&folder.join(name), text, existing))?;
    print(&said(kit, folder, &files.map(|(name, _)| name)))?;
    Ok(Exit::Done)
}

fn said(kit: &Kit, folder: &Path, files: &[&str]) -> String {
    let listed: Vec<String> = files.iter().map(|name| folder.join(name).display().to_string()).collect();
    let mut text = format!("{}: {}\n\n{}:\n", kit.made, visible_line(&listed.join(", ")), kit.next);
    if folder != Path::new(".") {
        let place = folder.display().to_string();
        text.extend(["  cd ", &visible_line(&quoted(std::iter::once(place.as_str()))), "\n"]);
    }
    for (command, shows) in kit.commands {
        text.extend(["  ", command, "\n      # ", shows, "\n"]);
    }
    text.push('\n');
    for line in kit.then {
        text.extend(["- ", line, "\n"]);
    }
    text
}
