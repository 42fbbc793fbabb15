//! Entries of clinical documents: what programs read of a section, with codes, units and times, as a list of statements.

use super::super::flow::{FlowBlock, FlowItem};
use super::clinical::readable_time;
use super::name_words::name_words;
use super::running_text::running_text;
use super::tree::XmlElement;

/// Elements that say nothing of a patient, and references to the text of the section.
const LEFT_OUT: [&str; 5] = ["templateId", "typeId", "realmCode", "text", "reference"];
/// Attributes that are for programs alone.
const TECHNICAL: [&str; 20] = [
    "ID",
    "classCode",
    "codeSystem",
    "codeSystemVersion",
    "contextConductionInd",
    "contextControlCode",
    "determinerCode",
    "independentInd",
    "institutionSpecified",
    "inversionInd",
    "moodCode",
    "operator",
    "root",
    "sdtc:valueSet",
    "separatableInd",
    "type",
    "typeCode",
    "use",
    "valueSet",
    "assigningAuthorityName",
];
/// Names that say little without that of the element around them.
const GENERAL: [&str; 12] = [
    "center",
    "code",
    "high",
    "id",
    "low",
    "name",
    "originalText",
    "period",
    "qualifier",
    "time",
    "translation",
    "value",
];
/// Elements that lead from a statement to those that belong to it.
const LINKS: [&str; 3] = ["component", "entry", "entryRelationship"];

/// The entries of a section as a list; `None` if there are none.
pub(super) fn entries(section: &XmlElement) -> Option<FlowBlock> {
    let items: Vec<FlowItem> =
        section.all("entry").flat_map(XmlElement::elements).filter_map(statement).collect();
    (!items.is_empty()).then_some(FlowBlock::List(items))
}

/// A statement: a line with all that it says, and those that belong to it.
fn statement(element: &XmlElement) -> Option<FlowItem> {
    let mut said = Vec::new();
    let mut linked = Vec::new();
    if let Some(negated) = element.attribute("negationInd") {
        said.push(format!("negated {negated}"));
    }
    for child in element.elements() {
        if LINKS.contains(&child.name.as_str()) {
            linked.extend(child.elements().filter_map(statement));
        } else {
            say(child, None, &mut said);
        }
    }
    if said.is_empty() && linked.is_empty() {
        return None;
    }
    let mut blocks = vec![FlowBlock::line(format!("{}: {}", name_words(&element.name), said.join("; ")))];
    if !linked.is_empty() {
        blocks.push(FlowBlock::List(linked));
    }
    Some(FlowItem { marker: "• ".to_owned(), blocks })
}

/// Adds what an element says, and the elements in it.
fn say(element: &XmlElement, above: Option<&XmlElement>, said: &mut Vec<String>) {
    if LEFT_OUT.contains(&element.name.as_str()) {
        return;
    }
    let attributes = element.attributes.iter().filter(|(name, value)| {
        !TECHNICAL.contains(&name.as_str()) && !value.trim().is_empty() && name != "displayName"
    });
    let mut values: Vec<String> = attributes
        .map(|(name, value)| match (name.as_str(), element.name.as_str()) {
            ("value", "low" | "high" | "center" | "effectiveTime" | "time" | "birthTime") => {
                readable_time(value)
            }
            ("nullFlavor", _) => format!("not known ({value})"),
            ("inclusive", _) => format!("inclusive {value}"),
            _ => value.trim().to_owned(),
        })
        .collect();
    let own = if element.has_text() { running_text(element, &LEFT_OUT) } else { String::new() };
    let words = element.attribute("displayName").unwrap_or_default();
    values.insert(0, words.to_owned());
    values.push(own);
    values.retain(|value| !value.is_empty());
    if !values.is_empty() {
        let outer = above.filter(|_| GENERAL.contains(&element.name.as_str()));
        let label = match outer {
            Some(outer) => format!("{} {}", name_words(&outer.name), name_words(&element.name)),
            None => name_words(&element.name),
        };
        said.push(format!("{label} {}", values.join(" ")));
    }
    if !element.has_text() {
        for child in element.elements() {
            say(child, Some(element), said);
        }
    }
}
