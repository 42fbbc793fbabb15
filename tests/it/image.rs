//! The image of the service is built of what `.dockerignore` lets through: everything that the build reads must be among it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Tells whether a segment of a pattern means that of a path: `*` stands for any letters.
fn is_segment(pattern: &str, segment: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == segment,
        Some((before, after)) => {
            let Some(rest) = segment.strip_prefix(before) else { return false };
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| is_segment(after, &rest[at..]))
        }
    }
}

/// Tells whether a pattern means a path, or a folder that it is in.
fn means(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, _) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skipped| means(rest, &path[skipped..])),
        (Some(_), None) => false,
        (Some((first, rest)), Some((segment, path))) => is_segment(first, segment) && means(rest, path),
    }
}

/// Tells whether a path of the repository is sent to the build: the last line that means it decides.
fn is_let_through(ignored: &str, path: &str) -> bool {
    let lines = ignored.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let path: Vec<&str> = path.split('/').collect();
    lines.fold(true, |is_sent, line| {
        let (pattern, sends) = line.strip_prefix('!').map_or((line, false), |pattern| (pattern, true));
        let pattern: Vec<&str> = pattern.trim_matches('/').split('/').collect();
        if means(&pattern, &path) { sends } else { is_sent }
    })
}

/// Every file below a folder of the repository, as paths from its root.
fn files_below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    waiting.push(path);
                }
            } else {
                found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// A path without `..`.
fn plain(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().unwrap()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.join("/")
}

/// The files and folders that the code includes when it is built, tests aside.
fn included() -> BTreeSet<String> {
    let mut included = BTreeSet::new();
    let is_built = |path: &String| {
        // The output of `loopctl plugin new` is a folder that is included, and built by its user.
        path.ends_with(".rs") && !path.contains("/tests/") && !path.starts_with("plugins/scaffold/")
    };
    for file in files_below("src")
        .into_iter()
        .chain(files_below("crates"))
        .chain(files_below("plugins"))
        .filter(is_built)
    {
        let code = text(&file);
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let mut folders = file.split('/');
        let package = match (folders.next(), folders.next()) {
            (Some(group @ ("crates" | "plugins")), Some(package)) => format!("{group}/{package}"),
            _ => String::new(),
        };
        for (macro_name, base) in [
            ("include_str!(\"", plain(Path::new(&file).parent().unwrap())),
            ("include_bytes!(\"", plain(Path::new(&file).parent().unwrap())),
            ("include_dir!(\"$CARGO_MANIFEST_DIR", package.clone()),
            ("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"", package.clone()),
        ] {
            for rest in code.split(macro_name).skip(1) {
                let path = rest.split('"').next().unwrap().trim_start_matches('/');
                included.insert(plain(&Path::new(&base).join(path)));
            }
        }
    }
    included
}

/// The other files that cargo reads: manifests, and the roots of everything that they declare, which must exist even if
/// not built.
fn declared() -> BTreeSet<String> {
    let mut declared =
        BTreeSet::from(["Cargo.lock".to_owned(), "Cargo.toml".to_owned(), "src/main.rs".to_owned()]);
    let manifests = files_below("crates").into_iter().chain(files_below("plugins")).filter(|path| {
        path.ends_with("/Cargo.toml")
            && !path.starts_with("plugins/scaffold/")
            && path.matches('/').count() == 2
    });
    for manifest in manifests.chain(["Cargo.toml".to_owned()]) {
        let folder = plain(Path::new(&manifest).parent().unwrap());
        for line in text(&manifest).lines() {
            for key in ["path = \"", "readme = \"", "license-file = \"", "build = \""] {
                if let Some(path) = line.strip_prefix(key).and_then(|rest| rest.split('"').next()) {
                    declared.insert(plain(&Path::new(&folder).join(path)));
                }
            }
        }
        declared.insert(manifest);
    }
    declared
}

#[test]
fn everything_that_the_build_reads_is_sent_to_it() {
    let ignored = text(".dockerignore");
    let (included, declared) = (included(), declared());
    for known in [
        "LICENSE-MIT",
        "Cargo.toml",
        "prices.yaml",
        "rules",
        "docs/codes",
        "plugins/scaffold",
        "docs/rust.md",
    ] {
        assert!(included.contains(known), "`{known}` is not among {included:?}");
    }
    let mut left_out = Vec::new();
    for path in included.iter().chain(&declared) {
        let whole = root().join(path);
        assert!(whole.exists(), "`{path}` is read by the build, and not there");
        let files = if whole.is_dir() { files_below(path) } else { vec![path.clone()] };
        left_out.extend(files.into_iter().filter(|file| !is_let_through(&ignored, file)));
    }
    let sources = files_below("src").into_iter().chain(files_below("crates"));
    left_out.extend(sources.filter(|file| !is_let_through(&ignored, file)));
    assert_eq!(left_out, Vec::<String>::new(), "`.dockerignore` keeps these from the build");
}

#[test]
fn what_is_nothing_for_an_image_is_not_sent() {
    let ignored = text(".dockerignore");
    for path in [
        "target/debug/loopctl",
        "plugins/pattern/target/x",
        ".git/config",
        "journal.sqlite",
        "src/journal.sqlite-wal",
        "examples/.env",
        "out/result.json",
        "tests/it/run.rs",
        ".loopctl/journal.sqlite",
        "data/uploads/a",
    ] {
        assert!(!is_let_through(&ignored, path), "{path}");
    }
}

/// Each `COPY` of the first stage takes what is sent.
#[test]
fn what_the_image_copies_is_there() {
    let file = text("deploy/Dockerfile");
    let copies =
        file.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with("--from"));
    let sources: Vec<&str> = copies.flat_map(|line| line.split_whitespace().rev().skip(1)).collect();
    assert!(!sources.is_empty());
    let ignored = text(".dockerignore");
    for source in sources.into_iter().filter(|source| *source != ".") {
        assert!(root().join(source).exists() && is_let_through(&ignored, source), "{source}");
    }
}
