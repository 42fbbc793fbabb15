//! The page of each code shows a mistake that yields it, and how to put it right.
//!
//! Fences say which file they are: ```` ```yaml file=rules/mine.yaml ````; a block of YAML without a mark is the profile. What is
//! checked is the profile, without one every file by itself; a block `console` says how the command is called. Only
//! codes that need more than a profile are left out (`NEED_MORE`).

use super::workspace::Workspace;
use loopctl::diag::{Code, Level, Problem, Problems, Style, render_human};
use loopctl::lint::{FileKind, ProfileView, check_file, lint};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load, read_text_file};

/// Codes of what only the command inspects.
const BY_COMMAND: [Code; 7] = [
    Code::BadOverride,
    Code::InertRule,
    Code::Plugin,
    Code::VoidCertificate,
    Code::NoKey,
    Code::ProviderSettings,
    Code::NamedServer,
];

/// Codes whose examples need more than a profile, and what.
const NEED_MORE: [(Code, &str); 3] = [
    (Code::StrangeCase, "a file of cases"),
    (Code::KeyToNamedPort, "a key in the environment"),
    (Code::FreePrice, "a price table"),
];

/// A fenced block: its language, the file it stands for, and its text.
struct Block {
    language: String,
    file: Option<String>,
    text: String,
}

fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let rest = page.split(&format!("\n## {title}\n")).nth(1).unwrap_or_default();
    rest.split("\n## ").next().unwrap_or_default()
}

fn blocks(section: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let (language, mark) = info.split_once(' ').unwrap_or((info, ""));
        found.push(Block {
            language: language.to_owned(),
            file: mark.strip_prefix("file=").map(str::to_owned),
            text: text.join("\n") + "\n",
        });
    }
    found
}

/// The problems that `check` has with the blocks of a section.
fn problems(code: Code, title: &str) -> Problems {
    let blocks = blocks(section(code.page(), title));
    assert!(!blocks.is_empty(), "{}: `## {title}` shows nothing", code.as_str());
    let place = Workspace::new();
    for block in blocks.iter().filter(|block| block.language != "console") {
        place.write(block.name(), &block.text);
    }
    let library = Library::new(vec![place.path("")]);
    let mut problems = Problems::new();
    let profile = blocks.iter().find(|block| block.name() == "profile.yaml" && block.language == "yaml");
    if let Some(profile) = profile {
        let path = place.path(profile.name());
        let loaded = load(path.to_str().unwrap(), &library, &[], &|_| None, &mut problems);
        if let Some(loaded) = loaded
            && let Some(plan) = Plan::compile(&loaded, &mut problems)
        {
            lint(ProfileView { loaded: &loaded, plan: &plan }, &mut problems);
        }
        return problems;
    }
    for block in blocks.iter().filter(|block| block.language != "console") {
        let path = place.path(block.name());
        let file = read_text_file(&path).unwrap();
        let kind = FileKind::of(&path, &file).unwrap();
        check_file(kind, &path, &file, &library, &mut problems);
    }
    problems
}

impl Block {
    fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("profile.yaml")
    }
}

/// Like [`problems`], as printed by the command: of what needs the providers of this machine, or a flag.
fn said(code: Code, title: &str) -> String {
    let blocks = blocks(section(code.page(), title));
    let place = Workspace::new();
    let command = blocks.iter().find(|block| block.language == "console");
    let command =
        command.and_then(|block| block.text.lines().next()?.strip_prefix("$ loopctl ")).map(str::to_owned);
    for block in blocks.iter().filter(|block| block.language != "console") {
        place.write(block.name(), &block.text);
    }
    let command = command.unwrap_or_else(|| "check profile.yaml".to_owned());
    place.run(&command.split(' ').collect::<Vec<_>>()).out
}

#[test]
fn what_a_page_calls_wrong_yields_its_code_and_what_it_calls_right_nothing() {
    let mut mistakes = Vec::new();
    for code in Code::ALL {
        let name = code.as_str();
        if !code.page().contains("\n## Wrong\n") {
            mistakes.push(format!("{name}: the page has no `## Wrong`"));
            continue;
        }
        if NEED_MORE.iter().any(|(known, _)| known == code) {
            continue;
        }
        if BY_COMMAND.contains(code) {
            let (wrong, right) = (said(*code, "Wrong"), said(*code, "Right"));
            if !wrong.contains(&format!("[{name}]")) {
                mistakes.push(format!("{name}: `## Wrong` does not yield it: {wrong}"));
            }
            if !right.ends_with("1 profile checked: 0 errors, 0 warnings\n") {
                mistakes.push(format!("{name}: `## Right` is not right: {right}"));
            }
            continue;
        }
        let wrong = problems(*code, "Wrong");
        if !wrong.iter().any(|problem| problem.code == *code) {
            mistakes.push(format!("{name}: `## Wrong` does not yield it: {wrong:?}"));
        }
        // A provider may lack its key on the machine that checks: that is a note.
        let mut right = problems(*code, "Right");
        right.retain(|problem| problem.level > Level::Note);
        if !right.is_empty() {
            mistakes.push(format!("{name}: `## Right` is not right: {}", render_human(&right, Style::Plain)));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// The sentence of its page is drawn with what is correct and yet doubtful, and only there; no other test repeats it.
#[test]
fn why_a_doubt_matters_is_drawn_as_its_page_has_it() {
    for code in Code::ALL {
        let name = code.as_str();
        let mut problems = Problems::new();
        problems.push(Problem::placeless(*code, "the message"));
        let drawn = render_human(&problems, Style::Plain);
        let is_doubt = name.starts_with("LC5") || name.starts_with("LC6");
        let why: Vec<&str> = drawn.lines().skip(1).collect();
        let sentence = code.page().split("\n\n").nth(1).unwrap().trim();
        let expected = is_doubt.then(|| format!("why: {sentence}"));
        assert_eq!(why, expected.iter().map(String::as_str).collect::<Vec<_>>(), "{name}");
    }
}
