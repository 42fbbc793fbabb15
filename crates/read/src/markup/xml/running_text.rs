//! Running text of articles and records: its words with those that are marked.

use super::super::flow::one_line;
use super::tree::{XmlElement, XmlPart};
use crate::script_digits::{lowered, raised};

/// Elements that begin and end lines of a text.
const LINES: [&str; 16] = [
    "caption",
    "def",
    "disp-formula",
    "fn",
    "footnote",
    "item",
    "label",
    "list",
    "list-item",
    "p",
    "paragraph",
    "table",
    "td",
    "term",
    "th",
    "title",
];
/// Elements that are set apart by a blank.
const WORDS: [&str; 6] = ["content", "family", "given", "prefix", "suffix", "tr"];

/// The text of an element on one line, without the elements that are left out.
pub(super) fn running_text(element: &XmlElement, without: &[&str]) -> String {
    let mut text = String::new();
    add(element, without, |c| c, &mut text);
    one_line(&text)
}

/// The text of an element on its lines: those that breaks and paragraphs set apart.
pub(super) fn running_lines(element: &XmlElement, without: &[&str]) -> Vec<String> {
    let mut text = String::new();
    add(element, without, |c| c, &mut text);
    text.split('\n').map(one_line).filter(|line| !line.is_empty()).collect()
}

fn add(element: &XmlElement, without: &[&str], written: fn(char) -> char, into: &mut String) {
    for part in &element.children {
        match part {
            XmlPart::Text(text) => {
                into.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { written(c) }));
            }
            XmlPart::Element(child) => {
                let name = child.name.as_str();
                // What a revision took out; a formula as TeX, too, which is for programs.
                let is_left_out = without.contains(&name)
                    || child.attribute("revised") == Some("delete")
                    || name == "tex-math" && element.elements().count() > 1;
                if is_left_out {
                    continue;
                }
                let edge = match name {
                    "br" | "break" => "\n",
                    _ if LINES.contains(&name) => "\n",
                    _ if WORDS.contains(&name) => " ",
                    _ => "",
                };
                into.push_str(edge);
                match name {
                    "sup" => add(child, without, raised, into),
                    "sub" => add(child, without, lowered, into),
                    _ => add(child, without, written, into),
                }
                into.push_str(edge);
            }
        }
    }
}
