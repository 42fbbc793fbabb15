//! `overall`: the derivation of the overall score from the dimensions.

use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::mapping;
use crate::value::decode::{Decode, Fields, number_in};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Entry, Node};
use crate::value::{EPSILON, Score};

/// The derivation of `overall` from the dimensions.
#[derive(Debug, Clone)]
pub enum Overall {
    /// Weighted sum; the weights add up to 1.
    Weighted(Vec<(String, f64)>),
    /// One named dimension.
    From(String),
}

impl Default for Overall {
    fn default() -> Self {
        Overall::Weighted(Vec::new())
    }
}

impl Overall {
    /// The overall score. `score` gives a dimension's value; one that an assessment lacks counts 0.
    #[must_use]
    pub fn of(&self, score: impl Fn(&str) -> Option<Score>) -> Score {
        let value = |name: &str| score(name).unwrap_or(Score::ZERO).get();
        Score::clamped(match self {
            Overall::From(name) => value(name),
            Overall::Weighted(weights) => weights.iter().map(|(name, weight)| weight * value(name)).sum(),
        })
    }

    /// Every dimension it reads.
    pub fn dimensions(&self) -> impl Iterator<Item = &str> {
        let (weighted, single) = match self {
            Overall::Weighted(weights) => (weights.as_slice(), None),
            Overall::From(name) => (&[][..], Some(name.as_str())),
        };
        weighted.iter().map(|(name, _)| name.as_str()).chain(single)
    }
}

mapping! {
    /// The overall score as a weighted mean of dimensions. Weights are divided by their sum; one that is not 1 is warned about.
    "overall_weights" is "overall score", open WEIGHED;
    struct Weights {
        /// The weight of each dimension, in file order.
        #[key(skip)]
        of: Vec<(String, f64)> = |fields: &mut Fields<'_>, problems| Some(weights(fields, problems)),
    }
}

const WEIGHED: Open = Open {
    key: "DIMENSION",
    names: Names::Any,
    doc: "How much this dimension counts, 0 or more, in proportion to the others. A dimension that is not listed does not count.",
    shape: || Shape::at_least(0.0),
    null: Null::Mistake,
};

fn weights(fields: &Fields<'_>, problems: &mut Problems) -> Vec<(String, f64)> {
    let weights = fields.rest().into_iter().filter(|entry| entry.key != FROM);
    let read = weights.map(|entry| (entry.key.clone(), number_in(&entry.value, 0.0, f64::MAX, problems)));
    read.filter_map(|(name, weight)| Some((name, weight?))).collect()
}

mapping! {
    /// The overall score as that of one dimension.
    "overall_from" is "overall score";
    struct Single {
        /// The dimension. With `from: overall`, `assess` may have a dimension called `overall`: a judge's own total, say.
        #[key(text("the name of a dimension"), required, examples(&["completeness", "overall"]))]
        from: String,
    }
}

/// The key of [`Single`].
const FROM: &str = "from";

impl Decode for Overall {
    const EXPECTED: &'static str = "weights of dimensions, or `{ from: DIMENSION }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Mapping(Weights::mapping()), Shape::Mapping(Single::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if node.get(FROM).is_some_and(|from| !matches!(from.data, Data::Null)) {
            return Single::read_mapping(node, problems).map(|single| Overall::From(single.from));
        }
        Weights::read_mapping(node, problems).map(|weights| Overall::Weighted(weights.of))
    }
}

impl Overall {
    /// Returns this with weights that add up to 1. Unknown dimensions, and weights that can't be used, are reported in
    /// `node`, which it was read from.
    pub(super) fn checked(&self, node: &Node, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let from = node.get(FROM).filter(|from| !matches!(from.data, Data::Null));
        let (mut weights, Data::Map(entries)) = (
            match (self, from) {
                (Overall::From(name), Some(from)) => {
                    return is_known(name, &from.span, known, problems).then(|| self.clone());
                }
                (Overall::Weighted(weights), None) => weights.clone(),
                _ => return None,
            },
            &node.data,
        ) else {
            return None;
        };
        let mut all_named = true;
        for entry in entries.iter().filter(|entry| entry.key != FROM) {
            all_named &= is_known(&entry.key, &entry.key_span, known, problems);
        }
        if !all_named {
            // The sum means nothing while a weight has a wrong name.
            return None;
        }
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 || !sum.is_finite() {
            problems.push(
                Problem::error(Code::Weights, &node.span, "the weights add up to nothing")
                    .help("give at least one dimension a weight above 0"),
            );
            return None;
        }
        if (sum - 1.0).abs() > EPSILON {
            weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
            problems.push(uneven_weights(node, sum, &weights));
        }
        Some(Overall::Weighted(weights))
    }
}

/// Returns whether there is a dimension of that name; reported if not.
fn is_known(name: &str, span: &Span, known: &[&str], problems: &mut Problems) -> bool {
    let is_known = known.contains(&name);
    if !is_known {
        let names = || known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let help = match nearest(name, known.iter().copied()) {
            Some(guess) => format!("did you mean `{guess}`?"),
            None if known.is_empty() => "`assess` has no dimension".to_owned(),
            None => format!("`assess` has {}", names()),
        };
        let message = format!("no dimension is called `{name}`");
        problems.push(Problem::error(Code::UnknownName, span, message).help(help));
    }
    is_known
}

/// Reports the shares of weights that don't add up to 1; `shares` are these.
fn uneven_weights(node: &Node, sum: f64, shares: &[(String, f64)]) -> Problem {
    let short = |number: f64| ((number * 1e4).round() / 1e4).to_string();
    let counted: Vec<String> =
        shares.iter().map(|(name, share)| format!("{name}: {}", short(*share))).collect();
    let difference = if sum < 1.0 {
        format!("{} is missing", short(1.0 - sum))
    } else {
        format!("{} is too much", short(sum - 1.0))
    };
    let message = format!("the weights add up to {}, not 1: {difference}", short(sum));
    let help = format!(
        "each is divided by {}, so they count as {{ {} }}: write that, or the weights that you mean",
        short(sum),
        counted.join(", ")
    );
    let problem = Problem::warning(Code::Weights, &node.span, message);
    let inherited: Vec<&Entry> = match &node.data {
        Data::Map(entries) => {
            entries.iter().filter(|entry| entry.key_span.file().name() != node.span.file().name()).collect()
        }
        _ => Vec::new(),
    };
    let Some(first) = inherited.first() else { return problem.help(help) };
    let names: Vec<String> = inherited.iter().map(|entry| format!("`{}`", entry.key)).collect();
    let away: Vec<String> = inherited.iter().map(|entry| format!("`{}: null`", entry.key)).collect();
    let said = format!("{} from the parent counted, too", names.join(" and "));
    problem.related(&first.key_span, &said).help(format!(
        "{help}; to be rid of what the parent says, write {} under `overall`",
        away.join(" and ")
    ))
}
