//! Payments. The order's row is locked first, then the payment's: so of a payment, a cancellation and an
//! expiry at once one decides, and the others see what it decided.

use chrono::{NaiveDateTime, TimeDelta};
use diesel::mysql::MysqlConnection;
use diesel::prelude::*;

use super::audit;
use super::clock::{Clock, from_millis, now, to_millis};
use super::error::LedgerError;
use super::orders::{self, By};
use super::pool::Ledger;
use super::schema::payments;
use super::transaction::{fitting, transaction};
use crate::sale::actor::Actor;
use crate::sale::ids::UserId;
use crate::sale::money::{Cents, Currency};
use crate::sale::order::{Order, OrderState};
use crate::sale::order_number::OrderNo;
use crate::sale::payment::{Payment, PaymentNo, PaymentState, RefundReason, Report};

/// The longest pause between two refunds that are asked for, seconds.
const PAUSE_MAX_S: i64 = 300;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = payments)]
struct Row {
    id: i64,
    payment_no: String,
    order_no: String,
    provider: String,
    amount_cents: i64,
    currency: String,
    status: String,
    taken_cents: Option<i64>,
    reason: Option<String>,
    begun_at: NaiveDateTime,
    settled_at: Option<NaiveDateTime>,
    refunded_at: Option<NaiveDateTime>,
}

impl TryFrom<Row> for Payment {
    type Error = LedgerError;
    fn try_from(row: Row) -> Result<Self, LedgerError> {
        let unreadable =
            |what: &str| LedgerError::Unreadable(format!("{what} of payment {}", row.payment_no));
        Ok(Self {
            payment_no: row.payment_no.parse().map_err(|_| unreadable("number"))?,
            order_no: row.order_no.parse().map_err(|_| unreadable("order"))?,
            provider: row.provider,
            amount: Cents(row.amount_cents),
            currency: row.currency.parse().map_err(|_| unreadable("currency"))?,
            state: row.status.parse().map_err(|_| unreadable("status"))?,
            taken: row.taken_cents.map(Cents),
            reason: row.reason,
            begun_at_ms: to_millis(row.begun_at),
            settled_at_ms: row.settled_at.map(to_millis),
            refunded_at_ms: row.refunded_at.map(to_millis),
        })
    }
}

/// What became of the wish to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beginning {
    /// This payment is to be carried out.
    Begun(Payment),
    /// This one was begun before, and its fate is not known here.
    Before(Payment),
    /// The order is paid already.
    AlreadyPaid(Order),
    /// The deadline has passed; the order is about to expire.
    TooLate(Order),
    /// The order ended otherwise.
    NotPending(Order),
    /// No such order, or not this shopper's.
    NotFound,
}

/// What a provider's report came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collected {
    /// The order is paid by this.
    Paid(Order),
    /// The money goes back.
    ToRefund(RefundReason),
    /// The provider took nothing.
    Failed,
    /// The money is back.
    Refunded,
    /// Known before; nothing changed.
    Unchanged(PaymentState),
    /// There is no such payment.
    NotFound,
}

/// Begins the payment of a pending order before its deadline. Two tabs share one payment.
pub async fn begin(
    ledger: &Ledger,
    order_no: OrderNo,
    owner: UserId,
    provider: &'static str,
    fresh: PaymentNo,
    request_id: String,
) -> Result<Beginning, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                begin_locked(conn, order_no, owner, provider, fresh, &request_id)
            })
        })
        .await
}

fn begin_locked(
    conn: &mut MysqlConnection,
    order_no: OrderNo,
    owner: UserId,
    provider: &'static str,
    fresh: PaymentNo,
    request_id: &str,
) -> Result<Beginning, LedgerError> {
    let order = orders::lock(conn, order_no)?.filter(|order| order.user_id == owner);
    let Some(order) = order else { return Ok(Beginning::NotFound) };
    match order.state {
        OrderState::Paid => return Ok(Beginning::AlreadyPaid(order)),
        OrderState::PendingPayment => {}
        _ => return Ok(Beginning::NotPending(order)),
    }
    let at = now(conn)?;
    if to_millis(at) >= order.pay_before_ms {
        return Ok(Beginning::TooLate(order));
    }
    let begun = of_order_rows(conn, order_no)?;
    let begun = begun.into_iter().find(|row| row.status == PaymentState::Begun.as_str());
    if let Some(row) = begun.filter(|row| row.provider == provider) {
        return Ok(Beginning::Before(row.try_into()?));
    }
    diesel::insert_into(payments::table)
        .values((
            payments::payment_no.eq(fresh.to_string()),
            payments::order_no.eq(order_no.to_string()),
            payments::provider.eq(provider),
            payments::amount_cents.eq(order.price.0),
            payments::currency.eq(order.currency.code()),
            payments::request_id.eq(fitting(request_id, 64)),
            payments::begun_at.eq(at),
            // Whatever becomes of the order then, somebody asks what became of the money.
            payments::next_try_at.eq(from_millis(order.pay_before_ms)),
        ))
        .execute(conn)?;
    let made = find(conn, fresh)?.ok_or(LedgerError::NotFound)?;
    Ok(Beginning::Begun(made.try_into()?))
}

/// Writes what a provider reported. A payment has one fate: reported again, nothing changes.
pub async fn collect(
    ledger: &Ledger,
    payment_no: PaymentNo,
    report: Report,
    by: By,
) -> Result<Collected, LedgerError> {
    ledger
        .run(move |conn| transaction(conn, |conn| collect_locked(conn, payment_no, report, &by)))
        .await
}

fn collect_locked(
    conn: &mut MysqlConnection,
    payment_no: PaymentNo,
    report: Report,
    by: &By,
) -> Result<Collected, LedgerError> {
    let Some(row) = find(conn, payment_no)? else { return Ok(Collected::NotFound) };
    let order_no = Payment::try_from(row)?.order_no;
    let order = orders::lock(conn, order_no)?.ok_or(LedgerError::NotFound)?;
    let payment: Payment = find(conn, payment_no)?.ok_or(LedgerError::NotFound)?.try_into()?;
    match (report, payment.state) {
        (Report::Taken { amount, currency }, PaymentState::Begun | PaymentState::Failed) => {
            taken(conn, &payment, &order, (amount, currency), by)
        }
        (Report::Declined, PaymentState::Begun) => {
            settle(conn, payment_no, PaymentState::Failed, None, None)?;
            Ok(Collected::Failed)
        }
        (Report::Refunded, PaymentState::ToRefund) => {
            diesel::update(payments::table.filter(is(payment_no)))
                .set((
                    payments::status.eq(PaymentState::Refunded.as_str()),
                    payments::refunded_at.eq(Clock.nullable()),
                    payments::next_try_at.eq(None::<NaiveDateTime>),
                ))
                .execute(conn)?;
            Ok(Collected::Refunded)
        }
        (_, state) => Ok(Collected::Unchanged(state)),
    }
}

/// The money is there: it pays its order, or it goes back.
fn taken(
    conn: &mut MysqlConnection,
    payment: &Payment,
    order: &Order,
    (amount, currency): (Cents, Currency),
    by: &By,
) -> Result<Collected, LedgerError> {
    let reason = if (amount, currency) != (payment.amount, payment.currency)
        || (amount, currency) != (order.price, order.currency)
    {
        Some(RefundReason::WrongAmount)
    } else {
        match order.state {
            OrderState::PendingPayment => None,
            OrderState::Paid => Some(RefundReason::PaidTwice),
            _ => Some(RefundReason::OrderEnded),
        }
    };
    let number = payment.payment_no;
    if let Some(reason) = reason {
        settle(conn, number, PaymentState::ToRefund, Some(amount), Some(reason))?;
        return Ok(Collected::ToRefund(reason));
    }
    // The deadline binds the beginning: money that was taken in time for an order that still stands pays it.
    orders::mark_paid(conn, order, by)?;
    settle(conn, number, PaymentState::Paid, Some(amount), None)?;
    let order = orders::lock(conn, order.order_no)?.ok_or(LedgerError::NotFound)?;
    Ok(Collected::Paid(order))
}

fn settle(
    conn: &mut MysqlConnection,
    payment_no: PaymentNo,
    state: PaymentState,
    taken: Option<Cents>,
    reason: Option<RefundReason>,
) -> Result<(), LedgerError> {
    let at = now(conn)?;
    let next_try_at = (state == PaymentState::ToRefund).then_some(at);
    diesel::update(payments::table.filter(is(payment_no)))
        .set((
            payments::status.eq(state.as_str()),
            payments::taken_cents.eq(taken.map(|amount| amount.0)),
            payments::reason.eq(reason.map(RefundReason::as_str)),
            payments::settled_at.eq(Some(at)),
            payments::tries.eq(0),
            payments::next_try_at.eq(next_try_at),
        ))
        .execute(conn)?;
    Ok(())
}

/// The payments of an order, oldest first.
pub async fn of_order(ledger: &Ledger, order_no: OrderNo) -> Result<Vec<Payment>, LedgerError> {
    ledger
        .run(move |conn| {
            of_order_rows(conn, order_no)?.into_iter().map(Payment::try_from).collect()
        })
        .await
}

/// The order ended: what became of its payments is to be asked at once.
pub(super) fn look_soon(conn: &mut MysqlConnection, order_no: OrderNo) -> Result<(), LedgerError> {
    diesel::update(payments::table.filter(payments::order_no.eq(order_no.to_string())))
        .filter(payments::status.eq(PaymentState::Begun.as_str()))
        .set(payments::next_try_at.eq(Clock.nullable()))
        .execute(conn)?;
    Ok(())
}

/// The payments of these orders whose fate was not told yet.
pub async fn begun(ledger: &Ledger, orders: Vec<OrderNo>) -> Result<Vec<Payment>, LedgerError> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    ledger
        .run(move |conn| {
            let numbers = orders.iter().map(ToString::to_string);
            let rows: Vec<Row> = payments::table
                .filter(payments::order_no.eq_any(numbers))
                .filter(payments::status.eq(PaymentState::Begun.as_str()))
                .select(Row::as_select())
                .load(conn)?;
            rows.into_iter().map(Payment::try_from).collect()
        })
        .await
}

/// Payments in this state about which the provider is to be asked now: refunds to be made, and payments
/// whose fate nobody told. Whoever takes one takes it out of the others' sight for a while, longer each time.
pub async fn take_due(
    ledger: &Ledger,
    state: PaymentState,
    limit: i64,
) -> Result<Vec<Payment>, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let at = now(conn)?;
                let due: Vec<(Row, i32)> = payments::table
                    .filter(payments::status.eq(state.as_str()))
                    .filter(payments::next_try_at.le(at))
                    .order((payments::next_try_at, payments::id))
                    .limit(limit)
                    .for_update()
                    .skip_locked()
                    .select((Row::as_select(), payments::tries))
                    .load(conn)?;
                for (row, tries) in &due {
                    let pause_s = (5_i64 << (*tries).clamp(0, 10)).min(PAUSE_MAX_S);
                    diesel::update(payments::table.find(row.id))
                        .set((
                            payments::tries.eq(payments::tries + 1),
                            payments::next_try_at.eq(Some(at + TimeDelta::seconds(pause_s))),
                        ))
                        .execute(conn)?;
                }
                due.into_iter().map(|(row, _)| row.try_into()).collect()
            })
        })
        .await
}

/// A refund that is not done yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRefund {
    /// What is to go back.
    pub payment: Payment,
    /// How often it was asked for.
    pub tries: i32,
    /// When it is asked for again, ms since the epoch.
    pub next_try_at_ms: Option<i64>,
}

/// Refunds that are not done yet, those first that are asked for next.
pub async fn open_refunds(ledger: &Ledger, limit: i64) -> Result<Vec<OpenRefund>, LedgerError> {
    ledger
        .run(move |conn| {
            let rows: Vec<(Row, i32, Option<NaiveDateTime>)> = payments::table
                .filter(payments::status.eq(PaymentState::ToRefund.as_str()))
                .order((payments::next_try_at, payments::id))
                .limit(limit)
                .select((Row::as_select(), payments::tries, payments::next_try_at))
                .load(conn)?;
            let open = rows.into_iter().map(|(row, tries, next)| {
                let next_try_at_ms = next.map(to_millis);
                Ok(OpenRefund { payment: row.try_into()?, tries, next_try_at_ms })
            });
            open.collect()
        })
        .await
}

/// How many refunds are not done yet, counted up to `most`.
pub async fn open_refunds_count(ledger: &Ledger, most: i64) -> Result<i64, LedgerError> {
    ledger
        .run(move |conn| {
            let open = payments::table
                .filter(payments::status.eq(PaymentState::ToRefund.as_str()))
                .select(payments::id)
                .limit(most);
            let open: Vec<i64> = open.load(conn)?;
            Ok(i64::try_from(open.len()).unwrap_or(i64::MAX))
        })
        .await
}

/// Lets a refund be asked for at once. Audited. `false`: it is done, or there is no such payment.
pub async fn refund_at_once(
    ledger: &Ledger,
    payment_no: PaymentNo,
    actor: Actor,
) -> Result<bool, LedgerError> {
    ledger
        .run(move |conn| {
            transaction(conn, |conn| {
                let at = now(conn)?;
                let open = payments::table
                    .filter(is(payment_no))
                    .filter(payments::status.eq(PaymentState::ToRefund.as_str()));
                let changed =
                    diesel::update(open).set(payments::next_try_at.eq(Some(at))).execute(conn)?;
                if changed == 1 {
                    let subject = format!("payment:{payment_no}");
                    audit::write(conn, &actor, "payment.refund", &subject, &[])?;
                }
                Ok(changed == 1)
            })
        })
        .await
}

fn of_order_rows(conn: &mut MysqlConnection, order_no: OrderNo) -> Result<Vec<Row>, LedgerError> {
    Ok(payments::table
        .filter(payments::order_no.eq(order_no.to_string()))
        .order(payments::id)
        .select(Row::as_select())
        .load(conn)?)
}

fn find(conn: &mut MysqlConnection, number: PaymentNo) -> Result<Option<Row>, LedgerError> {
    Ok(payments::table.filter(is(number)).select(Row::as_select()).first(conn).optional()?)
}

fn is(number: PaymentNo) -> diesel::dsl::Eq<payments::payment_no, String> {
    payments::payment_no.eq(number.to_string())
}
