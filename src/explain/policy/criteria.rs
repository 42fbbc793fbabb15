//! Each reason to stop as a clause that can stand after "when".

use super::words::{count, dollars, duration, list, name, score, times};
use crate::profile::{Baseline, Budget, Criterion, GroupMember};

/// The clause of a criterion.
pub(super) fn clause(criterion: &Criterion) -> String {
    match criterion {
        Criterion::MaxIterations(1) => {
            "1 candidate has been assessed (candidate 0, and no correction)".to_owned()
        }
        Criterion::MaxIterations(most) => format!(
            "{} have been assessed (candidate 0 and {})",
            count(*most, "candidate"),
            count(most.saturating_sub(1), "correction")
        ),
        Criterion::MaxCorrections(0) => "candidate 0 has been assessed: no correction is made".to_owned(),
        Criterion::MaxCorrections(most) => format!(
            "{} {} been made ({} with candidate 0)",
            count(*most, "correction"),
            if *most == 1 { "has" } else { "have" },
            count(most.saturating_add(1), "candidate")
        ),
        Criterion::Unchanged => {
            "the candidate is the same, as JSON, as one that was assessed before".to_owned()
        }
        Criterion::Rollbacks(1) => "the candidate was rolled back".to_owned(),
        Criterion::Rollbacks(most) => format!("{most} candidates in a row were rolled back"),
        Criterion::Stagnation(course) => format!(
            "the overall scores of the last {} candidates lie less than {} apart",
            course.window,
            score(course.epsilon)
        ),
        Criterion::MinImprovement(gain) => {
            let than = match gain.baseline {
                Baseline::Previous => "that of the candidate before it",
                Baseline::Best => "the highest before it",
            };
            let row = match gain.patience {
                1 => String::new(),
                patience => format!(", for the {} time in a row", ordinal(patience)),
            };
            format!("the candidate's overall score is less than {} above {than}{row}", score(gain.delta))
        }
        Criterion::Decline(length) => {
            format!("the overall scores of the last {length} candidates fall, each below the one before")
        }
        Criterion::Oscillation(course) => {
            let size = if course.amplitude > 0.0 {
                format!(
                    "both of {} or more; a smaller step between them is no change of direction",
                    score(course.amplitude)
                )
            } else {
                "a step between them that changes nothing is no change of direction".to_owned()
            };
            format!(
                "among the last {} overall scores two neighbouring steps go in opposite directions (up, then down, or down, then up; {size}) at least {}",
                course.window,
                times(course.flips as u64)
            )
        }
        Criterion::FlipFlop(often) => format!(
            "one place in the candidate has gone back and forth between the same two values {}",
            times(*often)
        ),
        Criterion::Script(script) => {
            format!("the function {} says so", name(&format!("rules/{}", script.function.value)))
        }
        Criterion::Timeout(limit) => {
            format!("more than {} have passed since the loop began", duration(*limit))
                .replace("more than 1 second have", "more than 1 second has")
        }
        Criterion::Budget(budget) => format!("the document has used up {}", budget_words(budget, "or")),
    }
}

/// What may be used up.
pub(super) fn budget_words(budget: &Budget, last: &str) -> String {
    let money = budget.cost_usd.map(|amount| format!("{} or more", dollars(amount)));
    let tokens = budget.tokens.map(|tokens| format!("{} or more", count(tokens, "token")));
    let calls = budget.calls.map(|calls| format!("{} or more", count(calls, "call")));
    let said: Vec<String> = [money, tokens, calls].into_iter().flatten().collect();
    list(&said, last)
}

/// The clause of a group, and what is in the result when it fires.
pub(super) fn group(members: &[GroupMember], last: &str) -> String {
    let said: Vec<String> = members
        .iter()
        .map(|member| match member {
            GroupMember::One(criterion) => clause(criterion),
            GroupMember::Any(inner) => format!("one of these holds: ({})", group(inner, "or")),
            GroupMember::All(inner) => format!("all of these hold: ({})", group(inner, "and")),
        })
        .collect();
    list(&said, last)
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Millis;

    #[test]
    fn clauses_have_their_numbers() {
        assert_eq!([1, 2, 3, 4, 11, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
        assert_eq!(
            clause(&Criterion::Timeout(Millis(30_000))),
            "more than 30 seconds have passed since the loop began"
        );
        assert_eq!(
            clause(&Criterion::MaxIterations(2)),
            "2 candidates have been assessed (candidate 0 and 1 correction)"
        );
        assert_eq!(
            clause(&Criterion::MaxCorrections(1)),
            "1 correction has been made (2 candidates with candidate 0)"
        );
        let all = [
            GroupMember::One(Criterion::Unchanged),
            GroupMember::Any(vec![GroupMember::One(Criterion::Rollbacks(2))]),
        ];
        assert!(
            group(&all, "and").ends_with("and one of these holds: (2 candidates in a row were rolled back)")
        );
    }
}
