//! Who somebody is to the site.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What an account may do. Staff may do all that a shopper may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Buys.
    Shopper,
    /// Also watches orders and the pipeline.
    Operator,
    /// Also configures products and activities.
    Admin,
}

/// A word that names no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a role; write shopper, operator or admin")]
pub struct UnknownRole;

impl Role {
    /// The word kept in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shopper => "shopper",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// Whether it lets somebody watch orders and the path, and put right what is stuck.
    #[must_use]
    pub const fn may_operate(self) -> bool {
        matches!(self, Self::Operator | Self::Admin)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;
    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        match text {
            "shopper" => Ok(Self::Shopper),
            "operator" => Ok(Self::Operator),
            "admin" => Ok(Self::Admin),
            _ => Err(UnknownRole),
        }
    }
}
