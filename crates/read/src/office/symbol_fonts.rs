//! Fonts whose characters are symbols: the characters that a person sees.

/// The characters of the font Symbol from 0x20 to 0x7E.
const SYMBOL_LOW: &str =
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// The characters of the font Symbol from 0xA0.
const SYMBOL_HIGH: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑";
/// A symbol that is only an ornament.
const ORNAMENT: char = '•';

/// A font of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolFont {
    Symbol,
    Wingdings,
    Wingdings2,
    Webdings,
}

impl SymbolFont {
    /// The font of this name; `None` for fonts of letters.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "symbol" => Some(SymbolFont::Symbol),
            "wingdings" => Some(SymbolFont::Wingdings),
            "wingdings 2" => Some(SymbolFont::Wingdings2),
            "wingdings 3" | "webdings" => Some(SymbolFont::Webdings),
            _ => None,
        }
    }

    /// The character that the font shows for this one.
    pub(super) fn shown(self, character: char) -> char {
        let code = match u32::from(character) {
            private @ 0xF020..=0xF0FF => private - 0xF000,
            code => code,
        };
        let Ok(code) = u8::try_from(code) else { return character };
        if code <= 0x20 || code == 0xA0 && self != SymbolFont::Symbol {
            return ' ';
        }
        match self {
            SymbolFont::Symbol => symbol(code),
            SymbolFont::Wingdings => wingding(code),
            SymbolFont::Wingdings2 => second_wingding(code),
            SymbolFont::Webdings => webding(code),
        }
    }
}

/// The text that is seen of one whose characters may be symbols of their font.
pub(super) fn shown(text: &str, font: Option<SymbolFont>) -> String {
    let is_private = |character: char| matches!(u32::from(character), 0xF020..=0xF0FF);
    text.chars()
        .map(|character| match font {
            Some(font) => font.shown(character),
            None if is_private(character) => SymbolFont::Wingdings.shown(character),
            None => character,
        })
        .collect()
}

fn symbol(code: u8) -> char {
    let (table, from) = if code < 0xA0 { (SYMBOL_LOW, 0x20) } else { (SYMBOL_HIGH, 0xA0) };
    table.chars().nth(usize::from(code.saturating_sub(from))).unwrap_or(ORNAMENT)
}

fn wingding(code: u8) -> char {
    match code {
        0x4A => '☺',
        0x4C => '☹',
        0x6C | 0x9F => '●',
        0x6E => '■',
        0x6F | 0x71 | 0x72 | 0xA8 => '☐',
        0x6D | 0xA1 => '○',
        0x75 => '◆',
        0x78 | 0xFD => '☒',
        0xA7 => '▪',
        0xD8 => '➢',
        0xDF => '←',
        0xE0 | 0xE8 => '→',
        0xFB => '✗',
        0xFC => '✓',
        0xFE => '☑',
        _ => ORNAMENT,
    }
}

fn second_wingding(code: u8) -> char {
    match code {
        0x4F => '✗',
        0x50 => '✓',
        0x51 | 0x53 | 0x54 => '☒',
        0x52 => '☑',
        0x2A | 0xA3 => '☐',
        _ => ORNAMENT,
    }
}

fn webding(code: u8) -> char {
    match code {
        0x61 => '✓',
        0x63 => '☐',
        0x67 => '■',
        _ => ORNAMENT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_the_characters_that_are_seen() {
        let seen = |font: &str, text: &str| shown(text, SymbolFont::of(font));
        assert_eq!(seen("Symbol", "m\u{f0b3}\u{f06d}\u{f0b1}5Ω"), "μ≥μ±5Ω");
        assert_eq!(seen("Symbol", "az~\u{a0}\u{e5}"), "αζ∼€∑");
        assert_eq!(seen("Wingdings", "\u{fe}\u{a8} \u{f0fe}"), "☑☐ ☑");
        assert_eq!(seen("Arial", "m\u{f0fe}"), "m☑");
    }
}
