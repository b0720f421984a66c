//! Registering and signing in.

use diesel::RunQueryDsl as _;
use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use seckill::account::{AccountError, Accounts, Cost, FieldError, Refusal, SessionId, SignIn};
use seckill::ledger::{Ledger, LedgerOptions};
use seckill::sale::actor::Actor;
use seckill::sale::shopper::Role;

use super::{fresh_database, migrated};

const PASSWORD: &str = "correct horse";

async fn accounts() -> Accounts {
    on(migrated().await)
}

fn on(ledger: Ledger) -> Accounts {
    let cheap = Cost { memory_kib: 8, passes: 1, at_once: 4 };
    Accounts::new(ledger, cheap).expect("valid costs")
}

fn refused<T: std::fmt::Debug>(result: Result<T, AccountError>) -> Refusal {
    match result {
        Err(AccountError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

fn invalid<T: std::fmt::Debug>(result: Result<T, AccountError>) -> Vec<FieldError> {
    match result {
        Err(AccountError::Invalid(errors)) => errors,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_registered_can_sign_in_and_nobody_else_as_them() {
    let accounts = accounts().await;
    let ann = accounts.register(" Ann ", PASSWORD).await.unwrap();
    assert_eq!((ann.username.as_str(), ann.role), ("Ann", Role::Shopper));
    assert_eq!(accounts.sign_in("aNN", PASSWORD).await.unwrap(), SignIn::Welcome(ann.clone()));
    assert_eq!(accounts.sign_in("ann", "correct horsf").await.unwrap(), SignIn::Refused);
    assert_eq!(accounts.sign_in("bob", PASSWORD).await.unwrap(), SignIn::Refused);
    assert_eq!(accounts.sign_in(&"x".repeat(10_000), PASSWORD).await.unwrap(), SignIn::Refused);
    assert_eq!(accounts.sign_in("\u{202E}\0", "").await.unwrap(), SignIn::Refused);
    let taken = invalid(accounts.register("ANN", PASSWORD).await);
    assert_eq!(taken, [FieldError::UsernameTaken]);
    let both = invalid(accounts.register("x", "short").await);
    assert_eq!(both, [FieldError::UsernameTooShort, FieldError::PasswordTooShort]);
}

#[tokio::test]
async fn names_come_back_as_they_were_typed() {
    let accounts = accounts().await;
    for name in ["😀😀", "😀😁", "👩‍👩‍👧‍👦", "محمد علی", "می‌خواهم", "O'Neil \"B\" \\", "王芳", "𠮷野家"]
    {
        let made = accounts.register(name, PASSWORD).await.unwrap();
        let found = accounts.live(made.id).await.unwrap().unwrap();
        assert_eq!(found.username, name);
        assert_eq!(accounts.sign_in(name, PASSWORD).await.unwrap(), SignIn::Welcome(found));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_name_registered_at_once_one_account_comes() {
    let accounts = accounts().await;
    let tries = (0..8).map(|_| accounts.register("Ann", PASSWORD));
    let made = futures_util::future::join_all(tries).await;
    assert_eq!(made.iter().filter(|result| result.is_ok()).count(), 1);
    for result in made.into_iter().filter(Result::is_err) {
        assert_eq!(invalid(result), [FieldError::UsernameTaken]);
    }
}

#[tokio::test]
async fn sessions_end_with_the_epoch_they_were_begun_in() {
    let ledger = migrated().await;
    let (accounts, node) = (on(ledger.clone()), on(ledger));
    let by = Actor::command;
    accounts.add(by(), "Root", PASSWORD, Role::Admin).await.unwrap();
    let ann = accounts.add(by(), "Ann", PASSWORD, Role::Operator).await.unwrap();
    let session = SessionId::random();
    // What this node and another one, which has only read the ledger, think of a session of this epoch.
    let counts = async |epoch| {
        node.endings().load().await.unwrap();
        let there = node.endings().allow(session, ann.id, epoch);
        assert_eq!(accounts.endings().allow(session, ann.id, epoch), there);
        there
    };
    assert!(counts(0).await);
    accounts.end_sessions(by(), ann.id).await.unwrap();
    assert!(!counts(0).await && counts(1).await);
    accounts.set_password(by(), ann.id, "another horse").await.unwrap();
    assert!(!counts(1).await && counts(2).await);
    assert_eq!(accounts.sign_in("Ann", PASSWORD).await.unwrap(), SignIn::Refused);
    assert!(accounts.set_role(by(), ann.id, Role::Admin).await.unwrap());
    assert!(!accounts.set_role(by(), ann.id, Role::Admin).await.unwrap(), "so it was");
    assert!(!counts(2).await && counts(3).await);
    assert!(accounts.set_disabled(by(), ann.id, true).await.unwrap());
    assert!(!counts(3).await);
    assert_eq!(accounts.live(ann.id).await.unwrap(), None);
    assert_eq!(accounts.sign_in("Ann", "another horse").await.unwrap(), SignIn::Disabled);
    assert_eq!(accounts.sign_in("Ann", PASSWORD).await.unwrap(), SignIn::Refused);
    assert!(accounts.set_disabled(by(), ann.id, false).await.unwrap());
    let SignIn::Welcome(welcome) = accounts.sign_in("Ann", "another horse").await.unwrap() else {
        panic!("not let in");
    };
    assert_eq!((welcome.epoch, welcome.role), (5, Role::Admin));
    assert!(counts(5).await);
    accounts.sign_out(session).await.unwrap();
    assert!(!counts(5).await);
    assert!(node.endings().allow(SessionId::random(), ann.id, 5));
}

#[tokio::test]
async fn a_password_is_changed_by_whoever_knows_it_and_once() {
    let accounts = accounts().await;
    let ann = accounts.register("Ann", PASSWORD).await.unwrap();
    let by = || Actor::account(ann.id, "Ann".into(), "request".into());
    let change = |present: &'static str, new: &'static str| {
        accounts.change_password(by(), ann.id, present, new)
    };
    assert_eq!(change("wrong horse", "another horse").await.unwrap(), None);
    assert_eq!(invalid(change(PASSWORD, "short").await), [FieldError::PasswordTooShort]);
    // Of two at once that both knew the present one, one comes first.
    let (one, other) =
        tokio::join!(change(PASSWORD, "horse of one"), change(PASSWORD, "other horse"));
    let changed = [&one, &other].iter().filter(|result| matches!(result, Ok(Some(_)))).count();
    assert_eq!(changed, 1, "{one:?} {other:?}");
    accounts.set_disabled(Actor::command(), ann.id, true).await.unwrap();
    for password in ["horse of one", "other horse"] {
        let result = change(password, PASSWORD).await;
        assert!(matches!(result, Err(AccountError::NotFound)), "{result:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_admin_stays_even_when_two_remove_each_other_at_once() {
    let accounts = accounts().await;
    let command = Actor::command;
    let one = accounts.add(command(), "One", PASSWORD, Role::Admin).await.unwrap();
    assert_eq!(refused(accounts.set_disabled(command(), one.id, true).await), Refusal::LastAdmin);
    for round in 0..10 {
        let name = format!("Other {round}");
        let other = accounts.add(command(), &name, PASSWORD, Role::Admin).await.unwrap();
        let by = |account: &seckill::account::Account| {
            Actor::account(account.id, account.username.clone(), String::new())
        };
        let (first, second) = tokio::join!(
            accounts.set_role(by(&one), other.id, Role::Shopper),
            accounts.set_disabled(by(&other), one.id, true),
        );
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        let lost = first.err().or(second.err());
        assert!(matches!(lost, Some(AccountError::Refused(Refusal::LastAdmin))), "{lost:?}");
        let (admins, _) = accounts.page("", Some(Role::Admin), None).await.unwrap();
        let live = admins.iter().filter(|admin| admin.disabled_at_ms.is_none()).count();
        assert_eq!(live, 1, "{admins:?}");
        accounts.set_disabled(command(), one.id, false).await.unwrap();
        accounts.set_role(command(), other.id, Role::Shopper).await.unwrap();
    }
    for result in [
        accounts.set_role(command(), seckill::sale::ids::UserId(9999), Role::Admin).await,
        accounts.set_disabled(command(), seckill::sale::ids::UserId(9999), true).await,
    ] {
        assert!(matches!(result, Err(AccountError::NotFound)), "{result:?}");
    }
}

#[derive(diesel::QueryableByName)]
struct Touched {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// Rows that the only connection of this ledger has read since it was told to forget.
async fn touched(ledger: &Ledger) -> i64 {
    let query = "SELECT CAST(SUM(variable_value) AS SIGNED) AS `rows` \
                 FROM information_schema.session_status \
                 WHERE variable_name IN ('Handler_read_next', 'Handler_read_prev', \
                 'Handler_read_rnd_next')";
    let read = ledger.run(move |conn| Ok(diesel::sql_query(query).get_result::<Touched>(conn)?));
    read.await.unwrap().rows
}

#[tokio::test]
async fn a_page_of_the_list_reads_a_page_of_rows() {
    let options = LedgerOptions { pool_size: 1, ..LedgerOptions::new(fresh_database()) };
    let ledger = Ledger::open(options).unwrap();
    ledger.migrate().await.unwrap();
    let fill = "INSERT INTO users (username, username_key, password_hash, role) \
                SELECT CONCAT('u', seq), CONCAT('u', seq), 'x', \
                IF(seq % 50 = 0, 'operator', 'shopper') FROM seq_100000_to_109999; \
                ANALYZE TABLE users";
    ledger.run(move |conn| Ok(conn.batch_execute(fill)?)).await.unwrap();
    let accounts = on(ledger.clone());
    for (typed, role, after) in [
        ("", None, None),
        ("u1", None, Some("u105000")),
        ("u1077", None, None),
        ("nobody", None, None),
        ("", Some(Role::Operator), Some("u102000")),
        ("u108", Some(Role::Shopper), None),
        ("u1", Some(Role::Admin), None),
    ] {
        let forget = |conn: &mut diesel::MysqlConnection| Ok(conn.batch_execute("FLUSH STATUS")?);
        ledger.run(forget).await.unwrap();
        let before = touched(&ledger).await;
        accounts.page(typed, role, after.map(ToOwned::to_owned)).await.unwrap();
        let rows = touched(&ledger).await - before;
        assert!(rows < 60, "{typed:?} {role:?} {after:?}: {rows} rows");
    }
}
