//! Lexical forms of the XML Schema datatypes (XSD 1.1, part 2), as data formats that carry values as text use them.
//!
//! Values are inspected as they are: no whitespace is collapsed. Where the form alone says too little, the value is
//! inspected, too: days that the month does not have, integers beyond their type, doubles beyond every double.

use crate::decode_words;
use regex::Regex;
use std::sync::LazyLock;

macro_rules! datatypes {
    ($($word:literal => $name:ident),+ $(,)?) => {
        /// A datatype, named `xs:…`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Datatype { $($name),+ }

        decode_words!(Datatype, "datatype", { $($word: "" => Datatype::$name),+ });

        impl Datatype {
            /// Every name, in the order of the alphabet.
            pub const NAMES: &'static [&'static str] = &[$($word),+];

            /// The datatype of this name, such as `xs:int`.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Datatype::$name),)+
                    _ => None,
                }
            }

            /// Its name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Datatype::$name => $word),+ }
            }
        }
    };
}

datatypes! {
    "xs:anyURI" => AnyUri,
    "xs:base64Binary" => Base64Binary,
    "xs:boolean" => Boolean,
    "xs:byte" => Byte,
    "xs:date" => Date,
    "xs:dateTime" => DateTime,
    "xs:decimal" => Decimal,
    "xs:double" => Double,
    "xs:duration" => Duration,
    "xs:float" => Float,
    "xs:gDay" => GDay,
    "xs:gMonth" => GMonth,
    "xs:gMonthDay" => GMonthDay,
    "xs:gYear" => GYear,
    "xs:gYearMonth" => GYearMonth,
    "xs:hexBinary" => HexBinary,
    "xs:int" => Int,
    "xs:integer" => Integer,
    "xs:long" => Long,
    "xs:negativeInteger" => NegativeInteger,
    "xs:nonNegativeInteger" => NonNegativeInteger,
    "xs:nonPositiveInteger" => NonPositiveInteger,
    "xs:positiveInteger" => PositiveInteger,
    "xs:short" => Short,
    "xs:string" => String,
    "xs:time" => Time,
    "xs:unsignedByte" => UnsignedByte,
    "xs:unsignedInt" => UnsignedInt,
    "xs:unsignedLong" => UnsignedLong,
    "xs:unsignedShort" => UnsignedShort,
}

const ZONE: &str = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?";
const YEAR: &str = r"-?(?:[1-9][0-9]{3,}|0[0-9]{3})";
const MONTH: &str = r"(?:0[1-9]|1[0-2])";
const DAY: &str = r"(?:0[1-9]|[12][0-9]|3[01])";
const CLOCK: &str = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)";

#[expect(clippy::unwrap_used, reason = "constants, compiled by the tests below")]
fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).unwrap()
}

macro_rules! form {
    ($name:ident, $($pattern:tt)+) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| whole(&format!($($pattern)+)));
    };
}

form!(DATE, "({YEAR})-({MONTH})-({DAY}){ZONE}");
form!(DATE_TIME, "({YEAR})-({MONTH})-({DAY})T{CLOCK}{ZONE}");
form!(TIME, "{CLOCK}{ZONE}");
form!(G_DAY, "---{DAY}{ZONE}");
form!(G_MONTH, "--{MONTH}{ZONE}");
form!(G_MONTH_DAY, "--({MONTH})-({DAY}){ZONE}");
form!(G_YEAR, "{YEAR}{ZONE}");
form!(G_YEAR_MONTH, "{YEAR}-{MONTH}{ZONE}");
form!(DECIMAL, r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)");
form!(DOUBLE, r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN");
form!(INTEGER, "[+-]?[0-9]+");
form!(
    DURATION,
    r"-?P(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
);

impl Datatype {
    /// Returns whether `text` is a literal of the datatype.
    #[must_use]
    pub fn admits(self, text: &str) -> bool {
        match self {
            Datatype::String => text.chars().all(is_xml_char),
            Datatype::Boolean => matches!(text, "true" | "false" | "1" | "0"),
            Datatype::AnyUri => is_iri_reference(text),
            Datatype::Base64Binary => is_base64(text),
            Datatype::HexBinary => {
                text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit())
            }
            Datatype::Decimal => DECIMAL.is_match(text),
            Datatype::Double => {
                DOUBLE.is_match(text) && text.parse().is_ok_and(|n: f64| n.is_finite() || is_special(text))
            }
            Datatype::Float => {
                DOUBLE.is_match(text) && text.parse().is_ok_and(|n: f32| n.is_finite() || is_special(text))
            }
            Datatype::Duration => DURATION.is_match(text) && !text.ends_with(['P', 'T']),
            Datatype::Date => is_date(&DATE, text),
            Datatype::DateTime => is_date(&DATE_TIME, text),
            Datatype::Time => TIME.is_match(text),
            Datatype::GDay => G_DAY.is_match(text),
            Datatype::GMonth => G_MONTH.is_match(text),
            Datatype::GMonthDay => G_MONTH_DAY.captures(text).is_some_and(|found| {
                let part = |n: usize| found.get(n).and_then(|part| part.as_str().parse::<u8>().ok());
                part(1).zip(part(2)).is_some_and(|(month, day)| day <= days(month, true))
            }),
            Datatype::GYear => G_YEAR.is_match(text),
            Datatype::GYearMonth => G_YEAR_MONTH.is_match(text),
            Datatype::Integer => INTEGER.is_match(text),
            Datatype::NegativeInteger => integer(text).is_some_and(|(negative, zero)| negative && !zero),
            Datatype::NonPositiveInteger => integer(text).is_some_and(|(negative, zero)| negative || zero),
            Datatype::NonNegativeInteger => integer(text).is_some_and(|(negative, zero)| !negative || zero),
            Datatype::PositiveInteger => integer(text).is_some_and(|(negative, zero)| !negative && !zero),
            Datatype::Byte => INTEGER.is_match(text) && text.parse::<i8>().is_ok(),
            Datatype::Short => INTEGER.is_match(text) && text.parse::<i16>().is_ok(),
            Datatype::Int => INTEGER.is_match(text) && text.parse::<i32>().is_ok(),
            Datatype::Long => INTEGER.is_match(text) && text.parse::<i64>().is_ok(),
            Datatype::UnsignedByte => unsigned(text).is_some_and(|n| u8::try_from(n).is_ok()),
            Datatype::UnsignedShort => unsigned(text).is_some_and(|n| u16::try_from(n).is_ok()),
            Datatype::UnsignedInt => unsigned(text).is_some_and(|n| u32::try_from(n).is_ok()),
            Datatype::UnsignedLong => unsigned(text).is_some(),
        }
    }
}

fn is_special(text: &str) -> bool {
    text.ends_with("INF") || text == "NaN"
}

/// Returns whether an integer of any size has a minus, and whether it is zero.
fn integer(text: &str) -> Option<(bool, bool)> {
    INTEGER
        .is_match(text)
        .then(|| (text.starts_with('-'), text.bytes().all(|b| matches!(b, b'+' | b'-' | b'0'))))
}

/// The value of an unsigned literal; `-0` is one.
fn unsigned(text: &str) -> Option<u64> {
    match integer(text)? {
        (true, true) => Some(0),
        (true, false) => None,
        (false, _) => text.parse().ok(),
    }
}

/// Returns whether a date exists; `form` has its year, month and day as groups.
fn is_date(form: &Regex, text: &str) -> bool {
    let Some(found) = form.captures(text) else { return false };
    let part = |n: usize| found.get(n).map_or("", |part| part.as_str());
    let (Ok(month), Ok(day)) = (part(2).parse(), part(3).parse::<u8>()) else { return false };
    day <= days(month, is_leap(part(1)))
}

/// Returns whether a year of any length is a leap year. XSD 1.1 has a year 0, so that the years before it continue the
/// count.
fn is_leap(year: &str) -> bool {
    let digits = year.trim_start_matches('-');
    // 400 divides 10,000: the last four digits decide.
    let last = digits.get(digits.len().saturating_sub(4)..).and_then(|last| last.parse::<u32>().ok());
    last.is_some_and(|year| year % 400 == 0 || (year % 4 == 0 && year % 100 != 0))
}

fn days(month: u8, leap: bool) -> u8 {
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Base64 with single spaces between characters, as XSD allows.
fn is_base64(text: &str) -> bool {
    if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        return false;
    }
    let (mut letters, mut padding) = (0_usize, 0_usize);
    for b in text.bytes().filter(|b| *b != b' ') {
        match b {
            b'=' => padding += 1,
            b'+' | b'/' if padding == 0 => letters += 1,
            b if b.is_ascii_alphanumeric() && padding == 0 => letters += 1,
            _ => return false,
        }
    }
    padding <= 2 && (letters + padding) % 4 == 0 && (padding == 0 || letters % 4 >= 2)
}

/// A character that XML 1.0 can carry.
fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// An IRI reference by RFC 3987: a scheme, an authority, a path, a query and a fragment, as far as they are given.
fn is_iri_reference(text: &str) -> bool {
    let (rest, fragment) = text.split_once('#').map_or((text, ""), |(rest, fragment)| (rest, fragment));
    let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, query)| (rest, query));
    let (scheme, rest) = match rest.split_once(':') {
        // A colon after the first slash belongs to the path.
        Some((before, after)) if !before.contains('/') => (Some(before), after),
        _ => (None, rest),
    };
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) => {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            (authority, path)
        }
        None => ("", rest),
    };
    // An address of IP version 6 or later is in brackets.
    let host = match (authority.find('['), authority.find(']')) {
        (Some(open), Some(close)) if open < close => {
            let literal = authority.get(open + 1..close).unwrap_or_default();
            let plain = literal.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'-'));
            if !plain {
                return false;
            }
            format!(
                "{}{}",
                authority.get(..open).unwrap_or_default(),
                authority.get(close + 1..).unwrap_or_default()
            )
        }
        _ => authority.to_owned(),
    };
    scheme.is_none_or(is_scheme)
        && is_iri_part(&host, "@:", false)
        && is_iri_part(path, "/@:", false)
        && is_iri_part(query, "/?@:", true)
        && is_iri_part(fragment, "/?@:", false)
}

/// Returns whether a part holds only characters of RFC 3987: unreserved ones, delimiters, escapes and `extra`.
fn is_iri_part(text: &str, extra: &str, private: bool) -> bool {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let fits = match c {
            '%' => {
                let mut digit = || rest.next().is_some_and(|d| d.is_ascii_hexdigit());
                digit() && digit()
            }
            c if c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c) || extra.contains(c) => true,
            '\u{a0}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{ffef}' => true,
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => private,
            // Planes 1 to 14 without their last two code points; in plane 14 from U+E1000 on.
            '\u{e0000}'..='\u{e0fff}' => false,
            '\u{10000}'.. => u32::from(c) & 0xffff <= 0xfffd,
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_told_from_other_texts() {
        for (name, good, bad) in [
            ("xs:string", &["", "a b\n", "é😀"][..], &["\u{1b}", "\u{0}", "\u{ffff}"][..]),
            ("xs:boolean", &["true", "0"], &["TRUE", "yes", ""]),
            ("xs:decimal", &["-0.0", "+1", ".5", "1."], &["1e2", "", ".", "INF", "1,5"]),
            (
                "xs:double",
                &["+12.34e56", "-INF", "NaN", "1", "+INF"],
                &["nan", "12.34e5.6", "1e1234567890", "", "inf"],
            ),
            ("xs:float", &["1e38", "0.00000000000000000000000000000000000001"], &["1e39", "1.5f"]),
            ("xs:integer", &["123456789012345678901234567890", "-0"], &["1.0", "1e2", "--1", ""]),
            ("xs:byte", &["-128", "+127", "0007"], &["128", "-129", "1.2"]),
            ("xs:long", &["000", "+1", "9223372036854775807"], &["9223372036854775808", "1e2"]),
            ("xs:unsignedByte", &["255", "+1", "-0"], &["256", "-1"]),
            ("xs:unsignedLong", &["18446744073709551615"], &["18446744073709551616"]),
            ("xs:positiveInteger", &["+57345", "1"], &["0", "-1"]),
            ("xs:nonNegativeInteger", &["0", "-0"], &["-1"]),
            ("xs:negativeInteger", &["-1"], &["0", "-2**5", "1"]),
            ("xs:nonPositiveInteger", &["0", "-7", "+0"], &["1"]),
            (
                "xs:date",
                &["2024-02-29", "-0004-02-29Z", "12024-12-31+14:00"],
                &["2023-02-29", "2024-04-31", "24-01-01", "2024-01-01+14:01"],
            ),
            (
                "xs:dateTime",
                &["2022-04-01T24:00:00-00:00", "2022-04-01T01:02:03.5"],
                &["2022-04-01", "2021-02-29T00:00:00Z", "2022-04-01T25:00:00"],
            ),
            ("xs:time", &["21:32:52", "21:32:52.1+02:00"], &["21:32", "21:32:52-02:00:12"]),
            ("xs:duration", &["P1Y", "-PT1.5S", "P1DT2H"], &["1234", "P", "PT", "P1DT", "P1S", "P-1D"]),
            ("xs:gDay", &["---31", "---01Z"], &["---32", "31"]),
            ("xs:gMonth", &["--12"], &["--13"]),
            ("xs:gMonthDay", &["--11-01", "--02-29"], &["01-15", "--11-31", "--11-01+02:00:12"]),
            ("xs:gYear", &["2001", "-0230Z"], &["2001-12", "", "01"]),
            ("xs:gYearMonth", &["0119-12-14:00"], &["01-13", "2001"]),
            ("xs:hexBinary", &["", "0Fb8"], &["123", "0g"]),
            ("xs:base64Binary", &["", "0FB8", "0FB80F==", "0F B8"], &["0FB", "=", "0FB8=", "0F=B"]),
            (
                "xs:anyURI",
                &[
                    "",
                    "http://datypic.com/a?b#c",
                    "urn:x:y",
                    "../a%20b",
                    "http://[::1]:8080/",
                    "mailto:a@b",
                    "/a:b",
                ],
                &[
                    "http://datypic.com#frag1#frag2",
                    "a b",
                    "%zz",
                    "1:x",
                    "http://[x y]/",
                    "\u{108c1a}",
                    "\u{83}",
                ],
            ),
        ] {
            let datatype = Datatype::named(name).unwrap();
            assert_eq!(datatype.as_str(), name);
            for text in good {
                assert!(datatype.admits(text), "{name} {text:?}");
            }
            for text in bad {
                assert!(!datatype.admits(text), "{name} {text:?}");
            }
        }
        // Compiles the forms that no case above has used.
        for name in Datatype::NAMES {
            assert!(!Datatype::named(name).unwrap().admits("\u{ffff}"), "{name}");
        }
    }
}
