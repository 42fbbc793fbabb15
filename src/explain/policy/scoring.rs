//! How a candidate is scored.

use super::measures::{Words, combined, disagree, words};
use super::model::Section;
use super::panel::{is_asked, members};
use super::words::{count, list, name, names, percent, score};
use crate::plan::Plan;
use crate::profile::{Combine, Dimension, Measure, Overall, SecondSource, SecondTier};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("scoring", "How a candidate is scored");
    section.say(
        "scores",
        "Every score is a number from 0 (worst) to 1 (best). In all comparisons of scores, differences of up to 0.000000001 do not count.",
    );
    section.say("overall", overall(&plan.policy.overall));
    for dimension in &plan.profile.dimensions {
        one_dimension(plan, dimension, &mut section);
    }
    members(plan, &mut section);
    section
}

fn overall(overall: &Overall) -> String {
    let missing = format!("A dimension without a score counts {}.", score(0.0));
    match overall {
        Overall::From(dimension) => {
            format!("The overall score is the dimension {}. {missing}", name(dimension))
        }
        Overall::Weighted(weights) => match weights.as_slice() {
            [(only, _)] => format!("The overall score is the dimension {}. {missing}", name(only)),
            several => {
                let terms: Vec<String> = several
                    .iter()
                    .map(|(dimension, weight)| format!("{} of {}", percent(*weight), name(dimension)))
                    .collect();
                format!("The overall score is the sum of {}. {missing}", list(&terms, "and"))
            }
        },
    }
}

/// What a dimension weighs in the overall score.
fn share(plan: &Plan, dimension: &str) -> Option<f64> {
    match &plan.policy.overall {
        Overall::From(own) => (own == dimension).then_some(1.0),
        Overall::Weighted(weights) => weights
            .iter()
            .find(|(known, _)| known == dimension)
            .map(|(_, weight)| *weight)
            .filter(|weight| *weight > 0.0),
    }
}

fn one_dimension(plan: &Plan, dimension: &Dimension, section: &mut Section) {
    let own = &dimension.name;
    let key = format!("dimension.{own}");
    let share = share(plan, own);
    let label = match share {
        Some(share) if share >= 1.0 => format!("{} (all of the overall score)", name(own)),
        Some(share) => format!("{} ({} of the overall score)", name(own), percent(share)),
        None => format!("{} (no part of the overall score)", name(own)),
    };
    let sources: Vec<&SecondSource> = dimension
        .second
        .iter()
        .flat_map(|second| &second.sources)
        .filter(|source| is_asked(plan, &source.name.value))
        .collect();
    let alone = sources.is_empty();
    let local = words(plan, own, &dimension.measure, share.filter(|_| alone));
    let told = match &dimension.second {
        Some(second) if !alone => with_panel(plan, dimension, second, &sources, local),
        _ => Words { phrase: format!("{}.", local.phrase), details: local.details },
    };
    section.labelled(key.clone(), label, format!("is {}", told.phrase));
    for (part, text) in told.details {
        section.detail(format!("{key}.{part}"), text);
    }
    let silent: Vec<&str> = dimension
        .second
        .iter()
        .flat_map(|second| &second.sources)
        .filter(|source| !is_asked(plan, &source.name.value))
        .map(|source| source.name.value.as_str())
        .collect();
    if !silent.is_empty() {
        let rest = match (&dimension.measure, alone) {
            (Measure::Given, true) => "nothing measures this dimension",
            (_, true) => "this measure stands alone",
            (_, false) => "the others stand without it",
        };
        let verb = if silent.len() == 1 { "judge" } else { "judges" };
        let is = if silent.len() == 1 { "is" } else { "are" };
        let text = format!("The {verb} {} {is} not asked, so {rest}.", names(silent, "and"));
        section.detail(format!("{key}.not_asked"), text);
    }
}

/// A dimension that judges or validators have a say in.
fn with_panel(
    plan: &Plan,
    dimension: &Dimension,
    second: &SecondTier,
    sources: &[&SecondSource],
    local: Words,
) -> Words {
    let given = matches!(dimension.measure, Measure::Given);
    let mut details = Vec::new();
    let gate = plan.policy.gate.is_some();
    if second.combine == Combine::First {
        let first = sources.first().map(|source| source_words(source)).unwrap_or_default();
        let is_validator = sources.first().is_some_and(|source| source.score.is_none());
        let until = match (gate, is_validator) {
            (true, true) => "For a candidate that misses the gate, or where the validator is not run,",
            (true, false) => "For a candidate that misses the gate",
            (false, true) => "Where the validator is not run",
            (false, false) => "",
        };
        if until.is_empty() {
            // A judge is asked about every candidate then.
            if !given {
                let text =
                    format!("As the judge is always asked, the fallback ({}) is never used.", local.phrase);
                details.push(("otherwise".to_owned(), text));
            }
        } else if given {
            details.push(("otherwise".to_owned(), format!("{until} it counts {}.", score(0.0))));
        } else {
            details.push(("otherwise".to_owned(), format!("{until} it is {}.", local.phrase)));
            details.extend(local.details.into_iter().map(|(key, text)| (format!("otherwise.{key}"), text)));
        }
        return Words { phrase: format!("{first}."), details };
    }
    let mut parts = 0;
    if !given {
        parts += 1;
        let weight = weight(second, second.weight.get());
        let what = format!("Score 1: {}{weight}.", local.phrase);
        details.push(("measure".to_owned(), what));
        details.extend(local.details.into_iter().map(|(key, text)| (format!("measure.{key}"), text)));
    }
    for source in sources {
        parts += 1;
        let weight = weight(second, source.weight.get());
        details.push((
            format!("source.{}", source.name.value),
            format!("Score {parts}: {}{weight}.", source_words(source)),
        ));
    }
    let number = sources.len() as u64;
    match second.quorum {
        None => {
            let text = format!(
                "All of these scores must be had: if one is missing, the dimension has no score and counts {}.",
                score(0.0)
            );
            details.push(("quorum".to_owned(), text));
        }
        Some(quorum) => {
            let never = if quorum > sources.len() {
                " As so many are not asked at all, that is never so."
            } else {
                ""
            };
            let text = format!(
                "At least {quorum} of {} must have answered (a number that stands in for an answer is none); the others are left out and their failure is only shown. \
                 With fewer the dimension counts {} and the critical issue `NO_QUORUM` says that a person must decide.{never}",
                count(number, "judge or validator").replace("judge or validators", "judges and validators"),
                score(0.0)
            );
            details.push(("quorum".to_owned(), text));
        }
    }
    details.extend(second.disagreement.map(|bound| ("disagreement".to_owned(), disagree(bound))));
    if gate && !given {
        let text = "For a candidate that misses the gate only score 1 is had, and counts.";
        details.push(("gate".to_owned(), text.to_owned()));
    }
    let phrase = if parts == 1 {
        "the following score.".to_owned()
    } else {
        format!("{} {parts} scores.", combined(second.combine))
    };
    Words { phrase, details }
}

fn weight(second: &SecondTier, weight: f64) -> String {
    match second.combine {
        Combine::Weighted => format!(", with the weight {}", score(weight)),
        _ => String::new(),
    }
}

fn source_words(source: &SecondSource) -> String {
    let who = name(&source.name.value);
    match &source.score {
        Some(pointer) => {
            format!("what the judge {who} says, at {} of its answer", name(&pointer.value))
        }
        None => format!("what the validator {who} says"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overall_of_one_dimension_is_that_dimension() {
        let weighted = Overall::Weighted(vec![("quality".to_owned(), 1.0)]);
        let text = overall(&weighted);
        assert_eq!(text, overall(&Overall::From("quality".to_owned())));
        assert!(text.starts_with("The overall score is the dimension `quality`."));
    }
}
