//! The command `tribunal`: everything happens in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A call is many short-lived texts that one thread makes and another drops, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tribunal::cli::run(std::env::args_os())
}
