//! The connection: where it leads, how long it may take, and what a failure means.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use seckill::{
    gate::{Gate, GateError, GateOptions, admission::Decision},
    sale::error::Class,
};

use super::sale::{ALICE, ANSWER, BOB, EPOCH, FENCE, Sale, TOKEN, activity, now_ms, request};
use super::server::{BOUND, Server, eventually, free_port, gate_at};

async fn connect(url: &str, call_timeout: Duration) -> Result<Gate, GateError> {
    let connect_timeout = call_timeout;
    Gate::connect(&GateOptions { url: url.to_owned(), call_timeout, connect_timeout }).await
}

#[tokio::test]
async fn where_nobody_listens_it_says_at_once_that_nothing_was_done() {
    let url = format!("redis://127.0.0.1:{}", free_port());
    let gate = connect(&url, BOUND).await.unwrap();
    for _ in 0..2 {
        let asked = Instant::now();
        let error = gate.ping().await.unwrap_err();
        assert!(matches!(error, GateError::Unavailable(_)), "{error:?}");
        assert_eq!(error.class(), Class::Retry);
        assert!(asked.elapsed() < BOUND / 3, "{:?}", asked.elapsed());
    }
}

#[tokio::test]
async fn a_cluster_of_which_no_node_answers_is_unavailable() {
    let nodes = format!("redis://127.0.0.1:{},redis://127.0.0.1:{}", free_port(), free_port());
    let error = connect(&nodes, BOUND).await.err().unwrap();
    assert!(matches!(error, GateError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn a_silent_server_is_given_up_after_the_calls_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", silent.local_addr().unwrap());
    let gate = connect(&url, Duration::from_millis(300)).await.unwrap();
    for _ in 0..2 {
        let asked = Instant::now();
        let error = gate.ping().await.unwrap_err();
        assert!(matches!(error, GateError::NoAnswer(_)), "{error:?}");
        assert_eq!(error.class(), Class::Unknown);
        assert!(asked.elapsed() < BOUND / 3, "{:?}", asked.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_busy_with_an_endless_script_has_done_nothing() {
    let server = Server::start_with(&["--busy-reply-threshold", "10"]);
    let gate = gate_at(&server.url(0)).await;
    gate.ping().await.unwrap();
    let url = server.url(0);
    let endless = std::thread::spawn(move || {
        let mut conn = redis::Client::open(url).unwrap().get_connection().unwrap();
        redis::cmd("EVAL").arg("while true do end").arg(0).query::<()>(&mut conn)
    });
    let deadline = Instant::now() + BOUND;
    let error = loop {
        match gate.take_lock("x", "a", BOUND).await {
            Ok(_) => assert!(Instant::now() < deadline, "the script never ran"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, GateError::Unavailable(_)), "{error:?}");
    server.ask::<()>(0, &["SCRIPT", "KILL"]);
    endless.join().unwrap().unwrap_err();
    assert!(gate.take_lock("x", "a", BOUND).await.unwrap() > 0);
}

#[tokio::test]
async fn what_is_no_address_of_a_redis_is_refused_at_once() {
    for url in ["", " , ", "http://127.0.0.1/", "127.0.0.1", "redis://127.0.0.1:x"] {
        let error = connect(url, BOUND).await.err().unwrap();
        assert!(matches!(error, GateError::Address(_)), "{url:?}: {error:?}");
        assert_eq!(error.class(), Class::Bug);
    }
}

#[tokio::test]
async fn the_doctor_learns_what_it_needs() {
    let server = Server::start();
    let facts = gate_at(&server.url(0)).await.server_facts().await.unwrap();
    assert!(facts.version.starts_with(|c: char| c.is_ascii_digit()), "{facts:?}");
    assert_eq!((facts.maxmemory_policy.as_str(), facts.append_only), ("noeviction", true));
    assert!((facts.now_ms - now_ms()).abs() < 60_000);
}

#[tokio::test]
async fn a_purchase_whose_answer_was_lost_is_told_when_it_is_asked_again() {
    let server = Server::start();
    let sale = Sale::at(&server, 0, activity(5)).await;
    sale.fill(EPOCH, FENCE).await;
    sale.buy(BOB).await; // so that Redis knows the script
    sale.ticket(ALICE).await;
    let number = sale.number(ALICE);
    let asked = request(ALICE, number, TOKEN, ANSWER);
    let hasty = connect(&server.url(0), Duration::from_secs(1)).await.unwrap();
    hasty.ping().await.unwrap();

    let redis = Pid::from_raw(server.pid()).unwrap();
    kill_process(redis, Signal::STOP).unwrap();
    let answer = hasty.admit(&sale.keys, &asked).await;
    kill_process(redis, Signal::CONT).unwrap();

    let error = answer.unwrap_err();
    assert!(matches!(error, GateError::NoAnswer(_)), "{error:?}");
    eventually("Redis carries out what it was sent", || sale.stock() == Some(3));
    let before = sale.everything();
    assert_eq!(sale.gate.admit(&sale.keys, &asked).await.unwrap(), Decision::Admitted);
    assert_eq!(before, sale.everything());
    assert_eq!(sale.inspect().await.outbox, 2);
    sale.check_rule();
}
