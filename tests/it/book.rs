//! The book in `docs/`: nothing is left out of it, its links work as HTML, and what can be written by a program is.
//!
//! `LOOPCTL_UPDATE=1 cargo test --test it book::` writes the lists of pages and the verbs' help again. Lines of
//! `SUMMARY.md` that are not indented are maintained manually; a page `x.md` is followed there, and in its own list, by
//! the pages of the folder `x/`.

use super::workspace::{Ran, Workspace};
use loopctl::script::limits;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The mark at which a page's generated part begins.
const MARK: &str = "<!-- what follows is kept by tests/it/book.rs -->\n";

/// As wide as a block of code in the book.
const COLUMNS: &str = "92";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn text(page: &str) -> String {
    std::fs::read_to_string(docs().join(page)).unwrap_or_else(|error| panic!("docs/{page}: {error}"))
}

/// All pages, named from `docs/`, sorted.
fn pages() -> BTreeSet<String> {
    let mut pages = BTreeSet::new();
    let mut folders = vec![docs()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.insert(path.strip_prefix(docs()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    pages.remove("SUMMARY.md");
    pages
}

fn title(page: &str) -> String {
    let text = text(page);
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    title.unwrap_or_else(|| panic!("docs/{page} has no title")).to_owned()
}

/// The pages directly in the folder that belongs to a page.
fn below<'a>(page: &str, pages: &'a BTreeSet<String>) -> impl Iterator<Item = &'a String> {
    let folder = format!("{}/", page.trim_end_matches(".md"));
    pages.iter().filter(move |page| page.strip_prefix(&folder).is_some_and(|rest| !rest.contains('/')))
}

/// Lists a page's pages, theirs below them.
fn list(page: &str, indent: &str, pages: &BTreeSet<String>, out: &mut String) {
    for child in below(page, pages) {
        writeln!(out, "{indent}- [{}]({child})", title(child)).unwrap();
        list(child, &format!("{indent}  "), pages, out);
    }
}

/// The page that a line of the summary is about.
fn page_of(line: &str) -> Option<&str> {
    line.split_once("](")?.1.strip_suffix(')')
}

/// Holds a file against what it should be, or writes it.
#[track_caller]
fn holds(page: &str, expected: &str) {
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        // Another test may read the page at this moment.
        let whole = docs().join(page).with_extension("written");
        std::fs::write(&whole, expected).unwrap();
        std::fs::rename(&whole, docs().join(page)).unwrap();
    }
    assert!(
        text(page) == expected,
        "docs/{page} is stale: run `LOOPCTL_UPDATE=1 cargo test --test it book::`"
    );
}

/// The page up to its mark, with another end.
fn with_end(page: &str, end: &str) -> String {
    let text = text(page);
    let (start, _) = text.split_once(MARK).unwrap_or_else(|| panic!("docs/{page} lacks the line {MARK}"));
    format!("{start}{MARK}\n{end}")
}

#[test]
fn the_summary_lists_every_page_once() {
    let pages = pages();
    let mut expected = String::new();
    for line in text("SUMMARY.md").lines().filter(|line| !line.starts_with(' ')) {
        writeln!(expected, "{line}").unwrap();
        if let Some(page) = page_of(line) {
            assert!(pages.contains(page), "docs/SUMMARY.md lists `{page}`, which is not there");
            list(page, "  ", &pages, &mut expected);
        }
    }
    holds("SUMMARY.md", &expected);
    let listed: Vec<&str> = expected.lines().filter_map(page_of).collect();
    for page in &pages {
        let times = listed.iter().filter(|listed| *listed == page).count();
        assert_eq!(times, 1, "docs/{page} is listed {times} times; give it one line in docs/SUMMARY.md");
    }
}

/// A page about a folder of pages links to each of them.
#[test]
fn pages_about_folders_link_to_what_is_in_them() {
    let pages = pages();
    for page in pages.iter().filter(|page| text(page).contains(MARK) && page.as_str() != "command-line.md") {
        let mut links = String::new();
        for child in below(page, &pages) {
            let from = page.rsplit_once('/').map_or("", |(folder, _)| folder);
            let link = child.strip_prefix(from).unwrap().trim_start_matches('/');
            writeln!(links, "- [{}]({link})", title(child)).unwrap();
        }
        holds(page, &with_end(page, &links));
    }
}

/// In the book there is nothing outside of `docs/`: such links name the repository, where the file must be.
#[test]
fn links_out_of_the_book_lead_into_the_repository() {
    let repository = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");
    for page in pages() {
        for link in text(&page).split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let target = link.split('#').next().unwrap();
            if let Some(file) = target.strip_prefix(repository) {
                assert!(docs().parent().unwrap().join(file).exists(), "docs/{page}: `{link}` is not there");
            } else if !target.contains("://") {
                let up = target.split('/').filter(|part| *part == "..").count();
                assert!(up <= page.matches('/').count(), "docs/{page}: write `{repository}…` for `{link}`");
            }
        }
    }
}

/// Verbs that the first page of help names in a sentence only.
const HIDDEN: [&str; 3] = ["schema", "completions", "man"];

/// Appends the output of `-h` for a verb, and for all below it.
fn help(place: &Workspace, verb: &[String], out: &mut String) {
    let mut arguments: Vec<&str> = verb.iter().map(String::as_str).collect();
    arguments.push("-h");
    let said = Ran::of(place.loopctl(&arguments).env("COLUMNS", COLUMNS)).exits(0).out;
    let called: Vec<&str> = std::iter::once("loopctl").chain(verb.iter().map(String::as_str)).collect();
    write!(out, "## `{}`\n\n```text\n{}\n```\n\n", called.join(" "), said.trim_end()).unwrap();
    let verbs = said.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let named = verbs
        .into_iter()
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split(' ').next());
    let hidden = if verb.is_empty() { HIDDEN.as_slice() } else { &[] };
    for name in named.chain(hidden.iter().copied()) {
        if name != "help" {
            help(place, &[verb, &[name.to_owned()]].concat(), out);
        }
    }
}

#[test]
fn the_command_line_page_is_what_the_program_says() {
    let mut verbs = String::new();
    help(&Workspace::new(), &[], &mut verbs);
    let page = text("command-line.md");
    let by_hand = page.split(MARK).next().unwrap();
    for verb in verbs.lines().filter_map(|line| line.strip_prefix("## `loopctl ")?.strip_suffix('`')) {
        let first = verb.split(' ').next().unwrap();
        assert!(by_hand.contains(&format!("`{first}`")), "docs/command-line.md says nothing of `{first}`");
    }
    holds("command-line.md", &with_end("command-line.md", format!("{}\n", verbs.trim_end()).as_str()));
}

#[test]
fn the_scripts_page_says_the_limits() {
    let page = text("scripts.md");
    let table = page.split("## Limits").nth(1).unwrap().split("\n## ").next().unwrap();
    let numbers: Vec<u64> = table
        .lines()
        .filter_map(|line| line.rsplit('|').nth(1)?.trim().split(' ').next()?.replace(',', "").parse().ok())
        .collect();
    let bounds = [
        limits::MAX_OPERATIONS,
        limits::MAX_TOUCHED_BYTES >> 20,
        limits::MAX_SCRIPT_BYTES as u64 >> 10,
        limits::MAX_CALL_DEPTH as u64,
        limits::MAX_STRING_BYTES as u64 >> 20,
        limits::MAX_ARRAY_ITEMS as u64,
        limits::MAX_VARIABLES as u64,
        limits::MAX_FUNCTIONS as u64,
        limits::MAX_FINDINGS as u64,
    ];
    assert_eq!(numbers, bounds, "{table}");
    assert_eq!(limits::MAX_ARRAY_ITEMS, limits::MAX_MAP_MEMBERS);
}
