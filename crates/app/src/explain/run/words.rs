//! Numbers, values and lines of the decision table in words.

use crate::plan::Terms;
use crate::policy::Check;
use crate::profile::CONDITIONS;
use crate::stop::{EndingLine, ended};
use crate::value::{EPSILON, Usage, prose};
use serde_json::Value;

/// At most four decimals, without trailing zeros.
pub(super) fn number(value: f64) -> String {
    prose::decimals(value, 4).replace('-', "−")
}

/// A number and the bound that it is compared with: as [`number`] has them, with more decimals where those would show
/// the same although the two differ.
pub(super) fn against(value: f64, bound: f64) -> (String, String) {
    if (value - bound).abs() <= EPSILON || number(value) != number(bound) {
        return (number(value), number(bound));
    }
    (prose::decimals(value, 9), prose::decimals(bound, 9))
}

/// The difference by which a number falls short of its bound.
pub(super) fn gap(value: f64, bound: f64) -> String {
    match number(bound - value) {
        nothing if nothing == "0" => prose::decimals(bound - value, 9),
        gap => gap,
    }
}

/// A score with three decimals, or four where the fourth is not zero, so that it can be added up with points.
pub(super) fn score(value: f64) -> String {
    let text = format!("{value:.4}");
    text.strip_suffix('0').unwrap_or(&text).to_owned()
}

/// Points that are lost: `−0.150`, `−0.0225`; more decimals where four would show nothing.
pub(super) fn lost(points: f64) -> String {
    if points.abs() < 5e-10 {
        return "0".to_owned();
    }
    format!("−{}", points_of(points))
}

/// Points with their significant decimals: three or four, more for smaller ones.
pub(super) fn points_of(points: f64) -> String {
    let text =
        if points == 0.0 || points >= 0.000_05 { format!("{points:.4}") } else { format!("{points:.9}") };
    text.strip_suffix('0').unwrap_or(&text).to_owned()
}

/// `1 issue`, `2 issues`.
pub(super) fn counted(count: usize, what: &str) -> String {
    prose::count(count as u64, what)
}

/// Calls, tokens and money.
pub(super) fn usage(usage: Usage) -> String {
    let known = usage.known_cost_usd.get();
    let cost = match usage.calls_of_unknown_cost {
        0 => format!("${known:.4}"),
        unknown if known == 0.0 => format!("cost of {unknown} unknown"),
        unknown => format!("${known:.4} and the unknown cost of {unknown}"),
    };
    let calls = prose::count(usage.calls, "call");
    format!("{calls}, {} {}, {cost}", usage.tokens, prose::plural(usage.tokens, "token"))
}

/// A value on one line: texts in quotes, control characters and runs of blanks as one blank, cut to `limit` characters.
pub(super) fn shown(value: &Value, limit: usize) -> String {
    prose::beginning(&one_line(&value.to_string()), limit)
}

/// A text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A pointer, or its meaning when it is empty.
pub(super) fn place(path: &str) -> String {
    if path.is_empty() { "the whole candidate".to_owned() } else { format!("`{}`", one_line(path)) }
}

/// A line of `accept`: the required and the actual value, and the shortfall.
pub(super) fn accept_line(check: &Check) -> String {
    let what = check.line.strip_prefix("accept.").unwrap_or(&check.line);
    if let Some(condition) = CONDITIONS.iter().find(|condition| condition.key.name == what) {
        return format!("{}, and `{what}` does not allow that", condition.refused);
    }
    let (value, bound) = against(check.value, check.bound);
    if let Some(kind) = what.strip_suffix("_issues") {
        let held = if check.holds { "" } else { ": too many" };
        return format!("`{what}` allows {bound} {kind}, has {value}{held}");
    }
    match check.holds {
        true => format!("`{what}` needs {bound}, has {value}"),
        false => format!("`{what}` needs {bound}, has {value}: {} short", gap(check.value, check.bound)),
    }
}

/// The values that a line of the decision table that ended the loop saw.
pub(super) fn stop_line(check: &Check, terms: Option<&Terms>) -> String {
    let Check { line, value, bound, path, .. } = check;
    let (value_text, bound_text) = against(*value, *bound);
    let setting = |key: &str| {
        let said =
            terms.and_then(|terms| terms.stop.get(line.as_str())).and_then(|said| said.get(key)).cloned();
        said.map(|said| match said {
            Value::String(text) => text,
            other => other.to_string(),
        })
    };
    if line == "on_escalate" {
        return format!(
            "{value_text} of its issues are for a person to decide, and `on_escalate: stop` ends the run there"
        );
    }
    if line == "gate" {
        let dimension =
            terms.and_then(|terms| terms.gate.as_ref()).map_or("dimension", |gate| &gate.dimension);
        return format!("the gate needs `{dimension}` of {bound_text}, and it has {value_text}");
    }
    let ending = EndingLine {
        line,
        value: *value,
        bound: *bound,
        value_text: &value_text,
        bound_text: &bound_text,
        place: path.as_deref().map(place),
        setting: &setting,
    };
    ended(&ending).unwrap_or_else(|| format!("`{line}`: {value_text} against {bound_text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_never_shown_as_none_where_there_are_some() {
        for (points, expected) in
            [(0.15, "−0.150"), (0.0, "0"), (0.0225, "−0.0225"), (0.000_000_4, "−0.00000040")]
        {
            assert_eq!(lost(points), expected);
        }
    }

    #[test]
    fn a_number_is_told_from_its_bound_and_scores_add_up_with_points() {
        assert_eq!(against(0.912_5, 0.95), ("0.9125".to_owned(), "0.95".to_owned()));
        assert_eq!(against(0.949_999, 0.95), ("0.949999".to_owned(), "0.95".to_owned()));
        assert_eq!(gap(0.949_999, 0.95), "0.000001");
        assert_eq!([0.766_666, 0.95, 1.0].map(score), ["0.7667", "0.950", "1.000"]);
    }

    #[test]
    fn numbers_have_the_decimals_that_say_something() {
        for (value, expected) in [(0.98, "0.98"), (3.0, "3"), (-0.05, "−0.05"), (-0.000_01, "0")] {
            assert_eq!(number(value), expected);
        }
    }
}
