use std::time::Duration;

use super::plan::{DATA, Data, PASSWORD, PORTS, Plan, Probe, Site, Speed};
use super::process::Launch;
use super::{StackError, files, ports, program};

const CONFIG: &str = "redis.conf";

pub(super) fn plan(site: Site<'_>) -> Result<Plan, StackError> {
    let [port] = ports::kept(&site.dir.join(PORTS))?;
    let password = files::secret(&site.dir.join(PASSWORD))?;
    files::write(&site.dir.join(CONFIG), &config(port, &password, site.speed))?;
    let address = format!("redis://default:{password}@127.0.0.1:{port}");
    Ok(Plan {
        url: address.clone(),
        address,
        port,
        data: Data::Empty,
        helper: None,
        main: Launch {
            program: program::REDIS.find()?,
            args: vec![CONFIG.into()],
            envs: Vec::new(),
        },
        probe: Probe {
            hello: format!(
                "AUTH {password}
PING
"
            )
            .into_bytes(),
            serves,
        },
        ready_within: Duration::from_secs(60),
        stop_within: Duration::from_secs(15),
    })
}

/// Two lines answer the two commands; while Redis still reads its data, one of them is `-LOADING …`.
fn serves(answer: &[u8]) -> Option<bool> {
    let lines = answer.split(|byte| *byte == b'\n').count() - 1;
    if lines < 2 { None } else { Some(answer == b"+OK\r\n+PONG\r\n") }
}

fn config(port: u16, password: &str, speed: Speed) -> String {
    // A logical database for every test of a run.
    let databases = match speed {
        Speed::Durable => 16,
        Speed::Test => 1024,
    };
    format!(
        "bind 127.0.0.1\n\
         port {port}\n\
         requirepass {password}\n\
         dir {DATA}\n\
         appendonly yes\n\
         appendfsync everysec\n\
         save \"\"\n\
         maxmemory-policy noeviction\n\
         databases {databases}\n"
    )
}
