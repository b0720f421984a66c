use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::plan::{DATA, Data, PASSWORD, PORTS, Plan, Probe, Site, Speed};
use super::process::Launch;
use super::{StackError, files, ports, program};

/// Name of the database, and of the user that may use it.
const NAME: &str = "seckill";
const UNFINISHED: &str = "data.unfinished";
const INIT: &str = "init.sql";

pub(super) fn plan(site: Site<'_>) -> Result<Plan, StackError> {
    let [port] = ports::kept(&site.dir.join(PORTS))?;
    let password = files::secret(&site.dir.join(PASSWORD))?;
    let init = site.dir.join(INIT);
    files::write(&init, &init_sql(&password, site.speed))?;
    let address = format!("mysql://{NAME}:{password}@127.0.0.1:{port}");
    Ok(Plan {
        url: format!("{address}/{NAME}"),
        address,
        port,
        data: Data::Installed { unfinished: UNFINISHED, by: install()? },
        helper: None,
        main: server(port, &init, site.speed)?,
        // The greeting comes by itself, after the init file has been run: length and number of the
        // packet, then the version of the protocol.
        probe: Probe {
            hello: Vec::new(),
            serves: |greeting| greeting.get(4).map(|version| *version == 10),
        },
        ready_within: Duration::from_secs(90),
        stop_within: Duration::from_secs(30),
    })
}

fn install() -> Result<Launch, StackError> {
    let mut args: Vec<OsString> = vec![
        "--no-defaults".into(),
        // Relative: the script does not quote its paths.
        format!("--datadir=./{UNFINISHED}").into(),
        // The database's root is the machine's root on the local socket, and has no password to guess.
        "--auth-root-authentication-method=socket".into(),
        "--auth-root-socket-user=root".into(),
        "--skip-name-resolve".into(),
        "--skip-test-db".into(),
    ];
    if is_root() {
        // Short, so that the script hands it on unread: at `--user` it would also change the owner
        // of a directory of the installed package.
        args.push("-uroot".into());
    }
    Ok(Launch { program: program::MARIADB_INSTALL.find()?, args, envs: Vec::new() })
}

fn server(port: u16, init: &Path, speed: Speed) -> Result<Launch, StackError> {
    let mut init_file = OsString::from("--init-file=");
    init_file.push(init);
    let mut args: Vec<OsString> = vec![
        "--no-defaults".into(),
        format!("--datadir=./{DATA}").into(),
        init_file,
        "--bind-address=127.0.0.1".into(),
        format!("--port={port}").into(),
        // Relative to the data: an absolute path may be longer than a socket's address can be.
        "--socket=mariadb.sock".into(),
        "--pid-file=mariadb.pid".into(),
        "--skip-name-resolve".into(),
        "--skip-log-bin".into(),
        "--character-set-server=utf8mb4".into(),
        "--default-time-zone=+00:00".into(),
        // A client that goes away in the middle, like our own probe, must not lock out its address.
        "--max-connect-errors=1000000000".into(),
        "--max-connections=500".into(),
    ];
    let settings: &[&str] = match speed {
        Speed::Durable => &["--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=256M"],
        Speed::Test => &["--innodb-flush-log-at-trx-commit=2", "--innodb-buffer-pool-size=64M"],
    };
    args.extend(settings.iter().map(OsString::from));
    if is_root() {
        args.push("--user=root".into());
    }
    Ok(Launch { program: program::MARIADB.find()?, args, envs: Vec::new() })
}

/// Run at every start, before the first connection; one statement a line.
fn init_sql(password: &str, speed: Speed) -> String {
    let user = format!("'{NAME}'@'127.0.0.1'");
    // Tests make a database each.
    let scope = match speed {
        Speed::Durable => "`seckill%`.*",
        Speed::Test => "*.*",
    };
    format!(
        "CREATE DATABASE IF NOT EXISTS `{NAME}` CHARACTER SET utf8mb4;\n\
         CREATE USER IF NOT EXISTS {user};\n\
         ALTER USER {user} IDENTIFIED BY '{password}';\n\
         GRANT ALL PRIVILEGES ON {scope} TO {user};\n"
    )
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
