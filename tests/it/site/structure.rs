//! The source tree is as the design draws it: who may use whom, and how long a file may grow.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the words at the bottom to the edge, and which others of ours each may use. The
/// wiring (`role`, `cli`) may use everything.
const MAY_USE: [(&str, &[&str]); 17] = [
    ("sale", &[]),
    ("config", &["sale"]),
    ("gate", &["sale", "config"]),
    ("queue", &["sale", "config"]),
    ("ledger", &["sale", "config"]),
    ("captcha", &["sale"]),
    ("picture", &["sale"]),
    ("catalog", &["sale", "gate", "ledger"]),
    ("account", &["sale", "gate", "ledger"]),
    // The sandbox keeps its books in the same ledger.
    ("payment", &["sale", "ledger"]),
    ("purchase", &["sale", "catalog", "gate", "queue", "ledger", "payment"]),
    ("back_office", &["sale", "catalog", "gate", "queue", "ledger"]),
    // The keeper fills the gate by the same steps as an admin who publishes.
    ("reconcile", &["sale", "catalog", "gate", "queue", "ledger", "back_office"]),
    (
        "web",
        &[
            "sale",
            "config",
            "captcha",
            "picture",
            "catalog",
            "account",
            "payment",
            "purchase",
            "back_office",
            "reconcile",
        ],
    ),
    ("stack", &[]),
    ("telemetry", &[]),
    ("lib", &[]),
];
const WIRING: [&str; 3] = ["role", "cli", "main"];

/// Which crate speaks with which place, and the only module that may name it.
const OF_ONE_PLACE: [(&str, &str); 5] = [
    ("redis", "gate"),
    ("lapin", "queue"),
    ("diesel", "ledger"),
    ("diesel_migrations", "ledger"),
    ("r2d2", "ledger"),
];

/// Crates that reach out of the process, or run what does.
const WITH_IO: [&str; 9] = [
    "tokio",
    "tokio_util",
    "futures_util",
    "actix_web",
    "actix_session",
    "redis",
    "lapin",
    "diesel",
    "tracing",
];

const LINES_MAX: usize = 450;

struct File {
    path: PathBuf,
    module: String,
    /// Without comments.
    code: String,
    lines: usize,
}

fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(read(&root, &path));
            }
        }
    }
    assert!(files.len() > 100, "only {} files", files.len());
    files
}

fn read(root: &Path, path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap();
    let path = path.strip_prefix(root).unwrap().to_owned();
    let module = path.components().next().unwrap().as_os_str().to_str().unwrap();
    let module = module.trim_end_matches(".rs").to_owned();
    let code = text.lines().map(|line| match line.find("//") {
        // A comment, unless it is in the middle of an address.
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    });
    File { path, module, code: code.collect::<Vec<_>>().join("\n"), lines: text.lines().count() }
}

/// The modules that follow a path's beginning, `crate::x` or `crate::{x::…, y}`.
fn named_after(code: &str, beginning: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for (at, _) in code.match_indices(beginning) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + beginning.len()..];
        match rest.strip_prefix('{') {
            Some(group) => named.extend(heads(group)),
            None => named.extend(head(rest)),
        }
    }
    named
}

/// The first name of each path in a group, up to the group's end.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut starts, mut found) = (0_usize, true, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            c if starts && !c.is_whitespace() => {
                starts = false;
                found.extend(head(&group[at..]));
            }
            _ => {}
        }
    }
    found
}

fn head(path: &str) -> Option<String> {
    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

#[test]
fn each_module_uses_only_what_stands_below_it() {
    let modules: BTreeSet<_> = MAY_USE.iter().map(|(module, _)| *module).chain(WIRING).collect();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for file in files() {
        assert!(
            modules.contains(file.module.as_str()),
            "{:?} is in no line of the table",
            file.path
        );
        if WIRING.contains(&file.module.as_str()) {
            continue;
        }
        let (_, allowed) = MAY_USE.iter().find(|(module, _)| *module == file.module).unwrap();
        for used in named_after(&file.code, "crate::") {
            // Macros and names at the root of the crate belong to nobody.
            if used == file.module || !modules.contains(used.as_str()) {
                continue;
            }
            seen.insert((file.module.clone(), used.clone()));
            if !allowed.contains(&used.as_str()) {
                wrong.push(format!("{}: crate::{used}", file.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The reader itself works: it has seen what is surely there.
    for (module, used) in [("web", "purchase"), ("purchase", "gate"), ("ledger", "sale")] {
        assert!(seen.contains(&(module.to_owned(), used.to_owned())), "{module} uses {used}");
    }
}

#[test]
fn each_place_is_spoken_with_in_one_module_alone() {
    for file in files() {
        for (name, place) in OF_ONE_PLACE {
            let names = !named_after(&file.code, &format!("{name}::")).is_empty();
            // The stack has modules of its own that are called after its servers.
            let own = file.module == "stack" && name == "redis";
            assert!(!names || own || file.module == place, "{:?} names {name}", file.path);
        }
    }
}

#[test]
fn the_words_of_the_sale_do_no_io() {
    for file in files().into_iter().filter(|file| file.module == "sale") {
        for name in WITH_IO {
            assert!(
                named_after(&file.code, &format!("{name}::")).is_empty(),
                "{:?}: {name}",
                file.path
            );
        }
        for part in ["fs", "net", "io", "process", "thread", "env"] {
            assert!(
                !named_after(&file.code, "std::").contains(part),
                "{:?}: std::{part}",
                file.path
            );
        }
        assert!(!file.code.contains("async fn"), "{:?}", file.path);
    }
}

#[test]
fn no_file_is_longer_than_a_reader_can_hold() {
    let long: Vec<_> = files()
        .into_iter()
        .filter(|file| file.lines > LINES_MAX)
        .map(|file| format!("{}: {} lines", file.path.display(), file.lines))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_use_is_read_in_each_of_its_forms() {
    let code = "use crate::sale::{ids::UserId};\nuse crate::{\n  gate::{Gate, keys},\n  ledger,\n};\n\
                let x = crate::queue::Lane; mycrate::web::x";
    let named = named_after(code, "crate::");
    assert_eq!(named.into_iter().collect::<Vec<_>>(), ["gate", "ledger", "queue", "sale"]);
}
