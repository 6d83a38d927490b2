//! The JSON Schemas of every file that goes in, is kept, or comes out: files under `schemas/`, in the binary as they are.

/// A schema with its name.
pub(super) struct Schema {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        /// All of them: what goes in, what is kept, what comes out.
        pub(super) const SCHEMAS: &[Schema] =
            &[$(Schema { name: $name, text: include_str!(concat!("../../schemas/", $name, ".json")) }),*];
    };
}

schemas![
    "pairs",
    "gold",
    "labels",
    "check",
    "items",
    "responses",
    "verdicts-long",
    "verdicts-wide",
    "settings",
    "prereg",
    "replies",
    "batch-result",
    "recording",
    "journal",
    "run-line",
    "certificate",
    "log",
    "calibration",
    "comparison",
    "judgments",
    "plan",
    "validation",
    "gold-lint",
    "runs",
    "run",
    "store",
    "reparse",
    "record",
    "finding",
    "replies-read",
    "batch-request",
];

impl Schema {
    /// What the schema is of, in one line.
    pub fn title(&self) -> String {
        let value: serde_json::Value = serde_json::from_str(self.text).unwrap_or_default();
        value.get("title").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }
}
