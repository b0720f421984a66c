//! The scripts of `lua/`, loaded by their hash and sent whole when Redis does not know them.

use std::sync::LazyLock;

use redis::Script;

/// A script and the name that its metrics carry.
pub(super) struct GateScript {
    pub(super) name: &'static str,
    pub(super) script: Script,
}

macro_rules! scripts {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(pub(super) static $constant: LazyLock<GateScript> = LazyLock::new(|| GateScript {
            name: $name,
            script: Script::new(include_str!(concat!("../../lua/", $name, ".lua"))),
        });)+
    };
}

scripts! {
    ADMIT = "admit",
    TICKET = "ticket",
    HOLDING = "holding",
    RELEASE = "release",
    RELAYED = "relayed",
    MARK = "mark",
    AGAIN = "again",
    RECALL = "recall",
    PUT_BACK = "put_back",
    RESTORING = "restoring",
    BEGIN = "begin",
    RESTORE = "restore",
    OPEN = "open",
    ADJUST = "adjust",
    RECOUNT = "recount",
    INSPECT = "inspect",
    TALLY = "tally",
    PULSE = "pulse",
    PULSES = "pulses",
    LOCK_TAKE = "lock_take",
    LOCK_RENEW = "lock_renew",
    LOCK_FREE = "lock_free",
}
