//! The `seckill` command.

use std::process::ExitCode;

use clap::Parser as _;
use seckill::cli::Command;

fn main() -> ExitCode {
    seckill::cli::run(Command::parse())
}
