//! Articles in JATS: their front as named lines, then the text by its sections, tables and references.

use super::super::flow::{FlowBlock, FlowItem, one_line};
use super::jats_front;
use super::running_text::{running_lines, running_text};
use super::table_rows::table_rows;
use super::tree::XmlElement;

/// The deepest level of a heading.
const DEEPEST_HEADING: u8 = 6;

/// The blocks of an article.
pub(super) fn read(article: &XmlElement) -> Vec<FlowBlock> {
    let mut blocks = jats_front::read(article);
    for part in article.elements() {
        match part.name.as_str() {
            "body" => sections(part, 1, &mut blocks),
            "back" => back(part, &mut blocks),
            "floats-group" | "floats-wrap" => sections(part, 1, &mut blocks),
            "sub-article" | "response" => blocks.extend(read(part)),
            _ => {}
        }
    }
    blocks
}

fn back(back: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    for part in back.elements() {
        if part.first(&["title"]).is_none() {
            match part.name.as_str() {
                "ack" => heading("Acknowledgments", 2, blocks),
                "ref-list" => heading("References", 2, blocks),
                _ => {}
            }
        }
        match part.name.as_str() {
            "fn-group" => notes(part, blocks),
            _ => section(part, 2, blocks),
        }
    }
}

fn heading(text: &str, level: u8, blocks: &mut Vec<FlowBlock>) {
    if !text.is_empty() {
        blocks.push(FlowBlock::Heading { level: level.min(DEEPEST_HEADING), text: text.to_owned() });
    }
}

/// Adds a section: its title, and what is in it.
pub(super) fn section(section: &XmlElement, level: u8, blocks: &mut Vec<FlowBlock>) {
    if let Some(title) = section.first(&["title"]) {
        let label = section.first(&["label"]).map(|label| running_text(label, &[]));
        let title = running_text(title, &["fn"]);
        heading(&one_line(&format!("{} {title}", label.unwrap_or_default())), level, blocks);
    }
    sections(section, level, blocks);
}

/// Adds what an element holds, but its title.
pub(super) fn sections(holder: &XmlElement, level: u8, blocks: &mut Vec<FlowBlock>) {
    // Text between blocks is a paragraph, too.
    if holder.has_text() && !holder.elements().any(|part| part.name == "p") {
        blocks.push(FlowBlock::paragraph(running_text(holder, &["title", "label"])));
        return;
    }
    for part in holder.elements() {
        match part.name.as_str() {
            "title" | "label" | "sec-meta" | "object-id" | "graphic" | "media" => {}
            "sec" | "app" | "ack" | "notes" | "app-group" | "boxed-text" | "abstract" => {
                section(part, level.saturating_add(1).min(DEEPEST_HEADING), blocks);
            }
            "p" => paragraph(part, level, blocks),
            "list" => blocks.push(list(part)),
            "def-list" => definitions(part, blocks),
            "table-wrap" | "fig" | "supplementary-material" | "fig-group" | "table-wrap-group" => {
                float(part, blocks);
            }
            "table" => blocks.push(FlowBlock::Table(table_rows(part, cell_blocks))),
            "fn-group" | "table-wrap-foot" => notes(part, blocks),
            "fn" => blocks.push(FlowBlock::Note(vec![FlowBlock::line(running_text(part, &[]))])),
            "ref-list" => section(part, level, blocks),
            "ref" => reference(part, blocks),
            _ => {
                let text = running_text(part, &[]);
                if !text.is_empty() {
                    blocks.push(FlowBlock::paragraph(text));
                }
            }
        }
    }
}

/// Adds the notes of a group.
fn notes(group: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    for note in group.elements() {
        let text = running_text(note, &[]);
        if !text.is_empty() {
            blocks.push(FlowBlock::Note(vec![FlowBlock::line(text)]));
        }
    }
}

/// Adds a reference, with its number.
fn reference(reference: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    let label = reference.first(&["label"]).map(|label| running_text(label, &[]));
    let marker = label.map_or_else(|| "• ".to_owned(), |label| format!("{label} "));
    let parts = reference.elements().filter(|part| part.name != "label");
    let cited: Vec<FlowBlock> =
        parts.map(citation).filter(|text| !text.is_empty()).map(FlowBlock::line).collect();
    if !cited.is_empty() {
        blocks.push(FlowBlock::List(vec![FlowItem { marker, blocks: cited }]));
    }
}

/// The text of a citation: as it is written, or its parts one after the other.
fn citation(citation: &XmlElement) -> String {
    if citation.has_text() {
        return running_text(citation, &[]);
    }
    let mut parts = Vec::new();
    for part in citation.elements() {
        match part.name.as_str() {
            "label" => {}
            "person-group" => parts.push(names(part)),
            "name" | "string-name" => parts.push(name(part)),
            _ => parts.push(running_text(part, &[])),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(". ")
}

fn names(group: &XmlElement) -> String {
    let names: Vec<String> = group.elements().map(name).filter(|name| !name.is_empty()).collect();
    names.join(", ")
}

fn name(person: &XmlElement) -> String {
    let part = |name: &str| person.first(&[name]).map(|part| running_text(part, &[])).unwrap_or_default();
    let name = one_line(&format!("{} {}", part("surname"), part("given-names")));
    if name.is_empty() { running_text(person, &[]) } else { name }
}

/// Adds a paragraph; lists, tables and figures in it follow it.
fn paragraph(paragraph: &XmlElement, level: u8, blocks: &mut Vec<FlowBlock>) {
    const BLOCKS: [&str; 7] =
        ["list", "def-list", "table-wrap", "fig", "boxed-text", "supplementary-material", "fig-group"];
    let text = running_text(paragraph, &BLOCKS);
    if !text.is_empty() {
        blocks.push(FlowBlock::paragraph(text));
    }
    for part in paragraph.elements().filter(|part| BLOCKS.contains(&part.name.as_str())) {
        match part.name.as_str() {
            "list" => blocks.push(list(part)),
            "def-list" => definitions(part, blocks),
            "boxed-text" => section(part, level.saturating_add(1).min(DEEPEST_HEADING), blocks),
            _ => float(part, blocks),
        }
    }
}

fn list(list: &XmlElement) -> FlowBlock {
    let kind = list.attribute("list-type").unwrap_or_default();
    let items = list.all("list-item").enumerate().map(|(nth, item)| {
        let label = item.first(&["label"]).map(|label| running_text(label, &[]));
        let marker = match (label, kind) {
            (Some(label), _) => format!("{label} "),
            (None, "order") => format!("{}. ", nth + 1),
            (None, _) => "• ".to_owned(),
        };
        let mut blocks = Vec::new();
        sections(item, DEEPEST_HEADING, &mut blocks);
        FlowItem { marker, blocks }
    });
    FlowBlock::List(items.collect())
}

fn definitions(list: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    for item in list.all("def-item") {
        let text = |name: &str| item.first(&[name]).map(|part| running_text(part, &[])).unwrap_or_default();
        blocks.push(FlowBlock::line(format!("{}: {}", text("term"), text("def"))));
    }
}

/// Adds a table or figure: its label and caption, its rows, its notes.
fn float(float: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    let text = |name: &str| float.first(&[name]).map(|part| running_text(part, &[])).unwrap_or_default();
    let caption = one_line(&format!("{} {}", text("label"), text("caption")));
    if !caption.is_empty() {
        blocks.push(FlowBlock::paragraph(caption));
    }
    for part in float.elements() {
        match part.name.as_str() {
            "label" | "caption" | "object-id" => {}
            "alternatives" => {
                for table in part.all("table") {
                    blocks.push(FlowBlock::Table(table_rows(table, cell_blocks)));
                }
            }
            "fig" | "table-wrap" => self::float(part, blocks),
            "table" => blocks.push(FlowBlock::Table(table_rows(part, cell_blocks))),
            "table-wrap-foot" => notes(part, blocks),
            _ => {}
        }
    }
}

/// The lines of a cell.
fn cell_blocks(cell: &XmlElement) -> Vec<FlowBlock> {
    let lines = running_lines(cell, &[]);
    if lines.is_empty() { Vec::new() } else { vec![FlowBlock::line(lines.join("\n"))] }
}
