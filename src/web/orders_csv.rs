//! Orders as a file: all of a sale, for admins, and those that an operator looked for.
//!
//! It is read and sent page by page. When the ledger fails half-way, the node stops or the viewer may not
//! see it any more, the answer breaks off, and the browser tells that the download failed: a file that
//! ends early must not look complete.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentDisposition, ContentType, DispositionParam, DispositionType},
    web::Bytes,
};
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use crate::{
    back_office::{Exported, Orders},
    sale::{money::Currency, shopper::Role},
    web::{error::WebError, price, session::Visit},
};

/// Tells programs that open the file that it is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

const COLUMNS: [&str; 14] = [
    "order_no",
    "shopper_id",
    "shopper",
    "product",
    "price",
    "currency",
    "state",
    "reason",
    "reserved_at",
    "created_at",
    "pay_before",
    "paid_at",
    "cancelled_at",
    "activity_id",
];

/// Why a file breaks off.
#[derive(Debug, thiserror::Error)]
enum Broken {
    /// The account was closed or its role does not allow it any more, or the session has ended.
    #[error("the session may not see it any more")]
    NotAllowed,
    /// What goes on for long is not waited for.
    #[error("the node stops")]
    Stopping,
    /// It cannot be read or written.
    #[error(transparent)]
    Failed(#[from] WebError),
}

/// The answer that sends these orders as a file of this name, as long as the viewer `may` see it.
pub fn sent(
    req: &HttpRequest,
    stop: CancellationToken,
    may: fn(Role) -> bool,
    orders: Orders,
    file: String,
) -> Result<HttpResponse, WebError> {
    let visit = Visit::known(req).ok_or(WebError::SignedOut)?;
    let head = written([COLUMNS.map(str::to_owned)])?;
    let head = Bytes::from([BYTE_ORDER_MARK.as_bytes(), &head].concat());
    let sending = Sending { visit, req: req.clone(), may, stop, head: Some(head), orders };
    let body = stream::unfold(Some(sending), |sending| async {
        let mut sending = sending?;
        match sending.next().await {
            Ok(page) => page.map(|page| (Ok(page), Some(sending))),
            // The last item: nothing comes after a failure.
            Err(error) => {
                match &error {
                    Broken::Failed(_) => tracing::error!(%error, "an export broke off"),
                    Broken::NotAllowed | Broken::Stopping => {
                        tracing::info!(%error, "an export broke off");
                    }
                }
                Some((Err(error), None))
            }
        }
    });
    Ok(HttpResponse::Ok()
        .insert_header(ContentType(
            "text/csv; charset=utf-8"
                .parse()
                .map_err(|_| WebError::Fault("the type of a CSV file"))?,
        ))
        .insert_header(ContentDisposition {
            disposition: DispositionType::Attachment,
            parameters: vec![DispositionParam::Filename(file)],
        })
        .streaming(body))
}

struct Sending {
    /// The session as it was when the request came: its store is closed once the answer has begun.
    visit: Visit,
    req: HttpRequest,
    may: fn(Role) -> bool,
    stop: CancellationToken,
    head: Option<Bytes>,
    orders: Orders,
}

impl Sending {
    /// The next piece. `None`: that was all.
    async fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        if let Some(head) = self.head.take() {
            return Ok(Some(head));
        }
        loop {
            if self.stop.is_cancelled() {
                return Err(Broken::Stopping);
            }
            if !self.visit.is_still(&self.req, self.may) {
                return Err(Broken::NotAllowed);
            }
            match self.orders.next_page().await.map_err(WebError::from)? {
                Some(page) if page.is_empty() => {}
                Some(page) => return Ok(Some(written(page.iter().map(cells))?.into())),
                None => return Ok(None),
            }
        }
    }
}

fn written<const N: usize>(
    rows: impl IntoIterator<Item = [String; N]>,
) -> Result<Vec<u8>, WebError> {
    let unwritable = |_| WebError::Fault("a row of a CSV file");
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.iter().map(|cell| harmless(cell))).map_err(unwritable)?;
    }
    writer.into_inner().map_err(|_| WebError::Fault("the end of a CSV file"))
}

fn cells(order: &Exported) -> [String; COLUMNS.len()] {
    let currency = order.currency.parse::<Currency>();
    let price = match &currency {
        Ok(currency) => price::plain(order.price.0, currency.code()),
        Err(_) => order.price.0.to_string(),
    };
    [
        order.order_no.to_string(),
        order.shopper.to_string(),
        order.shopper_name.clone(),
        order.product.clone(),
        price,
        order.currency.clone(),
        order.state.as_str().to_owned(),
        order.reason.clone().unwrap_or_default(),
        moment(Some(order.reserved_at_ms)),
        moment(Some(order.created_at_ms)),
        moment(Some(order.pay_before_ms)),
        moment(order.paid_at_ms),
        moment(order.cancelled_at_ms),
        order.activity_id.to_string(),
    ]
}

fn moment(ms: Option<i64>) -> String {
    let time = ms.and_then(DateTime::<Utc>::from_timestamp_millis);
    time.map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true)).unwrap_or_default()
}

/// A cell that no table program takes for a formula: those begin with one of these signs, full-width ones
/// included, and an apostrophe before them says that it is a text. Where lists are separated by something
/// else than a comma, the file is split at that, whatever stands in quotes: no part is a formula either.
fn harmless(cell: &str) -> String {
    let first = cell.trim_start_matches(is_blank).chars().next();
    let mut safe = String::with_capacity(cell.len() + 1);
    if first.is_some_and(|sign| is_formula(sign) || matches!(sign, '\t' | '\r' | '\n')) {
        safe.push('\'');
    }
    // Whether what comes next could begin a cell.
    let mut begins = false;
    for sign in cell.chars() {
        if begins && is_formula(sign) {
            safe.push('\'');
        }
        let separates = matches!(sign, ';' | ',' | '\t' | '\r' | '\n');
        // Quotes are taken off a cell, like blanks.
        begins = separates || begins && (is_blank(sign) || sign == '"');
        safe.push(sign);
    }
    safe
}

const fn is_blank(sign: char) -> bool {
    matches!(sign, ' ' | '\u{a0}' | '\u{3000}')
}

const fn is_formula(sign: char) -> bool {
    matches!(sign, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '|')
}

#[cfg(test)]
mod tests {
    use super::{harmless, moment, written};

    #[test]
    fn no_cell_is_a_formula() {
        for formula in
            ["=cmd()", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", " =1", "＝1", "|calc"]
        {
            assert_eq!(harmless(formula), format!("'{formula}"));
        }
        let plain = ["", "Ann", "1=1", "'=1", "a-b", "小明", "🎁", "2026-11-29T12:00:00.000Z"];
        for text in plain.into_iter().chain(["a; b, c", "Ann;", "a;b=c", "a; b -c", "a \"=1\""]) {
            assert_eq!(harmless(text), text);
        }
    }

    #[test]
    fn no_part_of_a_cell_that_is_split_elsewhere_is_a_formula() {
        for (cell, safe) in [
            ("x;=HYPERLINK(\"http://x\")", "x;'=HYPERLINK(\"http://x\")"),
            ("x; \u{a0}+1;-1", "x; \u{a0}'+1;'-1"),
            ("x,=1", "x,'=1"),
            ("x\t@SUM(A1)", "x\t'@SUM(A1)"),
            ("x\r\n=1", "x\r\n'=1"),
            ("\t=1", "'\t'=1"),
            ("=1;=2", "'=1;'=2"),
            (";;＝1", ";;'＝1"),
            ("x;\"=1\"", "x;\"'=1\""),
            ("x; |calc", "x; '|calc"),
        ] {
            assert_eq!(harmless(cell), safe);
        }
    }

    #[test]
    fn what_is_written_can_be_read_back() {
        let row = ["a \"quote\"".to_owned(), "two\nlines, 🎁".to_owned(), "=x".to_owned()];
        let file = written([row.clone()]).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file.as_slice());
        let read = reader.records().next().unwrap().unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), [&row[0], &row[1], "'=x"]);
    }

    #[test]
    fn times_are_of_no_zone_but_utc() {
        assert_eq!(moment(Some(1_795_953_600_000)), "2026-11-29T12:00:00.000Z");
        assert_eq!(moment(None), "");
    }
}
