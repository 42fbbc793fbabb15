//! Stop criteria that never decide, because another one ends the loop whenever they would.

use super::course::{Ground, When, implied};
use super::criteria::Placed;
use super::stop::and_the_group;
use super::view::View;
use crate::diag::{Code, Problem};
use crate::profile::Criterion;

/// What is to be said of a criterion beside the `others` of its profile that can fire.
pub(super) fn check<'a>(
    view: &View<'_>,
    one: &Placed,
    others: impl Iterator<Item = &'a Placed>,
) -> Option<Problem> {
    let ground = Ground::of(view);
    let decides = |other: &&Placed| {
        other.alone
            && other.path != one.path
            && match implied(&other.criterion, &one.criterion, ground) {
                Some(When::Before) => true,
                Some(When::NotLater) => other.rank < one.rank,
                None => false,
            }
    };
    let other = others.filter(decides).min_by_key(|other| other.rank)?;
    let twice = one.criterion.key() == other.criterion.key();
    let same = one.criterion.earliest() == other.criterion.earliest();
    let message = match (twice, same && limits(one) && limits(other)) {
        (_, true) => format!("`{}` says the same as `{}`", one.path, other.path),
        _ => format!(
            "`{}` never decides: whenever it would, `{}` has ended the loop already{}",
            one.path,
            other.path,
            and_the_group(one)
        ),
    };
    let problem = if limits(one) && limits(other) && same {
        Problem::note(Code::Overtaken, &one.span, message)
    } else {
        view.doubt(Code::Overtaken, &one.span, message)
    };
    let problem = problem.help(help(one, other));
    Some(problem.related(&other.span, "this one ends the loop first"))
}

fn limits(one: &Placed) -> bool {
    super::stop::limit_itself(&one.criterion)
}

/// What would let the criterion decide.
fn help(one: &Placed, other: &Placed) -> String {
    let remove = format!("remove `{}`", one.path);
    let softer = match (&other.criterion, &one.criterion) {
        (Criterion::MinImprovement(_), Criterion::Decline(decline)) => {
            Some(format!("patience: {}", decline.length))
        }
        (Criterion::MinImprovement(_), Criterion::Stagnation(stagnation)) => {
            Some(format!("patience: {}", stagnation.window))
        }
        (Criterion::MinImprovement(_), Criterion::Rollbacks(limit)) => Some(format!("patience: {}", limit.0)),
        (Criterion::MinImprovement(_), Criterion::Oscillation(_)) => Some("patience: 2".to_owned()),
        (Criterion::Decline(_), Criterion::Oscillation(_)) => Some("length: 3".to_owned()),
        (Criterion::Rollbacks(_), Criterion::Oscillation(_)) => Some("rollbacks: 2".to_owned()),
        (Criterion::Rollbacks(_), Criterion::Decline(decline)) => {
            Some(format!("rollbacks: {}", decline.length))
        }
        (a, b) if super::stop::limit_itself(a) && super::stop::limit_itself(b) && other.is_plain() => {
            return format!("{remove}, or take the other limit away: `{}: null`", a.key());
        }
        _ => None,
    };
    match softer {
        Some(setting) => format!("{remove}, or make `{}` more patient: `{setting}`", other.path),
        None => format!("{remove}, or `{}`", other.path),
    }
}
