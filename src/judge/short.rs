//! The short forms by which a judge is named on the command line.

use super::error::JudgeError;
use super::provider::Dialect;
use super::spec::Provider;
use crate::domain::{ControlKind, JudgeName, Per, nearest};

/// A short form, understood.
#[derive(Debug, Clone, PartialEq)]
pub enum ShortForm {
    /// A model behind an endpoint.
    Endpoint {
        /// Who is spoken to.
        provider: Provider,
        /// Where; the provider's own address where absent.
        base_url: Option<String>,
        /// The model as asked.
        model: String,
        /// The name to show: the model behind a plain address, else the form as written.
        name: JudgeName,
    },
    /// A recording.
    Replay {
        /// The file as written.
        file: String,
        /// The recorded judge, where one was chosen.
        judge: Option<String>,
    },
    /// The item's own checks alone.
    Checks,
    /// The item's own checks where they decide; the rest goes to this judge, a name or a short form itself.
    ChecksThen(String),
    /// A control judge.
    Control {
        /// Which.
        kind: ControlKind,
        /// The name to show: the form as written.
        name: JudgeName,
    },
}

/// Understands a short form; see [`super::FORMS`].
pub fn parse_short(text: &str) -> Result<ShortForm, JudgeError> {
    let bad = |problem: String| JudgeError::BadForm { text: shown(text), problem };
    if text == "checks" {
        return Ok(ShortForm::Checks);
    }
    if let Some(rest) = text.strip_prefix("checks+") {
        return match rest {
            "" => Err(bad("want the judge for the rest behind `checks+`".to_owned())),
            "checks" => Err(bad("the checks cannot be their own judge for the rest".to_owned())),
            rest if rest.starts_with("checks+") => Err(bad("`checks+` stands once".to_owned())),
            rest => Ok(ShortForm::ChecksThen(rest.to_owned())),
        };
    }
    if text.starts_with("http://") || text.starts_with("https://") {
        return address(text).map_err(bad);
    }
    let Some((head, rest)) = text.split_once(':') else { return Err(unknown(text)) };
    match head {
        "openai" => model(Provider::OpenAi, rest, text).map_err(bad),
        "anthropic" => model(Provider::Anthropic, rest, text).map_err(bad),
        "gemini" => model(Provider::Gemini, rest, text).map_err(bad),
        "ollama" => model(Provider::Ollama, rest, text).map_err(bad),
        "replay" => replay(rest).map_err(bad),
        "control" => control(rest).map_err(bad).map(|kind| ShortForm::Control { kind, name: text.into() }),
        _ => Err(unknown(text)),
    }
}

fn unknown(text: &str) -> JudgeError {
    let (head, rest) = text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)));
    let near = if rest.is_some() {
        nearest(head, ["openai", "anthropic", "gemini", "ollama", "replay", "control"])
    } else {
        nearest(head, ["checks"]).or_else(|| CONTROLS.into_iter().find(|control| *control == head).map(|_| "control"))
    };
    let near = near.map(|near| match (near, rest) {
        ("control", None) => format!("control:{head}"),
        (near, Some(rest)) => format!("{near}:{rest}"),
        (near, None) => near.to_owned(),
    });
    JudgeError::UnknownForm { text: shown(text), near: near.map(|near| shown(&near)) }
}

/// The text as it may be shown: what stands between `//` and `@` or behind `?` of an address may be a key.
fn shown(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (place, model) = rest.split_once('#').map_or((rest, ""), |(place, model)| (place, model));
    let place = place.split('?').next().unwrap_or_default();
    let place = place.rsplit_once('@').map_or_else(|| place.to_owned(), |(_, host)| format!("****@{host}"));
    if model.is_empty() { format!("{scheme}://{place}") } else { format!("{scheme}://{place}#{model}") }
}

fn address(text: &str) -> Result<ShortForm, String> {
    let want = "want the model behind `#`, as in http://127.0.0.1:8000/v1#MODEL";
    let (base, model) = text.split_once('#').ok_or(want)?;
    if model.trim().is_empty() {
        return Err(want.to_owned());
    }
    Dialect::Chat.address(base, model)?;
    Ok(ShortForm::Endpoint {
        provider: Provider::Compatible,
        base_url: Some(base.to_owned()),
        model: model.to_owned(),
        name: model.into(),
    })
}

fn model(provider: Provider, model: &str, text: &str) -> Result<ShortForm, String> {
    if model.trim().is_empty() {
        return Err("want a model behind the colon".to_owned());
    }
    Ok(ShortForm::Endpoint { provider, base_url: None, model: model.to_owned(), name: text.into() })
}

fn replay(rest: &str) -> Result<ShortForm, String> {
    let (file, judge) = rest.rsplit_once('#').map_or((rest, None), |(file, judge)| (file, Some(judge)));
    if file.is_empty() {
        return Err("want a file behind `replay:`".to_owned());
    }
    if judge == Some("") {
        return Err("want the name of a recorded judge behind `#`".to_owned());
    }
    Ok(ShortForm::Replay { file: file.to_owned(), judge: judge.map(str::to_owned) })
}

const CONTROLS: [&str; 7] = ["first", "second", "longest", "shortest", "tie", "coin", "oracle"];

fn control(rest: &str) -> Result<ControlKind, String> {
    let (name, query) = rest.split_once('?').map_or((rest, ""), |(name, query)| (name, query));
    let allowed: &[&str] = match name {
        "coin" => &["seed"],
        "oracle" => &["error", "seed", "per"],
        _ => &[],
    };
    let (mut seed, mut error, mut per) = (0, 0.0, Per::Item);
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("found `{part}`, want `NAME=VALUE`"))?;
        if !allowed.contains(&key) {
            let list = if allowed.is_empty() { "no parameter".to_owned() } else { allowed.join(", ") };
            return Err(format!("found parameter `{key}`, and `{name}` takes {list}"));
        }
        match key {
            "seed" => seed = value.parse().map_err(|_| format!("found seed `{value}`, want a whole number from 0"))?,
            "error" => error = probability(value)?,
            _ => per = period(value)?,
        }
    }
    Ok(match name {
        "first" => ControlKind::First,
        "second" => ControlKind::Second,
        "longest" => ControlKind::Longest,
        "shortest" => ControlKind::Shortest,
        "tie" => ControlKind::Tie,
        "coin" => ControlKind::Coin { seed },
        "oracle" => ControlKind::Oracle { error, seed, per },
        _ => {
            let near = nearest(name, CONTROLS).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(format!("found control `{name}`, want one of {}{near}", CONTROLS.join(", ")));
        }
    })
}

fn probability(value: &str) -> Result<f64, String> {
    let number = value.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| format!("found error `{value}`, want a number from 0 to 1"))
}

fn period(value: &str) -> Result<Per, String> {
    match value {
        "item" => Ok(Per::Item),
        "order" => Ok(Per::Order),
        _ => Err(format!("found per `{value}`, want `item` or `order`")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn kind(text: &str) -> ControlKind {
        match parse_short(text).unwrap() {
            ShortForm::Control { kind, name } => {
                assert_eq!(name.as_str(), text);
                kind
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn controls_take_their_parameters_in_any_order() {
        assert_eq!(kind("control:first"), ControlKind::First);
        assert_eq!(kind("control:coin"), ControlKind::Coin { seed: 0 });
        assert_eq!(kind("control:coin?seed=7"), ControlKind::Coin { seed: 7 });
        let oracle = ControlKind::Oracle { error: 0.1, seed: 7, per: Per::Order };
        assert_eq!(kind("control:oracle?per=order&seed=7&error=0.1"), oracle);
        assert_eq!(kind(&oracle.to_string()), oracle);
    }

    #[test]
    fn an_address_names_its_judge_by_the_model() {
        let form = parse_short("http://127.0.0.1:8000/v1#qwen0.5b").unwrap();
        let ShortForm::Endpoint { provider, base_url, model, name } = form else { panic!("{form:?}") };
        assert_eq!(provider, Provider::Compatible);
        assert_eq!(base_url.as_deref(), Some("http://127.0.0.1:8000/v1"));
        assert_eq!((model.as_str(), name.as_str()), ("qwen0.5b", "qwen0.5b"));
    }

    #[test]
    fn models_may_hold_colons_and_slashes() {
        let form = parse_short("ollama:hf.co/x/y:Q4_K_M").unwrap();
        let ShortForm::Endpoint { model, name, .. } = form else { panic!("{form:?}") };
        assert_eq!((model.as_str(), name.as_str()), ("hf.co/x/y:Q4_K_M", "ollama:hf.co/x/y:Q4_K_M"));
    }

    #[test]
    fn every_provider_with_an_address_of_its_own_has_a_short_form() {
        for provider in Provider::ALL.into_iter().filter(|provider| *provider != Provider::Compatible) {
            let form = parse_short(&format!("{}:m-1", provider.as_str())).unwrap();
            let ShortForm::Endpoint { provider: found, base_url: None, model, .. } = form else { panic!("{form:?}") };
            assert_eq!((found, model.as_str()), (provider, "m-1"));
        }
    }

    #[test]
    fn recordings_and_checks_are_understood() {
        assert_eq!(
            parse_short("replay:runs/a.jsonl#mini").unwrap(),
            ShortForm::Replay { file: "runs/a.jsonl".to_owned(), judge: Some("mini".to_owned()) }
        );
        assert_eq!(parse_short("checks").unwrap(), ShortForm::Checks);
        assert_eq!(parse_short("checks+openai:m").unwrap(), ShortForm::ChecksThen("openai:m".to_owned()));
    }

    #[test]
    fn an_unknown_form_gets_the_near_one_and_the_list() {
        for (text, near) in [("opnai:gpt", "`openai:gpt`"), ("chekcs", "`checks`"), ("longest", "`control:longest`")] {
            let message = parse_short(text).unwrap_err().to_string();
            assert!(message.contains(near) && message.contains("replay:FILE"), "{message}");
        }
    }

    #[test]
    fn a_wrong_parameter_names_what_was_found_and_wanted() {
        for (text, mention) in [
            ("control:longst", "`longest`"),
            ("control:oracle?error=2", "0 to 1"),
            ("control:oracle?error=NaN", "0 to 1"),
            ("control:coin?sead=1", "seed"),
            ("control:coin?seed=-1", "whole number"),
            ("control:first?seed=1", "no parameter"),
            ("control:oracle?per=day", "`item` or `order`"),
            ("http://h/v1", "#MODEL"),
            ("http://h/v1#", "#MODEL"),
            ("openai:", "model"),
            ("replay:", "file"),
            ("checks+", "judge"),
            ("anthropic:", "model"),
            ("gemini: ", "model"),
        ] {
            let message = parse_short(text).unwrap_err().to_string();
            assert!(message.contains(mention), "{message}");
        }
    }

    #[test]
    fn a_key_inside_an_address_is_never_shown() {
        for text in ["http://me:hunter2@h/v1#m", "http://me:hunter2@h/v1", "http://h/v1?key=hunter2"] {
            let message = parse_short(text).unwrap_err().to_string();
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}
