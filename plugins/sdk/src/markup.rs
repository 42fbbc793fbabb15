//! XML and HTML as their readers see them: without tags, and with the characters that references such as `&lt;` represent.
//!
//! Text without markup is left as it is, with signs such as `p < 0.05` and `<981::AID-SIM510>` in it: a tag has a name and
//! attributes with values, nothing else.

use std::borrow::Cow;

/// A text without its markup.
///
/// * A reference becomes its character: `&lt;`, `&#60;`, `&#x3C;`, `&eacute;`.
/// * A tag that marks words (`<italic>`, `<b>`, `<span>`) goes without a trace; any other becomes the end of a line. The mark of a
///   reference (`<xref>`) is one of words, but never joins two numbers.
/// * Digits in `<sup>` and `<sub>` become raised and lowered ones: `10⁻⁵`, `CO₂`.
/// * Comments and instructions go, and so do the elements that `leave_out` names, with all that is in them: words
///   around them stay apart as with any tag of their name. One that is never closed stays.
#[must_use]
pub fn readable<'t>(text: &'t str, leave_out: &[&str]) -> Cow<'t, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut reader = MarkupReader {
        text,
        out: String::with_capacity(text.len()),
        script: DigitPosition::Line,
        leave_out: leave_out.to_vec(),
        left_out: None,
        unclosed: Vec::new(),
    };
    let mut at = 0;
    loop {
        while let Some(next) = reader.step(at) {
            at = next;
        }
        // An element that is never closed is none: it is read again as if it were not to be left out.
        let Some(open) = reader.left_out.take() else { break };
        reader.leave_out.retain(|name| !open.name.eq_ignore_ascii_case(name));
        reader.out.truncate(open.written);
        at = open.at;
    }
    Cow::Owned(reader.out)
}

/// The position of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigitPosition {
    Line,
    Raised,
    Lowered,
}

/// An element that is being left out.
struct LeftOut<'t> {
    name: &'t str,
    /// Elements of this name that are open.
    depth: usize,
    /// The position of its tag, and the length of what was written before it.
    at: usize,
    written: usize,
}

struct MarkupReader<'t, 'n> {
    text: &'t str,
    out: String,
    script: DigitPosition,
    leave_out: Vec<&'n str>,
    left_out: Option<LeftOut<'t>>,
    /// The ends of comments and the like that are known not to come any more.
    unclosed: Vec<&'static str>,
}

impl<'t> MarkupReader<'t, '_> {
    /// Reads what begins at `at`, and returns where the next begins; `None` at the end.
    fn step(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let first = rest.chars().next()?;
        match first {
            '<' => {
                for (open, close) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>"), ("<!DOCTYPE", ">")]
                {
                    let Some((contents, length)) = self.enclosed(rest, open, close) else { continue };
                    if close == "]]>" {
                        contents.chars().for_each(|c| self.push(c));
                    }
                    return Some(at + length);
                }
                if let Some(tag) = Tag::read(rest) {
                    self.tag(&tag, at);
                    return Some(at + tag.length);
                }
                self.push('<');
                Some(at + 1)
            }
            '&' => match reference(rest) {
                Some((character, length)) => {
                    self.push(character);
                    Some(at + length)
                }
                None => {
                    self.push('&');
                    Some(at + 1)
                }
            },
            other => {
                self.push(other);
                Some(at + other.len_utf8())
            }
        }
    }

    /// The text between two delimiters at the beginning, and the length of the whole.
    fn enclosed(&mut self, text: &'t str, open: &str, close: &'static str) -> Option<(&'t str, usize)> {
        let inside = text.strip_prefix(open).filter(|_| !self.unclosed.contains(&close))?;
        let Some(end) = inside.find(close) else {
            self.unclosed.push(close);
            return None;
        };
        Some((inside.get(..end)?, open.len() + end + close.len()))
    }

    fn push(&mut self, character: char) {
        if self.left_out.is_none() {
            self.out.push(match self.script {
                DigitPosition::Line => character,
                DigitPosition::Raised => raised(character),
                DigitPosition::Lowered => lowered(character),
            });
        }
    }

    fn tag(&mut self, tag: &Tag<'t>, at: usize) {
        let behind = self.text.get(at + tag.length..).unwrap_or_default();
        if let Some(left_out) = &mut self.left_out {
            if tag.name == left_out.name && !tag.is_whole {
                left_out.depth =
                    if tag.is_end { left_out.depth.saturating_sub(1) } else { left_out.depth + 1 };
            }
            if left_out.depth == 0 {
                self.left_out = None;
                self.trace(&tag.name.to_ascii_lowercase(), behind);
            }
            return;
        }
        if !tag.is_end
            && !tag.is_whole
            && self.leave_out.iter().any(|name| tag.name.eq_ignore_ascii_case(name))
        {
            self.left_out = Some(LeftOut { name: tag.name, depth: 1, at, written: self.out.len() });
            return;
        }
        let name = tag.name.to_ascii_lowercase();
        match name.as_str() {
            "sup" | "sub" => {
                let inside = if name == "sup" { DigitPosition::Raised } else { DigitPosition::Lowered };
                self.script = if tag.is_end || tag.is_whole { DigitPosition::Line } else { inside };
            }
            name => self.trace(name, behind),
        }
    }

    /// Leaves the trace of a tag of this name in the text: the end of a line, unless it marks words. The mark of a
    /// reference is not part of the number that it follows.
    fn trace(&mut self, name: &str, behind: &str) {
        let is_digit = |c: char| c.is_ascii_digit();
        let is_in_line = match name {
            "sup" | "sub" => true,
            "xref" => !(self.out.ends_with(is_digit) && behind.starts_with(is_digit)),
            other => MARKING.contains(&other),
        };
        if !is_in_line && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }
}

/// Elements that mark words within a line, in JATS and HTML.
const MARKING: [&str; 26] = [
    "a",
    "abbr",
    "b",
    "bold",
    "cite",
    "code",
    "em",
    "email",
    "ext-link",
    "font",
    "i",
    "italic",
    "mark",
    "monospace",
    "named-content",
    "roman",
    "sans-serif",
    "sc",
    "small",
    "span",
    "strike",
    "strong",
    "styled-content",
    "u",
    "underline",
    "uri",
];

/// A tag at the beginning of a text.
struct Tag<'t> {
    name: &'t str,
    is_end: bool,
    /// True if it opens and closes.
    is_whole: bool,
    /// In bytes.
    length: usize,
}

impl<'t> Tag<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('<')?;
        let is_end = inside.starts_with('/');
        let body = inside.strip_prefix('/').unwrap_or(inside);
        let name = part_of_name(body)?;
        let mut length = name.len();
        // A name has one prefix at most: `xlink:href`.
        if let Some(local) = body.get(length..)?.strip_prefix(':').and_then(part_of_name) {
            length += 1 + local.len();
        }
        let (name, mut rest) = (body.get(..length)?, body.get(length..)?);
        loop {
            let trimmed = rest.trim_start();
            for (end, is_whole) in [("/>", true), (">", false)] {
                if let Some(after) = trimmed.strip_prefix(end) {
                    let length = text.len() - after.len();
                    return Some(Tag { name, is_end, is_whole, length });
                }
            }
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = attribute(trimmed)?;
        }
    }
}

fn part_of_name(text: &str) -> Option<&str> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = text.find(|c| !is_inside(c)).unwrap_or(text.len());
    text.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// The text after an attribute with its value. No value has a `<`, so that a text is read once however many of them it
/// has.
fn attribute(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '=' | '<' | '>' | '/' | '"' | '\''))?;
    let value = text.get(end..).filter(|_| end > 0)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => {
            let inside = value.get(1..)?;
            let end = inside
                .find([quote, '<'])
                .filter(|end| inside.get(*end..).is_some_and(|at| at.starts_with(quote)))?;
            inside.get(end + 1..)
        }
        None => {
            let end = value.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '/'))?;
            value.get(end..).filter(|_| end > 0)
        }
    }
}

/// The character that a reference at the beginning represents, and the length of the reference.
fn reference(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let end = body.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end)?;
    let name = body.get(..end)?;
    let character = match name.strip_prefix('#') {
        Some(digits) => {
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))?
        }
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 2))
}

fn raised(character: char) -> char {
    match character {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '+' => '⁺',
        '-' | '−' | '–' => '⁻',
        other => other,
    }
}

fn lowered(character: char) -> char {
    match character {
        '0' => '₀',
        '1' => '₁',
        '2' => '₂',
        '3' => '₃',
        '4' => '₄',
        '5' => '₅',
        '6' => '₆',
        '7' => '₇',
        '8' => '₈',
        '9' => '₉',
        '+' => '₊',
        '-' | '−' | '–' => '₋',
        other => other,
    }
}

/// Names of characters that papers use.
const NAMED: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("shy", '\u{ad}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("minus", '−'),
    ("middot", '·'),
    ("times", '×'),
    ("plusmn", '±'),
    ("divide", '÷'),
    ("le", '≤'),
    ("ge", '≥'),
    ("ne", '≠'),
    ("asymp", '≈'),
    ("deg", '°'),
    ("micro", 'µ'),
    ("mu", 'μ'),
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("kappa", 'κ'),
    ("chi", 'χ'),
    ("sup1", '¹'),
    ("sup2", '²'),
    ("sup3", '³'),
    ("frac12", '½'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("hellip", '…'),
    ("bull", '•'),
    ("dagger", '†'),
    ("Dagger", '‡'),
    ("sect", '§'),
    ("para", '¶'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("Agrave", 'À'),
    ("Aacute", 'Á'),
    ("Acirc", 'Â'),
    ("Atilde", 'Ã'),
    ("Auml", 'Ä'),
    ("Aring", 'Å'),
    ("AElig", 'Æ'),
    ("Ccedil", 'Ç'),
    ("Egrave", 'È'),
    ("Eacute", 'É'),
    ("Ecirc", 'Ê'),
    ("Euml", 'Ë'),
    ("Iacute", 'Í'),
    ("Icirc", 'Î'),
    ("Iuml", 'Ï'),
    ("Ntilde", 'Ñ'),
    ("Ograve", 'Ò'),
    ("Oacute", 'Ó'),
    ("Ocirc", 'Ô'),
    ("Otilde", 'Õ'),
    ("Ouml", 'Ö'),
    ("Oslash", 'Ø'),
    ("OElig", 'Œ'),
    ("Scaron", 'Š'),
    ("Uacute", 'Ú'),
    ("Ucirc", 'Û'),
    ("Uuml", 'Ü'),
    ("Yacute", 'Ý'),
    ("szlig", 'ß'),
    ("agrave", 'à'),
    ("aacute", 'á'),
    ("acirc", 'â'),
    ("atilde", 'ã'),
    ("auml", 'ä'),
    ("aring", 'å'),
    ("aelig", 'æ'),
    ("ccedil", 'ç'),
    ("egrave", 'è'),
    ("eacute", 'é'),
    ("ecirc", 'ê'),
    ("euml", 'ë'),
    ("igrave", 'ì'),
    ("iacute", 'í'),
    ("icirc", 'î'),
    ("iuml", 'ï'),
    ("ntilde", 'ñ'),
    ("ograve", 'ò'),
    ("oacute", 'ó'),
    ("ocirc", 'ô'),
    ("otilde", 'õ'),
    ("ouml", 'ö'),
    ("oslash", 'ø'),
    ("oelig", 'œ'),
    ("scaron", 'š'),
    ("ugrave", 'ù'),
    ("uacute", 'ú'),
    ("ucirc", 'û'),
    ("uuml", 'ü'),
    ("yacute", 'ý'),
    ("yuml", 'ÿ'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_read_as_its_readers_see_it() {
        for (text, reads) in [
            ("p < 0.05 and > 1, A&B", "p < 0.05 and > 1, A&B"),
            ("16:9<981::AID-SIM510>3.0", "16:9<981::AID-SIM510>3.0"),
            ("1<S1::AID-X>3", "1<S1::AID-X>3"),
            ("n<a and b>c", "n<a and b>c"),
            ("16:9&lt;981::AID&gt;3", "16:9<981::AID>3"),
            ("M&#x000fc;ller &#252; &uuml;", "Müller ü ü"),
            ("a&#0; b&#xD800; c&nosuch; d&", "a&#0; b&#xD800; c&nosuch; d&"),
            ("of <italic>E. coli</italic> on", "of E. coli on"),
            ("<td>12</td><td align=\"right\">345</td>", "12\n345\n"),
            ("1.2 &#x000d7; 10<sup>-5</sup>, CO<sub>2</sub>, 120<sup>12</sup>", "1.2 × 10⁻⁵, CO₂, 120¹²"),
            ("<?xml version=\"1.0\"?><!DOCTYPE a><!-- 7 --><a x:y='1'>b</a><c:d e=\"f\"/>", "b\n"),
            ("<![CDATA[<b>5</b>]]>", "<b>5</b>"),
            ("as before <xref rid=\"B1\">1</xref>.", "as before ."),
            ("<ref-list><ref-list>1</ref-list>2</ref-list>3", "3"),
            ("a <xref>1 b <xref>2", "a 1 b 2"),
            ("<xref>1 <ref-list>2</ref-list>3", "1 \n3"),
            ("12<xref>7</xref>5 of 120<xref>8 in Table <xref>2.", "12\n5 of 120\n8 in Table 2."),
        ] {
            assert_eq!(readable(text, &["xref", "ref-list"]).trim_start_matches('\n'), reads, "{text}");
        }
    }

    #[test]
    fn unfinished_tags_are_read_once() {
        for part in
            ["<a ", "<a b=\"", "<a b=", "<", "&", "&#", "<!--", "<![CDATA[", "<xref>", "</xref>", "<?"]
        {
            let text = part.repeat(200_000);
            assert!(readable(&text, &["xref"]).len() <= text.len() + 1);
        }
    }
}
