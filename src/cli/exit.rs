//! How a command ends, and what an error says.

use std::fmt;
use std::process::ExitCode;

/// The exit statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done, or the gate passed.
    Done,
    /// The thing measured falls short.
    Short,
    /// Usage, settings or input error; also an endpoint that accepted nothing.
    Usage,
    /// Undecided.
    Undecided,
    /// Incomplete, resumable.
    Incomplete,
    /// Refused before any paid call.
    Refused,
    /// Interrupted, resumable.
    Interrupted,
}

impl Exit {
    /// The number that the process ends with.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Short => 1,
            Self::Usage => 2,
            Self::Undecided => 3,
            Self::Incomplete => 4,
            Self::Refused => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

/// Why a command could not do its work: the message, and the way out.
#[derive(Debug)]
pub(super) struct CliError {
    pub exit: Exit,
    pub message: String,
    pub hint: Option<String>,
}

impl CliError {
    /// A usage, settings or input error.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, message: message.to_string(), hint: None }
    }

    /// A refusal before any paid call.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Refused, ..Self::usage(message) }
    }

    /// A run that can be taken up again.
    pub fn incomplete(message: impl fmt::Display) -> Self {
        Self { exit: Exit::Incomplete, ..Self::usage(message) }
    }

    /// The same with the flag, field or file to change.
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl<E: std::error::Error> From<E> for CliError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message = format!("{message}: {cause_text}");
            }
            source = cause.source();
        }
        Self::usage(message)
    }
}
