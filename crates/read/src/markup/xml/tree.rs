//! XML as a tree, within bounds. Nothing is resolved: no document type, no entities of its own, nothing from outside.

use super::super::file_text::Unread;
use super::super::flow::one_line;
use super::super::markup_unread::{MarkupFault, MarkupFormat};
use loopctl_plugin_sdk::markup::readable;
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// The most elements in one another.
const DEEPEST: usize = 200;
/// The most elements of a file.
const MOST_ELEMENTS: usize = 2_000_000;
/// The most attributes of an element.
const MOST_ATTRIBUTES: usize = 1_000;

/// The reason why a file has no text.
pub(super) fn unread(fault: MarkupFault) -> Unread {
    Unread::Markup { format: MarkupFormat::Xml, fault }
}

/// An element, its names without their prefixes.
#[derive(Debug, Default)]
pub(super) struct XmlElement {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<XmlPart>,
}

/// A part of an element.
#[derive(Debug)]
pub(super) enum XmlPart {
    Element(XmlElement),
    Text(String),
}

impl XmlElement {
    /// The elements in it, in order.
    pub(super) fn elements(&self) -> impl Iterator<Item = &XmlElement> {
        self.children.iter().filter_map(|part| match part {
            XmlPart::Element(element) => Some(element),
            XmlPart::Text(_) => None,
        })
    }

    /// The elements of a name in it.
    pub(super) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e XmlElement> {
        self.elements().filter(move |element| element.name == name)
    }

    /// The first element on a path of names below it.
    pub(super) fn first(&self, path: &[&str]) -> Option<&XmlElement> {
        let Some((name, rest)) = path.split_first() else { return Some(self) };
        self.elements().filter(|element| element.name == *name).find_map(|element| element.first(rest))
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim())
    }

    /// Returns whether it has text of its own.
    pub(super) fn has_text(&self) -> bool {
        self.children.iter().any(|part| matches!(part, XmlPart::Text(text) if !text.trim().is_empty()))
    }

    /// All text in it, on one line.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        self.add_text(&mut text);
        one_line(&text)
    }

    fn add_text(&self, into: &mut String) {
        for part in &self.children {
            match part {
                XmlPart::Text(text) => into.push_str(text),
                XmlPart::Element(element) => {
                    // Elements of data are set apart; those in running text are part of its words.
                    let is_apart = !self.has_text();
                    element.add_text(into);
                    if is_apart {
                        into.push(' ');
                    }
                }
            }
        }
    }
}

/// The root element of a file, in an element without a name.
pub(super) fn parse(text: &str) -> Result<XmlElement, Unread> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = false;
    let mut open = vec![XmlElement::default()];
    let mut count = 0_usize;
    loop {
        let event = reader.read_event();
        let at = reader.buffer_position();
        let malformed = || unread(MarkupFault::Malformed { at });
        let Some(innermost) = open.last_mut() else { return Err(malformed()) };
        match event {
            Ok(Event::Start(start)) => {
                count += 1;
                let element = element(&start).ok_or_else(malformed)??;
                if open.len() > DEEPEST || count > MOST_ELEMENTS {
                    return Err(unread(MarkupFault::TooLarge));
                }
                open.push(element);
            }
            Ok(Event::Empty(start)) => {
                count += 1;
                let element = element(&start).ok_or_else(malformed)??;
                if count > MOST_ELEMENTS {
                    return Err(unread(MarkupFault::TooLarge));
                }
                innermost.children.push(XmlPart::Element(element));
            }
            Ok(Event::End(_)) => {
                let closed = open.pop().ok_or_else(malformed)?;
                open.last_mut().ok_or_else(malformed)?.children.push(XmlPart::Element(closed));
            }
            Ok(Event::Text(text)) => add(innermost, &text.xml10_content()),
            Ok(Event::CData(text)) => add(innermost, &text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => {
                let character = character(&reference).ok_or_else(|| unread(MarkupFault::OwnEntities))?;
                add(innermost, &character);
            }
            Ok(Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) => break,
            Err(_) => return Err(unread(MarkupFault::Malformed { at: reader.error_position() })),
        }
    }
    let whole = open.len() == 1;
    let root = open.pop().filter(|_| whole);
    root.ok_or_else(|| unread(MarkupFault::Malformed { at: reader.buffer_position() }))
}

/// Adds text to that before it.
fn add(element: &mut XmlElement, text: &str) {
    match element.children.last_mut() {
        Some(XmlPart::Text(before)) => before.push_str(text),
        Some(XmlPart::Element(_)) | None => element.children.push(XmlPart::Text(text.to_owned())),
    }
}

/// An element with its attributes; `None` if they are not well formed.
fn element(start: &BytesStart<'_>) -> Option<Result<XmlElement, Unread>> {
    let name = start.local_name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.ok()?;
        let name = attribute.key.as_ref();
        // Declarations of namespaces, and places of schemas.
        if name.starts_with("xmlns") || name.starts_with("xsi:") {
            continue;
        }
        if attributes.len() >= MOST_ATTRIBUTES {
            return Some(Err(unread(MarkupFault::TooLarge)));
        }
        let Some(value) = unescaped(&attribute.value) else {
            return Some(Err(unread(MarkupFault::OwnEntities)));
        };
        attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
    }
    Some(Ok(XmlElement { name, attributes, children: Vec::new() }))
}

/// The value of an attribute with its references resolved; `None` if one is of an entity that is not known.
fn unescaped(value: &str) -> Option<String> {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (name, after) = after.split_once(';')?;
        text.push_str(&character(&BytesRef::new(name))?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// The character of a reference; `None` for an entity that XML and HTML do not have.
fn character(reference: &BytesRef<'_>) -> Option<String> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok().flatten().map(String::from);
    }
    let name: &str = reference;
    if let Some(known) = resolve_xml_entity(name) {
        return Some(known.to_owned());
    }
    let written = format!("&{name};");
    let read = readable(&written, &[]);
    (read != written).then(|| read.into_owned())
}
