//! Keys of the order that never decide, and an order that nothing asks.

use super::view::{View, listed};
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::{IssueKind, OnRegression, Overall, Returned, SelectKey, Target};
use crate::value::Severity;
use crate::value::yaml::Data;

pub(super) fn check(view: &View<'_>, problems: &mut Problems) {
    let order = &view.policy.select.order;
    for (at, key) in order.iter().enumerate() {
        let before = order.get(..at).unwrap_or_default();
        let Some((why, help)) = idle(view, key, before) else { continue };
        let message = format!("{} never decides in `order`: {why}", name(key));
        problems.push(view.doubt(Code::InertSelectKey, &place(view, at), message).help(help));
    }
    returns_last(view, problems);
}

fn place(view: &View<'_>, at: usize) -> Span {
    let order = view.value(&["select", "order"]);
    match view.entry(&["select", "order"]).map(|entry| &entry.value.data) {
        Some(Data::List(items)) => items.get(at).map_or(order, |item| &item.span).clone(),
        _ => order.clone(),
    }
}

fn name(key: &SelectKey) -> String {
    match key {
        SelectKey::NoCritical => "`no_critical`".to_owned(),
        SelectKey::Score(target) => format!("`{}`", target.name()),
        SelectKey::Fewest(kind) => format!("`fewest: {}`", kind.as_str()),
    }
}

/// Why candidates that are equal by the keys before are equal by this one, too, and what to do.
fn idle(view: &View<'_>, key: &SelectKey, before: &[SelectKey]) -> Option<(String, String)> {
    let remove = || "remove it".to_owned();
    if before.contains(key) {
        return Some(("it stands there already".to_owned(), remove()));
    }
    let critical = IssueKind::Severity(Severity::Critical);
    if *key == SelectKey::NoCritical && before.contains(&SelectKey::Fewest(critical)) {
        return Some(("`fewest: critical` before it says more".to_owned(), remove()));
    }
    let score = |name: &str| SelectKey::Score(Target::Dimension(name.to_owned()));
    match (key, &view.policy.overall) {
        (SelectKey::Score(Target::Dimension(name)), Overall::From(from))
            if name == from && before.contains(&SelectKey::Score(Target::Overall)) =>
        {
            Some((format!("`overall` is `{name}`"), remove()))
        }
        (SelectKey::Score(Target::Overall), overall) => {
            let mut weighed: Vec<String> = match overall {
                Overall::From(name) => vec![name.clone()],
                Overall::Weighted(weights) => {
                    weights.iter().filter(|(_, weight)| *weight > 0.0).map(|(name, _)| name.clone()).collect()
                }
            };
            weighed.dedup();
            weighed.iter().all(|name| before.contains(&score(name))).then(|| {
                let why = format!("it is made of {}, which stand before it", listed(&weighed));
                (why, "put `overall` before them, or remove it".to_owned())
            })
        }
        (SelectKey::Score(Target::Dimension(name)), _) if view.dimension(name).width() <= 0.0 => {
            Some(("its score is always the same".to_owned(), remove()))
        }
        _ => None,
    }
}

/// Says of `return: last` what it makes of the order and of rollbacks.
fn returns_last(view: &View<'_>, problems: &mut Problems) {
    if view.policy.select.returned != Returned::Last {
        return;
    }
    let span = view.key(&["select", "return"]);
    if view.policy.on_regression == OnRegression::Rollback {
        let message = "`return: last` returns the latest candidate, also when it was rolled back as worse";
        let problem = view.doubt_of(Code::ReturnsRolledBack, span, &[view.key(&["on_regression"])], message);
        let problem = problem.help("write `return: best`, or `on_regression: keep`");
        problems.push(problem.related(view.key(&["on_regression"]), "here it is rolled back"));
        return;
    }
    for key in ["order", "ties"] {
        if !view.says(&["select", key]) {
            continue;
        }
        let message = format!("`{key}` decides nothing: `return: last` returns the latest candidate");
        let problem = Problem::warning(Code::InertSelectKey, view.key(&["select", key]), message);
        let problem = problem.help(format!("write `return: best`, or remove `{key}`"));
        problems.push(problem.related(span, "whatever it scored"));
    }
}
