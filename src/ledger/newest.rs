//! The newest rows that fulfil some conditions, along an index that is named.
//!
//! Left to itself the server chooses by its statistics, and now and then the second-best: a sale's rows from
//! its first to its last, sorted, for the fifty newest. Here each question is one range of one index that
//! begins with what is equal and ends with what pages go by, so a page costs the same in a table of a
//! thousand rows and of millions. Only the index is read; the rows are fetched by their numbers afterwards.

use chrono::NaiveDateTime;
use diesel::mysql::{Mysql, MysqlConnection};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Datetime, Nullable, Text};

use super::error::LedgerError;

/// A table whose rows have an order: that of their times, or else of their numbers (`id`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeline {
    /// Its name.
    pub(super) table: &'static str,
    /// The column of the time, if the pages go by it.
    pub(super) time: Option<&'static str>,
}

/// Which part of a timeline is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stretch {
    /// Not before this time.
    pub(super) from: Option<NaiveDateTime>,
    /// Before this time.
    pub(super) until: Option<NaiveDateTime>,
    /// Before this row.
    pub(super) before: Option<i64>,
}

/// Where a row lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, QueryableByName)]
struct Place {
    #[diesel(sql_type = Nullable<Datetime>)]
    at: Option<NaiveDateTime>,
    #[diesel(sql_type = BigInt)]
    id: i64,
}

#[derive(Debug, Clone)]
enum Value {
    Number(i64),
    Word(String),
    Time(NaiveDateTime),
}

/// The rows of a timeline that fulfil some conditions, along one of its indexes.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    timeline: Timeline,
    index: &'static str,
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Timeline {
    /// All of its rows. The index has to exist: the server refuses a name that it does not know.
    pub(super) const fn along(self, index: &'static str) -> Walk {
        Walk { timeline: self, index, conditions: Vec::new(), values: Vec::new() }
    }

    /// The place of this row, or one right after the last before it. `None`: there is nothing before it.
    fn place(self, conn: &mut MysqlConnection, id: i64) -> Result<Option<Place>, LedgerError> {
        let (table, Some(time)) = (self.table, self.time) else {
            return Ok(Some(Place { at: None, id }));
        };
        let text = format!(
            "SELECT `{time}` AS `at`, `id` FROM `{table}` WHERE `id` <= ? ORDER BY `id` DESC LIMIT 1"
        );
        let found = sql_query(text).bind::<BigInt, _>(id).get_result::<Place>(conn).optional()?;
        Ok(found.map(|place| Place { id, ..place }))
    }
}

impl Walk {
    /// Of these only those with this number in a column.
    pub(super) fn number(self, column: &str, number: i64) -> Self {
        self.when(format!("`{column}` = ?"), Value::Number(number))
    }

    /// Of these only those with this word in a column.
    pub(super) fn word(self, column: &str, word: impl Into<String>) -> Self {
        self.when(format!("`{column}` = ?"), Value::Word(word.into()))
    }

    /// Of these only those with nothing in a column.
    pub(super) fn nothing(mut self, column: &str) -> Self {
        self.conditions.push(format!("`{column}` IS NULL"));
        self
    }

    fn when(mut self, condition: String, value: Value) -> Self {
        self.conditions.push(condition);
        self.values.push(value);
        self
    }

    fn within(mut self, stretch: Stretch, before: Option<Place>) -> Self {
        if let Some(time) = self.timeline.time {
            if let Some(from) = stretch.from {
                self = self.when(format!("`{time}` >= ?"), Value::Time(from));
            }
            if let Some(until) = stretch.until {
                self = self.when(format!("`{time}` < ?"), Value::Time(until));
            }
        }
        match (self.timeline.time, before) {
            (Some(time), Some(Place { at: Some(at), id })) => {
                self.conditions.push(format!("(`{time}` < ? OR `{time}` = ? AND `id` < ?)"));
                self.values.extend([Value::Time(at), Value::Time(at), Value::Number(id)]);
                self
            }
            (_, Some(Place { id, .. })) => self.when("`id` < ?".to_owned(), Value::Number(id)),
            (_, None) => self,
        }
    }

    fn newest(self, conn: &mut MysqlConnection, limit: i64) -> Result<Vec<Place>, LedgerError> {
        let Self { timeline: Timeline { table, time }, index, mut conditions, values } = self;
        if conditions.is_empty() {
            conditions.push("TRUE".to_owned());
        }
        let conditions = conditions.join(" AND ");
        let at = time.map_or("NULL".to_owned(), |time| format!("`{time}`"));
        let by_time = time.map_or(String::new(), |time| format!("`{time}` DESC, "));
        let text = format!(
            "SELECT {at} AS `at`, `id` FROM `{table}` FORCE INDEX (`{index}`) WHERE {conditions} \
             ORDER BY {by_time}`id` DESC LIMIT ?"
        );
        let mut query = sql_query(text).into_boxed::<Mysql>();
        for value in values {
            query = match value {
                Value::Number(number) => query.bind::<BigInt, _>(number),
                Value::Word(word) => query.bind::<Text, _>(word),
                Value::Time(time) => query.bind::<Datetime, _>(time),
            };
        }
        Ok(query.bind::<BigInt, _>(limit).load(conn)?)
    }
}

/// The row numbers of the newest that these walks through one timeline find, the newest first. No two of the
/// walks may find the same row.
pub(super) fn newest(
    conn: &mut MysqlConnection,
    walks: Vec<Walk>,
    stretch: Stretch,
    limit: i64,
) -> Result<Vec<i64>, LedgerError> {
    let before = match (walks.first(), stretch.before) {
        (Some(walk), Some(row)) => match walk.timeline.place(conn, row)? {
            None => return Ok(Vec::new()),
            place => place,
        },
        _ => None,
    };
    let mut places = Vec::new();
    for walk in walks {
        places.extend(walk.within(stretch, before).newest(conn, limit)?);
    }
    places.sort_unstable_by(|one, other| other.cmp(one));
    places.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(places.into_iter().map(|place| place.id).collect())
}
