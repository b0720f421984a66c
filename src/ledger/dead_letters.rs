//! Messages that nobody could record, kept where operators see them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use sha2::{Digest, Sha256};

use super::audit::{self, Change};
use super::clock::to_millis;
use super::error::LedgerError;
use super::newest::{Stretch, Timeline, newest};
use super::pool::Ledger;
use super::schema::dead_letters;
use super::transaction::{fitting, transaction};
use crate::sale::actor::Actor;
use crate::sale::dead_letter::LetterState;
use crate::sale::order_number::OrderNo;

/// A letter to be kept.
#[derive(Debug, Clone)]
pub struct NewDeadLetter {
    /// The message's own id; empty when it had none. Cut at 191 characters.
    pub message_id: String,
    /// The body as it came, whatever it is.
    pub body: Vec<u8>,
    /// The header that names the body's schema.
    pub schema_header: Option<String>,
    /// Why it could not be recorded. Cut at 255 characters.
    pub reason: String,
}

/// A kept letter, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The row's number; pages go on from it.
    pub id: i64,
    /// The message's own id.
    pub message_id: String,
    /// The header that names the body's schema.
    pub schema_header: Option<String>,
    /// Why it could not be recorded.
    pub reason: String,
    /// Where it stands.
    pub state: LetterState,
    /// How often it was sent again.
    pub tries: i32,
    /// Why an operator discarded it.
    pub note: Option<String>,
    /// When it was kept, ms since the epoch.
    pub created_at_ms: i64,
    /// When it changed last, ms since the epoch.
    pub updated_at_ms: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = dead_letters)]
struct Row {
    id: i64,
    message_id: String,
    schema_header: Option<String>,
    reason: String,
    status: String,
    tries: i32,
    note: Option<String>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<Row> for DeadLetter {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        let unreadable = || LedgerError::Unreadable(format!("status of dead letter {}", row.id));
        Ok(Self {
            id: row.id,
            message_id: row.message_id,
            schema_header: row.schema_header,
            reason: row.reason,
            state: row.status.parse().map_err(|_| unreadable())?,
            tries: row.tries,
            note: row.note,
            created_at_ms: to_millis(row.created_at),
            updated_at_ms: to_millis(row.updated_at),
        })
    }
}

/// Keeps a letter; `false`: it was kept before. One that was sent again and comes back has failed again,
/// and waits again. (So does one whose earlier delivery is repeated just then; sending it once more harms
/// nobody.)
pub async fn insert(ledger: &Ledger, letter: NewDeadLetter) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            let message_id = fitting(&letter.message_id, 191);
            let (hash, reason) = (content_hash(&letter.body), fitting(&letter.reason, 255));
            let kept = diesel::insert_into(dead_letters::table)
                .values((
                    dead_letters::message_id.eq(&message_id),
                    dead_letters::content_hash.eq(&hash),
                    dead_letters::schema_header.eq(letter.schema_header.map(|s| fitting(&s, 32))),
                    dead_letters::reason.eq(&reason),
                    dead_letters::body.eq(letter.body),
                ))
                .execute(conn);
            match kept.map_err(Into::into) {
                Ok(_) => return Ok(true),
                Err(LedgerError::Duplicate(_)) => {}
                Err(error) => return Err(error),
            }
            let sent = [LetterState::Replay, LetterState::Replayed].map(LetterState::as_str);
            let back = dead_letters::table
                .filter(dead_letters::message_id.eq(message_id))
                .filter(dead_letters::content_hash.eq(hash))
                .filter(dead_letters::status.eq_any(sent));
            diesel::update(back)
                .set((
                    dead_letters::status.eq(LetterState::Waiting.as_str()),
                    dead_letters::reason.eq(reason),
                ))
                .execute(conn)?;
            Ok(false)
        })
        .await
}

const LETTERS: Timeline = Timeline { table: "dead_letters", time: None };

/// The newest letters, of one state or of all; `before` goes on after the last one of a page.
pub async fn list(
    ledger: &Ledger,
    state: Option<LetterState>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<DeadLetter>, LedgerError> {
    ledger
        .run(move |conn| {
            let walk = match state {
                Some(state) => LETTERS.along("dead_letters_status").word("status", state.as_str()),
                None => LETTERS.along("PRIMARY"),
            };
            let stretch = Stretch { before, ..Stretch::default() };
            let found = newest(conn, vec![walk], stretch, limit)?;
            let rows: Vec<Row> = dead_letters::table
                .filter(dead_letters::id.eq_any(found))
                .order(dead_letters::id.desc())
                .select(Row::as_select())
                .load(conn)?;
            rows.into_iter().map(DeadLetter::try_from).collect()
        })
        .await
}

/// A letter with its body as it came.
pub async fn get(ledger: &Ledger, id: i64) -> Result<Option<(DeadLetter, Vec<u8>)>, LedgerError> {
    ledger
        .run(move |conn| {
            let found: Option<(Row, Vec<u8>)> = dead_letters::table
                .find(id)
                .select((Row::as_select(), dead_letters::body))
                .first(conn)
                .optional()?;
            found.map(|(row, body)| Ok((row.try_into()?, body))).transpose()
        })
        .await
}

/// What an operator decides of a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It is sent again.
    Replay,
    /// It is put away, for this reason.
    Discard(String),
}

/// Decides of a letter that waits; a worker carries it out. Audited. `false`: it waits no more.
pub async fn decide(
    ledger: &Ledger,
    id: i64,
    decision: Decision,
    actor: Actor,
) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let (state, note) = match &decision {
                    Decision::Replay => (LetterState::Replay, None),
                    Decision::Discard(why) => (LetterState::Discard, Some(fitting(why, 200))),
                };
                let waiting = dead_letters::table
                    .find(id)
                    .filter(dead_letters::status.eq(LetterState::Waiting.as_str()));
                let sends = i32::from(decision == Decision::Replay);
                let decided = diesel::update(waiting)
                    .set((
                        dead_letters::status.eq(state.as_str()),
                        dead_letters::note.eq(&note),
                        dead_letters::tries.eq(dead_letters::tries + sends),
                    ))
                    .execute(conn)?;
                if decided == 0 {
                    return Ok(false);
                }
                let (from, to) = (LetterState::Waiting.as_str(), state.as_str());
                let mut changes = vec![Change::turned("status", &from, &to)];
                changes.extend(note.map(|note| Change::made("reason", &note)));
                let action = format!("dead_letter.{to}");
                audit::write(conn, &actor, &action, &format!("dead_letter:{id}"), &changes)?;
                Ok(true)
            })
        })
        .await
}

/// Decides that all waiting letters are sent again, up to this one: what came after somebody looked stays.
/// Tells how many. Audited as one.
pub async fn replay_up_to(ledger: &Ledger, last: i64, actor: Actor) -> Result<usize, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let waiting = dead_letters::table
                    .filter(dead_letters::status.eq(LetterState::Waiting.as_str()))
                    .filter(dead_letters::id.le(last));
                let decided = diesel::update(waiting)
                    .set((
                        dead_letters::status.eq(LetterState::Replay.as_str()),
                        dead_letters::note.eq(None::<String>),
                        dead_letters::tries.eq(dead_letters::tries + 1),
                    ))
                    .execute(conn)?;
                if decided > 0 {
                    let changes = [Change::made("count", &decided)];
                    let subject = format!("dead_letter:1-{last}");
                    audit::write(conn, &actor, "dead_letter.replay", &subject, &changes)?;
                }
                Ok(decided)
            })
        })
        .await
}

/// The oldest letters that are to be sent again, with their bodies.
pub async fn to_replay(
    ledger: &Ledger,
    limit: i64,
) -> Result<Vec<(DeadLetter, Vec<u8>)>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<(Row, Vec<u8>)> = dead_letters::table
                .filter(dead_letters::status.eq(LetterState::Replay.as_str()))
                .order(dead_letters::id)
                .limit(limit)
                .select((Row::as_select(), dead_letters::body))
                .load(conn)?;
            rows.into_iter().map(|(row, body)| Ok((row.try_into()?, body))).collect()
        })
        .await
}

/// Writes that a letter was sent again, unless it is back already or another worker was first.
pub async fn mark_replayed(ledger: &Ledger, id: i64) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            let sent = dead_letters::table
                .find(id)
                .filter(dead_letters::status.eq(LetterState::Replay.as_str()));
            let marked = diesel::update(sent)
                .set(dead_letters::status.eq(LetterState::Replayed.as_str()))
                .execute(conn)?;
            Ok(marked == 1)
        })
        .await
}

/// Puts away what is to be discarded; tells how many letters that were.
pub async fn put_away(ledger: &Ledger) -> Result<usize, LedgerError> {
    ledger
        .run(move |conn| {
            let to_discard =
                dead_letters::table.filter(dead_letters::status.eq(LetterState::Discard.as_str()));
            Ok(diesel::update(to_discard)
                .set(dead_letters::status.eq(LetterState::Discarded.as_str()))
                .execute(conn)?)
        })
        .await
}

/// What operators decided about the messages of orders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// Orders whose message lies here, undecided or on its way back.
    pub open: HashSet<OrderNo>,
    /// Orders all of whose messages were put away.
    pub put_away: HashSet<OrderNo>,
}

/// What was decided about the messages of these orders.
pub async fn decided(ledger: &Ledger, numbers: Vec<OrderNo>) -> Result<Decided, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<(String, String)> = dead_letters::table
                .filter(dead_letters::message_id.eq_any(numbers.iter().map(ToString::to_string)))
                .select((dead_letters::message_id, dead_letters::status))
                .load(conn)?;
            let mut decided = Decided::default();
            for (number, state) in rows {
                let (Ok(number), Ok(state)) = (number.parse(), state.parse()) else { continue };
                match state {
                    LetterState::Waiting | LetterState::Replay => decided.open.insert(number),
                    LetterState::Discard | LetterState::Discarded => {
                        decided.put_away.insert(number)
                    }
                    LetterState::Replayed => false,
                };
            }
            decided.put_away.retain(|number| !decided.open.contains(number));
            Ok(decided)
        })
        .await
}

/// How many letters nobody has decided about.
pub async fn undecided(ledger: &Ledger) -> Result<i64, LedgerError> {
    ledger
        .run(|conn| {
            let undecided = dead_letters::table.filter(dead_letters::status.eq("waiting"));
            Ok(undecided.count().get_result(conn)?)
        })
        .await
}

/// Those of these orders whose message lies here undecided, each with its letter's number.
pub async fn undecided_of(
    ledger: &Ledger,
    orders: Vec<OrderNo>,
) -> Result<HashMap<OrderNo, i64>, LedgerError> {
    if orders.is_empty() {
        return Ok(HashMap::new());
    }
    ledger
        .run(move |conn| {
            let rows: Vec<(String, i64)> = dead_letters::table
                .filter(dead_letters::message_id.eq_any(orders.iter().map(ToString::to_string)))
                .filter(dead_letters::status.eq(LetterState::Waiting.as_str()))
                .select((dead_letters::message_id, dead_letters::id))
                .load(conn)?;
            Ok(rows.into_iter().filter_map(|(name, id)| Some((name.parse().ok()?, id))).collect())
        })
        .await
}

/// SHA-256 in hexadecimal digits.
fn content_hash(body: &[u8]) -> String {
    Sha256::digest(body).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
