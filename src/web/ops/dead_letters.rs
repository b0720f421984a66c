//! `/ops/dead-letters` and below: messages that nobody could record.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;
use serde_json::Value;

use super::words;
use crate::back_office::ops::{DeadLetter, Decision};
use crate::sale::dead_letter::LetterState;
use crate::sale::order_number::OrderNo;
use crate::web::{
    Site,
    error::WebError,
    extract::{
        form::{Checked, NoFields},
        ops_forms::{REASON_MAX, ReasonForm, UpToForm},
        path::OfLetter,
        query::Query,
    },
    faults::Faults,
    page::{Frame, respond, see_other},
    session::Operator,
    text::{Message, key},
};

/// Letters on one page of the list.
const SHOWN: i64 = 50;
/// As much of a body as a page shows, bytes: a message of ours has 16 KiB at most.
const BODY_SHOWN: usize = 16 * 1024;
/// A letter that is not back by then has become an order.
const BACK_WITHIN_MS: i64 = 15_000;
/// Bytes in a line of a body that is no text.
const HEX_LINE: usize = 16;

/// The list: `GET /ops/dead-letters`.
#[derive(Debug, Template)]
#[template(path = "ops/dead_letters.html")]
pub struct LettersPage {
    /// What every page has.
    pub f: Frame,
    /// Which ones are shown; `None`: all.
    pub state: Option<LetterState>,
    /// Those of this page.
    pub letters: Vec<DeadLetter>,
    /// The newest that waits, if this page shows it.
    pub last_waiting: Option<i64>,
    /// The address of the next page.
    pub older: Option<String>,
    /// How many are to be sent again by what was just done.
    pub replayed: Option<i64>,
}

impl LettersPage {
    fn filters(&self) -> Vec<(String, Message, bool)> {
        let states = LetterState::ALL.into_iter().map(Some).chain([None]);
        let filter = |state: Option<LetterState>| {
            let name = state.map_or_else(|| key("letters-all"), words::letter);
            (address(state), name, state == self.state)
        };
        states.map(filter).collect()
    }

    fn state_of(letter: &DeadLetter) -> Message {
        words::letter(letter.state)
    }
}

/// One letter: `GET /ops/dead-letters/{letter}`, and the answer to a decision that came to nothing.
#[derive(Debug, Template)]
#[template(path = "ops/dead_letter.html")]
pub struct LetterPage {
    /// What every page has.
    pub f: Frame,
    /// The letter.
    pub letter: DeadLetter,
    /// Its body, as a text or in hexadecimal digits.
    pub body: Body,
    /// Where the order is looked for that it was to become.
    pub order: Option<String>,
    /// What is wrong with the form.
    pub faults: Faults,
    /// The reason as typed.
    pub reason: String,
    /// What is to be said first, and whether it is good news.
    pub notice: Option<(Message, bool)>,
}

impl LetterPage {
    fn state(&self) -> Message {
        words::letter(self.letter.state)
    }

    fn is_waiting(&self) -> bool {
        self.letter.state == LetterState::Waiting
    }

    /// Whether a worker is at it, or has just been: what was sent again comes back soon or never.
    fn is_moving(&self) -> bool {
        match self.letter.state {
            LetterState::Replay | LetterState::Discard => true,
            LetterState::Replayed => {
                self.f.now_ms.saturating_sub(self.letter.updated_at_ms) < BACK_WITHIN_MS
            }
            LetterState::Waiting | LetterState::Discarded => false,
        }
    }
}

/// A body as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// What is shown.
    pub shown: String,
    /// Whether it is a text.
    pub is_text: bool,
    /// Its size, bytes.
    pub size: usize,
    /// Whether there is more than is shown.
    pub is_cut: bool,
}

impl Body {
    /// A text as it is, but for signs that would hide or turn what stands around them; else bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let (size, is_cut) = (bytes.len(), bytes.len() > BODY_SHOWN);
        let bytes = bytes.get(..BODY_SHOWN).unwrap_or(bytes);
        // A text that is cut within a letter is one up to there.
        let text = match str::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) if is_cut && error.error_len().is_none() => {
                bytes.get(..error.valid_up_to()).and_then(|bytes| str::from_utf8(bytes).ok())
            }
            Err(_) => None,
        };
        let shown = text.map_or_else(|| hexadecimal(bytes), visible);
        Self { shown, is_text: text.is_some(), size, is_cut }
    }
}

fn visible(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn hexadecimal(bytes: &[u8]) -> String {
    let line =
        |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    bytes.chunks(HEX_LINE).map(line).collect::<Vec<_>>().join("\n")
}

/// The search for the order of a message that has an order's number; where the body can be read that far,
/// also at the gate and in the outbox.
fn order_of(message_id: &str, body: &[u8]) -> Option<String> {
    let number: OrderNo = message_id.parse().ok()?;
    let fields: Value = serde_json::from_slice(body).unwrap_or_default();
    let id = |field: &str| fields.get(field).and_then(Value::as_i64).filter(|id| *id > 0);
    let narrower = id("activity_id").zip(id("user_id"));
    let narrower =
        narrower.map(|(activity, shopper)| format!("&activity={activity}&shopper={shopper}"));
    Some(format!("/ops/orders?number={number}{}", narrower.unwrap_or_default()))
}

fn address(state: Option<LetterState>) -> String {
    match state {
        Some(LetterState::Waiting) => "/ops/dead-letters".to_owned(),
        Some(state) => format!("/ops/dead-letters?state={}", state.as_str()),
        None => "/ops/dead-letters?state=all".to_owned(),
    }
}

/// The list; those that wait, unless others are asked for.
pub async fn list(
    _: Operator,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let unknown = || WebError::BadRequest("not a state of a dead letter");
    let state = match query.take("state")?.as_deref() {
        None => Some(LetterState::Waiting),
        Some("all") => None,
        Some(word) => Some(word.parse().map_err(|_| unknown())?),
    };
    let number = |text: String| text.parse().ok().filter(|number: &i64| *number >= 0);
    let bad = WebError::BadRequest("not a number");
    let before = query.take("before")?.map(|text| number(text).ok_or(bad)).transpose()?;
    let replayed = query.take("replayed")?.and_then(number);
    // One more than is shown tells whether there are older ones.
    let mut letters = site.office.dead_letters(state, before, SHOWN + 1).await?;
    let shown = usize::try_from(SHOWN).unwrap_or(usize::MAX);
    let more = letters.len() > shown;
    letters.truncate(shown);
    let older = letters.last().filter(|_| more).map(|letter| {
        let first = address(state);
        let sign = if first.contains('?') { '&' } else { '?' };
        format!("{first}{sign}before={}", letter.id)
    });
    let last_waiting = letters
        .first()
        .filter(|_| state == Some(LetterState::Waiting) && before.is_none())
        .map(|letter| letter.id);
    let page = LettersPage { f, state, letters, last_waiting, older, replayed };
    Ok(respond(StatusCode::OK, &page))
}

/// One letter with its body.
pub async fn show(
    _: Operator,
    OfLetter(id): OfLetter,
    site: Site,
    f: Frame,
    Query(mut query): Query,
) -> Result<HttpResponse, WebError> {
    let done = query.take("done")?;
    let told = Told { done, ..Told::default() };
    answer(&site, f, id, StatusCode::OK, told).await
}

/// What came of a decision up to now, and whether that is good news.
fn outcome(done: &str, state: LetterState) -> Option<(Message, bool)> {
    match (done, state) {
        ("replay", LetterState::Replay) => Some((key("letters-done-replay"), true)),
        ("replay", LetterState::Replayed) => Some((key("letters-was-replayed"), true)),
        ("replay", LetterState::Waiting) => Some((key("letters-came-back"), false)),
        ("discard", LetterState::Discard) => Some((key("letters-done-discard"), true)),
        ("discard", LetterState::Discarded) => Some((key("letters-was-discarded"), true)),
        _ => None,
    }
}

/// Lets one letter be sent again.
pub async fn replay(
    operator: Operator,
    OfLetter(id): OfLetter,
    site: Site,
    f: Frame,
    _: Checked<NoFields>,
) -> Result<HttpResponse, WebError> {
    if site.office.decide_letter(id, Decision::Replay, &operator.actor).await? {
        return Ok(see_other(&format!("/ops/dead-letters/{id}?done=replay")));
    }
    overtaken(&site, f, id).await
}

/// Lets all letters be sent again that waited when the page was made.
pub async fn replay_all(
    operator: Operator,
    site: Site,
    Checked(form): Checked<UpToForm>,
) -> Result<HttpResponse, WebError> {
    let count = site.office.replay_letters(form.last, &operator.actor).await?;
    Ok(see_other(&format!("/ops/dead-letters?replayed={count}")))
}

/// Puts a letter away.
pub async fn discard(
    operator: Operator,
    OfLetter(id): OfLetter,
    site: Site,
    f: Frame,
    Checked(form): Checked<ReasonForm>,
) -> Result<HttpResponse, WebError> {
    let mut faults = Faults::default();
    if form.reason.is_empty() {
        faults.add("reason", key("ops-fault-no-reason"));
    } else if form.reason.chars().count() > REASON_MAX {
        let most = i64::try_from(REASON_MAX).unwrap_or(i64::MAX);
        faults.add("reason", key("ops-fault-long-reason").with("most", most));
    }
    if !faults.is_empty() {
        let said = Told { faults, reason: form.reason, ..Told::default() };
        return answer(&site, f, id, StatusCode::UNPROCESSABLE_ENTITY, said).await;
    }
    let decision = Decision::Discard(form.reason);
    if site.office.decide_letter(id, decision, &operator.actor).await? {
        return Ok(see_other(&format!("/ops/dead-letters/{id}?done=discard")));
    }
    overtaken(&site, f, id).await
}

#[derive(Default)]
struct Told {
    faults: Faults,
    reason: String,
    notice: Option<(Message, bool)>,
    /// The decision that led here.
    done: Option<String>,
}

async fn overtaken(site: &Site, f: Frame, id: i64) -> Result<HttpResponse, WebError> {
    let said = Told { notice: Some((key("letters-overtaken"), false)), ..Told::default() };
    answer(site, f, id, StatusCode::CONFLICT, said).await
}

async fn answer(
    site: &Site,
    f: Frame,
    id: i64,
    status: StatusCode,
    said: Told,
) -> Result<HttpResponse, WebError> {
    let (letter, body) = site.office.dead_letter(id).await?.ok_or(WebError::NotFound)?;
    let Told { faults, reason, notice, done } = said;
    let notice = notice.or_else(|| outcome(done.as_deref()?, letter.state));
    let (order, body) = (order_of(&letter.message_id, &body), Body::of(&body));
    let page = LetterPage { f, letter, body, order, faults, reason, notice };
    Ok(respond(status, &page))
}

#[cfg(test)]
mod tests {
    use super::{Body, order_of};

    #[test]
    fn a_letter_leads_to_its_order_as_far_as_it_can_be_read() {
        let number = "01M8MABPC9Q8ZP91A4JAYNZ17Q";
        let search = format!("/ops/orders?number={number}");
        for body in
            ["", "{", "[1]", "{\"user_id\": 7}", "{\"user_id\": 7, \"activity_id\": \"&x\"}"]
        {
            assert_eq!(order_of(number, body.as_bytes()).as_ref(), Some(&search), "{body}");
        }
        let whole = order_of(number, b"{\"user_id\": 7, \"activity_id\": 3}");
        assert_eq!(whole, Some(format!("{search}&activity=3&shopper=7")));
        assert_eq!(order_of("poison", b"{}"), None);
    }

    #[test]
    fn a_body_is_shown_whatever_it_is() {
        let text = Body::of("{\"a\":\n\"\u{202e}小明\u{0}\"}".as_bytes());
        assert_eq!(text.shown, "{\"a\":\n\"\\u{202e}小明\\u{0}\"}");
        assert!(text.is_text && !text.is_cut);
        let bytes = Body::of(&[0xff; 17]);
        assert_eq!(bytes.shown.lines().count(), 2);
        assert!(!bytes.is_text && bytes.shown.ends_with("ff\nff"));
        let long = Body::of("小".repeat(10_000).as_bytes());
        assert!(long.is_text && long.is_cut && long.size == 30_000);
        assert_eq!(Body::of(b"").shown, "");
    }
}
