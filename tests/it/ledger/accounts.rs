//! Registering and signing in.

use seckill::account::{AccountError, Accounts, Cost, FieldError, SignIn};
use seckill::ledger::users;
use seckill::sale::shopper::Role;

use super::migrated;

const PASSWORD: &str = "correct horse";

async fn accounts() -> Accounts {
    let cheap = Cost { memory_kib: 8, passes: 1, at_once: 4 };
    Accounts::new(migrated().await, cheap).expect("valid costs")
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
    let cheap = Cost { memory_kib: 8, passes: 1, at_once: 1 };
    let accounts = Accounts::new(ledger.clone(), cheap).unwrap();
    let ann = accounts.add("Ann", PASSWORD, Role::Operator).await.unwrap();
    let epoch = async || accounts.live(ann.id).await.unwrap().map(|account| account.epoch);
    assert_eq!(epoch().await, Some(0));
    accounts.end_sessions(ann.id).await.unwrap();
    assert_eq!(epoch().await, Some(1));
    accounts.set_password(ann.id, "another horse").await.unwrap();
    assert_eq!(accounts.sign_in("Ann", PASSWORD).await.unwrap(), SignIn::Refused);
    accounts.set_role(ann.id, Role::Admin).await.unwrap();
    assert_eq!(epoch().await, Some(3));
    accounts.set_disabled(ann.id, true).await.unwrap();
    assert_eq!(epoch().await, None);
    assert!(users::live_epochs(&ledger, vec![ann.id]).await.unwrap().is_empty());
    assert_eq!(accounts.sign_in("Ann", "another horse").await.unwrap(), SignIn::Disabled);
    assert_eq!(accounts.sign_in("Ann", PASSWORD).await.unwrap(), SignIn::Refused);
    accounts.set_disabled(ann.id, false).await.unwrap();
    assert_eq!(users::live_epochs(&ledger, vec![ann.id]).await.unwrap(), [(ann.id, 5)]);
}
