use std::time::Duration;

use super::plan::{DATA, Data, PASSWORD, PORTS, Plan, Probe, Site, Speed};
use super::process::Launch;
use super::{StackError, files, ports, program};

const CONFIG: &str = "redis.conf";

pub(super) fn plan(site: Site<'_>) -> Result<Plan, StackError> {
    let [port] = ports::kept(&site.dir.join(PORTS))?;
    let password = files::secret(&site.dir.join(PASSWORD))?;
    files::write(&site.dir.join(CONFIG), &config(port, &password, site.speed))?;
    Ok(Plan {
        url: format!("redis://:{password}@127.0.0.1:{port}"),
        port,
        data: Data::Empty,
        helper: None,
        main: Launch {
            program: program::REDIS.find()?,
            args: vec![CONFIG.into()],
            envs: Vec::new(),
        },
        // while it still reads its data it answers with LOADING
        probe: Probe {
            hello: format!("AUTH {password}\r\nPING\r\n").into_bytes(),
            is_answer: |answer| answer.ends_with(b"+PONG\r\n"),
        },
        ready_within: Duration::from_secs(60),
        stop_within: Duration::from_secs(15),
    })
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
