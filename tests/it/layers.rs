//! Rules of the rooms that neither the compiler nor clippy can check: each uses only those above it in `src/lib.rs`,
//! one opens files for reading, and the pure ones don't wait.
//!
//! That the pure ones know no clock, files, environment and processes is `clippy.toml`'s matter, and that the core does without a
//! runtime and a network is held by building it without (`.ci/run`).

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

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Finds the Rust files below a folder.
pub(crate) fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Calls `look` with each file of a room that ships: its path below `src`, and its tokens.
fn each_file(room: &str, look: &mut dyn FnMut(&Path, &[&str])) {
    let mut paths = Vec::new();
    files_in(&src().join(room), &mut paths);
    let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let read: Vec<_> = texts.iter().map(|text| shipped(&tokens(text))).collect();
    let is_test = |path: &PathBuf| {
        paths.iter().zip(&read).any(|(parent, (_, apart))| {
            apart.iter().any(|name| *path == parent.with_file_name(format!("{name}.rs")))
        })
    };
    for (path, (kept, _)) in paths.iter().zip(&read).filter(|(path, _)| !is_test(path)) {
        look(path.strip_prefix(src()).unwrap(), kept);
    }
}

/// The rooms in the order of `src/lib.rs`.
fn rooms() -> Vec<String> {
    let text = std::fs::read_to_string(src().join("lib.rs")).unwrap();
    let all = tokens(&text);
    let modules = all.windows(3).filter(|found| matches!(found, ["mod", _, ";"]));
    modules.map(|found| found[1].to_owned()).collect()
}

#[test]
fn a_room_uses_only_those_above_it() {
    let rooms = rooms();
    assert!(rooms.len() > 10, "{rooms:?}");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (at, room) in rooms.iter().enumerate() {
        each_file(room, &mut |path, tokens| {
            let folders = path.components().count() - 1;
            let depth = if path.ends_with("mod.rs") { folders } else { folders + 1 };
            for other in named(tokens, depth) {
                seen += 1;
                if rooms[at + 1..].iter().any(|below| below == other) {
                    wrong.push(format!("{}: `{room}` uses `{other}`, which stands below it", path.display()));
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 1000, "{seen}");
}

/// Rooms whose decisions must be the same on every machine and at every time.
const PURE: [&str; 14] = [
    "engine",
    "policy",
    "score",
    "repair",
    "rules",
    "feedback",
    "script",
    "plan",
    "exchange",
    "result",
    "next",
    "rescore",
    "experiment",
    "review",
];

/// The driver of a run waits as long as its host does: a live run for providers, all others never.
const AS_ITS_HOST: &str = "exchange/drive.rs";

#[test]
fn pure_rooms_do_not_wait() {
    for room in PURE {
        each_file(room, &mut |path, tokens| {
            if path == Path::new(AS_ITS_HOST) {
                return;
            }
            assert!(!tokens.contains(&"async"), "src/{} waits", path.display());
        });
    }
}

/// The files besides `disk` that open files for reading: the kernel says there how interrupts are handled and which
/// processes there are, and a folder is opened to be locked.
const READERS: [&str; 3] = ["cli/interrupts.rs", "provider/trust.rs", "store/worker.rs"];

#[test]
fn one_room_opens_files_for_reading_and_replaces_them() {
    for room in rooms().iter().filter(|room| *room != "disk") {
        each_file(room, &mut |path, tokens| {
            let opens = tokens.windows(3).any(|found| {
                matches!(found, ["fs", "::", "read" | "read_to_string"] | ["File", "::", "open"])
                    || found[0] == "NamedTempFile"
            });
            let may = READERS.iter().any(|reader| path == Path::new(reader));
            assert_eq!(opens, may, "src/{}", path.display());
        });
    }
}

/// The standard library's way to show a path makes the same text of two that are no UTF-8: `value/path_text.rs` has another.
#[test]
fn paths_are_shown_so_that_each_can_be_told_from_the_others() {
    let mut wrong = Vec::new();
    for room in rooms() {
        each_file(&room, &mut |path, tokens| {
            let shows = tokens.windows(3).filter(|found| matches!(found, [".", "display", "("])).count();
            if shows > 0 {
                wrong.push(format!("{}: `.display()`, {shows} times; write `.shown()`", path.display()));
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
