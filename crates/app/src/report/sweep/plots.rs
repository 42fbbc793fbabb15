//! The geometry of the plots of an experiment. Each has a table beside it, with the same numbers.

use super::words::{decimals, interval, number, policy, signed, signed_interval, verdict};
use crate::experiment::statistics::Estimate;
use crate::experiment::sweep::{Difference, Findings, ShownPolicy};
use crate::report::model::{Cross, Front};
use crate::report::page::{Axis, DotRow, DotRows, Labels, Names, WIDTH};
use crate::value::prose::count;

/// The plots, in units of their own.
const LEFT: f64 = 72.0;
const RIGHT: f64 = 32.0;
const TOP: f64 = 20.0;
const HEIGHT: f64 = 240.0;
/// Longest name of an axis, in characters: longer ones are in the heading alone.
const LONGEST_NAME: usize = 45;

/// The first objective against another one, with its heading: the means of policies where they were chosen, and those that are
/// shown with intervals where they are judged; `None` where there is nothing to draw.
pub(super) fn front(findings: &Findings, other: usize) -> Option<(String, Front)> {
    let (first, second) = (findings.objectives.first()?, findings.objectives.get(other)?);
    let (digits, other_digits) = (decimals(findings, 0), decimals(findings, other));
    let point = |of: &Vec<f64>| Some([*of.get(other)?, *of.first()?]);
    let points: Vec<[f64; 2]> = findings.points.iter().filter_map(point).collect();
    let policies = || std::iter::once(&findings.reference).chain(&findings.shown);
    let ends = |at: usize| {
        let estimates = policies().filter_map(move |shown| shown.test.get(at));
        estimates.flat_map(|estimate| [estimate.low, estimate.high])
    };
    let across = Axis::over(points.iter().map(|[x, _]| *x).chain(ends(other)), [LEFT, WIDTH - RIGHT])?;
    let up = Axis::over(points.iter().map(|[_, y]| *y).chain(ends(0)), [TOP + HEIGHT, TOP])?;
    let mut labels = Labels::above(TOP + HEIGHT);
    for shown in policies() {
        if let (Some(x), Some(y)) = (shown.test.get(other), shown.test.first()) {
            labels.keep_clear(across.place(x.mean), up.place(y.mean));
        }
    }
    let mut cross = |(at, shown): (usize, &ShownPolicy)| {
        let (across_at, up_at) = (shown.test.get(other)?, shown.test.first()?);
        let label = if at == 0 { findings.reference.profile.clone() } else { at.to_string() };
        let named = if at == 0 { label.clone() } else { format!("{at}: {}", policy(shown)) };
        let says = |name: &str, estimate: &Estimate, digits| {
            format!("{name} {} ({})", number(estimate.mean, digits), interval(estimate, digits))
        };
        let (x, y) = (across.place(across_at.mean), up.place(up_at.mean));
        let label_at = labels.place(&label, x, y);
        let label = if label_at.is_some() { label } else { String::new() };
        let (label_x, label_y) = label_at.unwrap_or_default();
        Some(Cross {
            class: if at == 0 { "passed" } else { "" },
            title: format!(
                "{named}: {}, {}",
                says(&first.name, up_at, digits),
                says(&second.name, across_at, other_digits)
            ),
            label,
            x,
            y,
            low_x: across.place(across_at.low),
            high_x: across.place(across_at.high),
            low_y: up.place(up_at.low),
            high_y: up.place(up_at.high),
            label_x,
            label_y,
        })
    };
    let bottom = TOP + HEIGHT;
    let heading = format!("{} against {}", first.name, second.name);
    let plot = Front {
        alt: format!(
            "{} against {} of {} where they were chosen, and of the {} on the front where they are judged, with intervals",
            first.name,
            second.name,
            count(points.len() as u64, "policy"),
            findings.shown.len()
        ),
        x_name: Some(second.name.clone())
            .filter(|name| name.chars().count() <= LONGEST_NAME)
            .unwrap_or_default(),
        height: bottom + 42.0,
        left: LEFT,
        right: WIDTH - RIGHT,
        label_y: bottom + 16.0,
        x_ticks: across.round(number),
        y_ticks: up.round(number),
        points: points.iter().map(|[x, y]| [across.place(*x), up.place(*y)]).collect(),
        shown: policies().enumerate().filter_map(&mut cross).collect(),
    };
    Some((heading, plot))
}

/// The difference of each policy to the reference, as a dot with its interval; `None` where nothing differs.
pub(super) fn differences(findings: &Findings, at: usize) -> Option<DotRows> {
    let objective = findings.objectives.get(at)?;
    let digits = decimals(findings, at);
    let shown = (1..).zip(&findings.shown);
    let differences: Vec<(usize, &ShownPolicy, &Difference)> = shown
        .filter_map(|(number, shown)| Some((number, shown, shown.comparison.as_ref()?.objectives.get(at)?)))
        .collect();
    let ends = differences.iter().flat_map(|(_, _, of)| [of.estimate.low, of.estimate.high]);
    let axis = Axis::over(ends.chain([0.0]), [LEFT, WIDTH - RIGHT])?;
    let row = |(number, shown, of): &(usize, &ShownPolicy, &Difference)| {
        let Estimate { low, mean, high, .. } = of.estimate;
        let title = format!(
            "{number}: {}: {} ({}), {}",
            policy(shown),
            signed(mean, digits),
            signed_interval(&of.estimate, digits),
            verdict(of.verdict)
        );
        DotRow::new(number.to_string(), title, [low, mean, high].map(|number| axis.place(number)))
    };
    let alt = format!(
        "Differences in {} to {}, with intervals, of the policies on the front",
        objective.name, findings.reference.profile
    );
    let rows = differences.iter().map(row).collect();
    let mut plot = DotRows::new(alt, TOP, Names::Beside(LEFT), axis.round(number), rows);
    plot.zero = Some(axis.place(0.0));
    Some(plot)
}
