//! What is looked for in the audit.

use chrono::NaiveDate;
use url::form_urlencoded::Serializer;

use crate::back_office::AuditFilter;
use crate::web::error::WebError;
use crate::web::extract::fields::Fields;
use crate::web::faults::Faults;
use crate::web::text::key;

const PAGE: &str = "/admin/audit";
/// Longer words are in no row.
const WORD_MAX: usize = 256;
const DAY_LENGTH: usize = "2026-11-29".len();

/// The form as it was typed; what is empty is not looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Who did it, by name.
    pub actor: String,
    /// What was done, by its word.
    pub action: String,
    /// To what.
    pub subject: String,
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
        let (actor, action, subject) = (take("actor")?, take("action")?, take("subject")?);
        let (from, to, before) = (take("from")?, take("to")?, take("before")?);
        let before = match before.as_str() {
            "" => None,
            number => Some(
                number
                    .parse()
                    .ok()
                    .filter(|number: &i64| *number > 0)
                    .ok_or(WebError::BadRequest("not the number of a row"))?,
            ),
        };
        Ok(Self { actor, action, subject, from, to, before })
    }

    /// Which rows are wanted, and what of the form cannot be understood.
    #[must_use]
    pub fn filter(&self) -> (AuditFilter, Faults) {
        let mut faults = Faults::default();
        let mut day = |field, text: &str| {
            // Years of another length are none of the ledger's.
            let day = text.parse::<NaiveDate>().ok().filter(|_| text.len() == DAY_LENGTH);
            if day.is_none() && !text.is_empty() {
                faults.add(field, key("audit-fault-date"));
            }
            day
        };
        let (from, to) = (day("from", &self.from), day("to", &self.to));
        let midnight =
            |day: NaiveDate| day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis();
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            faults.add("to", key("audit-fault-order"));
        }
        let word = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let filter = AuditFilter {
            actor: word(&self.actor),
            action: word(&self.action),
            subject: word(&self.subject),
            from_ms: from.map(midnight),
            until_ms: to.and_then(|day| day.succ_opt()).map(midnight),
        };
        (filter, faults)
    }

    /// Whether anything is looked for.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        [&self.actor, &self.action, &self.subject, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }

    /// The address of the first page of this search.
    #[must_use]
    pub fn address(&self) -> String {
        let mut query = Serializer::new(String::new());
        let words = [
            ("actor", &self.actor),
            ("action", &self.action),
            ("subject", &self.subject),
            ("from", &self.from),
            ("to", &self.to),
        ];
        for (name, value) in words.into_iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        match query.finish() {
            none if none.is_empty() => PAGE.to_owned(),
            query => format!("{PAGE}?{query}"),
        }
    }

    /// The address of the page after this row.
    #[must_use]
    pub fn older_than(&self, row: i64) -> String {
        let first = self.address();
        let sign = if first.contains('?') { '&' } else { '?' };
        format!("{first}{sign}before={row}")
    }

    /// The same search for this actor's rows alone.
    #[must_use]
    pub fn by(&self, actor: &str) -> String {
        Self { actor: actor.to_owned(), ..self.clone() }.address()
    }

    /// The same search for this subject's rows alone.
    #[must_use]
    pub fn about(&self, subject: &str) -> String {
        Self { subject: subject.to_owned(), ..self.clone() }.address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Search {
        Search::of(&mut Fields::parse(query.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn days_are_whole_and_in_order() {
        let (filter, faults) = search("from=2026-11-29&to=2026-11-29").filter();
        assert!(faults.is_empty());
        assert_eq!(filter.until_ms.unwrap() - filter.from_ms.unwrap(), 86_400_000);
        let told = |query| search(query).filter().1;
        assert!(told("from=yesterday").of("from").is_some());
        assert!(told("to=2026-02-30").of("to").is_some());
        assert!(told("from=2026-11-29&to=2026-11-28").of("to").is_some());
        // The last of all days has no next one.
        assert!(told("from=0001-01-01&to=9999-12-31").is_empty());
        assert!(told("from=%2B12026-11-29").of("from").is_some());
    }

    #[test]
    fn an_address_leads_back_to_the_search() {
        let query = "actor=%F0%9F%8E%81+%26%3C&action=activity.stock&subject=activity%3A42";
        let narrow = search(query);
        assert_eq!(narrow.address(), format!("/admin/audit?{query}"));
        assert_eq!(narrow.older_than(7), format!("/admin/audit?{query}&before=7"));
        assert_eq!(search("before=9").address(), "/admin/audit");
        assert_eq!(search("").older_than(7), "/admin/audit?before=7");
        assert!(Search::of(&mut Fields::parse(b"before=-1").unwrap()).is_err());
    }
}
