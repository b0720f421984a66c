//! Chromium and its driver as processes, and the `WebDriver` protocol to them.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// A command that takes longer has failed.
const BOUND: Duration = Duration::from_secs(30);

/// Runs the driver, and ends it and everything it started when our end of the pipe is closed: by the
/// end of the test, by its panic, and by a SIGKILL of the whole run as well.
const SCRIPT: &str = r#""$@" & read -r _; kill -KILL $!; wait $!; kill -KILL 0"#;

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
];

/// One browser session with a driver and a profile of its own. Gone when dropped.
#[derive(Debug)]
pub(super) struct Chromium {
    driver: Child,
    http: reqwest::Client,
    session: String,
    profile: TempDir,
}

impl Chromium {
    /// `time_zone` is the machine's, as far as the browser knows.
    pub(super) async fn start(time_zone: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut driver = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "browser", "chromedriver", "--port=0"])
            .env("TZ", time_zone)
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("a shell");
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let http = reqwest::Client::builder().timeout(BOUND).build().unwrap();
        // From here on a panic ends the driver.
        let mut chromium = Self { driver, http, session: String::new(), profile };
        let port = tokio::task::spawn_blocking(move || port_of(lines));
        let port = tokio::time::timeout(BOUND, port)
            .await
            .expect("chromedriver starts (`make deps-test` installs it)")
            .unwrap();
        chromium.session = format!("http://127.0.0.1:{port}/session");
        let capabilities = chromium.capabilities();
        let made = chromium.post("", capabilities).await.expect("a browser session");
        let id = made["sessionId"].as_str().unwrap();
        chromium.session = format!("http://127.0.0.1:{port}/session/{id}");
        chromium
    }

    fn capabilities(&self) -> Value {
        let profile = format!("--user-data-dir={}", self.profile.path().display());
        let flags: Vec<&str> = FLAGS.into_iter().chain([profile.as_str()]).collect();
        json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": flags, "prefs": { "intl.accept_languages": "en" } },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } })
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, String> {
        self.command(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Result<Value, String> {
        self.command(Method::POST, path, Some(body)).await
    }

    /// A command of the developer tools.
    pub(super) async fn tools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("/goog/cdp/execute", body).await.unwrap()
    }

    async fn command(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, String> {
        let mut request = self.http.request(method, format!("{}{path}", self.session));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("chromedriver answers");
        let ok = answer.status().is_success();
        let mut answer: Value = answer.json().await.expect("an answer in JSON");
        let value = answer["value"].take();
        if ok { Ok(value) } else { Err(format!("{}: {}", value["error"], value["message"])) }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let quit = self.command(Method::DELETE, "", None);
            let quit = tokio::task::block_in_place(|| Handle::current().block_on(quit));
            assert_eq!(quit, Ok(Value::Null), "the browser quits");
        }
        drop(self.driver.stdin.take());
        let _reaped = self.driver.wait();
    }
}

/// The port is in a line like `ChromeDriver was started successfully on port 41235.`; the lines after
/// it are read away, since the driver must be able to write them.
fn port_of(mut lines: impl Iterator<Item = std::io::Result<String>> + Send + 'static) -> u16 {
    let port = lines
        .by_ref()
        .filter_map(Result::ok)
        .find_map(|line| {
            line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
        })
        .expect("chromedriver names its port");
    std::thread::spawn(move || lines.for_each(drop));
    port
}
