//! The public surface of the library: every name that is documented for other programs, in `loopctl` and in the crates whose
//! modules it re-exports. A change shows in the snapshot, to be confirmed or reverted.

use crate::layers::{shipped, tokens};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The words between `pub` and the name of an item.
const KINDS: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "mod"];
const HIDDEN: [&str; 7] = ["#", "[", "doc", "(", "hidden", ")", "]"];

/// The names that a `use` brings in: `a::{b, c as d, self}` brings `b`, `d` and `a`.
fn brought_in(path: &[&str], found: &mut BTreeSet<String>) {
    let Some(open) = path.iter().position(|token| *token == "{") else {
        let name = path.iter().rev().find(|token| **token != "::");
        found.extend(name.map(|name| (*name).to_owned()));
        return;
    };
    let (mut depth, mut start) = (0, open + 1);
    for at in open + 1..path.len() {
        match path[at] {
            "{" => depth += 1,
            "}" if depth > 0 => depth -= 1,
            "," | "}" if depth == 0 => {
                match &path[start..at] {
                    [] => {}
                    ["self"] => brought_in(&path[..open], found),
                    item => brought_in(item, found),
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The public items of a file that are not hidden, and those of them that are modules.
fn items(file: &Path) -> (BTreeSet<String>, Vec<String>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| panic!("no file {}", file.display()));
    let all = tokens(&text);
    let (kept, _) = shipped(&all);
    let (mut names, mut modules) = (BTreeSet::new(), Vec::new());
    let mut depth = 0;
    for (at, token) in kept.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            // Items in blocks are members.
            "pub" if depth == 0 && !kept[..at].ends_with(&HIDDEN) => {
                let rest = &kept[at + 1..];
                if rest.first() == Some(&"use") {
                    let end = rest.iter().position(|token| *token == ";").unwrap();
                    brought_in(&rest[1..end], &mut names);
                } else if let Some(kind) = rest.iter().take(3).position(|token| KINDS.contains(token)) {
                    // `const fn` has two of these words.
                    let kind = kind + usize::from(KINDS.contains(&rest[kind + 1]));
                    names.insert(rest[kind + 1].to_owned());
                    modules.extend((rest[kind] == "mod").then(|| rest[kind + 1].to_owned()));
                }
            }
            _ => {}
        }
    }
    (names, modules)
}

/// A line for the file, and for each public module of it.
fn lines(path: &str, file: &Path, into: &mut Vec<String>) {
    let (names, modules) = items(file);
    into.push(format!("{path}: {}", names.into_iter().collect::<Vec<_>>().join(", ")));
    let folder = file.parent().unwrap();
    let folder = if file.ends_with("mod.rs") || file.ends_with("lib.rs") {
        folder.to_path_buf()
    } else {
        file.with_extension("")
    };
    for module in modules {
        let own = [folder.join(&module).join("mod.rs"), folder.join(format!("{module}.rs"))];
        let file: &PathBuf = own.iter().find(|file| file.exists()).unwrap();
        lines(&format!("{path}::{module}"), file, into);
    }
}

#[test]
fn names_that_other_programs_can_use_change_on_purpose() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut surface = Vec::new();
    for (name, file) in [
        ("loopctl", "src/lib.rs"),
        ("loopctl_core", "crates/core/src/lib.rs"),
        ("loopctl_base::diag", "crates/base/src/diag/mod.rs"),
        ("loopctl_base::value", "crates/base/src/value/mod.rs"),
        ("loopctl_experiment", "crates/experiment/src/lib.rs"),
        ("loopctl_provider", "crates/provider/src/lib.rs"),
        ("loopctl_read", "crates/read/src/lib.rs"),
        ("loopctl_run", "crates/run/src/lib.rs"),
    ] {
        lines(name, &root.join(file), &mut surface);
    }
    insta::assert_snapshot!(surface.join("\n"));
}

#[test]
fn imports_are_taken_apart() {
    let mut found = BTreeSet::new();
    for text in ["a::B", "c::{D, e::{F, G as H}, self}", "i as j"] {
        brought_in(&tokens(text), &mut found);
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["B", "D", "F", "H", "c", "j"]);
}
