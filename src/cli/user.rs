//! `seckill user …`

use clap::Subcommand;

use super::output::out;
use crate::account::AccountError;
use crate::config::Config;
use crate::role::{self, RoleError};
use crate::sale::shopper::Role;

#[derive(Debug, Subcommand)]
pub(super) enum UserCommand {
    /// Adds an account; the password comes from `SECKILL_PASSWORD` or a prompt.
    Add {
        /// The name to sign in with.
        name: String,
        /// shopper, operator or admin.
        #[arg(long)]
        role: Role,
    },
}

pub(super) async fn run(config: &Config, command: UserCommand) -> Result<(), RoleError> {
    let UserCommand::Add { name, role } = command;
    let accounts = role::accounts(config, role::ledger(config)?)?;
    let other = |error: AccountError| RoleError::Other(error.to_string());
    let account = accounts.add(&name, &password()?, role).await.map_err(other)?;
    out!("added {} as {role}", account.username);
    Ok(())
}

fn password() -> Result<String, RoleError> {
    match std::env::var("SECKILL_PASSWORD") {
        Ok(password) => Ok(password),
        Err(_) => rpassword::prompt_password("password: ").map_err(|_| {
            RoleError::Other("no terminal to ask for the password; set SECKILL_PASSWORD".to_owned())
        }),
    }
}
