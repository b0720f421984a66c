//! Renders every page in every state and language. With `SECKILL_PREVIEW_DIR` set, writes them
//! there with the static files, to be looked at in a browser:
//! `SECKILL_PREVIEW_DIR=/tmp/preview cargo test preview && python3 -m http.server -d /tmp/preview`.

mod accounts;
mod console;
mod pages;
mod pipeline;
mod products;
mod samples;
mod stuck;

use std::path::Path;

use askama::Template;

use super::assets::{ASSETS, MARK};
use super::language::Language;
use super::page::{Role, Viewer};
use super::pictures::Look;
use super::text::MISSING;
use crate::captcha::{Seed, draw};

/// What the content security policy would refuse, or an accessible page may not lack.
fn check(name: &str, html: &str) {
    assert!(!html.contains(MISSING), "{name}: a text is missing: {}", after(html, MISSING));
    assert!(html.starts_with("<!doctype html>"), "{name}: {}", &html[..40.min(html.len())]);
    assert_eq!(html.matches("<h1").count(), 1, "{name}: one headline");
    for refused in
        [" style=", "<style", " onclick=", " onload=", "javascript:", "http://", "https://"]
    {
        assert!(!html.contains(refused), "{name}: holds {refused}");
    }
    for script in html.split("<script").skip(1) {
        assert!(
            script.starts_with(" type=\"module\" src=\"/static/"),
            "{name}: a script of another kind"
        );
    }
    for form in html.split("<form").skip(1).filter(|form| form.contains("method=\"post\"")) {
        let form = form.split("</form>").next().unwrap();
        assert!(
            form.contains("name=\"csrf_token\" value=\"token-of-the-session\""),
            "{name}: a form without token"
        );
    }
    let mut ids: Vec<&str> =
        html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{name}: an id stands twice");
    for label in html.split("<label for=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(ids.contains(&label), "{name}: a label of nothing");
    }
}

fn after(html: &str, mark: char) -> &str {
    html.split(mark).nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default()
}

#[test]
fn preview_of_every_page() {
    for language in Language::ALL {
        for (name, html) in pages::all(language)
            .into_iter()
            .chain(console::all(language))
            .chain(pipeline::all(language))
            .chain(stuck::all(language))
        {
            check(&name, &html);
            assert!(html.contains(&format!("<html lang=\"{}\"", language.tag())));
            if let Some(folder) = std::env::var_os("SECKILL_PREVIEW_DIR") {
                write(Path::new(&folder), &format!("{}-{name}.html", language.tag()), &html);
            }
        }
    }
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let evil = "\"><script>alert(1)</script>' \u{202e}";
    let mut page = pages::list(Language::En, true);
    page.open[0].title = evil.into();
    page.open[0].look = Look::drawn(1, evil);
    page.f.path = format!("/?{evil}");
    page.f.viewer = Some(Viewer { name: evil.into(), role: Role::Admin });
    let html = page.render().unwrap();
    assert!(!html.contains("<script>alert"));
    check("evil", &html);
}

fn write(folder: &Path, name: &str, html: &str) {
    let assets = folder.join("static").join(&*MARK);
    std::fs::create_dir_all(&assets).unwrap();
    for asset in &ASSETS {
        std::fs::write(assets.join(asset.name), asset.body).unwrap();
    }
    let pictures = folder.join("activities/1/captcha");
    std::fs::create_dir_all(&pictures).unwrap();
    std::fs::write(pictures.join(pages::TICKET), draw(Seed::random()).unwrap().png).unwrap();
    std::fs::write(folder.join(name), html).unwrap();
}
