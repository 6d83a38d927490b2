//! The command `tribunal`: everything happens in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tribunal::cli::run(std::env::args_os())
}
