//! Document types that no document can have.

use crate::diag::{Code, Problem, Problems};
use crate::value::EPSILON;
use crate::value::yaml::{Data, Node};

/// Checks a classification, laid over those that it extends.
pub(super) fn check(root: &Node, problems: &mut Problems) {
    let Some(minimum) = root.get("minimum").and_then(number) else { return };
    let Some(Data::Map(types)) = root.get("classify").map(|types| &types.data) else { return };
    for kind in types {
        let Data::List(patterns) = &kind.value.data else { continue };
        let weights: Option<Vec<f64>> = patterns.iter().map(|p| p.get("weight").and_then(number)).collect();
        // A type without weights has been reported.
        let Some(weights) = weights.filter(|weights| !weights.is_empty()) else { continue };
        let sum: f64 = weights.iter().sum();
        if sum + EPSILON >= minimum {
            continue;
        }
        let (sum, name) = ((sum * 1e4).round() / 1e4, &kind.key);
        let message = format!(
            "no document is ever a `{name}`: the weights of its patterns add up to {sum}, and `minimum` is {minimum}"
        );
        let problem = Problem::warning(Code::NeverRecognised, &kind.key_span, message);
        let problem = match root.get("minimum") {
            Some(minimum) => problem.related(&minimum.span, "a document needs this much"),
            None => problem,
        };
        problems.push(problem.help(format!(
            "raise the weights, or add patterns, until they come to {minimum} or more: such documents are `unknown`"
        )));
    }
}

fn number(node: &Node) -> Option<f64> {
    node.to_json().as_f64()
}
