//! Which sessions ended before their time, kept in memory so that no request asks the ledger.
//!
//! Every web node reads the ledger's recent endings each second. While the ledger is away it keeps what it
//! knows: nobody can end a session then either.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use chrono::Utc;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::ledger::session_endings::{self, Over};
use crate::ledger::{Ledger, LedgerError};
use crate::sale::ids::UserId;

/// How long a sign-in lasts. After that a session is over by itself, and what ended it can be forgotten.
pub const SESSION_LIFE: Duration = Duration::from_secs(12 * 3600);

/// What the clocks of two machines may differ by, and more.
const MARGIN: Duration = Duration::from_secs(3600);
/// An ending is kept for as long as a session that it ends could live.
const KEPT: Duration = SESSION_LIFE.saturating_add(MARGIN);
/// After this long without the ledger, what ended elsewhere is not known well enough for staff.
const STALE: Duration = Duration::from_secs(10);
/// How often the ledger is read.
const EVERY: Duration = Duration::from_secs(1);
/// How far back each reading begins before the one before: longer than a transaction can take from its
/// ending to its commit.
const OVERLAP_MS: i64 = 60_000;
/// Readings between two sweeps of what has grown too old.
const SWEEP_EVERY: u32 = 600;

/// A session's number: 128 bits of chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SessionId(u128);

impl SessionId {
    /// A new one.
    #[must_use]
    pub fn random() -> Self {
        Self(rand::random())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A text that is no session's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not 32 hexadecimal digits")]
pub struct InvalidSessionId;

impl FromStr for SessionId {
    type Err = InvalidSessionId;
    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.map(Self).ok_or(InvalidSessionId)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for SessionId {
    type Error = InvalidSessionId;
    fn try_from(text: String) -> Result<Self, InvalidSessionId> {
        text.parse()
    }
}

/// The endings that this node knows. Cheap to clone.
#[derive(Clone)]
pub struct Endings(Arc<Inner>);

struct Inner {
    ledger: Ledger,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// When each session ended, ms since the epoch.
    sessions: HashMap<SessionId, i64>,
    /// Each account's newest epoch, and since when.
    epochs: HashMap<UserId, (i64, i64)>,
    /// The ledger's time of the last reading; `None`: there was none yet.
    as_of_ms: Option<i64>,
    /// When it was read last, by this node's own clock.
    read_at: Option<Instant>,
}

impl fmt::Debug for Endings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Endings")
    }
}

impl Endings {
    /// Knows nothing yet; [`Endings::keep_fresh`] reads the ledger.
    #[must_use]
    pub fn new(ledger: Ledger) -> Self {
        Self(Arc::new(Inner { ledger, known: RwLock::default() }))
    }

    /// Whether this session has not ended, as far as this node knows.
    #[must_use]
    pub fn allow(&self, session: SessionId, user: UserId, epoch: i64) -> bool {
        self.read(|known| known.allow(session, user, epoch))
    }

    /// Whether the ledger was ever read. Before that, no session may count.
    #[must_use]
    pub fn are_loaded(&self) -> bool {
        self.read(|known| known.as_of_ms.is_some())
    }

    /// Whether the ledger was read lately. Where it was not, a session may have ended that this node takes
    /// for a live one: shoppers go on, as they do while the ledger is away, but staff have to wait.
    #[must_use]
    pub fn are_fresh(&self) -> bool {
        self.read(|known| known.read_at.is_some_and(|at| at.elapsed() < STALE))
    }

    /// This session has ended, here and now.
    pub(super) fn note_session(&self, session: SessionId) {
        let now_ms = Utc::now().timestamp_millis();
        self.write(|known| known.end_session(session, now_ms));
    }

    /// This account has come to this epoch, here and now.
    pub(super) fn note_epoch(&self, user: UserId, epoch: i64) {
        let now_ms = Utc::now().timestamp_millis();
        self.write(|known| known.raise_epoch(user, epoch, now_ms));
    }

    /// Reads what ended lately; the first time, all that can still matter.
    pub async fn load(&self) -> Result<(), LedgerError> {
        let since_ms = self.read(|known| known.as_of_ms).map(|as_of_ms| as_of_ms - OVERLAP_MS);
        let news = session_endings::read(&self.0.ledger, since_ms, KEPT).await?;
        self.write(|known| {
            for ending in news.endings {
                known.learn(ending.over, ending.at_ms);
            }
            known.as_of_ms = Some(news.as_of_ms);
            known.read_at = Some(Instant::now());
        });
        Ok(())
    }

    /// Reads the ledger every second, and now and then drops what is too old, until `stop`.
    pub async fn keep_fresh(&self, stop: CancellationToken) {
        let mut away = false;
        let mut readings = 0_u32;
        loop {
            match self.load().await {
                Err(error) if !away => {
                    away = true;
                    tracing::warn!(%error, "which sessions ended elsewhere is not known for now");
                }
                Err(_) => {}
                Ok(()) => {
                    if std::mem::take(&mut away) {
                        tracing::info!("which sessions ended elsewhere is known again");
                    }
                    if readings.is_multiple_of(SWEEP_EVERY) {
                        self.sweep().await;
                    }
                    readings = readings.wrapping_add(1);
                }
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn sweep(&self) {
        self.write(Known::forget_old);
        // Kept a while longer than anybody reads it. All nodes do this; one of them would be enough.
        if let Err(error) = session_endings::sweep(&self.0.ledger, KEPT + MARGIN).await {
            tracing::debug!(%error, "old endings of sessions stay for now");
        }
    }

    fn read<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.0.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.0.known.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn allow(&self, session: SessionId, user: UserId, epoch: i64) -> bool {
        let current = self.epochs.get(&user).is_none_or(|(newest, _)| epoch >= *newest);
        current && !self.sessions.contains_key(&session)
    }

    fn learn(&mut self, over: Over, at_ms: i64) {
        match over {
            Over::Session(id) => match id.parse() {
                Ok(id) => self.end_session(id, at_ms),
                Err(error) => tracing::warn!(%error, "the ledger ends a session that is none"),
            },
            Over::Before(user, epoch) => self.raise_epoch(user, epoch, at_ms),
        }
    }

    fn end_session(&mut self, session: SessionId, at_ms: i64) {
        self.sessions.insert(session, at_ms);
    }

    fn raise_epoch(&mut self, user: UserId, epoch: i64, at_ms: i64) {
        let newest = self.epochs.entry(user).or_insert((epoch, at_ms));
        if epoch > newest.0 {
            *newest = (epoch, at_ms);
        }
    }

    fn forget_old(&mut self) {
        let Some(as_of_ms) = self.as_of_ms else { return };
        let kept_ms = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
        let oldest_ms = as_of_ms.saturating_sub(kept_ms);
        self.sessions.retain(|_, at_ms| *at_ms >= oldest_ms);
        self.epochs.retain(|_, (_, at_ms)| *at_ms >= oldest_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: UserId = UserId(1);

    #[test]
    fn a_session_ends_alone_and_an_epoch_ends_all_before_it() {
        let (one, other) = (SessionId(1), SessionId(2));
        let mut known = Known::default();
        assert!(known.allow(one, ANN, 0));
        known.learn(Over::Session(one.to_string()), 1);
        assert!(!known.allow(one, ANN, 0));
        assert!(known.allow(other, ANN, 0));
        known.learn(Over::Before(ANN, 3), 2);
        known.learn(Over::Before(ANN, 2), 3);
        assert!(!known.allow(other, ANN, 2));
        assert!(known.allow(other, ANN, 3));
        assert!(known.allow(other, UserId(2), 0));
        assert!(!known.allow(one, ANN, 3));
    }

    #[test]
    fn what_no_cookie_can_outlive_is_forgotten() {
        let day_ms = 24 * 3_600_000;
        let mut known = Known::default();
        known.end_session(SessionId(1), 0);
        known.end_session(SessionId(2), day_ms);
        known.raise_epoch(ANN, 1, 0);
        known.raise_epoch(UserId(2), 1, 0);
        known.raise_epoch(UserId(2), 2, day_ms);
        known.forget_old();
        assert_eq!((known.sessions.len(), known.epochs.len()), (2, 2));
        known.as_of_ms = Some(day_ms);
        known.forget_old();
        assert_eq!(known.sessions.keys().collect::<Vec<_>>(), [&SessionId(2)]);
        assert_eq!(known.epochs.keys().collect::<Vec<_>>(), [&UserId(2)]);
    }

    #[test]
    fn a_sessions_number_is_a_text_outside() {
        let id = SessionId(0xAB);
        assert_eq!(id.to_string(), "000000000000000000000000000000ab");
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "ab", "+00000000000000000000000000000ab", &"0".repeat(33)] {
            assert_eq!(wrong.parse::<SessionId>(), Err(InvalidSessionId), "{wrong}");
        }
    }
}
