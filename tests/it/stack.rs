//! The private servers: they keep their data and ports, they never outlive their owner, and they
//! find out what an owner before them left behind.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use diesel::{Connection as _, RunQueryDsl as _};
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions,
    QueueDeclareOptions,
};
use redis::AsyncCommands as _;
use rustix::process::{Pid, Signal, kill_process};
use seckill::stack::{DataDir, Home, Kind, Server, Speed, Stack, StackError, StackOptions};

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn the_three_servers_keep_their_data_and_addresses_from_run_to_run() {
    let dir = tempfile::tempdir().unwrap();
    let options = || StackOptions { speed: Speed::Test, ..StackOptions::kept(dir.path()) };
    let mut lines = Vec::new();

    let first = Stack::start(options(), |progress| lines.push(progress.to_string())).await.unwrap();
    for server in ["MariaDB", "Redis", "RabbitMQ"] {
        assert!(
            lines.iter().any(|line| line.starts_with(&format!("{server}: ready on 127.0.0.1:"))),
            "{lines:?}"
        );
    }
    let addresses = urls(&first);
    sql(first.database_url(), "CREATE TABLE kept (id INT PRIMARY KEY)");
    sql(first.database_url(), "INSERT INTO kept VALUES (1)");
    set(first.redis_url(), "kept", "yes").await;
    publish(first.amqp_url(), "kept").await;

    let refused = Stack::start(options(), |_| {}).await.unwrap_err();
    assert!(
        matches!(refused, StackError::InUse { owner: Some(pid), .. } if pid == std::process::id()),
        "{refused}"
    );
    assert!(refused.to_string().contains(&dir.path().display().to_string()), "{refused}");

    first.stop().await;
    first.stop().await;
    assert_eq!(processes_in(dir.path()), Vec::<String>::new());
    drop(first);

    let second = Stack::start(options(), |_| {}).await.unwrap();
    assert_eq!(urls(&second), addresses);
    sql(second.database_url(), "DELETE FROM kept WHERE id = 1");
    assert_eq!(get(second.redis_url(), "kept").await.as_deref(), Some("yes"));

    // and through a hard end, at the same address
    let rabbitmq = second.rabbitmq().unwrap();
    rabbitmq.kill().await;
    rabbitmq.start().await.unwrap();
    assert_eq!(urls(&second), addresses);
    assert_eq!(consume(second.amqp_url(), "kept").await.as_deref(), Some("kept"));
    second.stop().await;
    assert_eq!(processes_in(dir.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_comes_back_on_its_port_after_stop_kill_and_wipe() {
    let home = Home::temporary().unwrap();
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    let url = server.url().to_owned();
    // a test has a logical database of its own
    let own = server.url_of("1023");

    set(&own, "held", "1").await;
    server.kill().await;
    assert_eq!(server.pid().await, None);
    server.start().await.unwrap();
    assert_eq!(get(&own, "held").await.as_deref(), Some("1"));

    server.stop().await;
    server.start().await.unwrap();
    assert_eq!(get(&own, "held").await.as_deref(), Some("1"));

    server.wipe().await.unwrap();
    server.start().await.unwrap();
    assert_eq!(get(&own, "held").await, None);
    assert_eq!(server.url(), url);
}

#[tokio::test]
async fn a_frozen_server_does_not_answer_until_it_is_thawed() {
    let home = Home::temporary().unwrap();
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    server.freeze().await;
    let asked = tokio::time::timeout(Duration::from_millis(300), get(server.url(), "x")).await;
    assert!(asked.is_err());
    server.thaw().await;
    assert_eq!(get(server.url(), "x").await, None);
}

#[tokio::test]
async fn mariadb_lets_a_test_make_databases_and_nobody_in_without_a_password() {
    let home = Home::temporary().unwrap();
    let server = Server::start_in(&home, Kind::MariaDb, "mariadb", Speed::Test).await.unwrap();
    sql(server.url(), "CREATE DATABASE one_of_a_test");
    sql(&server.url_of("one_of_a_test"), "CREATE TABLE t (id INT)");
    for user in ["root", "seckill", ""] {
        let url = format!("mysql://{user}@127.0.0.1:{}/mysql", server.port());
        assert!(diesel::MysqlConnection::establish(&url).is_err(), "{user:?} got in");
    }
    server.kill().await;
    server.start().await.unwrap();
    sql(&server.url_of("one_of_a_test"), "INSERT INTO t VALUES (1)");
    server.wipe().await.unwrap();
    server.start().await.unwrap();
    sql(server.url(), "CREATE DATABASE one_of_a_test");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_what_its_log_says() {
    let home = Home::temporary().unwrap();
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    server.stop().await;
    fs::write(server.data_dir().join("appendonlydir/appendonly.aof.manifest"), "no manifest\n")
        .unwrap();
    let error = server.start().await.unwrap_err();
    assert!(matches!(error, StackError::Ended { .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("Redis ended while it started"), "{text}");
    assert!(text.contains(&server.log().display().to_string()), "{text}");
    assert!(text.contains("manifest"), "{text}");
}

#[tokio::test]
async fn given_servers_are_used_and_none_is_started() {
    let dir = tempfile::tempdir().unwrap();
    let options = StackOptions {
        data_dir: DataDir::Kept(dir.path().join("new")),
        database_url: Some("mysql://a".into()),
        redis_url: Some("redis://b".into()),
        amqp_url: Some("amqp://c".into()),
        speed: Speed::Durable,
    };
    // also: it can be started on any thread
    let stack = tokio::spawn(Stack::start(options, |_| {})).await.unwrap().unwrap();
    assert_eq!(urls(&stack), ["mysql://a", "redis://b", "amqp://c"]);
    assert!(stack.mariadb().is_none() && stack.redis().is_none() && stack.rabbitmq().is_none());
    assert_eq!(processes_in(dir.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_directory_with_other_files_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("letter.txt"), "mine").unwrap();
    let error = Home::open(dir.path()).await.unwrap_err();
    assert!(matches!(error, StackError::NotOurs { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_temporary_directory_goes_with_its_owner() {
    let home = Home::temporary().unwrap();
    let dir = home.dir().to_owned();
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Test).await.unwrap();
    drop(server);
    assert_eq!(processes_in(&dir), ["redis-server"]);
    drop(home);
    eventually("the server and its directory are gone", || {
        processes_in(&dir).is_empty() && !dir.exists()
    })
    .await;
}

#[tokio::test]
async fn the_guard_ends_the_servers_of_an_owner_that_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let owner = Owner::spawn(dir.path());
    set(&owner.redis_url, "kept", "yes").await;
    owner.kill();
    eventually("the server is gone", || processes_in(dir.path()).is_empty()).await;

    let (url, home) = (owner.redis_url.clone(), Home::open(dir.path()).await.unwrap());
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Durable).await.unwrap();
    assert_eq!(server.url(), url);
    assert_eq!(get(&url, "kept").await.as_deref(), Some("yes"));
    server.stop().await;
}

#[tokio::test]
async fn servers_left_behind_are_recognised_and_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let owner = Owner::spawn(dir.path());
    set(&owner.redis_url, "kept", "yes").await;
    signal(owner.guard, Signal::KILL);
    owner.kill();
    assert_eq!(processes_in(dir.path()), ["redis-server"]);

    let home = Home::open(dir.path()).await.unwrap();
    assert_eq!(processes_in(dir.path()), Vec::<String>::new());
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Durable).await.unwrap();
    assert_eq!(server.url(), owner.redis_url);
    assert_eq!(get(server.url(), "kept").await.as_deref(), Some("yes"));
    server.stop().await;
}

/// Tells this test binary, run once more, to be the owner of a Redis in that directory.
const OWNER_OF: &str = "SECKILL_TEST_OWNER_OF";

/// Not a test by itself: the body of the [`Owner`] process.
#[tokio::test]
async fn owner_process() {
    let Some(dir) = std::env::var_os(OWNER_OF) else { return };
    let home = Home::open(Path::new(&dir)).await.unwrap();
    let server = Server::start_in(&home, Kind::Redis, "redis", Speed::Durable).await.unwrap();
    println!("owner: {} {}", home.guard_pid(), server.url());
    // until it is killed; should that fail, it ends by itself
    tokio::time::sleep(Duration::from_secs(120)).await;
}

/// Another process that owns a data directory, to be killed.
struct Owner {
    process: std::cell::RefCell<Child>,
    guard: u32,
    redis_url: String,
}

impl Owner {
    fn spawn(dir: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stack::owner_process", "--nocapture", "--test-threads=1"])
            .env(OWNER_OF, dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        // the harness writes the test's name before it, on the same line
        let told = lines.find_map(|line| Some(line.split_once("owner: ")?.1.to_owned()));
        let told = told.expect("the owner tells what it started");
        let (guard, redis_url) = told.split_once(' ').unwrap();
        Self {
            guard: guard.parse().unwrap(),
            redis_url: redis_url.to_owned(),
            process: process.into(),
        }
    }

    fn kill(&self) {
        let mut process = self.process.borrow_mut();
        process.kill().unwrap();
        process.wait().unwrap();
    }
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < SOON, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The names of all processes that work below a directory.
fn processes_in(dir: &Path) -> Vec<String> {
    let dir: PathBuf = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut names: Vec<String> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.ok()?.path();
            fs::read_link(entry.join("cwd")).ok()?.starts_with(&dir).then_some(())?;
            Some(fs::read_to_string(entry.join("comm")).ok()?.trim().to_owned())
        })
        .collect();
    names.sort();
    names
}

fn urls(stack: &Stack) -> [String; 3] {
    [stack.database_url(), stack.redis_url(), stack.amqp_url()].map(str::to_owned)
}

fn sql(url: &str, statement: &str) {
    let mut connection = diesel::MysqlConnection::establish(url).unwrap();
    let rows = diesel::sql_query(statement).execute(&mut connection).unwrap();
    assert!(rows == 1 || statement.starts_with("CREATE"), "{statement}: {rows} rows");
}

async fn redis_connection(url: &str) -> redis::aio::MultiplexedConnection {
    redis::Client::open(url).unwrap().get_multiplexed_async_connection().await.unwrap()
}

async fn set(url: &str, key: &str, value: &str) {
    let () = redis_connection(url).await.set(key, value).await.unwrap();
}

async fn get(url: &str, key: &str) -> Option<String> {
    redis_connection(url).await.get(key).await.unwrap()
}

async fn amqp_connection(url: &str) -> lapin::Connection {
    lapin::Connection::connect(url, lapin::ConnectionProperties::default()).await.unwrap()
}

/// Publishes one persistent message to a durable queue of that name, and waits until it is safe.
async fn publish(url: &str, queue: &str) {
    let connection = amqp_connection(url).await;
    let channel = connection.create_channel().await.unwrap();
    channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
    let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    channel
        .queue_declare(queue.into(), options, lapin::types::FieldTable::default())
        .await
        .unwrap();
    let persistent = lapin::BasicProperties::default().with_delivery_mode(2);
    let options = BasicPublishOptions::default();
    let confirm =
        channel.basic_publish("".into(), queue.into(), options, queue.as_bytes(), persistent).await;
    assert!(confirm.unwrap().await.unwrap().is_ack());
    connection.close(200, "done".into()).await.unwrap();
}

async fn consume(url: &str, queue: &str) -> Option<String> {
    let connection = amqp_connection(url).await;
    let channel = connection.create_channel().await.unwrap();
    let message = channel.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap()?;
    message.ack(BasicAckOptions::default()).await.unwrap();
    let text = String::from_utf8(message.data.clone()).unwrap();
    connection.close(200, "done".into()).await.unwrap();
    Some(text)
}
