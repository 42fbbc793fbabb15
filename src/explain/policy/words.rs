//! What explanations of policies say of scores, issues and people, besides [numbers and lists](crate::value::prose).

use crate::profile::{IssueKind, Target};
pub(super) use crate::value::prose::{count, dollars, duration, list, name, plural, score, times, whole};
use crate::value::{Disposition, EPSILON, Severity};

/// The path of a file that depends on the document's type.
pub(super) fn path(template: &str) -> String {
    name(
        &template
            .replace("{{ document_type }}", "<document type>")
            .replace("{{document_type}}", "<document type>"),
    )
}

/// A share of the whole.
pub(super) fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    for decimals in 0..=2 {
        let text = format!("{hundredths:.decimals$}");
        if text.parse::<f64>().is_ok_and(|same| (same - hundredths).abs() < EPSILON) {
            return format!("{text}%");
        }
    }
    format!("about {hundredths:.2}%")
}

/// Names, set apart, as [`list`] has them.
pub(super) fn names<'a>(items: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    list(&items.into_iter().map(name).collect::<Vec<_>>(), last)
}

/// The first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The score that a name stands for.
pub(super) fn target(target: &Target) -> String {
    match target {
        Target::Overall => "the overall score".to_owned(),
        Target::Dimension(dimension) => name(dimension),
    }
}

/// Issues of a kind, in the plural.
pub(super) fn issues(kind: IssueKind) -> String {
    match kind {
        IssueKind::Severity(severity) => format!("{} issues", severity.as_str()),
        IssueKind::Disposition(Disposition::Correct) => "issues that the loop is to correct".to_owned(),
        IssueKind::Disposition(Disposition::Escalate) => "issues that a person must decide".to_owned(),
        IssueKind::Disposition(Disposition::Warn) => "issues that are only shown".to_owned(),
    }
}

/// One issue of a kind.
pub(super) fn issue(kind: IssueKind) -> String {
    match kind {
        IssueKind::Severity(severity) => format!("{} issue", severity.as_str()),
        IssueKind::Disposition(Disposition::Correct) => "issue that the loop is to correct".to_owned(),
        IssueKind::Disposition(Disposition::Escalate) => "issue that a person must decide".to_owned(),
        IssueKind::Disposition(Disposition::Warn) => "issue that is only shown".to_owned(),
    }
}

/// An issue of a severity, with its article.
pub(super) fn an_issue(severity: Severity) -> String {
    format!("a {} issue", severity.as_str())
}

/// What becomes of an issue by who handles it.
pub(super) fn handled(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::Correct => "goes back to be corrected (`correct`)",
        Disposition::Escalate => "must be decided by a person (`escalate`)",
        Disposition::Warn => "is only shown and never blocks by itself (`warn`)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percent() {
        assert_eq!([0.3, 0.125, 1.0 / 3.0, 1.0].map(percent), ["30%", "12.5%", "about 33.33%", "100%"]);
    }

    #[test]
    fn lists_are_read_aloud() {
        assert_eq!(names(["a", "b", "c"], "and"), "`a`, `b` and `c`");
        assert_eq!(names(["a"], "or"), "`a`");
        assert_eq!(capital("the overall score"), "The overall score");
        assert_eq!(path("schemas/{{ document_type }}.json"), "`schemas/<document type>.json`");
    }
}
