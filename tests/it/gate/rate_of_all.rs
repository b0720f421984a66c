//! The bound on all shoppers together: attempts that might have got a unit, counted for a second.

use std::time::Instant;

use seckill::gate::admission::{Decision, Refusal};
use seckill::sale::activity::Activity;
use seckill::sale::ids::UserId;

use super::sale::{ALICE, BOB, Sale, TOKEN, activity, refused};
use super::server::{BOUND, eventually};

#[tokio::test]
async fn only_so_many_attempts_a_second_reach_the_stock_and_the_others_keep_their_ticket() {
    let bounded = Activity { total_rate_per_s: Some(2), ..activity(50) };
    let sale = Sale::loaded(bounded).await;
    let rate = sale.keys.rate_of_all();
    let mut next = 1;
    // Should the second end in between, it begins anew: then look again.
    let deadline = Instant::now() + BOUND;
    let turned_away = loop {
        assert!(Instant::now() < deadline, "never three attempts in one second");
        let mut last = None;
        for _ in 0..3 {
            let shopper = UserId(next);
            next += 1;
            sale.ticket(shopper).await;
            let decision = sale.admit(shopper, sale.number(shopper), TOKEN, super::sale::ANSWER);
            last = Some((shopper, decision.await));
            let left = sale.ttl_ms(&rate);
            assert!(left <= 1000 && left != -1, "a counter that lives {left} ms");
        }
        let (shopper, decision) = last.unwrap();
        if decision == refused(Refusal::Busy) {
            break shopper;
        }
        eventually("the second is over", || sale.ttl_ms(&rate) == -2);
    };
    assert!(sale.has_ticket(turned_away));
    sale.check_rule();
    eventually("the second is over", || sale.ttl_ms(&rate) == -2);
    let number = sale.number(turned_away);
    let again = sale.admit(turned_away, number, TOKEN, super::sale::ANSWER).await;
    assert_eq!(again, Decision::Admitted);
}

#[tokio::test]
async fn what_is_refused_anyway_uses_nothing_of_the_bound_up() {
    let bounded = Activity { total_rate_per_s: Some(1), ..activity(1) };
    let sale = Sale::loaded(bounded).await;
    for _ in 0..5 {
        // Without a ticket.
        let answer = sale.post(BOB, sale.number(BOB)).await;
        assert_eq!(answer, refused(Refusal::TicketInvalid));
    }
    assert_eq!(sale.ttl_ms(&sale.keys.rate_of_all()), -2);
    let number = sale.buy(ALICE).await;
    // A holder is told so, and sold out is sold out, however many ask.
    for _ in 0..5 {
        assert_eq!(sale.post(ALICE, number).await, Decision::Admitted);
        assert_eq!(sale.post(BOB, sale.number(BOB)).await, refused(Refusal::SoldOut));
    }
}

#[tokio::test]
async fn a_bound_can_be_set_and_taken_back_while_the_sale_runs() {
    let mut sale = Sale::of(50).await;
    sale.edit(|a| a.total_rate_per_s = Some(1)).await;
    let mut busy = false;
    for n in 1..=20 {
        sale.ticket(UserId(n)).await;
        busy |= sale.admit(UserId(n), sale.number(UserId(n)), TOKEN, super::sale::ANSWER).await
            == refused(Refusal::Busy);
    }
    assert!(busy);
    sale.edit(|a| a.total_rate_per_s = None).await;
    for n in 21..=40 {
        sale.buy(UserId(n)).await;
    }
}
