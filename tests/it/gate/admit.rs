//! `admit.lua`: who gets a unit, and what everybody else is told.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use seckill::{
    gate::{
        admission::{Decision, NewTicket, Refusal, TicketAnswer},
        filling::Condition,
        keys::Keys,
    },
    sale::{
        activity::{Activity, Status},
        ids::{ActivityId, Bucket, Epoch, ProductId, UserId},
        money::Cents,
        order_number::OrderNo,
        reservation::{EntryState, Reservation},
    },
};
use tokio::task::JoinSet;

use super::sale::{
    ALICE, ANSWER, BOB, EPOCH, FENCE, NEW_TICKET, Sale, TOKEN, activity, minutes_from_now, now_ms,
    refused, request,
};
use super::server::{BOUND, eventually};

#[tokio::test]
async fn a_unit_is_taken_with_its_entry_its_message_and_its_ticket_at_once() {
    let sale = Sale::of(5).await;
    let before = now_ms() - 1000;
    let number = sale.buy(ALICE).await;

    assert_eq!(sale.stock(), Some(4));
    sale.check_rule();
    assert!(!sale.has_ticket(ALICE));
    let held = sale.entry(ALICE).await.unwrap();
    assert_eq!(
        (held.order_no, held.state, held.price),
        (number, EntryState::Reserved, Cents(1999))
    );
    assert!((before..=now_ms() + 1000).contains(&held.reserved_at_ms), "{held:?}");
    let outbox = sale.gate.outbox(&sale.keys, 10).await.unwrap();
    assert_eq!(outbox.len(), 1);
    let expected = Reservation {
        order_no: number,
        user_id: ALICE,
        product_id: ProductId(7),
        activity_id: ActivityId(42),
        bucket: Bucket(0),
        epoch: EPOCH,
        price: Cents(1999),
        currency: "CNY".parse().unwrap(),
        reserved_at_ms: held.reserved_at_ms,
        request_id: "req-1".into(),
    };
    assert_eq!(outbox[0].reservation, Ok(expected));
}

#[tokio::test]
async fn the_largest_numbers_and_odd_texts_go_through_unchanged() {
    let mut wide = activity(i64::from(i32::MAX));
    wide.id = ActivityId(i64::MAX);
    wide.product.id = ProductId(i64::MAX - 1);
    wide.price = Cents::MAX;
    let mut sale = Sale::unloaded(wide).await;
    sale.terms.currency = "JPY".into();
    sale.fill(EPOCH, FENCE).await;
    let shopper = UserId(i64::MAX);
    let request_id = "💥 |\r\n\0 \u{202e}'\"";
    let ticket = NewTicket { answer: "ответ|", ..NEW_TICKET };
    sale.gate.ticket(&sale.keys, shopper, Some(&ticket)).await.unwrap();
    let number = sale.number(shopper);
    let mut asked = request(shopper, number, TOKEN, "ответ|");
    asked.request_id = request_id;
    assert_eq!(sale.gate.admit(&sale.keys, &asked).await.unwrap(), Decision::Admitted);

    let outbox = sale.gate.outbox(&sale.keys, 10).await.unwrap();
    let told = outbox[0].reservation.as_ref().unwrap();
    assert_eq!((told.user_id, told.product_id), (shopper, ProductId(i64::MAX - 1)));
    assert_eq!((told.activity_id, told.price), (ActivityId(i64::MAX), Cents::MAX));
    assert_eq!((told.currency.code(), told.request_id.as_str()), ("JPY", request_id));
    sale.check_rule();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_unit_and_two_hundred_shoppers_make_one_winner() {
    let sale = Arc::new(Sale::of(1).await);
    for id in 1..=200 {
        sale.ticket(UserId(id)).await;
    }
    let connections = sale.connections(8).await;
    let mut answers = JoinSet::new();
    for (id, gate) in (1..=200).zip(connections.iter().cycle()) {
        let (sale, gate, shopper) = (Arc::clone(&sale), gate.clone(), UserId(id));
        answers.spawn(async move {
            let asked = request(shopper, sale.number(shopper), TOKEN, ANSWER);
            gate.admit(&sale.keys, &asked).await.unwrap()
        });
    }
    let answers = answers.join_all().await;
    let won = answers.iter().filter(|a| **a == Decision::Admitted).count();
    let sold_out = answers.iter().filter(|a| **a == refused(Refusal::SoldOut)).count();
    assert_eq!((won, sold_out), (1, 199));
    assert_eq!(sale.stock(), Some(0));
    sale.check_rule();
    let tickets =
        (1..=200).filter(|id| sale.raw::<i64>(&["EXISTS", &sale.keys.ticket(UserId(*id))]) == 1);
    assert_eq!(tickets.count(), 199, "sold out does not spend a ticket");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_shopper_five_hundred_times_holds_one_unit_and_is_always_shown_it() {
    let sale = Arc::new(Sale::of(100).await);
    sale.ticket(ALICE).await;
    let mut answers = JoinSet::new();
    let connections = sale.connections(8).await;
    for gate in connections.iter().cycle().take(500) {
        let (sale, gate) = (Arc::clone(&sale), gate.clone());
        answers.spawn(async move {
            let number = sale.number(ALICE);
            let asked = request(ALICE, number, TOKEN, ANSWER);
            (number, gate.admit(&sale.keys, &asked).await.unwrap())
        });
    }
    let answers = answers.join_all().await;
    let won: Vec<OrderNo> =
        answers.iter().filter(|(_, a)| *a == Decision::Admitted).map(|(n, _)| *n).collect();
    assert_eq!(won.len(), 1);
    let shown: HashSet<Told> = answers.iter().map(|(_, a)| Told::of(*a)).collect();
    assert_eq!(shown, HashSet::from([Told::Won, Told::Shown(won[0])]));
    assert_eq!(sale.stock(), Some(99));
    sale.check_rule();
}

/// The two answers that a repeating shopper may get.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Told {
    Won,
    Shown(OrderNo),
}

impl Told {
    fn of(decision: Decision) -> Self {
        match decision {
            Decision::Admitted => Self::Won,
            Decision::Refused(Refusal::AlreadyHeld(number)) => Self::Shown(number),
            Decision::Refused(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_hundred_wrong_guesses_spend_a_hundred_tickets_and_no_unit() {
    let sale = Sale::of(5).await;
    for guess in 0..100 {
        sale.ticket(ALICE).await;
        let number = sale.number(ALICE);
        let answer = sale.admit(ALICE, number, TOKEN, &format!("{guess:04}")).await;
        assert_eq!(answer, refused(Refusal::CaptchaWrong));
        // The right one comes too late.
        assert_eq!(sale.post(ALICE, number).await, refused(Refusal::TicketInvalid));
    }
    for nearly in ["", "K7HM", " k7hm", "k7hm ", "k7h", "k7hmm"] {
        sale.ticket(ALICE).await;
        let answer = sale.admit(ALICE, sale.number(ALICE), TOKEN, nearly).await;
        assert_eq!(answer, refused(Refusal::CaptchaWrong), "{nearly:?}");
    }
    assert_eq!(sale.stock(), Some(5));
    assert_eq!(sale.inspect().await.outbox, 0);
}

#[tokio::test]
async fn a_ticket_serves_its_own_shopper_and_activity_only() {
    let sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    // Bob with Alice's token and answer, with none of his own and then with one.
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::TicketInvalid));
    let own = NewTicket { token: "b0b", ..NEW_TICKET };
    sale.gate.ticket(&sale.keys, BOB, Some(&own)).await.unwrap();
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::TicketInvalid));
    assert!(sale.has_ticket(BOB), "another's token does not spend one's own ticket");
    // No token is not the token of a shopper without ticket.
    let nobody = UserId(9);
    let answer = sale.admit(nobody, sale.number(nobody), "", "").await;
    assert_eq!(answer, refused(Refusal::TicketInvalid));
    // Another activity at the same gate.
    let elsewhere = Activity { id: ActivityId(43), ..activity(5) };
    let keys = Keys::of(elsewhere.id, Bucket(0));
    sale.gate.begin(&keys, EPOCH, FENCE, sale.expiry_ms()).await.unwrap();
    sale.gate.open(&elsewhere, Bucket(0), EPOCH, FENCE, &sale.terms).await.unwrap();
    let asked = request(ALICE, sale.number(ALICE), TOKEN, ANSWER);
    let answer = sale.gate.admit(&keys, &asked).await.unwrap();
    assert_eq!(answer, refused(Refusal::TicketInvalid));
    // Alice's own is still good.
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, Decision::Admitted);
}

#[tokio::test]
async fn an_expired_ticket_buys_nothing() {
    let sale = Sale::of(5).await;
    let short = NewTicket { life: Duration::from_millis(30), ..NEW_TICKET };
    sale.gate.ticket(&sale.keys, ALICE, Some(&short)).await.unwrap();
    eventually("the ticket expires", || sale.ttl_ms(&sale.keys.ticket(ALICE)) == -2);
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, refused(Refusal::TicketInvalid));
}

#[tokio::test]
async fn a_ticket_without_captcha_takes_any_answer() {
    let sale = Sale::of(5).await;
    let plain = NewTicket { answer: "", seed: "", ..NEW_TICKET };
    for (shopper, answer) in [(ALICE, ""), (BOB, "whatever")] {
        sale.gate.ticket(&sale.keys, shopper, Some(&plain)).await.unwrap();
        let decision = sale.admit(shopper, sale.number(shopper), TOKEN, answer).await;
        assert_eq!(decision, Decision::Admitted);
    }
}

#[tokio::test]
async fn the_rate_is_counted_by_shopper_for_a_second_and_always_expires() {
    let sale = Sale::loaded(Activity { rate_per_s: 3, ..activity(5) }).await;
    let rate = sale.keys.rate(ALICE);
    // Should the second end in between, it begins anew: then look again.
    let deadline = Instant::now() + BOUND;
    loop {
        assert!(Instant::now() < deadline, "never four requests in one second");
        for _ in 0..3 {
            let answer = sale.post(ALICE, sale.number(ALICE)).await;
            assert_eq!(answer, refused(Refusal::TicketInvalid));
            let left = sale.ttl_ms(&rate);
            assert!(left <= 1000 && left != -1, "a counter that lives {left} ms");
        }
        let fourth = sale.post(ALICE, sale.number(ALICE)).await;
        if fourth == refused(Refusal::TooFast) {
            break;
        }
        eventually("the second is over", || sale.ttl_ms(&rate) == -2);
    }
    // Nobody else is slowed down, and asking on does not lengthen the second.
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::TicketInvalid));
    let ends = sale.expires_at_ms(&rate);
    sale.post(ALICE, sale.number(ALICE)).await;
    assert!(sale.expires_at_ms(&rate) == ends || sale.now_ms() >= ends);
    eventually("the second is over", || sale.ttl_ms(&rate) == -2);
    sale.ticket(ALICE).await;
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, Decision::Admitted);
}

#[tokio::test]
async fn a_holder_who_asks_again_is_never_too_fast() {
    let sale = Sale::loaded(Activity { rate_per_s: 1, ..activity(5) }).await;
    let number = sale.buy(ALICE).await;
    for _ in 0..20 {
        assert_eq!(sale.post(ALICE, number).await, Decision::Admitted);
        let again = sale.post(ALICE, sale.number(ALICE)).await;
        assert_eq!(again, refused(Refusal::AlreadyHeld(number)));
    }
}

#[tokio::test]
async fn the_window_is_open_from_its_first_moment_and_shut_at_its_last() {
    let mut sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    let now = chrono::DateTime::from_timestamp_millis(sale.now_ms()).unwrap();
    sale.edit(|a| a.ends_at = now).await;
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, refused(Refusal::Ended));
    sale.edit(|a| (a.starts_at, a.ends_at) = (now, minutes_from_now(5))).await;
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, Decision::Admitted);
    // A sale that was closed by hand is over although its window is not.
    sale.edit(|a| a.status = Status::Ended).await;
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::Ended));
}

#[tokio::test]
async fn a_sale_that_opens_later_says_when() {
    let later = Activity { starts_at: minutes_from_now(10), ..activity(5) };
    let sale = Sale::loaded(later).await;
    let not_open = refused(Refusal::NotOpen(sale.activity.opens_ms()));
    assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, not_open);
}

#[tokio::test]
async fn the_outbox_bound_lets_exactly_as_many_through() {
    let mut sale = Sale::unloaded(activity(5)).await;
    sale.terms.outbox_bound = 2;
    sale.fill(EPOCH, FENCE).await;
    sale.buy(UserId(1)).await;
    sale.buy(UserId(2)).await;
    sale.ticket(UserId(3)).await;
    let number = sale.number(UserId(3));
    assert_eq!(sale.post(UserId(3), number).await, refused(Refusal::Busy));
    assert!(sale.has_ticket(UserId(3)), "busy does not spend the ticket");
    let oldest = sale.gate.outbox(&sale.keys, 1).await.unwrap();
    sale.gate.forget(&sale.keys, &oldest).await.unwrap();
    assert_eq!(sale.post(UserId(3), number).await, Decision::Admitted);
    sale.check_rule();
}

#[tokio::test]
async fn stock_missing_expired_and_zero_are_three_different_things() {
    // 0: sold out, and the key stays.
    let sale = Sale::of(1).await;
    sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::SoldOut));
    assert_eq!(sale.stock(), Some(0));
    assert_eq!(sale.inspect().await.condition, Condition::Loaded);

    // Missing: not loaded, and the gate knows of which filling it is.
    sale.raw::<()>(&["DEL", &sale.keys.stock()]);
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::NotLoaded));
    let look = sale.inspect().await;
    assert_eq!((look.condition, look.epoch), (Condition::Missing, EPOCH));
    assert_eq!(sale.stock(), None, "asking does not make the key");

    // Expired, as all keys are in the end: nothing is known any more.
    for key in [sale.keys.sale(), sale.keys.users()] {
        sale.raw::<()>(&["PEXPIRE", &key, "1"]);
        eventually("the key expires", || sale.ttl_ms(&key) == -2);
    }
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::NotLoaded));
    let look = sale.inspect().await;
    assert_eq!((look.condition, look.epoch), (Condition::Missing, Epoch(0)));
}

#[tokio::test]
async fn any_key_that_is_gone_lets_nobody_buy_nor_buy_twice() {
    for gone in [Keys::sale, Keys::stock, Keys::users] {
        let sale = Sale::of(5).await;
        sale.buy(ALICE).await;
        sale.raw::<()>(&["DEL", &gone(&sale.keys)]);
        for shopper in [ALICE, BOB] {
            let ticket = sale.ticket(shopper).await;
            assert_eq!(ticket, TicketAnswer::Refused(Refusal::NotLoaded));
            // As if it had been issued a moment before.
            let fields = ["token", TOKEN, "answer", ANSWER, "price_cents", "1999"];
            let key = sale.keys.ticket(shopper);
            sale.raw::<()>(&[&["HSET", &key][..], &fields[..]].concat());
            let answer = sale.post(shopper, sale.number(shopper)).await;
            assert_eq!(answer, refused(Refusal::NotLoaded), "{} is gone", gone(&sale.keys));
            assert!(sale.has_ticket(shopper));
        }
        assert_eq!(sale.inspect().await.outbox, 1);
        assert_eq!(sale.inspect().await.condition, Condition::Missing);
    }
}

#[tokio::test]
async fn a_sale_that_is_being_filled_is_not_loaded() {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.gate.mark_restoring(&sale.keys, FENCE).await.unwrap();
    assert_eq!(sale.post(ALICE, number).await, refused(Refusal::NotLoaded));
    sale.begin(Epoch(2), FENCE).await;
    assert_eq!(sale.post(ALICE, number).await, refused(Refusal::NotLoaded));
    sale.open(Epoch(2), FENCE).await;
    assert_eq!(sale.post(ALICE, number).await, refused(Refusal::TicketInvalid));
}

#[tokio::test]
async fn a_stock_below_zero_or_unreadable_sells_nothing() {
    let sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    let cases = [
        ("-1", Refusal::SoldOut),
        ("", Refusal::NotLoaded),
        ("many", Refusal::NotLoaded),
        ("5.0", Refusal::NotLoaded),
        ("0x5", Refusal::NotLoaded),
        (" 5", Refusal::NotLoaded),
    ];
    for (stock, refusal) in cases {
        sale.raw::<()>(&["SET", &sale.keys.stock(), stock, "KEEPTTL"]);
        let mut before = sale.everything();
        assert_eq!(sale.post(ALICE, sale.number(ALICE)).await, refused(refusal), "{stock:?}");
        let mut after = sale.everything();
        before.remove(&sale.keys.rate(ALICE));
        after.remove(&sale.keys.rate(ALICE));
        assert_eq!(before, after, "{stock:?}");
        let look = sale.inspect().await;
        let condition =
            if refusal == Refusal::SoldOut { Condition::Loaded } else { Condition::Missing };
        assert_eq!(look.condition, condition, "{stock:?}");
        assert_eq!((look.holders, look.outbox), (0, 0));
    }
}
