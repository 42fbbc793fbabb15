//! What a person gets to see, and who handles which issue.

use super::model::Section;
use super::words::{handled, list, name, score};
use crate::plan::Plan;
use crate::policy::FinalStatus;
use crate::profile::{Dispositions, OnEscalate};
use crate::value::Disposition;

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("people", "What a person gets to see");
    match &plan.profile.review {
        Some(when) => {
            let condition = when.value.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = in_words(&condition).unwrap_or_else(|| format!("the condition {} holds", name(&condition)));
            let text = format!("A result is marked for review when {words}. So is one whose candidate has an issue that a person must decide.");
            section.say("review", text);
        }
        None => section.say(
            "review",
            "A result is marked for review only when its candidate has an issue that a person must decide. One that did not pass is not marked for that: look for \
             every final status that is not `passed`.",
        ),
    }
    let text = match plan.policy.on_escalate {
        OnEscalate::Stop => "An issue that a person must decide ends the loop at once.",
        OnEscalate::Continue => {
            "An issue that a person must decide does not end the loop: it is shown, is never fed back, and other issues go on being corrected."
        }
    };
    section.say("on_escalate", text);
    handling(&plan.policy.dispositions, &mut section);
    section.say(
        "result",
        "Every result has the scores of all candidates and how many issues they had, the issues of the one that is returned, and how the loop ended and \
         why. Where a person must decide, its message says what.",
    );
    section
}

/// A condition of comparisons, in words; `None` for one that is more than that.
fn in_words(condition: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut tokens = condition.split(' ');
    loop {
        let (subject, operator, value) = (tokens.next()?, tokens.next()?, tokens.next()?);
        let of = match subject {
            "overall" => "the overall score".to_owned(),
            "status" => "the final status".to_owned(),
            dimension if dimension.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) => {
                name(dimension)
            }
            _ => return None,
        };
        let quoted = value.trim_matches(['"', '\'']);
        let value =
            match (quoted.parse::<f64>(), FinalStatus::ALL.iter().find(|status| status.as_str() == quoted)) {
                (Ok(number), _) => score(number),
                (Err(_), Some(status)) => name(status.as_str()),
                (Err(_), None) => return None,
            };
        let is = match operator {
            "<" => "is below",
            "<=" => "is at most",
            ">" => "is above",
            ">=" => "is at least",
            "==" => "is",
            "!=" => "is not",
            _ => return None,
        };
        words.push(format!("{of} {is} {value}"));
        match tokens.next() {
            None => return Some(words.join(" ")),
            Some(word @ ("and" | "or")) => words.push(word.to_owned()),
            Some(_) => return None,
        }
    }
}

fn handling(dispositions: &Dispositions, section: &mut Section) {
    let says = "An issue that says itself who handles it is handled so.";
    let one = |codes: &str, fixable: Disposition, otherwise: Disposition| {
        if fixable == otherwise {
            format!("{codes} {}.", handled(otherwise))
        } else {
            format!(
                "{codes} {} when it says of itself that the loop can put it right; otherwise it {}.",
                handled(fixable),
                handled(otherwise)
            )
        }
    };
    let listed: Vec<_> = dispositions.listed().collect();
    if let [(None, fixable, otherwise)] = listed.as_slice() {
        section.say("dispositions", format!("{says} {}", one("Any other", *fixable, *otherwise)));
        return;
    }
    section.say("dispositions", format!("{says} Of the others, an issue with the code"));
    for (code, fixable, otherwise) in listed {
        let (key, codes) = match code {
            Some(code) => (format!("dispositions.{code}"), name(code)),
            None => ("dispositions.otherwise".to_owned(), list(&["any other".to_owned()], "or")),
        };
        section.point(key, one(&codes, fixable, otherwise));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_comparisons_is_put_into_words() {
        assert_eq!(
            in_words("overall < 0.80 or status != passed").as_deref(),
            Some("the overall score is below 0.80 or the final status is not `passed`")
        );
        assert_eq!(in_words("accuracy >= 0.9").as_deref(), Some("`accuracy` is at least 0.90"));
        assert_eq!(in_words("(overall < 0.8) or status != passed"), None);
        assert_eq!(in_words("not overall"), None);
    }
}
