//! Clinical documents of HL7 (CDA, C-CDA): their header as named lines, then the text of their sections as it is attested.

use super::super::flow::{FlowBlock, FlowItem, one_line};
use super::clinical_entries::entries;
use super::name_words::name_words;
use super::running_text::{running_lines, running_text};
use super::table_rows::table_rows;
use super::tree::{XmlElement, XmlPart};

/// The deepest level of a heading.
const DEEPEST_HEADING: u8 = 6;

/// The blocks of a document.
pub(super) fn read(document: &XmlElement) -> Vec<FlowBlock> {
    let mut blocks = Vec::new();
    let title = document.first(&["title"]).map(|title| running_text(title, &[])).unwrap_or_default();
    if !title.is_empty() {
        blocks.push(FlowBlock::Heading { level: 1, text: title });
    }
    header(document, &mut blocks);
    for component in document.all("component") {
        for body in component.all("structuredBody") {
            sections(body, 2, &mut blocks);
        }
        for text in component.all("nonXMLBody").flat_map(|body| body.all("text")) {
            if text.attribute("representation") != Some("B64") {
                narrative(text, &mut blocks);
            }
        }
    }
    blocks
}

/// The blocks of a section that is a file of its own, or of what holds some.
pub(super) fn read_sections(holder: &XmlElement) -> Vec<FlowBlock> {
    let mut blocks = Vec::new();
    if holder.name == "section" {
        section(holder, 2, &mut blocks);
    } else {
        sections(holder, 2, &mut blocks);
    }
    blocks
}

fn line(label: &str, value: &str, blocks: &mut Vec<FlowBlock>) {
    if !value.is_empty() {
        blocks.push(FlowBlock::line(format!("{label}: {value}")));
    }
}

/// Adds what is known of the document and of those who take part in it.
fn header(document: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    for part in document.elements() {
        match part.name.as_str() {
            "id" => line("Document ID", part.attribute("extension").unwrap_or_default(), blocks),
            "code" => line("Document type", &coded(part), blocks),
            "effectiveTime" => line("Date", &moment(part), blocks),
            "languageCode" => line("Language", part.attribute("code").unwrap_or_default(), blocks),
            "confidentialityCode" => line("Confidentiality", &coded(part), blocks),
            "recordTarget" => participant("Patient", part, blocks),
            "documentationOf"
            | "componentOf"
            | "author"
            | "dataEnterer"
            | "informant"
            | "custodian"
            | "informationRecipient"
            | "legalAuthenticator"
            | "authenticator"
            | "participant"
            | "inFulfillmentOf"
            | "authorization"
            | "relatedDocument" => {
                let label = name_words(&part.name);
                let mut characters = label.chars();
                let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
                participant(&format!("{first}{}", characters.as_str().to_lowercase()), part, blocks);
            }
            _ => {}
        }
    }
}

/// Adds a line for each thing that is known of a participant.
fn participant(label: &str, part: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    for child in part.elements() {
        let value = match child.name.as_str() {
            "id" => ("ID", child.attribute("extension").unwrap_or_default().to_owned()),
            "name" => ("", running_text(child, &[])),
            "addr" => ("address", address(child)),
            "telecom" => ("telephone or e-mail", contact(child)),
            "birthTime" => ("date of birth", moment(child)),
            "time" | "effectiveTime" => ("date", moment(child)),
            "administrativeGenderCode" => ("gender", coded(child)),
            "maritalStatusCode" => ("marital status", coded(child)),
            "religiousAffiliationCode" => ("religion", coded(child)),
            "raceCode" => ("race", coded(child)),
            "ethnicGroupCode" => ("ethnicity", coded(child)),
            "languageCode" => ("language", child.attribute("code").unwrap_or_default().to_owned()),
            "code" | "functionCode" | "dischargeDispositionCode" => ("role", coded(child)),
            "softwareName" | "manufacturerModelName" => ("device", running_text(child, &[])),
            _ => {
                let is_organization = child.name.ends_with("rganization");
                let own = if is_organization && !label.ends_with("organization") {
                    format!("{label} organization")
                } else {
                    match child.name.as_str() {
                        "guardian" => format!("{label} guardian"),
                        "birthplace" => format!("{label} birthplace"),
                        "performer" => format!("{label} performer"),
                        "location" => format!("{label} location"),
                        _ => label.to_owned(),
                    }
                };
                participant(&own, child, blocks);
                continue;
            }
        };
        line(one_line(&format!("{label} {}", value.0)).as_str(), &value.1, blocks);
    }
}

/// The parts of an address, in order.
fn address(address: &XmlElement) -> String {
    let parts: Vec<String> =
        address.elements().map(|part| running_text(part, &[])).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { running_text(address, &[]) } else { parts.join(", ") }
}

fn contact(contact: &XmlElement) -> String {
    let value = contact.attribute("value").unwrap_or_default();
    let plain = ["tel:", "mailto:"].iter().find_map(|scheme| value.strip_prefix(scheme));
    plain.unwrap_or(value).trim().to_owned()
}

/// A coded value in words, or its code where it has none.
fn coded(code: &XmlElement) -> String {
    let words = code.attribute("displayName").unwrap_or_default();
    let original = code.first(&["originalText"]).map(|text| running_text(text, &[])).unwrap_or_default();
    let code = code.attribute("code").unwrap_or_default();
    match (words, original.as_str()) {
        ("", "") => code.to_owned(),
        ("", original) => original.to_owned(),
        (words, _) if code.is_empty() => words.to_owned(),
        (words, _) => format!("{words} ({code})"),
    }
}

/// A moment or a span of time.
fn moment(time: &XmlElement) -> String {
    if let Some(value) = time.attribute("value") {
        return readable_time(value);
    }
    let end = |name: &str| {
        let value = time.first(&[name]).and_then(|end| end.attribute("value"));
        value.map(readable_time).filter(|value| !value.is_empty())
    };
    match (end("low"), end("high")) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("from {low}"),
        (None, Some(high)) => format!("to {high}"),
        (None, None) => String::new(),
    }
}

/// A moment as ISO 8601 has it: `201308010500-0800` is `2013-08-01 05:00 -0800`.
pub(super) fn readable_time(value: &str) -> String {
    if value.len() < 4
        || !value.starts_with(|c: char| c.is_ascii_digit())
        || value.contains('.') && value.find('.') < Some(14)
    {
        return value.to_owned();
    }
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (digits, rest) = value.split_at(end);
    let part = |from: usize, to: usize| digits.get(from..to);
    let mut time = part(0, 4).unwrap_or(digits).to_owned();
    for (from, to, sign) in [(4, 6, "-"), (6, 8, "-"), (8, 10, " "), (10, 12, ":"), (12, 14, ":")] {
        let Some(next) = part(from, to) else { break };
        // Hours are written with their minutes.
        if from == 8 && part(10, 12).is_none() {
            time.push_str(&format!(" {next}:00"));
            break;
        }
        time.push_str(sign);
        time.push_str(next);
    }
    let zone = rest.find(['+', '-']).and_then(|at| rest.get(at..)).unwrap_or_default();
    one_line(&format!("{time} {zone}"))
}

/// Adds the sections in an element, wherever they are below its components.
fn sections(holder: &XmlElement, level: u8, blocks: &mut Vec<FlowBlock>) {
    for part in holder.elements() {
        match part.name.as_str() {
            "section" => section(part, level, blocks),
            "component" => sections(part, level, blocks),
            _ => {}
        }
    }
}

fn section(section: &XmlElement, level: u8, blocks: &mut Vec<FlowBlock>) {
    let title =
        section.first(&["title"]).map(|title| running_text(title, &[])).filter(|title| !title.is_empty());
    let title = title.or_else(|| section.first(&["code"]).map(coded).filter(|title| !title.is_empty()));
    if let Some(title) = title {
        blocks.push(FlowBlock::Heading { level: level.min(DEEPEST_HEADING), text: title });
    }
    for text in section.all("text") {
        narrative(text, blocks);
    }
    if let Some(entries) = entries(section) {
        let level = level.saturating_add(1).min(DEEPEST_HEADING);
        blocks.push(FlowBlock::Heading { level, text: "Coded entries".to_owned() });
        blocks.push(entries);
    }
    sections(section, level.saturating_add(1).min(DEEPEST_HEADING), blocks);
}

/// Adds the text of a section.
fn narrative(text: &XmlElement, blocks: &mut Vec<FlowBlock>) {
    const BLOCKS: [&str; 6] = ["paragraph", "list", "table", "caption", "footnote", "br"];
    let holds_blocks =
        |element: &XmlElement| element.elements().any(|part| BLOCKS.contains(&part.name.as_str()));
    let mut own = XmlElement::default();
    let end = |own: &mut XmlElement, blocks: &mut Vec<FlowBlock>| {
        blocks.extend(running_lines(own, &[]).into_iter().map(FlowBlock::line));
        own.children.clear();
    };
    for part in &text.children {
        let XmlPart::Element(child) = part else {
            if let XmlPart::Text(words) = part {
                own.children.push(XmlPart::Text(words.clone()));
            }
            continue;
        };
        if child.attribute("revised") == Some("delete") {
            continue;
        }
        match child.name.as_str() {
            "paragraph" | "caption" => {
                end(&mut own, blocks);
                if holds_blocks(child)
                    && child.elements().any(|part| part.name == "table" || part.name == "list")
                {
                    narrative(child, blocks);
                } else {
                    blocks.extend(running_lines(child, &[]).into_iter().map(FlowBlock::paragraph));
                }
            }
            "list" => {
                end(&mut own, blocks);
                blocks.push(list(child));
            }
            "table" => {
                end(&mut own, blocks);
                if let Some(caption) = child.first(&["caption"]) {
                    blocks.push(FlowBlock::paragraph(running_text(caption, &[])));
                }
                blocks.push(FlowBlock::Table(table_rows(child, cell_blocks)));
            }
            "footnote" => {
                end(&mut own, blocks);
                blocks.push(FlowBlock::Note(vec![FlowBlock::line(running_text(child, &[]))]));
            }
            "br" => end(&mut own, blocks),
            _ if holds_blocks(child) => {
                end(&mut own, blocks);
                narrative(child, blocks);
            }
            _ => {
                own.children.push(XmlPart::Text(format!(" {} ", running_text(child, &[]))));
            }
        }
    }
    end(&mut own, blocks);
}

fn list(list: &XmlElement) -> FlowBlock {
    let is_ordered = list.attribute("listType") == Some("ordered");
    let items = list.all("item").enumerate().map(|(nth, item)| {
        let mut blocks = Vec::new();
        narrative(item, &mut blocks);
        FlowItem { marker: if is_ordered { format!("{}. ", nth + 1) } else { "• ".to_owned() }, blocks }
    });
    FlowBlock::List(items.filter(|item| !item.blocks.is_empty()).collect())
}

fn cell_blocks(cell: &XmlElement) -> Vec<FlowBlock> {
    let mut blocks = Vec::new();
    narrative(cell, &mut blocks);
    blocks
}
