//! The elements of a page that are seen, and how: by what is inherited, by rules, by attributes.

use super::declarations::{BLACK, BoxKind, PlainColour, SeenDeclaration, WHITE, colour};
use super::style_rules::StyleRules;
use super::tree::{NodeId, PageTree};

/// The looks of the text of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextLook {
    is_visible: bool,
    is_tiny: bool,
    text: Option<PlainColour>,
    behind: Option<PlainColour>,
    /// White space is kept.
    pub(super) is_kept: bool,
    /// Digits are raised, lowered or neither.
    pub(super) script: ScriptPosition,
    /// The layout of the element, if a style says it.
    pub(super) laid: Option<BoxKind>,
}

/// The position of text on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptPosition {
    Line,
    Raised,
    Lowered,
}

impl TextLook {
    /// Black on white.
    pub(super) fn plain() -> Self {
        TextLook {
            is_visible: true,
            is_tiny: false,
            text: Some(BLACK),
            behind: Some(WHITE),
            is_kept: false,
            script: ScriptPosition::Line,
            laid: None,
        }
    }

    /// Returns whether text of this look is seen.
    pub(super) fn is_seen(&self, rules: &StyleRules) -> bool {
        let is_hidden_by_colour = !rules.has_unknown_colours
            && self.text.zip(self.behind).is_some_and(|(text, behind)| text.is_like(behind));
        self.is_visible && !self.is_tiny && !is_hidden_by_colour
    }
}

/// The look of an element within one of this look.
pub(super) enum ElementLook {
    Seen(TextLook),
    /// Neither it nor anything in it is seen.
    Gone,
    /// That takes too long to find out.
    Unknown,
}

/// The look of an element.
pub(super) fn look(
    tree: &PageTree,
    element: NodeId,
    ancestors: &[NodeId],
    outer: TextLook,
    rules: &StyleRules,
) -> ElementLook {
    let name = tree.name(element).unwrap_or_default();
    let mut look = TextLook { laid: None, ..outer };
    by_attributes(tree, element, name, &mut look);
    let mut is_laid_out = tree.attribute(element, "hidden").is_none()
        && !(name == "dialog" && tree.attribute(element, "open").is_none());
    let Some(declared) = rules.declared(tree, element, ancestors) else { return ElementLook::Unknown };
    for one in declared {
        match one {
            SeenDeclaration::Gone | SeenDeclaration::Struck => return ElementLook::Gone,
            SeenDeclaration::Laid(laid) => {
                is_laid_out = laid.is_some();
                look.laid = laid;
            }
            SeenDeclaration::Visible(is_visible) => look.is_visible = is_visible,
            SeenDeclaration::Tiny(is_tiny) => look.is_tiny = is_tiny,
            SeenDeclaration::Kept(is_kept) => look.is_kept = is_kept,
            SeenDeclaration::Colour(colour) => look.text = colour,
            SeenDeclaration::Background(colour) => look.behind = colour,
        }
    }
    if is_laid_out { ElementLook::Seen(look) } else { ElementLook::Gone }
}

fn by_attributes(tree: &PageTree, element: NodeId, name: &str, look: &mut TextLook) {
    match name {
        "sup" => look.script = ScriptPosition::Raised,
        "sub" => look.script = ScriptPosition::Lowered,
        "pre" | "textarea" | "listing" | "xmp" | "plaintext" => look.is_kept = true,
        // Links and controls have colours of their own.
        "a" | "button" | "input" | "select" | "mark" => {
            look.text = None;
        }
        _ => {}
    }
    let named = |attribute: &str| tree.attribute(element, attribute).map(str::to_ascii_lowercase);
    if let Some(own) = named("bgcolor") {
        look.behind = colour(&own);
    }
    if tree.attribute(element, "background").is_some() {
        look.behind = None;
    }
    let text = match name {
        "font" => named("color"),
        "body" => named("text"),
        _ => None,
    };
    if let Some(own) = text {
        look.text = colour(&own);
    }
}
