//! Keys of the order that never decide, and an order that nothing asks.

use super::view::View;
use crate::diag::{Code, Problem};
use crate::profile::{IssueKind, OnRegression, Overall, Returned, SelectKey, Target};
use crate::value::Severity;
use crate::value::prose::{list, names};

/// Keys of the order that never decide.
pub(super) fn idle_keys(view: &View<'_>, code: Code) -> Vec<Problem> {
    let order = &view.policy.select.order;
    let idle = order.iter().enumerate().filter_map(|(at, key)| {
        let (why, help) = idle(view, key, order.get(..at).unwrap_or_default())?;
        let message = format!("{} never decides in `order`: {why}", name(key));
        Some(view.doubt(code, view.order_key(at), message).help(help))
    });
    idle.collect()
}

fn name(key: &SelectKey) -> String {
    match key {
        SelectKey::NoCritical => "`no_critical`".to_owned(),
        SelectKey::Score(target) => format!("`{}`", target.name()),
        SelectKey::Fewest(kind) => format!("`fewest: {}`", kind.as_str()),
    }
}

/// The reason why candidates that are equal by the keys before are equal by this one, too, and advice.
fn idle(view: &View<'_>, key: &SelectKey, before: &[SelectKey]) -> Option<(String, String)> {
    let remove = || "remove it".to_owned();
    if before.contains(key) {
        return Some(("it is already listed".to_owned(), remove()));
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
                let why = format!("it is made of {}, which stand before it", list(&names(&weighed), "and"));
                (why, "put `overall` before them, or remove it".to_owned())
            })
        }
        (SelectKey::Score(Target::Dimension(name)), _) if view.dimension(name).width() <= 0.0 => {
            Some(("its score is always the same".to_owned(), remove()))
        }
        _ => None,
    }
}

/// `return: last` beside rollbacks, or beside a gate.
pub(super) fn returns_left_behind(view: &View<'_>, code: Code) -> Vec<Problem> {
    let policy = view.policy;
    if policy.select.returned != Returned::Last {
        return Vec::new();
    }
    let (key, message, help, label) = if policy.on_regression == OnRegression::Rollback {
        (
            "on_regression",
            "`return: last` returns the latest candidate, also when it was rolled back as worse",
            "write `return: best`, or `on_regression: keep`",
            "here it is rolled back",
        )
    } else if policy.gate.is_some() {
        (
            "gate",
            "`return: last` returns the latest candidate, also when it missed the gate and an earlier one did not",
            "write `return: best`, or take the gate out",
            "this gate",
        )
    } else {
        return Vec::new();
    };
    let (span, cause) = (view.key(&["select", "return"]), view.key(&[key]));
    let problem = view.doubt_of(code, span, &[cause], message);
    vec![problem.help(help).related(cause, label)]
}

/// Keys that have no effect beside `return: last`.
pub(super) fn returns_last(view: &View<'_>, code: Code) -> Vec<Problem> {
    let policy = view.policy;
    if policy.select.returned != Returned::Last || policy.on_regression == OnRegression::Rollback {
        return Vec::new();
    }
    let said = ["order", "ties"].into_iter().filter(|key| view.says(&["select", key]));
    let idle = said.map(|key| {
        let message = format!("`{key}` decides nothing: `return: last` returns the latest candidate");
        let problem = Problem::warning(code, view.key(&["select", key]), message);
        let problem = problem.help(format!("write `return: best`, or remove `{key}`"));
        problem.related(view.key(&["select", "return"]), "whatever it scored")
    });
    idle.collect()
}
