//! Holds the message catalogue and the pages together: every key that is used has a text in every
//! language, every text is used, and all languages fill in the same arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::language::Language;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The keys in `opening("…")`, where the opening is a word of its own.
fn keys_after(opening: &str, text: &str) -> Vec<String> {
    text.match_indices(opening)
        .filter(|(at, _)| {
            !text[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
        })
        .filter_map(|(at, _)| text[at + opening.len()..].split_once('"'))
        .map(|(key, _)| key.to_owned())
        .collect()
}

fn used() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let pages = files(&root().join("templates"), ".html");
    let code = files(&root().join("src/web"), ".rs");
    // this file and the definition of `key` hold examples only
    let examples = ["catalogue_test.rs", "text.rs"];
    for path in
        pages.iter().chain(&code).filter(|path| !examples.iter().any(|name| path.ends_with(name)))
    {
        let text = std::fs::read_to_string(path).unwrap();
        keys.extend(keys_after("t(\"", &text));
        keys.extend(keys_after("key(\"", &text));
    }
    keys
}

/// Each key of a language and the arguments that its text names.
fn catalogue(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files(&root().join("templates/locales").join(language.tag()), ".ftl") {
        let mut current = None;
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let rest = if line.starts_with([' ', '}']) {
                line
            } else {
                let (key, rest) =
                    line.split_once(" =").unwrap_or_else(|| panic!("{}: {line}", path.display()));
                assert!(
                    texts.insert(key.to_owned(), BTreeSet::new()).is_none(),
                    "{key} stands twice"
                );
                current = Some(key.to_owned());
                rest
            };
            let arguments = rest.split('$').skip(1).map(|piece| {
                piece
                    .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
                    .next()
                    .unwrap()
                    .to_owned()
            });
            texts.get_mut(current.as_ref().unwrap()).unwrap().extend(arguments);
        }
    }
    texts
}

#[test]
fn every_key_in_use_has_a_text_and_every_text_is_used() {
    let used = used();
    assert!(used.len() > 100, "the scan finds the keys: {}", used.len());
    for language in Language::ALL {
        let texts: BTreeSet<String> = catalogue(language).into_keys().collect();
        let missing: Vec<_> = used.difference(&texts).collect();
        let surplus: Vec<_> = texts.difference(&used).collect();
        assert!(missing.is_empty(), "{} lacks {missing:?}", language.tag());
        assert!(surplus.is_empty(), "{} has texts that nothing shows: {surplus:?}", language.tag());
    }
}

#[test]
fn all_languages_fill_in_the_same_arguments() {
    let english = catalogue(Language::En);
    for language in Language::ALL {
        for (key, arguments) in catalogue(language) {
            assert_eq!(Some(&arguments), english.get(&key), "{key} in {}", language.tag());
        }
    }
}

#[test]
fn the_scan_reads_whole_words_only() {
    assert_eq!(keys_after("t(\"", r#"{{ f.t("a-b") }} left("c") {{ f.t(x) }}"#), ["a-b"]);
    assert_eq!(keys_after("key(\"", r#"key("a").with("n", 1), monkey("b")"#), ["a"]);
}
