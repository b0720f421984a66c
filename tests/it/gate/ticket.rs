//! `ticket.lua`: one live ticket per shopper and activity.

use std::{collections::HashSet, sync::Arc, time::Duration};

use seckill::{
    gate::admission::{NewTicket, Refusal, Ticket, TicketAnswer},
    sale::{activity::Status, ids::UserId, money::Cents, reservation::EntryState},
};
use tokio::task::JoinSet;

use super::sale::{
    ALICE, BOB, EPOCH, FENCE, LIFE, NEW_TICKET, Sale, TOKEN, activity, entry, minutes_from_now,
};
use super::server::eventually;

fn live(answer: TicketAnswer) -> Ticket {
    match answer {
        TicketAnswer::Live(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_look_issues_nothing_and_a_wish_issues_a_ticket_that_expires() {
    let sale = Sale::of(5).await;
    let key = sale.keys.ticket(ALICE);
    let before = sale.everything();
    assert_eq!(sale.gate.ticket(&sale.keys, ALICE, None).await.unwrap(), TicketAnswer::None);
    assert_eq!(before, sale.everything());

    let issued = live(sale.ticket(ALICE).await);
    assert_eq!((issued.token.as_str(), issued.seed.as_str()), (TOKEN, "5eed"));
    assert_eq!((issued.price, issued.expires_in_ms), (Cents(1999), 60_000));
    assert!((1..=60_000).contains(&sale.ttl_ms(&key)));
}

#[tokio::test]
async fn two_tabs_share_the_live_ticket() {
    let sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    let key = sale.keys.ticket(ALICE);
    let ends = sale.expires_at_ms(&key);
    let other = NewTicket { token: "other", answer: "zzzz", seed: "0ff", life: 2 * LIFE };
    for new in [None, Some(&other), Some(&NEW_TICKET)] {
        let again = live(sale.gate.ticket(&sale.keys, ALICE, new).await.unwrap());
        assert_eq!((again.token.as_str(), again.seed.as_str()), (TOKEN, "5eed"));
        assert!((1..=60_000).contains(&again.expires_in_ms));
    }
    assert_eq!(sale.expires_at_ms(&key), ends, "asking again does not lengthen its life");
}

#[tokio::test]
async fn a_hundred_wishes_at_once_issue_one_ticket() {
    let sale = Arc::new(Sale::of(5).await);
    let mut answers = JoinSet::new();
    for n in 0..100 {
        let sale = Arc::clone(&sale);
        answers.spawn(async move {
            let token = format!("token-{n}");
            let new = NewTicket { token: &token, ..NEW_TICKET };
            live(sale.gate.ticket(&sale.keys, ALICE, Some(&new)).await.unwrap()).token
        });
    }
    let tokens: HashSet<String> = answers.join_all().await.into_iter().collect();
    assert_eq!(tokens.len(), 1);
}

#[tokio::test]
async fn after_its_life_a_new_one_is_issued() {
    let sale = Sale::of(5).await;
    let short = NewTicket { life: Duration::from_millis(30), ..NEW_TICKET };
    sale.gate.ticket(&sale.keys, ALICE, Some(&short)).await.unwrap();
    eventually("the ticket expires", || sale.ttl_ms(&sale.keys.ticket(ALICE)) == -2);
    assert_eq!(sale.gate.ticket(&sale.keys, ALICE, None).await.unwrap(), TicketAnswer::None);
    let new = NewTicket { token: "second", ..NEW_TICKET };
    let issued = live(sale.gate.ticket(&sale.keys, ALICE, Some(&new)).await.unwrap());
    assert_eq!(issued.token, "second");
}

#[tokio::test]
async fn a_ticket_that_would_never_expire_is_not_handed_out() {
    let sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    sale.raw::<()>(&["PERSIST", &sale.keys.ticket(ALICE)]);
    let new = NewTicket { token: "second", ..NEW_TICKET };
    let issued = live(sale.gate.ticket(&sale.keys, ALICE, Some(&new)).await.unwrap());
    assert_eq!(issued.token, "second");
    assert!(sale.ttl_ms(&sale.keys.ticket(ALICE)) > 0);
}

#[tokio::test]
async fn where_there_is_nothing_to_buy_the_first_reason_in_order_is_told_and_no_ticket_issued() {
    let far = 4_102_444_800_000_i64;
    let sale = Sale::unloaded(activity(5)).await;
    let users = sale.keys.users();
    let barred = entry(sale.number(ALICE), EntryState::Barred).to_string();
    let (record, stock, far_text) = (sale.keys.sale(), sale.keys.stock(), far.to_string());
    let alice = ALICE.to_string();
    let obstacles: [(&[&str], Refusal); 6] = [
        (&["HSET", &users, "epoch", "2"], Refusal::NotLoaded),
        (&["HSET", &users, &alice, &barred], Refusal::Barred),
        (&["HSET", &record, "closes", "1"], Refusal::Ended),
        (&["HSET", &record, "opens", &far_text], Refusal::NotOpen(far)),
        (&["HSET", &record, "state", "paused"], Refusal::Paused),
        (&["SET", &stock, "0", "KEEPTTL"], Refusal::SoldOut),
    ];
    for (at, (first, refusal)) in obstacles.iter().enumerate() {
        for (second, _) in obstacles.iter().skip(at) {
            sale.raw::<()>(&["FLUSHDB"]);
            sale.fill(EPOCH, FENCE).await;
            sale.raw::<()>(first);
            sale.raw::<()>(second);
            let before = sale.everything();
            for new in [None, Some(&NEW_TICKET)] {
                let answer = sale.gate.ticket(&sale.keys, ALICE, new).await.unwrap();
                assert_eq!(answer, TicketAnswer::Refused(*refusal), "{first:?} and {second:?}");
            }
            assert_eq!(before, sale.everything());
        }
    }
}

#[tokio::test]
async fn a_holder_gets_their_order_instead_of_a_ticket_even_after_the_end() {
    let mut sale = Sale::of(1).await;
    let number = sale.buy(ALICE).await;
    let held = TicketAnswer::Refused(Refusal::AlreadyHeld(number));
    assert_eq!(sale.ticket(ALICE).await, held);
    sale.edit(|a| a.status = Status::Paused).await;
    assert_eq!(sale.ticket(ALICE).await, held);
    sale.edit(|a| a.ends_at = minutes_from_now(-1)).await;
    assert_eq!(sale.ticket(ALICE).await, held);
    assert_eq!(sale.ticket(BOB).await, TicketAnswer::Refused(Refusal::Ended));
}

#[tokio::test]
async fn a_new_price_is_for_new_tickets_only() {
    let mut sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    sale.edit(|a| a.price = Cents(999)).await;
    assert_eq!(live(sale.ticket(ALICE).await).price, Cents(1999), "the price that was shown");
    assert_eq!(live(sale.ticket(BOB).await).price, Cents(999));
    sale.post(ALICE, sale.number(ALICE)).await;
    sale.post(BOB, sale.number(BOB)).await;
    assert_eq!(sale.entry(ALICE).await.unwrap().price, Cents(1999));
    assert_eq!(sale.entry(BOB).await.unwrap().price, Cents(999));
    let outbox = sale.gate.outbox(&sale.keys, 10).await.unwrap();
    let told: Vec<Cents> = outbox.iter().map(|e| e.reservation.as_ref().unwrap().price).collect();
    assert_eq!(told, [Cents(1999), Cents(999)]);
}

#[tokio::test]
async fn a_picture_is_for_the_shopper_and_the_ticket_it_was_drawn_for() {
    let sale = Sale::of(5).await;
    sale.ticket(ALICE).await;
    let seed = async |shopper: UserId, token: &str| {
        sale.gate.picture_seed(&sale.keys, shopper, token).await.unwrap()
    };
    assert_eq!(seed(ALICE, TOKEN).await.as_deref(), Some("5eed"));
    assert_eq!(seed(ALICE, "").await, None);
    assert_eq!(seed(ALICE, "3f7b").await, None);
    assert_eq!(seed(BOB, TOKEN).await, None);
    let plain = NewTicket { answer: "", seed: "", ..NEW_TICKET };
    sale.gate.ticket(&sale.keys, BOB, Some(&plain)).await.unwrap();
    assert_eq!(seed(BOB, TOKEN).await, None, "no captcha, no picture");
}
