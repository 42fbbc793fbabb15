//! The five numbers over time: by hour, by day, or run by run.

use crate::store::{FigureSums, FigureTotals, RunId};
use jiff::{Timestamp, tz::TimeZone};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The steps in which time is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeStep {
    Hour,
    Day,
    Run,
}

impl TimeStep {
    pub(crate) const ALL: [TimeStep; 3] = [TimeStep::Hour, TimeStep::Day, TimeStep::Run];

    /// Its name in addresses.
    pub(crate) fn key(self) -> &'static str {
        match self {
            TimeStep::Hour => "hour",
            TimeStep::Day => "day",
            TimeStep::Run => "run",
        }
    }

    /// The column header.
    pub(crate) fn title(self) -> &'static str {
        match self {
            TimeStep::Hour => "Hour (UTC)",
            TimeStep::Day => "Day (UTC)",
            TimeStep::Run => "Run",
        }
    }

    /// The most steps that are shown: two days, two months, sixty runs.
    pub(crate) fn most(self) -> usize {
        match self {
            TimeStep::Hour => 48,
            TimeStep::Day | TimeStep::Run => 60,
        }
    }

    /// The length of a step in milliseconds; `None` for runs.
    pub(crate) fn ms(self) -> Option<i64> {
        match self {
            TimeStep::Hour => Some(HOUR_MS),
            TimeStep::Day => Some(DAY_MS),
            TimeStep::Run => None,
        }
    }

    /// The time from which documents count, so that there are at most as many steps as are shown.
    pub(crate) fn begins_ms(self, now_ms: i64) -> i64 {
        self.ms().map_or(0, |ms| {
            let steps = i64::try_from(self.most()).unwrap_or(i64::MAX);
            (now_ms / ms - steps + 1).saturating_mul(ms)
        })
    }
}

/// The documents of a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// The label of the step.
    pub(crate) label: String,
    /// The run, if the step is one.
    pub(crate) run: Option<RunId>,
    pub(crate) totals: FigureTotals,
}

/// The sums of the journal, as steps: the oldest first, without gaps between the first and the last one, only the
/// latest ones if there are too many.
pub(crate) fn points(sums: &[FigureSums], step: TimeStep) -> Vec<Point> {
    let mut points = Vec::new();
    let mut last: Option<i64> = None;
    for sum in sums {
        if let (Some(ms), Some(last)) = (step.ms(), last) {
            let gap = (last + 1..sum.bucket).rev().take(step.most()).collect::<Vec<_>>();
            points.extend(gap.into_iter().rev().map(|bucket| Point {
                label: label(bucket, ms),
                run: None,
                totals: FigureTotals::default(),
            }));
        }
        last = Some(sum.bucket);
        let label = match (step.ms(), &sum.run) {
            (Some(ms), _) => label(sum.bucket, ms),
            (None, Some(run)) => run.to_string(),
            (None, None) => sum.bucket.to_string(),
        };
        points.push(Point { label, run: sum.run.clone(), totals: sum.totals });
    }
    let left_out = points.len().saturating_sub(step.most());
    points.drain(..left_out);
    points
}

/// `11-27 07:00`, or `2026-11-27` for days.
fn label(bucket: i64, ms: i64) -> String {
    let at =
        Timestamp::from_millisecond(bucket.saturating_mul(ms)).unwrap_or_default().to_zoned(TimeZone::UTC);
    let form = if ms < DAY_MS { "%m-%d %H:00" } else { "%Y-%m-%d" };
    at.strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(bucket: i64, counted: u64) -> FigureSums {
        let totals = FigureTotals { counted, met: counted, ..FigureTotals::default() };
        FigureSums { bucket, run: None, totals }
    }

    #[test]
    fn steps_without_documents_are_gaps_and_the_latest_are_kept() {
        let day = 20_000;
        let shown = points(&[sums(day, 1), sums(day + 3, 2)], TimeStep::Day);
        let labels: Vec<&str> = shown.iter().map(|point| point.label.as_str()).collect();
        assert_eq!(labels, ["2024-10-04", "2024-10-05", "2024-10-06", "2024-10-07"]);
        assert_eq!(shown.iter().map(|point| point.totals.counted).collect::<Vec<_>>(), [1, 0, 0, 2]);
        let far = points(&[sums(0, 1), sums(1_000_000, 2)], TimeStep::Hour);
        assert_eq!(far.len(), TimeStep::Hour.most());
        assert_eq!(far.last().unwrap().totals.counted, 2);
        assert!(far.iter().rev().skip(1).all(|point| point.totals.counted == 0));
    }

    #[test]
    fn what_is_asked_for_is_what_is_shown() {
        let now = 1_800_000_000_000;
        for step in [TimeStep::Hour, TimeStep::Day] {
            let ms = step.ms().unwrap();
            let from = step.begins_ms(now);
            assert_eq!(from % ms, 0);
            assert_eq!(usize::try_from(now / ms - from / ms + 1).unwrap(), step.most());
        }
        assert_eq!(TimeStep::Run.begins_ms(now), 0);
    }
}
