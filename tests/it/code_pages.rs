//! The page of each code shows a mistake that yields it, and how to put it right.
//!
//! Fences say which file they are: ```` ```yaml file=rules/mine.yaml ````; a block of YAML without a mark is the profile. What is
//! checked is the profile, without one every file by itself, or what a block `console` says.

use super::workspace::Workspace;
use loopctl::diag::Code;
use serde_json::Value;

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

/// The problems that `check` has with the blocks of a section, as JSON.
fn problems(code: Code, title: &str) -> Vec<Value> {
    let blocks = blocks(section(code.page(), title));
    assert!(!blocks.is_empty(), "{}: `## {title}` shows nothing", code.as_str());
    let place = Workspace::new();
    let mut checked = Vec::new();
    for block in &blocks {
        if block.language == "console" {
            let command = block.text.lines().next().unwrap().strip_prefix("$ loopctl check ").unwrap();
            checked = command.split(' ').map(str::to_owned).collect();
            continue;
        }
        let file = block.file.clone().unwrap_or_else(|| "profile.yaml".to_owned());
        place.write(&file, &block.text);
        if block.file.is_none() {
            checked = vec![file];
        }
    }
    if checked.is_empty() {
        checked = blocks.iter().filter_map(|block| block.file.clone()).collect();
    }
    let arguments = ["check", "--format", "json"].into_iter().chain(checked.iter().map(String::as_str));
    let ran = place.run(&arguments.collect::<Vec<_>>());
    ran.json().as_array().unwrap().clone()
}

#[test]
fn what_a_page_calls_wrong_yields_its_code_and_what_it_calls_right_nothing() {
    let mut mistakes = Vec::new();
    for code in Code::ALL {
        if !code.page().contains("\n## Wrong\n") {
            mistakes.push(format!("{}: the page has no `## Wrong`", code.as_str()));
            continue;
        }
        let found = problems(*code, "Wrong");
        if !found.iter().any(|problem| problem["code"] == code.as_str()) {
            mistakes.push(format!("{}: `## Wrong` does not yield it: {found:#?}", code.as_str()));
        }
        // A provider may lack its key on the machine that checks: that is a note.
        let left: Vec<Value> =
            problems(*code, "Right").into_iter().filter(|problem| problem["level"] != "note").collect();
        if !left.is_empty() {
            mistakes.push(format!("{}: `## Right` is not right: {left:#?}", code.as_str()));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
