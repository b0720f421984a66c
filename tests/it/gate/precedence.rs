//! The order in which `admit.lua` asks, and that whatever it refuses takes nothing.

use seckill::{
    gate::admission::{Decision, Refusal},
    sale::reservation::EntryState,
};

use super::sale::{ALICE, EPOCH, FENCE, Sale, activity, entry, refused};

/// What can stand between a shopper and a unit, in the order in which `admit.lua` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    OtherEpoch,
    Barred,
    TooFast,
    Ended,
    NotOpen,
    Paused,
    SoldOut,
    OutboxFull,
    NoTicket,
    OtherServer,
    WrongAnswer,
}

use Obstacle::{
    Barred, Ended, NoTicket, NotOpen, OtherEpoch, OtherServer, OutboxFull, Paused, SoldOut,
    TooFast, WrongAnswer,
};

const IN_ORDER: [Obstacle; 11] = [
    OtherEpoch,
    Barred,
    TooFast,
    Ended,
    NotOpen,
    Paused,
    SoldOut,
    OutboxFull,
    NoTicket,
    OtherServer,
    WrongAnswer,
];

/// In the year 2100.
const FAR_AWAY: i64 = 4_102_444_800_000;

impl Obstacle {
    fn put_before(self, sale: &Sale) {
        let keys = &sale.keys;
        let sale_is = |field, value: &str| {
            sale.raw::<()>(&["HSET", &keys.sale(), field, value]);
        };
        match self {
            OtherEpoch => sale.raw(&["HSET", &keys.users(), "epoch", "2"]),
            Barred => {
                let entry = entry(sale.number(ALICE), EntryState::Barred).to_string();
                sale.raw::<()>(&["HSET", &keys.users(), &ALICE.to_string(), &entry]);
            }
            TooFast => sale_is("rate", "0"),
            Ended => sale_is("closes", "1"),
            NotOpen => sale_is("opens", &FAR_AWAY.to_string()),
            Paused => sale_is("state", "paused"),
            SoldOut => sale.raw(&["SET", &keys.stock(), "0", "KEEPTTL"]),
            OutboxFull => sale_is("outbox_bound", "0"),
            NoTicket => sale.raw(&["HDEL", &keys.ticket(ALICE), "token"]),
            OtherServer => sale_is("run_id", &"0".repeat(40)),
            WrongAnswer => sale.raw(&["HSET", &keys.ticket(ALICE), "answer", "other"]),
        }
    }

    fn refusal(self) -> Refusal {
        match self {
            OtherEpoch | OtherServer => Refusal::NotLoaded,
            Barred => Refusal::Barred,
            TooFast => Refusal::TooFast,
            Ended => Refusal::Ended,
            NotOpen => Refusal::NotOpen(FAR_AWAY),
            Paused => Refusal::Paused,
            SoldOut => Refusal::SoldOut,
            OutboxFull => Refusal::Busy,
            NoTicket => Refusal::TicketInvalid,
            WrongAnswer => Refusal::CaptchaWrong,
        }
    }
}

#[tokio::test]
async fn of_two_obstacles_the_first_in_order_is_told_and_nothing_is_taken() {
    let sale = Sale::unloaded(activity(5)).await;
    for (at, first) in IN_ORDER.into_iter().enumerate() {
        for second in IN_ORDER.into_iter().skip(at) {
            sale.raw::<()>(&["FLUSHDB"]);
            sale.fill(EPOCH, FENCE).await;
            sale.ticket(ALICE).await;
            first.put_before(&sale);
            second.put_before(&sale);
            let mut before = sale.everything();

            let answer = sale.post(ALICE, sale.number(ALICE)).await;

            assert_eq!(answer, refused(first.refusal()), "{first:?} and {second:?}");
            let mut after = sale.everything();
            // Only the rate's counter may move, and a wrong answer spends the ticket.
            after.remove(&sale.keys.rate(ALICE));
            if first == WrongAnswer {
                assert!(!sale.has_ticket(ALICE), "a wrong guess spends the ticket");
                before.remove(&sale.keys.ticket(ALICE));
            }
            assert_eq!(before, after, "{first:?} and {second:?} wrote something");
        }
    }
}

#[tokio::test]
async fn a_holder_is_shown_their_order_whatever_stands_in_the_way() {
    for state in ["reserved", "recorded"] {
        let sale = Sale::of(5).await;
        let number = sale.buy(ALICE).await;
        if state == "recorded" {
            sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
        }
        for obstacle in IN_ORDER.into_iter().skip(2) {
            obstacle.put_before(&sale);
            let before = sale.everything();
            assert_eq!(sale.post(ALICE, number).await, Decision::Admitted, "{obstacle:?}");
            let other = sale.number(ALICE);
            let held = refused(Refusal::AlreadyHeld(number));
            assert_eq!(sale.post(ALICE, other).await, held, "{obstacle:?}");
            assert_eq!(before, sale.everything(), "{obstacle:?} made a repetition write");
        }
        assert_eq!(sale.entry(ALICE).await.unwrap().state.as_str(), state);
    }
}
