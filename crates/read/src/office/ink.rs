//! Colours of text and of what is behind it: text in the colour of its background is not seen.

/// The largest difference of a colour's parts at which text is not told from its background.
const ALIKE: u8 = 16;
/// The size up to which text is not seen, in points.
pub(super) const UNSEEN_POINTS: f64 = 1.0;

/// A colour: red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink(pub(super) [u8; 3]);

/// The background of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backdrop {
    /// A colour.
    Plain(Ink),
    /// A picture, a gradient, or a colour that is not told here.
    Unknown,
}

impl Ink {
    /// The colour of paper.
    pub(super) const WHITE: Self = Ink([255; 3]);

    /// The colour that six hexadecimal digits are, with or without `#`.
    pub(super) fn of_hex(text: &str) -> Option<Self> {
        let digits = text.trim().trim_start_matches('#');
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6)?;
        let [_, red, green, blue] = value.to_be_bytes();
        Some(Ink([red, green, blue]))
    }

    /// The colour of this name, as highlighters have them.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(Ink(match name {
            "black" => [0, 0, 0],
            "blue" => [0, 0, 255],
            "cyan" => [0, 255, 255],
            "green" => [0, 255, 0],
            "magenta" => [255, 0, 255],
            "red" => [255, 0, 0],
            "yellow" => [255, 255, 0],
            "white" => [255, 255, 255],
            "darkBlue" => [0, 0, 128],
            "darkCyan" => [0, 128, 128],
            "darkGreen" => [0, 128, 0],
            "darkMagenta" => [128, 0, 128],
            "darkRed" => [128, 0, 0],
            "darkYellow" => [128, 128, 0],
            "darkGray" => [128, 128, 128],
            "lightGray" => [192, 192, 192],
            _ => return None,
        }))
    }

    /// Returns whether text of this colour is seen on a background.
    pub(super) fn is_seen_on(self, backdrop: Backdrop) -> bool {
        match backdrop {
            Backdrop::Unknown => true,
            Backdrop::Plain(other) => {
                self.0.iter().zip(other.0).any(|(own, other)| own.abs_diff(other) > ALIKE)
            }
        }
    }
}
