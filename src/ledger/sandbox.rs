//! The books of the sandbox: a bank of our own that takes no money. Only `payment/sandbox.rs` reads them.

use chrono::{NaiveDateTime, TimeDelta};
use diesel::prelude::*;

use super::clock::now;
use super::error::LedgerError;
use super::pool::Ledger;
use super::schema::sandbox_payments as books;
use super::transaction::transaction;
use crate::sale::money::{Cents, Currency};
use crate::sale::payment::PaymentNo;

/// How long a notice that was not acknowledged waits for its repetition, seconds.
const REPEAT_S: i64 = 5;

/// A payment in the bank's books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The shop's number.
    pub payment_no: PaymentNo,
    /// What is to be taken.
    pub amount: Cents,
    /// Of what.
    pub currency: Currency,
    /// Where the shopper goes back to.
    pub return_to: String,
    /// `open`, `taken`, `declined` or `refunded`.
    pub status: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = books)]
struct Row {
    payment_no: String,
    amount_cents: i64,
    currency: String,
    return_to: String,
    status: String,
}

impl TryFrom<Row> for Entry {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        let unreadable = || LedgerError::Unreadable(format!("sandbox payment {}", row.payment_no));
        Ok(Self {
            payment_no: row.payment_no.parse().map_err(|_| unreadable())?,
            amount: Cents(row.amount_cents),
            currency: row.currency.parse().map_err(|_| unreadable())?,
            return_to: row.return_to,
            status: row.status,
        })
    }
}

/// Announces a payment; one that is known stays as it is.
pub async fn announce(
    ledger: &Ledger,
    payment_no: PaymentNo,
    amount: Cents,
    currency: Currency,
    return_to: String,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            diesel::insert_or_ignore_into(books::table)
                .values((
                    books::payment_no.eq(payment_no.to_string()),
                    books::amount_cents.eq(amount.0),
                    books::currency.eq(currency.code()),
                    books::return_to.eq(return_to),
                ))
                .execute(conn)?;
            Ok(())
        })
        .await
}

/// The entry of this payment.
pub async fn find(ledger: &Ledger, payment_no: PaymentNo) -> Result<Option<Entry>, LedgerError> {
    ledger
        .run(move |conn| {
            let row = books::table.find(payment_no.to_string()).select(Row::as_select());
            row.first(conn).optional()?.map(Entry::try_from).transpose()
        })
        .await
}

/// Decides an open payment, `taken` or `declined`; `notices` callbacks follow after `after_s` seconds. One
/// that is decided stays as it is.
pub async fn decide(
    ledger: &Ledger,
    payment_no: PaymentNo,
    status: &'static str,
    notices: i32,
    after_s: i64,
) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            let due = (notices > 0).then_some(now(conn)? + TimeDelta::seconds(after_s));
            diesel::update(books::table.find(payment_no.to_string()))
                .filter(books::status.eq("open"))
                .set((
                    books::status.eq(status),
                    books::notices.eq(notices),
                    books::next_notice_at.eq(due),
                ))
                .execute(conn)?;
            Ok(())
        })
        .await
}

/// Gives back what was taken.
pub async fn refund(ledger: &Ledger, payment_no: PaymentNo) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            diesel::update(books::table.find(payment_no.to_string()))
                .filter(books::status.eq("taken"))
                .set(books::status.eq("refunded"))
                .execute(conn)?;
            Ok(())
        })
        .await
}

/// Notices to be delivered now; each is out of the others' sight until its repetition.
pub async fn take_due_notices(ledger: &Ledger, limit: i64) -> Result<Vec<Entry>, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let at = now(conn)?;
                let due: Vec<Row> = books::table
                    .filter(books::next_notice_at.le(at))
                    .order(books::next_notice_at)
                    .limit(limit)
                    .for_update()
                    .skip_locked()
                    .select(Row::as_select())
                    .load(conn)?;
                for row in &due {
                    let later: NaiveDateTime = at + TimeDelta::seconds(REPEAT_S);
                    diesel::update(books::table.find(&row.payment_no))
                        .set(books::next_notice_at.eq(Some(later)))
                        .execute(conn)?;
                }
                due.into_iter().map(Entry::try_from).collect()
            })
        })
        .await
}

/// A notice was acknowledged: the next one follows at once, or there is none.
pub async fn acknowledged(ledger: &Ledger, payment_no: PaymentNo) -> Result<(), LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let at = now(conn)?;
                let this = || books::table.find(payment_no.to_string());
                diesel::update(this())
                    .filter(books::notices.gt(0))
                    .set((
                        books::notices.eq(books::notices - 1),
                        books::next_notice_at.eq(Some(at)),
                    ))
                    .execute(conn)?;
                diesel::update(this())
                    .filter(books::notices.le(0))
                    .set(books::next_notice_at.eq(None::<NaiveDateTime>))
                    .execute(conn)?;
                Ok(())
            })
        })
        .await
}
