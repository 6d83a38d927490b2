//! The flags of what helps to work with the rest: `schema`.

/// The arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SchemaArgs {
    /// The file's name, such as pairs, verdicts-long, settings, calibration [default: list all].
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}
