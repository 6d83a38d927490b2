//! What stands at the end of `--help` of commands without exit statuses of their own: a few commands as one would type them.
//! A test reads every one of them.

pub(super) const TRIBUNAL: &str = "\
Examples:
  tribunal demo
  tribunal init my-trial
  tribunal calibrate --judge openai:gpt-4.1-mini --out judge.html
  tribunal compare --a new.jsonl --b old.jsonl --judge openai:gpt-4.1-mini --out new-old.html

Exit status: 0 done or gate passed · 1 the thing measured falls short · 2 usage, settings or input error · \
3 undecided · 4 incomplete, run again to resume · 5 refused, no valid certificate · 130 interrupted, run again to resume";

pub(super) const VALIDATE: &str = "\
Examples:
  tribunal validate pairs.jsonl gold.csv
  tribunal validate labels.csv --as labels --pairs pairs.jsonl
  tribunal validate pairs.jsonl --format json

Exit status: 0 every file can be read, warnings or not · 2 one is refused";

pub(super) const PROMPT: &str = "\
Examples:
  tribunal prompt list
  tribunal prompt lint my-prompt.md
  tribunal prompt show --prompt my-prompt.md --pairs pairs.jsonl";

pub(super) const PROMPT_LIST: &str = "\
Examples:
  tribunal prompt list
  tribunal prompt list | grep ja";

pub(super) const PROMPT_LINT: &str = "\
Examples:
  tribunal prompt lint my-prompt.md
  tribunal prompt lint pairwise.en pairwise-rubric.ja

Exit status: 0 nothing found · 1 findings";

pub(super) const PROMPT_SHOW: &str = "\
Examples:
  tribunal prompt show
  tribunal prompt show --prompt my-prompt.md --pairs pairs.jsonl --id q2 --order ba
  tribunal prompt show --prompt pairwise.ja --json";

pub(super) const PROMPT_READ: &str = "\
Examples:
  tribunal prompt read --contract bracket replies.jsonl
  tribunal prompt read --contract json < replies.jsonl";

pub(super) const GOLD: &str = "\
Examples:
  tribunal gold lint gold.jsonl
  tribunal gold label pairs.jsonl --annotator mika --sample 100 --seed 1
  tribunal gold export pairs.jsonl --out gold.jsonl";

pub(super) const GOLD_LINT: &str = "\
Examples:
  tribunal gold lint gold.jsonl
  tribunal gold lint pairs.jsonl --labels labels.csv
  tribunal gold lint gold.jsonl --format junit > lint.xml

Exit status: 0 nothing found · 1 findings";

pub(super) const DEMO: &str = "\
Examples:
  tribunal demo
  tribunal demo --out trial --lang ja";

pub(super) const SCHEMA: &str = "\
Examples:
  tribunal schema
  tribunal schema pairs
  tribunal schema settings > tribunal.schema.json";

pub(super) const COMPLETIONS: &str = "\
Examples:
  tribunal completions bash > ~/.local/share/bash-completion/completions/tribunal
  tribunal completions zsh > ~/.zfunc/_tribunal
  tribunal completions fish > ~/.config/fish/completions/tribunal.fish";

pub(super) const MAN: &str = "\
Examples:
  tribunal man | man -l -
  tribunal man --out ~/.local/share/man/man1";

pub(super) const INIT: &str = "\
Examples:
  tribunal init
  tribunal init my-trial
  tribunal init my-trial --lang ja --force";
