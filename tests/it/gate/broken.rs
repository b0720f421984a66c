//! Redis refuses in the middle of something: keys of a wrong type, no memory, no disk. Whatever it
//! refuses, nothing may be half written.

use seckill::gate::{
    Gate, GateError,
    admission::{Decision, Refusal},
    filling::{Condition, FillingError},
    keys::{self, Keys},
    release::{Released, Return},
};
use seckill::sale::{
    error::Class,
    ids::{Epoch, Fence, UserId},
    order_number::OrderNo,
    reservation::EntryState,
};

use super::sale::{
    ALICE, BOB, BUCKET, EPOCH, FENCE, LIFE, NEW_TICKET, Sale, TOKEN, activity, entry, refused,
    request,
};
use super::server::{Server, eventually};

/// Alice holds a unit, Bob has a ticket.
async fn sale() -> (Sale, OrderNo) {
    let sale = Sale::of(5).await;
    let number = sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    (sale, number)
}

/// The keys of a bucket that scripts read, each by its name.
fn all_keys(keys: &Keys) -> [String; 6] {
    [keys.sale(), keys.stock(), keys.users(), keys.rate(BOB), keys.ticket(BOB), keys.outbox()]
}

fn make_wrong(sale: &Sale, key: &str) {
    sale.raw::<()>(&["DEL", key]);
    sale.raw::<()>(&["SADD", key, "of another type"]);
}

fn is_refused<T>(answer: &Result<T, FillingError>) -> bool {
    matches!(answer, Err(FillingError::Gate(GateError::Refused(_))))
}

#[tokio::test]
async fn an_admission_over_a_key_of_a_wrong_type_takes_nothing() {
    for position in 0..6 {
        let (sale, _) = sale().await;
        let key = &all_keys(&sale.keys)[position];
        make_wrong(&sale, key);
        let mut before = sale.everything();
        let asked = request(BOB, sale.number(BOB), TOKEN, super::sale::ANSWER);
        match sale.gate.admit(&sale.keys, &asked).await {
            Err(GateError::Refused(_)) => {}
            answer => assert_eq!(answer.unwrap(), refused(Refusal::NotLoaded), "{key}"),
        }
        let mut after = sale.everything();
        if *key != sale.keys.rate(BOB) {
            // The rate's counter stands for itself.
            after.remove(&sale.keys.rate(BOB));
            before.remove(&sale.keys.rate(BOB));
        }
        assert_eq!(before, after, "{key}");
    }
}

#[tokio::test]
async fn a_ticket_over_a_key_of_a_wrong_type_issues_nothing() {
    for position in [0, 1, 2, 4] {
        let (sale, _) = sale().await;
        let key = &all_keys(&sale.keys)[position];
        make_wrong(&sale, key);
        let before = sale.everything();
        let answer = sale.gate.ticket(&sale.keys, BOB, Some(&NEW_TICKET)).await;
        assert!(matches!(answer, Err(GateError::Refused(_))), "{key}: {answer:?}");
        assert_eq!(before, sale.everything(), "{key}");
    }
}

#[tokio::test]
async fn a_release_over_a_key_of_a_wrong_type_is_whole_or_nothing() {
    for how in [Return::Free, Return::Bar, Return::Surplus { ledger_total: 0 }] {
        for position in [0, 1, 2] {
            let (sale, number) = sale().await;
            let ends = sale.expires_at_ms(&sale.keys.stock());
            let key = &all_keys(&sale.keys)[position];
            make_wrong(&sale, key);
            sale.raw::<()>(&["PEXPIREAT", key, &ends.to_string()]);
            let before = sale.everything();
            match sale.gate.release(&sale.keys, ALICE, number, how).await {
                // The stock is written anew from units and holders, whatever was there.
                Ok(Released::Done) => sale.check_rule(),
                Ok(Released::NotLoaded) | Err(GateError::Refused(_)) => {
                    assert_eq!(before, sale.everything(), "{key}");
                }
                other => panic!("{key}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn marking_or_looking_over_a_key_of_a_wrong_type_changes_nothing() {
    for position in [0, 1, 2, 5] {
        let (sale, number) = sale().await;
        let key = &all_keys(&sale.keys)[position];
        make_wrong(&sale, key);
        let before = sale.everything();
        let looked = sale.gate.inspect(&sale.keys).await;
        assert!(matches!(looked, Err(GateError::Refused(_))), "{key}: {looked:?}");
        assert_eq!(before, sale.everything(), "{key}");
        if *key == sale.keys.users() {
            assert!(sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.is_err());
            assert!(sale.gate.holding(&sale.keys, ALICE).await.is_err());
            assert_eq!(before, sale.everything(), "{key}");
        }
    }
}

#[tokio::test]
async fn configuring_over_a_key_of_a_wrong_type_is_whole_or_nothing() {
    for position in [0, 1, 2] {
        let (mut sale, _) = sale().await;
        sale.activity.version += 1;
        let key = all_keys(&sale.keys)[position].clone();
        make_wrong(&sale, &key);
        let mut before = sale.everything();
        let adjusted = sale.gate.adjust(&sale.keys, EPOCH, FENCE, "a", 1, 9).await;
        assert!(is_refused(&adjusted), "adjust, {key}");
        assert_eq!(before, sale.everything(), "adjust, {key}");

        let opened = sale.gate.open(&sale.activity, BUCKET, EPOCH, FENCE, &sale.terms).await;
        if key == sale.keys.stock() {
            opened.unwrap(); // it does not touch the stock of a loaded sale
            before = sale.everything();
        } else {
            assert!(is_refused(&opened), "open, {key}");
            assert_eq!(before, sale.everything(), "open, {key}");
        }

        if key == sale.keys.sale() {
            assert!(is_refused(&sale.gate.mark_restoring(&sale.keys, FENCE).await));
            assert!(is_refused(&sale.gate.begin(&sale.keys, Epoch(2), FENCE, 1).await));
            assert_eq!(before, sale.everything());
        } else {
            // A rebuild starts from nothing, whatever was there.
            sale.fill(Epoch(2), FENCE).await;
            sale.check_rule();
        }
    }
}

#[tokio::test]
async fn a_filling_over_a_key_of_a_wrong_type_is_refused_whole() {
    let sale = Sale::unloaded(activity(5)).await;
    let page = [(ALICE, entry(sale.number(ALICE), EntryState::Recorded))];
    for key in [sale.keys.sale(), sale.keys.users()] {
        sale.raw::<()>(&["FLUSHDB"]);
        sale.begin(EPOCH, FENCE).await;
        make_wrong(&sale, &key);
        let before = sale.everything();
        assert!(is_refused(&sale.gate.restore(&sale.keys, EPOCH, FENCE, &page).await), "{key}");
        let opened = sale.gate.open(&sale.activity, BUCKET, EPOCH, FENCE, &sale.terms).await;
        assert!(is_refused(&opened), "{key}");
        assert_eq!(before, sale.everything(), "{key}");
    }
}

#[tokio::test]
async fn a_lock_over_a_key_of_a_wrong_type_is_not_taken() {
    let sale = Sale::unloaded(activity(5)).await;
    make_wrong(&sale, &keys::lock("x"));
    let before = sale.everything();
    assert!(matches!(sale.gate.take_lock("x", "a", LIFE).await, Err(GateError::Refused(_))));
    assert!(matches!(sale.gate.renew_lock("x", "a", LIFE).await, Err(GateError::Refused(_))));
    assert!(matches!(sale.gate.free_lock("x", "a").await, Err(GateError::Refused(_))));
    assert_eq!(before, sale.everything());
}

/// What each call that needs room says when Redis takes no writes.
async fn every_new_write(sale: &Sale) -> Vec<(&'static str, GateError)> {
    fn gate_error<T: std::fmt::Debug>(answer: Result<T, FillingError>) -> GateError {
        match answer {
            Err(FillingError::Gate(error)) => error,
            other => panic!("{other:?}"),
        }
    }
    let (gate, keys): (&Gate, &Keys) = (&sale.gate, &sale.keys);
    let asked = request(BOB, sale.number(BOB), TOKEN, super::sale::ANSWER);
    let stranger = UserId(9);
    let mut errors = vec![
        ("admit", gate.admit(keys, &asked).await.unwrap_err()),
        ("ticket", gate.ticket(keys, stranger, Some(&NEW_TICKET)).await.unwrap_err()),
        ("lock", gate.take_lock("x", "a", LIFE).await.unwrap_err()),
    ];
    let adjusted = gate.adjust(keys, EPOCH, FENCE, "a", 1, 9).await;
    errors.push(("adjust", gate_error(adjusted)));
    let opened = gate.open(&sale.activity, BUCKET, EPOCH, FENCE, &sale.terms).await;
    errors.push(("open", gate_error(opened)));
    errors.push(("restoring", gate_error(gate.mark_restoring(keys, Fence(9)).await)));
    errors
}

#[tokio::test]
async fn without_memory_nothing_is_written_and_holders_are_still_told() {
    let server = Server::start();
    let mut sale = Sale::at(&server, 0, activity(5)).await;
    sale.fill(EPOCH, FENCE).await;
    let number = sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    sale.activity.version += 1;
    let before = sale.everything();

    sale.raw::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    for (call, error) in every_new_write(&sale).await {
        assert!(matches!(error, GateError::OutOfMemory), "{call}: {error:?}");
        assert_eq!(error.class(), Class::Retry);
    }
    assert_eq!(before, sale.everything());
    assert_eq!(sale.post(ALICE, number).await, Decision::Admitted);
    // What makes room, or needs none, goes through, whole.
    sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await.unwrap();
    assert_eq!(sale.entry(ALICE).await.unwrap().state, EntryState::Recorded);
    let freed = sale.gate.release(&sale.keys, ALICE, number, Return::Free).await.unwrap();
    assert_eq!(freed, Released::Done);
    sale.check_rule();
    sale.begin(Epoch(2), FENCE).await;
    let page = [(ALICE, entry(number, EntryState::Recorded))];
    let restored = sale.gate.restore(&sale.keys, Epoch(2), FENCE, &page).await;
    assert!(matches!(restored, Err(FillingError::Gate(GateError::OutOfMemory))), "{restored:?}");
    let look = sale.inspect().await;
    assert_eq!((look.condition, look.holders), (Condition::Restoring, 0));

    sale.raw::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    sale.open(Epoch(2), FENCE).await;
    assert_eq!(sale.post(BOB, sale.number(BOB)).await, Decision::Admitted);
    sale.check_rule();
}

#[tokio::test]
async fn without_a_disk_nothing_is_written_and_it_may_be_tried_again() {
    let server = Server::start_with(&["--appendonly", "no"]);
    let mut sale = Sale::at(&server, 0, activity(5)).await;
    sale.fill(EPOCH, FENCE).await;
    let number = sale.buy(ALICE).await;
    sale.ticket(BOB).await;
    sale.activity.version += 1;
    let before = sale.everything();

    sale.raw::<()>(&["CONFIG", "SET", "save", "3600 1"]);
    std::fs::remove_dir_all(server.dir()).unwrap();
    sale.raw::<()>(&["BGSAVE"]);
    eventually("Redis notices", || {
        sale.raw::<String>(&["INFO", "persistence"]).contains("rdb_last_bgsave_status:err")
    });
    for (call, error) in every_new_write(&sale).await {
        assert!(matches!(error, GateError::Unavailable(_)), "{call}: {error:?}");
    }
    for how in [Return::Free, Return::Bar] {
        let released = sale.gate.release(&sale.keys, ALICE, number, how).await;
        assert!(matches!(released, Err(GateError::Unavailable(_))), "{released:?}");
    }
    let marked = sale.gate.mark_recorded(&sale.keys, &[(ALICE, number)]).await;
    assert!(matches!(marked, Err(GateError::Unavailable(_))), "{marked:?}");
    assert_eq!(before, sale.everything());
    assert_eq!(sale.post(ALICE, number).await, Decision::Admitted);
}
