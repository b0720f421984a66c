//! What a configuration must be to be used at all, and what a command cannot do without.

use url::Url;

use super::{Config, ConfigError, Secret};

/// The shortest secret key that is accepted, in bytes: the cookie's cipher and the MAC take their keys
/// from it.
pub const SECRET_KEY_MIN: usize = 64;

/// What a command cannot do without.
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four independent needs, each named where it is set"
)]
pub struct Needs {
    /// Sessions and order numbers.
    pub secret_key: bool,
    /// Redis.
    pub gate: bool,
    /// MySQL.
    pub ledger: bool,
    /// RabbitMQ.
    pub queue: bool,
}

impl Config {
    pub(super) fn validated(self) -> Result<Self, ConfigError> {
        let mut wrong = Vec::new();
        let mut demand = |holds: bool, message: &str| {
            if !holds {
                wrong.push(message.to_owned());
            }
        };
        let site = &self.site;
        demand(
            site.bind.port() == 0 || site.bind != site.ops_bind,
            "site.ops_bind must differ from site.bind: metrics are never on the site's port",
        );
        demand(
            site.secure_cookies || site.bind.ip().is_loopback(),
            "site.secure_cookies must be true when site.bind is not a loopback address: \
             sessions must not travel without TLS",
        );
        demand(
            (1024..=1_048_576).contains(&site.body_limit),
            "site.body_limit must be 1024 to 1048576 bytes",
        );
        demand(
            (1024..=67_108_864).contains(&site.picture_limit),
            "site.picture_limit must be 1024 to 67108864 bytes",
        );
        demand(site.upload_timeout_ms >= 1000, "site.upload_timeout_ms must be at least 1000");
        demand(
            site.pictures_dir.as_ref().is_none_or(|folder| !folder.as_os_str().is_empty()),
            "site.pictures_dir must name a folder",
        );
        demand(site.request_timeout_ms >= 1000, "site.request_timeout_ms must be at least 1000");
        demand(
            (10..=600).contains(&self.sale.ticket_life_s),
            "sale.ticket_life_s must be 10 to 600 seconds",
        );
        demand(self.sale.preheat_before_s >= 1, "sale.preheat_before_s must be at least 1");
        demand(self.sale.outbox_bound >= 1, "sale.outbox_bound must be at least 1");
        demand((1..=8760).contains(&self.sale.keep_hours), "sale.keep_hours must be 1 to 8760");
        demand(self.gate.call_timeout_ms >= 50, "gate.call_timeout_ms must be at least 50");
        demand((1..=256).contains(&self.ledger.pool_size), "ledger.pool_size must be 1 to 256");
        demand(
            self.ledger.call_timeout_ms > self.ledger.statement_timeout_ms,
            "ledger.call_timeout_ms must be more than ledger.statement_timeout_ms",
        );
        demand(
            !self.queue.prefix.is_empty()
                && self.queue.prefix.len() <= 64
                && self
                    .queue
                    .prefix
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)),
            "queue.prefix must be 1 to 64 letters, digits, '-', '_' or '.'",
        );
        demand((1..=5000).contains(&self.relay.batch), "relay.batch must be 1 to 5000");
        demand(self.relay.lease_ms >= 500, "relay.lease_ms must be at least 500");
        demand((1..=64).contains(&self.recorder.consumers), "recorder.consumers must be 1 to 64");
        demand((1..=2000).contains(&self.recorder.batch), "recorder.batch must be 1 to 2000");
        demand(
            usize::from(self.recorder.prefetch) >= self.recorder.batch,
            "recorder.prefetch must be at least recorder.batch",
        );
        demand(self.keeper.every_ms >= 50, "keeper.every_ms must be at least 50");
        demand(self.reconcile.every_s >= 1, "reconcile.every_s must be at least 1");
        demand(self.reconcile.apart_ms <= 60_000, "reconcile.apart_ms must be at most 60000");
        demand(
            (1..=86_400).contains(&self.reconcile.waiting_s),
            "reconcile.waiting_s must be 1 to 86400 seconds",
        );
        demand((1..=100_000).contains(&self.captcha.pool), "captcha.pool must be 1 to 100000");
        demand(
            self.account.argon2_memory_kib >= 8 * 1024 && self.account.argon2_passes >= 1,
            "account.argon2_memory_kib must be at least 8192 and account.argon2_passes at least 1",
        );
        demand(
            self.payment.answer_timeout_ms >= 100,
            "payment.answer_timeout_ms must be at least 100",
        );
        demand(
            (0..=86_400).contains(&self.payment.patience_s),
            "payment.patience_s must be 0 to 86400 seconds",
        );
        demand(self.account.argon2_at_once >= 1, "account.argon2_at_once must be at least 1");
        if wrong.is_empty() { Ok(self) } else { Err(ConfigError::Refused(wrong)) }
    }

    /// Checks that what a command needs is there, and safe.
    ///
    /// # Errors
    /// [`ConfigError::Refused`], naming each variable that is missing or wrong.
    pub fn require(&self, needs: Needs) -> Result<(), ConfigError> {
        let mut wrong = Vec::new();
        if needs.ledger {
            wrong.extend(wrong_url("DATABASE_URL", &self.ledger.url, &["mysql"]));
        }
        if needs.gate {
            wrong.extend(wrong_url("REDIS_URL", &self.gate.url, &["redis", "rediss"]));
        }
        if needs.queue {
            wrong.extend(wrong_url("AMQP_URL", &self.queue.url, &["amqp", "amqps"]));
        }
        if needs.secret_key {
            wrong.extend(wrong_key(&self.site.secret_key));
        }
        if wrong.is_empty() { Ok(()) } else { Err(ConfigError::Refused(wrong)) }
    }
}

fn wrong_url(name: &str, value: &Secret, schemes: &[&str]) -> Option<String> {
    let form = schemes.iter().map(|s| format!("{s}://…")).collect::<Vec<_>>().join(" or ");
    if value.is_missing() {
        return Some(format!("{name} is not set; give it as {form}, or use `seckill up`"));
    }
    let fits = value
        .reveal()
        .split(',')
        .all(|one| Url::parse(one.trim()).is_ok_and(|url| schemes.contains(&url.scheme())));
    (!fits).then(|| format!("{name} is not an address of the form {form}"))
}

fn wrong_key(key: &Secret) -> Option<String> {
    let text = key.reveal();
    let make_one = "make one with `openssl rand -hex 64`";
    if text.is_empty() {
        return Some(format!("SECKILL_SECRET_KEY is not set; {make_one}"));
    }
    if text.len() < SECRET_KEY_MIN {
        return Some(format!(
            "SECKILL_SECRET_KEY has {} bytes, {SECRET_KEY_MIN} are needed; {make_one}",
            text.len()
        ));
    }
    // Samples and fillers (`changeme…`, `aaaa…`, `0123…` repeated) have few different bytes.
    let mut different: Vec<u8> = text.bytes().collect();
    different.sort_unstable();
    different.dedup();
    let looks_typed = ["change", "secret", "default", "example", "password"]
        .iter()
        .any(|word| text.to_ascii_lowercase().contains(word));
    (different.len() < 10 || looks_typed)
        .then(|| format!("SECKILL_SECRET_KEY looks like a default or sample; {make_one}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sale::money::Currency;

    const GOOD_KEY: &str = "3f1c0d9a8b7e6f5d4c3b2a190817263544536271809fa0b1c2d3e4f5061728394a5b";

    fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_variables(
            variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        )
    }

    fn refusal(variables: &[(&str, &str)], needs: Needs) -> String {
        let refused = load(variables).and_then(|config| config.require(needs));
        refused.expect_err("should be refused").to_string()
    }

    #[test]
    fn defaults_are_valid_and_the_environment_overrides_the_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("seckill.toml");
        std::fs::write(&file, "[recorder]\nbatch = 50\nlinger_ms = 9\n").expect("written");
        let file = file.to_str().expect("UTF-8");
        let config = load(&[
            ("SECKILL_CONFIG", file),
            ("SECKILL__RECORDER__BATCH", "60"),
            ("SECKILL_BIND", "127.0.0.1:8099"),
        ])
        .expect("valid");
        assert_eq!(config.recorder.batch, 60);
        assert_eq!(config.recorder.linger_ms, 9);
        assert_eq!(config.site.bind.port(), 8099);
        assert_eq!(config.sale.currency, Currency::CNY);
    }

    #[test]
    fn a_wrong_key_or_value_is_named() {
        for (variable, value, named) in [
            ("SECKILL__RECORDER__BATHC", "60", "bathc"),
            ("SECKILL__RECORDER__BATCH", "many", "batch"),
            ("SECKILL__RECORDER__BATCH", "0", "recorder.batch"),
            ("SECKILL_BIND", "nowhere", "site.bind"),
            ("SECKILL_BIND", "0.0.0.0:80", "site.secure_cookies"),
            ("SECKILL_OPS_BIND", "127.0.0.1:8080", "site.ops_bind"),
            ("SECKILL__SALE__CURRENCY", "yuan", "currency"),
            ("SECKILL_CONFIG", "no-such-file.toml", "no-such-file.toml"),
        ] {
            let message = refusal(&[(variable, value)], Needs::default());
            assert!(message.to_lowercase().contains(named), "{variable}={value}: {message}");
        }
    }

    #[test]
    fn a_missing_short_or_sample_secret_key_is_refused() {
        let needs = Needs { secret_key: true, ..Needs::default() };
        for key in ["", "short", &"a".repeat(64), &"changeme".repeat(10), &GOOD_KEY[..63]] {
            let message = refusal(&[("SECKILL_SECRET_KEY", key)], needs);
            assert!(message.contains("SECKILL_SECRET_KEY"), "{key}: {message}");
        }
        let config = load(&[("SECKILL_SECRET_KEY", GOOD_KEY)]).expect("valid");
        assert!(config.require(needs).is_ok());
        assert!(!format!("{config:?}").contains(GOOD_KEY));
    }

    #[test]
    fn an_address_that_is_missing_or_of_another_kind_is_named() {
        let needs = Needs { ledger: true, gate: true, queue: true, ..Needs::default() };
        let message = refusal(&[("DATABASE_URL", "postgres://x/y"), ("REDIS_URL", "")], needs);
        for name in ["DATABASE_URL", "REDIS_URL", "AMQP_URL"] {
            assert!(message.contains(name), "{message}");
        }
    }
}
