//! The servers of the run, shared by its tests.
//!
//! They live on a thread of their own, since each test has its own runtime. Nobody stops them: the guard
//! of their home ends them together with this process.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, mpsc};

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, MysqlConnection};
use seckill::stack::{Stack, StackOptions};

static SHARED: LazyLock<Stack> = LazyLock::new(|| {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.unwrap().block_on(async {
            send.send(Stack::start(StackOptions::temporary(), |_| {}).await.unwrap()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    receive.recv().expect("the shared servers start")
});

static NEXT: AtomicU32 = AtomicU32::new(1);

/// A place of its own in the shared servers.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// An empty database.
    pub(crate) database_url: String,
    /// An empty logical database.
    pub(crate) redis_url: String,
    /// The broker.
    pub(crate) amqp_url: String,
    /// What the names of the test's queues begin with.
    pub(crate) prefix: String,
    database: String,
}

impl Places {
    pub(crate) async fn fresh() -> Self {
        tokio::task::spawn_blocking(Self::make).await.unwrap()
    }

    fn make() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(number < 1024, "more tests than logical databases");
        let database = format!("test_{number}");
        // Of another default than ours: the tables must not depend on it.
        execute(&format!("CREATE DATABASE {database} CHARACTER SET latin1"));
        Self {
            database_url: SHARED.mariadb().unwrap().url_of(&database),
            redis_url: SHARED.redis().unwrap().url_of(&number.to_string()),
            amqp_url: SHARED.amqp_url().to_owned(),
            prefix: format!("test{number}"),
            database,
        }
    }

    /// Gives the database up. (Redis and the queues are small, and go with the run.)
    pub(crate) fn drop_database(&self) {
        execute(&format!("DROP DATABASE IF EXISTS {}", self.database));
    }
}

/// An empty database of the shared server.
pub(crate) fn database_url() -> String {
    Places::make().database_url
}

/// The shared broker.
pub(crate) fn amqp_url() -> String {
    SHARED.amqp_url().to_owned()
}

fn execute(sql: &str) {
    let mut conn = MysqlConnection::establish(SHARED.database_url()).expect("a ledger");
    conn.batch_execute(sql).expect("the statement runs");
}
