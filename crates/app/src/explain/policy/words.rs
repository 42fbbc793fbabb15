//! Words of explanations of policies for scores, issues and people, besides [numbers and lists](crate::value::prose).

use crate::value::EPSILON;
pub(super) use crate::value::prose::{capital, count, list, name, plural, score, times, whole};

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

/// The score that a name refers to.
pub(super) fn target(target: &str) -> String {
    if target == "overall" { "the overall score".to_owned() } else { name(target) }
}

/// An issue of a kind (a severity, or its handler), or issues.
pub(super) fn issues(kind: &str, several: bool) -> String {
    let (issue, are) = if several { ("issues", "are") } else { ("issue", "is") };
    match kind {
        "correct" => format!("{issue} that the loop is to correct"),
        "escalate" => format!("{issue} that a person must decide"),
        "warn" => format!("{issue} that {are} only shown"),
        severity => format!("{severity} {issue}"),
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
    fn names_stand_apart() {
        assert_eq!(path("schemas/{{ document_type }}.json"), "`schemas/<document type>.json`");
    }
}
