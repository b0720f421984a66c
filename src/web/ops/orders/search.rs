//! What an operator looks for among the orders.

use chrono::NaiveDate;
use url::form_urlencoded::Serializer;

use crate::back_office::ops::OrderSearch;
use crate::sale::order::OrderState;
use crate::web::error::WebError;
use crate::web::extract::fields::Fields;
use crate::web::faults::Faults;
use crate::web::ops::words::REASONS;
use crate::web::text::key;

const PAGE: &str = "/ops/orders";
/// Longer words are in no row.
const WORD_MAX: usize = 256;
const DAY_LENGTH: usize = "2026-11-29".len();

/// The form as it was typed; what is empty is not looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The order's number.
    pub number: String,
    /// The shopper's name or number.
    pub shopper: String,
    /// The sale's number.
    pub activity: String,
    /// The word of a state.
    pub state: String,
    /// The word of a reason.
    pub reason: String,
    /// The first day, in UTC.
    pub from: String,
    /// The last day, in UTC.
    pub to: String,
    /// The page goes on after this row.
    pub before: Option<i64>,
}

impl Search {
    /// From the query of the address.
    pub fn of(query: &mut Fields) -> Result<Self, WebError> {
        let mut take = |name| -> Result<String, WebError> {
            let value = query.take(name)?.unwrap_or_default();
            Ok(value.trim().chars().take(WORD_MAX).collect())
        };
        let (number, shopper, activity) = (take("number")?, take("shopper")?, take("activity")?);
        let (state, reason) = (take("state")?, take("reason")?);
        let (from, to, before) = (take("from")?, take("to")?, take("before")?);
        let before = match before.as_str() {
            "" => None,
            row => Some(
                row.parse()
                    .ok()
                    .filter(|row: &i64| *row > 0)
                    .ok_or(WebError::BadRequest("not the number of a row"))?,
            ),
        };
        Ok(Self { number, shopper, activity, state, reason, from, to, before })
    }

    /// What is wanted, but for the shopper, who has to be looked up; and what cannot be understood.
    #[must_use]
    pub fn wanted(&self) -> (OrderSearch, Faults) {
        let mut faults = Faults::default();
        let number = typed(&self.number, |text| text.to_ascii_uppercase().parse().ok());
        let number = number.unwrap_or_else(|()| {
            faults.add("number", key("ops-fault-number"));
            None
        });
        let activity = typed(&self.activity, |text| text.trim_start_matches('#').parse().ok());
        let activity = activity.unwrap_or_else(|()| {
            faults.add("activity", key("ops-fault-activity"));
            None
        });
        let state = |text: &str| OrderState::ALL.into_iter().find(|state| state.as_str() == text);
        let state = typed(&self.state, state).unwrap_or_else(|()| {
            faults.add("state", key("ops-fault-choice"));
            None
        });
        let reason = |text: &str| REASONS.into_iter().find(|reason| *reason == text);
        let reason = typed(&self.reason, reason).unwrap_or_else(|()| {
            faults.add("reason", key("ops-fault-choice"));
            None
        });
        // Years of another length are none of the ledger's.
        let day = |text: &str| text.parse::<NaiveDate>().ok().filter(|_| text.len() == DAY_LENGTH);
        let mut days = |field, text: &str| {
            typed(text, day).unwrap_or_else(|()| {
                faults.add(field, key("audit-fault-date"));
                None
            })
        };
        let (from, to) = (days("from", &self.from), days("to", &self.to));
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            faults.add("to", key("audit-fault-order"));
        }
        let midnight =
            |day: NaiveDate| day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
        let wanted = OrderSearch {
            number,
            shoppers: None,
            activity,
            state,
            reason,
            from_ms: from.map(midnight),
            until_ms: to.and_then(|day| day.succ_opt()).map(midnight),
        };
        (wanted, faults)
    }

    fn words(&self) -> [(&'static str, &str); 7] {
        [
            ("number", &self.number),
            ("shopper", &self.shopper),
            ("activity", &self.activity),
            ("state", &self.state),
            ("reason", &self.reason),
            ("from", &self.from),
            ("to", &self.to),
        ]
    }

    /// Whether anything is looked for.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.words().iter().any(|(_, value)| !value.is_empty())
    }

    /// The address of the first page of this search.
    #[must_use]
    pub fn address(&self) -> String {
        self.at(PAGE)
    }

    /// The address of the file with all orders of this search.
    #[must_use]
    pub fn file(&self) -> String {
        self.at("/ops/orders.csv")
    }

    fn at(&self, page: &str) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.words().into_iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        match query.finish() {
            none if none.is_empty() => page.to_owned(),
            query => format!("{page}?{query}"),
        }
    }

    /// The address of the page after this row.
    #[must_use]
    pub fn older_than(&self, row: i64) -> String {
        let first = self.address();
        let sign = if first.contains('?') { '&' } else { '?' };
        format!("{first}{sign}before={row}")
    }
}

/// A field that may be empty. `Err`: it is not, and cannot be understood.
fn typed<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, ()> {
    if text.is_empty() { Ok(None) } else { read(text).map(Some).ok_or(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Search {
        Search::of(&mut Fields::parse(query.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn what_cannot_be_understood_is_told_at_its_field() {
        let is_told = |query, field| {
            let faults = search(query).wanted().1;
            assert!(faults.of(field).is_some(), "{query}");
        };
        is_told("number=42", "number");
        is_told("activity=x", "activity");
        is_told("state=happy", "state");
        is_told("reason=none", "reason");
        is_told("from=soon", "from");
        is_told("from=2026-11-29&to=2026-11-28", "to");
        let (wanted, faults) = search("number=+01hf7yat00e3r38e1ncbs0d1zg&activity=%237").wanted();
        assert!(faults.is_empty());
        assert_eq!(wanted.number.unwrap().to_string(), "01HF7YAT00E3R38E1NCBS0D1ZG");
        assert_eq!(wanted.activity.unwrap().0, 7);
    }

    #[test]
    fn an_address_leads_back_to_the_search() {
        let query = "shopper=%F0%9F%8E%81+%26%3C&state=paid";
        assert_eq!(search(query).address(), format!("/ops/orders?{query}"));
        assert_eq!(search(query).older_than(7), format!("/ops/orders?{query}&before=7"));
        assert_eq!(search(query).file(), format!("/ops/orders.csv?{query}"));
        assert_eq!(search("before=9").address(), "/ops/orders");
    }
}
