//! The values of one setting: a list, or a range with a step.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::wrong_type;
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};

/// The most values of one setting.
const MOST_VALUES: usize = 10_000;

mapping! {
    /// Numbers from one to another, both included.
    "range" is "range", expects "`{ from: 1, to: 6, step: 1 }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Range {
        /// The first number.
        #[key(required, examples(&["0.8"]))]
        from: f64,
        /// The last number, if the steps meet it.
        #[key(required, examples(&["1.0"]))]
        to: f64,
        /// The distance from one number to the next: 0.000000001 to 1,000,000,000.
        #[key(number(0.000_000_001, 1e9), default("1"), examples(&["0.05"]))]
        step: f64,
    }
}

/// The shape of the values of a setting, for schemas.
pub(super) fn shape() -> Shape {
    Shape::AnyOf(vec![Shape::list(Shape::Any), Shape::Mapping(Range::mapping())])
}

/// Reads the values of a setting, each with its location.
pub(super) fn values(node: &Node, problems: &mut Problems) -> Option<Vec<Node>> {
    let values = match &node.data {
        Data::List(values) => values.clone(),
        Data::Map(_) => Range::read_mapping(node, problems)?.values(node, problems)?,
        _ => return wrong_type(node, "a list of values, or `{ from: 1, to: 6, step: 1 }`", problems),
    };
    if values.is_empty() {
        problems.push(
            Problem::error(Code::Empty, &node.span, "this setting has no values").help("give at least one"),
        );
        return None;
    }
    Some(values)
}

impl Range {
    fn values(self, node: &Node, problems: &mut Problems) -> Option<Vec<Node>> {
        let steps = (self.to - self.from) / self.step;
        // Decimal steps have rounding errors: 0.1 three times is more than 0.3.
        let last = (steps + 1e-6).floor();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let most = MOST_VALUES as f64;
        if !(self.step > 0.0 && (0.0..most).contains(&last)) {
            let message = format!("from {} to {} by {} is not a range", self.from, self.to, self.step);
            let help = format!(
                "`from` comes before `to`, `step` is more than 0, and there are {MOST_VALUES} numbers at most"
            );
            problems.push(Problem::error(Code::Conflict, &node.span, message).help(help));
            return None;
        }
        let mut values = Vec::new();
        let mut at = 0.0;
        while at <= last {
            // Nine decimals, which is what scores are compared by.
            let number = ((self.from + at * self.step) * 1e9).round() / 1e9;
            #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^53")]
            let data = if number.fract() == 0.0 && number.abs() < 1e15 {
                Data::Int(number as i64)
            } else {
                Data::Float(number)
            };
            values.push(Node { span: node.span.clone(), data });
            at += 1.0;
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;
    use serde_json::{Value, json};

    fn read(yaml: &str) -> Result<Vec<Value>, String> {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("t.yaml", yaml), &mut problems).unwrap();
        let read = values(&node, &mut problems);
        let read = read.map(|values| values.iter().map(Node::to_json).collect());
        let said = || problems.iter().map(|problem| problem.message.clone()).collect();
        read.filter(|_| !problems.has_errors()).ok_or_else(said)
    }

    #[test]
    fn ranges_have_both_ends_and_no_dust() {
        assert_eq!(read("{ from: 1, to: 4 }").unwrap(), [1, 2, 3, 4].map(|n| json!(n)));
        assert_eq!(
            read("{ from: 0, to: 0.3, step: 0.1 }").unwrap(),
            [json!(0), json!(0.1), json!(0.2), json!(0.3)]
        );
        assert_eq!(read("{ from: 2, to: 2 }").unwrap(), [json!(2)]);
        assert_eq!(read("{ from: 1, to: 2, step: 0.4 }").unwrap(), [json!(1), json!(1.4), json!(1.8)]);
        assert_eq!(
            read("[null, 1, { delta: 0.1 }]").unwrap(),
            [json!(null), json!(1), json!({"delta": 0.1})]
        );
        for wrong in [
            "[]",
            "{ from: 2, to: 1 }",
            "{ from: 0, to: 1, step: 0 }",
            "{ from: 0, to: 1, step: 1e-9 }",
            "3",
            "{ from: 0 }",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
