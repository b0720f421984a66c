use std::ffi::OsString;
use std::time::Duration;

use super::plan::{DATA, Data, PASSWORD, PORTS, Plan, Probe, Site};
use super::process::Launch;
use super::{StackError, files, ports, program};

const CONFIG: &str = "rabbitmq.conf";
const PLUGINS: &str = "enabled_plugins";
/// Named so that the machine's own files are not read; neither holds anything.
const ADVANCED_CONFIG: &str = "advanced.config";
const ENV_CONFIG: &str = "rabbitmq-env.conf";
/// The data belongs to the node's name. It can be the same everywhere, since each node has a
/// name service of its own.
const NODE: &str = "seckill@localhost";
const USER: &str = "seckill";
/// Protocol 0-9-1; the server answers with its first frame, which is a method frame.
const PROTOCOL_HEADER: &[u8] = b"AMQP\x00\x00\x09\x01";
const METHOD_FRAME: u8 = 1;

pub(super) fn plan(site: Site<'_>) -> Result<Plan, StackError> {
    let [port, distribution_port, names_port] = ports::kept(&site.dir.join(PORTS))?;
    let password = files::secret(&site.dir.join(PASSWORD))?;
    files::write(&site.dir.join(CONFIG), &config(port, &password))?;
    files::write(&site.dir.join(PLUGINS), "[].\n")?;
    files::write(&site.dir.join(ADVANCED_CONFIG), "[].\n")?;
    files::write(&site.dir.join(ENV_CONFIG), "")?;

    let address = format!("amqp://{USER}:{password}@127.0.0.1:{port}");
    Ok(Plan {
        // the virtual host `/`
        url: format!("{address}/%2f"),
        address,
        port,
        data: Data::Empty,
        helper: Some(name_service(names_port)?),
        main: broker(site, distribution_port, names_port)?,
        probe: Probe {
            hello: PROTOCOL_HEADER.to_vec(),
            serves: |frame| frame.first().map(|kind| *kind == METHOD_FRAME),
        },
        ready_within: Duration::from_secs(120),
        stop_within: Duration::from_secs(30),
    })
}

/// Erlang's name service. Left to itself a node starts one that the whole machine shares, and that stays.
fn name_service(port: u16) -> Result<Launch, StackError> {
    let args = ["-address", "127.0.0.1", "-port", &port.to_string()].map(OsString::from).into();
    Ok(Launch { program: program::EPMD.find()?, args, envs: Vec::new() })
}

fn broker(site: Site<'_>, distribution_port: u16, names_port: u16) -> Result<Launch, StackError> {
    let file = |name: &str| site.dir.join(name).into_os_string();
    let envs = vec![
        ("RABBITMQ_NODENAME", NODE.into()),
        ("RABBITMQ_CONFIG_FILE", file(CONFIG)),
        ("RABBITMQ_ADVANCED_CONFIG_FILE", file(ADVANCED_CONFIG)),
        ("RABBITMQ_CONF_ENV_FILE", file(ENV_CONFIG)),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", file(PLUGINS)),
        ("RABBITMQ_MNESIA_BASE", file(DATA)),
        ("RABBITMQ_PID_FILE", file("rabbitmq.pid")),
        ("RABBITMQ_LOG_BASE", site.dir.into()),
        // to the standard output, which is our log
        ("RABBITMQ_LOGS", "-".into()),
        ("RABBITMQ_DIST_PORT", distribution_port.to_string().into()),
        ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", erlang_args().into()),
        ("ERL_EPMD_ADDRESS", "127.0.0.1".into()),
        ("ERL_EPMD_PORT", names_port.to_string().into()),
        // The script then becomes the server, instead of waiting for it: one process to stop or kill.
        ("RUNNING_UNDER_SYSTEMD", "true".into()),
    ];
    Ok(Launch { program: program::RABBITMQ.find()?, args: Vec::new(), envs })
}

/// Few schedulers: on a large machine the broker of a trial run shall not take every core.
/// Distribution, too, listens on loopback only.
fn erlang_args() -> String {
    let cores = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 4);
    format!("+S {cores}:{cores} -kernel inet_dist_use_interface {{127,0,0,1}}")
}

fn config(port: u16, password: &str) -> String {
    format!(
        "listeners.tcp.1 = 127.0.0.1:{port}\n\
         default_user = {USER}\n\
         default_pass = {password}\n\
         default_user_tags.administrator = true\n\
         disk_free_limit.absolute = 64MB\n\
         # the log of the quorum queues; the default of 512 MB is for larger disks\n\
         raft.wal_max_size_bytes = 67108864\n\
         log.console.level = info\n"
    )
}
