//! The pages of the console's accounts in every state.

use super::pages::{Pages, page};
use super::samples::{MINUTE, frame, now};
use crate::web::admin::accounts::view::{
    AccountPage, AccountView, AccountsPage, Choice, NewAccount, ROLES, role_name, roles,
};
use crate::web::faults::Faults;
use crate::web::language::Language;
use crate::web::page::{Frame, Role, Viewer};
use crate::web::text::key;

fn admins_frame(language: Language, path: &str) -> Frame {
    let f = frame(language, true, path);
    Frame { viewer: f.viewer.map(|viewer| Viewer { role: Role::Admin, ..viewer }), ..f }
}

fn account(id: i64, role: Role, closed: bool) -> AccountView {
    let names = ["Ada <Lovelace> & co", "陈晓明", "محمد علی", "👩‍👩‍👧‍👦 family"];
    let name = names[usize::try_from(id).unwrap() % names.len()];
    AccountView {
        id,
        name: name.into(),
        role,
        created_at_ms: now() - 9000 * MINUTE,
        disabled_at_ms: closed.then(|| now() - MINUTE),
    }
}

pub fn all(language: Language) -> Pages {
    let list = |accounts, next, first, faults| AccountsPage {
        f: admins_frame(language, "/admin/accounts?q=a"),
        query: "a\"<".into(),
        role: "shopper",
        filters: ROLES
            .map(|role| Choice {
                text: role_name(role),
                value: "/admin/accounts?role=x&q=y".into(),
                chosen: role == Role::Shopper,
            })
            .into(),
        accounts,
        next,
        first,
        new: NewAccount { username: "b\"".into(), roles: roles(Role::Shopper) },
        faults,
        notice: None,
    };
    let every = vec![
        account(1, Role::Shopper, false),
        account(2, Role::Operator, true),
        account(3, Role::Admin, false),
    ];
    let mut faults = Faults::default();
    for field in ["username", "role", "password"] {
        faults.add(field, key("accounts-role-missing"));
    }
    let link = || Some("/admin/accounts?after=%E9&q=a".to_owned());
    let one = |account: AccountView, own, faults, notice, done| AccountPage {
        f: admins_frame(language, "/admin/accounts/1"),
        roles: roles(account.role),
        account,
        own,
        faults,
        notice,
        done,
    };
    let mut refused = Faults::default();
    refused.add("disable", key("accounts-refused-last-admin"));
    refused.add("role", key("accounts-refused-oneself"));
    let none = Faults::default;
    vec![
        page("accounts", &list(every.clone(), link(), link(), none())),
        page("accounts-empty", &list(vec![], None, None, none())),
        page("accounts-faults", &list(every, None, None, faults)),
        page("account-one", &one(account(1, Role::Shopper, false), false, none(), None, false)),
        page("account-closed", &one(account(2, Role::Operator, true), false, none(), None, false)),
        page("account-own", &one(account(3, Role::Admin, false), true, none(), None, false)),
        page("account-refused", &one(account(3, Role::Admin, false), false, refused, None, false)),
        page(
            "account-changed",
            &one(
                account(1, Role::Admin, false),
                false,
                none(),
                Some(key("accounts-done-role")),
                true,
            ),
        ),
    ]
}
