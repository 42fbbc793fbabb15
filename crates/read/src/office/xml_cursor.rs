//! A cursor over the elements of an XML text, for readers that know its vocabulary.
//!
//! No document type is read, so that no entity multiplies itself or names a file; elements are in one another up to a bound.

use super::office_unread::OfficeFault;
use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;

/// The most elements in one another that are read: their readers call each other. Those that are skipped may be more.
const MOST_DEPTH: usize = 200;

/// A cursor. It is within an open element, and gives the nodes in it one after the other.
///
/// The reader of an element's tag reads the element to its end: by [`XmlCursor::child`] or [`XmlCursor::node`] until there is
/// none, by [`XmlCursor::text`], or by [`XmlCursor::skip`].
pub(super) struct XmlCursor<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

/// The tag that begins an element.
pub(super) struct XmlTag<'a>(BytesStart<'a>);

/// A node in an element.
pub(super) enum XmlNode<'a> {
    /// An element that begins.
    Element(XmlTag<'a>),
    /// A text.
    Text(Cow<'a, str>),
}

/// A step of the cursor.
enum XmlStep<'a> {
    Begin(BytesStart<'a>),
    End,
    Text(Cow<'a, str>),
    /// The text is over.
    Over,
}

impl<'a> XmlCursor<'a> {
    /// A cursor at the start of a text.
    pub(super) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        XmlCursor { reader, depth: 0 }
    }

    /// Enters the outermost element.
    pub(super) fn root(&mut self) -> Result<XmlTag<'a>, OfficeFault> {
        loop {
            match self.step()? {
                XmlStep::Begin(tag) => return Ok(XmlTag(tag)),
                XmlStep::Text(text) if text.trim().is_empty() => {}
                XmlStep::Text(_) | XmlStep::End | XmlStep::Over => return Err(OfficeFault::Damaged),
            }
        }
    }

    /// Enters the next element in the one that is open; `None` at its end.
    pub(super) fn child(&mut self) -> Result<Option<XmlTag<'a>>, OfficeFault> {
        loop {
            match self.node()? {
                Some(XmlNode::Element(tag)) => return Ok(Some(tag)),
                Some(XmlNode::Text(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// The next node in the element that is open; `None` at its end.
    pub(super) fn node(&mut self) -> Result<Option<XmlNode<'a>>, OfficeFault> {
        match self.step()? {
            XmlStep::Begin(_) if self.depth > MOST_DEPTH => Err(OfficeFault::TooLong),
            XmlStep::Begin(tag) => Ok(Some(XmlNode::Element(XmlTag(tag)))),
            XmlStep::Text(text) => Ok(Some(XmlNode::Text(text))),
            XmlStep::End => Ok(None),
            XmlStep::Over => Err(OfficeFault::Damaged),
        }
    }

    /// Leaves the element that is open, and returns the text in it, that of its elements too.
    pub(super) fn text(&mut self) -> Result<String, OfficeFault> {
        let mut text = String::new();
        self.leave(|part| text.push_str(part))?;
        Ok(text)
    }

    /// Leaves the element that is open, without its content.
    pub(super) fn skip(&mut self) -> Result<(), OfficeFault> {
        self.leave(|_| ())
    }

    fn leave(&mut self, mut visit: impl FnMut(&str)) -> Result<(), OfficeFault> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            match self.step()? {
                XmlStep::Text(text) => visit(&text),
                XmlStep::Begin(_) | XmlStep::End => {}
                XmlStep::Over => return Err(OfficeFault::Damaged),
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<XmlStep<'a>, OfficeFault> {
        loop {
            return Ok(match self.reader.read_event().map_err(|_| OfficeFault::Damaged)? {
                Event::Start(tag) | Event::Empty(tag) => {
                    self.depth += 1;
                    XmlStep::Begin(tag)
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    XmlStep::End
                }
                Event::Text(text) => XmlStep::Text(text.xml10_content()),
                Event::CData(text) => XmlStep::Text(text.xml10_content()),
                Event::GeneralRef(reference) => XmlStep::Text(Cow::Owned(character(&reference)?.into())),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::DocType(_) => return Err(OfficeFault::DocumentType),
                Event::Eof => XmlStep::Over,
            });
        }
    }
}

/// The character of a reference: by its number, or one of the five names that need no declaration.
fn character(reference: &BytesRef<'_>) -> Result<char, OfficeFault> {
    if let Some(character) = reference.resolve_char_ref().map_err(|_| OfficeFault::Damaged)? {
        return Ok(character);
    }
    match &**reference {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(OfficeFault::Damaged),
    }
}

impl XmlTag<'_> {
    /// The name, without its prefix.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of the attribute of this name, without its prefix.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.find(|attribute| attribute.key.local_name().into_inner() == name)
    }

    /// The value of the attribute of this name, with its prefix.
    pub(super) fn prefixed(&self, name: &str) -> Option<String> {
        self.find(|attribute| attribute.key.into_inner() == name)
    }

    /// The attribute of this name as a number.
    pub(super) fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.value(name)?.trim().parse().ok()
    }

    /// The switch that this element sets: on, unless its value is otherwise.
    pub(super) fn is_on(&self) -> bool {
        !matches!(self.value("val").as_deref(), Some("0" | "false" | "off" | "none"))
    }

    fn find(&self, is_meant: impl Fn(&Attribute<'_>) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        let found = attributes.flatten().find(is_meant)?;
        found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
    }
}
