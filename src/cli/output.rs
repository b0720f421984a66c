//! What commands print. A reader that has seen enough (`… | head`) ends the command in peace.

use std::fmt;
use std::io::Write as _;

/// Prints a line on standard output.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    if writeln!(std::io::stdout(), "{text}").is_err() {
        // Nobody listens any more; there is nothing left to do for them.
        std::process::exit(0);
    }
}

/// `println!` for commands.
macro_rules! out {
    ($($text:tt)*) => { $crate::cli::output::line(format_args!($($text)*)) };
}
pub(crate) use out;
