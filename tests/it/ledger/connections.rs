//! A ledger that is slow, busy, silent or gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use seckill::ledger::{Ledger, LedgerError, LedgerOptions};
use seckill::sale::error::Class;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf};

use super::{Books, Sale, fresh_database, until};

fn impatient(url: String) -> Ledger {
    Ledger::open(LedgerOptions {
        pool_size: 3,
        checkout_timeout: Duration::from_millis(700),
        statement_timeout: Duration::from_millis(500),
        lock_timeout: Duration::from_secs(1),
        call_timeout: Duration::from_millis(1500),
        ..LedgerOptions::new(url)
    })
    .expect("a usable address")
}

/// A step that keeps its connection for a while.
async fn keep_busy(ledger: Ledger, time: Duration) -> Result<(), LedgerError> {
    let step = move |_: &mut _| {
        std::thread::sleep(time);
        Ok(())
    };
    ledger.run(step).await
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_within_the_bound() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let ledger = impatient(format!("mysql://seckill:dev@{nobody}/seckill"));
    let begun = Instant::now();
    let error = ledger.ping().await.unwrap_err();
    assert_eq!((error.class(), error.label()), (Class::Retry, "unavailable"));
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn calls_beyond_the_pool_wait_and_are_told() {
    let ledger = impatient(fresh_database());
    let long = Duration::from_millis(1100);
    let busy: Vec<_> = (0..3).map(|_| tokio::spawn(keep_busy(ledger.clone(), long))).collect();
    // Told when its wait for a connection is over, long before the others are done.
    until("a full pool", Duration::from_secs(5), async || {
        matches!(ledger.ping().await, Err(LedgerError::Unavailable(_)))
    })
    .await;
    for call in busy {
        call.await.unwrap().unwrap();
    }
    ledger.ping().await.unwrap();
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_stopped_by_the_server() {
    let ledger = impatient(fresh_database());
    let begun = Instant::now();
    let slow = ledger.run(|conn| Ok(conn.batch_execute("SELECT SLEEP(20)")?)).await;
    // MySQL lets SLEEP return early instead of failing.
    assert!(slow.is_ok() || matches!(slow, Err(LedgerError::StatementTimeout)), "{slow:?}");
    assert!(begun.elapsed() < Duration::from_secs(2));
    ledger.ping().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_stays_locked_is_told_as_such() {
    let books = Books::open(Sale::default()).await;
    let options = books.ledger.options().clone();
    let patient = Duration::from_secs(20);
    let waiting_for = |lock_timeout| {
        let statement_timeout = patient;
        Ledger::open(LedgerOptions { lock_timeout, statement_timeout, ..options.clone() }).unwrap()
    };
    let ledger = waiting_for(Duration::from_secs(1));
    // Its transaction may stand still for longer than the other one waits.
    let holder = waiting_for(patient);
    let held = Arc::new(AtomicBool::new(false));
    let release = Arc::new(AtomicBool::new(false));
    let (at_it, enough) = (Arc::clone(&held), Arc::clone(&release));
    let holder = tokio::spawn(async move {
        holder
            .run(move |conn| {
                conn.batch_execute("BEGIN; SELECT id FROM activities FOR UPDATE")?;
                at_it.store(true, Ordering::Release);
                while !enough.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Ok(conn.batch_execute("ROLLBACK")?)
            })
            .await
    });
    until("the lock", patient, async || held.load(Ordering::Acquire)).await;
    let fence = seckill::ledger::activities::locked::take_fence(&ledger, books.activity).await;
    // Before anything can fail: a test that fails must not leave a thread that waits for ever.
    release.store(true, Ordering::Release);
    holder.await.unwrap().unwrap();
    assert!(matches!(fence, Err(LedgerError::LockTimeout)), "{fence:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_network_is_left_behind_and_an_answering_one_found_again() {
    let proxy = Proxy::start(fresh_database()).await;
    let ledger = impatient(proxy.url.clone());
    ledger.ping().await.unwrap();
    proxy.silent.store(true, Ordering::Release);
    let begun = Instant::now();
    let calls: Vec<_> = (0..9).map(|_| ledger.ping()).collect();
    for outcome in futures_util::future::join_all(calls).await {
        let error = outcome.expect_err("nothing gets through");
        assert!(matches!(error.class(), Class::Unknown | Class::Retry), "{error:?}");
    }
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    // Connections that hang now hang for ever; only new ones get through.
    proxy.silent.store(false, Ordering::Release);
    until("an answer", Duration::from_secs(20), async || ledger.ping().await.is_ok()).await;
    assert!(proxy.stuck.load(Ordering::Acquire), "the proxy has swallowed nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_in_the_middle_leaves_the_outcome_open() {
    let proxy = Proxy::start(fresh_database()).await;
    let ledger = impatient(proxy.url.clone());
    let cut = Arc::clone(&proxy.cut);
    let broken = ledger
        .run(move |conn| {
            conn.batch_execute("SELECT 1")?;
            cut.store(true, Ordering::Release);
            std::thread::sleep(Duration::from_millis(100));
            Ok(conn.batch_execute("SELECT 2")?)
        })
        .await
        .unwrap_err();
    assert_eq!(broken.class(), Class::Unknown, "{broken:?}");
    proxy.cut.store(false, Ordering::Release);
    until("an answer", Duration::from_secs(20), async || ledger.ping().await.is_ok()).await;
}

/// A network between program and server that can swallow everything, or cut its connections.
struct Proxy {
    url: String,
    silent: Arc<AtomicBool>,
    /// A connection has swallowed something, and will never forward anything again.
    stuck: Arc<AtomicBool>,
    cut: Arc<AtomicBool>,
}

impl Proxy {
    async fn start(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut url = url::Url::parse(&server).unwrap();
        let target = (url.host_str().unwrap().to_owned(), url.port().unwrap_or(3306));
        url.set_port(Some(listener.local_addr().unwrap().port())).unwrap();
        let proxy = Self {
            url: url.into(),
            silent: Arc::default(),
            stuck: Arc::default(),
            cut: Arc::default(),
        };
        let flags = [&proxy.silent, &proxy.stuck, &proxy.cut].map(Arc::clone);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(target.clone()).await.unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(forward(from_client, to_server, flags.clone()));
                tokio::spawn(forward(from_server, to_client, flags.clone()));
            }
        });
        proxy
    }
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, flags: [Arc<AtomicBool>; 3]) {
    let [silent, stuck, cut] = flags;
    let mut buffer = [0; 8192];
    loop {
        let read = tokio::time::timeout(Duration::from_millis(10), from.read(&mut buffer)).await;
        if cut.load(Ordering::Acquire) {
            return;
        }
        match read {
            Err(_) => {}
            Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(_)) if silent.load(Ordering::Acquire) => {
                stuck.store(true, Ordering::Release);
                // Open on both sides, and dumb.
                std::future::pending::<()>().await;
            }
            Ok(Ok(length)) => {
                if to.write_all(&buffer[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}
