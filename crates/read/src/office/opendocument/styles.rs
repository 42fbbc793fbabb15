//! Styles of an OpenDocument file: the look of text, breaks of pages, and lists.

use super::lists::{OpenList, open_list};
use crate::office::ink::Ink;
use crate::office::office_unread::OfficeFault;
use crate::office::symbol_fonts::SymbolFont;
use crate::office::text_look::TextLook;
use crate::office::xml_cursor::{XmlCursor, XmlTag};
use std::collections::{HashMap, HashSet};

/// The most styles that have each other as parents.
const MOST_PARENTS: usize = 30;
/// The page that is used where no other one is named.
const USUAL_PAGE: &str = "Standard";

/// The styles of a document.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenStyles {
    /// By family and name.
    styles: HashMap<(String, String), OpenStyle>,
    /// The look of text in each family where no style says otherwise.
    defaults: HashMap<String, OpenFormat>,
    lists: HashMap<String, OpenList>,
    /// The pages that styles name.
    pages: HashSet<String>,
}

#[derive(Debug, Clone, Default)]
struct OpenStyle {
    parent: Option<String>,
    format: OpenFormat,
}

/// The properties of a style, as far as they are set.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenFormat {
    pub(super) look: TextLook,
    /// The background of a paragraph or cell.
    pub(super) shade: Option<Ink>,
    pub(super) begins_page: bool,
    pub(super) list: Option<String>,
    /// The level of headings in this style.
    pub(super) outline: Option<u8>,
    /// `true` if a table in this style is not shown.
    pub(super) is_hidden: bool,
}

impl OpenFormat {
    fn with(self, other: &Self) -> Self {
        OpenFormat {
            look: self.look.with(other.look),
            shade: other.shade.or(self.shade),
            begins_page: self.begins_page || other.begins_page,
            list: other.list.clone().or(self.list),
            outline: other.outline.or(self.outline),
            is_hidden: self.is_hidden || other.is_hidden,
        }
    }
}

impl OpenStyles {
    /// Reads the styles of a part, which replace those of the same name.
    pub(super) fn read(&mut self, text: &str) -> Result<(), OfficeFault> {
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            if !matches!(tag.name(), "styles" | "automatic-styles") {
                xml.skip()?;
                continue;
            }
            while let Some(tag) = xml.child()? {
                let name = tag.value("name").unwrap_or_default();
                let family = tag.value("family").unwrap_or_default();
                match tag.name() {
                    "style" => {
                        let parent = tag.value("parent-style-name");
                        let format = self.format(&tag, &mut xml)?;
                        self.styles.insert((family, name), OpenStyle { parent, format });
                    }
                    "default-style" => {
                        let format = self.format(&tag, &mut xml)?;
                        self.defaults.insert(family, format);
                    }
                    "list-style" => {
                        let list = open_list(&mut xml)?;
                        self.lists.insert(name, list);
                    }
                    _ => xml.skip()?,
                }
            }
        }
        Ok(())
    }

    fn format(&mut self, tag: &XmlTag<'_>, xml: &mut XmlCursor<'_>) -> Result<OpenFormat, OfficeFault> {
        let page = tag.value("master-page-name").filter(|page| !page.is_empty());
        let mut format = OpenFormat {
            begins_page: page.is_some(),
            list: tag.value("list-style-name").filter(|list| !list.is_empty()),
            outline: tag.number("default-outline-level"),
            ..OpenFormat::default()
        };
        self.pages.extend(page);
        let color = |value: String| Ink::of_hex(&value);
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "text-properties" => {
                    format.look = TextLook {
                        hidden: tag.value("display").map(|display| display == "none"),
                        points: tag.value("font-size").and_then(|size| size.strip_suffix("pt")?.parse().ok()),
                        ink: tag.prefixed("fo:color").map(color),
                        shade: tag.value("background-color").map(color),
                        raised: tag.value("text-position").map(|position| is_raised(&position)),
                        font: tag.value("font-name").map(|font| SymbolFont::of(&font)),
                    };
                    if tag.value("use-window-font-color").is_some_and(|uses| uses == "true") {
                        format.look.ink = Some(None);
                    }
                }
                "paragraph-properties" | "table-cell-properties" | "graphic-properties" => {
                    format.shade =
                        tag.value("background-color").or_else(|| tag.value("fill-color")).and_then(color);
                    format.begins_page |= tag.value("break-before").is_some_and(|kind| kind == "page");
                }
                "table-properties" => {
                    format.is_hidden = tag.value("display").is_some_and(|display| display == "false");
                    format.begins_page |= tag.value("break-before").is_some_and(|kind| kind == "page");
                }
                _ => {}
            }
            xml.skip()?;
        }
        Ok(format)
    }

    /// Returns whether a style of paragraphs is that of a document's title.
    pub(super) fn is_title(&self, name: Option<&str>) -> bool {
        let chain = name.map(|name| self.names("paragraph", name)).unwrap_or_default();
        chain.iter().any(|name| name == "Title")
    }

    fn names(&self, family: &str, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        while let Some(parent) = names.last().and_then(|name| self.parent(family, name)) {
            if names.len() >= MOST_PARENTS {
                break;
            }
            names.push(parent);
        }
        names
    }

    fn parent(&self, family: &str, name: &str) -> Option<String> {
        self.styles.get(&(family.to_owned(), name.to_owned()))?.parent.clone()
    }

    /// The properties of a style of a family, with those of its parents.
    pub(super) fn of(&self, family: &str, name: Option<&str>) -> OpenFormat {
        let mut format = self.defaults.get(family).cloned().unwrap_or_default();
        for style in self.chain(family, name) {
            format = format.with(&style.format);
        }
        format
    }

    /// The look of text in a style, on top of another look.
    pub(super) fn text(&self, name: Option<&str>, look: TextLook) -> TextLook {
        self.chain("text", name).into_iter().fold(look, |look, style| look.with(style.format.look))
    }

    fn chain<'s>(&'s self, family: &str, name: Option<&str>) -> Vec<&'s OpenStyle> {
        let find = |name: &str| self.styles.get(&(family.to_owned(), name.to_owned()));
        let mut chain = Vec::new();
        let mut next = name.and_then(find);
        while let Some(style) = next.filter(|_| chain.len() < MOST_PARENTS) {
            chain.push(style);
            next = style.parent.as_deref().and_then(find);
        }
        chain.reverse();
        chain
    }

    /// The list of this name.
    pub(super) fn list(&self, name: &str) -> Option<&OpenList> {
        self.lists.get(name)
    }

    /// Returns whether pages of this name are used.
    pub(super) fn uses_page(&self, name: &str) -> bool {
        name == USUAL_PAGE || self.pages.contains(name)
    }
}

/// Returns whether text in this position is above the line: `super 58%`, `33% 58%`.
fn is_raised(position: &str) -> bool {
    let first = position.split_whitespace().next().unwrap_or_default();
    first == "super" || first.trim_end_matches('%').parse::<f64>().is_ok_and(|percent| percent > 0.0)
}
