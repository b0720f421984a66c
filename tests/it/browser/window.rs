//! What a person does with a browser window, and sees in it.

use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::chromium::Chromium;
use crate::harness::{SOON, eventually};

/// The member of a `WebDriver` answer that names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// What a phone 844 pixels high leaves between the bars of its browser.
const PHONE_HEIGHT: u32 = 664;

/// What the browser is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    /// In CSS pixels.
    pub(super) width: u32,
    pub(super) time_zone: &'static str,
    pub(super) javascript: bool,
    /// Runs in each page before its own scripts.
    pub(super) before_pages: &'static str,
}

impl Setting {
    pub(super) const DESK: Self =
        Self { width: 1280, time_zone: "UTC", javascript: true, before_pages: "" };
    pub(super) const PHONE: Self = Self { width: 390, ..Self::DESK };
}

/// A browser with one window on one site.
#[derive(Debug)]
pub(super) struct Window {
    chromium: Chromium,
    site: String,
    width: u32,
    /// What the console said so far; reading it from the browser empties it there.
    console: Mutex<Vec<String>>,
}

impl Window {
    pub(super) async fn open(site: String, setting: Setting) -> Self {
        let chromium = Chromium::start(setting.time_zone).await;
        let phone = setting.width < 600;
        let screen = json!({
            "width": setting.width, "height": if phone { PHONE_HEIGHT } else { 900 },
            "deviceScaleFactor": 1, "mobile": phone,
        });
        chromium.tools("Emulation.setDeviceMetricsOverride", screen).await;
        if !setting.javascript {
            chromium.tools("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
        }
        if !setting.before_pages.is_empty() {
            let script = json!({ "source": setting.before_pages });
            chromium.tools("Page.addScriptToEvaluateOnNewDocument", script).await;
        }
        Self { chromium, site, width: setting.width, console: Mutex::default() }
    }

    /// The visitor's system likes it dark, or light.
    pub(super) async fn turns(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.chromium.tools("Emulation.setEmulatedMedia", json!({ "features": [feature] })).await;
    }

    pub(super) async fn goes_to(&self, path: &str) {
        let url = format!("{}{path}", self.site);
        self.chromium.post("/url", json!({ "url": url })).await.unwrap();
    }

    pub(super) async fn goes_back(&self) {
        self.chromium.post("/back", json!({})).await.unwrap();
    }

    pub(super) async fn reloads(&self) {
        self.chromium.post("/refresh", json!({})).await.unwrap();
    }

    /// The address without the site; a form's lone "?" is left out.
    pub(super) async fn path(&self) -> String {
        let url = self.chromium.get("/url").await.unwrap();
        let url = url.as_str().unwrap().trim_end_matches('?');
        url.strip_prefix(&self.site).unwrap_or(url).to_owned()
    }

    pub(super) async fn arrives_at(&self, path: &str) {
        let what = format!("the address {path}");
        eventually(&what, SOON, || async { (self.path().await == path).then_some(()) }).await;
    }

    /// Clicks as soon as it is there and can be clicked.
    pub(super) async fn clicks(&self, css: &str) {
        let what = format!("{css} can be clicked");
        eventually(&what, SOON, || async {
            let element = self.element(css).await?;
            self.chromium.post(&format!("/element/{element}/click"), json!({})).await.ok()
        })
        .await;
    }

    /// Two clicks as fast as a mouse has them.
    pub(super) async fn double_clicks(&self, css: &str) {
        let element = self.element(css).await.expect("the button");
        let (down, up) = (
            json!({ "type": "pointerDown", "button": 0 }),
            json!({ "type": "pointerUp", "button": 0 }),
        );
        let to = json!({ "type": "pointerMove", "x": 0, "y": 0, "origin": { ELEMENT: element } });
        let mouse =
            json!({ "type": "pointer", "id": "mouse", "actions": [to, down, up, down, up] });
        self.chromium.post("/actions", json!({ "actions": [mouse] })).await.unwrap();
    }

    pub(super) async fn types(&self, css: &str, text: &str) {
        let element = self.element(css).await.unwrap_or_else(|| panic!("no {css}"));
        self.chromium.post(&format!("/element/{element}/clear"), json!({})).await.unwrap();
        let keys = json!({ "text": text });
        self.chromium.post(&format!("/element/{element}/value"), keys).await.unwrap();
    }

    /// Sets a field that is not typed letter by letter: a date, a choice.
    pub(super) async fn sets(&self, css: &str, value: &str) {
        let set = self
            .asks(&format!(
                "(() => {{
                    const field = document.querySelector('{css}');
                    field.value = '{value}';
                    field.dispatchEvent(new Event('change', {{ bubbles: true }}));
                    return field.value;
                }})()"
            ))
            .await;
        assert_eq!(set, json!(value), "{css} takes it");
    }

    /// The text as it is shown; `None` when nothing such is there.
    pub(super) async fn text(&self, css: &str) -> Option<String> {
        let element = self.element(css).await?;
        let text = self.chromium.get(&format!("/element/{element}/text")).await.ok()?;
        text.as_str().map(ToOwned::to_owned)
    }

    /// Waits until it says so, without touching anything.
    pub(super) async fn sees(&self, css: &str, text: &str) {
        let what = format!("{css} says {text:?}");
        eventually(&what, SOON, || async {
            self.text(css).await.filter(|shown| shown == text).map(drop)
        })
        .await;
    }

    /// Whether it is there and can be pressed.
    pub(super) async fn is_enabled(&self, css: &str) -> bool {
        let Some(element) = self.element(css).await else { return false };
        let enabled = self.chromium.get(&format!("/element/{element}/enabled")).await;
        enabled.is_ok_and(|enabled| enabled == json!(true))
    }

    /// What an expression is worth in the page.
    pub(super) async fn asks(&self, expression: &str) -> Value {
        let script = json!({ "script": format!("return {expression};"), "args": [] });
        self.chromium.post("/execute/sync", script).await.unwrap()
    }

    /// The name of the tab in front.
    pub(super) async fn tab(&self) -> Value {
        self.chromium.get("/window").await.unwrap()
    }

    /// Opens one more tab and goes there.
    pub(super) async fn opens_tab(&self) -> Value {
        let tab = self.chromium.post("/window/new", json!({ "type": "tab" })).await.unwrap();
        self.goes_to_tab(&tab["handle"]).await;
        self.tab().await
    }

    pub(super) async fn goes_to_tab(&self, tab: &Value) {
        self.chromium.post("/window", json!({ "handle": tab })).await.unwrap();
    }

    /// Whether a person sees all of it at once, with nothing before it.
    pub(super) async fn is_in_sight(&self, css: &str) -> bool {
        let seen = self
            .asks(&format!(
                "(() => {{
                    const thing = document.querySelector('{css}'), at = thing.getBoundingClientRect();
                    return [at.top + 1, at.bottom - 1].every((y) =>
                        thing.contains(document.elementFromPoint(at.left + at.width / 2, y)));
                }})()"
            ))
            .await;
        seen == json!(true)
    }

    /// Looks at the whole page: nothing sticks out sideways. And takes a picture, if pictures are wanted.
    pub(super) async fn looks_at(&self, name: &str) {
        let widths = self.asks("[innerWidth, document.documentElement.scrollWidth]").await;
        let [inner, page] = [0, 1].map(|at| widths[at].as_u64().unwrap());
        // A phone widens its window for a page that is too wide.
        if inner != u64::from(self.width) || page > inner {
            let out = self.what_sticks_out().await;
            panic!("{name} is {} pixels wide, not {}: {out}", inner.max(page), self.width);
        }
        if let Some(dir) = std::env::var_os("SECKILL_SCREENSHOTS") {
            self.takes_picture(Path::new(&dir), name).await;
        }
    }

    async fn what_sticks_out(&self) -> Value {
        self.asks(&format!(
            "[...document.querySelectorAll('main *')]
                .filter((thing) => thing.getBoundingClientRect().right > {})
                .map((thing) => thing.outerHTML.slice(0, 80)).slice(0, 9)",
            self.width
        ))
        .await
    }

    async fn takes_picture(&self, dir: &Path, name: &str) {
        let metrics = self.chromium.tools("Page.getLayoutMetrics", json!({})).await;
        let height = &metrics["cssContentSize"]["height"];
        let clip = json!({ "x": 0, "y": 0, "width": self.width, "height": height, "scale": 1 });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let picture = self.chromium.tools("Page.captureScreenshot", wanted).await;
        std::fs::create_dir_all(dir).unwrap();
        let file = dir.join(format!("{name}-{}.png", self.width));
        std::fs::write(file, from_base64(picture["data"].as_str().unwrap())).unwrap();
    }

    /// Everything that the console complained of so far. That a page itself was answered with a 4xx, as
    /// it should, is no complaint.
    pub(super) async fn complaints(&self) -> Vec<String> {
        let entries = self.chromium.post("/se/log", json!({ "type": "browser" })).await.unwrap();
        let mut console = self.console.lock().unwrap();
        for entry in entries.as_array().unwrap() {
            let message = entry["message"].as_str().unwrap_or_default();
            let serious = entry["level"] == "SEVERE" || entry["level"] == "WARNING";
            if serious && !message.contains("the server responded with a status of 4") {
                console.push(message.to_owned());
            }
        }
        console.clone()
    }

    async fn element(&self, css: &str) -> Option<String> {
        let search = json!({ "using": "css selector", "value": css });
        let found = self.chromium.post("/element", search).await.ok()?;
        found[ELEMENT].as_str().map(ToOwned::to_owned)
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        (bits, held) = ((bits << 6) | u32::from(value), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).unwrap());
            bits &= (1 << held) - 1;
        }
    }
    bytes
}
