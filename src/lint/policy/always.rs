//! Stop criteria that end every run at the same place, and limits that no run comes to.

use super::criteria::Placed;
use super::view::{View, counted, number};
use crate::diag::{Code, Problems};
use crate::profile::{Baseline, Criterion};
use crate::value::{EPSILON, Millis};

/// Says of a criterion that it fires whatever is scored.
pub(super) fn check(view: &View<'_>, one: &Placed, problems: &mut Problems) {
    if !one.alone {
        return;
    }
    let range = view.overall();
    let span = format!("the overall score goes from {} to {}", number(range.low), number(range.high));
    let (why, help) = match &one.criterion {
        Criterion::Timeout(limit) if limit.after == Millis(0) => (
            "making a candidate always takes some time".to_owned(),
            "write a time such as `30s`, or remove it",
        ),
        Criterion::Budget(budget) if budget.cost_usd.is_some_and(|limit| limit.get() == 0.0) => (
            "a budget of 0 is used up before anything is corrected".to_owned(),
            "write an amount such as `cost_usd: 0.10`, or remove it",
        ),
        Criterion::MinImprovement(improvement) if improvement.delta > range.width() + EPSILON => (
            format!("{span}, so no correction gains {}", number(improvement.delta)),
            "write a gain that a correction can make, such as `delta: 0.02`",
        ),
        Criterion::Stagnation(stagnation) if stagnation.epsilon > range.width() + EPSILON => (
            format!("{span}, so scores always lie within {}", number(stagnation.epsilon)),
            "write how little scores may move, such as `epsilon: 0.02`",
        ),
        _ => return,
    };
    let after = counted(one.criterion.earliest(), "candidate");
    let message = format!("`{}` ends every run after {after} at the latest: {why}", one.path);
    problems.push(view.doubt(Code::AlwaysFires, &one.span, message).help(help));
}

/// Says of the limit of candidates that scores can't rise for as long as it allows.
pub(super) fn limits(view: &View<'_>, placed: &[Placed], limit: &Placed, most: u64, problems: &mut Problems) {
    let width = view.overall().width();
    let earliest = placed.iter().filter(|one| one.alone).filter_map(|one| {
        let Criterion::MinImprovement(improvement) = &one.criterion else { return None };
        // With patience, a fall makes room for a gain on the candidate before, again and again.
        let bounded = improvement.baseline == Baseline::Best || improvement.patience == 1;
        if !bounded || improvement.delta < 1e-6 || improvement.delta > width + EPSILON {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most a million, never negative"
        )]
        let gains = (width / (improvement.delta - 1e-9) + 1e-6).floor() as u64;
        let patience = u64::try_from(improvement.patience).ok()?;
        Some((one, (gains + 1).checked_mul(patience)? + 1, improvement.delta))
    });
    let Some((one, last, delta)) =
        earliest.min_by_key(|(_, last, _)| *last).filter(|(_, last, _)| *last < most)
    else {
        return;
    };
    let message = format!(
        "`{}` is never reached: `{}` asks for gains of {}, and after {} there is no room for another",
        limit.path,
        one.path,
        number(delta),
        counted(last - 1, "candidate")
    );
    let key = limit.path.trim_start_matches("stop.");
    let enough = if key == "max_corrections" { last - 1 } else { last };
    let problem = view.doubt(Code::Overtaken, &limit.span, message);
    let problem = problem.help(format!("write `{key}: {enough}`, or a smaller `delta`"));
    problems.push(problem.related(&one.span, "this one ends the loop first"));
}
