//! Orders as a file: all of a sale, for admins, and those that an operator looked for.
//!
//! It is read and sent page by page. When the ledger fails half-way the answer breaks off, and the browser
//! tells that the download failed: a file that ends early must not look complete.

use actix_web::{
    HttpResponse,
    http::header::{ContentDisposition, ContentType, DispositionParam, DispositionType},
    web::Bytes,
};
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::stream;

use crate::{
    back_office::{Exported, Orders},
    sale::money::Currency,
    web::{error::WebError, price},
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

/// The answer that sends these orders as a file of this name.
pub fn sent(orders: Orders, file: String) -> Result<HttpResponse, WebError> {
    let head = written([COLUMNS.map(str::to_owned)])?;
    let head = Bytes::from([BYTE_ORDER_MARK.as_bytes(), &head].concat());
    let body = stream::unfold(Some(Sending { head: Some(head), orders }), |sending| async {
        let mut sending = sending?;
        match sending.next().await {
            Ok(page) => page.map(|page| (Ok(page), Some(sending))),
            // The last item: nothing comes after a failure.
            Err(error) => {
                tracing::error!(%error, "an export broke off");
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
    head: Option<Bytes>,
    orders: Orders,
}

impl Sending {
    /// The next piece. `None`: that was all.
    async fn next(&mut self) -> Result<Option<Bytes>, WebError> {
        if let Some(head) = self.head.take() {
            return Ok(Some(head));
        }
        while let Some(page) = self.orders.next_page().await? {
            if !page.is_empty() {
                return Ok(Some(written(page.iter().map(cells))?.into()));
            }
        }
        Ok(None)
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
/// included, and an apostrophe before them says that it is a text.
fn harmless(cell: &str) -> String {
    let first = cell.trim_start_matches([' ', '\u{a0}', '\u{3000}']).chars().next();
    let formula = |sign| {
        matches!(sign, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠' | '|')
    };
    if first.is_some_and(formula) { format!("'{cell}") } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{harmless, moment, written};

    #[test]
    fn no_cell_is_a_formula() {
        for formula in
            ["=cmd()", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "|calc"]
        {
            assert_eq!(harmless(formula), format!("'{formula}"));
        }
        for text in ["", "Ann", "1=1", "'=1", "a-b", "小明", "🎁", "2026-11-29T12:00:00.000Z"] {
            assert_eq!(harmless(text), text);
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
