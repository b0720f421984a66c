//! `seckill user …`: the rules are those of the console.

use clap::Subcommand;

use super::output::out;
use crate::account::{AccountError, Accounts};
use crate::config::Config;
use crate::role::{self, RoleError};
use crate::sale::actor::Actor;
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
    /// Lists accounts by name: number, role, state, name.
    List {
        /// Only those of this role.
        #[arg(long)]
        role: Option<Role>,
    },
    /// Gives an account another role, and ends its sessions.
    Role {
        /// Whose.
        name: String,
        /// shopper, operator or admin.
        role: Role,
    },
    /// Closes an account, and ends its sessions.
    Disable {
        /// Whose.
        name: String,
    },
    /// Opens a closed account again.
    Enable {
        /// Whose.
        name: String,
    },
    /// Sets a new password, from `SECKILL_PASSWORD` or a prompt, and ends all sessions of the account.
    Password {
        /// Whose.
        name: String,
    },
    /// Ends all sessions of an account.
    EndSessions {
        /// Whose.
        name: String,
    },
}

pub(super) async fn run(config: &Config, command: UserCommand) -> Result<(), RoleError> {
    let accounts = role::accounts(config, role::ledger(config)?)?;
    match command {
        UserCommand::Add { name, role } => {
            let added = accounts.add(Actor::command(), &name, &password()?, role).await;
            out!("added {} as {role}", added?.username);
        }
        UserCommand::List { role } => list(&accounts, role).await?,
        UserCommand::Role { name, role } => {
            let id = accounts.named(&name).await?;
            let changed = accounts.set_role(Actor::command(), id, role).await?;
            out!("{name} is {}{role}", already(changed));
        }
        UserCommand::Disable { name } => set_disabled(&accounts, &name, true).await?,
        UserCommand::Enable { name } => set_disabled(&accounts, &name, false).await?,
        UserCommand::Password { name } => {
            let id = accounts.named(&name).await?;
            accounts.set_password(Actor::command(), id, &password()?).await?;
            out!("{name} has a new password");
        }
        UserCommand::EndSessions { name } => {
            let id = accounts.named(&name).await?;
            accounts.end_sessions(Actor::command(), id).await?;
            out!("the sessions of {name} are over");
        }
    }
    Ok(())
}

const fn already(changed: bool) -> &'static str {
    if changed { "now " } else { "already " }
}

async fn set_disabled(accounts: &Accounts, name: &str, disabled: bool) -> Result<(), AccountError> {
    let id = accounts.named(name).await?;
    let changed = accounts.set_disabled(Actor::command(), id, disabled).await?;
    let state = if disabled { "disabled" } else { "enabled" };
    out!("{name} is {}{state}", already(changed));
    Ok(())
}

async fn list(accounts: &Accounts, role: Option<Role>) -> Result<(), AccountError> {
    let mut after = None;
    loop {
        let (profiles, next) = accounts.page("", role, after).await?;
        for profile in profiles {
            let state = if profile.disabled_at_ms.is_some() { "disabled" } else { "live" };
            out!("{}\t{}\t{state}\t{}", profile.id, profile.role, profile.username);
        }
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

fn password() -> Result<String, RoleError> {
    match std::env::var("SECKILL_PASSWORD") {
        Ok(password) => Ok(password),
        Err(_) => rpassword::prompt_password("password: ").map_err(|_| {
            RoleError::Other("no terminal to ask for the password; set SECKILL_PASSWORD".to_owned())
        }),
    }
}
