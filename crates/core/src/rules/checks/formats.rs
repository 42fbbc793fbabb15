//! Recognizers of the formats that rules name. They inspect the text as it is, without trimming.

use super::format::Format;
use jiff::civil::Date;

/// Returns whether `text` is written as the format demands.
pub(super) fn is_format(format: Format, text: &str) -> bool {
    match format {
        Format::Date => parse_date(text).is_some(),
        Format::Duration => is_duration(text),
        Format::Orcid => is_orcid(text),
        Format::Doi => is_doi(text),
        Format::Pmid => is_pmid(text),
        Format::Issn => is_issn(text),
        Format::Url => is_url(text),
        Format::Email => is_email(text),
        Format::Xsd(datatype) => datatype.admits(text),
    }
}

/// The date that an ISO 8601 text (`2024-06-19`, a time of day and an offset may follow) gives.
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    // The shape is checked first: it is cheap, and the library's other spellings (`20240619`) are not dates here.
    let shape = text.as_bytes();
    let dashes = shape.get(4) == Some(&b'-') && shape.get(7) == Some(&b'-');
    if !dashes {
        return None;
    }
    let (date, time) = (text.get(..10)?, text.get(10..)?);
    if !time.is_empty() {
        let time = time.strip_prefix(['T', 't', ' '])?;
        let time = time.strip_suffix(['Z', 'z']).unwrap_or(time);
        let clock = time.find(['+', '-']).and_then(|at| time.get(..at)).unwrap_or(time);
        clock.parse::<jiff::civil::Time>().ok()?;
    }
    date.parse().ok()
}

fn is_duration(text: &str) -> bool {
    !text.is_empty() && text.parse::<jiff::Span>().is_ok()
}

/// The rest of `text` after the first of these beginnings that it has, in any case.
fn strip_any<'a>(text: &'a str, beginnings: &[&str]) -> &'a str {
    beginnings
        .iter()
        .find_map(|b| {
            let head = text.get(..b.len())?;
            head.eq_ignore_ascii_case(b).then(|| text.get(b.len()..)).flatten()
        })
        .unwrap_or(text)
}

/// Digits between dashes, as many in each group as `groups` says; the last may be `X`.
fn digits_in_groups<'a>(text: &'a str, groups: &'a [usize]) -> Option<impl Iterator<Item = u32> + 'a> {
    let total: usize = groups.iter().sum();
    let shaped = text.split('-').map(str::len).eq(groups.iter().copied());
    let mut seen = 0;
    let spelled = text.chars().filter(|c| *c != '-').all(|c| {
        seen += 1;
        c.is_ascii_digit() || (seen == total && matches!(c, 'X' | 'x'))
    });
    (shaped && spelled).then(|| text.chars().filter(|c| *c != '-').map(|c| c.to_digit(10).unwrap_or(10)))
}

/// ISO 7064 MOD 11-2, as ORCID describes it: fold each digit into a sum, double it, and the check digit brings the
/// whole to 1 modulo 11.
fn is_orcid(text: &str) -> bool {
    let id = strip_any(text, &["https://orcid.org/", "http://orcid.org/"]);
    digits_in_groups(id, &[4, 4, 4, 4])
        .is_some_and(|digits| digits.fold(0_u32, |sum, digit| (sum * 2 + digit) % 11) == 1)
}

/// ISSN: digits weighted 8 down to 1 add up to a multiple of 11.
fn is_issn(text: &str) -> bool {
    let id = strip_any(text, &["ISSN ", "ISSN: ", "ISSN:"]);
    digits_in_groups(id, &[4, 4]).is_some_and(|digits| {
        digits.zip((1..=8).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11 == 0
    })
}

fn is_doi(text: &str) -> bool {
    let doi = strip_any(
        text,
        &[
            "https://doi.org/",
            "http://doi.org/",
            "https://dx.doi.org/",
            "http://dx.doi.org/",
            "doi: ",
            "doi:",
        ],
    );
    let Some((registrant, suffix)) = doi.strip_prefix("10.").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let number = registrant.split('.').next().unwrap_or_default();
    (4..=9).contains(&number.len())
        && registrant.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        && !suffix.is_empty()
        && !suffix.contains(char::is_whitespace)
}

fn is_pmid(text: &str) -> bool {
    let id = strip_any(text, &["PMID: ", "PMID:", "PMID "]);
    (1..=8).contains(&id.len()) && !id.starts_with('0') && id.bytes().all(|b| b.is_ascii_digit())
}

fn is_url(text: &str) -> bool {
    let rest = strip_any(text, &["https://", "http://"]);
    if rest.len() == text.len()
        || text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c))
    {
        return false;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host, ""),
    };
    let labels = host.trim_end_matches('.');
    !labels.is_empty()
        && port.bytes().all(|b| b.is_ascii_digit())
        && (labels.starts_with('[')
            || labels.split('.').all(|l| {
                !l.is_empty()
                    && !l.starts_with('-')
                    && !l.ends_with('-')
                    && l.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
            }))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let allowed = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    !local.is_empty()
        && local.len() <= 64
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.chars().all(allowed)
        && domain.contains('.')
        && domain.split('.').all(|l| {
            !l.is_empty()
                && !l.starts_with('-')
                && !l.ends_with('-')
                && l.chars().all(|c| c.is_alphanumeric() || c == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_knows_its_own() {
        let table: [(Format, &[&str], &[&str]); 8] = [
            (
                Format::Date,
                &["2024-02-29", "2024-06-19T10:00:00Z", "2024-06-19 10:00", "2024-06-19T10:00:00+02:00"],
                &["2023-02-29", "2024-6-1", "19.06.2024", "", "2024-06-19x", "20240619", "2024-06-19T99:00"],
            ),
            (Format::Duration, &["P1DT2H", "PT30M", "2h 30m", "P2W"], &["", "fast", "12", "P"]),
            (
                Format::Orcid,
                &["0000-0002-1825-0097", "https://orcid.org/0000-0002-1694-233X", "0000-0001-5109-3700"],
                &[
                    "0000-0002-1825-0098",
                    "0000-0002-1694-2330",
                    "0000000218250097",
                    "X000-0002-1825-0097",
                    "",
                ],
            ),
            (
                Format::Doi,
                &["10.1000/xyz123", "https://doi.org/10.1038/nature12373", "doi:10.1000.10/1"],
                &["10.1000", "11.1000/x", "10.1/x", "10.1000/", "10.1000/a b"],
            ),
            (Format::Pmid, &["1", "23193287", "PMID: 23193287"], &["", "0123", "123456789", "12a", "PMC123"]),
            (
                Format::Issn,
                &["0317-8471", "2434-561X", "ISSN 1050-124X"],
                &["0317-8472", "03178471", "2434-5610", ""],
            ),
            (
                Format::Url,
                &["https://example.org", "http://a.b:80/c?d=e#f", "https://[::1]/x", "HTTPS://träger.de"],
                &["example.org", "ftp://x.y", "http://", "http://a b", "https://-a.b", "http://a..b"],
            ),
            (
                Format::Email,
                &["a.b+c@example.org", "x@y.zz"],
                &["a@b", "@b.c", "a b@c.d", "a..b@c.d", "a@.c", "a@b@", ".a@b.c"],
            ),
        ];
        for (format, valid, invalid) in table {
            for text in valid {
                assert!(is_format(format, text), "{} should be a {}", text, format.as_str());
            }
            for text in invalid {
                assert!(!is_format(format, text), "{} should not be a {}", text, format.as_str());
            }
        }
    }
}
