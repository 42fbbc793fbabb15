//! Rules of the sources that neither the compiler nor clippy can check: the order of modules within a crate, one module that
//! opens files for reading, pure code that does not wait.
//!
//! `clippy.toml` keeps clock, files, environment and processes out of pure code; the manifests keep the order of crates, and keep
//! runtime and network out of the core.

use std::path::{Path, PathBuf};

/// The parts of a Rust text that matter here: words, `::`, and signs. No comments, and of texts nothing but the quotes.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(length) = quoted(rest) {
            found.push("\"");
            length
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if is_word(first) && quoted(rest).is_none() || !is_word(first) && !token.starts_with(['"', '/', '\''])
        {
            found.extend((!token.trim().is_empty()).then_some(token));
        }
        rest = after;
    }
    found
}

/// The length of a block comment, which may hold others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match rest {
            _ if rest.starts_with("/*") => (depth, at) = (depth + 1, at + 2),
            _ if rest.starts_with("*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a text or a character at the beginning, raw or not; none if there is something else.
fn quoted(text: &str) -> Option<usize> {
    let body = text.strip_prefix(['b', 'c']).unwrap_or(text);
    if let Some(raw) = body.strip_prefix('r') {
        let inner = raw.trim_start_matches('#');
        let close = format!("\"{}", "#".repeat(raw.len() - inner.len()));
        let inner = inner.strip_prefix('"')?;
        return Some(text.len() - inner.len() + inner.find(&close)? + close.len());
    }
    let quote = body.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let mut characters = body.char_indices().skip(1);
    // `'a` without a quote behind it is a lifetime.
    if quote == '\'' && !body[1..].starts_with('\\') && body[1..].chars().nth(1) != Some('\'') {
        return None;
    }
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote {
            return Some(text.len() - body.len() + at + 1);
        }
    }
    None
}

/// A file as it ships: without the modules of its tests, whose names come second where they have files of their own.
pub(crate) fn shipped<'a>(tokens: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut kept, mut apart) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
        let module = rest.strip_prefix(&["#", "[", "cfg", "(", "test", ")", "]", "mod"]);
        match module {
            Some([name, ";", ..]) => {
                apart.push(*name);
                at += 10;
            }
            Some([_, "{", body @ ..]) => at += 10 + closing(body),
            _ => {
                kept.push(rest[0]);
                at += 1;
            }
        }
    }
    (kept, apart)
}

/// The distance to the end of a block or a group that has been entered, including its bracket.
fn closing(body: &[&str]) -> usize {
    let mut depth = 1;
    let end = body.iter().position(|token| {
        depth += i32::from(*token == "{") - i32::from(*token == "}");
        depth == 0
    });
    end.map_or(body.len(), |end| end + 1)
}

/// The first names below the crate in the paths of a file; `depth` is the distance of its module from there.
fn named<'a>(tokens: &[&'a str], depth: usize) -> Vec<&'a str> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let rest = match &tokens[at..] {
            ["crate", "::", rest @ ..] => rest,
            ["super", "::", ..] if at < 2 || tokens[at - 2] != "super" => {
                let ups = tokens[at..].chunks(2).take_while(|pair| *pair == ["super", "::"]).count();
                if ups < depth {
                    continue;
                }
                &tokens[at + 2 * ups..]
            }
            _ => continue,
        };
        match rest {
            ["{", group @ ..] => found.extend(heads(&group[..closing(group)])),
            [name, ..] => found.push(*name),
            [] => {}
        }
    }
    found
}

/// The first words of the paths in a group: `a::{b, c}, d` has `a` and `d`.
fn heads<'a>(group: &[&'a str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let (mut depth, mut is_first) = (0, true);
    for token in group {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => is_first = true,
            word if depth == 0 && is_first => {
                found.push(word);
                is_first = false;
            }
            _ => {}
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Finds the Rust files below a folder.
pub(crate) fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    files_ending(folder, &["rs"], found);
}

/// Adds the files in a folder and its folders whose names have one of these endings.
pub(crate) fn files_ending(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_ending(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            found.push(path);
        }
    }
}

/// The folders of sources that make up the program, plugins aside.
fn packages() -> Vec<String> {
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let names = crates.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = ["plugins/check/src", "src"].map(str::to_owned);
    names.map(|name| format!("crates/{name}/src")).chain(others).collect()
}

/// Calls `look` with each file of a module, or below a folder, that ships: its path in the repository, and its tokens.
fn each_file(folder: &str, look: &mut dyn FnMut(&str, &[&str])) {
    let (mut paths, alone) = (Vec::new(), root().join(format!("{folder}.rs")));
    if alone.is_file() {
        paths.push(alone);
    } else {
        files_in(&root().join(folder), &mut paths);
    }
    let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let read: Vec<_> = texts.iter().map(|text| shipped(&tokens(text))).collect();
    let is_test = |path: &PathBuf| {
        paths.iter().zip(&read).any(|(parent, (_, apart))| {
            apart.iter().any(|name| *path == parent.with_file_name(format!("{name}.rs")))
        })
    };
    for (path, (kept, _)) in paths.iter().zip(&read).filter(|(path, _)| !is_test(path)) {
        look(path.strip_prefix(root()).unwrap().to_str().unwrap(), kept);
    }
}

/// The crates whose modules have an order, beyond that of crates.
const ORDERED: [&str; 3] = ["crates/base/src", "crates/core/src", "crates/app/src"];

/// The modules in the order of a crate's `lib.rs`.
fn modules(package: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(package).join("lib.rs")).unwrap();
    let all = tokens(&text);
    let modules = all.windows(3).filter(|found| matches!(found, ["mod", _, ";"]));
    modules.map(|found| found[1].to_owned()).collect()
}

#[test]
fn a_module_uses_only_those_above_it() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for package in ORDERED {
        let modules = modules(package);
        for (at, module) in modules.iter().enumerate() {
            let folder = format!("{package}/{module}");
            each_file(&folder, &mut |path, tokens| {
                let folders = path[package.len() + 1..].matches('/').count();
                let depth = if path.ends_with("/mod.rs") { folders } else { folders + 1 };
                for other in named(tokens, depth) {
                    seen += 1;
                    if modules[at + 1..].iter().any(|below| below == other) {
                        wrong.push(format!("{path}: `{module}` uses `{other}`, which comes after it"));
                    }
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 1000, "{seen}");
}

/// Code whose decisions must be the same on every machine and at every time.
const PURE: [&str; 4] =
    ["crates/core/src", "crates/experiment/src", "crates/app/src/rescore", "crates/app/src/review"];

/// The driver of a run waits as long as its host does: a live run for providers, all others never.
const AS_ITS_HOST: &str = "crates/core/src/exchange/drive.rs";

#[test]
fn pure_code_does_not_wait() {
    for folder in PURE {
        each_file(folder, &mut |path, tokens| {
            assert!(path == AS_ITS_HOST || !tokens.contains(&"async"), "{path} waits");
        });
    }
}

/// The files besides `disk` that open files for reading: the kernel says there how interrupts are handled and which
/// processes there are, and a folder is opened to be locked.
const READERS: [&str; 3] =
    ["src/cli/interrupts.rs", "crates/provider/src/trust.rs", "crates/run/src/store/worker.rs"];

#[test]
fn one_module_opens_files_for_reading_and_replaces_them() {
    for package in packages() {
        each_file(&package, &mut |path, tokens| {
            let opens = tokens.windows(3).any(|found| {
                matches!(found, ["fs", "::", "read" | "read_to_string"] | ["File", "::", "open"])
                    || found[0] == "NamedTempFile"
            });
            assert!(
                path.starts_with("crates/base/src/disk/") || opens == READERS.contains(&path),
                "{path} opens files, or is among `READERS` and opens none"
            );
        });
    }
}

/// The only file that changes the folder of the process: providers and validators read relative paths of their configuration
/// there, which only they know. All else resolves paths itself.
const CHANGES_FOLDER: &str = "src/cli/resume.rs";

#[test]
fn one_verb_changes_the_folder_of_the_process() {
    for package in packages() {
        each_file(&package, &mut |path, tokens| {
            let changes = tokens.contains(&"set_current_dir");
            assert!(
                changes == (path == CHANGES_FOLDER),
                "{path} changes the folder of the process, or no file does"
            );
        });
    }
}

/// The standard library's way to show a path makes the same text of two that are no UTF-8:
/// `crates/base/src/value/path_text.rs` has another.
#[test]
fn paths_are_shown_so_that_each_can_be_told_from_the_others() {
    let mut wrong = Vec::new();
    for package in packages() {
        each_file(&package, &mut |path, tokens| {
            let shows = tokens.windows(3).filter(|found| matches!(found, [".", "display", "("])).count();
            if shows > 0 {
                wrong.push(format!("{path}: `.display()`, {shows} times; write `.shown()`"));
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The log shows events of the target `loopctl`. The default is the path of a module, which moves.
#[test]
fn every_event_names_its_target() {
    const MACROS: [&str; 7] = ["error", "warn", "info", "debug", "trace", "info_span", "debug_span"];
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for package in packages() {
        each_file(&package, &mut |path, tokens| {
            for found in tokens.windows(4) {
                let [name, "!", "(", first] = found else { continue };
                if MACROS.contains(name) {
                    seen += 1;
                    if *first != "target" {
                        wrong.push(format!("{path}: `{name}!({first} …`"));
                    }
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 20, "{seen}");
}

#[test]
fn texts_and_comments_are_passed_over_and_paths_are_followed() {
    let text = r##"
        //! crate::a
        use crate::{b::{c, self}, d}; /* crate::e /* crate::f */ crate::g */
        fn h<'x>(at: &'x str) -> char { say("crate::i \" crate::j", r#"crate::k " crate::l"#, '"', '\'', b'"'); crate::m::n() }
        use super::super::o; use super::p;
        #[cfg(test)]
        mod tests { use crate::q; fn r() { crate::s() } }
        #[cfg(test)]
        mod apart;
        use crate::t;
    "##;
    let all = tokens(text);
    let (kept, apart) = shipped(&all);
    assert_eq!(named(&kept, 2), ["b", "d", "m", "o", "t"]);
    assert_eq!(apart, ["apart"]);
}
