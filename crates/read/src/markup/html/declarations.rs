//! Declarations of styles, as far as they tell what is seen: of a style sheet's rules and of `style` attributes.

/// A colour that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlainColour(u8, u8, u8);

pub(super) const WHITE: PlainColour = PlainColour(255, 255, 255);
pub(super) const BLACK: PlainColour = PlainColour(0, 0, 0);
/// The greatest difference, of 255, in each part of two colours that no eye tells apart.
const ALIKE: u8 = 10;

impl PlainColour {
    /// Returns whether white text is hard to see on it.
    pub(super) fn is_light(self) -> bool {
        self.0.min(self.1).min(self.2) >= 200
    }

    /// Returns whether text of this colour can't be seen on another.
    pub(super) fn is_like(self, other: Self) -> bool {
        self.0.abs_diff(other.0) <= ALIKE
            && self.1.abs_diff(other.1) <= ALIKE
            && self.2.abs_diff(other.2) <= ALIKE
    }
}

/// The way in which an element lays out its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxKind {
    Inline,
    Block,
    /// Inline, and set apart from its neighbours.
    Apart,
    /// A row of its children, which are set apart.
    Row,
}

/// A declaration that changes what is seen, or where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenDeclaration {
    /// Neither the element nor anything in it is seen.
    Gone,
    /// The way in which it is laid out; `None` if it is not at all.
    Laid(Option<BoxKind>),
    /// Its own text is seen or not; that of its children may be.
    Visible(bool),
    /// Its letters are too small to be seen or not.
    Tiny(bool),
    /// Its text is struck out.
    Struck,
    /// White space is kept as it is.
    Kept(bool),
    /// The colour of its text; `None` for one that is not known.
    Colour(Option<PlainColour>),
    /// The colour behind it; `None` for a picture and the like.
    Background(Option<PlainColour>),
}

/// The declarations of a block or attribute that change what is seen, and whether each is important.
pub(super) fn declarations(text: &str) -> Vec<(SeenDeclaration, bool)> {
    let mut found = Vec::new();
    let (mut is_clipped, mut is_without_size, mut is_placed) = (false, false, false);
    let mut away = false;
    for one in text.split(';') {
        let Some((name, value)) = one.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim().to_ascii_lowercase();
        let (value, important) = match value.split_once('!') {
            Some((value, mark)) => (value.trim_end().to_owned(), mark.trim() == "important"),
            None => (value, false),
        };
        match name.as_str() {
            "width" | "height" | "max-height" | "max-width" => {
                is_without_size |= length(&value).is_some_and(|pixels| pixels.abs() <= 1.0);
            }
            "overflow" | "overflow-x" | "overflow-y" => {
                is_clipped |= matches!(value.as_str(), "hidden" | "clip")
            }
            "position" => is_placed = matches!(value.as_str(), "absolute" | "fixed"),
            "left" | "right" | "top" | "bottom" => away |= is_far(&value),
            _ => found.extend(declaration(&name, &value).map(|one| (one, important))),
        }
    }
    if is_clipped && is_without_size || is_placed && away {
        found.push((SeenDeclaration::Gone, false));
    }
    found
}

fn declaration(name: &str, value: &str) -> Option<SeenDeclaration> {
    Some(match name {
        "display" => display(value)?,
        "visibility" => SeenDeclaration::Visible(!matches!(value, "hidden" | "collapse")),
        "opacity" if number(value.trim_end_matches('%')).is_some_and(|share| share <= 0.01) => {
            SeenDeclaration::Gone
        }
        "font-size" => SeenDeclaration::Tiny(length(value).is_some_and(|pixels| pixels < 1.0)),
        "font" => {
            let size = value.split_whitespace().find_map(|part| length(part.split('/').next()?))?;
            SeenDeclaration::Tiny(size < 1.0)
        }
        "text-indent" if is_far(value) => SeenDeclaration::Gone,
        "transform" if value.replace(' ', "").contains("scale(0)") => SeenDeclaration::Gone,
        "clip" if is_nothing(value) => SeenDeclaration::Gone,
        "clip-path" if value.contains("inset(100%)") || value.contains("inset(50%)") => SeenDeclaration::Gone,
        "text-decoration" | "text-decoration-line" if value.contains("line-through") => {
            SeenDeclaration::Struck
        }
        "white-space" => {
            SeenDeclaration::Kept(matches!(value, "pre" | "pre-wrap" | "pre-line" | "break-spaces"))
        }
        "color" if value == "transparent" => SeenDeclaration::Visible(false),
        "color" | "-webkit-text-fill-color" => SeenDeclaration::Colour(colour(value)),
        "background-color" | "background" => background(value)?,
        "background-image" if value != "none" => SeenDeclaration::Background(None),
        _ => return None,
    })
}

fn display(value: &str) -> Option<SeenDeclaration> {
    let kind = match value {
        "none" => return Some(SeenDeclaration::Laid(None)),
        "inline" | "contents" => BoxKind::Inline,
        "block" | "list-item" | "table" | "table-row" | "flow-root" => BoxKind::Block,
        "inline-block" | "inline-table" | "table-cell" | "inline-flex" | "inline-grid" => BoxKind::Apart,
        "flex" | "grid" => BoxKind::Row,
        _ => return None,
    };
    Some(SeenDeclaration::Laid(Some(kind)))
}

fn background(value: &str) -> Option<SeenDeclaration> {
    match value {
        "none" | "transparent" | "inherit" | "initial" | "unset" => None,
        _ => Some(SeenDeclaration::Background(colour(value))),
    }
}

fn is_nothing(clip: &str) -> bool {
    let Some(sides) = clip.strip_prefix("rect(") else { return false };
    let mut sides = sides.trim_end_matches(')').split([',', ' ']).filter(|side| !side.is_empty());
    sides.all(|side| length(side).is_some_and(|pixels| pixels.abs() <= 1.0))
}

/// Returns whether a place is far off the page: `-9999px`.
fn is_far(value: &str) -> bool {
    length(value).is_some_and(|pixels| pixels <= -999.0)
}

fn number(text: &str) -> Option<f32> {
    text.trim().parse().ok()
}

/// A length, in pixels; shares of another one by a usual size.
fn length(value: &str) -> Option<f32> {
    let value = value.trim();
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    let count = number(value.strip_suffix(unit)?)?;
    Some(match unit {
        "px" => count,
        "" if count == 0.0 => 0.0,
        "pt" => count * 4.0 / 3.0,
        "em" | "rem" | "ex" | "ch" => count * 16.0,
        "%" => count * 0.16,
        "vw" | "vh" => count * 10.0,
        "mm" => count * 3.8,
        "cm" => count * 38.0,
        "in" => count * 96.0,
        _ => return None,
    })
}

/// A colour that is written as a number or with one of the plainest names; `None` for all others.
pub(super) fn colour(value: &str) -> Option<PlainColour> {
    let value = value.trim();
    if let Some(digits) = value.strip_prefix('#') {
        let part = |from: usize, to: usize| u8::from_str_radix(digits.get(from..to)?, 16).ok();
        return match digits.len() {
            3 => Some(PlainColour(part(0, 1)? * 17, part(1, 2)? * 17, part(2, 3)? * 17)),
            6 => Some(PlainColour(part(0, 2)?, part(2, 4)?, part(4, 6)?)),
            _ => None,
        };
    }
    if let Some(parts) = value.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let mut parts = parts.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok());
        return match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(red), Some(green), Some(blue), None) => Some(PlainColour(red?, green?, blue?)),
            _ => None,
        };
    }
    Some(match value {
        "white" => WHITE,
        "black" => BLACK,
        "snow" => PlainColour(255, 250, 250),
        "ivory" => PlainColour(255, 255, 240),
        "whitesmoke" => PlainColour(245, 245, 245),
        _ => return None,
    })
}
