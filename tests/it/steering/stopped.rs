//! A process that is stopped with an activity's lock in hand for longer than the lock lives, and then goes
//! on (S23): it cannot write any more, and it cannot free the lock of whoever holds it now.

use std::process::{Command, Stdio};

use diesel::RunQueryDsl as _;
use diesel::connection::SimpleConnection as _;
use rustix::process::{Pid, Signal, kill_process};
use seckill::gate::filling::Condition;
use seckill::gate::keys::Keys;
use seckill::sale::ids::{Bucket, Epoch};
use seckill::stack::Kind;

use super::admin;
use crate::harness::shopper::redis_of;
use crate::harness::{App, Plan, SOON, Sale, Side, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_whose_process_was_stopped_beyond_the_locks_life_writes_nothing_afterwards() {
    // The command goes through a proxy to the gate; the roles of this process do not.
    let plan = Plan { no_worker: true, ..Plan::default() }
        .behind(Side::Worker, Kind::Redis)
        .set("SECKILL__KEEPER__LOCK_MS", 700)
        .set("SECKILL__GATE__CALL_TIMEOUT_MS", 30_000);
    let app = App::start_with(plan).await;
    let sale = app.draft(Sale::of(6)).await;
    let keys = Keys::of(sale, Bucket(0));
    let mut gate = redis_of(app.config.gate.url.reveal()).await;

    // It stands still at its audit row, its lock and its fence in hand, until what it sends to the gate is
    // held back.
    let (tell, locked) = tokio::sync::oneshot::channel();
    let (go_on, still) = std::sync::mpsc::channel::<()>();
    let ledger = app.ledger.clone();
    let holding_it_up = tokio::spawn(async move {
        let step = move |conn: &mut diesel::MysqlConnection| {
            conn.batch_execute("LOCK TABLES audit_log WRITE").unwrap();
            tell.send(()).unwrap();
            let _told = still.recv();
            conn.batch_execute("UNLOCK TABLES").unwrap();
            Ok(())
        };
        ledger.run(step).await
    });
    locked.await.unwrap();
    let command = Command::new(env!("CARGO_BIN_EXE_seckill"))
        .args(["activity", "schedule", &sale.to_string()])
        .env_clear()
        .envs(app.environment_of(Side::Worker))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lock = format!("seckill:lock:activity:{sale}");
    eventually("it holds the lock", SOON, || {
        let (mut gate, lock) = (gate.clone(), lock.clone());
        async move {
            let held: i64 = redis::cmd("EXISTS").arg(lock).query_async(&mut gate).await.unwrap();
            (held == 1).then_some(())
        }
    })
    .await;
    eventually("it waits for its audit row", SOON, || async {
        let waiting = "(SELECT COUNT(*) FROM information_schema.processlist \
            WHERE db = DATABASE() AND state LIKE 'Waiting for table%')";
        let count = app.ledger.run(move |conn| {
            Ok(diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(waiting))
                .get_result::<i64>(conn)?)
        });
        (count.await.unwrap() == 1).then_some(())
    })
    .await;
    app.proxy(Side::Worker, Kind::Redis).hold_to_server(true);
    go_on.send(()).unwrap();
    holding_it_up.await.unwrap().unwrap();
    eventually("it has begun to fill the gate", SOON, || async {
        (app.office.read(sale).await.unwrap().gate_epoch == Epoch(1)).then_some(())
    })
    .await;
    let pid = Pid::from_raw(command.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();

    // Its lock lapses; another admin fills the gate, and shoppers buy.
    let held = eventually("the lock is free", SOON, || async {
        app.office.hold(sale, &admin()).await.ok()
    })
    .await;
    app.office.fill(&held).await.unwrap();
    let shoppers = app.shoppers(4).await;
    for shopper in &shoppers {
        eventually("bought", SOON, || async {
            (shopper.buy(sale).await.outcome() == "admitted").then_some(())
        })
        .await;
    }
    let before = app.gate.inspect(&keys).await.unwrap();

    // What it had sent arrives only now, and it goes on itself.
    app.proxy(Side::Worker, Kind::Redis).hold_to_server(false);
    kill_process(pid, Signal::CONT).unwrap();
    let ended = tokio::task::spawn_blocking(move || command.wait_with_output().unwrap()).await;
    let ended = ended.unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    let after = app.gate.inspect(&keys).await.unwrap();
    assert_eq!(after.condition, Condition::Loaded, "{said}");
    assert_eq!((after.epoch, after.stock, after.holders), (Epoch(2), 2, 4), "{said}");
    assert_eq!((after.epoch, after.units), (before.epoch, before.units));
    let owner: i64 = redis::cmd("EXISTS").arg(&lock).query_async(&mut gate).await.unwrap();
    assert_eq!(owner, 1, "the lock of the next holder is still theirs");
    held.free().await;

    // A worker finds nothing to mend.
    let mut app = app;
    app.start_worker().await;
    app.balanced("recorded", sale, |b| b.orders.pending_payment == 4).await;
    assert_eq!(app.office.read(sale).await.unwrap().gate_epoch, Epoch(2));
}
