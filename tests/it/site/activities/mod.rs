//! The console's pages about activities, as admins meet them.

mod access;
mod form;
mod life;
mod list;
mod two_admins;
mod words;

use chrono::{TimeDelta, Utc};
use seckill::sale::ids::ActivityId;
use seckill::sale::shopper::Role;

use super::{books, row, rows};
use crate::harness::{Answer, App, Sale, Shopper};

/// An admin, signed in.
async fn admin(app: &App) -> Shopper {
    signed_in(app, Role::Admin).await
}

async fn signed_in(app: &App, role: Role) -> Shopper {
    let (id, name) = app.account(role).await;
    Shopper::sign_in(app, id, &name).await
}

fn address(id: ActivityId) -> String {
    format!("/admin/activities/{id}")
}

/// A product, by the draft that made it.
async fn product(app: &App, name: &str) -> String {
    app.draft(Sale { product: name.into(), ..Sale::of(1) }).await;
    let found = format!(
        "SELECT CAST(MAX(product_id) AS CHAR) AS text FROM activities JOIN products p ON p.id = product_id \
         WHERE p.name = '{}'",
        name.replace('\\', "\\\\").replace('\'', "''")
    );
    row(app, &found)
}

/// The form as somebody fills it in.
#[derive(Clone)]
struct Form(Vec<(&'static str, String)>);

impl Form {
    /// A sale that opens in an hour, by clocks in UTC.
    fn new(product: &str) -> Self {
        let at =
            |hours| (Utc::now() + TimeDelta::hours(hours)).format("%Y-%m-%dT%H:%M:%S").to_string();
        Self(vec![
            ("product", product.into()),
            ("title", "Kettles at noon".into()),
            ("price", "19.99".into()),
            ("stock", "50".into()),
            ("buckets", "1".into()),
            ("zone", "UTC".into()),
            ("starts_at", at(1)),
            ("ends_at", at(2)),
            ("captcha", "yes".into()),
            ("rate", "5".into()),
            ("total_rate", String::new()),
            ("pay_within", "15".into()),
            ("pay_unit", "m".into()),
            ("rebuy", "yes".into()),
        ])
    }

    /// What stands in the form of a page.
    fn of(page: &Answer) -> Self {
        let names = [
            "version",
            "seen",
            "accepted",
            "title",
            "price",
            "stock",
            "buckets",
            "starts_at",
            "ends_at",
            "rate",
            "total_rate",
            "pay_within",
        ];
        let inputs = names.into_iter().filter_map(|name| Some((name, input(page, name)?)));
        let mut form = Self(inputs.collect());
        for name in ["product", "zone", "pay_unit"] {
            if let Some(value) = selected(page, name) {
                form = form.with(name, &value);
            }
        }
        for name in ["captcha", "rebuy"] {
            let checked = format!("name=\"{name}\" value=\"yes\" checked");
            if page.text.contains(&checked) {
                form = form.with(name, "yes");
            }
        }
        form
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(field, _)| *field != name);
        self.0.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.0.retain(|(field, _)| *field != name);
        self
    }

    async fn send(&self, admin: &Shopper, path: &str) -> Answer {
        let token = admin.browser.csrf_token().await;
        let fields = self.0.iter().map(|(name, value)| (*name, value.as_str()));
        let fields: Vec<_> = fields.chain([("csrf_token", token.as_str())]).collect();
        admin.browser.post(path, &fields).await
    }

    /// Makes a draft of it.
    async fn create(&self, admin: &Shopper) -> ActivityId {
        let answer = self.send(admin, "/admin/activities/new").await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let address = answer.location.unwrap();
        address.strip_prefix("/admin/activities/").unwrap().parse().unwrap()
    }
}

/// The value of an input that is sent.
fn input(page: &Answer, name: &str) -> Option<String> {
    let (before, rest) = page.text.split_once(&format!(" name=\"{name}\""))?;
    let tag = format!("{}{}", &before[before.rfind('<')?..], &rest[..rest.find('>')?]);
    if !tag.starts_with("<input") {
        return None;
    }
    let (_, value) = tag.split_once(" value=\"")?;
    Some(plain(value.split('"').next()?))
}

/// The option of a select that is sent.
fn selected(page: &Answer, name: &str) -> Option<String> {
    let (_, rest) = page.text.split_once(&format!("name=\"{name}\""))?;
    let options = rest.split("</select>").next()?;
    if rest[..rest.find('>')?].contains("disabled") {
        return None;
    }
    let chosen = options
        .split("<option")
        .find(|option| option.split('>').next().is_some_and(|tag| tag.contains(" selected")))?;
    match chosen.split('>').next()?.split_once("value=\"") {
        Some((_, value)) => Some(plain(value.split('"').next()?)),
        None => Some(plain(chosen.split_once('>')?.1.split('<').next()?)),
    }
}

/// A text of a page as a person reads it.
fn plain(text: &str) -> String {
    text.replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#38;", "&")
}

/// What is wrong with a field, as it stands beside it.
fn fault(page: &Answer, field: &str) -> Option<String> {
    let (_, rest) = page.text.split_once(&format!("<p id=\"{field}-fault\" class=\"fault\">"))?;
    rest.split("</p>").next().map(plain)
}

/// Takes a step on the version that the activity's page shows.
async fn step(admin: &Shopper, id: ActivityId, step: &str) -> Answer {
    let page = admin.browser.get(&address(id)).await;
    let version = version(&page);
    step_on(admin, id, step, &version, &[]).await
}

async fn step_on(
    admin: &Shopper,
    id: ActivityId,
    step: &str,
    version: &str,
    more: &[(&str, &str)],
) -> Answer {
    let token = admin.browser.csrf_token().await;
    let mut fields = vec![("csrf_token", token.as_str()), ("version", version)];
    fields.extend(more);
    admin.browser.post(&format!("{}/{step}", address(id)), &fields).await
}

/// The version that a page was made on.
fn version(page: &Answer) -> String {
    input(page, "version").unwrap_or_else(|| "1".into())
}

/// What a page says: of what was done, or of what stood in the way.
fn notice(page: &Answer) -> String {
    let notice = ["id=\"said\">", "id=\"trouble\"><p>"];
    let found = notice.into_iter().find_map(|mark| page.text.split_once(mark));
    found.map(|(_, rest)| plain(rest.split("</p>").next().unwrap())).unwrap_or_default()
}

fn status(app: &App, id: ActivityId) -> String {
    row(app, &format!("SELECT status AS text FROM activities WHERE id = {id}"))
}
