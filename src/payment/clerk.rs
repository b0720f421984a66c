//! The sandbox's clerk: delivers its notices to the shop, by HTTP as a provider would, until each is
//! acknowledged.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::notice::SIGNATURE;
use super::sandbox::{Letter, Sandbox};

/// How often it looks for notices.
const EVERY: Duration = Duration::from_millis(500);
/// How long the shop may take.
const BOUND: Duration = Duration::from_secs(5);

/// The clerk. Any number may work.
#[derive(Debug)]
pub struct Clerk {
    sandbox: Sandbox,
    http: reqwest::Client,
    address: String,
}

impl Clerk {
    /// A clerk who delivers to this address.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(sandbox: Sandbox, address: String) -> Result<Self, String> {
        let http = reqwest::Client::builder().timeout(BOUND).no_proxy().build();
        Ok(Self { sandbox, http: http.map_err(|error| error.to_string())?, address })
    }

    /// Delivers until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let now_ms = chrono::Utc::now().timestamp_millis();
            match self.sandbox.letters(now_ms).await {
                Ok(letters) => {
                    for letter in letters {
                        self.deliver(letter).await;
                    }
                }
                Err(error) => tracing::debug!(%error, "the sandbox's notices wait"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn deliver(&self, letter: Letter) {
        let sent = self
            .http
            .post(&self.address)
            .header("content-type", "application/json")
            .header(SIGNATURE, &letter.signature)
            .body(letter.body)
            .send()
            .await;
        let payment_no = letter.payment_no;
        match sent.and_then(reqwest::Response::error_for_status) {
            Ok(_) => {
                if let Err(error) = self.sandbox.acknowledged(payment_no).await {
                    tracing::debug!(%payment_no, %error, "a notice will come once more");
                }
            }
            Err(error) => tracing::warn!(%payment_no, %error, "a notice is repeated"),
        }
    }
}
